"""The process that judges: what surrounds it has no say."""

from pathlib import Path

import pytest
from armspan.server.avatars.judging import Judge

from tests.golden.write_avatar_cases import glb, smallest


async def test_modules_in_the_working_folder_are_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "json.py").write_text("raise SystemExit('this is not the library')")
    file = tmp_path / "avatar.vrm"
    file.write_bytes(glb(*smallest()))
    monkeypatch.chdir(tmp_path)
    await Judge().judge(file)  # raises if the process did not come to its verdict
