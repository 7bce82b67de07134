"""Use of special effects, spells and psionics: payment, roll and results.

EGO-FX-02 to EGO-FX-04, EGO-MAG-02, EGO-MAG-03.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, NotFound, RulesError
from rules.core.name_matching import unique_match
from rules.systems.ego.character.combat_values import (
    impairment_of,
    needs_gm_ruling,
    require_alive,
    with_current_round,
)
from rules.systems.ego.character.creation import POOLS
from rules.systems.ego.character.labels import labeled_fact
from rules.systems.ego.character.pools import Terms, dice_in, penalty_terms
from rules.systems.ego.character.sheet import (
    EgoSheet,
    Power,
    ability_dice,
    choices_from_sheet,
    flag,
    level_of,
    number_field,
    title_with_field,
)
from rules.systems.ego.checks.group_rolls import (
    STAYING,
    TUMBLE,
    Trial,
    Trials,
    apply_damage,
    damage_step,
    describe,
    roll_damage,
)
from rules.systems.ego.checks.odds import karma_odds
from rules.systems.ego.checks.procedure import (
    DIFFICULTY,
    FREE_OF_COST,
    KARMA,
    level_line,
    successes_for,
)
from rules.systems.ego.checks.roll_stages import HURT, sources_of
from rules.systems.ego.checks.rounds import (
    cost_forecast,
    pay_cost,
    require_payable,
    tick_line,
)
from rules.systems.ego.checks.view import (
    adjusted,
    blocks_by_audience,
    cost_line,
    for_audiences,
    numbers_of,
    outcome,
    pool_line,
    shift_lines,
    term_lines,
    with_hidden_difficulty,
)
from rules.systems.ego.combat.declaration import AGAINST, FACTORS, successes
from rules.systems.ego.combat.defense import DefenseStage, with_tumbling
from rules.systems.ego.combat.view import (
    damage_of,
    factor_lines,
    range_facts,
    struck_lines,
    would_take_lines,
)
from rules.systems.ego.command_forms import unwanted_error
from rules.systems.ego.formulas import (
    action_points,
    close_combat,
    damage,
    dice,
    effects,
    pool_odds,
    ranged,
)
from rules.systems.ego.formulas.action_points import Forecast
from rules.systems.ego.formulas.reference_rows import Effect, rows_of
from rules.table.blocks import FOR_EVERYONE, Block, Fact, Note, Ref, Text, Verdict
from rules.table.check import Check, Values
from rules.table.checks import stages
from rules.table.checks.procedure import (
    CheckOdds,
    Procedure,
    RollPreview,
    StageResult,
    has_throws,
)
from rules.table.checks.shared_blocks import (
    DIFFICULTY_LABEL,
    WITH_LABEL,
    NumberChange,
    approach_blocks,
    dice_result_blocks,
    gm_quotes,
    hidden_difficulty_blocks,
    no_roll_verdict,
    result_tone,
)
from rules.table.forms.fields import FormContext, Pick, plain_options
from rules.table.forms.form import Form
from rules.table.marks import with_marks
from rules.table.state import Mark, Reveal
from rules.table.system import Game, Tick, TickResult, is_npc

#: Roll of an effect.
CAST: Final = "effect"
#: Mark of an effect that lasts, and the rounds of a minute.
LASTS: Final = "effect"
_ROUNDS_A_MINUTE: Final = 6
_SKILLS: Final = {source: skill for skill, source in POOLS.items()}


def title_of(power: Power) -> str:
    """Return the title of an effect: `Fire`, or `Fire (magic)` if it is cast with points."""
    return title_with_field(power.name, power.source if power.source in _SKILLS else "")


def usable(sheet: EgoSheet) -> dict[str, Power]:
    """Return the effects that a character may use, by title."""
    return {title_of(power): power for power in sheet.powers}


def _find(asking: FormContext, text: str) -> str:
    """Return the title of the effect that *text* names.

    Raises NotFound("ego-no-effects", "unknown-choice", "ambiguous-choice").
    """
    names = tuple(usable(asking.sheet))
    if not names:
        who = asking.game.display_name(asking.who)
        raise NotFound("ego-no-effects", field="effect", value=text[:100], name=who)
    return unique_match(names, text, field="effect")


_RANGE: Final = Pick("range", choices=plain_options(ranged.BANDS))
_TIMED: Final = flag("timed")
_EFFECT: Final = Pick(
    "effect", choices=choices_from_sheet(lambda game, sheet: usable(sheet)), find=_find, needed=True
)
_POINTS: Final = number_field("points", 50, 1, 2, 3, 4, 5, low=1, what="put")
_HOW: Final = (
    DIFFICULTY,
    _RANGE,
    flag("touch"),
    _TIMED,
    KARMA,
    stages.APPROACH_FIELD,
    stages.HIDDEN_BY_GM_FIELD,
)
#: Fields on how an effect strikes, as for any attack.
STRIKES: Final = (*FACTORS, flag("non-lethal", hidden_if=stages.gm_only_error))
FORM: Final = Form(
    (_EFFECT, _POINTS, *_HOW, *STRIKES), leading=("effect", "range", "points", "difficulty")
)


def _aimed_error(asking: FormContext, word: str) -> RulesError | None:
    """Return the refusal of a difficulty that the range or the target's defense gives, or None.

    A difficulty that the GM chose before the range stays in the panel, so that the GM can clear it.
    """
    check, values = asking.check, asking.values
    harms = check is not None and check.data.harms
    if not harms and (values.get(DIFFICULTY.key) or not values.get("range")):
        return None
    touched = check is not None and check.data.touch
    return InvalidInput("ego-aimed", field=DIFFICULTY.key, value=word, touch=touched)


def _two_difficulties(asking: FormContext) -> Iterable[RulesError]:
    if DIFFICULTY.key in asking.values and "range" in asking.values:
        yield InvalidInput("ego-aimed", field=DIFFICULTY.key, value=None, both=True)


RULING: Final = Form(
    (
        DIFFICULTY.replace(hidden_if=_aimed_error),
        _RANGE,
        _TIMED,
        *STRIKES,
        stages.MODIFIER_FIELD,
        FREE_OF_COST,
        stages.HIDDEN_FIELD.replace(hidden_if=_aimed_error),
        stages.NOTE_FIELD,
    ),
    check=_two_difficulties,
)


class Cast(Trials):
    """One use of an effect."""

    #: Title of the effect.
    effect: str = ""
    #: Rating of the effect, or the points that a spell is cast with.
    rating: int = 0
    #: Points of a pool that a spell takes; otherwise 0.
    points: int = 0
    band: str = ""
    #: Factors of EGO-RNG-02 that apply at range.
    factors: tuple[str, ...] = ()
    touch: bool = False
    #: Whether the effect always lasts, by the rules.
    lasts: bool = False
    #: Whether this use of the effect lasts.
    timed: bool = False
    #: Whether a GM makes the damage non-lethal.
    stuns: bool = False
    #: Successes needed, with the changes in `moved`.
    needed: int = 0
    #: Changes of the number needed, by name.
    moved: tuple[tuple[str, int], ...] = ()
    #: Rolls of the target's defense; their successes add to the number needed.
    met: tuple[str, ...] = ()
    modifier: int = 0
    #: Parts of the pool of an attack spell.
    terms: tuple[tuple[str, int], ...] = ()

    @property
    def harms(self) -> bool:
        """True for an attack."""
        return self.touch or bool(self.band)


AnyCast = Check[Cast]


def _power(sheet: EgoSheet, name: str) -> Power:
    """Return a character's effect. Raises Impossible("ego-gone") if the character has lost it."""
    power = usable(sheet).get(name)
    if power is None:
        raise Impossible("ego-gone", name=name)
    return power


def _row(game: Game, power: Power) -> Effect:
    """Return the row of an effect; a bare row if the campaign has lost it."""
    return rows_of(game.campaign, "effects").get(power.name, Effect(power.name))


def _points_left(game: Game, sheet: EgoSheet, power: Power, points: int) -> int:
    """Return the points left in the pool after a spell. Raises as `effects.spend_pool_points`."""
    row = _row(game, power)
    level = level_of(sheet, _SKILLS[power.source])
    return effects.spend_pool_points(points, level, getattr(sheet, power.source) or 0, row.most)


def spell_terms(sheet: EgoSheet, skill: str) -> Terms:
    """Return the parts of the pool of an attack spell, which rolls no rating (EGO-MAG-03)."""
    return (skill, level_of(sheet, skill)), ("Intellect", ability_dice(sheet, "intellect"))


def _pool(game: Game, check: AnyCast) -> tuple[Terms, tuple[str, ...]]:
    """Return the parts of the pool without the dice of Karma, and the abilities among them."""
    data, sheet = check.data, game.sheet(check.actor)
    more = (("modifier", data.modifier),) if data.modifier else ()
    if not (data.harms and data.points):
        return ((data.effect, data.rating), *more), ()
    skill = _SKILLS[_power(sheet, data.effect).source]
    return (*spell_terms(sheet, skill), *more), ("intellect",)


class CastProposal(stages.ProposalStage[Cast]):
    """Stage of the GM's ruling on the difficulty.

    An attack depends on its range, or on the defense of the touched target.
    """

    dice = "casting"
    free = "landed"

    def is_attack(self, game: Game, check: AnyCast) -> bool:
        return check.data.harms

    def has_difficulty(self, check: AnyCast) -> bool:
        return not check.data.harms and "range" not in (check.data.ruled or {})

    def read_request(self, game: Game, check: AnyCast, values: Values) -> AnyCast:
        said: dict[str, Any] = dict(check.data.asked)
        sheet: EgoSheet = game.sheet(check.actor)
        power = _power(sheet, said["effect"])
        points, karma = said.get("points", 1), said.get("karma", 0)
        if _row(game, power).enhances:
            raise Impossible("ego-always-on", name=power.name)
        if ("range" in said or "touch" in said) and check.target is None:
            raise InvalidInput("which-target", field="target", value=None, wanted="victim")
        spell = power.source in _SKILLS
        if spell:
            _points_left(game, sheet, power, points)
        elif "points" in said:
            raise unwanted_error("points", power.name, points)
        dice.karma_after_dice(sheet.karma, karma)
        rating, spent = (points, points) if spell else (power.rating, 0)
        data = check.data.replace(effect=title_of(power), rating=rating, points=spent, karma=karma)
        lasts = _row(game, power).timed
        data = data.replace(touch="touch" in said, band="", factors=(), lasts=lasts, needed=0)
        return check.replace(data=with_aim(game, check, data, said))

    def read_ruling(self, game: Game, check: AnyCast) -> Cast:
        data = check.data
        if data.answer == stages.ROLL and not check.gm_only:
            require_payable(_cost(game, check), by_gm=bool(data.answered_by))
        return with_aim(game, check, data, data.ruled or {})

    def automatic_answer(self, game: Game, check: AnyCast) -> str | None:
        attacked = ""
        if check.data.harms:
            attacked = check.target or ""
        if needs_gm_ruling(game, attacked):
            return None
        return super().automatic_answer(game, check)


def with_aim(game: Game, check: AnyCast, data: Cast, said: Mapping[str, Any]) -> Cast:
    """Return the data with what is known of the number needed (EGO-RNG-01, EGO-RNG-02, EGO-ATK-01).

    The number of an attack is known at once. Raises InvalidInput("ego-leave-out") for an option
    that needs an attack, or one at range, and Impossible("ego-dead-already").
    """
    harder = damage.IMPAIRMENT_DIFFICULTY[impairment_of(game, game.sheet(check.actor))]
    target = check.target or ""
    tumbling = 0
    if data.touch:
        tumbling = with_current_round(game, target, check.round).sheet(target).round.tumbling
    moved = {"impairment": harder, "tumbling": tumbling}
    _require_aim(data, said)
    stated = said if data.answer == stages.ROLL else data.asked
    timed = data.lasts or "timed" in stated
    shifts = tuple((why, number) for why, number in moved.items() if number)
    stuns = "non-lethal" in said  # GMs may have it so (EGO-DMG-03)
    data = data.replace(timed=timed, stuns=stuns, modifier=said.get("modifier", 0), moved=shifts)
    band = said.get("range", data.band)
    if data.touch or band:
        require_alive(game, target)
    if data.touch:
        beaten = close_combat.target_number(0, tumbling=tumbling, impaired=harder)
        return data.replace(needed=beaten + 1)
    if band:
        factors = tuple([key for key in ranged.FACTORS if key.replace("_", " ") in said])
        needed = ranged.difficulty(band, factors, harder)
        return data.replace(band=band, factors=factors, needed=needed)
    if data.answer != stages.ROLL:
        return data
    base = successes_for(game, said["difficulty"])
    return data.replace(needed=base + harder if base else 0)


def _require_aim(data: Cast, said: Mapping[str, Any]) -> None:
    how = ""
    if data.touch:
        how = "touch"
    elif data.band or "range" in said:
        how = "range"
    needs = {field.key: ("range",) for field in FACTORS} | {"non-lethal": ("range", "touch")}
    for key, ways in needs.items():
        if key in said and how not in ways:
            raise InvalidInput("ego-leave-out", field=key, value=None, what=key, allowed=ways)


def _cost(game: Game, check: AnyCast) -> Forecast | None:
    """Return the cost of the effect (EGO-MAG-02); None outside rounds, or if a GM makes it free."""
    free = FREE_OF_COST.key in (check.data.ruled or {})
    price = 0 if free else action_points.COSTS["effect"]
    return cost_forecast(game, check.actor, price, check.round)


def _casting(game: Game, check: AnyCast) -> StageResult[Cast] | None:
    """Spend Action Points, Karma and points of the pool, whatever the result (EGO-MAG-02)."""
    data, who = check.data, check.actor
    if not data.needed:
        return None
    data = with_aim(game, check, data, data.ruled or {})  # Both sheets may have changed.
    # Points may have been spent elsewhere since the GM answered.
    require_payable(_cost(game, check), open_check=check.id)
    game, penalty, costs = _pay_effect(game, check)
    terms, about = _pool(game, check)
    # The target's defense adds to the number of an attack, so the roll has no number of its own.
    needed = 0 if data.harms else data.needed
    trial = Trial(who, CAST, dice_in(terms) - penalty, needed, about, data.karma)
    data = data.replace(trials=(trial,), terms=terms if about else (), shifts=costs)
    return StageResult(game.state, data)


class CastDefense(DefenseStage[Cast]):
    """Defense of a target against an effect, as in any attack (EGO-FX-04, EGO-DEF-01 to 03)."""

    def close(self, check: AnyCast) -> bool | None:
        data = check.data
        return data.touch if data.harms and data.trials and check.target is not None else None

    def hits(self, check: AnyCast) -> bool:
        return has_succeeded(check.data)


def _pay_effect(game: Game, check: AnyCast) -> tuple[Game, int, tuple[NumberChange, ...]]:
    """Pay for the effect; return the game, the penalty dice and the spent points."""
    data, who = check.data, check.actor
    if check.target in game.state.characters:
        game = with_current_round(game, check.target or "", check.round)
    cost = _cost(game, check)
    game, penalty, costs = pay_cost(game, who, cost, check.round, karma=data.karma)
    if data.points:
        sheet: EgoSheet = game.sheet(who)
        power = _power(sheet, data.effect)
        left = _points_left(game, sheet, power, data.points)
        costs += (NumberChange(who, power.source, getattr(sheet, power.source), left),)
        game = game.with_sheet(who, sheet.replace(**{power.source: left}))
    return game, penalty, costs


def number_of(data: Cast) -> int:
    """Return the successes needed; a touch needs one more than the defense has (EGO-ATK-01)."""
    return data.needed + sum([successes(data, what) for what in AGAINST])


def has_succeeded(data: Cast) -> bool:
    """Return whether the effect works; without a roll it always does, unless it is impossible."""
    if data.answer == stages.FREE or not data.needed:
        return data.answer != stages.IMPOSSIBLE
    return 0 < successes(data, CAST) >= number_of(data)


def _landed(game: Game, check: AnyCast) -> StageResult[Cast] | None:
    """Apply the effect: its damage, or its duration (EGO-FX-03, EGO-FX-04)."""
    data, who = check.data.replace(over=True), check.actor
    if not data.trials:
        game, _, costs = _pay_effect(game, check)
        data = data.replace(shifts=costs)
    if TUMBLE in data.met:
        game = with_tumbling(game, check.target or "", successes(data, TUMBLE))
    if not has_succeeded(data):
        return damage_step(game, data)
    if data.harms and check.target in game.state.characters:
        game, data = _harm(game, check, data)
    if data.timed:
        game = game.with_state(with_marks(game.state, who, lasting(game, check)))
        data = data.replace(
            consequences=(
                *data.consequences,
                Text("ego-lasts", {"rounds": data.rating, "who": Ref(who)}),
            )
        )
    return damage_step(game, data)


def _harm(game: Game, check: AnyCast, data: Cast) -> tuple[Game, Cast]:
    data = roll_damage(game, check, data, _damage_pool(game, data))
    return apply_damage(
        game, data, check.target or "", data.dealt, check.round, lethal=not data.stuns
    )


def _damage_pool(game: Game, data: Cast) -> int:
    """Return how many damage dice an attack has, with those of excess successes (EGO-FX-04)."""
    counts = game.setting("excess_successes_to_damage") and not data.points
    more = (
        damage.excess(successes(data, CAST), _shown_number(data), counts=counts)
        if data.throws
        else 0
    )
    return damage.damage_dice(data.rating, more=more)


def lasting(game: Game, check: AnyCast) -> Mark:
    """Return the mark of an effect that lasts as many rounds as its rating.

    Outside rounds, the mark lasts by the minutes of the story.
    """
    what, rounds = check.data.effect, check.data.rating
    if check.round is not None:
        return Mark(LASTS, what, rounds, until="round", at=check.round + rounds - 1, by=check.id)
    minutes = -(-rounds // _ROUNDS_A_MINUTE)
    return Mark(LASTS, what, rounds, until="time", at=game.time + minutes, by=check.id)


def end_lasting_effects(game: Game, passing: Tick) -> TickResult:
    """Return the lines on effects that end with a tick."""
    lines: list[tuple[str, Text]] = []
    for who, marks in passing.expiring.items():
        for mark in marks:
            if mark.key == LASTS:
                lines.append((who, tick_line(game, who, "effect", effect=mark.what)))
    return TickResult(game, tuple(lines))


# --- view -----------------------------------------------------------------------------------------


def _describe(game: Game, check: AnyCast) -> tuple[Block, ...]:
    data, who = check.data, check.actor
    number = {"rating": data.rating}
    if data.harms and data.points:  # The pool of an attack spell has no dice of its rating.
        number = {"points": data.points}
    full = Fact(WITH_LABEL, Text("ego-uses", {"effect": data.effect, **number}), FOR_EVERYONE)
    blocks = blocks_by_audience(
        game, who, full, full.replace(value=Text("ego-uses", {"effect": data.effect}))
    )
    blocks += _pool_blocks(game, check)
    if data.band and data.needed:
        blocks += range_facts(game, who, data.needed, data.band)
    blocks += _difficulty_blocks(game, check)
    blocks += approach_blocks(check)
    if data.touch and data.throws:
        beat = labeled_fact("beat", _shown_number(data))
        blocks += dice_result_blocks(check, blocks_by_audience(game, who, beat))
    blocks += adjusted(game, who, () if check.hidden else data.moved, factor_lines(data.factors))
    blocks += gm_quotes(check)
    harm = damage_of(game, who, data.faces, data.dealt) if data.faces else ()
    return describe(
        game,
        with_hidden_difficulty(game, check),
        *blocks,
        verdict=lambda reveal: _verdicts(game, check, reveal),
        follows=harm,
        # The verdict says what the target has taken.
        hidden_codes=(HURT,),
        ends=False,
    )


def _difficulty_blocks(game: Game, check: AnyCast) -> tuple[Block, ...]:
    """Return the difficulty of an effect that waits for its roll; for GMs alone if hidden."""
    data = check.data
    level = str((data.ruled or {}).get(DIFFICULTY.key, ""))
    if data.answer != stages.ROLL or data.harms or data.trials or not level or not data.needed:
        return ()
    known = (Fact(DIFFICULTY_LABEL, level_line(level, data.needed), FOR_EVERYONE),)
    hidden = with_hidden_difficulty(game, check).hidden
    return tuple(hidden_difficulty_blocks(known)) if hidden else known


def _pool_blocks(game: Game, check: AnyCast) -> list[Block]:
    """Return the pool, and before the roll its cost.

    After the roll, the dice show a pool that is only the effect's rating. An attack against the
    target's defense has no chance of its own.
    """
    data, who = check.data, check.actor
    bought = (("karma", data.karma),) if data.karma else ()
    if data.throws or data.trials or data.over or not check.is_open:
        if not data.terms:
            return []
        lines = term_lines((*data.terms, *bought))
        return blocks_by_audience(game, who, labeled_fact("pool", lines))
    if data.answer in (stages.FREE, stages.IMPOSSIBLE) or _is_gone(game, check):
        return []
    cost = _cost(game, check)
    over = () if cost is None else penalty_terms(cost.penalty)
    known = not data.touch and not check.hidden and (data.harms or data.answer == stages.ROLL)
    line = pool_line((*_pool(game, check)[0], *over, *bought), data.needed if known else 0)
    blocks = blocks_by_audience(game, who, labeled_fact("pool", line))
    if cost is not None:
        blocks += blocks_by_audience(game, who, Note(cost_line(cost), FOR_EVERYONE))
    return blocks


def _is_gone(game: Game, check: AnyCast) -> bool:
    """Return whether the sheet has lost the effect, or the table the character."""
    characters = game.state.characters
    return check.actor not in characters or check.data.effect not in usable(game.sheet(check.actor))


def _shown_number(data: Cast) -> int:
    """Return the number as messages have it: for a touch, the number to beat."""
    return number_of(data) - data.touch


def _verdicts(game: Game, check: AnyCast, reveal: Reveal) -> Iterable[Verdict]:
    """Return the verdicts; only GMs read how well an NPC did."""
    data, good = check.data, has_succeeded(check.data)
    seen_as = result_tone(game, check, good=good, rivals=data.harms)
    if data.answer == stages.IMPOSSIBLE:
        return (no_roll_verdict(data.answer, seen_as),)
    if not data.throws and not data.over:
        return ()
    verdict = Verdict(outcome(good), seen_as, FOR_EVERYONE, worked=good)
    if data.harms:
        verdict = Verdict(Text("check-hit" if good else "check-miss"), seen_as, FOR_EVERYONE)
    lines: tuple[Text, ...] = ()
    if data.harms and good and data.over and data.faces:
        lines = struck_lines(game, check, lethal=not data.stuns)
        verdict = verdict.replace(conditional=True)
    elif data.harms and good and not data.over:
        lines = would_take_lines(game, check, _damage_pool(game, data))
    # The last line is the one for players. A single line is for everyone.
    full, plain = verdict, verdict
    if lines:
        full, plain = verdict.replace(what=lines[0]), verdict.replace(what=lines[-1])
    if not data.throws or reveal == "degree":
        return for_audiences(full, plain)
    numbers = numbers_of(successes(data, CAST), _shown_number(data), reveal)
    seen = plain if is_npc(game, check.actor) else plain.replace(numbers=numbers)
    return for_audiences(full.replace(numbers=numbers), seen)


def _next_roll(game: Game, check: AnyCast) -> RollPreview | None:
    """Return the number of dice, and the chance of the bare dice where the number is open."""
    data = check.data
    if data.answer != stages.ROLL or data.throws:
        return None
    cost = _cost(game, check)
    over = () if cost is None else penalty_terms(cost.penalty)
    number = dice.pool_size(dice_in((*_pool(game, check)[0], *over, ("karma", data.karma))))
    chance = None
    if data.needed and not data.touch and not check.hidden:
        chance = pool_odds.at_least(pool_odds.successes(number), data.needed)
    thrown = Text("roll-dice", {"dice": number}) if number else None
    return RollPreview(thrown, chance)


def _forecast(game: Game, check: AnyCast) -> CheckOdds:
    """Return the odds of an effect that waits for its roll.

    Raises Impossible("not-answered", "odds-unmeasured"), Outdated.
    """
    data = check.data
    stages.require_awaiting_roll(check, thrown=data.answer != stages.ROLL or bool(data.throws))
    if data.touch or not data.needed:
        raise Impossible("odds-unmeasured")
    terms, about = _pool(game, check)
    cost = _cost(game, check)
    penalty = 0 if cost is None else cost.penalty
    sheet: EgoSheet = with_current_round(game, check.actor, check.round).sheet(check.actor)
    sources = sources_of(sheet, game.campaign, about)
    chances = karma_odds(sheet, sources, dice_in(terms) - penalty, data.karma, data.needed)
    uses = {"effect": data.effect, "points" if about else "rating": data.rating}
    over = penalty_terms(penalty)
    pool = term_lines((*terms, *over)) if about or over else ()
    return CheckOdds(
        (Text("ego-uses", uses), *pool),
        shift_lines(data.moved),
        chances,
        () if cost is None else (cost_line(cost),),
    )


_CAST_PROPOSAL: Final = CastProposal(
    FORM, RULING, (stages.ROLL, stages.FREE, stages.IMPOSSIBLE), wanted="level"
)
PROCEDURE: Final = Procedure(
    "effect",
    (
        _CAST_PROPOSAL,
        stages.ReadyStage[Cast](_CAST_PROPOSAL),
        _casting,
        *CastDefense().course(CAST),
        _landed,
        *STAYING,
    ),
    data=Cast,
    form=FORM,
    begin=_CAST_PROPOSAL.propose,
    describe=_describe,
    dice_have_fallen=has_throws,
    forget=stages.without_typed_texts,
    odds=_forecast,
    next_roll=_next_roll,
    takes_turn=lambda game, check: _cost(game, check) is not None,
)
