"""Maps the folders of the repository to the packages of the wheel.

``server/`` is installed as ``armspan.server``, and so on, so that nothing called plain
``server`` or ``protocol`` lands in anyone's site-packages. Everything else is in pyproject.toml.
"""

from setuptools import find_packages, setup

FOLDERS = ("protocol", "solvers", "server")

setup(
    packages=[
        f"armspan.{name}"
        for folder in FOLDERS
        for name in find_packages(include=[folder, f"{folder}.*"])
    ],
    package_dir={f"armspan.{folder}": folder for folder in FOLDERS},
)
