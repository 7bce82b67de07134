"""Movement and pushes: running, climbing, swimming, jumping, lifting, driving.

MB-MOV, MB-PSH, MB-LIFT.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.core.record import Record
from rules.systems.masterbook.character.derived_values import rates_of
from rules.systems.masterbook.character.sheet import MasterbookSheet, attribute, option_effects
from rules.systems.masterbook.checks import action_economy, attempt_values, check_forms, procedure
from rules.systems.masterbook.checks.check_forms import ATTRIBUTE, COORDINATION, DIFFICULTY, SKILL
from rules.systems.masterbook.checks.companions import JoinStage, companion_notes, is_enlisting_npcs
from rules.systems.masterbook.checks.procedure import AttemptAction, CheckProposal
from rules.systems.masterbook.checks.roll_sources import learned_sources
from rules.systems.masterbook.checks.sheet_damage import condition_of, damage_character
from rules.systems.masterbook.checks.state import (
    MINE,
    TOGETHER,
    AnyAttempt,
    Attempt,
    Plan,
    Rating,
    Result,
    difficulty_number,
)
from rules.systems.masterbook.checks.view import describe, graded_for_reveal, with_blocks_below
from rules.systems.masterbook.combat.healing import GASPED, SUNK, drowning_state, gasp_for_air
from rules.systems.masterbook.combat.supplies import with_full_magazine
from rules.systems.masterbook.formulas import attributes, movement, skills, value_chart
from rules.systems.masterbook.formulas.dice import Throw
from rules.systems.masterbook.formulas.multi_actions import (
    CROWDED_DIFFICULTY,
    multi_action_penalty,
    shock_share,
)
from rules.systems.masterbook.formulas.success_chart import Damage
from rules.table.blocks import FOR_EVERYONE, Block, Note, Text
from rules.table.check import Check, Choice, Prompt, Values
from rules.table.checks.procedure import CheckOption, Stage, StageResult
from rules.table.checks.shared_blocks import full_and_plain
from rules.table.checks.stages import (
    APPROACH_FIELD,
    HIDDEN_BY_GM_FIELD,
    MODIFIER_FIELD,
    ROLL,
    stated_values,
)
from rules.table.commands import spoken_distance
from rules.table.forms.fields import Flag, FormContext, Many, Number, Pick, Typed, plain_options
from rules.table.forms.form import Form
from rules.table.marks import mark_total, marks_of, with_marks, without_marks
from rules.table.state import Mark, Reveal
from rules.table.system import Game, Tick, TickResult, is_npc

#: Mark of a character who has run in this round.
RAN: Final = "ran"
#: Specialization in running for many rounds (MB-SKILL-RUNNING).
_LONG_DISTANCES: Final = "long distances"
#: Rows of charts that follow from a plan, or from an ability.
_CAREFUL, _BREATHES = "careful", "breathes_water"
#: Highest mass in kilograms, speed as a value, and gap in meters.
_HEAVIEST, _FASTEST, _FARTHEST = 10_000_000, 100, 100_000
#: Mark of a driver for the meters between the vehicles of a chase.
GAP: Final = "gap"
#: What a gap is that only GMs know, until it is said again. The gap after the next round would give
#: the hidden result away.
_VEILED: Final = "veiled"


class MovementKind(Record):
    """Way to move: its skill and its movement rate."""

    skill: str
    rate: attributes.Rate | None = None


MOVEMENT_KINDS: Final[Mapping[str, MovementKind]] = {
    "running": MovementKind("Running", "ground"),
    "swimming": MovementKind("Swimming", "swimming"),
    "climbing": MovementKind("Climbing", "climbing"),
    "jumping": MovementKind("Long Jumping", "jumping"),
    "lifting": MovementKind("Lifting"),
    "driving": MovementKind("Vehicle Piloting"),
    "hurry": MovementKind(""),
}
#: Default difficulty of coordinating (MB-CBN-02).
_COORDINATION_DIFFICULTY: Final = "Average"


class MovementPlan(Record):
    """Plan of a movement, as the player has said it."""

    #: Key of `MOVEMENT_KINDS`.
    how: str = "running"
    push: bool = False
    careful: bool = False
    #: Kilograms of a lift.
    mass: int = 0
    #: Speed of the vehicle, as a value.
    speed: int = 0
    #: Meters between the vehicles of a chase.
    gap: int = 0
    #: Speed of the other vehicle, as a value.
    rival: int = 0
    #: Whether the driver is ahead in the chase.
    flees: bool = False
    #: Weapon that is reloaded in a hurry.
    reload: str = ""
    #: Helpers who coordinate.
    together: tuple[str, ...] = ()


class MovementResult(Record):
    """Result of a movement."""

    #: Meters in this round.
    meters: Fraction | None = None
    shock: int = 0
    #: What went wrong, as a word of its text.
    trouble: str = ""
    #: Value that a lift has reached.
    reached: int | None = None
    #: Whether the shock has knocked the character out.
    fainted: bool = False
    #: Meters between the vehicles of a chase.
    gap: int | None = None
    #: Whether the gap follows from one that only the GMs know.
    veiled: bool = False


class MovementAttempt(Attempt):
    """Data of a movement."""

    #: Helpers whose players have agreed.
    joined: tuple[str, ...] = ()
    #: Ratings of all who push together, by character; empty for one alone.
    ratings: tuple[tuple[str, Rating], ...] = ()
    #: Whether some of the push is given up for half the shock (MB-PSH-02); None before the answer.
    limited: bool | None = None
    done: MovementResult | None = None

    @property
    def way(self) -> MovementPlan:
        """Plan of the movement, by the player's words."""
        return FORM.make_record(MovementPlan, self.asked)

    @property
    def coordination(self) -> int:
        said = self.asked.get(COORDINATION.key, _COORDINATION_DIFFICULTY)
        return difficulty_number(str(said)) or 0


def _skill(asking: FormContext) -> str:
    check = asking.check
    how = asking.values.get("how") or (check.data.way.how if check is not None else "running")
    return MOVEMENT_KINDS.get(how, MOVEMENT_KINDS["running"]).skill


ROWS: Final = check_forms.rows_by(_skill, numbers=True)
FORM: Final = Form(
    (
        Pick("how", choices=plain_options(MOVEMENT_KINDS)),
        Flag("push"),
        Flag("careful"),
        Number("mass", low=1, high=_HEAVIEST),
        Number("speed", low=1, high=_FASTEST),
        Number("gap", high=_FARTHEST),
        Number("rival", low=1, high=_FASTEST),
        Flag("flees"),
        Typed("reload", most=100),
        Many("together", find=check_forms.helper, spoken=spoken_distance, most=10, example="name"),
        COORDINATION,
        SKILL,
        ATTRIBUTE,
        DIFFICULTY,
        ROWS,
        APPROACH_FIELD,
        MODIFIER_FIELD,
        HIDDEN_BY_GM_FIELD,
    )
)
#: The GM's form.
_RULING: Final = Form(
    tuple(ROWS if field.key == ROWS.key else field for field in check_forms.RULING.fields)
)


# --- numbers --------------------------------------------------------------------------------------


def movement_rate(sheet: MasterbookSheet, way: MovementPlan) -> int:
    rate = MOVEMENT_KINDS[way.how].rate
    return 0 if rate is None else rates_of(sheet)[rate]


def movement_difficulty(
    sheet: MasterbookSheet, way: MovementPlan, rows: tuple[str, ...], *, said: bool
) -> int | None:
    """Return the difficulty of a movement before its modifiers.

    None if a player has *said* the difficulty, or a GM has to. Raises
    InvalidInput("mb-no-difficulty") for a climb of which the surface isn't said.
    """
    skill = MOVEMENT_KINDS[way.how].skill
    numbers = dict(attempt_values.split_row(row) for row in rows)
    if way.how == "hurry":
        return CROWDED_DIFFICULTY
    if way.how == "lifting":
        return value_chart.chart_value(way.mass, "inclusive_up")
    if way.how == "swimming" and sheet.drowning is not None:
        return sheet.drowning.number
    if way.how == "driving":
        return None
    base = skills.number_of(skill, numbers, numbers)
    if way.how == "climbing" and base is None:
        return None if said else skills.difficulty(skill, numbers, numbers)
    if way.push:
        return movement.push_difficulty(skill, movement_rate(sheet, way), base=base)
    return None if way.how == "jumping" else skills.difficulty(skill, (), base=base)


def lifting_value(sheet: MasterbookSheet) -> int:
    """Return the value that a character lifts now (MB-LIFT-01, MB-LIFT-02).

    That is what it lifts without a roll, or what its last push has reached.
    """
    if sheet.lifted is not None:
        return sheet.lifted
    return movement.lift_capacity(attribute(sheet, "strength"))


def _movement_result(game: Game, check: Check[MovementAttempt], points: int) -> MovementResult:
    """Return the result of a movement for a number of result points."""
    data, way = check.data, check.data.way
    leading = data.leading_total
    sheet: MasterbookSheet = game.sheet(check.actor if leading is None else leading[0])
    rate, rows = movement_rate(sheet, way), data.effective_ruling.rows
    agreed = {"realistic": bool(game.setting("realistic_limits")), "limit": bool(data.limited)}
    if way.how == "hurry":
        return MovementResult(trouble="" if points >= 0 else "no_progress")
    if way.how == "lifting":
        mass = value_chart.chart_value(way.mass, "inclusive_up")
        lift = movement.resolve_lift(lifting_value(sheet), mass, points, **agreed)
        trouble = "" if lift.lifted else "no_progress"
        return MovementResult(shock=lift.shock, trouble=trouble, reached=lift.reached)
    if way.how == "driving":
        return _driving_result(game, check, points)
    if way.how == "swimming" and movement.is_sinking(points, _BREATHES in rows):
        return MovementResult(Fraction(0), movement.DROWNING_SHOCK, "drowning")
    if way.push:
        push = movement.resolve_push(MOVEMENT_KINDS[way.how].skill, points, rate, **agreed)
        trouble = "" if push.trouble == "drowning" else push.trouble
        return MovementResult(push.meters, push.shock, trouble)
    if way.how == "climbing":
        meters, trouble = movement.climb_without_push(points, rate, way.careful)
        return MovementResult(meters, trouble=trouble)
    return MovementResult(movement.meters_without_push(points, rate))


def _driving_result(game: Game, check: Check[MovementAttempt], points: int) -> MovementResult:
    """Return the meters of a vehicle in this round, and in a chase the gap after it."""
    way, driver = check.data.way, check.actor
    meters = movement.vehicle_meters(way.speed, points) if way.speed else None
    gap = way.gap or mark_total(game.state, driver, GAP)
    veiled = not way.gap and bool(marks_of(game.state, driver, GAP, _VEILED))
    if meters is None or not way.rival or not (gap or way.flees or veiled):
        return MovementResult(meters)
    gap = movement.chase_gap(gap, meters, way.rival, flees=way.flees)
    return MovementResult(meters, gap=gap, veiled=veiled)


def take_shock(game: Game, who: str, shock: int, *, falls: bool = False) -> tuple[Game, bool]:
    """Apply shock to a character, who may also fall. Return whether it is knocked out by that."""
    game, facts = damage_character(game, who, Damage(knockdown=falls, shock=shock))
    return game, any(what == "fainted" for what, _ in facts)


def count_running_round(game: Game, who: str) -> tuple[Game, int]:
    """Return the game after a round at a full run, and the shock of it (MB-SKILL-RUNNING)."""
    if action_economy.round_of(game, who) is None:
        return game, 0
    sheet: MasterbookSheet = game.sheet(who)
    sheet = sheet.replace(rounds_run=sheet.rounds_run + 1)
    game = game.with_sheet(who, sheet)
    game = game.with_state(with_marks(game.state, who, Mark(RAN, until="round")))
    adds = 0
    for source in learned_sources(sheet):
        if source.skill == "Running" and source.special.casefold() == _LONG_DISTANCES:
            adds += source.special_adds
    return game, movement.running_shock(sheet.rounds_run, attribute(sheet, "endurance"), adds)


# --- stages ---------------------------------------------------------------------------------------


class MovementProposal(CheckProposal):
    """Proposal of a movement. Without a stated difficulty, it follows from character and way."""

    def automatic_answer(self, game: Game, check: AnyAttempt) -> str | None:
        return None if is_enlisting_npcs(game, check) else super().automatic_answer(game, check)

    def read_request(self, game: Game, check: Any, values: Values) -> Any:
        action_economy.require_awake(game, check.actor)
        data = check.data
        said = dict(stated_values(data.asked))
        way = FORM.make_record(MovementPlan, said)
        if SKILL.key not in said:
            skill = MOVEMENT_KINDS[way.how].skill
            said |= {"skill": skill} if skill else {"attribute": "agility"}
        sheet: MasterbookSheet = game.sheet(check.actor)
        said_rows = tuple(said.get(ROWS.key, ()))
        rows = _effective_rows(sheet, way, said_rows)
        if rows != said_rows:
            said[ROWS.key] = rows
        number = movement_difficulty(sheet, way, rows, said=DIFFICULTY.key in said)
        if _is_depth_secret(game, check):
            said.pop(DIFFICULTY.key, None)
        elif number is not None:
            said[DIFFICULTY.key] = str(number)
        if check.actor in way.together:
            raise InvalidInput("target-is-self", field="together", value=None)
        data = data.replace(
            asked=said,
            free=way.how == "hurry",
            request=FORM.make_record(Plan, said),
        )
        data = attempt_values.refresh_from_sheets(game, check.replace(data=data), data)
        return check.replace(data=data)

    def apply_ruling(
        self, game: Game, check: AnyAttempt, answer: str, values: Values
    ) -> StageResult[Attempt]:
        """Apply the GM's answer.

        If the number that a character under water missed was hidden, the next follows from it.
        """
        state = drowning_state(game, check.actor)
        if answer == ROLL and state is not None and _is_depth_secret(game, check):
            values = {DIFFICULTY.key: str(state.number), **values}
        return super().apply_ruling(game, check, answer, values)


def _effective_rows(
    sheet: MasterbookSheet, way: MovementPlan, rows: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the rows of charts for a movement, with those that follow from plan and sheet."""
    swims = way.how == "swimming"
    if swims and sheet.drowning is not None:
        # The number that was missed has the rows already.
        rows = ()
    if way.careful and _CAREFUL not in rows:
        rows = (*rows, _CAREFUL)
    if swims and option_effects(sheet).cannot_drown and _BREATHES not in rows:
        rows = (*rows, _BREATHES)
    return rows


def _is_depth_secret(game: Game, check: Check[Any]) -> bool:
    """Return whether a character is under water, and only the GMs know how deep."""
    swims = check.data.way.how == "swimming" and game.sheet(check.actor).drowning is not None
    return swims and bool(marks_of(game.state, check.actor, SUNK))


MOVEMENT_PROPOSAL: Final = MovementProposal(FORM, _RULING)


def _pushers(game: Game, check: Check[MovementAttempt]) -> tuple[str, ...]:
    """Return all who push: the actor, and the helpers (MB-CBN-03)."""
    data = check.data
    helpers = [who for who in data.way.together if who in data.joined or is_npc(game, who)]
    return (check.actor, *helpers)


def _invited_helpers(data: MovementAttempt) -> tuple[str, ...]:
    """Return the characters who are asked to push together, before the roll."""
    return () if data.throws else data.way.together


class MovementRoll(AttemptAction):
    """Dice of a movement, those of coordinating first.

    A lift goes on from what the action before has reached (MB-LIFT-02).
    """

    def refresh_from_sheets(self, game: Game, check: Any, data: Any) -> Any:
        """Return the data with the present ratings of all who push."""
        refreshed = attempt_values.refresh_from_sheets(game, check, data)
        pushers = _pushers(game, check)
        if len(pushers) == 1 or refreshed.is_automatic:
            return refreshed
        ratings: list[tuple[str, Rating]] = []
        for who in pushers:
            ratings.append((who, attempt_values.rated_by(game, who, data.request, 0, acting=True)))
        return refreshed.replace(ratings=tuple(ratings))

    def throws_due(self, game: Game, check: Any) -> tuple[Throw, ...]:
        ratings = dict(check.data.ratings)
        if len(ratings) < 2:
            return super().throws_due(game, check)
        rolled = {(throw.who, throw.what) for throw in check.data.throws}
        throws: list[Throw] = []
        for who, rating in ratings.items():
            for what, rank in ((TOGETHER, 2), (MINE, 1)):
                if (who, what) not in rolled:
                    ranked = rating.with_causes(("multi_action", multi_action_penalty(rank, 2)))
                    throws.append(procedure.throw_for(game, check, who, what, ranked))
        return tuple(sorted(throws, key=lambda throw: throw.what != TOGETHER))

    def use_up_effects(self, game: Game, check: Any) -> Game:
        sheet: MasterbookSheet = game.sheet(check.actor)
        game = super().use_up_effects(game, check)
        for helper in _pushers(game, check)[1:]:
            game = action_economy.use_up_marks(action_economy.spend_action(game, helper), helper)
        if check.data.way.how != "lifting" or sheet.lifted is None:
            return game
        return game.with_sheet(check.actor, game.sheet(check.actor).replace(lifted=sheet.lifted))


MOVEMENT_ROLL_STAGES: Final = MovementRoll(hostile=False).stages(JoinStage(_invited_helpers))


class LimitShockStage(Stage[MovementAttempt]):
    """Stage in which a player may give up some of a push for half of its shock (MB-PSH-02)."""

    name = "limit"

    def ask(self, game: Game, check: Check[MovementAttempt], /) -> tuple[Prompt, ...]:
        result = check.data.result
        if not game.setting("limit_shock") or result is None or not result.success:
            return ()
        if check.data.limited is not None or not _movement_result(game, check, result.points).shock:
            return ()
        return (Prompt("limit", (check.actor,), "answer", "full", button="mb-limit"),)

    def options(
        self, game: Game, check: Check[MovementAttempt], prompt: str, who: str, /
    ) -> tuple[CheckOption, ...]:
        return (
            CheckOption("full", Text("mb-limits", {"less": False})),
            CheckOption("less", Text("mb-limits", {"less": True})),
        )

    def choose(
        self, game: Game, check: Check[MovementAttempt], choice: Choice, /
    ) -> StageResult[MovementAttempt]:
        return StageResult(game.state, check.data.replace(limited=choice.option == "less"))


class MovementStage(Stage[MovementAttempt]):
    """Stage that applies a movement: its meters and shock, a fall, or going under water."""

    name = "moved"

    def enter(
        self, game: Game, check: Check[MovementAttempt], /
    ) -> StageResult[MovementAttempt] | None:
        data, result = check.data, check.data.result
        if data.done is not None:
            return None
        if data.is_automatic and MOVEMENT_KINDS[data.way.how].rate and not data.way.push:
            return StageResult(game.state, data.replace(done=_movement_result(game, check, 0)))
        if result is None:
            return None
        if data.way.how == "swimming" and game.sheet(check.actor).drowning is not None:
            return self._drown_on(game, check, result.total)
        return self._move(game, check, result)

    def _drown_on(
        self, game: Game, check: Check[MovementAttempt], total: int
    ) -> StageResult[MovementAttempt]:
        """Apply another round of drowning (MB-SKILL-SWIMMING)."""
        who = check.actor
        game, facts = gasp_for_air(game, who, total)
        game = game.with_state(with_marks(game.state, who, Mark(GASPED, until="round")))
        numbers = dict(facts)
        trouble = "saved" if "surfaced" in numbers else "drowning"
        shock, fainted = numbers.get("shock", 0), "fainted" in numbers
        done = MovementResult(shock=shock, trouble=trouble, fainted=fainted)
        ends = ((who, condition_of(game, who)),)
        return StageResult(game.state, check.data.replace(done=done, ends=ends))

    def _move(
        self, game: Game, check: Check[MovementAttempt], result: Result
    ) -> StageResult[MovementAttempt]:
        """Apply a movement that was rolled, with its shock for all who pushed."""
        data, who = check.data, check.actor
        done = _movement_result(game, check, result.points)
        if data.way.how == "running":
            game, running_shock = count_running_round(game, who)
            done = done.replace(shock=done.shock + running_shock)
        if data.way.how == "lifting":
            # A thing that was lifted can be put down, so a later lift begins from the capacity.
            reached = done.reached if done.trouble and result.success else None
            game = game.with_sheet(who, game.sheet(who).replace(lifted=reached))
        if done.gap is not None:
            game = _with_gap(game, who, done.gap, veiled=done.veiled or check.hidden)
        if data.way.reload and not done.trouble:
            game = with_full_magazine(game, who, data.way.reload)
        if done.trouble == "drowning":
            game = _with_drowning(game, who, result.number, hidden=check.hidden)
        pushers = _pushers(game, check)
        done = done.replace(shock=shock_share(done.shock, len(pushers)))
        for helper in pushers[1:]:
            game, _ = take_shock(game, helper, done.shock)
        # The check for the fall decides about a climber's knockdown (MB-FALL-01).
        falls = done.trouble == "fall" and data.way.how == "running"
        game, fainted = take_shock(game, who, done.shock, falls=falls)
        ends = tuple((pusher, condition_of(game, pusher)) for pusher in pushers)
        done = done.replace(fainted=fainted)
        return StageResult(game.state, data.replace(done=done, ends=ends))


def _with_gap(game: Game, who: str, gap: int, *, veiled: bool) -> Game:
    """Return the game with the gap of a chase; a gap of 0 that everyone knows ends it."""
    state = without_marks(game.state, who, GAP)
    if gap or veiled:
        state = with_marks(state, who, Mark(GAP, _VEILED if veiled else "", gap, until="scene"))
    return game.with_state(state)


def _with_drowning(game: Game, who: str, number: int, *, hidden: bool) -> Game:
    """Return the game once a character has gone under, against a number that was missed.

    A hidden number is kept as a mark, since players read the sheet.
    """
    secret = number if hidden else 0
    drowning = movement.Drowning(number - secret)
    game = game.with_sheet(who, game.sheet(who).replace(drowning=drowning))
    state = without_marks(game.state, who, SUNK)
    if secret:
        state = with_marks(state, who, Mark(SUNK, value=secret, until="used"))
    return game.with_state(state)


# --- texts ----------------------------------------------------------------------------------------


def measure_digits(number: Fraction) -> str:
    """Return a measure as it is written: `2.5`, `600`, `40000`."""
    if number >= 100:
        return str(round(number))
    return f"{float(number):.{2 if number >= 1 else 4}f}".rstrip("0").rstrip(".")


def distance_text(game: Game, meters: Fraction) -> Text:
    """Return meters, and inches at tables with a map (MB-MOV-01)."""
    inches = measure_digits(meters / movement.INCH) if game.setting("tactical_map") else None
    return Text("mb-way", {"meters": measure_digits(meters), "inches": inches})


def describe_movement(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    """Return the blocks of a movement, with its result below the verdict."""
    blocks, done = describe(game, check), check.data.done
    if done is None:
        return (*blocks, *companion_notes(check.data.way.together))

    def tell(reveal: Reveal) -> tuple[Block, ...]:
        known = done
        if reveal == "verdict":
            # Distance and shock would give the result away.
            known = MovementResult(trouble=done.trouble, fainted=done.fainted)
        # An NPC's shock stands on a sheet that only GMs read.
        plain = known.replace(
            shock=0 if is_npc(game, check.actor) else known.shock,
            gap=None if known.veiled else known.gap,
        )
        full_text = movement_text(game, check.data.way.how, known)
        plain_text = movement_text(game, check.data.way.how, plain)
        if plain_text == full_text:
            return (Note(full_text, FOR_EVERYONE),)
        return full_and_plain(Note(full_text, FOR_EVERYONE), text=plain_text)

    return with_blocks_below(blocks, *graded_for_reveal(game, check, tell))


def movement_text(game: Game, how: str, done: MovementResult) -> Text:
    """Return the result of a movement in words."""
    meters = None if done.meters is None else distance_text(game, done.meters)
    mass: str | None = None
    if done.reached is not None:
        mass = measure_digits(value_chart.measure(done.reached))
    about = {
        "how": how,
        "meters": meters,
        "mass": mass,
        "shock": done.shock or None,
        "trouble": done.trouble,
        "fainted": done.fainted,
        "gap": done.gap,
        "chase": done.gap is not None,
    }
    return Text("mb-moved", about)


def apply_running_tick(game: Game, passing: Tick) -> TickResult:
    """Undo rounds of running by rest: one for each round of it (MB-SKILL-RUNNING)."""
    if passing.kind not in ("round-end", "encounter-end", "time"):
        return TickResult(game)
    is_round = passing.kind == "round-end"
    for who in passing.who:
        sheet: MasterbookSheet = game.sheet(who)
        if not sheet.rounds_run or (is_round and marks_of(game.state, who, RAN)):
            continue
        rounds_run = sheet.rounds_run - 1 if is_round else 0
        game = game.with_sheet(who, sheet.replace(rounds_run=rounds_run))
    return TickResult(game)
