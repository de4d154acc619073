"""The files around the code: locks, compose file, image recipe, and the wheel people install."""

import json
import re
import subprocess
import sys
import sysconfig
import tomllib
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
ADDRESS = re.compile(r"https?://|--(extra-)?index-url|--find-links|file:")


def pinned(lock: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z0-9._-]+)==(\S+)", (ROOT / lock).read_text(), re.MULTILINE))


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_python_locks_hold_hashes_and_no_address(lock: str):
    text = (ROOT / lock).read_text()
    assert not ADDRESS.search(text)
    for requirement in re.split(r"\n(?=\S)", text.strip()):
        assert "--hash=sha256:" in requirement, requirement


def test_the_npm_lock_holds_hashes_and_no_address():
    lock = json.loads((ROOT / "client_web/package-lock.json").read_text())
    packages = {name: package for name, package in lock["packages"].items() if name}
    assert packages
    assert [name for name, package in packages.items() if "resolved" in package] == []
    assert [name for name, package in packages.items() if "integrity" not in package] == []


def test_what_is_declared_is_locked():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    declared = {
        re.match(r"[\w.-]+", requirement).group().lower()
        for requirement in project["project"]["dependencies"]
    }
    assert declared <= pinned("requirements.lock").keys()
    assert pinned("requirements.lock").keys() <= pinned("requirements-dev.lock").keys()


def test_the_compose_file_stays_on_loopback_and_drops_its_rights():
    service = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["armspan"]
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    assert service["cap_drop"] == ["ALL"]
    assert service["read_only"] is True
    assert not any("SECRET" in key and "FILE" not in key for key in service["environment"])


def test_the_turn_server_runs_when_asked_for_and_reaches_no_private_network():
    service = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["turn"]
    assert service["profiles"] == ["turn"]
    assert service["cap_drop"] == ["ALL"]
    assert service["read_only"] is True
    assert service["security_opt"] == ["no-new-privileges:true"]
    (command,) = service["command"]
    options = command.split()
    assert "--use-auth-secret" in options
    assert not any(option.startswith("--static-auth-secret") for option in options)  # seen by all
    assert "--allow-loopback-peers" not in options
    denied = [options[at + 1] for at, option in enumerate(options) if option == "--denied-peer-ip"]
    for private in ("10.", "127.", "169.254.", "172.16.", "192.168.", "::1", "fc00:", "fe80:"):
        assert any(each.startswith(private) for each in denied), private


def instructions(path: Path) -> list[tuple[str, str]]:
    lines = re.sub(r"\\\n", " ", re.sub(r"(?m)^\s*#.*\n", "", path.read_text())).splitlines()
    return [(line.split()[0], line.split(maxsplit=1)[1]) for line in lines if line.strip()]


def test_the_image_is_multi_stage_unprivileged_and_copies_what_exists():
    steps = instructions(ROOT / "Dockerfile")
    assert sum(word == "FROM" for word, _ in steps) == 3
    users = [rest for word, rest in steps if word == "USER"]
    assert users == ["armspan"]
    assert any(word == "HEALTHCHECK" for word, _ in steps)
    for word, rest in steps:
        if word == "COPY" and not rest.startswith("--from"):
            for source in rest.split()[:-1]:
                assert (ROOT / source).exists(), source


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT],
        check=True,
        capture_output=True,
    )
    return next(out.glob("*.whl"))


@pytest.mark.slow
def test_the_wheel_carries_every_module_the_client_and_the_recordings(wheel: Path):
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {
        f"armspan/{path.relative_to(ROOT)}"
        for layer in ("protocol", "solvers", "server")
        for path in (ROOT / layer).rglob("*.py")
    }
    assert modules <= names
    assert "armspan/server/web/static/index.html" in names
    assert any(name.endswith(".npz") for name in names)
    assert {name.split("/")[0].split("-")[0] for name in names} == {"armspan"}


@pytest.mark.slow
def test_the_installed_wheel_serves_the_client_with_no_checkout(wheel: Path, tmp_path: Path):
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    python = tmp_path / "env/bin/python"
    subprocess.run(
        [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", wheel], check=True
    )
    # The dependencies are this environment's. A folder that a .pth file names is searched, but the
    # .pth files in it, so the checkout's own, are not followed.
    (
        tmp_path / f"env/lib/python3.{sys.version_info.minor}/site-packages/dependencies.pth"
    ).write_text(sysconfig.get_path("purelib"))
    server = subprocess.Popen(
        [tmp_path / "env/bin/armspan", "serve", "--port", "0"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        address = next(
            found.group()
            for line in server.stdout
            if (found := re.search(r"http://[\d.]+:\d+", line))
        )
        with urllib.request.urlopen(f"{address}/healthz") as answer:
            assert answer.status == 200
        with urllib.request.urlopen(f"{address}/s/wheel") as answer:
            page = answer.read().decode()
        script = re.search(r'src="([^"]+\.js)"', page)
        assert script is not None
        with urllib.request.urlopen(
            urllib.parse.urljoin(f"{address}/s/wheel", script[1])
        ) as answer:
            assert len(answer.read()) > 10_000
    finally:
        server.terminate()
        assert server.wait(timeout=10) == 0
