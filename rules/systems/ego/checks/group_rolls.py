"""Rolls that the rules call for: of one or of several, each with a number of their own, all changed
in one prompt.

Waking somebody, emergencies of a vehicle and what those aboard suffer go so (EGO-EFF-03, EGO-VEH-04
to EGO-VEH-11).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from functools import partial
from typing import Any, Final, TypeVar

from rules.systems.ego.character.combat_values import (
    armor_of,
    body_of,
    condition,
    health_of,
    impairment_of,
    number_shifts,
    pay_karma,
    wear,
    with_body,
    with_current_round,
    with_open_karma,
)
from rules.systems.ego.character.sheet import EgoSheet, ability_dice
from rules.systems.ego.checks.roll_stages import (
    DiceReaction,
    Trial,
    Trials,
    most_added_successes,
    roll_trial,
)
from rules.systems.ego.checks.view import (
    blocks_by_audience,
    dice_blocks,
    event_notes,
    graded_for_reveal,
    roll_block,
    shifted,
)
from rules.systems.ego.formulas import damage, dice
from rules.systems.ego.formulas.dice import Throw
from rules.table.blocks import FOR_EVERYONE, Block, Fact, Ref, Text, Verdict
from rules.table.check import OVER, PASS, Check, Choice, Prompt
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.checks.shared_blocks import dice_result_blocks
from rules.table.state import Reveal
from rules.table.system import Game, is_npc

T = TypeVar("T", bound=Trials)


def trial(
    game: Game, who: str, what: str, number: int, needed: int, *about: str, karma: int = 0
) -> Trial:
    """A roll that somebody has to make: impairment makes it harder (EGO-IMP-01)."""
    harder = damage.IMPAIRMENT_DIFFICULTY[impairment_of(game, game.sheet(who))]
    return Trial(who, what, number, needed + harder, about, karma)


def trials_of(
    game: Game, people: Iterable[str], what: str, needed: int, ability: str
) -> tuple[Trial, ...]:
    """Each of them rolls an ability."""
    dice = {who: ability_dice(game.sheet(who), ability) for who in people}
    return tuple([trial(game, who, what, number, needed, ability) for who, number in dice.items()])


def trial_results(data: Trials, what: str) -> dict[str, bool]:
    """Who has made such a roll, and whether with enough successes (EGO-DIE-03)."""
    lie = {each.who: each.pool.successes for each in data.throws if each.what == what}
    tried = [each for each in data.trials if each.what == what]
    return {each.who: 0 < lie.get(each.who, 0) >= each.needed for each in tried}


#: Rolls of an attack, in the order in which the dice fall. The first three are the defender's.
TUMBLE, DEFEND, BLOCK, STRIKE, STAY = "tumbling", "defense", "block", "attack", "stay"
#: Rolls of those aboard a vehicle: with the controls, to stay awake once and twice, to come to, to
#: brace.
CONTROL, AWAKE, AGAIN, COME_TO, BRACE = "pilot", "vitality", "vitality-again", "come-to", "brace"
#: Label of the button that buys dice. The headline of a message goes by it, and says what is at
#: stake.
BUY: Final = "ego-buy"
#: The same label, by what is rolled.
STAKES: Final = {
    STAY: "ego-buy-stay",
    CONTROL: "ego-buy-control",
    AWAKE: "ego-buy-awake",
    AGAIN: "ego-buy-awake",
    COME_TO: "ego-buy-come-to",
    BRACE: "ego-buy-brace",
}
#: Prefix of the stages in which dice for a following roll are bought.
BEFORE: Final = "before-"


class GroupRoll(DiceReaction[T]):
    """Whoever has to rolls; the dice lie open, and everybody changes their own."""

    def __init__(self, *whats: str) -> None:
        super().__init__()
        self.whats = whats or self.whats

    def trials(self, game: Game, check: Check[T]) -> tuple[Trial, ...]:
        """All that is rolled, those among it whose dice lie already."""
        return check.data.trials

    def enter(self, game: Game, check: Check[T], /) -> StageResult[T] | None:
        data = check.data.replace(trials=self.trials(game, check))
        found = [roll_trial(game, check, each) for each in _due(data)]
        return (
            StageResult(game.state, data.replace(throws=(*data.throws, *found))) if found else None
        )

    def is_settled(self, game: Game, check: Check[T]) -> bool:
        return check.data.over

    def has_stakes(self, game: Game, check: Check[T], who: str) -> bool:
        """Return whether a failed roll would do anything to a character who rolls."""
        return True

    def _ways(self, game: Game, check: Check[T], throw: Throw) -> Iterable[CheckOption]:
        """List the changes of a roll; none if they can't make it succeed any more."""
        ways = tuple(super()._ways(game, check, throw))
        of_throw = (throw.who, throw.what)
        needed = [each.needed for each in check.data.trials if (each.who, each.what) == of_throw]
        if check.hidden or not needed or not needed[0]:
            return ways
        most = throw.pool.successes + most_added_successes(game, check, throw)
        return ways if most >= needed[0] else ()

    def has_wanted_result(self, game: Game, check: Check[T], who: str, /) -> bool | None:
        if check.hidden:
            return None
        whats = {each.what for each in self.mine(check, who)}
        needed = [each for each in check.data.trials if each.what in whats and each.needed]
        if not needed:
            return None
        return all(trial_results(check.data, each)[who] for each in {each.what for each in needed})


class SavingRoll(GroupRoll[T]):
    """Rolls against what an attack or a crash does to those who make them."""

    def is_hurt(self, game: Game, check: Check[T], who: str, /) -> bool:
        failed = not self.has_wanted_result(game, check, who)
        return failed and self.has_stakes(game, check, who)


class KarmaPurchase(Stage[T]):
    """Purchase of dice with Karma before a roll that the rules demand (EGO-KAR-02).

    The check waits for the characters that roll and have Karma; enemies by profile have none. The
    message says what a failure costs. With `said`, the actor has named the purchase for the first
    roll already.
    """

    def __init__(self, rolls: GroupRoll[T], *, said: bool = False) -> None:
        self.name, self._rolls, self._said = BEFORE + rolls.name, rolls, said

    def enter(self, game: Game, check: Check[T], /) -> StageResult[T] | None:
        made = self._rolls.trials(game, check)
        return (
            None
            if made == check.data.trials
            else StageResult(game.state, check.data.replace(trials=made))
        )

    def ask(self, game: Game, check: Check[T], /) -> tuple[Prompt, ...]:
        said = check.actor if self._said and not check.data.throws else ""
        due = [each.who for each in _due(check.data) if each.who != said and not each.karma]
        there = [who for who in due if who in game.state.characters and not game.sheet(who).profile]
        # Blind, only GMs know what is rolled.
        asked = [who for who in there if check.visibility != "blind" or is_npc(game, who)]
        asked = [who for who in asked if self._rolls.has_stakes(game, check, who)]
        if not asked:
            return ()
        what = _due(check.data)[0].what
        button = STAKES.get(what, BUY)
        return (Prompt("karma", tuple(asked), "means", PASS, button=button, risks=True),)

    def has_means(self, game: Game, check: Check[T], who: str, /) -> bool:
        return self._most(with_open_karma(game, who, check.id), check, who) > 0

    def _most(self, game: Game, check: Check[T], who: str) -> int:
        """Return how many dice a character can still buy (EGO-KAR-02)."""
        sheet: EgoSheet = with_current_round(game, who, check.round).sheet(who)
        return dice.karma_most(sheet.karma, sheet.round.karma_dice)

    def options(
        self, game: Game, check: Check[T], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        most = self._most(game, check, who)
        mine = sum([each.dice for each in _due(check.data) if each.who == who])
        shown = {"what": "karma", "left": game.sheet(who).karma}
        found = [
            (number, {**shown, "ap": number, "dice": mine + number})
            for number in range(1, most + 1)
        ]
        return tuple(
            [
                CheckOption(str(number), Text("ego-face", each), helps="losing")
                for number, each in found
            ]
        )

    def choose(self, game: Game, check: Check[T], choice: Choice, /) -> StageResult[T]:
        number, mine = (
            int(choice.option),
            [each for each in _due(check.data) if each.who == choice.who],
        )
        paid = [each.replace(karma=number) if each in mine else each for each in check.data.trials]
        game = pay_karma(game, choice.who, number, check.round)
        return StageResult(game.state, check.data.replace(trials=tuple(paid)))


def _due(data: Trials) -> list[Trial]:
    """What is still to be thrown."""
    lie = {(each.who, each.what) for each in data.throws}
    return [each for each in data.trials if (each.who, each.what) not in lie]


# --- what comes of it -----------------------------------------------------------------------------


def apply_damage(
    game: Game, data: T, who: str, points: int, round: int | None, *, lethal: bool = True
) -> tuple[Game, T]:
    """Apply damage to a character, less armor (EGO-DMG-04).

    Without rounds, each hit counts as a round of its own.
    """
    before, name, quarters = game.sheet(who), Ref(who), game.setting("impairment_mode")
    body, muscle = body_of(before), (before.profile or before).muscle
    found = damage.apply_hit(
        body, points, armor=armor_of(before), lethal=lethal, muscle=muscle, quarters=quarters
    )
    after, level = found.after, damage.impairment(found.after, quarters)
    hurts = {
        "who": name,
        "points": found.taken,
        "stopped": found.stopped,
        "unhurt": not found.taken,
        "health": health_of(game, with_body(before, after)),
    }
    came = [Text("ego-hurt", hurts)]
    if level > damage.impairment(body, quarters) and not after.down:
        impaired = {"who": name, "level": level, "difficulty": damage.IMPAIRMENT_DIFFICULTY[level]}
        came.append(Text("ego-hit-impaired", impaired))
    if found.stunned or (found.stunned == 0 and not after.down):
        came.append(
            Text("ego-stuns", {"who": name, "rounds": found.stunned, "alone": round is None})
        )
    if found.feet:
        came.append(Text("ego-knocked-back", {"who": name, "feet": found.feet}))
    if after.down and after.down != body.down:
        came.append(Text("ego-hit-down", {"who": name, "how": after.down}))
    if round is None:  # what is done by itself is a round of its own
        before, after = wear(game, before, after.stopped), damage.round_over(after)
    if found.rolls:
        data = data.replace(stays=(*data.stays, who))
    return record_change(game, data, who, with_body(before, after), *came)


def record_change(game: Game, data: T, who: str, now: EgoSheet, *came: Text) -> tuple[Game, T]:
    """The game with that sheet, what has changed of it, and what happened in words."""
    shifts = number_shifts(who, condition(game.sheet(who)), condition(now))
    data = data.replace(came=(*data.came, *came), shifts=(*data.shifts, *shifts))
    return game.with_sheet(who, now), data


def damage_step(game: Game, data: T) -> StageResult[T]:
    """What came of it; where nobody has to stay conscious it is over."""
    return StageResult(game.state, data, None if data.stays else OVER)


def wake_character(game: Game, data: T, who: str) -> tuple[Game, T]:
    """Somebody comes to (EGO-EFF-03, EGO-VEH-07)."""
    sheet: EgoSheet = game.sheet(who)
    woken = with_body(sheet, damage.wake(body_of(sheet)))
    return record_change(game, data, who, woken, Text("ego-woken", {"who": Ref(who)}))


class ConsciousnessRoll(SavingRoll[T]):
    """Whoever is at the end of their strength rolls to stay conscious, whatever impairs them
    (EGO-IMP-01).
    """

    name = "staying"
    whats = (STAY,)

    def trials(self, game: Game, check: Check[T]) -> tuple[Trial, ...]:
        there = [each.who for each in check.data.trials if each.what == STAY]
        new = [who for who in dict.fromkeys(check.data.stays) if who not in there]
        dice = {who: ability_dice(game.sheet(who), "vitality") for who in new}
        made = [
            Trial(who, STAY, number, damage.STAY_CONSCIOUS, ("vitality",))
            for who, number in dice.items()
        ]
        return (*check.data.trials, *made)

    def is_settled(self, game: Game, check: Check[T]) -> bool:
        return all(damage.stays_conscious(each.pool.successes) for each in self.mine(check))


def _out(game: Game, check: Check[T]) -> StageResult[T] | None:
    """Whoever failed that is out of it; of the others it is told that they are not."""
    game, data = pass_out_failed(game, check.data, STAY)
    return StageResult(game.state, data, OVER) if data is not check.data else None


def pass_out_failed(game: Game, data: T, what: str) -> tuple[Game, T]:
    """The game after those who failed such a roll have passed out."""
    for who, good in trial_results(data, what).items():
        sheet: EgoSheet = game.sheet(who)
        if sheet.down or (good and what != STAY):
            continue
        how = "" if good else damage.PASSED_OUT
        came = Text("ego-hit-down", {"who": Ref(who), "how": how})
        game, data = record_change(game, data, who, sheet.replace(down=how), came)
    return game, data


#: What follows damage: rolls to stay conscious, and what comes of them.
_STAYING: Final = ConsciousnessRoll[Any]()
STAYING: Final = KarmaPurchase(_STAYING), _STAYING, _out


def roll_damage(game: Game, check: Check[Any], data: T, number: int, flat: int = 0) -> T:
    """So many damage dice, thrown, and what they come to (EGO-DMG-01, EGO-DMG-02)."""
    faces = dice.throw(game.rng_for(check, check.actor), number).faces
    return data.replace(
        faces=faces, dealt=damage.damage(faces, flat, game.setting("damage_halving"))
    )


# --- telling --------------------------------------------------------------------------------------


#: Verdict for each degree of secrecy.
VerdictByReveal = Callable[[Reveal], Iterable[Verdict]]


def rolls(game: Game, data: Trials, reveal: Reveal = "all") -> Iterable[Block]:
    """What everybody rolls against what; how good NPCs are at it only GMs read, and a hidden number
    nobody.
    """
    lie = {(each.who, each.what): each for each in data.throws}
    for each in data.trials:
        throw = lie.get((each.who, each.what))
        if throw is None:
            needed = each.needed if reveal == "all" else 0
            about = {"what": each.what, "dice": each.dice + each.karma, "needed": needed}
            what = Text("check-of", {"who": Ref(each.who)})
            yield from blocks_by_audience(
                game, each.who, Fact(what, Text("ego-trial", about), FOR_EVERYONE)
            )
        elif not each.needed or reveal == "verdict":
            yield from blocks_by_audience(game, each.who, roll_block(throw))
        elif reveal == "all":  # with how well it went their successes would tell the number
            success = 0 < throw.pool.successes >= each.needed
            about = {"count": throw.pool.successes, "needed": each.needed, "success": success}
            full, plain = [Text("ego-against", shown) for shown in (about, {"made": success})]
            yield from dice_blocks(game, throw, full, plain)


def due_rolls(game: Game, data: Trials) -> Iterable[Block]:
    """Return the rolls to stay conscious that are due, with their dice and difficulty."""
    due = tuple(each for each in _due(data) if each.what == STAY)
    return rolls(game, data.replace(trials=due))


def describe(
    game: Game,
    check: Check[Any],
    *facts: Block,
    verdict: VerdictByReveal = lambda _: (),
    follows: Iterable[Block] = (),
    hidden_codes: Container[str] = (),
    ends: bool = True,
) -> tuple[Block, ...]:
    """Return the verdict, the facts, the dice, the blocks that follow them, and the events.

    In a blind check, players read the facts alone. Events of `hidden_codes` are left out, and
    without *ends* those by which a character is dead or unconscious: the verdict says them.
    """
    data: Trials = check.data
    came = [each for each in data.came if each.code not in hidden_codes]
    notes = event_notes(game, came, ends=ends)
    # What somebody has set against it is secret until the dice fall.
    paid = (bool(data.throws) or data.over) and check.round is not None
    shifts = [each for each in data.shifts if paid or each.what != "ap"]
    return (
        *graded_for_reveal(check, lambda reveal: tuple(verdict(reveal))),
        *facts,
        *graded_for_reveal(check, lambda reveal: tuple(rolls(game, data, reveal))),
        *dice_result_blocks(check, (*follows, *shifted(game, shifts, data.throws), *notes)),
    )


def cast(check: Check[Any]) -> tuple[str, ...]:
    """Everybody who rolls."""
    return tuple(dict.fromkeys(each.who for each in check.data.trials))


#: A kind of check that is nothing but such rolls.
trial_procedure: Final = partial(Procedure[Trials], data=Trials, cast=cast)
