"""Rolls that the rules call for: of one or of several, each with a number of their own, all changed in one prompt.

Waking somebody, emergencies of a vehicle and what those aboard suffer go so (EGO-EFF-03, EGO-VEH-04 to EGO-VEH-11).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar

from rules.systems.ego import dice, harm
from rules.systems.ego.aiming import STAY, changed, condition
from rules.systems.ego.attack_telling import befell
from rules.systems.ego.dice import Throw
from rules.systems.ego.fighters import armour_of, body_of, impaired, wear, with_body
from rules.systems.ego.sheet import EgoSheet, ability_dice
from rules.systems.ego.standing import Changing, Trial, Trials, thrown
from rules.systems.ego.telling import hiding, is_npc, is_unknown, roll_of, shifted, thrown_for
from rules.table.blocks import ALL, GMS_ONLY, Block, Fact, Ref, Seen, Text, Verdict
from rules.table.checks.check import OVER, Check
from rules.table.checks.procedure import Stage, Step
from rules.table.events import Line
from rules.table.state import Reveal
from rules.table.system import Game

T = TypeVar("T", bound=Trials)

NO_KARMA: Final[Mapping[str, int]] = {}


def trial(game: Game, who: str, what: str, number: int, needed: int, *about: str, karma: int = 0) -> Trial:
    """A roll that somebody has to make: impairment makes it harder (EGO-IMP-01)."""
    harder = harm.DIFFICULTY[impaired(game, game.sheet(who))]
    return Trial(who, what, number, needed + harder, about, karma)


def trials_of(
    game: Game,
    people: Iterable[str],
    what: str,
    needed: int,
    ability: str,
    karma: Mapping[str, int] = NO_KARMA,
) -> tuple[Trial, ...]:
    """Each of them rolls an ability."""
    return tuple(
        trial(
            game, who, what, ability_dice(game.sheet(who), ability), needed, ability, karma=karma.get(who, 0)
        )
        for who in people
    )


def passed(data: Trials, what: str) -> dict[str, bool]:
    """Who has made such a roll, and whether with enough successes (EGO-DIE-03)."""
    lie = {(each.who, each.what): each.pool.successes for each in data.throws}
    return {
        each.who: 0 < lie.get((each.who, each.what), 0) >= each.needed
        for each in data.trials
        if each.what == what
    }


class Trying(Changing[T]):
    """Whoever has to rolls; the dice lie open, and everybody changes their own."""

    name = "open"

    def enter(self, game: Game, check: Check[T], /) -> Step[T] | None:
        data = check.data
        lie = {(each.who, each.what) for each in data.throws}
        found = [
            thrown(game, check, each.who, each.what, number, each.about, karma=each.karma)
            for each in data.trials
            if (each.who, each.what) not in lie
            for number in (dice.size(each.dice, karma=each.karma),)
        ]
        return Step(game.state, data.but(throws=(*data.throws, *found))) if found else None

    def mine(self, check: Check[Any], who: str | None = None) -> list[Throw]:
        """Those thrown last: what came of earlier ones has happened."""
        trials = check.data.trials
        return [each for each in super().mine(check, who) if trials and each.what == trials[-1].what]

    def settled(self, game: Game, check: Check[T]) -> bool:
        return check.data.over


# --- what comes of it ------------------------------------------------------------------------------------------


def hurt(
    game: Game,
    data: T,
    who: str,
    points: int,
    round: int | None,
    *,
    lethal: bool = True,
) -> tuple[Game, T]:
    """Damage to somebody, less their armour (EGO-DMG-04); without rounds each hit is one of its own."""
    before, name, quarters = game.sheet(who), Ref(who), game.setting("impairment_mode")
    body, profile = body_of(before), before.profile
    muscle = before.muscle if profile is None else profile.muscle
    found = harm.struck(
        body, points, armour=armour_of(before), lethal=lethal, muscle=muscle, quarters=quarters
    )
    after, level = found.after, harm.impairment(found.after, quarters)
    stunned = {"who": name, "rounds": found.stunned, "alone": round is None}
    impaired = {"who": name, "level": level, "difficulty": harm.DIFFICULTY[level]}
    happened = (
        (Line("ego-hurt", {"who": name, "points": found.taken, "stopped": found.stopped}), True),
        (Line("ego-hit-impaired", impaired), level > harm.impairment(body, quarters) and not after.down),
        (Line("ego-stuns", stunned), found.stunned or (found.stunned == 0 and not after.down)),
        (Line("ego-knocked-back", {"who": name, "feet": found.feet}), found.feet),
        (Line("ego-hit-down", {"who": name, "how": after.down}), after.down and not body.down),
    )
    came = [line for line, so in happened if so]
    now = with_body(before, after)
    if round is None:  # what is done by itself is a round of its own
        now = with_body(wear(game, now), harm.round_over(after))
    stays = (*data.stays, who) if found.rolls else data.stays
    return put(game, data.but(came=(*data.came, *came), stays=stays), who, now)


def put(game: Game, data: T, who: str, now: EgoSheet) -> tuple[Game, T]:
    """The game with that sheet, and what has changed of it."""
    shifts = changed(who, condition(game.sheet(who)), condition(now))
    return game.put(who, now), data.but(shifts=(*data.shifts, *shifts))


def woken(game: Game, data: T, who: str) -> tuple[Game, T]:
    """Somebody comes to (EGO-EFF-03, EGO-VEH-07)."""
    sheet: EgoSheet = game.sheet(who)
    game, data = put(game, data, who, with_body(sheet, harm.awake(body_of(sheet))))
    return game, data.but(came=(*data.came, Line("ego-woken", {"who": Ref(who)})))


class Staying(Trying[T]):
    """Whoever is at the end of their strength rolls to stay conscious, whatever impairs them (EGO-IMP-01)."""

    name = "staying"
    whats = (STAY,)

    def enter(self, game: Game, check: Check[T], /) -> Step[T] | None:
        data = check.data
        there = {each.who for each in data.trials if each.what == STAY}
        made = [
            Trial(who, STAY, ability_dice(game.sheet(who), "vitality"), harm.STAY_CONSCIOUS, ("vitality",))
            for who in data.stays
            if who not in there
        ]
        found = check.but(data=data.but(trials=(*data.trials, *made)))
        return super().enter(game, found) if made else None

    def settled(self, game: Game, check: Check[T]) -> bool:
        return all(harm.stays_conscious(each.pool.successes) for each in self.mine(check))


class Out(Stage[T]):
    """Whoever failed that is out of it; of the others it is told that they are not."""

    name = "out"

    def enter(self, game: Game, check: Check[T], /) -> Step[T] | None:
        game, data = out(game, check.data, STAY)
        return Step(game.state, data, OVER) if data is not check.data else None


def out(game: Game, data: T, what: str) -> tuple[Game, T]:
    """The game after those who failed such a roll have passed out."""
    for who, good in passed(data, what).items():
        sheet: EgoSheet = game.sheet(who)
        if sheet.down or (good and what != STAY):
            continue
        how = "" if good else harm.PASSED_OUT
        came = (*data.came, Line("ego-hit-down", {"who": Ref(who), "how": how}))
        game, data = game.put(who, sheet.but(down=how)), data.but(came=came)
    return game, data


# --- telling ---------------------------------------------------------------------------------------------------


def rolls(game: Game, data: Trials, told: Reveal = "all") -> Iterable[Block]:
    """What everybody rolls against what; how good NPCs are at it only GMs read, and a hidden number nobody."""
    lie = {(each.who, each.what): each for each in data.throws}
    for each in data.trials:
        npc, unknown = is_npc(game, each.who), is_unknown(game, each.who)
        seen: Seen = GMS_ONLY if npc else ALL
        throw = lie.get((each.who, each.what))
        if throw is None:
            about = {"what": each.what, "dice": each.dice, "needed": each.needed if told == "all" else 0}
            yield Fact(Text("check-of", {"who": Ref(each.who)}), Text("ego-trial", about), seen)
            continue
        if not each.needed or told == "verdict":
            yield roll_of(throw).but(what=Text("ego-thrown", {"what": each.what}), seen=seen)
            continue
        if told == "degree":  # their successes would tell the number
            continue
        success = 0 < throw.pool.successes >= each.needed
        about = {"count": throw.pool.successes, "needed": each.needed, "success": success}
        result = Text("ego-against", about)
        yield roll_of(throw).but(what=Text("ego-thrown", {"what": each.what}), result=result, seen=seen)
        if npc and not unknown:
            said = Text("ego-against", {"made": success})
            about = {"who": Ref(each.who), "what": Text("ego-thrown", {"what": each.what})}
            yield Fact(Text("ego-roll-of", about), said, ALL, GMS_ONLY)


def describe(
    game: Game,
    check: Check[Any],
    *facts: Block,
    verdict: Callable[[Reveal], Iterable[Verdict]] = lambda told: (),
) -> tuple[Block, ...]:
    """The verdict, what it is about, the dice, and what came of them: blind for the GMs alone."""
    data: Trials = check.data
    notes = befell(game, data.came)
    # What somebody has set against it is secret until the dice fall.
    paid = bool(data.throws) and check.round is not None
    shifts = [each for each in data.shifts if paid or each.what != "ap"]
    return (
        *hiding(check, lambda told: tuple(verdict(told))),
        *facts,
        *hiding(check, lambda told: tuple(rolls(game, data, told))),
        *thrown_for(check, (*shifted(game, shifts, data.throws), *notes)),
    )


def cast(check: Check[Any]) -> tuple[str, ...]:
    """Everybody who rolls."""
    return tuple(dict.fromkeys(each.who for each in check.data.trials))
