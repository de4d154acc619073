"""The committed TypeScript is what the declarations generate."""

import subprocess
import sys
from pathlib import Path

import pytest
from armspan.protocol import CLIENT_MESSAGES, SERVER_MESSAGES, CloseCode, caps
from armspan.protocol.typescript import generate_messages, generate_tables
from armspan.protocol.typescript.names import camel, literal

FOLDER = Path(__file__).parents[2] / "client_web" / "src" / "protocol"
COMMAND = [sys.executable, "-m", "armspan.protocol.typescript"]


def test_the_committed_files_are_up_to_date():
    ended = subprocess.run([*COMMAND, "--check"], capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    assert (FOLDER / "generated.ts").read_text("utf-8") == generate_messages()
    assert (FOLDER / "tables.ts").read_text("utf-8") == generate_tables()


def test_a_stale_or_missing_file_is_found_and_named(tmp_path: Path):
    check = [*COMMAND, "--check", "--folder", str(tmp_path)]
    ended = subprocess.run(check, capture_output=True, text=True, check=False)
    assert ended.returncode == 1
    assert "generated.ts" in ended.stderr
    assert "tables.ts" in ended.stderr
    subprocess.run([*COMMAND, "--folder", str(tmp_path)], check=True)
    assert subprocess.run(check, check=False).returncode == 0
    (tmp_path / "tables.ts").write_text(generate_tables() + "\n")
    assert subprocess.run(check, capture_output=True, check=False).returncode == 1


def test_a_folder_that_is_not_there_is_bad_use(tmp_path: Path):
    command = [*COMMAND, "--folder", str(tmp_path / "nowhere")]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert "nowhere" in ended.stderr


def test_every_message_close_code_and_cap_is_there():
    messages, tables = generate_messages(), generate_tables()
    for message in (*CLIENT_MESSAGES, *SERVER_MESSAGES):
        assert f"export interface {message.__name__} {{" in messages
    for code in CloseCode:
        assert f"  {code.name}: {int(code)},\n" in tables
        assert literal(code.sentence) in tables
    for name, value in vars(caps).items():
        if name.isupper() and isinstance(value, int | float):
            assert f"{name}" in tables


@pytest.mark.parametrize(
    ("python", "typescript"),
    [("session_time_us", "sessionTimeUs"), ("id", "id"), ("p50_ms", "p50Ms")],
)
def test_names_are_spelt_in_camel_case(python: str, typescript: str):
    assert camel(python) == typescript


@pytest.mark.parametrize(
    ("value", "typescript"),
    [
        (None, "null"),
        (True, "true"),
        (60.0, "60"),
        (0.1 + 0.2, "0.30000000000000004"),
        (2**53 - 1, "9007199254740991"),
        ("it's", "'it\\'s'"),
    ],
)
def test_values_are_spelt_exactly(value: object, typescript: str):
    assert literal(value) == typescript
