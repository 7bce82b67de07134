"""The same play at two tables that differ in a secret: whoever may not know it is told the same at
both.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import pytest

from rules.core.dice.no_dice import NO_DICE
from rules.core.errors import RulesError
from rules.core.rng import KeyedStreams
from rules.table.actions import (
    Action,
    Actor,
    Begin,
    Choose,
    CloseChecks,
    Due,
    EndCheck,
    SetAway,
    SetOrder,
)
from rules.table.check import PASS
from rules.table.checks.available_moves import available_moves
from rules.table.checks.prompt_times import pending_waits
from rules.table.events import Event
from rules.table.resolve import resolve
from rules.table.state import HOUR, SYSTEM, TableState
from rules.table.system import Game
from tests.rules.checks.test_audience_views import TOLD
from tests.rules.checks.test_random_play import FILLED
from tests.rules.checks.toy_procedures import GM, PLACE, Sheet, owner, table

#: Whose hand is the secret, and those who play beside them.
HOLDER, OTHERS = "b", "acde"


def act(chance: random.Random, state: TableState, at: int) -> Action | None:
    """Something that one of the others, a GM or the clock may do; nothing that rests on what the
    holder has.
    """
    who = chance.choice([GM, *map(owner, OTHERS)])
    by: Any = {"who": who, "place": PLACE, "at": at}
    open_ = [each for each in state.checks.values() if each.is_open]
    roll = chance.random()
    if roll < 0.2 or not open_:
        several = chance.sample("abcde", chance.randint(2, 5))
        kind = chance.choice(["proposal", "window", "duel", "blast", "team"])
        values = {
            "window": {"aware": several},
            "duel": {"sides": several},
            "blast": {"targets": several},
        }
        actor = chance.choice(OTHERS)
        by["who"] = owner(actor)
        visibility: Any = chance.choice(["public", "public", "private"])
        return Begin(**by, kind=kind, as_=actor, values=values.get(kind, {}), visibility=visibility)
    if roll < 0.3:
        wait = chance.choice([each for check in open_ for each in pending_waits(check)])
        return Due(who=Actor(SYSTEM), place=PLACE, at=max(at, wait.due), wait=wait.id)
    if roll < 0.35:
        by["who"] = GM
        check = chance.choice(open_).id
        return chance.choice([EndCheck(**by, check=check), CloseChecks(**by, checks=(check,))])
    if roll < 0.4:
        back = chance.random() < 0.5
        return chance.choice(
            [SetAway(**by, back=back), SetOrder(**by, prompt="side", option="low")]
        )
    mine = available_moves(Game(state, TOLD, NO_DICE, at, who))
    if not mine:
        return None
    move = chance.choice(mine)
    picked = chance.choice([*move.options, None] if move.passes else move.options)
    fields = () if picked is None or picked.form is None else picked.form.keys
    return Choose(
        **by,
        check=move.check,
        prompt=move.prompt,
        number=move.number,
        option=PASS if picked is None else picked.value,
        as_=(move.who,),
        values={key: FILLED[key] for key in fields},
    )


def heard_events(events: Iterable[Event]) -> list[Event]:
    """What reaches anybody but the holder's player and the GMs."""
    mine = owner(HOLDER).id
    found: list[Event] = []
    for event in events:
        if event.audience.everyone:
            found.append(event)
        elif people := tuple(each for each in event.audience.people if each != mine):
            found.append(event.replace(audience=event.audience.replace(people=people)))
    return found


@pytest.mark.parametrize("seed", range(20))
def test_what_somebody_holds_is_in_nothing_that_the_others_are_told(seed: int) -> None:
    chance = random.Random(seed)
    sheets = {who: Sheet(chance.randint(0, 3), chance.choice([(), ("card",)])) for who in OTHERS}
    settings = {
        "step_in_time": HOUR,
    }
    one = table(settings, b=Sheet(), **sheets)
    other = table(settings, b=Sheet(9, ("card", "card")), **sheets)
    at, done = 1000, 0
    for number in range(120):
        at += chance.randint(1, 60)
        action = act(chance, one, at)
        if action is None:
            continue
        at = action.at
        dice = [KeyedStreams(b"p" * 32, b"s" * 32, str(number)) for _ in range(2)]
        try:
            outcome = resolve(TOLD, one, action, dice[0])
        except RulesError as error:
            with pytest.raises(RulesError) as caught:
                resolve(TOLD, other, action, dice[1])
            assert caught.value.code == error.code
            continue
        mirrored = resolve(TOLD, other, action, dice[1])
        one, other, done = outcome.state, mirrored.state, done + 1
        assert heard_events(outcome.events) == heard_events(mirrored.events)
    assert done > 60


@pytest.mark.parametrize("seed", range(10))
def test_what_somebody_chooses_in_secret_changes_nothing_for_the_others(seed: int) -> None:
    """Until the dice fall, which side somebody has taken, or whether they have chosen at all, is
    theirs.
    """
    chance = random.Random(seed)
    settings = {"step_in_time": HOUR, "answer_time": 0}
    sheets = {who: Sheet(3) for who in "abcde"}
    tables = [table(settings, **sheets) for _ in range(3)]
    begun = Begin(
        who=owner("a"), place=PLACE, at=1000, kind="duel", as_="a", values={"sides": list("abcde")}
    )
    tables = [resolve(TOLD, each, begun, NO_DICE).state for each in tables]
    chosen = [("low", {}), ("high", {"plus": 3}), None]
    for index, choice in enumerate(chosen):
        if choice is None:
            continue
        option, values = choice
        action = Choose(
            who=owner(HOLDER),
            place=PLACE,
            at=1001,
            check="c1",
            prompt="side",
            number=1,
            option=option,
            as_=(HOLDER,),
            values=values,
        )
        outcome = resolve(TOLD, tables[index], action, NO_DICE)
        assert heard_events(outcome.events) == []
        tables[index] = outcome.state
    for who in chance.sample(OTHERS, 3):
        action = Choose(
            who=owner(who),
            place=PLACE,
            at=1002,
            check="c1",
            prompt="side",
            number=1,
            option="low",
            as_=(who,),
        )
        told = [resolve(TOLD, each, action, NO_DICE) for each in tables]
        assert len({str(heard_events(each.events)) for each in told}) == 1
        tables = [each.state for each in told]
    judged = Choose(
        who=GM,
        place=PLACE,
        at=1003,
        check="c1",
        prompt="judge",
        number=1,
        option="judge",
        as_=("",),
    )
    told = [resolve(TOLD, each, judged, NO_DICE) for each in tables]
    assert len({str(heard_events(each.events)) for each in told}) == 1
