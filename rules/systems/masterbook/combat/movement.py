"""What a body can be pushed to: running, climbing, swimming, jumping, lifting, driving (MB-MOV,
MB-PSH, MB-LIFT).

`/mb move` and `/mb drive` say how far and how much, and begin what has to be rolled. `/mb move`
also begins the escape from a hold.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.core.record import Record
from rules.systems.masterbook.character.sheet import MasterbookSheet, attribute, option_effects
from rules.systems.masterbook.checks import action_economy, procedure
from rules.systems.masterbook.checks.procedure import (
    ATTRIBUTE,
    COORDINATION,
    DIFFICULTY,
    SKILL,
    AttemptAction,
    CheckProposal,
)
from rules.systems.masterbook.checks.roll_sources import learned_sources
from rules.systems.masterbook.checks.roll_stages import (
    JoinStage,
    companion_notes,
    is_enlisting_npcs,
)
from rules.systems.masterbook.checks.sheet_damage import condition_of, damage_character
from rules.systems.masterbook.checks.sheet_view import rates_of
from rules.systems.masterbook.checks.state import (
    MINE,
    TOGETHER,
    AnyAttempt,
    Attempt,
    Plan,
    Rating,
    difficulty_number,
)
from rules.systems.masterbook.checks.view import describe, graded_for_reveal, with_blocks_below
from rules.systems.masterbook.combat.healing import GASPED, SUNK, drowning_state, gasp_for_air
from rules.systems.masterbook.combat.supplies import with_full_magazine
from rules.systems.masterbook.formulas import attributes, movement, skills, value_chart
from rules.systems.masterbook.formulas.dice import Throw
from rules.systems.masterbook.formulas.multi_actions import (
    CROWDED,
    multi_action_penalty,
    shock_share,
)
from rules.systems.masterbook.formulas.success_chart import Damage
from rules.table.blocks import FOR_EVERYONE, Block, Fact, Note, Text
from rules.table.check import Check, Choice, Prompt
from rules.table.checks.procedure import CheckOption, Stage, StageResult
from rules.table.checks.shared_blocks import full_and_plain
from rules.table.checks.stages import (
    APPROACH_FIELD,
    HIDDEN_BY_GM_FIELD,
    MODIFIER_FIELD,
    ROLL,
    stated_values,
)
from rules.table.commands import (
    AS_FIELD,
    CheckStart,
    CommandResult,
    CommandView,
    check_starter,
    known_character_options,
    spoken_distance,
)
from rules.table.forms import (
    Flag,
    Form,
    FormContext,
    Many,
    Number,
    Option,
    Pick,
    Typed,
    Values,
    plain_options,
)
from rules.table.marks import mark_total, marks_of, with_marks, without_marks
from rules.table.outcome import Outcome
from rules.table.state import AnyCharacter, Mark, Reveal
from rules.table.system import Game, Tick, TickResult, is_npc

#: Who has run in this round, as a mark; the specialization by which they keep it up
#: (MB-SKILL-RUNNING).
RAN: Final = "ran"
_LONG_DISTANCES: Final = "long distances"
_CAREFUL, _BREATHES = "careful", "breathes_water"
#: The heaviest thing lifted, in kilograms, and the fastest vehicle, as a value.
_HEAVIEST, _FASTEST, _FARTHEST = 10_000_000, 100, 100_000
#: How far apart the vehicles of a chase are, in meters, as a mark of each driver's; and of what
#: that is where only GMs know, until somebody says it anew: the distance after the next round would
#: tell what came of a hidden one.
GAP, _VEILED = "gap", "veiled"


class MovementKind(Record):
    """A way to move: the skill, and the movement rate that it is about."""

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
#: What coordinating goes against where the GM says nothing (MB-CBN-02).
_COORDINATION_DIFFICULTY: Final = "Average"


class MovementPlan(Record):
    """How somebody moves: with a push or without, with care; `mass` in kilograms, `speed` of a
    vehicle as a value.

    In a chase another vehicle is as fast as its `rival` value, with a `gap` of so many meters
    between them; who `flees` is ahead. What is done in a hurry may be to `reload` a weapon. Who
    pushes `together` with others coordinates.
    """

    how: str = "running"
    push: bool = False
    careful: bool = False
    mass: int = 0
    speed: int = 0
    gap: int = 0
    rival: int = 0
    flees: bool = False
    reload: str = ""
    together: tuple[str, ...] = ()


class MovementResult(Record):
    """What came of it: meters in this round, the shock, what went wrong; of a lift the value
    reached.

    A `veiled` gap follows from one that only the GMs know.
    """

    meters: Fraction | None = None
    shock: int = 0
    trouble: str = ""
    reached: int | None = None
    fainted: bool = False
    gap: int | None = None
    veiled: bool = False


class MovementAttempt(Attempt):
    """Moving as far as it has come; `hows` is what those roll with who push together.

    With `limited` some of the push was given up for half the shock (MB-PSH-02).
    """

    way: MovementPlan = MovementPlan()
    joined: tuple[str, ...] = ()
    hows: tuple[tuple[str, Rating], ...] = ()
    limited: bool | None = None
    done: MovementResult | None = None


def _skill(asking: FormContext) -> str:
    check = asking.check
    how = asking.values.get("how") or (check.data.way.how if check is not None else "running")
    return MOVEMENT_KINDS.get(how, MOVEMENT_KINDS["running"]).skill


ROWS: Final = procedure.rows_by(_skill, numbers=True)
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
        Many("together", find=procedure.helper, spoken=spoken_distance, most=10, example="name"),
        *(
            COORDINATION,
            SKILL,
            ATTRIBUTE,
            DIFFICULTY,
            ROWS,
            APPROACH_FIELD,
            MODIFIER_FIELD,
            HIDDEN_BY_GM_FIELD,
        ),
    )
)
_RULES: Final = Form(
    tuple([ROWS if each.key == ROWS.key else each for each in procedure.RULING.fields])
)


# --- numbers --------------------------------------------------------------------------------------


def _rate(sheet: MasterbookSheet, way: MovementPlan) -> int:
    rate = MOVEMENT_KINDS[way.how].rate
    return 0 if rate is None else rates_of(sheet)[rate]


def movement_difficulty(
    sheet: MasterbookSheet, way: MovementPlan, rows: tuple[str, ...], *, said: bool
) -> int | None:
    """What moving so goes against before its modifiers; None where somebody has `said` it, or the
    GM will.

    InvalidInput("mb-no-difficulty") for a climb without what is climbed.
    """
    skill, numbers = (
        MOVEMENT_KINDS[way.how].skill,
        dict([procedure.split_row(each) for each in rows]),
    )
    if way.how == "hurry":
        return CROWDED
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
        return movement.push_number(skill, _rate(sheet, way), base=base)
    return None if way.how == "jumping" else skills.difficulty(skill, (), base=base)


def lifting_value(sheet: MasterbookSheet) -> int:
    """The value that somebody lifts now: without a roll, or where they have pushed it (MB-LIFT-01,
    MB-LIFT-02).
    """
    return (
        movement.lift_capacity(attribute(sheet, "strength"))
        if sheet.lifted is None
        else sheet.lifted
    )


def _movement_result(game: Game, check: Check[MovementAttempt], points: int) -> MovementResult:
    """What so many result points come to."""
    data, way = check.data, check.data.way
    sheet: MasterbookSheet = game.sheet((data.leading_total or (check.actor,))[0])
    rate, rows = _rate(sheet, way), (data.ruling or data.request).rows
    agreed = {"realistic": bool(game.setting("realistic_limits")), "limit": bool(data.limited)}
    if way.how == "hurry":
        return MovementResult(trouble="" if points >= 0 else "no_progress")
    if way.how == "lifting":
        lifted = movement.lift(
            lifting_value(sheet),
            value_chart.chart_value(way.mass, "inclusive_up"),
            points,
            **agreed,
        )
        return MovementResult(
            None, lifted.shock, "" if lifted.lifted else "no_progress", lifted.reached
        )
    if way.how == "driving":
        far = movement.vehicle_meters(way.speed, points) if way.speed else None
        gap = way.gap or mark_total(game.state, check.actor, GAP)
        secret = not way.gap and bool(marks_of(game.state, check.actor, GAP, _VEILED))
        if far is None or not way.rival or not (gap or way.flees or secret):
            return MovementResult(far)
        return MovementResult(
            far, gap=movement.chase_gap(gap, far, way.rival, flees=way.flees), veiled=secret
        )
    if way.how == "swimming" and movement.is_sinking(points, _BREATHES in rows):
        return MovementResult(Fraction(0), movement.DROWNING_SHOCK, "drowning")
    if way.push:
        found = movement.resolve_push(MOVEMENT_KINDS[way.how].skill, points, rate, **agreed)
        return MovementResult(
            found.meters, found.shock, "" if found.trouble == "drowning" else found.trouble
        )
    if way.how == "climbing":
        meters, trouble = movement.climb_without_push(points, rate, way.careful)
        return MovementResult(meters, trouble=trouble)
    return MovementResult(movement.meters_without_push(points, rate))


def take_shock(game: Game, who: str, shock: int, *, falls: bool = False) -> tuple[Game, bool]:
    """The game after somebody has taken shock, and has fallen; and whether that has knocked them
    out.
    """
    game, facts = damage_character(game, who, Damage(knockdown=falls, shock=shock))
    return game, any(what == "fainted" for what, _ in facts)


def count_running_round(game: Game, who: str) -> tuple[Game, int]:
    """The game after a round at a full run, and the shock of it (MB-SKILL-RUNNING)."""
    if action_economy.round_of(game, who) is None:
        return game, 0
    sheet: MasterbookSheet = game.sheet(who)
    sheet = sheet.replace(rounds_run=sheet.rounds_run + 1)
    game = game.with_sheet(who, sheet)
    game = game.with_state(with_marks(game.state, who, Mark(RAN, until="round")))
    far = [each for each in learned_sources(sheet) if each.special.casefold() == _LONG_DISTANCES]
    long = sum([each.special_adds for each in far if each.skill == "Running"])
    return game, movement.running_shock(sheet.rounds_run, attribute(sheet, "endurance"), long)


# --- stages ---------------------------------------------------------------------------------------


class MovementProposal(CheckProposal):
    """As a check; what it goes against follows from who moves how, where nobody says it."""

    def automatic_answer(self, game: Game, check: AnyAttempt) -> str | None:
        return None if is_enlisting_npcs(game, check) else super().automatic_answer(game, check)

    def read_request(self, game: Game, check: Any, values: Values) -> Any:
        action_economy.require_awake(game, check.actor)
        data = check.data
        said = dict(stated_values(data.asked))
        way = FORM.make_record(MovementPlan, said)
        check = check.replace(data=data.replace(way=way))
        if SKILL.key not in said:
            skill = MOVEMENT_KINDS[way.how].skill
            said |= {"skill": skill} if skill else {"attribute": "agility"}
        rows = tuple(said.get(ROWS.key, ()))
        if way.how == "swimming" and game.sheet(check.actor).drowning is not None:
            rows = said[ROWS.key] = ()  # they are in the number that was missed
        if way.careful and _CAREFUL not in rows:
            rows = said[ROWS.key] = (*rows, _CAREFUL)
        breathes = option_effects(game.sheet(check.actor)).cannot_drown
        if way.how == "swimming" and breathes and _BREATHES not in rows:
            rows = said[ROWS.key] = (*rows, _BREATHES)
        number = movement_difficulty(
            game.sheet(check.actor), way, rows, said=DIFFICULTY.key in said
        )
        if _is_depth_secret(game, check):
            said.pop(DIFFICULTY.key, None)
        elif number is not None:
            said[DIFFICULTY.key] = str(number)
        if check.actor in way.together:
            raise InvalidInput("target-is-self", field="together", value=None)
        data = data.replace(
            way=way,
            asked=said,
            free=way.how == "hurry",
            coordination=difficulty_number(said.get("coordination", _COORDINATION_DIFFICULTY)) or 0,
            request=FORM.make_record(Plan, said),
        )
        return check.replace(
            data=procedure.refresh_from_sheets(game, check.replace(data=data), data)
        )

    def apply_ruling(
        self, game: Game, check: AnyAttempt, answer: str, values: Values
    ) -> StageResult[Attempt]:
        """Who has gone under against a hidden number comes up against one that follows from it."""
        state = drowning_state(game, check.actor)
        if answer == ROLL and state is not None and _is_depth_secret(game, check):
            values = {DIFFICULTY.key: str(state.number), **values}
        return super().apply_ruling(game, check, answer, values)


def _is_depth_secret(game: Game, check: Check[Any]) -> bool:
    """Whether somebody is under water, and only the GMs know how deep."""
    swims = check.data.way.how == "swimming" and game.sheet(check.actor).drowning is not None
    return swims and bool(marks_of(game.state, check.actor, SUNK))


MOVEMENT_PROPOSAL: Final = MovementProposal(FORM, _RULES)


def _pushers(game: Game, check: Check[MovementAttempt]) -> tuple[str, ...]:
    """Everybody who pushes: whoever acts, and those who coordinate (MB-CBN-03)."""
    data = check.data
    others = [each for each in data.way.together if each in data.joined or is_npc(game, each)]
    return (check.actor, *others)


def _invited_helpers(data: MovementAttempt) -> tuple[str, ...]:
    """Those who push together."""
    return () if data.throws else data.way.together


class MovementRoll(AttemptAction):
    """The dice, of coordinating first; lifting goes on where the action before has left it
    (MB-LIFT-02).
    """

    def refresh_from_sheets(self, game: Game, check: Any, data: Any) -> Any:
        """The data with what everybody who pushes rolls with now."""
        found, who = procedure.refresh_from_sheets(game, check, data), _pushers(game, check)
        if len(who) == 1 or found.is_automatic:
            return found
        hows = [
            (each, procedure.rated_by(game, each, data.request, 0, acting=True)) for each in who
        ]
        return found.replace(hows=tuple(hows))

    def throws_due(self, game: Game, check: Any) -> tuple[Throw, ...]:
        hows = dict(check.data.hows)
        if len(hows) < 2:
            return super().throws_due(game, check)
        there = {(each.who, each.what) for each in check.data.throws}
        made: list[Throw] = []
        for each, how in hows.items():
            for what, rank in ((TOGETHER, 2), (MINE, 1)):
                if (each, what) not in there:
                    ranked = how.with_causes(("multi_action", multi_action_penalty(rank, 2)))
                    made.append(procedure.throw_for(game, check, each, what, ranked))
        return tuple(sorted(made, key=lambda each: each.what != TOGETHER))

    def use_up_effects(self, game: Game, check: Any) -> Game:
        sheet: MasterbookSheet = game.sheet(check.actor)
        game = super().use_up_effects(game, check)
        for each in _pushers(game, check)[1:]:
            game = action_economy.use_up_marks(action_economy.spend_action(game, each), each)
        if check.data.way.how != "lifting" or sheet.lifted is None:
            return game
        return game.with_sheet(check.actor, game.sheet(check.actor).replace(lifted=sheet.lifted))


MOVEMENT_ROLL_STAGES: Final = MovementRoll(hostile=False).stages(JoinStage(_invited_helpers))


class LimitShockStage(Stage[MovementAttempt]):
    """Some of the push may be given up for half of its shock, where the table plays so
    (MB-PSH-02).
    """

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
        return tuple(
            CheckOption(each, Text("mb-limits", {"less": each == "less"}))
            for each in ("full", "less")
        )

    def choose(
        self, game: Game, check: Check[MovementAttempt], choice: Choice, /
    ) -> StageResult[MovementAttempt]:
        return StageResult(game.state, check.data.replace(limited=choice.option == "less"))


class MovementStage(Stage[MovementAttempt]):
    """It is done: the way is made, shock is taken, somebody falls or goes under."""

    name = "moved"

    def enter(
        self, game: Game, check: Check[MovementAttempt], /
    ) -> StageResult[MovementAttempt] | None:
        data, who = check.data, check.actor
        result = data.result
        if (
            data.done is None
            and data.is_automatic
            and MOVEMENT_KINDS[data.way.how].rate
            and not data.way.push
        ):
            return StageResult(game.state, data.replace(done=_movement_result(game, check, 0)))
        if data.done is not None or result is None:
            return None
        if data.way.how == "swimming" and game.sheet(who).drowning is not None:
            # Another round of drowning (MB-SKILL-SWIMMING).
            game, facts = gasp_for_air(game, who, result.total)
            game = game.with_state(with_marks(game.state, who, Mark(GASPED, until="round")))
            came = dict(facts)
            trouble = "saved" if "surfaced" in came else "drowning"
            done = MovementResult(None, came.get("shock", 0), trouble, fainted="fainted" in came)
            ends = ((who, condition_of(game, who)),)
            return StageResult(game.state, data.replace(done=done, ends=ends))
        done = _movement_result(game, check, result.points)
        if data.way.how == "running":
            game, winded = count_running_round(game, who)
            done = done.replace(shock=done.shock + winded)
        if data.way.how == "lifting":
            # What was lifted can be put down: a further try begins from the capacity.
            on = done.reached if done.trouble and result.success else None
            game = game.with_sheet(who, game.sheet(who).replace(lifted=on))
        if done.gap is not None:
            secret = done.veiled or check.hidden
            mark = Mark(GAP, _VEILED if secret else "", done.gap, until="scene")
            marks = [mark] if done.gap or secret else []
            game = game.with_state(with_marks(without_marks(game.state, who, GAP), who, *marks))
        if data.way.reload and not done.trouble:
            game = with_full_magazine(game, who, data.way.reload)
        if done.trouble == "drowning":
            hidden = result.number if check.hidden else 0
            game = game.with_sheet(
                who, game.sheet(who).replace(drowning=movement.Drowning(result.number - hidden))
            )
            state = without_marks(game.state, who, SUNK)
            game = game.with_state(
                with_marks(state, who, Mark(SUNK, value=hidden, until="used")) if hidden else state
            )
        tried = _pushers(game, check)
        done = done.replace(shock=shock_share(done.shock, len(tried)))
        for each in tried[1:]:
            game, _ = take_shock(game, each, done.shock)
        # The check for the fall decides about a climber's knockdown (MB-FALL-01).
        tumbles = done.trouble == "fall" and data.way.how == "running"
        game, fainted = take_shock(game, who, done.shock, falls=tumbles)
        ends = tuple((each, condition_of(game, each)) for each in tried)
        done = done.replace(fainted=fainted)
        return StageResult(game.state, data.replace(done=done, ends=ends))


# --- in words -------------------------------------------------------------------------------------


def measure_digits(number: Fraction) -> str:
    """A measure as it is written: `2.5`, `600`, `40000`."""
    if number >= 100:
        return str(round(number))
    return f"{float(number):.{2 if number >= 1 else 4}f}".rstrip("0").rstrip(".")


def distance_text(game: Game, meters: Fraction) -> Text:
    """Meters, and inches where there is a map (MB-MOV-01)."""
    inches = measure_digits(meters / movement.INCH) if game.setting("tactical_map") else None
    return Text("mb-way", {"meters": measure_digits(meters), "inches": inches})


def describe_movement(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    """A check's blocks, and what came of it."""
    found, done = describe(game, check), check.data.done
    if done is None:
        return (*found, *companion_notes(check.data.way.together))

    def tell(told: Reveal) -> tuple[Block, ...]:
        # How far it went, and what it took, would tell how well it was done.
        known = (
            done
            if told != "verdict"
            else MovementResult(trouble=done.trouble, fainted=done.fainted)
        )
        # What it takes out of an NPC stands on a sheet that only GMs read.
        others = known.replace(
            shock=0 if is_npc(game, check.actor) else known.shock,
            gap=None if known.veiled else known.gap,
        )
        full, plain = [movement_text(game, check.data.way.how, each) for each in (known, others)]
        return (
            (Note(full, FOR_EVERYONE),)
            if plain == full
            else full_and_plain(Note(full, FOR_EVERYONE), text=plain)
        )

    return with_blocks_below(found, *graded_for_reveal(game, check, tell))


def movement_text(game: Game, how: str, done: MovementResult) -> Text:
    """What came of moving like this."""
    far = None if done.meters is None else distance_text(game, done.meters)
    said = {
        "how": how,
        "meters": far,
        "mass": measure_digits(value_chart.measure(done.reached))
        if done.reached is not None
        else None,
        "shock": done.shock or None,
        "trouble": done.trouble,
        "fainted": done.fainted,
        "gap": done.gap,
        "chase": done.gap is not None,
    }
    return Text("mb-moved", said)


def apply_running_tick(game: Game, passing: Tick) -> TickResult:
    """Rest undoes rounds of running: as many as were run (MB-SKILL-RUNNING)."""
    if passing.kind not in ("round-end", "encounter-end", "time"):
        return TickResult(game)
    for who in passing.who:
        sheet: MasterbookSheet = game.sheet(who)
        each_round = passing.kind == "round-end"
        if sheet.rounds_run and not (each_round and marks_of(game.state, who, RAN)):
            game = game.with_sheet(
                who, sheet.replace(rounds_run=sheet.rounds_run - 1 if each_round else 0)
            )
    return TickResult(game)


_ROLLED: Final = ("swimming", "climbing", "jumping")
_ON_FOOT: Final = ("running", *_ROLLED)
_LIFTING: Final = "lifting"
#: Ways out of a hold, and the Attribute that each rolls.
_ESCAPES: Final[Mapping[str, str]] = {"escape": "agility", "escape by strength": "strength"}


def run_far(game: Game, action: Any, who: AnyCharacter) -> Outcome:
    """As far as one runs without a roll, by an action (MB-MOV-02, MB-SKILL-RUNNING). As
    `require_turn`, `turns_of`.
    """
    action_economy.require_turn(game, who)
    action_economy.turns_of(game, who.id)
    meters = movement.in_a_round(rates_of(who.sheet)["ground"])
    game, shock = count_running_round(action_economy.spend_action(game, who.id), who.id)
    game, fainted = take_shock(game, who.id, shock)
    return action_economy.report_act(
        game, who, movement_text(game, "running", MovementResult(meters, shock, fainted=fainted))
    )


# --- commands -------------------------------------------------------------------------------------

#: Who pushes or lifts with whoever acts, by name.
_WITH: Final = Typed("together", most=200, choices=known_character_options)


def _start_movement(game: Game, given: Values, **more: Any) -> CheckStart:
    """It begins with what was said: rows of charts and names one by one."""
    lists = {key: given[key].split(",") for key in (ROWS.key, _WITH.key) if key in given}
    listed = {key: [each.strip() for each in found if each.strip()] for key, found in lists.items()}
    return check_starter("move", **more)(game, {**given, **listed})


def _show_distances(game: Game, who: AnyCharacter) -> CommandView:
    """How far somebody moves in a round: free, and as an action (MB-MOV-01, MB-MOV-02)."""
    rates = {each: _rate(who.sheet, MovementPlan(each)) for each in _ON_FOOT}
    ways = {"free": Fraction(movement.free(rates["running"]))}
    ways |= {
        each: movement.in_a_round(rate, ground=each == "running") for each, rate in rates.items()
    }
    found = [
        Fact(Text("mb-moves", {"how": how}), distance_text(game, far), FOR_EVERYONE)
        for how, far in ways.items()
    ]
    return CommandView(Text("mb-body-of", {"name": who.name, "what": "move"}), tuple(found))


def _lift(game: Game, given: Values) -> CommandView | CheckStart:
    """What is light enough is lifted without a roll (MB-LIFT-01)."""
    who = action_economy.commanding_character(game, given)
    most = lifting_value(who.sheet)
    if "mass" in given and value_chart.chart_value(given["mass"], "inclusive_up") > most:
        return _start_movement(game, given)
    said = {
        "name": action_economy.ref(who),
        "mass": measure_digits(value_chart.measure(most)),
        "lifts": given.get("mass"),
    }
    title = Text("mb-body-of", {"name": who.name, "what": "lift"})
    return CommandView(title, (Note(Text("mb-lifts-free", said), FOR_EVERYONE),))


def _chosen_way(game: Game, given: Values) -> str:
    """Return the way to move that `how` names, or that the other options imply; "" for none.

    NotFound("unknown-choice", "ambiguous-choice").
    """
    if "how" in given:
        return HOW.find_value(FormContext(game), given["how"])
    if "mass" in given:
        return _LIFTING
    return "running" if given.get("push") else ""


def _usable_options(way: str, *, push: bool) -> frozenset[str]:
    """Return the options of `/mb move` that mean something for a way to move."""
    if way in _ESCAPES:
        return frozenset((APPROACH_FIELD.key,))
    if way == _LIFTING:
        return frozenset(("mass", _WITH.key, APPROACH_FIELD.key))
    rolled = (ROWS.key, DIFFICULTY.key, APPROACH_FIELD.key)
    if push:
        return frozenset(("push", _WITH.key, *rolled))
    if way == "climbing":
        return frozenset(("careful", *rolled))
    return frozenset(rolled if way in _ROLLED else ())


def _require_usable(way: str, given: Values) -> None:
    """Check that the way to move uses all options.

    Raises:
        InvalidInput("mb-not-rolled"): an option is only for rolls, and nothing is rolled.
        InvalidInput("mb-move-unused"): the way to move has no such option.
    """
    usable = _usable_options(way, push=bool(given.get("push")))
    told = [each.key for each in _MOVE_FIELDS if given.get(each.key)]
    unused = [key for key in told if key not in usable and key not in ("how", AS_FIELD.key)]
    if not unused:
        return
    field = unused[0]
    free = way in ("", "running") and not given.get("push")
    if free and field in ("careful", ROWS.key, DIFFICULTY.key, APPROACH_FIELD.key):
        raise InvalidInput("mb-not-rolled", field=field, value=None, runs=bool(way))
    raise InvalidInput("mb-move-unused", field=field, value=None, option=field)


def _move(game: Game, given: Values) -> CommandResult:
    """Move in the chosen way; without one, show how far the character moves.

    Raises as `_chosen_way` and `_require_usable`.
    """
    way = _chosen_way(game, given)
    _require_usable(way, given)
    said = {key: value for key, value in given.items() if key != "how"}
    if not way:
        return _show_distances(game, action_economy.commanding_character(game, given))
    if way in _ESCAPES:
        return check_starter("escape", how=_ESCAPES[way])(game, said)
    if way == _LIFTING:
        return _lift(game, {**said, "how": way})
    if way == "running" and not given.get("push"):
        return _RUN(game, said)
    return _start_movement(game, {**said, "how": way})


def _drive(game: Game, given: Values) -> CheckStart:
    """InvalidInput("mb-which-chase") for one without both vehicles, or that begins at no
    distance.
    """
    near = given.get("gap") or given.get("flees")
    chase = given.get("rival") and given.get("speed")
    if (near or given.get("rival")) and not (
        chase
        and (near or marks_of(game.state, action_economy.commanding_character(game, given).id, GAP))
    ):
        raise InvalidInput("mb-which-chase", field="rival", value=None)
    said = dict(given)
    if vehicle := said.pop("vehicle", ""):
        said["skill"] = f"{MOVEMENT_KINDS['driving'].skill}: {vehicle}"
    return _start_movement(game, said, how="driving")


def _ways_to_move(asking: FormContext) -> Iterable[Option]:
    """Return the values of `how`, which the bot completes: Discord would count them as text."""
    ways = (*_ON_FOOT, _LIFTING, *_ESCAPES)
    return tuple(Option(each, Text("mb-move-way", {"way": each})) for each in ways)


def _rows_field(*ways: str) -> Typed:
    """Rows of the charts of these ways to move, or of the one that was chosen."""

    def among(asking: FormContext) -> Iterable[Option]:
        found: dict[str, Option] = {}
        for way in (asking.values["how"],) if "how" in asking.values else ways:
            asks = FormContext(asking.game, asking.check, asking.who, {**asking.values, "how": way})
            found |= {each.value: each for each in ROWS.options(asks)}
        return found.values()

    return Typed(ROWS.key, most=200, choices=among)


_HARD: Final = Typed(DIFFICULTY.key, most=60)
HOW: Final = Pick("how", choices=_ways_to_move)
_MOVE_FIELDS: Final = (
    HOW,
    Flag("push"),
    Flag("careful"),
    *FORM.part("mass").fields,
    _rows_field(*_ON_FOOT),
    _HARD,
    _WITH,
    APPROACH_FIELD,
    AS_FIELD,
)
_RUN: Final = action_economy.acts_by("RunFar", run_far, AS_FIELD, by_one=True)
ACTS: Final = (_RUN,)
COMMANDS: Final = (
    action_economy.command("move", _move, *_MOVE_FIELDS),
    action_economy.command(
        "drive",
        _drive,
        *FORM.part("speed", "rival", "gap", "flees").fields,
        *(Typed("vehicle", most=80), _HARD, _rows_field("driving"), AS_FIELD),
    ),
)
