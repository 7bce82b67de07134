"""Special effects, spells and psionics in use: paid for, thrown, and what they do (EGO-FX-02 to 04, EGO-MAG-02, 03)."""

from __future__ import annotations

from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, NotFound
from rules.core.names import the_one
from rules.core.record import record
from rules.systems.ego import dice, effects, fighting, harm, ranged
from rules.systems.ego.aiming import BLOCK, DEFEND, FACTORS, TUMBLE
from rules.systems.ego.attack_telling import damage_of, factor_lines
from rules.systems.ego.attempt import DIFFICULTY, KARMA, karma_paid
from rules.systems.ego.chances import karma_odds, require_waiting
from rules.systems.ego.check import NEEDED_MOST, rating
from rules.systems.ego.creation import POOLS
from rules.systems.ego.facing import Facing, defences, tumbled
from rules.systems.ego.fighters import impaired, in_round
from rules.systems.ego.rounds import pay, tick
from rules.systems.ego.sheet import EgoSheet, Power, ability_dice, counted, flag, level_of, titled
from rules.systems.ego.standing import sources_of
from rules.systems.ego.tables import Effect, effects_of
from rules.systems.ego.telling import (
    is_npc,
    labelled,
    numbers_of,
    outcome,
    shift_lines,
    term_lines,
    thrown_for,
)
from rules.systems.ego.trials import Out, Staying, Trial, Trials, Trying, describe, hurt
from rules.table.blocks import ALL, GMS_ONLY, Block, Fact, Quote, Ref, Text, Verdict
from rules.table.checks.check import Check, Values
from rules.table.checks.describing import DIFFICULTY as DIFFICULTY_IS
from rules.table.checks.describing import asked_and_noted, tone, veiled
from rules.table.checks.procedure import Forecast, Procedure, Stage, Step
from rules.table.checks.stages import (
    APPROACH,
    FREE,
    HIDDEN,
    HIDE,
    IMPOSSIBLE,
    MODIFIER,
    NOTE,
    ROLL,
    Proposed,
    Ready,
)
from rules.table.events import Line
from rules.table.forms import Asking, Form, Option, Pick, as_written
from rules.table.marks import with_marks
from rules.table.state import Mark, Reveal
from rules.table.system import Game, Passing, Told

#: What is thrown: the effect, and what somebody sets against it.
CAST: Final = "effect"
_AGAINST: Final = (DEFEND, BLOCK, TUMBLE)
#: The mark of an effect that lasts, and how many rounds a minute has.
LASTS: Final = "effect"
_ROUNDS_A_MINUTE: Final = 6
_SKILLS: Final = {source: skill for skill, source in POOLS.items()}


def title_of(power: Power) -> str:
    """`Fire`, and `Fire (magic)` for what is cast with points."""
    return titled(power.name, power.source if power.source in _SKILLS else "")


def usable(sheet: EgoSheet) -> dict[str, Power]:
    """What somebody may use, by what it is called."""
    return {title_of(each): each for each in sheet.powers}


def _effects(asking: Asking) -> tuple[Option, ...]:
    return () if asking.sheet is None else as_written(usable(asking.sheet))


def _find(asking: Asking, text: str) -> str:
    """NotFound("unknown-choice", "ambiguous-choice")."""
    names = tuple(usable(asking.sheet))
    if not names:
        who = asking.game.called(asking.who)
        raise NotFound("ego-no-effects", field="effect", value=text[:100], name=who)
    return the_one(names, text, field="effect")


_RANGE: Final = Pick("range", among=as_written(ranged.BANDS))
_TIMED: Final = flag("timed")
FORM: Final = Form(
    (
        Pick("effect", among=_effects, find=_find, needed=True),
        counted("points", 50, 1, 2, 3, 4, 5, low=1, what="put"),
        DIFFICULTY,
        _RANGE,
        flag("touch"),
        _TIMED,
        KARMA,
        APPROACH,
        HIDE,
        *FACTORS,
    )
)
RULING: Final = Form((DIFFICULTY, _RANGE, _TIMED, *FACTORS, MODIFIER, HIDDEN, NOTE))


@record
class Cast(Trials):
    """One use of an effect: with its rating, or with so many points of a pool; the damage dice where it harms.

    `needed` are the successes it takes, with what has `moved` them; `factors` are what of EGO-RNG-02 there is at range,
    `met` what somebody who is attacked sets against it: that adds to them. `terms` are what the pool of an attack spell
    consists of.
    """

    effect: str = ""
    rating: int = 0
    points: int = 0
    band: str = ""
    factors: tuple[str, ...] = ()
    touch: bool = False
    timed: bool = False
    needed: int = 0
    moved: tuple[tuple[str, int], ...] = ()
    met: tuple[str, ...] = ()
    modifier: int = 0
    terms: tuple[tuple[str, int], ...] = ()
    faces: tuple[int, ...] = ()
    dealt: int = 0

    @property
    def harms(self) -> bool:
        """Whether it is an attack."""
        return self.touch or bool(self.band)


AnyCast = Check[Cast]


def _power(sheet: EgoSheet, name: str) -> Power:
    """Impossible("ego-gone") for what somebody has no more."""
    found = usable(sheet).get(name)
    if found is None:
        raise Impossible("ego-gone", name=name)
    return found


def _left(game: Game, sheet: EgoSheet, power: Power, points: int) -> int:
    """The pool after it. Raises as `effects.spent`."""
    row: Effect = effects_of(game.campaign)[power.name]
    level = level_of(sheet, _SKILLS[power.source])
    return effects.spent(points, level, getattr(sheet, power.source) or 0, row.most)


class Wished(Proposed[Cast]):
    """A GM says how hard it is; an attack goes by its range, or by the defence of who is touched."""

    dice = "casting"
    free = "landed"

    def __init__(self) -> None:
        super().__init__(FORM, RULING, (ROLL, FREE, IMPOSSIBLE), wanted="level")

    def measured(self, check: AnyCast) -> bool:
        return not check.data.harms

    def asked(self, game: Game, check: AnyCast, values: Values) -> AnyCast:
        said: dict[str, Any] = dict(check.data.asked)
        sheet: EgoSheet = game.sheet(check.actor)
        power = _power(sheet, str(said["effect"]))
        if effects_of(game.campaign)[power.name].enhances:
            raise Impossible("ego-always-on", name=power.name)
        if ("range" in said or "touch" in said) and check.target is None:
            raise InvalidInput("which-target", field="target", value=None, wanted="victim")
        points = int(said.get("points", 0)) or 1
        spell = power.source in _SKILLS
        if spell:
            _left(game, sheet, power, points)
        elif "points" in said:
            raise InvalidInput("ego-leave-out", field="points", value=points, name=power.name)
        dice.karma_paid(sheet.karma, int(said.get("karma", 0)))
        data = check.data.but(
            effect=title_of(power),
            rating=points if spell else power.rating,
            points=points if spell else 0,
            band=str(said.get("range", "")),
            touch="touch" in said,
            timed="timed" in said,
            karma=int(said.get("karma", 0)),
        )
        return check.but(data=data)

    def ruled(self, game: Game, check: AnyCast) -> Cast:
        data = check.data
        said: dict[str, Any] = dict(data.ruled or {})
        level = impaired(game, game.sheet(check.actor))
        harder = harm.DIFFICULTY[level]
        moved = {"impairment": harder, "tumbling": 0}
        if data.touch:
            moved["tumbling"] = game.sheet(check.target or "").round.tumbling
        data = data.but(
            timed=data.timed or "timed" in said,
            modifier=int(said.get("modifier", 0)),
            moved=tuple([(why, number) for why, number in moved.items() if number]),
        )
        if data.touch:
            return data.but(needed=fighting.to_beat(0, tumbling=moved["tumbling"], impaired=harder) + 1)
        if band := str(said.get("range", data.band)):
            factors = tuple([each for each in ranged.FACTORS if each.replace("_", " ") in said])
            needed = ranged.difficulty(band, factors, impairment=level)
            return data.but(band=band, factors=factors, needed=needed)
        if data.answer != ROLL:
            return data
        base = rating(str(said["difficulty"]), near_impossible=game.setting("near_impossible_successes"))
        if base is None:
            raise InvalidInput(
                "ego-how-many", field="difficulty", value=said["difficulty"], highest=NEEDED_MOST
            )
        return data.but(needed=base + harder if base else 0)


class Prepared(Ready[Cast]):
    """Its owner rolls, when they like."""


class Casting(Stage[Cast]):
    """Action Points, Karma and points of the pool are gone, whatever comes of it (EGO-MAG-02)."""

    name = "casting"

    def enter(self, game: Game, check: AnyCast, /) -> Step[Cast] | None:
        data, who = check.data, check.actor
        if data.trials or not data.needed:
            return None
        game, penalty = _paid(game, check)
        number, about = _pool(game, check)
        # Where something may be set against it, that adds to what it takes.
        needed = 0 if data.harms else data.needed
        made = Trial(who, CAST, number - penalty, needed, about, data.karma)
        return Step(game.state, data.but(trials=(made,), terms=_terms(game, check)))


def _pool(game: Game, check: AnyCast) -> tuple[int, tuple[str, ...]]:
    """Dice of the roll besides those of Karma, and the abilities whose dice are among them (EGO-MAG-03)."""
    data, sheet = check.data, game.sheet(check.actor)
    if not (data.harms and data.points):
        return data.rating + data.modifier, ()
    skill = level_of(sheet, _SKILLS[_power(sheet, data.effect).source])
    return effects.casting_pool(skill, ability_dice(sheet, "intellect")) + data.modifier, ("intellect",)


def _terms(game: Game, check: AnyCast) -> tuple[tuple[str, int], ...]:
    """What the pool of an attack spell consists of."""
    data, sheet = check.data, game.sheet(check.actor)
    if not (data.harms and data.points) or sheet.profile is not None:
        return ()
    skill = _SKILLS[_power(sheet, data.effect).source]
    own = (skill, level_of(sheet, skill)), ("Intellect", ability_dice(sheet, "intellect"))
    more = {"modifier": data.modifier, "karma": data.karma}
    return (*own, *[each for each in more.items() if each[1]])


def _met(check: AnyCast) -> bool:
    """Whether somebody is attacked with it, who could set something against it."""
    return check.data.harms and bool(check.data.trials) and check.target is not None


class Faced(Facing[Cast]):
    """Whoever is attacked with it sets something against it, as against any attack (EGO-FX-04, EGO-DEF-01 to 03)."""

    def close(self, check: AnyCast) -> bool | None:
        return check.data.touch if _met(check) else None


class Meeting(Stage[Cast]):
    """What that is goes into the roll of both."""

    name = "meeting"

    def enter(self, game: Game, check: AnyCast, /) -> Step[Cast] | None:
        data, who = check.data, check.target or ""
        if not _met(check):
            return None
        found = defences(game, game.sheet(who), data.met, close=data.touch)
        theirs = [Trial(who, what, size, 0, about) for what, size, about in found]
        return Step(game.state, data.but(trials=(*theirs, *data.trials))) if theirs else None


def _paid(game: Game, check: AnyCast) -> tuple[Game, int]:
    """The game after it is paid for, and the dice that over-spending takes."""
    data, who = check.data, check.actor
    game, penalty = pay(game, who, fighting.COSTS["effect"], check.round)
    game = karma_paid(game, who, data.karma, check.round)
    if data.points:
        sheet: EgoSheet = game.sheet(who)
        power = _power(sheet, data.effect)
        game = game.put(who, sheet.but(**{power.source: _left(game, sheet, power, data.points)}))
    return game, penalty


class Rolling(Trying[Cast]):
    """Whoever uses it, and whoever is touched, changes their own dice."""

    def mine(self, check: Check[Any], who: str | None = None) -> list[dice.Throw]:
        thrown = check.data.throws
        return [each for each in thrown if who in (None, each.who) and each.what in (CAST, *_AGAINST)]


def number_of(data: Cast) -> int:
    """What has to be reached: in a touch one more than the defence has (EGO-ATK-01)."""
    return data.needed + sum([successes(data, each) for each in _AGAINST])


def successes(data: Cast, what: str = CAST) -> int:
    """What the user's dice show, or others."""
    return next((each.pool.successes for each in data.throws if each.what == what), 0)


def works(data: Cast) -> bool:
    """Whether it does what it should; what needs no roll always."""
    if data.answer == FREE or not data.needed:
        return data.answer != IMPOSSIBLE
    return 0 < successes(data) >= number_of(data)


class Landed(Stage[Cast]):
    """What it does: damage by its dice, or for as many rounds as its rating (EGO-FX-03, EGO-FX-04)."""

    name = "landed"

    def enter(self, game: Game, check: AnyCast, /) -> Step[Cast] | None:
        data, who = check.data, check.actor
        if data.over:
            return None
        if not data.trials:
            game, _ = _paid(game, check)
        data = data.but(over=True)
        if TUMBLE in data.met:
            game = tumbled(game, check.target or "", successes(data, TUMBLE))
        if not works(data):
            return Step(game.state, data)
        if data.harms and check.target in game.state.characters:
            game, data = self._harm(game, check, data)
        if data.timed:
            rounds = effects.rounds(data.rating)
            game = game.with_(with_marks(game.state, who, _lasting(game, check, rounds)))
            data = data.but(came=(*data.came, Line("ego-lasts", {"rounds": rounds, "who": Ref(who)})))
        return Step(game.state, data)

    def _harm(self, game: Game, check: AnyCast, data: Cast) -> tuple[Game, Cast]:
        counts = game.setting("excess_successes_to_damage") and not data.points
        more = harm.excess(successes(data), number_of(data), counts=counts) if data.throws else 0
        faces = dice.throw(game.dice(check, check.actor), effects.damage_dice(data.rating) + more).faces
        points = harm.damage(faces, 0, game.setting("damage_halving"))
        return hurt(game, data.but(faces=faces, dealt=points), check.target or "", points, check.round)


def _lasting(game: Game, check: AnyCast, rounds: int) -> Mark:
    """An effect that lasts: counted by rounds, or by the story's minutes where there are none."""
    data = check.data
    if check.round is not None:
        return Mark(LASTS, data.effect, data.rating, until="round", at=check.round + rounds - 1, by=check.id)
    minutes = -(-rounds // _ROUNDS_A_MINUTE)
    return Mark(LASTS, data.effect, data.rating, until="time", at=game.time + minutes, by=check.id)


def passed(game: Game, passing: Passing) -> Told:
    """Effects that have lasted their time end."""
    ended = [
        (who, tick(game, who, "effect", effect=mark.what))
        for who, marks in passing.ends.items()
        for mark in marks
        if mark.key == LASTS
    ]
    return Told(game, tuple(ended))


# --- telling ---------------------------------------------------------------------------------------------------


def _describe(game: Game, check: AnyCast) -> tuple[Block, ...]:
    data = check.data
    uses = Text("ego-uses", {"effect": data.effect, "rating": data.rating})
    full: Fact = Fact(Text("check-with"), uses, ALL)
    found: list[Block] = [full]
    npc = is_npc(game, check.actor)
    if npc:  # how strong it is only GMs read
        name = Text("as-written", {"text": data.effect})
        found = [*veiled(full, value=name)]
    if data.terms and not npc:  # another pool than that of its damage
        found.append(labelled("pool", term_lines(data.terms)))
    if data.band and data.needed:
        text = Text("ego-range", {"number": data.needed, "band": data.band})
        found.append(Fact(DIFFICULTY_IS, text, ALL))
    if check.approach:
        found.append(Quote(check.approach, check.by, ALL))
    if data.points and (data.throws or data.over):
        found.append(labelled("points", data.points, GMS_ONLY if npc else ALL))
    if data.touch and data.throws:
        found += thrown_for(check, (labelled("beat", _told(data)),))
    factors, moved = factor_lines(data.factors), () if check.hidden else shift_lines(data.moved)
    if factors or moved:
        adjusted = Fact(Text("check-adjustments"), (*factors, *moved), ALL)
        if npc and moved:  # how it is only GMs read
            only = (adjusted.but(seen=GMS_ONLY),)
            found += veiled(adjusted, value=factors) if factors else only
        else:
            found.append(adjusted)
    if data.faces:
        found += thrown_for(check, damage_of(game, check.actor, data.faces, data.dealt))
    found += asked_and_noted(check)
    return describe(game, check, *found, verdict=lambda told: _verdicts(game, check, told))


def _told(data: Cast) -> int:
    """The number as it is told: in a touch what has to be beaten."""
    return number_of(data) - data.touch


def _verdicts(game: Game, check: AnyCast, told: Reveal) -> tuple[Verdict, ...]:
    """How it came out; how well an NPC did it only GMs read."""
    data = check.data
    seen_as = tone(game, check, good=works(data), rivals=data.harms)
    if data.answer == IMPOSSIBLE:
        return (Verdict(Text("check-cannot"), seen_as, ALL, worked=False),)
    if not data.throws and not data.over:
        return ()
    good = works(data)
    if data.harms:
        found = Verdict(Text("check-hit" if good else "check-miss"), seen_as, ALL)
    else:
        found = Verdict(outcome(good), seen_as, ALL, worked=good)
    if not data.throws or told == "degree":
        return (found,)
    full = found.but(numbers=numbers_of(successes(data), _told(data), told))
    return (full.but(seen=GMS_ONLY), found.but(unless=GMS_ONLY)) if is_npc(game, check.actor) else (full,)


def _forecast(game: Game, check: AnyCast) -> Forecast:
    """The odds of an effect that waits for its roll. Impossible("not-answered", "odds-unmeasured"), Outdated."""
    data = check.data
    require_waiting(check)
    if data.touch or not data.needed:
        raise Impossible("odds-unmeasured")
    number, about = _pool(game, check)
    sheet: EgoSheet = in_round(game, check.actor, check.round).sheet(check.actor)
    chances = karma_odds(sheet, sources_of(sheet, about), number, data.karma, data.needed)
    return Forecast((Text("ego-uses", {"effect": data.effect, "rating": data.rating}),), (), chances)


_WISHED: Final = Wished()
PROCEDURE: Final = Procedure(
    "effect",
    (
        _WISHED,
        Prepared(_WISHED),
        Casting(),
        Faced(),
        Meeting(),
        Rolling(),
        Landed(),
        Staying[Cast](),
        Out[Cast](),
    ),
    data=Cast,
    form=FORM,
    begin=_WISHED.proposed,
    describe=_describe,
    odds=_forecast,
)
