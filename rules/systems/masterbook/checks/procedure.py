"""Procedure of MasterBook's checks and contests: forms, values from the sheets, and stages.

MB-SKL-02, MB-DN-02, MB-DIE-02 to MB-DIE-07, MB-CMB-02, MB-CMB-03, MB-SUC-05, MB-SKILL-06.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, NotPermitted, RulesError
from rules.systems.masterbook.character.sheet import MasterbookSheet, attribute
from rules.systems.masterbook.checks import background_causes, card_windows
from rules.systems.masterbook.checks.action_economy import (
    dice_again,
    has_done_all,
    is_own_action,
    no_defense_reason,
    round_of,
    spend_action,
    turns_of,
    use_up_marks,
)
from rules.systems.masterbook.checks.background_causes import RollCauses, RollSubject
from rules.systems.masterbook.checks.background_memory import panic_causes
from rules.systems.masterbook.checks.roll_sources import (
    RollSource,
    attributes,
    find_attribute,
    find_source,
    learned_sources,
    source_rating,
    unlearned_sources,
)
from rules.systems.masterbook.checks.roll_stages import (
    TRAINING,
    CardStage,
    ImpactWindow,
    Moments,
    ResolutionWindow,
    RolledAction,
    dice_stages,
)
from rules.systems.masterbook.checks.state import (
    MINE,
    THEIRS,
    AnyAttempt,
    Attempt,
    Plan,
    Rating,
    difficulty_number,
    is_number_hidden,
    read_difficulty,
)
from rules.systems.masterbook.deck.play import CardEffect, Moment
from rules.systems.masterbook.formulas import dice, skill_rules, skills
from rules.systems.masterbook.formulas.dice import ACTIVE, Throw
from rules.systems.masterbook.formulas.movement import (
    as_science,
    environment,
    tracked_count,
    usable_adds,
)
from rules.systems.masterbook.formulas.reference_rows import (
    INTERACTIONS,
    InteractionKind,
    nonzero_causes,
)
from rules.systems.masterbook.formulas.skill_rules import SkillUse
from rules.systems.masterbook.formulas.success_chart import DIFFICULTIES
from rules.table.blocks import Text
from rules.table.check import Choice, Values
from rules.table.checks import stages
from rules.table.checks.procedure import CheckOption, Stage, StageResult
from rules.table.checks.stages import APPROACH_FIELD, FREE, IMPOSSIBLE, ROLL, stated_values
from rules.table.forms import Flag, Form, FormContext, Many, Number, Option, Pick, Typed
from rules.table.lookup import find_known
from rules.table.marks import marks_of
from rules.table.permissions import is_gm
from rules.table.system import Game, is_npc

#: Rows of the chart for how familiar a place is to the character.
_PLACES: Final = skills.CHARTS["survival_environment"].rows
PLACES: Final = frozenset(row.id for row in _PLACES)
#: Row for the number of persons who are tracked.
PERSONS: Final = "per_person"
_FAITH: Final = "Faith"
_SURVIVAL: Final = "Survival"
#: Skills whose untrained use depends on how rare the vehicle is.
RARE: Final = frozenset(row.name for row in skills.SKILLS.values() if row.untrained == "gm_table")
#: The most that a GM adds to a difficulty at once.
_HARDER: Final = 50

# --- forms ----------------------------------------------------------------------------------------


def helper(asking: FormContext, text: str) -> str:
    """Return the id of a character who is to help. Raises as `find_known`."""
    return find_known(asking.game.state, asking.game.actor, text, "together").id


def _skill_option(sheet: MasterbookSheet, source: RollSource, *, card: bool = False) -> Option:
    code = "mb-skill" if source.adds or source.special_adds else "mb-untrained-skill"
    about = {"name": source.name, "value": source.value(sheet), "card": card}
    return Option(source.name, Text(code, about))


def skills_of(game: Game, sheet: MasterbookSheet, who: str = "") -> tuple[Option, ...]:
    """Return the skills that a character can roll, with their values.

    Those without adds go by their Attribute, if the book lets untrained characters try. If a card
    might make up for missing training, skills that take training come last (MB-CARD-E03).
    """
    lacking = unlearned_sources(sheet)
    barred = [source for source in lacking if skills.SKILLS[source.skill].untrained == "no"]
    free = [source for source in lacking if source not in barred]
    options = [_skill_option(sheet, source) for source in (*learned_sources(sheet), *free)]
    if who and card_windows.may_train(game, who):
        options += [_skill_option(sheet, source, card=True) for source in barred]
    return tuple(options)


def attributes_of(sheet: MasterbookSheet) -> tuple[Option, ...]:
    """Return the eight Attributes, with their values."""
    options: list[Option] = []
    for source in attributes():
        about = {"name": source.name, "value": source.value(sheet)}
        options.append(Option(source.attribute, Text("mb-skill", about)))
    return tuple(options)


def skill_in_form(asking: FormContext) -> str:
    """Return the skill of the panel, or of the proposal that it answers."""
    said = asking.values.get("skill")
    if said:
        return str(said)
    check = asking.check
    if check is None or not hasattr(check.data, "request"):
        return ""
    return check.data.request.skill


def actor_sheet(asking: FormContext) -> MasterbookSheet | None:
    """Return the sheet of the acting character; None without one."""
    check = asking.check
    who = (check.actor if check is not None else "") or asking.who
    return asking.game.sheet(who) if asking.game is not None and who else None


def _skill_of(asking: FormContext) -> str:
    """Return the form's skill by its name in the book; empty for an Attribute."""
    sheet, text = actor_sheet(asking), skill_in_form(asking)
    return "" if sheet is None or not text else find_source(sheet, text).skill


def _levels(asking: FormContext) -> tuple[Option, ...]:
    """Return the difficulties of the skill's own charts, then the rest of the scale (MB-DN-01)."""
    own = [row for row in skills.rows_of(_skill_of(asking)) if row.dn is not None]
    numbers = {row.dn for row in own}
    options: list[Option] = []
    for row in own:
        about = {"row": row.words, "number": row.dn}
        options.append(Option(str(row.dn), Text("mb-chart-dn", about)))
    for level in DIFFICULTIES.values():
        if level.dn not in numbers:
            label = Text("mb-level", {"name": level.name, "number": level.dn})
            options.append(Option(level.name, label))
    return tuple(options)


def _places(skill: str) -> frozenset[str]:
    """Return the rows of places for a skill.

    Other skills have none: their `neutral` is a target's attitude, not a place.
    """
    return PLACES if skill == _SURVIVAL else frozenset()


def _row_options(skill: str, *, numbers: bool) -> Iterable[Option]:
    """Yield the rows of a skill's charts with each number that they may have.

    Rows that are a difficulty by themselves are left out without *numbers*.
    """
    places = _PLACES if _places(skill) else ()
    for row in (*skills.rows_of(skill), *places):
        if row.dn is not None and not numbers:
            continue
        is_counted = row.modifier is None and row.dn is None
        for number in skills.numbers(row):
            label = Text("mb-chart-modifier", {"row": row.words, "number": number})
            yield Option(f"{row.id} {number}" if is_counted else row.id, label)


def _row_key(text: str) -> str:
    return text.strip().casefold().replace(" ", "_")


def rows_by(skill_of: Callable[[FormContext], str], *, numbers: bool = False) -> Many:
    """Return the field for rows of a skill's charts.

    Rows that are a difficulty by themselves are offered with *numbers* only.
    """

    def choices(asking: FormContext) -> tuple[Option, ...]:
        return tuple(_row_options(skill_of(asking), numbers=numbers))

    def find(asking: FormContext, text: str) -> str:
        """Return the row that *text* names, with its number.

        Raises InvalidInput("mb-light-load") for a load too light to matter, and as
        `skills.chosen_rows` and `skills.worth`.
        """
        name, number = split_row(text)
        skill = skill_of(asking)
        key, whole = _row_key(name), _row_key(text)
        rows = skills.rows_of(skill)
        if key == "load" and number is not None:
            # The number is in hundredths of the character's own weight.
            key, number = skills.load(skill, number) or key, None
            if key == "load" and any(row.group == key for row in rows):
                raise InvalidInput("mb-light-load", field="with", value=text)
        elif any(row.id == whole for row in rows):
            # The number is part of the row's name.
            key, number = whole, None
        if key not in _places(skill):
            for row in skills.chosen_rows(skill, (key,)):
                skills.worth(row, number)
        return key if number is None else f"{key} {number}"

    return Many(
        "rows",
        called="circumstance",
        example="night",
        title=Text("mb-rows"),
        choices=choices,
        find=find,
        most=20,
    )


def split_row(text: str) -> tuple[str, int | None]:
    """Split a chart's row from the number typed with it: `night`, `persons 4`."""
    name, _, number = text.strip().replace("\u2212", "-").rpartition(" ")
    if name and number.removeprefix("-").isdecimal():
        return name, int(number)
    return text.strip(), None


def _input(asking: FormContext, text: str) -> str:
    """Return an input of the form's skill.

    Raises NotPermitted("gm-only") if only GMs may say it, and as `skill_rules.read_input`.
    """
    value = skill_rules.read_input(_skill_of(asking), text)
    if value == skill_rules.ORDAINED and not is_gm(asking.game.state, asking.game.actor):
        raise NotPermitted("gm-only")
    return value


def _input_refusal(asking: FormContext, word: str) -> RulesError | None:
    """Return an error for skills whose uses take no inputs."""
    skill = _skill_of(asking)
    return None if skill_rules.inputs_of(skill) else skill_rules.unfit(skill, word)


GIVEN: Final = Many(
    "given",
    title=Text("mb-given"),
    help=Text("mb-given-help"),
    find=_input,
    alone=f"({'|'.join(skills.INPUTS)})([ :]|$)",
    most=8,
    example="explosive 20",
    hidden_if=_input_refusal,
)
SKILL: Final = Pick(
    "skill",
    choices=lambda asking: (
        () if asking.game is None else skills_of(asking.game, asking.sheet, asking.subject)
    ),
    find=stages.find_or_none(lambda asking, text: find_source(asking.sheet, text).name),
)
ATTRIBUTE: Final = Pick(
    "attribute",
    choices=lambda asking: () if asking.game is None else attributes_of(asking.sheet),
    find=stages.find_or_none(lambda asking, text: find_attribute(text)),
)
DIFFICULTY: Final = Typed(
    "difficulty", most=60, choices=_levels, read=read_difficulty, hidden_if=stages.opposed_error
)
ROWS: Final = rows_by(_skill_of)
_WHO_KNOWS: Final = Text("mb-with", {"what": "who knows"})
SHOWN: Final = Flag(
    "shown",
    topic=_WHO_KNOWS,
    label=Text("mb-with", {"what": "shown"}),
    hidden_if=stages.opposed_error,
)
UNAWARE: Final = Flag("unaware", topic=_WHO_KNOWS, label=Text("mb-with", {"what": "unaware"}))
HARDER: Final = Number(
    "harder",
    low=-_HARDER,
    high=_HARDER,
    offered=(-3, 1, 3, 5, 7),
    topic=Text("mb-with", {"what": "how hard"}),
    label=lambda number: Text("mb-with", {"what": "harder", "number": number}),
)


def attempt_subject(game: Game, check: AnyAttempt) -> RollSubject | None:
    """Return what an attempt is about; None while that isn't known."""
    plan = check.data.request
    if not (plan.skill or plan.attribute):
        return None
    source = means_of(game, check.actor, plan)
    rows = tuple(split_row(row)[0] for row in check.data.effective_ruling.rows)
    return RollSubject(
        check.actor,
        source,
        plan.attribute or source.attribute,
        check.target or "",
        rows,
        round=round_of(game, check.actor),
    )


#: Situations of options that may apply, for GMs.
SITUATIONS: Final = background_causes.situations_field(attempt_subject)
COORDINATION: Final = Typed(
    "coordination",
    most=60,
    read=read_difficulty,
    hidden_if=stages.HIDDEN_BY_GM_FIELD.hidden_if,
    help=Text("mb-hint", {"what": "coordination"}),
    example="Average",
)
#: The actor's form, for a first proposal and for a revised one.
PROPOSAL: Final = Form(
    (
        SKILL,
        ATTRIBUTE,
        DIFFICULTY,
        ROWS,
        GIVEN,
        APPROACH_FIELD,
        stages.MODIFIER_FIELD,
        stages.HIDDEN_BY_GM_FIELD,
    )
)
#: The GM's form.
RULING: Final = Form(
    (
        DIFFICULTY,
        ROWS,
        SITUATIONS,
        GIVEN,
        stages.MODIFIER_FIELD,
        HARDER,
        SHOWN,
        UNAWARE,
        stages.NOTE_FIELD,
    )
)
STAND: Final = Pick(
    "stand",
    title=Text("mb-stand"),
    choices=(
        Option("passive", Text("mb-stands", {"active": False})),
        Option("active", Text("mb-stands", {"active": True})),
    ),
)
#: The form of the other side of a contest.
DEFEND: Final = Form((SKILL, ATTRIBUTE, STAND, APPROACH_FIELD))


# --- what the sheets have -------------------------------------------------------------------------


def means_of(game: Game, who: str, plan: Plan) -> RollSource:
    """Return the skill or Attribute that a character rolls.

    Raises:
        NotFound: the sheet doesn't have it.
        InvalidInput("mb-nothing-to-roll"): the plan names neither.
        InvalidInput("mb-no-attribute-here"): the plan names an Attribute twice.
    """
    if not plan.skill:
        if not plan.attribute:
            raise InvalidInput("mb-nothing-to-roll", field="skill", value=None)
        return RollSource(plan.attribute.capitalize(), plan.attribute)
    source = find_source(game.sheet(who), plan.skill)
    if plan.attribute and not source.skill:
        raise InvalidInput(
            "mb-no-attribute-here", field="attribute", value=plan.attribute, name=source.name
        )
    return source


def rated_by(
    game: Game,
    who: str,
    plan: Plan,
    more: int = 0,
    *,
    case: SkillUse | None = None,
    acting: bool = False,
    passive: bool = False,
    opened: bool = False,
) -> Rating:
    """Return the rating of a plan, in a *case* of the skill, with *more* added to it.

    Raises as `means_of`, `source_rating` and `_source_for_use`.
    """
    source, rare = means_of(game, who, plan), 0
    if case is not None:
        source = _source_for_use(game, who, source, case)
        # How rare a vehicle is counts for characters without any adds.
        rare = skills.shift(source.skill, tuple(case.rows)) if source.skill in RARE else 0
    rating = source_rating(
        game, who, source, key=plan.attribute, passive=passive, rare=rare, opened=opened
    )
    turns = turns_of(game, who) if acting else ()
    rating = rating.with_causes(*turns, *nonzero_causes(("modifier", more)))
    return rating.with_floor(ACTIVE if plan.active else None)


def actor_rated(
    game: Game, check: AnyAttempt, data: Attempt, case: SkillUse | None = None
) -> Rating:
    """Return the actor's rating as it is now. Raises as `rated_by`."""
    acting = is_own_action(game, check.actor, free=data.free)
    opened = card_windows.is_training_waived(data.effects, check.actor, MINE)
    modifier = data.effective_ruling.modifier
    rating = rated_by(
        game, check.actor, data.request, modifier, case=case, acting=acting, opened=opened
    )
    return rating.with_causes(*panic_causes(game, check.actor))


def _source_for_use(game: Game, who: str, source: RollSource, case: SkillUse) -> RollSource:
    """Return the source of a roll for one use of a skill.

    Scholar may be rolled as Science, and adds in Survival fall in unfamiliar places.

    Raises:
        Impossible("mb-trained-only"): science or a miracle without training.
        Impossible("mb-not-ordained"): a layman's miracle, at tables that rule them out.
        InvalidInput("mb-place-unclear"): the GM has to say how familiar a place is.
    """
    given, name = case.given, game.character(who).name
    if skill_rules.SCIENCE in given:
        mind = attribute(game.sheet(who), source.attribute)
        value, possible = as_science(mind, source.adds)
        if not possible:
            raise Impossible("mb-trained-only", name="Science", who=name)
        source = source.replace(adds=value - mind)
    elif skill_rules.FEEDBACK in given:
        _require_miracle_worker(game, who, source, case)

    place: str | None = None
    if source.skill == _SURVIVAL:
        place = next((row for row in case.rows if row in PLACES), None)
    if skill_rules.PLACE in given:
        focus, said = source.focus.casefold(), given[skill_rules.PLACE][0]
        place = environment(focus, said)
        if place is None:
            raise InvalidInput("mb-place-unclear", field="given", value=said, focus=focus or None)
    return source.replace(adds=usable_adds(source.adds, place)) if place else source


def _require_miracle_worker(game: Game, who: str, source: RollSource, case: SkillUse) -> None:
    """Refuse a special effect by skill to characters who can't work it.

    Raises:
        Impossible("mb-trained-only"): the character has no adds.
        Impossible("mb-not-ordained"): a layman's miracle, at tables that rule them out.
    """
    name = game.character(who).name
    if not source.all_adds:
        raise Impossible("mb-trained-only", name=source.name, who=name)
    if source.skill != _FAITH or not game.setting("faith_miracles_professionals_only"):
        return
    ordained = skill_rules.ORDAINED
    if ordained not in case.given and not marks_of(game.state, who, ordained):
        raise Impossible("mb-not-ordained", who=name)


def case_of(game: Game, who: str, plan: Plan, said: Plan, value: int = 0) -> SkillUse:
    """Return the use of a skill as it was said, rolled with *value*. Raises as `means_of`."""
    source = means_of(game, who, plan)
    given = skill_rules.given_of(said.given)
    rows = [split_row(row)[0] for row in said.rows]
    return SkillUse(source.skill, given, game.setting, rows, source.all_adds, value)


def _chosen_rows(skill: str, keys: Iterable[str]) -> Iterable[skills.ChartRow]:
    """Return the rows of a skill's charts among *keys*, without places."""
    return skills.chosen_rows(skill, [key for key in keys if key not in _places(skill)])


def _shifts(skill: str, numbers: Mapping[str, int | None]) -> list[tuple[str, int]]:
    """Return what chosen rows add to the difficulty, by their codes."""
    kind = skills.SKILLS.get(skill)
    rows = _chosen_rows(skill, numbers)
    if skill in RARE or (kind is not None and kind.later):
        return []
    shifts: list[tuple[str, int]] = []
    for row in rows:
        if row.dn is None:
            worth = skills.worth(row, numbers.get(row.id))
            shifts.append((row.code, -worth if row.attempt else worth))
    return shifts


def _numbered(skill: str, said: Values) -> Values:
    """Return the values with a row that is a difficulty by itself as the difficulty (MB-DN-01).

    A difficulty that is said stays.
    """
    numbers = dict(split_row(row) for row in said.get(ROWS.key, ()))
    own = next((row for row in _chosen_rows(skill, numbers) if row.dn is not None), None)
    if own is None:
        return said
    others = tuple(row for row in said[ROWS.key] if split_row(row)[0] != own.id)
    return {DIFFICULTY.key: str(skills.worth(own, numbers[own.id])), **said, ROWS.key: others}


#: Function that returns a check's data with what the sheets have now.
Look = Callable[[Game, AnyAttempt, Any], Any]


def refresh_from_sheets(game: Game, check: AnyAttempt, data: Attempt) -> Attempt:
    """Return the data with ratings, difficulty and shifts as the sheets have them now."""
    said, target = data.effective_ruling, check.target
    numbers = dict(split_row(row) for row in said.rows)
    case = case_of(game, check.actor, data.request, said)
    skill = case.skill
    mine = actor_rated(game, check, data, case)
    mine = mine.with_causes(*skill_rules.input_causes(case))
    causes = option_causes(game, check, data)
    mine = with_option_causes(mine, causes)
    data = data.replace(hidden_shifts=causes.difficulty)
    harder = nonzero_causes(("harder", said.harder))

    if data.opposed:
        shifts = [*_shifts(skill, numbers), *harder]
        side, theirs = data.defense, None
        if side is not None and target is not None:
            side, theirs = _resisting(game, target, side, INTERACTIONS.get(skill))
            theirs = theirs.with_causes(*shifts)
            data, theirs = with_resistance_causes(game, target, side, data, theirs, causes)
        return data.replace(mine=mine, theirs=theirs, defense=side)

    if PERSONS in numbers:
        first = game.setting("track_first_person_counts")
        numbers[PERSONS] = tracked_count(numbers[PERSONS] or 1, first)
    shifts = _shifts(skill, numbers)
    kind = skills.SKILLS.get(skill)
    if kind is not None and not kind.measured and not said.difficulty:
        # Without a difficulty, shifts count against the total.
        against = [(code, -number) for code, number in shifts]
        return data.replace(mine=mine.with_causes(*against), number=None, shifts=())
    base = difficulty_number(said.difficulty) if said.difficulty else 0
    shifts += [*skill_rules.difficulty_causes(case.replace(value=mine.value)), *harder]
    number = None if base is None else base + sum(shift for _, shift in shifts)
    return data.replace(mine=mine, number=number, shifts=tuple(shifts))


def option_causes(game: Game, check: AnyAttempt, data: Attempt) -> RollCauses:
    """Return what options bring to an attempt (MB-BG-15)."""
    subject = attempt_subject(game, check.replace(data=data))
    if subject is None:
        return RollCauses()
    words = data.effective_ruling.situations
    return background_causes.roll_causes(game, subject, words, answered=bool(data.answered_by))


def with_option_causes(mine: Rating, causes: RollCauses) -> Rating:
    """Return the actor's rating with what options add to it."""
    return mine.with_causes(*causes.total, bonuses=(*mine.bonuses, *causes.bonus))


def with_resistance_causes(
    game: Game, who: str, side: Plan, data: Any, theirs: Rating, causes: RollCauses
) -> tuple[Any, Rating]:
    """Return an attempt, and the rating of its target, with what the target's options change."""
    source = means_of(game, who, side)
    key = side.attribute or source.attribute
    found = background_causes.resistance_difficulties(game, who, source, key)
    data = data.replace(hidden_shifts=(*causes.difficulty, *found))
    if side.active:
        theirs = theirs.replace(bonuses=(*theirs.bonuses, *causes.target_bonus))
    return data, theirs


def _resisting(
    game: Game, who: str, side: Plan, kind: InteractionKind | None
) -> tuple[Plan, Rating]:
    """Return the plan and the rating with which the other side of a contest resists."""
    source = means_of(game, who, side)
    bare = kind is not None and source.skill in ("", kind.resisting) and not source.all_adds
    if kind is not None and bare:
        # Without adds an Attribute resists, untrained, and not always the skill's own
        # (MB-SKILL-WILLPOWER).
        side = side.replace(skill="", attribute=side.attribute or kind.resisting_attribute)
    # A character who chose to resist before its last action still resists.
    acting = side.active and not has_done_all(game, who)
    rating = rated_by(game, who, side, acting=acting, passive=not side.active)
    return side, rating.replace(trained=rating.trained and not bare)


def is_measured(name: str) -> bool:
    """Return whether a skill, by the name of a roll's source, always has a difficulty."""
    kind = skills.SKILLS.get(name.partition(":")[0].partition(" (")[0])
    return kind is None or kind.measured


def require(game: Game, check: AnyAttempt) -> None:
    """Raise if a side can no longer carry out its plan.

    Raises:
        Impossible("gone"): a character has left the game.
        NotFound: a sheet no longer has what is rolled.
    """
    for who, plan in ((check.actor, check.data.request), (check.target, check.data.defense)):
        if who is not None and plan is not None and (plan.skill or plan.attribute):
            means_of(game, who, plan)


# --- stages ---------------------------------------------------------------------------------------


def _is_derived_difficulty(game: Game, check: AnyAttempt, before: Plan, said: Values) -> bool:
    """Return whether a difficulty only follows from what the earlier plan said."""
    if not before.difficulty or said.get(DIFFICULTY.key) != before.difficulty:
        return False
    number = skill_rules.number_for(case_of(game, check.actor, before, before), asked=True)
    return before.difficulty == str(number)


class CheckProposal(stages.ProposalStage[Attempt]):
    """Stage in which the GM answers a proposal, if an answer is needed (MB-SKL-02).

    The GM's difficulty is hidden unless the GM shows it.
    """

    dice = TRAINING

    def __init__(
        self, ask: Form = PROPOSAL, rule: Form = RULING, look: Look = refresh_from_sheets
    ) -> None:
        super().__init__(ask, rule, (ROLL, FREE, IMPOSSIBLE), wanted="level")
        self.refresh = look

    def read_request(self, game: Game, check: Any, values: Values) -> AnyAttempt:
        data = check.data
        asked, opposed = dict(stated_values(data.asked)), check.target is not None
        if _is_derived_difficulty(game, check, data.request, asked):
            asked.pop(DIFFICULTY.key, None)
        request = self._ask.make_record(Plan, asked)
        if not opposed:
            asked = _numbered(means_of(game, check.actor, request).skill, asked)
            request = self._ask.make_record(Plan, asked)
        if not opposed and DIFFICULTY.key not in asked:
            # The inputs of a use may set the difficulty.
            case = case_of(game, check.actor, request, request)
            number = skill_rules.number_for(case, asked=True)
            if number is not None:
                asked = {**asked, DIFFICULTY.key: str(number)}
                request = request.replace(difficulty=str(number))
        data = data.replace(asked=asked, request=request, opposed=opposed)
        return check.replace(data=self.refresh(game, check.replace(data=data), data))

    def automatic_answer(self, game: Game, check: AnyAttempt) -> str | None:
        """Return the answer without a GM; None if a GM is asked (MB-SKILL-02).

        A GM has to say how common a vehicle is whose driver is untrained, if the player hasn't.
        """
        data = check.data
        skill = means_of(game, check.actor, data.request).skill
        untrained = skill in RARE and data.mine is not None and not data.mine.trained
        unsaid = untrained and not skills.shift(skill, data.request.rows)
        if unsaid and not is_gm(game.state, game.actor):
            return None
        return super().automatic_answer(game, check)

    def has_difficulty(self, check: AnyAttempt) -> bool:
        data = check.data
        named = DIFFICULTY.key in (data.asked if data.ruled is None else data.ruled)
        return super().has_difficulty(check) and (named or is_measured(data.request.skill))

    def options(
        self, game: Game, check: AnyAttempt, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        options = super().options(game, check, prompt, who)
        if prompt != "rule":
            return options
        return with_proposed_situations(game, check, options)

    def apply_ruling(
        self, game: Game, check: AnyAttempt, answer: str, values: Values
    ) -> StageResult[Attempt]:
        """Apply a GM's answer. The skill's own rule may set a difficulty that the GM doesn't name.

        A situation may make the attempt impossible; others are kept for the same two characters.
        """
        subject = attempt_subject(game, check)
        if answer == ROLL and subject is not None:
            words = values.get(SITUATIONS.key, ())
            if background_causes.is_ruled_out(game, subject, words):
                answer = IMPOSSIBLE
            else:
                game = background_causes.with_remembered_answers(game, subject, words)
        if answer == ROLL and not check.data.opposed:
            values = self._with_difficulty(game, check, values)
        return super().apply_ruling(game, check, answer, values)

    def _with_difficulty(self, game: Game, check: AnyAttempt, values: Values) -> Values:
        """Return a GM's values with the difficulty that follows from them, if they name none."""
        request, given = check.data.request, stated_values(values, self._rules)
        values = {**values, **_numbered(means_of(game, check.actor, request).skill, given)}
        is_named = DIFFICULTY.key in values
        if is_named and not _is_derived_difficulty(game, check, request, given):
            return values
        said = self._rule.make_record(Plan, given)
        value = 0 if check.data.mine is None else check.data.mine.value
        number = skill_rules.number_for(case_of(game, check.actor, request, said, value))
        return values if number is None else {**values, DIFFICULTY.key: str(number)}

    def read_ruling(self, game: Game, check: Any) -> Attempt:
        data = check.data
        ruling = None if data.ruled is None else self._rule.make_record(Plan, data.ruled)
        data = data.replace(ruling=ruling)
        check = check.replace(data=data)
        return self.refresh(game, check.replace(hidden=self.hides_difficulty(check)), data)

    def hides_difficulty(self, check: Any) -> bool:
        data, ruling = check.data, check.data.ruling
        # A player who named the difficulty of a proposal that nobody answered knows it.
        secret = (check.hidden or data.answered_by) and not data.opposed
        return bool(secret and ruling and ruling.difficulty and not ruling.shown)


def with_proposed_situations(
    game: Game, check: AnyAttempt, options: Iterable[CheckOption]
) -> Iterable[CheckOption]:
    """Return the options of a GM's first answer, with the situations that are proposed."""
    subject = None if check.data.answered_by else attempt_subject(game, check)
    if subject is None:
        return options
    words = background_causes.proposed_words(game, subject)
    return background_causes.with_proposals(options, ROLL, words)


CHECK_PROPOSAL: Final = CheckProposal()

#: Predicate that tells whether result points decide what follows from a check.
Reads = Callable[[AnyAttempt], bool]


def always_reads_result(check: AnyAttempt) -> bool:
    """Return True: result points decide what follows."""
    return True


def never_reads_result(check: AnyAttempt) -> bool:
    """Return False: only success or the total decides what follows."""
    return False


class CheckPreparation(CardStage, stages.ReadyStage[Attempt]):
    """Stage before the dice, in which the actor rolls and cards may be played (MB-CARD-13).

    In a contest the other side first says with what it resists, and whether it rolls. The check
    waits for nobody because of cards.
    """

    side = DEFEND

    def __init__(self, proposed: CheckProposal) -> None:
        super().__init__(proposed)
        self._refresh = proposed.refresh

    def moments(self, game: Game, check: AnyAttempt) -> Moments:
        data = check.data
        if data.answer != ROLL or data.is_automatic or self.awaits_other_side(game, check):
            return ()
        moments = [moment(game, check, check.actor, MINE)]
        if data.is_resisted and check.target is not None:
            moments.append(moment(game, check, check.target, THEIRS))
        return tuple(about.replace(window="pre_roll") for about in moments)

    def options(
        self, game: Game, check: AnyAttempt, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        options = super().options(game, check, prompt, who)
        if prompt != "rule":
            return options
        return with_proposed_situations(game, check, options)

    def other_rollers(self, game: Game, check: AnyAttempt) -> tuple[str, ...]:
        return tuple(who for who in self.possible_players(game, check) if who != check.actor)

    def options_before_roll(
        self, game: Game, check: AnyAttempt, who: str
    ) -> tuple[CheckOption, ...]:
        return self.card_options(game, check, who)

    def apply_choice(self, game: Game, check: AnyAttempt, choice: Choice) -> StageResult[Attempt]:
        if not card_windows.is_card(choice):
            return StageResult(game.state, check.data)
        game, data, effect, said = self.play_card(game, check, choice, early=True)
        # A card that lasts is a mark on the character, which the refresh reads.
        data = check.data if effect.lasts else data
        return StageResult(game.state, self._refresh(game, check, data), said=said)

    def with_opposing_values(self, game: Game, check: AnyAttempt, values: Values) -> Attempt:
        approach = values.get(APPROACH_FIELD.key, "").strip()
        plan = DEFEND.make_record(Plan, stated_values(values)).replace(approach=approach)
        if plan.active and check.target is not None:
            why = no_defense_reason(game, check.target)
            if why:
                raise Impossible("mb-no-active-defense", why=why)
        data = check.data.replace(defense=plan, defense_by=game.actor.id)
        return refresh_from_sheets(game, check, data)


class AttemptAction(RolledAction):
    """Dice of both sides; a passive side rolls none (MB-CMB-02, MB-CMB-03).

    *look* refreshes the data from the sheets. Where *reads* says that result points don't matter,
    nobody is asked about raising them. A *hostile* action can be undone by its target's cards.
    """

    def __init__(
        self,
        look: Look = refresh_from_sheets,
        *,
        reads: Reads = always_reads_result,
        hostile: bool = True,
    ) -> None:
        self._look, self.reads, self.hostile = look, reads, hostile

    def refresh_from_sheets(self, game: Game, check: AnyAttempt, data: Any) -> Any:
        return self._look(game, check, data)

    def throws_due(self, game: Game, check: AnyAttempt) -> tuple[Throw, ...]:
        data = check.data
        if data.is_automatic:
            return ()
        throws = [throw_for(game, check, check.actor, MINE, data.mine)]
        if data.is_resisted and check.target is not None and data.throw_of(THEIRS) is None:
            throws.append(throw_for(game, check, check.target, THEIRS, data.theirs))
        return tuple(throws)

    def use_up_effects(self, game: Game, check: AnyAttempt) -> Game:
        if is_own_action(game, check.actor, free=check.data.free):
            game = spend_action(game, check.actor)
        game = use_up_marks(game, check.actor)
        if check.data.is_resisted and check.target:
            game = use_up_marks(spend_action(game, check.target), check.target)
        return game

    def is_settled(self, game: Game, check: AnyAttempt) -> bool:
        return check.gm_only or check.data.is_automatic

    def is_unaware(self, check: AnyAttempt, who: str) -> bool:
        return check.data.ruling is not None and check.data.ruling.unaware

    def untrained_moments(self, game: Game, check: AnyAttempt) -> Moments:
        mine = check.data.mine
        if mine is None or not mine.barred or check.data.answer != ROLL:
            return ()
        return (moment(game, check, check.actor, MINE).replace(window="pre_roll"),)

    def open_dice_moments(self, game: Game, check: AnyAttempt) -> Moments:
        """Return the moments of the dice: none once a success is known, if its degree is not read.

        Without a hidden number the result is known as well, so its moment comes along.
        """
        data = check.data
        if not self.reads(check) and not is_number_hidden(game, check):
            result = data.result
            if result is not None and result.success:
                return ()
        moments = [moment(game, check, throw.who, throw.what) for throw in data.throws]
        if not moments:
            return ()
        if data.theirs is not None and check.target and data.throw_of(THEIRS) is None:
            moments.append(moment(game, check, check.target, THEIRS).replace(number="value"))
        if _is_result_known(check):
            about = moment(game, check, check.actor, MINE)
            moments.append(about.replace(window="after_resolution", against=()))
        return tuple(moments)

    def impact_moments(self, game: Game, check: AnyAttempt) -> Moments:
        """Return the moments before the GM tells the result, so that nobody is asked twice."""
        return self._result_moments(game, check) if _is_result_untold(game, check) else ()

    def resolution_moments(self, game: Game, check: AnyAttempt) -> Moments:
        if check.data.result is None or check.data.failed:
            return ()
        about = moment(game, check, check.actor, MINE).replace(window="after_resolution")
        if _is_result_known(check):
            about = about.replace(actor="")
        if not self.hostile:
            about = about.replace(against=())
        if _is_result_untold(game, check):
            return (about,)
        return (about, *self._result_moments(game, check))

    def _result_moments(self, game: Game, check: AnyAttempt) -> Moments:
        """Return the moment of the result points, if cards may add to them (MB-CARD-E07)."""
        result = check.data.result if self.reads(check) else None
        if result is None or not (result.success or game.setting("effect_card_can_rescue")):
            return ()
        about = moment(game, check, check.actor, MINE)
        return (about.replace(window="effect_pending", number="result", succeeded=result.success),)

    def with_card(self, check: AnyAttempt, data: Any, effect: CardEffect) -> Any:
        counts = effect.whose == check.target and (effect.lasts or effect.number == "value")
        if data.theirs is None or not counts or data.throw_of(THEIRS) is not None:
            return data
        return data.replace(theirs=data.theirs.with_causes((effect.name, effect.amount)))

    def without_throws_of(self, data: Any, who: str) -> Any:
        throws = [throw for throw in data.throws if throw.who != who or throw.what == THEIRS]
        return data.replace(throws=tuple(throws))

    def stages(self, *between: Stage[Any], reading: bool = True) -> tuple[Stage[Any], ...]:
        """Return `dice_stages` and the windows after the dice.

        Without *reading* there is no window before the result is told.
        """
        windows = (ImpactWindow(self),) if reading else ()
        return (
            *dice_stages(self, *between),
            *windows,
            ResolutionWindow(self, hostile=self.hostile),
        )


def moment(game: Game, check: AnyAttempt, who: str, what: str) -> Moment:
    """Return the moment of a character's total in a check, for cards."""
    data, target = check.data, check.target
    against = (target,) if target else ()
    plan = data.request if what == MINE else data.defense or data.request
    source = means_of(game, who, plan)
    source = source.replace(attribute=plan.attribute or source.attribute)
    about = Moment("roll_pending", check.actor, who, "total", what)
    return source.of(about).replace(
        against=against,
        players=what == MINE and target not in (None, who) and not is_npc(game, target),
        blind=against if data.ruling is not None and data.ruling.unaware else (),
    )


def _is_result_known(check: AnyAttempt) -> bool:
    """Return whether the open dice show the result to all.

    A player who accepts such dice is not asked about the result again.
    """
    return not check.data.opposed and not check.hidden


def _is_result_untold(game: Game, check: AnyAttempt) -> bool:
    """Return whether only GMs can read how good the result is, until they tell it."""
    return is_number_hidden(game, check) and check.reveal != "verdict"


def throw_for(game: Game, check: Any, who: str, what: str, how: Rating | None) -> Throw:
    """Roll the dice of a rating, with the effects that wait for the character's next roll."""
    assert how is not None, "looked up before it is thrown"
    again = dice_again(game, who)
    roll = dice.throw(game.rng_for(check, who), how.trained, again.ups, again.stymied)
    return thrown_with(who, what, how, roll)


def thrown_with(who: str, what: str, how: Rating, roll: dice.Roll) -> Throw:
    """Return a throw of dice with everything that a rating has."""
    throw = Throw(who, what, how.value, how.modifiers, roll, how.floor, how.most)
    return throw.replace(bonuses=how.bonuses, fails_on=how.fails_on)
