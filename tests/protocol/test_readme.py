"""The specification says what is declared, all of it, and its links lead somewhere."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from armspan.protocol import (
    CLIENT_MESSAGES,
    LENGTH_NAMES,
    SERVER_MESSAGES,
    CloseCode,
    IceServer,
    Lengths,
    Look,
    Message,
    Person,
    caps,
    decode_from_client,
    decode_from_server,
    layout,
)
from armspan.protocol.declaration import Record, fields_of
from armspan.protocol.frames import decode_snapshot
from armspan.protocol.hands import decode_hands
from armspan.protocol.specification import TABLE_NAMES, filled

README = Path(__file__).parents[2] / "protocol" / "README.md"
TEXT = README.read_text("utf-8")
EVERY_MESSAGE = (*CLIENT_MESSAGES, *SERVER_MESSAGES)


def section(title: str) -> str:
    """From a heading of level four to the next heading."""
    match = re.search(rf"^#### {re.escape(title)}\n(.*?)(?=^#)", TEXT, re.MULTILINE | re.DOTALL)
    assert match, f"no section {title}"
    return match[1]


def test_the_tables_are_up_to_date_and_all_there():
    assert filled(TEXT) == TEXT
    assert sorted(re.findall(r"<!-- table: (\w+) -->", TEXT)) == sorted(TABLE_NAMES)
    command = [sys.executable, "-m", "armspan.protocol.specification", "--check"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr


def test_a_table_that_drifted_is_written_anew():
    drifted = TEXT.replace("| 4422 | `NOT_FINITE`", "| 4423 | `NOT_FINITE`")
    assert drifted != TEXT
    assert filled(drifted) == TEXT


def check_fields(record: type[Record], described: str) -> None:
    for index, field in enumerate(fields_of(record)):
        assert re.search(rf"^\| {index} \| `{field.name}` \| ", described, re.MULTILINE)
        assert field.note, f"{record.__name__}.{field.name} says nothing about itself"
        assert field.note in described


@pytest.mark.parametrize("message", EVERY_MESSAGE, ids=lambda m: m.__name__)
def test_every_message_stands_there_with_its_id_and_fields(message: type[Message]):
    title = f"`0x{message.message_id:02x}` {message.__name__} ({message.lane.value})"
    check_fields(message, section(title))


@pytest.mark.parametrize("record", [Lengths, Look, Person, IceServer], ids=lambda r: r.__name__)
def test_every_record_stands_there_with_its_fields(record: type[Record]):
    check_fields(record, section(record.__name__))


def test_every_close_code_cap_and_bit_stands_there():
    for code in CloseCode:
        assert f"| {int(code)} | `{code.name}` | {code.sentence} |" in TEXT
    for name in vars(caps):
        if name.isupper() and name not in (
            "LENGTHS",
            "LENGTH_NAMES",
            "FINGER_JOINTS",
            "FORBIDDEN_CODE_POINTS",
            "BLANK_CODE_POINTS",
        ):
            assert f"| `{name}` | " in TEXT
    offset = 0
    for field in layout.AVATAR_RECORD:
        assert f"| {offset} | {field.bits} | `{field.name}` | " in TEXT
        offset += field.bits
    for name in LENGTH_NAMES:
        assert f"`{name}`" in TEXT
    for index, joint in enumerate(caps.FINGER_JOINTS):
        row = f"| {index} | `{joint.name}` | {joint.low_deg:g}° … {joint.high_deg:g}° |"
        assert row in TEXT


def test_what_came_with_a_later_revision_says_so():
    for message in EVERY_MESSAGE:
        row = re.search(rf"^\| `0x{message.message_id:02x}` \|.*\| (\d+) \|$", TEXT, re.MULTILINE)
        assert row is not None
        assert int(row[1]) == message.since_revision
    assert f"| {caps.PROTOCOL_REVISION} | " in TEXT.partition("| revision | what it added |")[2]


def test_the_examples_are_messages():
    examples = re.findall(r"```text\n(.*?)```", TEXT, re.DOTALL)
    handshake, hands, snapshot, section = examples
    turns = re.findall(r"(client|server)  (\w+)\n((?:    .*\n)+)", handshake)
    assert [name for _, name, _ in turns] == [
        "Hello",
        "Welcome",
        "ClockPing",
        "ClockPong",
        "Joined",
        "ChangeLook",
        "LookChanged",
    ]
    for sender, name, rows in turns:
        read = decode_from_client if sender == "client" else decode_from_server
        assert type(read(bytes.fromhex(rows))).__name__ == name
    (avatar,) = decode_snapshot(bytes.fromhex(snapshot)).avatars
    assert avatar.chest_position_m == pytest.approx((1.0, 1.25, -2.0), abs=1e-4)
    assert avatar.head_rotation == pytest.approx((0.0, 0.8, 0.0, 0.6), abs=2e-3)
    frame = decode_hands(bytes.fromhex(hands))
    assert frame.right_point == (1.0, 0.5, -2.0)
    assert frame.right_fingers_rad == pytest.approx((0.0,) * 20, abs=0.006)
    (told,) = decode_snapshot(bytes.fromhex(snapshot) + bytes.fromhex(section)).hands
    assert (told.id, told.flags, told.right_point) == (1, 8, (1.0, 0.5, -2.0))


def test_every_link_leads_somewhere():
    headings = re.findall(r"^#+ (.*)$", TEXT, re.MULTILINE)
    anchors = {re.sub(r"[^a-z0-9 -]", "", h.lower()).replace(" ", "-") for h in headings}
    for target in re.findall(r"\]\(([^)]+)\)", TEXT):
        if target.startswith("#"):
            assert target[1:] in anchors, target
        elif not target.startswith("https://"):
            assert (README.parent / target).exists(), target
