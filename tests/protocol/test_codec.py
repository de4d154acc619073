"""Control messages: round trips, refusals in words, and a bound on what bytes can allocate."""

import subprocess
import sys
import tracemalloc

import msgpack
import pytest
from armspan.protocol import (
    CLIENT_MESSAGES,
    SERVER_MESSAGES,
    CloseCode,
    Hello,
    Leave,
    Lengths,
    Message,
    Person,
    ProtocolError,
    Role,
    Sender,
    Welcome,
    caps,
    close_reason,
    decode,
    decode_from_client,
    decode_from_server,
    encode,
    require_version,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.protocol.golden import outcome
from tests.protocol.strategies import mangled, messages


@given(message=messages())
def test_what_is_encoded_is_what_is_decoded(message: Message):
    from_client = message.sent_by is Sender.CLIENT
    right, wrong = (
        (decode_from_client, decode_from_server)
        if from_client
        else (decode_from_server, decode_from_client)
    )
    payload = encode(message)
    assert right(payload) == message
    assert right(memoryview(payload)) == message
    assert right(bytearray(payload)) == message
    assert decode(payload) == message
    with pytest.raises(ProtocolError) as caught:
        wrong(payload)
    assert caught.value.close_code in (CloseCode.UNKNOWN_MESSAGE, CloseCode.TOO_LARGE)


@given(message=messages(), extra=st.lists(st.none() | st.integers(0, 9) | st.text(max_size=9)))
def test_fields_of_a_newer_peer_are_ignored(message: Message, extra: list[object]):
    values = [*msgpack.unpackb(encode(message)[1:]), *extra[:8]]
    assert decode(bytes((message.message_id,)) + msgpack.packb(values)) == message


@given(payload=mangled(messages().map(encode)) | st.binary(max_size=300))
@settings(max_examples=500)
def test_any_bytes_are_a_message_or_a_protocol_error(payload: bytes):
    for decoder in (decode_from_client, decode_from_server):
        message, refused = outcome(decoder, payload)
        if refused:
            assert refused.close_code >= 4400
            assert refused.text.isprintable()
            assert len(refused.text.encode()) <= caps.ERROR_TEXT_BYTES
        else:
            assert decoder(encode(message)) == message


@given(body=st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text()
    | st.binary(),
    lambda inner: st.lists(inner, max_size=12)
    | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=20,
))  # fmt: skip
@settings(max_examples=300)
def test_any_msgpack_is_a_message_or_a_protocol_error(body: object):
    for declared in (*CLIENT_MESSAGES, *SERVER_MESSAGES):
        payload = bytes((declared.message_id,)) + msgpack.packb(body)
        message, refused = outcome(decode, payload)
        assert refused.text.isprintable() if refused else isinstance(message, declared)


def test_errors_say_the_value_the_rule_and_the_next_step():
    with pytest.raises(ProtocolError) as caught:
        decode_from_client(b"\x10" + msgpack.packb([1, "Ann", 7]))
    assert caught.value.text == (
        "Hello.role is 7, but must be 0 (participant) or 1 (spectator). "
        "Correct it and send the message again."
    )


def test_errors_name_the_place_within_nested_records():
    people = [[1, "Ann", True, 0, []], [2, "Bo", True, 0, [0.18, 9.0]]]
    values = [1, "0", "demo", 0, None, 60.0, 1, 2, 3, people, 64, "robust"]
    with pytest.raises(ProtocolError, match=r"^Welcome\.people\.1\.lengths\.shoulder_up_m is 9.0,"):
        decode_from_server(b"\x20" + msgpack.packb(values))


@pytest.mark.parametrize("key", ["hunter2" * 30, "hunter2\n", "hunter2\ud800"[:-1] + "\u202e"])
def test_a_key_is_never_repeated_in_an_error(key: str):
    with pytest.raises(ProtocolError) as caught:
        decode_from_client(b"\x10" + msgpack.packb([1, "Ann", 0, key]))
    assert "hunter2" not in caught.value.text
    assert "Hello.key" in caught.value.text


def test_a_hello_does_not_show_its_key_or_token():
    hello = Hello(
        protocol_version=1, name="Ann", role=Role.PARTICIPANT, key="hunter2", token=b"t" * 16
    )
    assert "hunter2" not in repr(hello)
    assert "tttt" not in repr(hello)


def test_hostile_text_is_shown_short_and_printable():
    with pytest.raises(ProtocolError) as caught:
        decode_from_client(b"\x11" + msgpack.packb(["\x1b[2J\u202e" + "x" * 200]))
    assert caught.value.text.isascii()
    assert caught.value.text.isprintable()


@pytest.mark.parametrize("version", [0, 2, 65_535])
def test_another_version_is_refused_in_words_for_both_sides(version: int):
    with pytest.raises(ProtocolError, match=rf"version {version} is not 1.*Update the") as caught:
        require_version(version)
    assert caught.value.close_code is CloseCode.WRONG_VERSION
    assert len(caught.value.text.encode()) <= caps.CLOSE_REASON_BYTES


def test_a_readable_hello_of_another_version_is_left_to_the_server():
    hello = decode_from_client(
        b"\x10" + msgpack.packb([2, "Ann", 0, *[None] * 3, "", None, 9, 1, 2])
    )
    assert isinstance(hello, Hello)
    assert hello.protocol_version == 2


HEADERS = [b"\xdd\xff\xff\xff\xff", b"\xdb\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff"]
HEADERS += [b"\xdf\xff\xff\xff\xff", b"\xc9\xff\xff\xff\xff\x01", b"\xdc\xff\xff", b"\xdc\x00\x20"]


@pytest.mark.parametrize("header", HEADERS, ids=bytes.hex)
@pytest.mark.parametrize("repeat", [1, 150])
def test_headers_that_claim_much_allocate_little(header: bytes, repeat: int):
    payload = (b"\x10\x91" + header * repeat)[: caps.CLIENT_MESSAGE_BYTES]
    with pytest.raises(ProtocolError):
        decode_from_client(payload)  # once, so that nothing is counted that only happens once
    tracemalloc.start()
    try:
        with pytest.raises(ProtocolError):
            decode_from_client(payload)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak_bytes < 100_000


def test_a_thousand_hostile_messages_leave_the_process_as_small_as_it_was():
    program = f"""
import resource
from armspan.protocol import ProtocolError, decode_from_client, decode_from_server
def throw_at(decoder, payload):
    try:
        decoder(payload)
    except ProtocolError:
        return
    raise SystemExit(3)
headers = {HEADERS!r}
def volley():
    for header in headers:
        throw_at(decode_from_client, (b"\\x10\\x91" + header * 200)[:1024])
        throw_at(decode_from_server, (b"\\x20\\x91" + header * 40_000)[:262_144])
volley()
before_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for _ in range(50):
    volley()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before_kib)
"""
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert int(ended.stdout) < 4096


def test_the_largest_messages_fit_the_caps():
    longest = Person(
        id=65_535,
        name="n" * caps.NAME_BYTES,
        connected=True,
        lengths_version=65_535,
        lengths=Lengths(),
    )
    hello = Hello(
        protocol_version=65_535,
        name="n" * caps.NAME_BYTES,
        role=Role.SPECTATOR,
        key="k" * caps.KEY_BYTES,
        token=bytes(caps.TOKEN_BYTES),
        lengths=Lengths(),
        client="c" * caps.CLIENT_BYTES,
    )
    welcome = Welcome(
        protocol_version=65_535,
        server_version="v" * caps.SERVER_VERSION_BYTES,
        session="s" * caps.SESSION_BYTES,
        your_id=65_535,
        token=bytes(caps.TOKEN_BYTES),
        tick_rate_hz=60.5,
        tick=2**32 - 1,
        session_time_us=caps.TIME_US_MAX,
        event_sequence=2**32 - 1,
        people=(longest,) * caps.PEOPLE_PER_SESSION,
        max_people=65_535,
        method="m" * caps.METHOD_BYTES,
    )
    assert len(encode(hello)) < caps.CLIENT_MESSAGE_BYTES / 2
    assert decode_from_client(encode(hello)) == hello
    assert len(encode(welcome)) < caps.SERVER_MESSAGE_BYTES
    assert decode_from_server(encode(welcome)) == welcome


def test_one_person_beyond_the_cap_is_refused():
    person = [1, "Ann", True, 0, []]
    values = [1, "0", "demo", 0, None, 60.0, 1, 2, 3, [person] * 1025, 64, "robust"]
    with pytest.raises(ProtocolError):
        decode_from_server(b"\x20" + msgpack.packb(values))


def test_a_close_reason_fits_its_frame_and_ends_between_characters():
    assert close_reason("short") == "short"
    clipped = close_reason("é" * 100)
    assert clipped == "é" * 61
    assert len(clipped.encode()) == 122


def test_messages_do_not_change():
    with pytest.raises(ValueError, match="frozen"):
        Leave().message = 1  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="frozen"):
        Lengths().palm_m = 0.1  # type: ignore[misc]
