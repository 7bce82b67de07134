"""The cards of checks: what they say at each step, to whom, and what they never say."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.presenters.checks import call_card, move_lists, react_panel
from bot.presenters.checks.lists import MoveLine
from bot.presenters.controls import Button, try_button
from bot.presenters.events import missed_cards, stub_card
from bot.presenters.language.text import user_text
from bot.presenters.layout import Head, Layout, plain_text
from rules.core.rng import Die
from rules.table.actions import Due
from rules.table.blocks import (
    FOR_EVERYONE,
    Block,
    Change,
    Fact,
    Group,
    Note,
    Quote,
    Ref,
    Roll,
    Term,
    Text,
    Verdict,
)
from rules.table.check import PASS
from rules.table.checks.audience_views import check_view
from rules.table.checks.available_moves import check_moves
from rules.table.checks.prompt_times import pending_waits
from rules.table.events import EVERYONE, GMS, Audience, CheckChanged, PromptView, StepKind
from rules.table.state import SYSTEM, TableState
from tests.example_counts import examples
from tests.presenters.discord_limits import check
from tests.presenters.scenes import (
    ANA,
    BO,
    BY,
    CANARY,
    GM,
    IDEA,
    Actor,
    answer,
    answered_check,
    body,
    call_of,
    card_of,
    choose,
    controls,
    do,
    everything,
    ids,
    labels,
    newest,
    propose,
    roll,
    scene,
    small,
    table,
    title,
)
from tests.sample_table import open_game

DEADLINE = f"<t:{1_000_000 + 86_400}:R>"
WITH = "Climbing d6 (professional) and Fitness 2"
LEAD = f"Pilgrim: {WITH}\n> {IDEA}\n"


def test_proposed() -> None:
    _, (event,) = propose(table(), difficulty="Difficult", dilemma=2)
    card = card_of(event)
    check(card)
    assert (title(card), card.accent, card.call) == ("Waiting for the GM", "waiting", "")
    assert body(card) == (
        f"{LEAD}"
        "**Suggested difficulty:** Difficult (13)\n"
        "**Asks for:** removes 2 major dilemmas (2 levels easier)"
    )
    assert small(card) == "Check c1 · #14"
    assert (labels(card), ids(card)) == (["Edit", "React"], ["sg:chq:7:c1.1:own", "sg:chk:7:c1"])
    call = call_of(event)
    check(call)
    assert call.call == f"<@11>, your call on Pilgrim: “{IDEA}”"
    assert (call.mentions, call.role_mentions) == ((11,), ())
    assert (labels(call), ids(call)) == (["Answer"], ["sg:chq:7:c1.1:rule"])


def test_asked_back() -> None:
    _, (event,) = choose(propose(table())[0], "rule", "ask", GM, question="With which *hand*?")
    card = card_of(event)
    assert title(card) == "The GM asks Pilgrim"
    assert r"“With which \*hand\*?”" in body(card)
    assert labels(card) == ["Reply", "Withdraw"]
    call = call_of(event)
    asked = r"<@22>, the GM asks Pilgrim: “With which \*hand\*?”"
    assert (call.call, labels(call)) == (asked, ["Reply"])


def test_answered_hidden() -> None:
    _, (public, secret) = answer(
        propose(table())[0], difficulty=str(CANARY), hidden=True, note="It is wet."
    )
    card = card_of(public)
    assert (title(card), card.accent) == (
        "Pilgrim, roll d10 + d6 against a hidden difficulty",
        "open",
    )
    assert body(card) == (f"{WITH}\n> {IDEA}\n> **The GM's note:** It is wet.")
    assert labels(card) == ["Roll d10 + d6", "React"]
    first = controls(card)[0]
    assert isinstance(first, Button) and first.style == "primary"
    call = call_of(public)
    assert (call.call, call.mentions, ids(call)) == (
        "<@22>, Pilgrim, roll d10 + d6 against a hidden difficulty",
        (22,),
        ["sg:chq:7:c1.2:ready"],
    )
    for_gms = card_of(secret)
    assert title(for_gms) == f"Pilgrim, roll d10 + d6 against {CANARY}"
    assert (for_gms.accent, for_gms.call) == ("gm", "")
    assert "Only GMs see this" in small(for_gms)
    assert labels(for_gms) == ["React"], "the roll is the player's"


@pytest.mark.rule("EBB-ROLL")
def test_rolled_against_a_hidden_difficulty_tells_the_bare_verdict() -> None:
    _, (public, secret) = roll(
        answered_check(table(), difficulty="Near Impossible", hidden=True), 10, 3, 2
    )
    card = card_of(public)
    assert (title(card), card.accent) == (
        "✗ Failure so far: 17 against a hidden difficulty",
        "open",
    )
    assert body(card) == (f"{LEAD}2d10 (10, 3) + d6 (2) + Fitness 2 = **17**")
    assert small(card) == "Ana decides. Final <t:1003600:R>. · check c1 · #14", "within the hour"
    assert title(card_of(secret)) == "✗ Near miss so far: 17 against 19"


def test_rolled_with_the_degree_but_without_the_total() -> None:
    state = answered_check(table(reveal="degree"), difficulty="Difficult", hidden=True)
    card = card_of(roll(state, 10, 7, 4)[1][0])
    assert title(card) == "✓ Success so far, 3 extra results"
    assert body(card) == f"{LEAD}d6 (4)\n**Difficulty:** hidden"
    assert "23" not in everything(card)


def test_success() -> None:
    _, (event,) = roll(answered_check(table()), 10, 7, 4)
    card = card_of(event)
    assert title(card) == "✓ Success so far, 3 extra results: 23 against 13"
    assert body(card) == (f"{LEAD}2d10 (10, 7) + d6 (4) + Fitness 2 = **23**")
    assert card.accent == "open", "no color of a result before it is final"
    assert (card.call, labels(card), ids(card)) == (
        "",
        ["React", "Accept result"],
        ["sg:chk:7:c1", "sg:cha:7:c1.3:react"],
    )
    assert not event.ping and not event.ping_gms


def test_near_miss_open() -> None:
    card = card_of(roll(answered_check(table()), 5, 5)[1][0])
    assert title(card) == "✗ Near miss so far: 12 against 13"
    assert body(card) == (
        f"{LEAD}d10 (5) + d6 (5) + Fitness 2 = **12**\n"
        "It has some effect. Another character can try the same way; "
        "this one needs another approach."
    )


def test_fumble() -> None:
    state, (public,) = roll(answered_check(table()), 1, 1)
    assert title(card_of(public)) == "✗ Fumble so far: every die shows 1"
    assert body(card_of(public)).endswith(
        "**Difficulty:** 13 (Difficult)\nThe GM adds a complication."
    )
    price = "tell in the story which opportunity or resource is lost"
    assert price in everything(panel(state, GM, gm=True)), "the GMs read it when they open it"
    assert price not in everything(panel(state, ANA))
    _, (public, secret) = roll(answered_check(table(gm_place="300")), 1, 1)
    assert price in body(card_of(secret)), "and in their channel"
    assert price not in everything(card_of(public))


def test_rolled_again_and_final() -> None:
    state, (event,) = choose(roll(answered_check(table()), 5, 4)[0], "react", "reroll", faces=[6])
    card = card_of(event)
    assert title(card) == "✓ Success so far: 13 against 13"
    assert "d10 (5) + d6 (4→6) + Fitness 2 = **13**\n" in body(card)
    assert body(card).endswith("1 Fate point spent: d6 re-rolled, shows 6; 2 Fate points left.")
    _, (event,) = choose(state, "react", PASS)
    over = card_of(event)
    assert (title(over), over.accent) == ("✓ Success, 13 against 13", "good")
    assert body(over) == body(card)
    until = f"Final. Step in until {DEADLINE.replace(':R>', ':f>')} · check c1 · #14"
    assert (small(over), labels(over)) == (until, ["Step in"])


def test_undone() -> None:
    _, (event,) = roll(answered_check(table()), 10, 7, 4)
    card = card_of(event, undone_by=15)
    assert title(card) == "Undone (#15): ✓ Success so far, 3 extra results: 23 against 13"
    assert body(card) == body(card_of(event)), "what was done is still there to read"
    assert (card.accent, labels(card), small(card)) == ("waiting", [], "Check c1 · #14")


def test_sacrifice_margin_only_free_cannot_and_withdrawn() -> None:
    card = card_of(choose(answered_check(table()), "ready", "luck:Fitness")[1][0])
    assert title(card) == "✓ Success, only just: 1 Fitness sacrificed"
    assert "1 Fitness sacrificed, counts as 1 until restored." in body(card)
    assert "**Difficulty:** 13 (Difficult)" in body(card)
    proposed = propose(table())[0]
    state, (event,) = answer(proposed, "margin-only", difficulty="Tricky")
    assert (
        title(card_of(event)),
        "It succeeds; roll to see how well." in body(card_of(event)),
    ) == (
        "Pilgrim, roll d10 + d6 against 10 (Tricky)",
        True,
    )
    assert title(card_of(roll(state, 1, 4)[1][0])) == "✓ It succeeds so far"
    _, (event,) = answer(proposed, "free")
    assert (title(card_of(event)), card_of(event).accent) == (
        "✓ It succeeds without a roll",
        "good",
    )
    assert not event.ping, "there is nothing to be done"
    _, (event,) = answer(proposed, "impossible", note="The pipe is gone.")
    card = card_of(event)
    assert (title(card), card.accent, labels(card)) == ("✗ This is impossible", "bad", [])
    assert "> **The GM's note:** The pipe is gone." in body(card)
    assert not event.ping
    card = card_of(choose(proposed, "own", "withdraw")[1][0])
    assert (title(card), labels(card)) == ("Withdrawn", [])


def test_what_does_not_count_and_what_is_added() -> None:
    state = answered_check(table(), disallow=["attribute"], modifier=-2, flaw=1)
    card = card_of(roll(state, 9, 6)[1][0])
    assert body(card).startswith(
        "Pilgrim: Climbing d6 (professional) and Fitness (disallowed by the GM)\n"
    )
    assert "d10 (9) + d6 (6) − modifier 2 = **13**" in body(card)
    assert "**Modifiers:** the idea has a flaw (1 level harder) and −2 to the total" in body(card)


def reminder_text(state: TableState) -> CheckChanged:
    """What is told when nobody has answered in time."""
    wait = min(pending_waits(newest(state)), key=lambda each: each.due)
    due = Due(who=Actor(SYSTEM), place="100", at=wait.due, wait=wait.id)
    (event, *_) = do(state, due)[1]
    assert isinstance(event, CheckChanged)
    assert event.step == "reminded"
    return event


def test_reminders() -> None:
    state = propose(table())[0]
    event = reminder_text(state)
    assert call_of(event).call == f"<@11>, reminder: your call on Pilgrim: “{IDEA}”"
    assert title(card_of(event)) == "Waiting for the GM"
    event = reminder_text(answered_check(table()))
    assert (
        call_of(event).call == "<@22>, reminder: Pilgrim, roll d10 + d6 against 13 (Difficult): 35%"
    )


def test_closed_says_the_same_without_anything_to_press_or_wait_for() -> None:
    _, (event,) = propose(table())
    card = card_of(event, closed=True)
    assert (labels(card), card.call, card.mentions) == ([], "", ())
    assert body(card) == body(card_of(event))
    assert small(card) == "Check c1 · #14"


def test_private_and_blind_are_marked_in_words() -> None:
    _, (told, for_gms) = propose(table(), visibility="private")
    card = card_of(told)
    assert (card.accent, labels(card)) == ("own", ["Edit", "React"])
    assert "Only you and the GMs see this" in small(card)
    assert "Only GMs see this" in small(card_of(for_gms))
    assert card_of(for_gms).call == f"<@11>, your call on Pilgrim: “{IDEA}”"
    state, _ = propose(table(), visibility="blind")
    _, (told, for_gms) = roll(answer(state)[0], 7, 3)
    card = card_of(told)
    assert title(card) == "Rolled: only the GM sees the result"
    assert "Blind" not in small(card)
    assert "12" not in everything(card)
    assert "d10 (7) + d6 (3) + Fitness 2 = **12**" in body(card_of(for_gms))


def test_whoever_did_what_all_can_see_gets_a_receipt() -> None:
    _, (event,) = roll(answered_check(table()), 10, 7, 4)
    assert title(card_of(event, private=True)) == "You rolled"
    event, *_ = choose(roll(answered_check(table()), 5, 4)[0], "react", PASS)[1]
    card = card_of(event, private=True)
    assert (title(card), small(card)) == (
        "You accepted the result",
        "The full result is on check c1 · #14",
    )


@pytest.mark.parametrize("reveal", ["verdict", "degree"])
@pytest.mark.parametrize("visibility", ["public", "private", "blind"])
@pytest.mark.parametrize("faces", [(1, 1), (1, 4), (3, 3), (10, 9, 6)])
def test_no_hidden_number_in_what_players_see(
    reveal: Any, visibility: Any, faces: tuple[int, ...]
) -> None:
    state, first = propose(table(reveal=reveal), visibility=visibility)
    state, second = answer(state, difficulty=str(CANARY), hidden=True, flaw=1)
    state, third = roll(state, *faces)
    told = [*first, *second, *third]
    if visibility != "blind":
        told += choose(state, "stand", "stand", GM)[1]
    assert any(str(CANARY + 3) in everything(card_of(event)) for event in told), (
        "the shifted number"
    )
    for event in told:
        if event.audience.everyone or event.audience.people:
            calls = (
                [call_card(event, scene())]
                if isinstance(event, CheckChanged) and event.ping
                else []
            )
            for card in (card_of(event), *calls):
                assert str(CANARY) not in everything(card)
                assert str(CANARY + 3) not in everything(card)


def test_stub_says_nothing_but_whom_it_waits_for() -> None:
    here = scene(table(gm_roles=("900",)))
    _, (told, for_gms) = propose(table(), visibility="private")
    stub = stub_card
    called = answer(propose(table(), visibility="private")[0])[1][:1]
    card = stub(called, 321, "p2", here)
    check(card)
    assert card.call.split("\n") == [
        "<@22>: a private message, for your eyes only.",
        "Only <@22> can open this.",
    ]
    assert (ids(card), labels(card)) == (["sg:show:321"], ["Show"])
    assert (card.mentions, card.role_mentions) == ((22,), ())
    gms = stub([for_gms], 321, None, here)
    assert gms.call.startswith("<@11> and <@&900>: a private message, for your eyes only.")
    assert (gms.mentions, gms.role_mentions) == ((11,), (900,))
    quiet = stub([told], 321, "p2", here)
    assert (quiet.call, quiet.mentions) == ("**A private message**\nOnly <@22> can open this.", ())
    assert ids(stub([told], 321, "p2", here, closed=True)) == []
    assert "#9" in stub([told], 321, "p2", here, undone_by=9).call
    assert title(missed_cards([told], here, 14)[0]) == "You missed this"


# --- what one may answer --------------------------------------------------------------------------


def panel(state: TableState, who: Actor, *, gm: bool = False) -> Layout:
    game = open_game(state, who, BY["at"])
    view = check_view(game, newest(state), GMS if gm else EVERYONE)
    return react_panel(
        view, scene(state), check_moves(game, newest(state)), gm=gm, onward=try_button(1)
    )


def test_react_offers_what_each_may_answer_and_only_that() -> None:
    card = panel(answered_check(table()), ANA)
    check(card)
    assert [control.id for control in controls(card)] == [
        *[each for each in ids(card) if ":ready:k1:." in each],
        "sg:cho:7:c1.2:ready:k1:roll",
        "sg:cho:7:c1.2:own:k1:withdraw",
    ]
    said = [*labels(card), body(card)]
    assert len(said) == len(set(said)), "no choice is said twice"
    assert "Luck: Fitness" in said and "Sacrifice 1 Fitness: just succeed" in body(card)
    rolled = roll(answered_check(table()), 5, 5)[0]
    card = panel(rolled, ANA)
    assert ids(card) == ["sg:cho:7:c1.3:react:k1:reroll", "sg:cho:7:c1.3:react:k1:pass"]
    assert labels(card) == ["Re-roll d6", "Accept result"]
    assert "Roll the d6" not in body(card)
    assert ids(panel(rolled, GM, gm=True)) == ["sg:cho:7:c1.3:stand:-:stand"]
    card = panel(rolled, BO)
    assert ids(card) == ["sg:join:1:check"]
    assert "Nothing for you to do here right now." in body(card)


WHAT = "Pilgrim, Climbing d6 (professional) and Fitness 2"


def test_what_waits_for_somebody_is_listed_first() -> None:
    state = answered_check(table())
    state, _ = propose(state)

    def lines(who: Actor, *, gm: bool = False) -> tuple[list[tuple[str, str, str]], ...]:
        game = open_game(state, who, BY["at"])
        moves = [move for each in state.checks.values() for move in check_moves(game, each)]
        views = {key: check_view(game, each, EVERYONE) for key, each in state.checks.items()}
        yours, offers = move_lists(scene(state), moves, views, gm=gm)
        return [*map(told, yours)], [*map(told, offers)]

    def told(line: MoveLine) -> tuple[str, str, str]:
        text, button = line
        assert isinstance(button, Button)
        return text.partition("\n")[0].partition(":")[0], button.label, button.id

    first = (f"c1 · {WHAT}", "Open · c1", "sg:chk:7:c1")
    second = (f"c2 · {WHAT}", "Open · c2", "sg:chk:7:c2")
    assert lines(ANA) == ([first], [second])
    assert lines(GM, gm=True) == (
        [(f"c2 · {WHAT}", "Answer · c2", "sg:chq:7:c2.1:rule")],
        [first],
    )
    assert lines(BO) == ([], [])


# --- anything at all ------------------------------------------------------------------------------

NASTY = st.one_of(
    st.text(max_size=1000),
    st.sampled_from(
        [
            "*" * 1000,
            "@" * 1000,
            "\\" * 1000,
            "a\n" * 500,
            "\U0001f600" * 500,
            "<:x:1>" * 150,
            "```" * 300,
        ]
    ),
)
NAMED = st.one_of(
    st.text(min_size=1, max_size=80), st.sampled_from(["*" * 80, "@everyone", "\U0001f600" * 80])
)
LONG_NAME = st.one_of(st.text(min_size=1, max_size=300), st.sampled_from(["_" * 300]))
SHIFTS = (
    Text("ebb-shift", {"what": "dilemma", "levels": -9}),
    Text("ebb-shift", {"what": "flaw", "levels": 2}),
    Text("ebb-shift", {"what": "missing-tools", "levels": 9}),
    Text("ebb-points", {"points": -20}),
    Text("ebb-condition", {"what": "specialist"}),
)
REFS = st.builds(Ref, name=NAMED)
VERDICTS = st.builds(
    Verdict,
    st.sampled_from(("fumble", "near_miss", "success")).map(
        lambda how: Text("ebb-verdict", {"how": how})
    ),
    st.sampled_from(("good", "bad", "open", "neutral")),
    st.just(FOR_EVERYONE),
    st.sampled_from((None, Text("ebb-degree", {"count": 9000}))),
)


@st.composite
def ideas(draw: st.DrawFn) -> tuple[str, tuple[Block, ...]]:
    """An idea, and a check in blocks that has everything there is as long as it may be."""
    idea, who, ability = draw(NASTY), draw(REFS), draw(LONG_NAME)
    faces = draw(st.lists(st.integers(1, 10), min_size=1, max_size=90))
    dice = tuple(Die("main", 10, each) for each in faces)
    terms = (Term(Text("as-written", {"text": ability}), 30), -20)
    blocks: tuple[Block, ...] = (
        Fact(
            Text("check-with"),
            (Text("ebb-ability", {"name": ability, "die": "d6", "title": "x"}),),
            FOR_EVERYONE,
        ),
        Quote(idea, "p2", FOR_EVERYONE),
        Quote(draw(NASTY)[:500], "p1", FOR_EVERYONE, label=Text("check-note")),
        Fact(
            Text("check-difficulty"),
            draw(st.sampled_from((9999, "Legendary+99", who))),
            FOR_EVERYONE,
        ),
        Fact(Text("check-adjustments"), SHIFTS, FOR_EVERYONE),
        Roll(who, None, dice, sum(faces), FOR_EVERYONE, terms),
        Change(who, Text("initiative-as-before", {"score": 3}), 9000, -9000, FOR_EVERYONE),
        Note(Text("ebb-note", {"how": "near_miss"}), FOR_EVERYONE),
        Group(None, ((who, ability, 1),) * draw(st.integers(0, 30)), FOR_EVERYONE),
    )
    verdict = draw(st.lists(VERDICTS, max_size=1))
    return idea, (*verdict, *blocks)


AWAITED = st.builds(
    PromptView,
    prompt=st.sampled_from(("rule", "react", "face")),
    number=st.integers(1, 10**6),
    who=st.lists(REFS, max_size=4).map(tuple),
    people=st.sampled_from(((), ("p2",), ("p2", "p99"))),
    gms=st.booleans(),
    due=st.sampled_from((None, 2_000_000_000)),
    button=st.sampled_from((None, "answer-roll", "answer-defend")),
)


@examples(150)
@given(
    ideas(),
    st.lists(AWAITED, max_size=4, unique_by=lambda each: each.prompt).map(tuple),
    st.sampled_from([EVERYONE, GMS, Audience(people=("p2",))]),
    st.sampled_from(get_args(StepKind)),
    st.builds(Ref, name=NAMED),
    st.booleans(),
    st.sampled_from([None, 12345]),
)
def test_every_card_is_within_the_limits(
    told: tuple[str, tuple[Block, ...]],
    asked: tuple[PromptView, ...],
    audience: Audience,
    step: StepKind,
    actor: Ref,
    closed: bool,
    undone_by: int | None,
) -> None:
    idea, blocks = told
    event = CheckChanged(
        audience=audience,
        ping=("p2", "p99"),
        ping_gms=True,
        check="c" + "9" * 8,
        kind="check",
        place="100",
        step=step,
        by="p2",
        blocks=blocks,
        asked=asked,
        over=step in ("over", "ended"),
        react=not asked,
        actor=actor,
        owner="p2",
    )
    gms = tuple(f"p{number}" for number in range(20))
    state = table(gm_roles=tuple(str(900 + number) for number in range(20)))
    state = TableState(
        state.settings.replace(gms=gms), people=state.people, characters=state.characters
    )
    card = card_of(event, state=state, closed=closed, undone_by=undone_by)
    for each in (card, call_card(event, scene(state))):
        check(each)
        assert "@everyone" not in everything(each)
    assert any(isinstance(piece, Head) for piece in card.pieces)
    if idea.strip():
        first = user_text(idea, lines=True).split("\n")[0].strip()
        assert first in plain_text(card).replace(" / ", "\n"), (
            "what was proposed is never shortened"
        )
