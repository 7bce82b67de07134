"""What a body can be pushed to: running, climbing, swimming, jumping, lifting, driving (MB-MOV, MB-PSH, MB-LIFT).

`/mb move`, `push`, `lift` and `drive` say how far and how much, and begin what has to be rolled.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.core.record import Record
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks import action_economy, procedure
from rules.systems.masterbook.checks.procedure import (
    ATTRIBUTE,
    COORDINATION,
    DIFFICULTY,
    SKILL,
    Proposal,
    Trying,
)
from rules.systems.masterbook.checks.roll_sources import known
from rules.systems.masterbook.checks.roll_stages import Joining, enlists, together
from rules.systems.masterbook.checks.sheet_damage import harmed
from rules.systems.masterbook.checks.sheet_view import rates_of
from rules.systems.masterbook.checks.state import MINE, TOGETHER, AnyAttempt, Attempt, Plan, Rated
from rules.systems.masterbook.checks.state import difficulty_of as difficulties
from rules.systems.masterbook.checks.view import describe, judged, with_it
from rules.systems.masterbook.combat.healing import GASPED, SUNK, gasped, sunk
from rules.systems.masterbook.combat.supplies import reloaded
from rules.systems.masterbook.formulas import attributes, movement, skills, value_chart
from rules.systems.masterbook.formulas.dice import Throw
from rules.systems.masterbook.formulas.multi_actions import CROWDED, multi, shared
from rules.systems.masterbook.formulas.success_chart import Damage
from rules.table.blocks import ALL, Block, Fact, Note, Text
from rules.table.check import Check, Choice, Prompt
from rules.table.check import Values as Said
from rules.table.checks.procedure import Option, Stage, Step
from rules.table.checks.shared_blocks import veiled
from rules.table.checks.stages import APPROACH, HIDE, MODIFIER, ROLL, said_in
from rules.table.commands import AS, Shows, Starts, called, everybody, starts
from rules.table.forms import Asking, Flag, Form, Many, Number, Pick, Typed, Values, as_written
from rules.table.forms import Option as Offer
from rules.table.marks import mark_total, marks_of, with_marks, without_marks
from rules.table.outcome import Outcome
from rules.table.state import AnyCharacter, Mark, Reveal
from rules.table.system import Game, Tick, TickResult, is_npc

#: Who has run in this round, as a mark; the specialisation by which they keep it up (MB-SKILL-RUNNING).
RAN: Final = "ran"
_LONG_DISTANCES: Final = "long distances"
_CAREFUL, _BREATHES = "careful", "breathes_water"
#: The heaviest thing lifted, in kilograms, and the fastest vehicle, as a value.
_HEAVIEST, _FASTEST, _FARTHEST = 10_000_000, 100, 100_000
#: How far apart the vehicles of a chase are, in metres, as a mark of each driver's; and of what that is where only GMs
#: know, until somebody says it anew: the distance after the next round would tell what came of a hidden one.
GAP, _VEILED = "gap", "veiled"


class Kind(Record):
    """A way to move: the skill, and the movement rate that it is about."""

    skill: str
    rate: attributes.Rate | None = None


KINDS: Final[Mapping[str, Kind]] = {
    "running": Kind("Running", "ground"),
    "swimming": Kind("Swimming", "swimming"),
    "climbing": Kind("Climbing", "climbing"),
    "jumping": Kind("Long Jumping", "jumping"),
    "lifting": Kind("Lifting"),
    "driving": Kind("Vehicle Piloting"),
    "hurry": Kind(""),
}
#: What coordinating goes against where the GM says nothing (MB-CBN-02).
_AGREED: Final = "Average"


class Way(Record):
    """How somebody moves: with a push or without, with care; `mass` in kilograms, `speed` of a vehicle as a value.

    In a chase another vehicle is as fast as its `rival` value, with a `gap` of so many metres between them; who `flees`
    is ahead. What is done in a hurry may be to `reload` a weapon. Who pushes `together` with others coordinates.
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


class Done(Record):
    """What came of it: metres in this round, the shock, what went wrong; of a lift the value reached.

    A `veiled` gap follows from one that only the GMs know.
    """

    metres: Fraction | None = None
    shock: int = 0
    trouble: str = ""
    reached: int | None = None
    fainted: bool = False
    gap: int | None = None
    veiled: bool = False


class Feat(Attempt):
    """Moving as far as it has come; `hows` is what those roll with who push together.

    With `limited` some of the push was given up for half the shock (MB-PSH-02).
    """

    way: Way = Way()
    joined: tuple[str, ...] = ()
    hows: tuple[tuple[str, Rated], ...] = ()
    limited: bool | None = None
    done: Done | None = None


def _skill(asking: Asking) -> str:
    check = asking.check
    how = asking.values.get("how") or (check.data.way.how if check is not None else "running")
    return KINDS.get(how, KINDS["running"]).skill


ROWS: Final = procedure.rows_by(_skill, numbers=True)
FORM: Final = Form(
    (
        Pick("how", choices=as_written(KINDS)),
        Flag("push"),
        Flag("careful"),
        Number("mass", low=1, high=_HEAVIEST),
        Number("speed", low=1, high=_FASTEST),
        Number("gap", high=_FARTHEST),
        Number("rival", low=1, high=_FASTEST),
        Flag("flees"),
        Typed("reload", most=100),
        Many("together", find=procedure.helper, spoken=called, most=10, example="name"),
        *(COORDINATION, SKILL, ATTRIBUTE, DIFFICULTY, ROWS, APPROACH, MODIFIER, HIDE),
    )
)
_RULES: Final = Form(tuple([ROWS if each.key == ROWS.key else each for each in procedure.RULING.fields]))


# --- numbers -------------------------------------------------------------------------------------------------


def _rate(sheet: MasterbookSheet, way: Way) -> int:
    rate = KINDS[way.how].rate
    return 0 if rate is None else rates_of(sheet)[rate]


def difficulty_of(sheet: MasterbookSheet, way: Way, rows: tuple[str, ...], *, said: bool) -> int | None:
    """What moving so goes against before its modifiers; None where somebody has `said` it, or the GM will.

    InvalidInput("mb-no-difficulty") for a climb without what is climbed.
    """
    skill, numbers = KINDS[way.how].skill, dict([procedure.split_row(each) for each in rows])
    if way.how == "hurry":
        return CROWDED
    if way.how == "lifting":
        return value_chart.value(way.mass, "inclusive_up")
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


def held(sheet: MasterbookSheet) -> int:
    """The value that somebody lifts now: without a roll, or where they have pushed it (MB-LIFT-01, MB-LIFT-02)."""
    return movement.capacity(sheet.strength) if sheet.lifted is None else sheet.lifted


def _moved(game: Game, check: Check[Feat], points: int) -> Done:
    """What so many result points come to."""
    data, way = check.data, check.data.way
    sheet: MasterbookSheet = game.sheet((data.leading or (check.actor,))[0])
    rate, rows = _rate(sheet, way), (data.ruling or data.request).rows
    agreed = {"realistic": bool(game.setting("realistic_limits")), "limit": bool(data.limited)}
    if way.how == "hurry":
        return Done(trouble="" if points >= 0 else "no_progress")
    if way.how == "lifting":
        lifted = movement.lift(held(sheet), value_chart.value(way.mass, "inclusive_up"), points, **agreed)
        return Done(None, lifted.shock, "" if lifted.lifted else "no_progress", lifted.reached)
    if way.how == "driving":
        far = movement.driven(way.speed, points) if way.speed else None
        gap = way.gap or mark_total(game.state, check.actor, GAP)
        secret = not way.gap and bool(marks_of(game.state, check.actor, GAP, _VEILED))
        if far is None or not way.rival or not (gap or way.flees or secret):
            return Done(far)
        return Done(far, gap=movement.apart(gap, far, way.rival, flees=way.flees), veiled=secret)
    if way.how == "swimming" and movement.sinks(points, _BREATHES in rows):
        return Done(Fraction(0), movement.DROWNING_SHOCK, "drowning")
    if way.push:
        found = movement.pushed(KINDS[way.how].skill, points, rate, **agreed)
        return Done(found.metres, found.shock, "" if found.trouble == "drowning" else found.trouble)
    if way.how == "climbing":
        metres, trouble = movement.climbed(points, rate, way.careful)
        return Done(metres, trouble=trouble)
    return Done(movement.went(points, rate))


def took(game: Game, who: str, shock: int, *, falls: bool = False) -> tuple[Game, bool]:
    """The game after somebody has taken shock, and has fallen; and whether that has knocked them out."""
    game, facts = harmed(game, who, Damage(knockdown=falls, shock=shock))
    return game, any(what == "fainted" for what, _ in facts)


def ran(game: Game, who: str) -> tuple[Game, int]:
    """The game after a round at a full run, and the shock of it (MB-SKILL-RUNNING)."""
    if action_economy.round_of(game, who) is None:
        return game, 0
    sheet: MasterbookSheet = game.sheet(who)
    sheet = sheet.replace(rounds_run=sheet.rounds_run + 1)
    game = game.with_sheet(who, sheet)
    game = game.with_(with_marks(game.state, who, Mark(RAN, until="round")))
    far = [each for each in known(sheet) if each.special.casefold() == _LONG_DISTANCES]
    long = sum([each.special_adds for each in far if each.skill == "Running"])
    return game, movement.winded(sheet.rounds_run, sheet.endurance, long)


# --- stages --------------------------------------------------------------------------------------------------


class Moving(Proposal):
    """As a check; what it goes against follows from who moves how, where nobody says it."""

    def unasked(self, game: Game, check: AnyAttempt) -> str | None:
        return None if enlists(game, check) else super().unasked(game, check)

    def read_request(self, game: Game, check: Any, values: Said) -> Any:
        action_economy.require_awake(game, check.actor)
        data = check.data
        said = dict(said_in(data.asked))
        way = FORM.make(Way, said)
        check = check.replace(data=data.replace(way=way))
        if SKILL.key not in said:
            skill = KINDS[way.how].skill
            said |= {"skill": skill} if skill else {"attribute": "agility"}
        rows = tuple(said.get(ROWS.key, ()))
        if way.how == "swimming" and game.sheet(check.actor).drowning is not None:
            rows = said[ROWS.key] = ()  # they are in the number that was missed
        if way.careful and _CAREFUL not in rows:
            rows = said[ROWS.key] = (*rows, _CAREFUL)
        number = difficulty_of(game.sheet(check.actor), way, rows, said=DIFFICULTY.key in said)
        if _unknown(game, check):
            said.pop(DIFFICULTY.key, None)
        elif number is not None:
            said[DIFFICULTY.key] = str(number)
        if check.actor in way.together:
            raise InvalidInput("target-is-self", field="together", value=None)
        data = data.replace(
            way=way,
            asked=said,
            free=way.how == "hurry",
            coordination=difficulties(said.get("coordination", _AGREED)) or 0,
            request=FORM.make(Plan, said),
        )
        return check.replace(data=procedure.refresh_from_sheets(game, check.replace(data=data), data))

    def answered(self, game: Game, check: AnyAttempt, answer: str, values: Said) -> Step[Attempt]:
        """Who has gone under against a hidden number comes up against one that follows from it."""
        state = sunk(game, check.actor)
        if answer == ROLL and state is not None and _unknown(game, check):
            values = {DIFFICULTY.key: str(state.number), **values}
        return super().answered(game, check, answer, values)


def _unknown(game: Game, check: Check[Any]) -> bool:
    """Whether somebody is under water, and only the GMs know how deep."""
    swims = check.data.way.how == "swimming" and game.sheet(check.actor).drowning is not None
    return swims and bool(marks_of(game.state, check.actor, SUNK))


MOVING: Final = Moving(FORM, _RULES)


def _pushing(game: Game, check: Check[Feat]) -> tuple[str, ...]:
    """Everybody who pushes: whoever acts, and those who coordinate (MB-CBN-03)."""
    data = check.data
    others = [each for each in data.way.together if each in data.joined or is_npc(game, each)]
    return (check.actor, *others)


def _together(data: Feat) -> tuple[str, ...]:
    """Those who push together."""
    return () if data.throws else data.way.together


class Rolled(Trying):
    """The dice, of coordinating first; lifting goes on where the action before has left it (MB-LIFT-02)."""

    def looked(self, game: Game, check: Any, data: Any) -> Any:
        """The data with what everybody who pushes rolls with now."""
        found, who = procedure.refresh_from_sheets(game, check, data), _pushing(game, check)
        if len(who) == 1 or found.automatic:
            return found
        hows = [(each, procedure.rated_by(game, each, data.request, 0, acting=True)) for each in who]
        return found.replace(hows=tuple(hows))

    def due(self, game: Game, check: Any) -> tuple[Throw, ...]:
        hows = dict(check.data.hows)
        if len(hows) < 2:
            return super().due(game, check)
        there = {(each.who, each.what) for each in check.data.throws}
        made: list[Throw] = []
        for each, how in hows.items():
            for what, rank in ((TOGETHER, 2), (MINE, 1)):
                if (each, what) not in there:
                    ranked = how.plus(("multi_action", multi(rank, 2)))
                    made.append(procedure.thrown(game, check, each, what, ranked))
        return tuple(sorted(made, key=lambda each: each.what != TOGETHER))

    def using(self, game: Game, check: Any) -> Game:
        sheet: MasterbookSheet = game.sheet(check.actor)
        game = super().using(game, check)
        for each in _pushing(game, check)[1:]:
            game = action_economy.used_up(action_economy.spend_action(game, each), each)
        if check.data.way.how != "lifting" or sheet.lifted is None:
            return game
        return game.with_sheet(check.actor, game.sheet(check.actor).replace(lifted=sheet.lifted))


ROLLED: Final = Rolled(hostile=False).stages(Joining(_together))


class Limiting(Stage[Feat]):
    """Some of the push may be given up for half of its shock, where the table plays so (MB-PSH-02)."""

    name = "limit"

    def ask(self, game: Game, check: Check[Feat], /) -> tuple[Prompt, ...]:
        result = check.data.result
        if not game.setting("limit_shock") or result is None or not result.success:
            return ()
        if check.data.limited is not None or not _moved(game, check, result.points).shock:
            return ()
        return (Prompt("limit", (check.actor,), "answer", "full", button="mb-limit"),)

    def options(self, game: Game, check: Check[Feat], prompt: str, who: str, /) -> tuple[Option, ...]:
        return tuple(Option(each, Text("mb-limits", {"less": each == "less"})) for each in ("full", "less"))

    def choose(self, game: Game, check: Check[Feat], choice: Choice, /) -> Step[Feat]:
        return Step(game.state, check.data.replace(limited=choice.option == "less"))


class Moved(Stage[Feat]):
    """It is done: the way is made, shock is taken, somebody falls or goes under."""

    name = "moved"

    def enter(self, game: Game, check: Check[Feat], /) -> Step[Feat] | None:
        data, who = check.data, check.actor
        result = data.result
        if data.done is None and data.automatic and KINDS[data.way.how].rate and not data.way.push:
            return Step(game.state, data.replace(done=_moved(game, check, 0)))
        if data.done is not None or result is None:
            return None
        if data.way.how == "swimming" and game.sheet(who).drowning is not None:
            # Another round of drowning (MB-SKILL-SWIMMING).
            game, facts = gasped(game, who, result.total)
            game = game.with_(with_marks(game.state, who, Mark(GASPED, until="round")))
            came = dict(facts)
            trouble = "saved" if "surfaced" in came else "drowning"
            done = Done(None, came.get("shock", 0), trouble, fainted="fainted" in came)
            return Step(game.state, data.replace(done=done))
        done = _moved(game, check, result.points)
        if data.way.how == "running":
            game, winded = ran(game, who)
            done = done.replace(shock=done.shock + winded)
        if data.way.how == "lifting":
            # What was lifted can be put down: a further try begins from the capacity.
            on = done.reached if done.trouble and result.success else None
            game = game.with_sheet(who, game.sheet(who).replace(lifted=on))
        if done.gap is not None:
            secret = done.veiled or check.hidden
            mark = Mark(GAP, _VEILED if secret else "", done.gap, until="scene")
            marks = [mark] if done.gap or secret else []
            game = game.with_(with_marks(without_marks(game.state, who, GAP), who, *marks))
        if data.way.reload and not done.trouble:
            game = reloaded(game, who, data.way.reload)
        if done.trouble == "drowning":
            hidden = result.number if check.hidden else 0
            game = game.with_sheet(
                who, game.sheet(who).replace(drowning=movement.Drowning(result.number - hidden))
            )
            state = without_marks(game.state, who, SUNK)
            game = game.with_(
                with_marks(state, who, Mark(SUNK, value=hidden, until="used")) if hidden else state
            )
        tried = _pushing(game, check)
        done = done.replace(shock=shared(done.shock, len(tried)))
        for each in tried[1:]:
            game, _ = took(game, each, done.shock)
        game, fainted = took(game, who, done.shock, falls=done.trouble == "fall")
        return Step(game.state, data.replace(done=done.replace(fainted=fainted)))


# --- in words ------------------------------------------------------------------------------------------------


def plain(number: Fraction) -> str:
    """A measure as it is written: `2.5`, `600`, `40000`."""
    if number >= 100:
        return str(round(number))
    return f"{float(number):.{2 if number >= 1 else 4}f}".rstrip("0").rstrip(".")


def length(game: Game, metres: Fraction) -> Text:
    """Metres, and inches where there is a map (MB-MOV-01)."""
    inches = plain(metres / movement.INCH) if game.setting("tactical_map") else None
    return Text("mb-way", {"metres": plain(metres), "inches": inches})


def telling(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    """A check's blocks, and what came of it."""
    found, done = describe(game, check), check.data.done
    if done is None:
        return (*found, *together(check.data.way.together))

    def tell(told: Reveal) -> tuple[Block, ...]:
        # How far it went, and what it took, would tell how well it was done.
        known = done if told != "verdict" else Done(trouble=done.trouble, fainted=done.fainted)
        # What it takes out of an NPC stands on a sheet that only GMs read.
        others = known.replace(
            shock=0 if is_npc(game, check.actor) else known.shock, gap=None if known.veiled else known.gap
        )
        full, plain = [moved(game, check.data.way.how, each) for each in (known, others)]
        return (Note(full, ALL),) if plain == full else veiled(Note(full, ALL), text=plain)

    return with_it(found, *judged(game, check, tell))


def moved(game: Game, how: str, done: Done) -> Text:
    """What came of moving like this."""
    far = None if done.metres is None else length(game, done.metres)
    said = {
        "how": how,
        "metres": far,
        "mass": plain(value_chart.measure(done.reached)) if done.reached is not None else None,
        "shock": done.shock or None,
        "trouble": done.trouble,
        "fainted": done.fainted,
        "gap": done.gap,
        "chase": done.gap is not None,
    }
    return Text("mb-moved", said)


def ticks(game: Game, passing: Tick) -> TickResult:
    """Rest undoes rounds of running: as many as were run (MB-SKILL-RUNNING)."""
    if passing.kind not in ("round-end", "encounter-end", "time"):
        return TickResult(game)
    for who in passing.who:
        sheet: MasterbookSheet = game.sheet(who)
        each_round = passing.kind == "round-end"
        if sheet.rounds_run and not (each_round and marks_of(game.state, who, RAN)):
            game = game.with_sheet(who, sheet.replace(rounds_run=sheet.rounds_run - 1 if each_round else 0))
    return TickResult(game)


_ROLLED: Final = ("swimming", "climbing", "jumping")
_ON_FOOT: Final = ("running", *_ROLLED)


def run_far(game: Game, action: Any, who: AnyCharacter) -> Outcome:
    """As far as one runs without a roll, by an action (MB-MOV-02, MB-SKILL-RUNNING). As `require_turn`, `turns_of`."""
    action_economy.require_turn(game, who)
    action_economy.turns_of(game, who.id)
    metres = movement.in_a_round(rates_of(who.sheet)["ground"])
    game, shock = ran(action_economy.spend_action(game, who.id), who.id)
    game, fainted = took(game, who.id, shock)
    return action_economy.acts_told(game, who, moved(game, "running", Done(metres, shock, fainted=fainted)))


# --- commands ------------------------------------------------------------------------------------------------

#: Who pushes or lifts with whoever acts, by name.
_WITH: Final = Typed("together", most=200, choices=everybody)


def _started(game: Game, given: Values, **more: Any) -> Starts:
    """It begins with what was said: rows of charts and names one by one."""
    lists = {key: given[key].split(",") for key in (ROWS.key, _WITH.key) if key in given}
    listed = {key: [each.strip() for each in found if each.strip()] for key, found in lists.items()}
    return starts("move", **more)(game, {**given, **listed})


def _shown(game: Game, who: AnyCharacter) -> Shows:
    """How far somebody moves in a round: free, and as an action (MB-MOV-01, MB-MOV-02)."""
    rates = {each: _rate(who.sheet, Way(each)) for each in _ON_FOOT}
    ways = {"free": Fraction(movement.free(rates["running"]))}
    ways |= {each: movement.in_a_round(rate, ground=each == "running") for each, rate in rates.items()}
    found = [Fact(Text("mb-moves", {"how": how}), length(game, far), ALL) for how, far in ways.items()]
    return Shows(Text("mb-body-of", {"name": who.name, "what": "move"}), tuple(found))


def _unless_run(game: Game, given: Values) -> Shows | Starts | None:
    """InvalidInput("mb-not-rolled") for what only a roll could need."""
    unused = next((key for key in ("careful", ROWS.key, DIFFICULTY.key) if given.get(key)), None)
    if unused is not None and given.get("how", "running") == "running":
        raise InvalidInput("mb-not-rolled", field=unused, value=None, runs="how" in given)
    if "how" not in given:
        return _shown(game, action_economy.who_acts(game, given))
    return None if given["how"] == "running" else _started(game, given)


def _lift(game: Game, given: Values) -> Shows | Starts:
    """What is light enough is lifted without a roll (MB-LIFT-01)."""
    who = action_economy.who_acts(game, given)
    most = held(who.sheet)
    if "mass" in given and value_chart.value(given["mass"], "inclusive_up") > most:
        return _started(game, given, how="lifting")
    said = {
        "name": action_economy.ref(who),
        "mass": plain(value_chart.measure(most)),
        "lifts": given.get("mass"),
    }
    title = Text("mb-body-of", {"name": who.name, "what": "lift"})
    return Shows(title, (Note(Text("mb-lifts-free", said), ALL),))


def _drive(game: Game, given: Values) -> Starts:
    """InvalidInput("mb-which-chase") for one without both vehicles, or that begins at no distance."""
    near = given.get("gap") or given.get("flees")
    chase = given.get("rival") and given.get("speed")
    if (near or given.get("rival")) and not (
        chase and (near or marks_of(game.state, action_economy.who_acts(game, given).id, GAP))
    ):
        raise InvalidInput("mb-which-chase", field="rival", value=None)
    said = dict(given)
    if vehicle := said.pop("vehicle", ""):
        said["skill"] = f"{KINDS['driving'].skill}: {vehicle}"
    return _started(game, said, how="driving")


def _said(*ways: str) -> Typed:
    """Rows of the charts of these ways to move, or of the one that was chosen."""

    def among(asking: Asking) -> Iterable[Offer]:
        found: dict[str, Offer] = {}
        for way in (asking.values["how"],) if "how" in asking.values else ways:
            asks = Asking(asking.game, asking.check, asking.who, {**asking.values, "how": way})
            found |= {each.value: each for each in ROWS.options(asks)}
        return found.values()

    return Typed(ROWS.key, most=200, choices=among)


_HARD: Final = Typed(DIFFICULTY.key, most=60)
COMMANDS: Final = (
    action_economy.acting(
        *("move", "RunFar", run_far),
        *(Pick("how", choices=as_written(_ON_FOOT)), Flag("careful"), _said(*_ROLLED), _HARD, AS),
        by_one=True,
        instead=_unless_run,
    ),
    action_economy.command(
        "push",
        lambda game, given: _started(game, given, push=True),
        *(Pick("how", choices=as_written(_ON_FOOT), needed=True), _said(*_ON_FOOT), _HARD, _WITH, AS),
    ),
    action_economy.command("lift", _lift, *FORM.part("mass").fields, _WITH, AS),
    action_economy.command(
        "drive",
        _drive,
        *FORM.part("speed", "rival", "gap", "flees").fields,
        *(Typed("vehicle", most=80), _HARD, _said("driving"), AS),
    ),
)
