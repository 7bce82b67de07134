"""The plan for the outbox: everybody is told, and nobody is told what is not for them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.services.outbox_plan import ReplyTo, plan_outbox
from bot.storage.row_records import AwaitedParty, NewOutboxRow
from rules.table.actions import Actor, ChangePerson
from rules.table.blocks import Roll
from rules.table.check import Check, Visibility
from rules.table.events import (
    Audience,
    BoardChanged,
    CheckChanged,
    Event,
    Notice,
    Undone,
)
from rules.table.permissions import is_gm
from rules.table.state import Settings, TableState
from tests.sample_table import (
    ANN,
    BEN,
    GM,
    GM_PLACE,
    PLACE,
    Session,
    answer,
    by,
    newest,
    propose,
    roll,
)

#: Where the checks live; actions may be said elsewhere.
HOME = "222"
SETTINGS = Settings("Marshes", "ebb", ("p1",), gm_roles=("77",))
ROLED = Actor("p4", roles=("77",))

people = st.sampled_from(("p1", "p2", "p3", "p9"))
audiences = st.one_of(
    st.just(Audience(everyone=True)),
    st.builds(Audience, gms=st.booleans(), people=st.lists(people, unique=True).map(tuple)),
)
events = st.lists(
    st.one_of(
        st.builds(
            CheckChanged,
            audience=audiences,
            ping=st.lists(people, max_size=2).map(tuple),
            quiet=st.booleans(),
            check=st.sampled_from(("c1", "c2", "c3")),
            kind=st.just("check"),
            place=st.just(HOME),
            step=st.sampled_from(("begun", "chosen", "reminded", "over")),
            by=people,
        ),
        st.builds(Notice, st.just("settings-changed"), audience=audiences, quiet=st.booleans()),
        st.builds(Undone, audience=audiences, entries=st.just((3,)), by=people),
    ),
    max_size=5,
).map(tuple)
settings = st.sampled_from((None, GM_PLACE)).map(lambda place: SETTINGS.replace(gm_place=place))
actors = st.sampled_from((GM, ANN, BEN, ROLED))
replies = st.sampled_from((None, ReplyTo(True, "token"), ReplyTo(False, "token")))


def state_of(settings: Settings) -> TableState:
    checks = {name: Check(name, "check", HOME, "p2", "proposed", 0, None) for name in ("c1", "c2")}
    return TableState(settings, checks=checks)


def may_see(event: Event, actor: Actor, state: TableState) -> bool:
    audience = event.audience
    return (
        audience.everyone or actor.id in audience.people or (audience.gms and is_gm(state, actor))
    )


def widened_event(out: NewOutboxRow, event: Event, actor: Actor, state: TableState) -> str | None:
    """How this row would show the event to somebody it is not for."""
    audience = event.audience
    if out.public:
        return None if audience.everyone else "public"
    if out.kind in ("card", "call"):
        return "everybody sees cards and calls"
    if out.kind == "reply":
        return None if out.person == actor.id and may_see(event, actor, state) else "answer"
    if out.kind == "post":
        return None if out.place == state.settings.gm_place and audience.gms else "posted"
    if out.kind == "stub":
        fits = audience.gms if out.person is None else out.person in audience.people
        return None if fits and not audience.everyone else "stub"
    return None  # a mark shows nothing: it changes what was shown already


@given(events, settings, actors, replies)
def test_no_audience_is_ever_widened(
    events: tuple[Event, ...], settings: Settings, actor: Actor, reply: ReplyTo | None
) -> None:
    state = state_of(settings)
    outs = plan_outbox(state, state, events, ChangePerson(**by(actor), plain=True), reply)
    for out in outs:
        for index in out.events:
            assert widened_event(out, events[index], actor, state) is None
    assert all(out.public for out in outs if out.kind == "post" and out.place != settings.gm_place)
    assert [out.kind for out in outs].count("reply") == (reply is not None)
    assert all(out.token is None for out in outs if out.kind != "reply")


@given(events, settings, actors, replies)
def test_everybody_meant_is_told(
    events: tuple[Event, ...], settings: Settings, actor: Actor, reply: ReplyTo | None
) -> None:
    """Each event reaches each of its audience; what is quiet may wait until it is looked up."""
    state = state_of(settings)
    outs = plan_outbox(state, state, events, ChangePerson(**by(actor), plain=True), reply)
    for index, event in enumerate(events):
        rows = [out for out in outs if index in out.events and out.kind != "mark"]
        if event.audience.everyone:
            calls = [out for out in rows if out.kind == "call"]
            assert len(calls) == (isinstance(event, CheckChanged) and bool(event.ping))
            shown = [out for out in rows if out.public and out.kind != "call"]
            assert len(shown) == len({out.place for out in shown}) >= 1
            continue
        assert [out for out in rows if out.kind == "stub" and out.person == actor.id] == []
        if event.quiet:
            assert [out.kind for out in rows if out.kind not in ("reply", "post")] == []
            continue
        # No channel shows that a private check still waits.
        reminds = isinstance(event, CheckChanged) and event.step in ("reminded", "stalled")
        hidden = "nudge" if reminds else "stub"
        for person in event.audience.people:
            if person != actor.id:
                assert [out.kind for out in rows if out.person == person] == [hidden]
        if event.audience.gms and not is_gm(state, actor):
            wanted = "post" if settings.gm_place else hidden
            assert [out.kind for out in rows if out.person is None] == [wanted]


@given(events, settings, actors)
def test_a_private_answer_shows_each_thing_once_and_as_fully_as_allowed(
    events: tuple[Event, ...], settings: Settings, actor: Actor
) -> None:
    state = state_of(settings)
    outs = plan_outbox(state, state, events, ChangePerson(**by(actor), plain=True), ReplyTo(False))
    (reply,) = [out for out in outs if out.kind == "reply"]
    shown = [events[index] for index in reply.events]
    topics = [event.check for event in shown if isinstance(event, CheckChanged)]
    assert len(topics) == len(set(topics))
    for event in events:
        if isinstance(event, CheckChanged) and may_see(event, actor, state):
            assert event.check in topics
            if event.audience.gms and is_gm(state, actor):
                (card,) = [
                    e for e in shown if isinstance(e, CheckChanged) and e.check == event.check
                ]
                assert card.audience.gms
        elif not isinstance(event, CheckChanged):
            assert (event in shown) == may_see(event, actor, state)


def test_a_quiet_event_needs_no_message_where_the_gms_have_no_place() -> None:
    quiet = Notice("plain-text", {"plain": True}, audience=Audience(gms=True), quiet=True)
    state = state_of(SETTINGS)
    action = ChangePerson(**by(ANN), plain=True)
    assert plan_outbox(state, state, (quiet,), action, None) == ()
    (stub,) = plan_outbox(state, state, (quiet.replace(quiet=False),), action, None)
    assert (stub.kind, stub.place, stub.public, stub.person) == ("stub", PLACE, False, None)


def test_a_call_to_a_turn_has_the_number_of_the_turn_wherever_it_goes() -> None:
    call = BoardChanged(step="turn", place=HOME, by="p1", turn=7, ping=("p2",))
    hidden = call.replace(audience=Audience(gms=True))
    for gm_place, kind in ((GM_PLACE, "post"), (None, "stub")):
        state = state_of(SETTINGS.replace(gm_place=gm_place))
        outs = plan_outbox(state, state, (call, hidden), ChangePerson(**by(ANN), plain=True), None)
        calls = [(out.kind, out.topic, out.turn) for out in outs]
        assert sorted(calls) == [("call", f"turn:{HOME}", 7), (kind, f"turn:{HOME}", 7)]


# --- through `perform` ----------------------------------------------------------------------------


async def test_a_hidden_roll_reaches_the_players_without_its_number(session: Session) -> None:
    check = await session.answered(hidden=True, difficulty="9137")
    done = await session.do(roll(check), reply=ReplyTo(True, "token"))
    public = [out for out in done.outs if out.public]
    assert [(out.kind, out.events) for out in public] == [("reply", (0,)), ("card", (0,))]
    assert [(out.kind, out.place) for out in done.outs if 1 in out.events] == [("post", GM_PLACE)]
    assert "9137" not in str(done.events[0])
    assert "9137" in str(done.events[1])


@pytest.mark.parametrize("visibility", ["private", "blind"])
async def test_what_is_not_public_is_public_nowhere(
    session: Session, visibility: Visibility
) -> None:
    proposed = await session.do(propose(visibility=visibility), reply=ReplyTo(False, "token"))
    answered = await session.do(answer(newest(proposed.state)), reply=ReplyTo(False, "token"))
    rolled = await session.do(roll(newest(answered.state)), reply=ReplyTo(False, "token"))
    for done in (proposed, answered, rolled):
        assert not any(out.public for out in done.outs)
        assert not any(event.audience.everyone for event in done.events)
    reply = rolled.reply
    assert reply is not None
    (shown,) = [rolled.events[index] for index in reply.events]
    assert isinstance(shown, CheckChanged)
    assert any(isinstance(block, Roll) for block in shown.blocks) == (visibility == "private")
    stub = next(out for out in answered.outs if out.kind == "stub")
    assert (stub.person, stub.place) == ("p2", PLACE)


async def test_the_message_and_the_call_of_a_check_say_whom_they_await(session: Session) -> None:
    proposed = await session.do(propose(), reply=ReplyTo(True, "token"))
    of_gms = (AwaitedParty(None, (("rule", 1),), "first"),)
    assert {out.kind: out.parties for out in proposed.outs} == {"reply": of_gms, "call": of_gms}
    answered = await session.do(answer(newest(proposed.state)), reply=ReplyTo(False, "token"))
    parties = {out.kind: out.parties for out in answered.outs}
    assert parties["card"] == parties["call"]
    assert [(party.person, party.call) for party in parties["card"]] == [("p2", "first")]
    assert parties["reply"] == parties["mark"] == ()


async def test_a_gm_answers_elsewhere_and_the_players_read_it_where_they_asked(
    session: Session,
) -> None:
    check = await session.proposed()
    done = await session.do(
        answer(check, hidden=True, difficulty="9").replace(place=GM_PLACE),
        reply=ReplyTo(False, "token"),
    )
    assert [(out.kind, out.place, out.public) for out in done.outs if out.kind != "mark"] == [
        ("reply", GM_PLACE, False),
        ("card", PLACE, True),
        ("call", PLACE, True),
    ]
    assert done.reply is not None
    assert done.reply.events == (1,)
