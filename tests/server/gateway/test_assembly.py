"""Frames become messages, up to the cap and no further."""

import pytest
from armspan.protocol import CloseCode, ProtocolError, caps
from armspan.server.gateway.assembly import Assembly, Opcode
from hypothesis import given
from hypothesis import strategies as st


def add(assembly: Assembly, opcode: int, last: bool, payload: bytes):
    return assembly.add(opcode, last, memoryview(payload))


@given(st.lists(st.binary(max_size=200), min_size=1, max_size=5))
def test_fragments_become_the_message_they_were_cut_from(parts: list[bytes]):
    assembly = Assembly()
    for round_ in range(2):
        opcode = Opcode.BINARY
        for n, part in enumerate(parts):
            whole = add(assembly, opcode, n == len(parts) - 1, part)
            opcode = Opcode.CONTINUATION
            assert (whole is None) == (n < len(parts) - 1), round_
        assert whole == b"".join(parts)


def test_a_message_in_one_frame_is_not_copied():
    payload = memoryview(b"abc")
    assert Assembly().add(Opcode.BINARY, True, payload) is payload


@pytest.mark.parametrize(
    ("frames", "code"),
    [
        ([(Opcode.TEXT, True)], CloseCode.MALFORMED),
        ([(Opcode.CONTINUATION, True)], CloseCode.MALFORMED),
        ([(Opcode.BINARY, False), (Opcode.BINARY, True)], CloseCode.MALFORMED),
        ([(Opcode.BINARY, False), (Opcode.TEXT, True)], CloseCode.MALFORMED),
    ],
)
def test_frames_out_of_turn_are_refused(frames: list[tuple[int, bool]], code: CloseCode):
    assembly = Assembly()
    *before, (opcode, last) = frames
    for earlier in before:
        add(assembly, *earlier, b"x")
    with pytest.raises(ProtocolError) as refused:
        add(assembly, opcode, last, b"x")
    assert refused.value.close_code is code


def test_fragments_beyond_the_cap_are_refused_before_they_are_kept():
    assembly = Assembly()
    piece = bytes(caps.CLIENT_MESSAGE_BYTES // 2)
    assert add(assembly, Opcode.BINARY, False, piece) is None
    assert add(assembly, Opcode.CONTINUATION, False, piece) is None
    with pytest.raises(ProtocolError) as refused:
        add(assembly, Opcode.CONTINUATION, True, b"x")
    assert refused.value.close_code is CloseCode.TOO_LARGE
