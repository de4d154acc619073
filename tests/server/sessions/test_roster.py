"""Ids, rows and tokens of the people in a session."""

from armspan.protocol import Lengths, caps
from armspan.server.sessions.roster import Roster, random_token
from hypothesis import given
from hypothesis import strategies as st


def test_ids_are_not_reused_soon_and_rows_are_at_once():
    roster = Roster()
    first, second = roster.add("A", Lengths()), roster.add("B", Lengths())
    assert (first.id, second.id) == (1, 2)
    roster.remove(first)
    third = roster.add("C", Lengths())
    assert third.id == 3
    assert third.row == first.row
    assert first not in roster
    assert third in roster


def test_ids_wrap_around_and_pass_by_those_in_use():
    roster = Roster()
    kept = roster.add("kept", Lengths())
    for _ in range(caps.PERSON_ID_MAX - 1):
        roster.remove(roster.add("guest", Lengths()))
    assert roster.add("next", Lengths()).id == kept.id + 1


@given(st.lists(st.booleans(), max_size=200))
def test_no_two_people_share_an_id_a_row_or_a_token(comes: list[bool]):
    roster, here = Roster(), []
    for come in comes:
        if come or not here:
            here.append(roster.add("x", Lengths()))
        else:
            roster.remove(here.pop(len(here) // 2))
        for attribute in ("id", "row", "token"):
            assert len({getattr(avatar, attribute) for avatar in roster}) == len(here)
        assert all(avatar.row < len(comes) for avatar in roster)


def test_a_token_finds_its_own_avatar_and_nothing_else():
    roster = Roster()
    avatars = [roster.add("x", Lengths()) for _ in range(5)]
    for avatar in avatars:
        assert len(avatar.token) == caps.TOKEN_BYTES
        assert roster.with_token(avatar.token) is avatar
    for wrong in (None, b"", random_token(), avatars[0].token[:-1]):
        assert roster.with_token(wrong) is None
    roster.remove(avatars[2])
    assert roster.with_token(avatars[2].token) is None
