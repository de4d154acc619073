"""Owns every cap of the protocol: what may be sent, and how much of it.

Nothing else in the project states these numbers; the TypeScript client gets them by generation.
Names carry their unit. A server may set a lower limit (fewer people, a slower bucket), never a
higher one than the `*_PER_SESSION` and `*_BYTES` caps, because receivers size buffers by them.
"""

from typing import Final, NamedTuple

PROTOCOL_VERSION: Final = 1
PROTOCOL_REVISION: Final = 1  # counts what was added within the version, beginning at 0

# Sizes of whole WebSocket messages, checked before anything is unpacked.
CLIENT_MESSAGE_BYTES: Final = 8192  # a signal of SIGNAL_BYTES, and room for new fields
SERVER_MESSAGE_BYTES: Final = 262_144  # a welcome with 1,024 people of the longest names fits
CLOSE_REASON_BYTES: Final = 123  # RFC 6455 section 5.5: 125 less the two of the code

# What a msgpack body may hold, whatever the message: bounds what a hostile header can allocate.
CLIENT_ARRAY_ITEMS: Final = 32
SERVER_ARRAY_ITEMS: Final = 1024
BODY_TEXT_BYTES: Final = 256  # except in messages that declare a longer text
BODY_BLOB_BYTES: Final = 256
BODY_DEPTH: Final = 4  # arrays within arrays: welcome > people > person > lengths

# Texts, in UTF-8 bytes.
NAME_BYTES: Final = 64
KEY_BYTES: Final = 128
CLIENT_BYTES: Final = 64
SESSION_BYTES: Final = 64
REASON_BYTES: Final = 128
ERROR_TEXT_BYTES: Final = 256
SERVER_VERSION_BYTES: Final = 64
METHOD_BYTES: Final = 32

# How a person looks and speaks.
AVATAR_BYTES: Final = 80
AVATAR_PATTERN: Final = "([a-z][a-z0-9-]{0,31}|vrm:[0-9a-f]{64})?"
COLOUR_MAX: Final = 0xFFFFFF
VOICE_PEOPLE: Final = 6  # with voice at once: each speaks to each other one directly
SIGNAL_BYTES: Final = 4096
ICE_SERVERS: Final = 8
ICE_URLS: Final = 8
ICE_URL_BYTES: Final = 256
ICE_USERNAME_BYTES: Final = 128
ICE_CREDENTIAL_BYTES: Final = 128

TOKEN_BYTES: Final = 16
SESSION_NAME_PATTERN: Final = "[A-Za-z0-9][A-Za-z0-9_-]{0,63}"

# Code points refused in every text, inclusive: control characters, line and paragraph
# separators, invisible ones, and those that turn the direction of the text around them.
# The zero width joiner is not among them: emoji are spelt with it. The tags that spell the flags
# of regions are: they can hide whole sentences.
FORBIDDEN_CODE_POINTS: Final = (
    (0x0000, 0x001F),
    (0x007F, 0x009F),
    (0x00AD, 0x00AD),
    (0x061C, 0x061C),
    (0x180E, 0x180E),
    (0x200B, 0x200B),
    (0x200E, 0x200F),
    (0x2028, 0x202E),
    (0x2060, 0x2060),
    (0x2066, 0x2069),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0xE0000, 0xE007F),
)

# Code points that Unicode calls letters or symbols, but that show nothing. A name needs one
# character at least that is none of these and no space, mark, control or format character.
BLANK_CODE_POINTS: Final = (0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0, 0x1D159)

# People.
PEOPLE_PER_SESSION: Final = 1024
SPECTATORS_PER_SESSION: Final = 1024
PERSON_ID_MAX: Final = 65_535  # 0 is nobody: a spectator's `your_id`

# Numbers.
TIME_US_MAX: Final = 2**53 - 1  # exact in a JavaScript number
COORDINATE_M: Final = 100.0  # tracked positions and the chest, either side of the origin
UNIT_QUATERNION_TOLERANCE: Final = 0.01  # of the norm; the server normalises
DISCONTINUITY_MAX: Final = 15
SAMPLE_AGE_UNIT_US: Final = 250
SECTION_BODY_BYTES: Final = 65_535  # what the length of a snapshot's section can say

# Defaults that a polite client may count on; an operator can change them on a server.
MESSAGES_PER_S: Final = 200.0  # the bucket's refill, a peer
MESSAGES_BURST: Final = 400.0
CHANGES_PER_S: Final = 10.0  # of name, lengths, look and voice: each is an event to everyone
CHANGES_BURST: Final = 30.0
SIGNALS_PER_S: Final = 20.0
SIGNALS_BURST: Final = 120.0  # an offer and candidates to five people at once, twice
HANDS_PER_S: Final = 15.0  # how often hands travel, either way
HANDS_FRESH_S: Final = 1.0  # hands that were not heard for this long are told no more
HANDSHAKE_S: Final = 5.0  # from the open socket to a whole hello
GRACE_S: Final = 30.0  # a lost participant's avatar waits this long for its token
SILENCE_S: Final = 20.0  # nothing received for this long, pings unanswered: closed


class LengthCap(NamedTuple):
    """One length of a person's skeleton: its name, its default and the bounds, metres."""

    name: str
    default_m: float
    low_m: float
    high_m: float


# The order is the wire's and that of every array of 11. The bounds take in a small child and the
# tallest people measured; a palm at the upper ones still decodes to within a millimetre.
LENGTHS: Final = (
    LengthCap("shoulder_lateral_m", 0.18, 0.05, 0.35),
    LengthCap("shoulder_up_m", 0.05, -0.10, 0.20),
    LengthCap("upper_arm_m", 0.30, 0.10, 0.50),
    LengthCap("forearm_m", 0.26, 0.08, 0.45),
    LengthCap("palm_m", 0.08, 0.02, 0.16),
    LengthCap("hand_length_m", 0.19, 0.07, 0.32),
    LengthCap("eyes_up_m", 0.07, 0.00, 0.20),
    LengthCap("eyes_forward_m", 0.09, 0.00, 0.25),
    LengthCap("neck_m", 0.12, 0.02, 0.30),
    LengthCap("sternum_down_m", 0.065, -0.05, 0.30),
    LengthCap("eye_height_m", 1.62, 0.40, 2.60),
)
LENGTH_NAMES: Final = tuple(length.name for length in LENGTHS)


class FingerJoint(NamedTuple):
    """One joint of a hand: its name and the angles that its code spans, degrees."""

    name: str
    low_deg: float
    high_deg: float


def _finger(name: str) -> tuple[FingerJoint, ...]:
    return (
        FingerJoint(f"{name}_mcp_flexion", -45.0, 105.0),
        FingerJoint(f"{name}_mcp_spread", -35.0, 35.0),
        FingerJoint(f"{name}_pip_flexion", -15.0, 130.0),
        FingerJoint(f"{name}_dip_flexion", -15.0, 100.0),
    )


# Joints of one hand, in the order of the wire and of every array of 20 (of 40: left, then right).
FINGER_JOINTS: Final = (
    FingerJoint("thumb_cmc_flexion", -30.0, 60.0),
    FingerJoint("thumb_cmc_abduction", -30.0, 60.0),
    FingerJoint("thumb_mcp_flexion", -30.0, 90.0),
    FingerJoint("thumb_ip_flexion", -30.0, 100.0),
    *_finger("index"),
    *_finger("middle"),
    *_finger("ring"),
    *_finger("little"),
)
