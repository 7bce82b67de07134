"""The cards of checks: what they say at each step, to whom, and what they never say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.presenters.controls import Button
from bot.presenters.check import missed_card, stub_card
from bot.presenters.render import plain_text
from bot.presenters.text import user_text
from rules.core.rng import Die
from rules.table.actions import AskBack, Due, Settle, Spend, Withdraw
from rules.table.events import EVERYONE, GMS, Audience, ChallengeChanged, CheckView, Line, Term
from rules.table.state import SYSTEM
from tests.presenters.fitting import check_card as require_limits
from tests.presenters.scenes import (
    ANA,
    BY,
    CANARY,
    GM,
    IDEA,
    NAMES,
    Actor,
    answer,
    answered,
    card_of,
    do,
    everything,
    ids,
    labels,
    propose,
    roll,
    table,
    title,
)
from tests.profiles import examples

DEADLINE = f"<t:{1_000_000 + 86_400}:R>"


def test_proposed() -> None:
    _, (event,) = propose(table(), difficulty="Difficult", options=("dilemma:2",))
    card = card_of(event)
    assert card.call == "<@11>, Pilgrim's proposal waits for your answer."
    assert (card.mentions, card.role_mentions) == ((11,), ())
    assert card.title == "Pilgrim · Climbing + Fitness"
    assert card.body == (
        "**Proposal.** Waiting for the GM's answer.\n"
        f"> {IDEA}\n\n"
        "With Climbing d6 (professional) and Fitness 2\n"
        "Difficulty in mind: Difficult (13)\n"
        "Claimed: removes 2 major dilemmas (2 levels easier)"
    )
    assert card.footer == "#14 · c1"
    assert labels(card) == ["Answer", "React"]
    assert ids(card) == ["sg:ans:7:c1:1", "sg:react:7:c1:1"]


def test_asked_back_and_changed() -> None:
    _, (event,) = do(
        propose(table())[0], AskBack(who=GM, **BY, challenge="c1", revision=1, question="With which *hand*?")
    )
    card = card_of(event)
    assert card.call == "<@22>, the GM's question about Pilgrim's proposal waits for you."
    assert card.body.startswith("**The GM asks back.** Waiting for <@22>: press React to answer.\n")
    assert [(field.name, field.value) for field in card.fields] == [
        ("The GM's question", r"With which \*hand\*?")
    ]


def test_answered_hidden() -> None:
    _, (public, secret) = answer(propose(table())[0], difficulty=str(CANARY), hidden=True, note="It is wet.")
    card = card_of(public)
    assert card.call == "<@22>, the GM has answered: roll when you are ready."
    assert card.mentions == (22,)
    assert card.body == (
        "**Roll against a hidden difficulty.** Waiting for <@22> to roll.\n"
        f"> {IDEA}\n\n"
        "With Climbing d6 (professional) and Fitness 2"
    )
    assert [(field.name, field.value) for field in card.fields] == [("The GM's note", "It is wet.")]
    assert labels(card) == ["Roll", "React"]
    roll = card.rows[0][0]
    assert isinstance(roll, Button) and roll.style == "primary"
    for_gms = card_of(secret)
    assert f"**Roll against {CANARY}.**" in for_gms.body
    assert "For the GMs only" in for_gms.body
    assert for_gms.call == ""
    assert labels(for_gms) == ["React"], "the roll is the player's"


@pytest.mark.rule("EBB-ROLL")
def test_rolled_against_a_hidden_difficulty_tells_the_bare_verdict() -> None:
    state = answered(table(), difficulty="Near Impossible", hidden=True)
    _, (public, secret) = roll(state, 10, 3, 2)
    assert card_of(public).body == (
        "**Failure.**\n"
        f"> {IDEA}\n\n"
        "main d10: 10, again 3; Climbing d6: 2; Fitness: 2\n"
        "13 + 2 + 2 = 17 against a hidden difficulty\n"
        f"Open for reactions. The result stands {DEADLINE}."
    )
    assert "**Near miss, 2 points short.**" in card_of(secret).body


def test_rolled_with_the_degree_but_without_the_total() -> None:
    state = answered(table(reveal="degree"), difficulty="Difficult", hidden=True)
    card = card_of(roll(state, 10, 7, 4)[1][0])
    assert card.body.startswith("**Success, 3 extra results.**\n")
    assert "Climbing d6: 4\nAgainst a hidden difficulty." in card.body
    assert "main d10" not in card.body
    assert "23" not in card.body


def test_success() -> None:
    card = card_of(roll(answered(table()), 10, 7, 4)[1][0])
    assert card.body == (
        "**Success, 3 extra results.**\n"
        f"> {IDEA}\n\n"
        "main d10: 10, again 7; Climbing d6: 4; Fitness: 2\n"
        "17 + 4 + 2 = 23 against Difficult (13)\n"
        f"Open for reactions. The result stands {DEADLINE}."
    )
    assert card.tone == "good"
    assert card.call == ""
    assert labels(card) == ["React"]


def test_near_miss_open() -> None:
    card = card_of(roll(answered(table()), 5, 5)[1][0])
    assert card.body == (
        "**Near miss, 1 point short.**\n"
        f"> {IDEA}\n\n"
        "main d10: 5; Climbing d6: 5; Fitness: 2\n"
        "5 + 5 + 2 = 12 against Difficult (13)\n"
        "It had some effect. Somebody else in the party may try it the same way; "
        "whoever failed needs another idea.\n"
        f"Open for reactions. The result stands {DEADLINE}."
    )


def test_fumble() -> None:
    card = card_of(roll(answered(table()), 1, 1)[1][0])
    assert card.body == (
        "**Fumble: every die shows 1.**\n"
        f"> {IDEA}\n\n"
        "main d10: 1; Climbing d6: 1; Fitness: 2\n"
        "1 + 1 + 2 = 4 against Difficult (13)\n"
        "The GM adds a complication.\n"
        f"Open for reactions. The result stands {DEADLINE}."
    )


def test_rolled_again_and_settled() -> None:
    state = roll(answered(table()), 5, 4)[0]
    state, (event,) = do(state, Spend(who=ANA, **BY, challenge="c1", revision=3, what="reroll"), [6])
    card = card_of(event)
    assert card.body.startswith(
        "**Success, no extra results.**\n"
        "1 Fate point spent: the d6 was rolled again and shows 6; 2 Fate points left.\n"
    )
    assert "main d10: 5; Climbing d6: 4, rolled again 6; Fitness: 2\n5 + 6 + 2 = 13 against" in card.body
    _, (event,) = do(state, Settle(who=ANA, **BY, challenge="c1", revision=4))
    card = card_of(event)
    assert card.body == (
        "**Success, no extra results.**\n"
        f"> {IDEA}\n\n"
        "main d10: 5; Climbing d6: 4, rolled again 6; Fitness: 2\n"
        "5 + 6 + 2 = 13 against Difficult (13)\n"
        "The result stands."
    )
    assert labels(card) == ["Details"]


def test_undone() -> None:
    _, (event,) = roll(answered(table()), 10, 7, 4)
    card = card_of(event, undone_by=15, taken_back_by="p1")
    assert card.title == "~~Pilgrim · Climbing + Fitness~~"
    assert card.body == (
        "**Taken back by the GM (#15).**\n"
        "~~**Success, 3 extra results.**~~\n"
        f"> ~~{IDEA}~~\n\n"
        "~~main d10: 10, again 7; Climbing d6: 4; Fitness: 2~~\n"
        "~~17 + 4 + 2 = 23 against Difficult (13)~~"
    )
    assert card.rows == ()
    assert card.footer == "#14 · c1"
    assert card_of(event, undone_by=15).body.startswith("**Taken back (#15).**\n")
    assert card_of(event, undone_by=15, taken_back_by="p2").body.startswith(
        "**Taken back by <@22> (#15).**\n"
    )


def test_sacrifice_margin_only_free_cannot_and_withdrawn() -> None:
    _, (event,) = do(answered(table()), Spend(who=ANA, **BY, challenge="c1", revision=2, what="luck"))
    body = card_of(event).body
    assert body.startswith("**Success, only just: a point of Fitness was given for it.**\n")
    assert "1 point of Fitness sacrificed: it counts as 1 until it is restored." in body
    assert "Against Difficult (13)." in body
    proposed = propose(table())[0]
    state, (event,) = answer(proposed, "margin-only", difficulty="Tricky")
    body = card_of(event).body
    assert body.startswith(
        "**It succeeds; roll to see how well, measured against Tricky (10).** Waiting for <@22>"
    )
    assert card_of(roll(state, 1, 4)[1][0]).body.startswith("**It succeeds, no extra results.**")
    assert card_of(answer(proposed, "free")[1][0]).body.startswith("**It succeeds.** No roll is needed.")
    card = card_of(answer(proposed, "cannot", note="The pipe is gone.")[1][0])
    assert card.call == "<@22>, the GM has answered: this cannot work."
    assert card.body.startswith("**This cannot work.** No roll is made.")
    assert card.fields[0].value == "The pipe is gone."
    _, (event,) = do(proposed, Withdraw(who=ANA, **BY, challenge="c1", revision=1))
    card = card_of(event)
    assert card.body.startswith("**Withdrawn.** Taken off the table by <@22>; no dice were rolled.")
    assert card.rows == ()


def test_what_does_not_count_and_what_is_added() -> None:
    state = answered(table(), disallow=("attribute",), modifier=-2, options=("flaw",))
    card = card_of(roll(state, 9, 6)[1][0])
    assert "Not counted: Fitness, refused by the GM\n" in card.body
    assert "Adjustments: the idea has a flaw (1 level harder); −2 on the total\n" in card.body
    assert "main d10: 9; Climbing d6: 6; penalty: −2\n9 + 6 − 2 = 13 against Very Difficult (16)" in card.body


def test_reminders() -> None:
    state = propose(table())[0]
    due = Due(who=Actor(SYSTEM), place="100", at=BY["at"] + 86_400, wait="c1.1")
    card = card_of(do(state, due)[1][0])
    assert card.call == "<@11>, a reminder: Pilgrim's proposal still waits for your answer."
    assert card.body.startswith("**Reminder: Proposal.** Waiting for the GM's answer.")
    state = answered(table())
    card = card_of(do(state, replace(due, wait="c1.2"))[1][0])
    assert card.call == "<@22>, a reminder: the roll for Pilgrim is still to come."


def test_closed_says_the_same_without_anything_to_press_or_wait_for() -> None:
    _, (event,) = propose(table())
    card = card_of(event, closed=True)
    assert card.rows == ()
    assert card.call == ""
    assert card.mentions == ()
    assert card.body.startswith(f"**Proposal.**\n> {IDEA}\n")


def test_private_and_blind_are_marked_in_words() -> None:
    state, (told, for_gms) = propose(table(), visibility="private")
    assert card_of(told).body.endswith("Private: only you and the GM see this.")
    assert labels(card_of(told)) == ["React"]
    assert card_of(for_gms).body.endswith("Private: only <@22> and the GMs see this.")
    assert card_of(for_gms).call == "<@11>, Pilgrim's proposal waits for your answer."
    state, _ = propose(table(), visibility="blind")
    state, _ = answer(state)
    _, (told, for_gms) = roll(state, 7, 3)
    card = card_of(told)
    assert card.body.startswith("**Rolled.** Only the GM sees the result.")
    assert card.body.endswith("Blind: the dice and the result are for the GM alone.")
    assert "12" not in everything(card)
    assert "7 + 3 + 2 = 12" in card_of(for_gms).body


@pytest.mark.parametrize("reveal", ["verdict", "degree"])
@pytest.mark.parametrize("visibility", ["public", "private", "blind"])
@pytest.mark.parametrize("faces", [(1, 1), (1, 4), (3, 3), (10, 9, 6)])
def test_no_hidden_number_in_what_players_see(reveal: Any, visibility: Any, faces: tuple[int, ...]) -> None:
    state, first = propose(table(reveal=reveal), visibility=visibility)
    state, second = answer(state, difficulty=str(CANARY), hidden=True, options=("flaw",))
    state, third = roll(state, *faces)
    state, fourth = do(state, Settle(who=GM, **BY, challenge="c1", revision=3))
    for event in (*first, *second, *third, *fourth):
        text = everything(card_of(event))
        if event.audience.everyone or event.audience.people:
            assert str(CANARY) not in text
            assert str(CANARY + 3) not in text, "the shifted number"


def test_stub_says_nothing_but_whom_it_waits_for() -> None:
    card = stub_card(321, "p2", NAMES, gms=("p1",), gm_roles=("900",))
    assert card.call.split("\n") == [
        "<@22>, something private waits for you.",
        "**Something private**",
        "Only <@22> can open it.",
    ]
    assert ids(card) == ["sg:show:321"]
    assert labels(card) == ["Show"]
    assert (card.mentions, card.role_mentions) == ((22,), ())
    for_gms = stub_card(321, None, NAMES, gms=("p1",), gm_roles=("900",))
    assert for_gms.call.startswith("<@11> and <@&900>, something private waits for you.")
    assert (for_gms.mentions, for_gms.role_mentions) == ((11,), (900,))
    quiet = stub_card(321, "p2", NAMES, gms=(), gm_roles=(), ping=False)
    assert (quiet.call, quiet.mentions) == ("**Something private**\nOnly <@22> can open it.", ())
    assert ids(stub_card(321, "p2", NAMES, gms=(), gm_roles=(), closed=True)) == []
    assert "#9" in stub_card(321, "p2", NAMES, gms=(), gm_roles=(), undone_by=9).call
    assert title(missed_card()) == "This could not be shown to you earlier"


# --- anything at all ----------------------------------------------------------------------------------------

NASTY = st.one_of(
    st.text(max_size=1000),
    st.sampled_from(
        ["*" * 1000, "@" * 1000, "\\" * 1000, "a\n" * 500, "\U0001f600" * 500, "<:x:1>" * 150, "```" * 300]
    ),
)
NAME = st.one_of(
    st.text(min_size=1, max_size=80), st.sampled_from(["*" * 80, "@everyone", "\U0001f600" * 80])
)
LONG_NAME = st.one_of(st.text(min_size=1, max_size=300), st.sampled_from(["_" * 300]))


SHIFTS = (
    Line("ebb-shift-dilemma", {"levels": -9}),
    Line("ebb-shift-flaw", {"levels": 2}),
    Line("ebb-shift-missing-tools", {"levels": 9}),
    Line("ebb-shift-drawback", {"levels": 1}),
    Line("ebb-shift-injured", {"levels": 1}),
    Line("ebb-shift-bonus", {"points": -20}),
    Line("ebb-specialist"),
)


@st.composite
def views(draw: st.DrawFn) -> CheckView:
    ability = draw(LONG_NAME)
    faces = draw(st.lists(st.integers(1, 10), min_size=1, max_size=40))
    again = draw(st.lists(st.integers(1, 12), min_size=1, max_size=60))
    rolled = draw(st.booleans())
    return CheckView(
        "c" + "9" * 8,
        draw(st.integers(1, 10**6)),
        draw(st.sampled_from(["proposed", "answered", "rolled", "settled", "withdrawn"])),
        draw(st.sampled_from(["public", "private", "blind"])),
        draw(NAME),
        draw(st.sampled_from([None, "p2", "p99"])),
        draw(NASTY),
        (
            Line("ebb-ability", {"name": ability, "die": "d6", "title": "professional"}),
            Line("ebb-attribute-disallowed", {"name": "Fitness", "value": 3}),
        ),
        Line("ebb-level", {"name": "Legendary+99", "value": 319}),
        draw(st.sampled_from([None, "roll", "margin-only", "free", "cannot"])),
        draw(NASTY)[:500],
        draw(NASTY)[:500],
        draw(st.sampled_from([None, Line("hidden-difficulty"), Line("ebb-number", {"value": 9999})])),
        SHIFTS,
        (
            *(Die("main-again" if index else "main", 10, face) for index, face in enumerate(faces)),
            *(Die("ability-again" if index else "ability", 12, face) for index, face in enumerate(again)),
        ),
        (
            Term(Line("ebb-term-main", {"throws": len(faces)}), sum(faces)),
            Term(Line("ebb-term-ability", {"name": ability}), again[-1]),
            Term(Line("ebb-term-attribute", {"name": "Fitness"}), 30),
            Term(Line("ebb-term-bonus"), -20),
        ),
        sum(faces) if rolled else None,
        Line("ebb-fumble") if rolled else None,
        Line("ebb-missed-by", {"points": 9000}) if rolled else None,
        (Line("ebb-note-complication"), Line("ebb-note-others"), Line("ebb-note-price")),
        draw(st.sampled_from([None, 2_000_000_000])),
    )


@examples(150)
@given(
    views(),
    st.sampled_from([EVERYONE, GMS, Audience(people=("p2",))]),
    st.sampled_from(
        ["proposed", "revised", "asked", "answered", "rolled", "spent", "settled", "reminded", "reopened"]
    ),
    st.booleans(),
    st.sampled_from([None, 12345]),
)
def test_every_card_is_within_the_limits(
    view: CheckView, audience: Audience, step: Any, closed: bool, undone_by: int | None
) -> None:
    event = ChallengeChanged(
        audience=audience,
        ping=("p2",),
        ping_gms=True,
        step=step,
        view=view,
        by="p2",
        spent=Line("ebb-rerolled", {"die": "d12", "face": 12, "left": 9999}),
    )
    gms = tuple(f"p{number}" for number in range(20))
    card = card_of(event, closed=closed, undone_by=undone_by, gms=gms, gm_roles=("900",) * 20)
    require_limits(card)
    text = everything(card)
    assert "@everyone" not in text
    if view.approach.strip():
        shown = plain_text(card)
        idea = user_text(view.approach, lines=True).split("\n")[0].strip()
        assert idea in shown.replace(" / ", "\n"), "what was proposed is never shortened"
