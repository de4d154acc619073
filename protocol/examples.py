"""Owns the worked examples of `README.md`: messages and frames as bytes in hexadecimal."""

from armspan.protocol import caps, layout
from armspan.protocol.client_messages import ChangeLook, ClockPing, Hello
from armspan.protocol.codec import encode
from armspan.protocol.events import Joined, LookChanged
from armspan.protocol.frames import AvatarState, Snapshot, encode_snapshot
from armspan.protocol.hands import HandsFrame, HandsState, encode_hands, encode_sections
from armspan.protocol.lengths import Lengths
from armspan.protocol.records import Look, Person, Role
from armspan.protocol.server_messages import ClockPong, Welcome


def handshake() -> str:
    """A session's first messages, as bytes."""
    ann = Person(id=1, name="Ann", connected=True, lengths_version=0, lengths=Lengths())
    bo = Person(id=2, name="Bo", connected=True, lengths_version=0, lengths=Lengths())
    welcome = Welcome(
        protocol_version=caps.PROTOCOL_VERSION,
        server_version="0.1.0",
        session="demo",
        your_id=1,
        token=bytes(range(caps.TOKEN_BYTES)),
        tick_rate_hz=60.0,
        tick=0,
        session_time_us=0,
        event_sequence=1,
        people=(ann,),
        max_people=64,
        method="robust",
        revision=caps.PROTOCOL_REVISION,
    )
    hello = Hello(
        protocol_version=1,
        name="Ann",
        role=Role.PARTICIPANT,
        client="example 1",
        revision=caps.PROTOCOL_REVISION,
    )
    pong = ClockPong(client_time_us=1_000_000, received_us=20_000, sent_us=20_050)
    turns = (
        ("client", hello),
        ("server", welcome),
        ("client", ClockPing(client_time_us=1_000_000)),
        ("server", pong),
        ("server", Joined(sequence=2, person=bo)),
        ("client", ChangeLook(look=Look(avatar="", colour=0x2F6FB0))),
        ("server", LookChanged(sequence=3, id=1, look=Look(avatar="", colour=0x2F6FB0))),
    )
    lines = [f"{sender}  {type(m).__name__}\n{_hex(encode(m))}\n" for sender, m in turns]
    return "```text\n" + "\n".join(lines) + "```\n"


def snapshot_example() -> str:
    """A snapshot of one avatar."""
    avatar = AvatarState(
        id=1,
        chest_position_m=(1.0, 1.25, -2.0),
        chest_rotation=(0.0, 0.6, 0.0, 0.8),
        head_rotation=(0.0, -0.8, 0.0, -0.6),
        joint_angles_rad=(0.25, *(0.5,) * 7, *(-0.5,) * 7),
        sample_age_us=8_000,
        provenance=(2, 2, 1),
        discontinuity=3,
    )
    return f"```text\n{_hex(encode_snapshot(Snapshot(100, 1_666_667, (avatar,))))}\n```\n"


def hands_example() -> str:
    """A hands frame."""
    frame = HandsFrame(
        flags=layout.HandsFlag.RIGHT_FINGERS | layout.HandsFlag.RIGHT_POINT,
        right_fingers_rad=(0.0,) * len(layout.FINGERS),
        right_point=(1.0, 0.5, -2.0),
    )
    return f"```text\n{_hex(encode_hands(frame))}\n```\n"


def section_example() -> str:
    """A section that tells one person's hands."""
    told = HandsState(id=1, flags=layout.HandsFlag.RIGHT_POINT, right_point=(1.0, 0.5, -2.0))
    return f"```text\n{_hex(encode_sections((told,)))}\n```\n"


def _hex(payload: bytes) -> str:
    """Rows of 32 bytes."""
    rows = (payload[at : at + 32] for at in range(0, len(payload), 32))
    return "\n".join("    " + row.hex(" ") for row in rows)
