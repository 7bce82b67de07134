"""Whoever is waited for is called once, and time alone ends every wait: in random play of all
systems, at either pace.
"""

from __future__ import annotations

import asyncio
import random
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from rules.core.errors import Outdated
from rules.registry import get_system, read_only_game
from rules.systems.ebb.attack import FLESH_WOUND
from rules.table.absence import orders_of
from rules.table.actions import Actor, Due, ResumeTable
from rules.table.check import ANY_GM, PASS, AnyCheck
from rules.table.checks.procedure import has_role
from rules.table.events import CheckChanged
from rules.table.settings.table_settings import settings_form
from rules.table.state import DAY, HOUR, AnyCharacter, TableState
from rules.table.wait_places import place_of_wait
from tests.property.random_play import CLOCK, GM, Walk
from tests.property.systems import ALL, Grounds, open_table, playing
from tests.rules.checks.test_random_play import FOR_TIME
from tests.sample_table import by, make_house

everywhere = pytest.mark.parametrize("grounds", ALL, ids=lambda each: each.name)
#: The times of either pace, as settings.
PACES: Final[Mapping[str, dict[str, Any]]] = {
    "at the table": {
        "live": True,
        "attacks_at_once": True,
        "answer_time": 600,
        "step_in_time": 300,
        "turn_time": 0,
    },
    # As tables begin.
    "by post": {},
}
at_either_pace = pytest.mark.parametrize("pace", PACES)


def walking(grounds: Grounds, pace: str, work: Any, chance: random.Random) -> None:
    """Run `work` at a new table on a file of its own, which keeps this pace."""

    async def run(folder: Path) -> None:
        async with make_house(folder) as house:
            options = dict(PACES[pace])
            for key in options.keys() - _settings_of(grounds):
                del options[key]
            await work(Walk(await open_table(grounds, house, **options), grounds, chance))

    with playing(grounds), tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))


def _settings_of(grounds: Grounds) -> set[str]:
    return {*settings_form(get_system(grounds.key)).keys}


def points(state: TableState) -> dict[tuple[str, str], int]:
    """What players' characters could spend."""
    resources = [each for each in read_only_game(state).system.resources if each.reserve]
    return {
        (key, each.key): each.of(character.sheet)
        for key, character in state.characters.items()
        if character.owner is not None
        for each in resources
    }


def order_spending(before: TableState, check: AnyCheck | None) -> dict[tuple[str, str], int]:
    """What orders of players' characters may spend as a round begins: their owners said so."""
    found: dict[tuple[str, str], int] = {}
    if check is not None and not has_role(read_only_game(before), check.kind, "round"):
        return found
    for key in before.characters:
        theirs = orders_of(before, key)
        for order in (theirs.planned, *theirs.given):
            if order is not None and order.option != PASS:
                paid = [each for each in order.values.values() if isinstance(each, int)]
                about = (key, order.prompt)
                found[about] = max(sum(paid), found.get(about, 0))
    return found


def counted_anew(before: AnyCharacter, now: AnyCharacter, resource: str) -> bool:
    """Return whether it is Action Points: a round restores them, and a hurt body has fewer."""
    if resource != "ap":
        return False
    was, is_ = [
        (each.sheet.round.number, each.sheet.lethal, each.sheet.stunned, each.sheet.down)
        for each in (before, now)
    ]
    return was != is_


def dead(state: TableState) -> set[str]:
    """Players' characters who are dead."""
    sheets = read_only_game(state).system.sheets
    if sheets is None:
        return set()
    return {
        key
        for key, character in state.characters.items()
        if character.owner is not None and sheets.is_dead(character.sheet)
    }


async def _let_time_pass(walk: Walk, *, jump: bool) -> None:
    """The clock does all it has to, one after another or after many weeks at once."""
    store, table = walk.session.tables.store, walk.session.table_id
    for _ in range(2000):
        due = await store.due_waits(10**12, limit=1)
        if not due:
            return
        _, wait, at = due[0]
        walk.now = max(walk.now + jump * 60 * DAY, at)
        jump = False
        state = await walk.session.state()
        check = state.checks.get(wait.partition(".")[0])
        place = (check.place if check else place_of_wait(wait)) or ""
        spent, killed = points(state), dead(state)
        over = (Outdated,) if ".remind" in wait else ()
        await walk._do(Due(**by(CLOCK, place=place, at=walk.now), wait=wait), *over)
        await store.drop_due(table, wait)
        walk._dropped[wait] = at
        now = await walk.session.state()
        left = points(now)
        asked = None if check is None else check.prompt(wait.split(".")[2])
        # A table may choose that a hit costs Fitness by itself.
        agreed = asked is not None and asked.prompt.default == FLESH_WOUND
        planned = order_spending(state, check)
        for key, amount in spent.items():
            if key in left and not agreed:
                was, is_ = (each.characters[key[0]] for each in (state, now))
                paid = planned.get(key, 0)
                assert left[key] >= amount - paid or counted_anew(was, is_, key[1]), (wait, key)
        assert dead(now) <= killed, wait
    raise AssertionError("time doesn't end it")


@everywhere
@at_either_pace
@pytest.mark.parametrize("jump", [False, True], ids=["step by step", "a jump"])
def test_time_alone_ends_every_wait(grounds: Grounds, pace: str, jump: bool) -> None:
    async def work(walk: Walk) -> None:
        for _ in range(3):
            await walk.steps(40)
            # A pause without an end is for a GM to end.
            settings = (await walk.session.state()).settings
            if settings.pause is not None:
                await walk._do(ResumeTable(**by(Actor(settings.gms[0]), at=walk.now)))
            # Whatever the walk has agreed on since, the pace is this one.
            await _let_time_pass(walk, jump=jump)
            state = await walk.session.state()
            for check in state.open_checks:
                waited = [each for each in check.asked if each.waiting_for]
                assert waited or (check.kind, check.stage) in FOR_TIME, check
                for each in waited:
                    assert each.is_stalled(walk.now), (check.kind, each)

    walking(grounds, pace, work, random.Random(f"{grounds.name} {pace} {jump}"))


# --- called once ----------------------------------------------------------------------------------

#: Who was called to which prompt, as it was opened: check, prompt, number, participant.
Call = tuple[str, str, int, str]
GMS: Final = "gms"


def _called(walk: Walk, since: int) -> list[Call]:
    """Whom the last entries have called, and to what."""
    found: list[Call] = []
    for done in walk.done[since:]:
        for event in done.events:
            if not isinstance(event, CheckChanged):
                continue
            for awaited in event.asked:
                prompt = (event.check, awaited.prompt, awaited.number)
                found += [(*prompt, each) for each in event.ping if each in awaited.people]
                if event.ping_gms and (awaited.gms or awaited.people):
                    found.append((*prompt, GMS))
    return found


def _waited_for(state: TableState) -> set[Call]:
    """Who is waited for, and in what."""
    found: set[Call] = set()
    for check in state.open_checks:
        for asked in check.asked:
            for who in asked.waiting_for:
                character = None if who == ANY_GM else state.characters.get(who)
                person = GMS if character is None else character.owner or GMS
                found.add((check.id, asked.prompt.key, asked.number, person))
    return found


@everywhere
@at_either_pace
def test_whoever_is_waited_for_is_called_once_or_has_just_acted(
    grounds: Grounds, pace: str
) -> None:
    async def work(walk: Walk) -> None:
        known: dict[Call, int] = {}
        for _ in range(150):
            walk.now += walk.chance.choice((0, 1, 60, HOUR))
            state = await walk.session.state()
            count = len(walk.done)
            (kind,) = walk.chance.choices((walk._move, walk._begin), (60, 14))
            await kind(state)
            actors = {done.table and walk._requests[-1][0].who.id for done in walk.done[count:]}
            by_gm = GM.id in actors
            for call in dict.fromkeys(_called(walk, count)):
                known[call] = known.get(call, 0) + 1
                assert known[call] == 1, (call, "called twice to the same")
            now = await walk.session.state()
            for call in _waited_for(now):
                person = call[-1]
                if person in actors or (person == GMS and by_gm):
                    known.setdefault(call, 0)
                assert call in known, (call, now.checks[call[0]])

    walking(grounds, pace, work, random.Random(f"calls {grounds.name} {pace}"))
