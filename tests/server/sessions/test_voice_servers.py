"""What people are told of STUN and TURN: credentials as coturn reckons them, and no secret."""

from armspan.protocol import IceServer, VoiceServers, encode
from armspan.server.sessions.voice_servers import VoiceHelp, turn_credential

SECRET = "a secret that two servers share"
TURN = ("turn:voice.example:3478?transport=udp", "turns:voice.example:5349")


def help_with(**more: object) -> VoiceHelp:
    return VoiceHelp(**{"now_s": lambda: 1_800_000_000.9, **more})  # type: ignore[arg-type]


def test_without_servers_there_is_nothing_to_tell():
    assert help_with().for_person(7) == VoiceServers(servers=(), expires_s=0)


def test_stun_needs_no_credentials():
    told = help_with(stun_urls=("stun:voice.example",)).for_person(7)
    server = IceServer(urls=("stun:voice.example",), username="", credential="")
    assert told == VoiceServers(servers=(server,), expires_s=0)


def test_turn_gets_a_name_that_expires_and_its_hmac():
    told = help_with(turn_urls=TURN, turn_secret=SECRET, turn_ttl_s=3600).for_person(7)
    (server,) = told.servers
    assert (server.urls, server.username, told.expires_s) == (TURN, "1800003600:7", 3600)
    # printf '1800003600:7' | openssl dgst -sha1 -hmac SECRET -binary | base64
    assert server.credential == "9IfUxeQ9tEL8MkTJmI6TEU1PeYw="


def test_everyone_has_credentials_of_their_own_that_last_from_now():
    now_s = 1_800_000_000.0
    voice_help = VoiceHelp(turn_urls=TURN, turn_secret=SECRET, turn_ttl_s=60, now_s=lambda: now_s)
    first, other = voice_help.for_person(1), voice_help.for_person(2)
    now_s += 30
    later = voice_help.for_person(1)
    assert len({told.servers[0].credential for told in (first, other, later)}) == 3
    assert later.servers[0].username == "1800000090:1"


def test_the_secret_is_neither_told_nor_shown():
    voice_help = help_with(turn_urls=TURN, turn_secret=SECRET)
    told = voice_help.for_person(1)
    assert SECRET not in repr(voice_help)
    assert SECRET.encode() not in encode(told)
    assert told.servers[0].credential not in repr(told)
    assert turn_credential(SECRET, "x") != turn_credential(SECRET + "!", "x")
