"""Rolls that the rules call for: of one or several characters, each against a number of its own.

All dice are changed in one prompt. Waking a character, emergencies of a vehicle and the damage to
those aboard use such rolls (EGO-EFF-03, EGO-VEH-04 to EGO-VEH-11).
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
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult, has_throws
from rules.table.checks.shared_blocks import dice_result_blocks
from rules.table.state import Reveal
from rules.table.system import Game, is_npc

T = TypeVar("T", bound=Trials)


def trial(
    game: Game, who: str, what: str, number: int, needed: int, *about: str, karma: int = 0
) -> Trial:
    """Return a roll that a character has to make; impairment makes it harder (EGO-IMP-01)."""
    harder = damage.IMPAIRMENT_DIFFICULTY[impairment_of(game, game.sheet(who))]
    return Trial(who, what, number, needed + harder, about, karma)


def trials_of(
    game: Game, people: Iterable[str], what: str, needed: int, ability: str
) -> tuple[Trial, ...]:
    """Return a roll of an ability for each of these characters."""
    dice = {who: ability_dice(game.sheet(who), ability) for who in people}
    return tuple(trial(game, who, what, number, needed, ability) for who, number in dice.items())


def trial_results(data: Trials, what: str) -> dict[str, bool]:
    """Return whether each roll of that kind has enough successes, by character (EGO-DIE-03)."""
    successes = {throw.who: throw.pool.successes for throw in data.throws if throw.what == what}
    results: dict[str, bool] = {}
    for required in data.trials:
        if required.what == what:
            results[required.who] = 0 < successes.get(required.who, 0) >= required.needed
    return results


#: Rolls of an attack, in the order in which the dice fall. The first three are the defender's.
TUMBLE, DEFEND, BLOCK, STRIKE, STAY = "tumbling", "defense", "block", "attack", "stay"
#: Rolls of those aboard a vehicle: with the controls, to stay awake once and twice, to come to, to
#: brace.
CONTROL, AWAKE, AGAIN, COME_TO, BRACE = "pilot", "vitality", "vitality-again", "come-to", "brace"
#: Label of the button that buys dice. The headline of a message depends on it, and says what is at
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
    """Rolls of the characters that have to make them; players change only their own dice."""

    def __init__(self, *whats: str) -> None:
        super().__init__()
        self.whats = whats or self.whats

    def trials(self, game: Game, check: Check[T]) -> tuple[Trial, ...]:
        """Return all rolls, those already made among them."""
        return check.data.trials

    def enter(self, game: Game, check: Check[T], /) -> StageResult[T] | None:
        data = check.data.replace(trials=self.trials(game, check))
        throws = [roll_trial(game, check, due) for due in _due(data)]
        if not throws:
            return None
        return StageResult(game.state, data.replace(throws=(*data.throws, *throws)))

    def is_settled(self, game: Game, check: Check[T]) -> bool:
        return check.data.over

    def has_stakes(self, game: Game, check: Check[T], who: str) -> bool:
        """Return whether a failed roll would do anything to a character who rolls."""
        return True

    def _ways(self, game: Game, check: Check[T], throw: Throw) -> Iterable[CheckOption]:
        """List the changes of a roll; none if they can't make it succeed any more."""
        ways = tuple(super()._ways(game, check, throw))
        rolled = [
            trial
            for trial in check.data.trials
            if (trial.who, trial.what) == (throw.who, throw.what)
        ]
        if check.hidden or not rolled or not rolled[0].needed:
            return ways
        most = throw.pool.successes + most_added_successes(game, check, throw)
        if most < rolled[0].needed:
            return ()
        return ways

    def has_wanted_result(self, game: Game, check: Check[T], who: str, /) -> bool | None:
        if check.hidden:
            return None
        whats = {throw.what for throw in self.mine(check, who)}
        judged = {trial.what for trial in check.data.trials if trial.what in whats and trial.needed}
        if not judged:
            return None
        return all(trial_results(check.data, what)[who] for what in judged)


class SavingRoll(GroupRoll[T]):
    """Rolls against the effect of an attack or a crash on those who roll."""

    def is_hurt(self, game: Game, check: Check[T], who: str, /) -> bool:
        failed = not self.has_wanted_result(game, check, who)
        return failed and self.has_stakes(game, check, who)


class KarmaPurchase(Stage[T]):
    """Purchase of dice with Karma before a roll that the rules demand (EGO-KAR-02).

    The check waits for the characters that roll and have Karma; enemies by profile have none. The
    message says what a failure costs. With `said`, the actor has stated the purchase for the first
    roll in the command.
    """

    def __init__(self, rolls: GroupRoll[T], *, said: bool = False) -> None:
        self.name, self._rolls, self._said = BEFORE + rolls.name, rolls, said

    def enter(self, game: Game, check: Check[T], /) -> StageResult[T] | None:
        trials = self._rolls.trials(game, check)
        if trials == check.data.trials:
            return None
        return StageResult(game.state, check.data.replace(trials=trials))

    def ask(self, game: Game, check: Check[T], /) -> tuple[Prompt, ...]:
        said = check.actor if self._said and not check.data.throws else ""
        due = _due(check.data)
        rolling = [trial.who for trial in due if trial.who != said and not trial.karma]
        buyers = tuple(who for who in rolling if self._may_buy(game, check, who))
        if not buyers:
            return ()
        button = STAKES.get(due[0].what, BUY)
        return (Prompt("karma", buyers, "means", PASS, button=button, risks=True),)

    def _may_buy(self, game: Game, check: Check[T], who: str) -> bool:
        """Return whether the check asks a character that rolls for Karma."""
        if who not in game.state.characters or game.sheet(who).profile:
            return False
        # In a blind check, only GMs know what is rolled.
        if check.visibility == "blind" and not is_npc(game, who):
            return False
        return self._rolls.has_stakes(game, check, who)

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
        own = sum([trial.dice for trial in _due(check.data) if trial.who == who])
        shown = {"what": "karma", "left": game.sheet(who).karma}
        options: list[CheckOption] = []
        for number in range(1, most + 1):
            label = Text("ego-face", {**shown, "ap": number, "dice": own + number})
            options.append(CheckOption(str(number), label, helps="losing"))
        return tuple(options)

    def choose(self, game: Game, check: Check[T], choice: Choice, /) -> StageResult[T]:
        number = int(choice.option)
        own = [trial for trial in _due(check.data) if trial.who == choice.who]
        trials = tuple(
            trial.replace(karma=number) if trial in own else trial for trial in check.data.trials
        )
        game = pay_karma(game, choice.who, number, check.round)
        return StageResult(game.state, check.data.replace(trials=trials))


def _due(data: Trials) -> list[Trial]:
    """Return the rolls that are still to be made."""
    thrown = {(throw.who, throw.what) for throw in data.throws}
    return [trial for trial in data.trials if (trial.who, trial.what) not in thrown]


# --- damage ---------------------------------------------------------------------------------------


def apply_damage(
    game: Game, data: T, who: str, points: int, round: int | None, *, lethal: bool = True
) -> tuple[Game, T]:
    """Apply damage to a character, less armor (EGO-DMG-04).

    Without rounds, each hit counts as a round of its own.
    """
    before, name, quarters = game.sheet(who), Ref(who), game.setting("impairment_mode")
    body, muscle = body_of(before), (before.profile or before).muscle
    hit = damage.apply_hit(
        body, points, armor=armor_of(before), lethal=lethal, muscle=muscle, quarters=quarters
    )
    after, level = hit.after, damage.impairment(hit.after, quarters)
    hurts = {
        "who": name,
        "points": hit.taken,
        "stopped": hit.stopped,
        "unhurt": not hit.taken,
        "health": health_of(game, with_body(before, after)),
    }
    consequences = [Text("ego-hurt", hurts)]
    if level > damage.impairment(body, quarters) and not after.down:
        impaired = {"who": name, "level": level, "difficulty": damage.IMPAIRMENT_DIFFICULTY[level]}
        consequences.append(Text("ego-hit-impaired", impaired))
    if hit.stunned or (hit.stunned == 0 and not after.down):
        consequences.append(
            Text("ego-stuns", {"who": name, "rounds": hit.stunned, "alone": round is None})
        )
    if hit.feet:
        consequences.append(Text("ego-knocked-back", {"who": name, "feet": hit.feet}))
    if after.down and after.down != body.down:
        consequences.append(Text("ego-hit-down", {"who": name, "how": after.down}))
    if round is None:  # A hit outside rounds is a round of its own.
        before, after = wear(game, before, after.stopped), damage.round_over(after)
    if hit.rolls:
        data = data.replace(stays=(*data.stays, who))
    return record_change(game, data, who, with_body(before, after), *consequences)


def record_change(
    game: Game, data: T, who: str, now: EgoSheet, *consequences: Text
) -> tuple[Game, T]:
    """Return the game with that sheet, and the data with the changed numbers and the events."""
    shifts = number_shifts(who, condition(game.sheet(who)), condition(now))
    data = data.replace(
        consequences=(*data.consequences, *consequences), shifts=(*data.shifts, *shifts)
    )
    return game.with_sheet(who, now), data


def damage_step(game: Game, data: T) -> StageResult[T]:
    """Return the step after damage; the check is over unless characters roll to stay conscious."""
    return StageResult(game.state, data, None if data.stays else OVER)


def wake_character(game: Game, data: T, who: str) -> tuple[Game, T]:
    """Wake a character (EGO-EFF-03, EGO-VEH-07)."""
    sheet: EgoSheet = game.sheet(who)
    woken = with_body(sheet, damage.wake(body_of(sheet)))
    return record_change(game, data, who, woken, Text("ego-woken", {"who": Ref(who)}))


class ConsciousnessRoll(SavingRoll[T]):
    """Rolls to stay conscious at the last level of impairment, unaffected by impairment
    (EGO-IMP-01).
    """

    name = "staying"
    whats = (STAY,)

    def trials(self, game: Game, check: Check[T]) -> tuple[Trial, ...]:
        trials = list(check.data.trials)
        rolling = {trial.who for trial in trials if trial.what == STAY}
        for who in dict.fromkeys(check.data.stays):
            if who not in rolling:
                number = ability_dice(game.sheet(who), "vitality")
                trials.append(Trial(who, STAY, number, damage.STAY_CONSCIOUS, ("vitality",)))
        return tuple(trials)

    def is_settled(self, game: Game, check: Check[T]) -> bool:
        return all(damage.stays_conscious(throw.pool.successes) for throw in self.mine(check))


def _out(game: Game, check: Check[T]) -> StageResult[T] | None:
    """Apply the rolls to stay conscious; None without any.

    Characters that failed pass out. The events name the others, too.
    """
    game, data = pass_out_failed(game, check.data, STAY)
    if data is check.data:
        return None
    return StageResult(game.state, data, OVER)


def pass_out_failed(game: Game, data: T, what: str) -> tuple[Game, T]:
    """Return the game and the data after the characters that failed a roll have passed out."""
    for who, good in trial_results(data, what).items():
        sheet: EgoSheet = game.sheet(who)
        if sheet.down or (good and what != STAY):
            continue
        how = "" if good else damage.PASSED_OUT
        consequences = Text("ego-hit-down", {"who": Ref(who), "how": how})
        game, data = record_change(game, data, who, sheet.replace(down=how), consequences)
    return game, data


#: Stages after damage: the rolls to stay conscious, and their results.
_STAYING: Final = ConsciousnessRoll[Any]()
STAYING: Final = KarmaPurchase(_STAYING), _STAYING, _out


def roll_damage(game: Game, check: Check[Any], data: T, number: int, flat: int = 0) -> T:
    """Roll damage dice; return the data with the dice and the damage (EGO-DMG-01, EGO-DMG-02)."""
    faces = dice.throw(game.rng_for(check, check.actor), number).faces
    return data.replace(
        faces=faces, dealt=damage.damage(faces, flat, game.setting("damage_halving"))
    )


# --- view -----------------------------------------------------------------------------------------


#: Verdict for each degree of secrecy.
VerdictByReveal = Callable[[Reveal], Iterable[Verdict]]


def rolls(game: Game, data: Trials, reveal: Reveal = "all") -> Iterable[Block]:
    """Return the block of each roll, with its number.

    Only GMs read how good NPCs are. No player reads a hidden number.
    """
    throws = {(throw.who, throw.what): throw for throw in data.throws}
    for required in data.trials:
        who = required.who
        throw = throws.get((who, required.what))
        if throw is None:
            needed = required.needed if reveal == "all" else 0
            dice_count = required.dice + required.karma
            shown = {"what": required.what, "dice": dice_count, "needed": needed}
            label = Text("check-of", {"who": Ref(who)})
            fact = Fact(label, Text("ego-trial", shown), FOR_EVERYONE)
            yield from blocks_by_audience(game, who, fact)
        elif not required.needed or reveal == "verdict":
            yield from blocks_by_audience(game, who, roll_block(throw))
        elif reveal == "all":  # Beside the degree, the successes would tell the number.
            successes = throw.pool.successes
            success = 0 < successes >= required.needed
            shown = {"count": successes, "needed": required.needed, "success": success}
            full = Text("ego-against", shown)
            plain = Text("ego-against", {"made": success})
            yield from dice_blocks(game, throw, full, plain)


def due_rolls(game: Game, data: Trials) -> Iterable[Block]:
    """Return the rolls to stay conscious that are due, with their dice and difficulty."""
    due = tuple(trial for trial in _due(data) if trial.what == STAY)
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
    consequences = [event for event in data.consequences if event.code not in hidden_codes]
    notes = event_notes(game, consequences, ends=ends)
    # The defense, and so its cost, is secret until the dice fall.
    paid = (bool(data.throws) or data.over) and check.round is not None
    shifts = [change for change in data.shifts if paid or change.what != "ap"]
    return (
        *graded_for_reveal(check, lambda reveal: tuple(verdict(reveal))),
        *facts,
        *graded_for_reveal(check, lambda reveal: tuple(rolls(game, data, reveal))),
        *dice_result_blocks(check, (*follows, *shifted(game, shifts, data.throws), *notes)),
    )


def cast(check: Check[Any]) -> tuple[str, ...]:
    """Return the ids of all characters that roll."""
    return tuple(dict.fromkeys(trial.who for trial in check.data.trials))


#: Procedure of a check that consists of such rolls alone.
trial_procedure: Final = partial(
    Procedure[Trials], data=Trials, cast=cast, dice_have_fallen=has_throws
)
