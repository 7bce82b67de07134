"""A check that takes its course under MasterBook: proposed, answered, thrown, told; and a contest.

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

#: Rows of how near a place is to what one knows, and of who is tracked.
_PLACES: Final = skills.CHARTS["survival_environment"].rows
PLACES: Final = frozenset([each.id for each in _PLACES])
PERSONS: Final = "per_person"
_FAITH: Final = "Faith"
RARE: Final = frozenset(
    [each.name for each in skills.SKILLS.values() if each.untrained == "gm_table"]
)
#: The most that a GM adds to a difficulty at once.
_HARDER: Final = 50

# --- forms ----------------------------------------------------------------------------------------


def helper(asking: FormContext, text: str) -> str:
    """Somebody who does it together with others. Raises as `find_known`."""
    return find_known(asking.game.state, asking.game.actor, text, "together").id


def _offered(sheet: MasterbookSheet, means: RollSource, *, card: bool = False) -> Option:
    value = means.value(sheet)
    code = "mb-skill" if means.adds or means.special_adds else "mb-untrained-skill"
    return Option(means.name, Text(code, {"name": means.name, "value": value, "card": card}))


def skills_of(game: Game, sheet: MasterbookSheet, who: str = "") -> tuple[Option, ...]:
    """What somebody can roll, with its value; what they lack by its Attribute, where that may be
    tried.

    Last comes what takes training that a card might make up for (MB-CARD-E03).
    """
    lacking = unlearned_sources(sheet)
    barred = [each for each in lacking if skills.SKILLS[each.skill].untrained == "no"]
    free = [each for each in lacking if each not in barred]
    found = [_offered(sheet, each) for each in (*learned_sources(sheet), *free)]
    if who and card_windows.may_train(game, who):
        found += [_offered(sheet, each, card=True) for each in barred]
    return tuple(found)


def attributes_of(sheet: MasterbookSheet) -> tuple[Option, ...]:
    """The eight of them, with their values."""
    shown = {
        each.attribute: {"name": each.name, "value": each.value(sheet)} for each in attributes()
    }
    return tuple([Option(key, Text("mb-skill", each)) for key, each in shown.items()])


def skill_in_form(asking: FormContext) -> str:
    """The skill that the panel, or what was proposed, is about."""
    said = asking.values.get("skill")
    if said:
        return str(said)
    check = asking.check
    return "" if check is None or not hasattr(check.data, "request") else check.data.request.skill


def actor_sheet(asking: FormContext) -> MasterbookSheet | None:
    """That of whoever acts; None where nobody does."""
    check = asking.check
    who = (check.actor if check is not None else "") or asking.who
    return asking.game.sheet(who) if asking.game is not None and who else None


def _skill_of(asking: FormContext) -> str:
    """The skill in question, by its name on the list; empty for an Attribute."""
    sheet, text = actor_sheet(asking), skill_in_form(asking)
    return "" if sheet is None or not text else find_source(sheet, text).skill


def _levels(asking: FormContext) -> tuple[Option, ...]:
    """Difficulties of the skill's own charts, then those of the scale that they have not
    (MB-DN-01).
    """
    own = [each for each in skills.rows_of(_skill_of(asking)) if each.dn is not None]
    numbers = {each.dn for each in own}
    scale = [each for each in DIFFICULTIES.values() if each.dn not in numbers]
    return (
        *[
            Option(str(each.dn), Text("mb-chart-dn", {"row": each.words, "number": each.dn}))
            for each in own
        ],
        *[
            Option(each.name, Text("mb-level", {"name": each.name, "number": each.dn}))
            for each in scale
        ],
    )


def _places(skill: str) -> frozenset[str]:
    """Those that a skill knows: `neutral` is also how somebody feels about what they are talked
    into.
    """
    return PLACES if skill == "Survival" else frozenset()


def rows_by(skill_of: Callable[[FormContext], str], *, numbers: bool = False) -> Many:
    """Rows of the charts of the skill in question; those that are a number by themselves only where
    `numbers`.
    """

    def among(asking: FormContext) -> tuple[Option, ...]:
        skill = skill_of(asking)
        return tuple(
            Option(
                f"{each.id} {number}" if each.modifier is None and each.dn is None else each.id,
                Text("mb-chart-modifier", {"row": each.words, "number": number}),
            )
            for each in (*skills.rows_of(skill), *(_PLACES if _places(skill) else ()))
            if numbers or each.dn is None
            for number in skills.numbers(each)
        )

    def find(asking: FormContext, text: str) -> str:
        """A row that can be chosen, with its number. Raises as `skills.chosen_rows` and
        `skills.worth`; InvalidInput("mb-light-load") for what nothing is harder with.
        """
        (name, number), skill = split_row(text), skill_of(asking)
        key, whole = [each.strip().casefold().replace(" ", "_") for each in (name, text)]
        if key == "load" and number is not None:  # of one's own weight, in hundredths
            key, number = skills.load(skill, number) or key, None
            if key == "load" and any(each.group == key for each in skills.rows_of(skill)):
                raise InvalidInput("mb-light-load", field="with", value=text)
        elif whole in [each.id for each in skills.rows_of(skill)]:  # its number is part of its name
            key, number = whole, None
        for each in () if key in _places(skill) else skills.chosen_rows(skill, (key,)):
            skills.worth(each, number)
        return key if number is None else f"{key} {number}"

    return Many(
        "rows",
        called="circumstance",
        example="night",
        title=Text("mb-rows"),
        choices=among,
        find=find,
        most=20,
    )


def split_row(text: str) -> tuple[str, int | None]:
    """`night`, `persons 4`: a row of a chart, and the number said with it."""
    name, _, number = text.strip().replace("\u2212", "-").rpartition(" ")
    if name and number.removeprefix("-").isdecimal():
        return name, int(number)
    return text.strip(), None


def _input(asking: FormContext, text: str) -> str:
    """An input of the skill in question. Raises as `skill_rules.read_input`;
    NotPermitted("gm-only").
    """
    found = skill_rules.read_input(_skill_of(asking), text)
    if found == skill_rules.ORDAINED and not is_gm(asking.game.state, asking.game.actor):
        raise NotPermitted("gm-only")
    return found


def _if_used(asking: FormContext, word: str) -> RulesError | None:
    """Refused for skills whose uses take nothing."""
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
    hidden_if=_if_used,
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
    rows = tuple(split_row(each)[0] for each in check.data.effective_ruling.rows)
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
#: What somebody proposes, and proposes anew; what a GM answers; what the other side of a contest
#: says.
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
    choices=tuple(
        [
            Option(each, Text("mb-stands", {"active": each == "active"}))
            for each in ("passive", "active")
        ]
    ),
)
DEFEND: Final = Form((SKILL, ATTRIBUTE, STAND, APPROACH_FIELD))


# --- what the sheets have -------------------------------------------------------------------------


def means_of(game: Game, who: str, plan: Plan) -> RollSource:
    """What somebody rolls. NotFound; InvalidInput("mb-nothing-to-roll", "mb-no-attribute-here")."""
    if not plan.skill:
        if not plan.attribute:
            raise InvalidInput("mb-nothing-to-roll", field="skill", value=None)
        return RollSource(plan.attribute.capitalize(), plan.attribute)
    means = find_source(game.sheet(who), plan.skill)
    if plan.attribute and not means.skill:
        raise InvalidInput(
            "mb-no-attribute-here", field="attribute", value=plan.attribute, name=means.name
        )
    return means


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
    """What somebody rolls with as they have said, in a `case` of the skill, with what is added to
    it.

    Raises as `means_of`, `source_rating` and `_used`.
    """
    means, rare = means_of(game, who, plan), 0
    if case is not None:
        means = _used(game, who, means, case)
        # How rare a vehicle is counts for those without any adds.
        rare = skills.shift(means.skill, tuple(case.rows)) if means.skill in RARE else 0
    found = source_rating(
        game, who, means, key=plan.attribute, passive=passive, rare=rare, opened=opened
    )
    turns = turns_of(game, who) if acting else ()
    found = found.with_causes(*turns, *nonzero_causes(("modifier", more)))
    return found.with_floor(ACTIVE if plan.active else None)


def actor_rated(
    game: Game, check: AnyAttempt, data: Attempt, case: SkillUse | None = None
) -> Rating:
    """What whoever acts rolls with now. Raises as `rated_by`."""
    acting, opened = (
        is_own_action(game, check.actor, free=data.free),
        card_windows.is_training_waived(data.effects, check.actor, MINE),
    )
    said = data.effective_ruling.modifier
    found = rated_by(game, check.actor, data.request, said, case=case, acting=acting, opened=opened)
    return found.with_causes(*panic_causes(game, check.actor))


def _used(game: Game, who: str, means: RollSource, case: SkillUse) -> RollSource:
    """What is rolled, for a use of it: a scholar as a scientist; a place that one does not know
    takes adds.

    Miracles take training. Impossible("mb-trained-only", "mb-not-ordained");
    InvalidInput("mb-place-unclear") where the GM has to say how near a place is.
    """
    given, me = case.given, game.character(who).name
    if skill_rules.SCIENCE in given:
        mind = attribute(game.sheet(who), means.attribute)
        value, possible = as_science(mind, means.adds)
        if not possible:
            raise Impossible("mb-trained-only", name="Science", who=me)
        means = means.replace(adds=value - mind)
    elif skill_rules.FEEDBACK in given:
        if not means.all_adds:
            raise Impossible("mb-trained-only", name=means.name, who=me)
        lay = means.skill == _FAITH and skill_rules.ORDAINED not in given
        lay = lay and not marks_of(game.state, who, skill_rules.ORDAINED)
        if lay and game.setting("faith_miracles_professionals_only"):
            raise Impossible("mb-not-ordained", who=me)
    place = (
        next((each for each in case.rows if each in PLACES), None)
        if means.skill == "Survival"
        else None
    )
    if skill_rules.PLACE in given:
        focus, said = means.focus.casefold(), given[skill_rules.PLACE][0]
        place = environment(focus, said)
        if place is None:
            raise InvalidInput("mb-place-unclear", field="given", value=said, focus=focus or None)
    return means.replace(adds=usable_adds(means.adds, place)) if place else means


def case_of(game: Game, who: str, plan: Plan, said: Plan, value: int = 0) -> SkillUse:
    """The use of a skill as it was said, by whoever rolls with this value. Raises as `means_of`."""
    means, rows = means_of(game, who, plan), [split_row(each)[0] for each in said.rows]
    adds = means.all_adds
    return SkillUse(means.skill, skill_rules.given_of(said.given), game.setting, rows, adds, value)


def _shifts(skill: str, numbers: Mapping[str, int | None]) -> list[tuple[str, int]]:
    """What rows that were chosen add to what it goes against, by their codes."""
    kind = skills.SKILLS.get(skill)
    return [
        (each.code, skills.worth(each, numbers.get(each.id)) * (-1 if each.attempt else 1))
        for each in skills.chosen_rows(
            skill, [each for each in numbers if each not in _places(skill)]
        )
        if each.dn is None and skill not in RARE and (kind is None or not kind.later)
    ]


def _numbered(skill: str, said: Values) -> Values:
    """The same, where a row that is a number by itself is the difficulty, unless that is said
    besides (MB-DN-01).
    """
    numbers = dict([split_row(each) for each in said.get(ROWS.key, ())])
    rows = skills.chosen_rows(skill, [each for each in numbers if each not in _places(skill)])
    own = next((each for each in rows if each.dn is not None), None)
    if own is None:
        return said
    others = tuple([each for each in said[ROWS.key] if split_row(each)[0] != own.id])
    return {DIFFICULTY.key: str(skills.worth(own, numbers[own.id])), **said, ROWS.key: others}


#: What looks the sheets up for a check.
Look = Callable[[Game, AnyAttempt, Any], Any]


def refresh_from_sheets(game: Game, check: AnyAttempt, data: Attempt) -> Attempt:
    """The data with what the sheets have now: values, difficulty, and what moves it."""
    said, target = data.effective_ruling, check.target
    numbers = dict([split_row(each) for each in said.rows])
    case = case_of(game, check.actor, data.request, said)
    mine, skill = (
        actor_rated(game, check, data, case).with_causes(*skill_rules.input_causes(case)),
        case.skill,
    )
    kind, harder = skills.SKILLS.get(skill), nonzero_causes(("harder", said.harder))
    causes = option_causes(game, check, data)
    mine = with_option_causes(mine, causes)
    data = data.replace(hidden_shifts=causes.difficulty)
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
    if kind is not None and not kind.measured and not said.difficulty:
        # Where nothing has to be reached, they count against the total.
        against = [(code, -number) for code, number in shifts]
        return data.replace(mine=mine.with_causes(*against), number=None, shifts=())
    base = difficulty_number(said.difficulty) if said.difficulty else 0
    shifts += [*skill_rules.difficulty_causes(case.replace(value=mine.value)), *harder]
    number = None if base is None else base + sum([each for _, each in shifts])
    return data.replace(mine=mine, number=number, shifts=tuple(shifts))


def option_causes(game: Game, check: AnyAttempt, data: Attempt) -> RollCauses:
    """Return what options bring to an attempt (MB-BG-15)."""
    subject = attempt_subject(game, check.replace(data=data))
    if subject is None:
        return RollCauses()
    words = data.effective_ruling.situations
    return background_causes.roll_causes(game, subject, words, answered=bool(data.answered_by))


def with_option_causes(mine: Rating, causes: RollCauses) -> Rating:
    """Return the rating of who acts with what options add to it."""
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
    """How the other side of a contest resists, and with what."""
    held = means_of(game, who, side)
    bare = kind is not None and held.skill in ("", kind.resisting) and not held.all_adds
    if kind is not None and bare:
        # Without adds an Attribute resists, untrained, and not always the skill's own
        # (MB-SKILL-WILLPOWER).
        side = side.replace(skill="", attribute=side.attribute or kind.resisting_attribute)
    # Who said so before they acted resists all the same.
    acting = side.active and not has_done_all(game, who)
    found = rated_by(game, who, side, acting=acting, passive=not side.active)
    return side, found.replace(trained=found.trained and not bare)


def is_measured(name: str) -> bool:
    """Whether a skill, by what is rolled, always goes against something."""
    kind = skills.SKILLS.get(name.partition(":")[0].partition(" (")[0])
    return kind is None or kind.measured


def require(game: Game, check: AnyAttempt) -> None:
    """Impossible("gone") where nobody could go on; NotFound where a sheet has no more what is used
    of it.
    """
    for who, plan in ((check.actor, check.data.request), (check.target, check.data.defense)):
        if who is not None and plan is not None and (plan.skill or plan.attribute):
            means_of(game, who, plan)


# --- stages ---------------------------------------------------------------------------------------


def _worked_out(game: Game, check: AnyAttempt, before: Plan, said: Values) -> bool:
    """Whether a difficulty is only what followed from what had been said before."""
    if not before.difficulty or said.get(DIFFICULTY.key) != before.difficulty:
        return False
    number = skill_rules.number_for(case_of(game, check.actor, before, before), asked=True)
    return before.difficulty == str(number)


class CheckProposal(stages.ProposalStage[Attempt]):
    """The GM answers, unless nobody has to; the difficulty is theirs alone where they do not show
    it (MB-SKL-02).
    """

    dice = TRAINING

    def __init__(
        self, ask: Form = PROPOSAL, rule: Form = RULING, look: Look = refresh_from_sheets
    ) -> None:
        super().__init__(ask, rule, (ROLL, FREE, IMPOSSIBLE), wanted="level")
        self.looked = look

    def read_request(self, game: Game, check: Any, values: Values) -> AnyAttempt:
        data = check.data
        asked, opposed = stated_values(data.asked), check.target is not None
        if _worked_out(game, check, data.request, asked):
            asked = {key: each for key, each in asked.items() if key != DIFFICULTY.key}
        request = self._ask.make_record(Plan, asked)
        if not opposed:
            asked = _numbered(means_of(game, check.actor, request).skill, asked)
            request = self._ask.make_record(Plan, asked)
        if not opposed and DIFFICULTY.key not in asked:
            # What was said may tell what it goes against.
            number = skill_rules.number_for(
                case_of(game, check.actor, request, request), asked=True
            )
            if number is not None:
                asked = {**asked, DIFFICULTY.key: str(number)}
                request = request.replace(difficulty=str(number))
        data = data.replace(asked=asked, request=request, opposed=opposed)
        return check.replace(data=self.looked(game, check.replace(data=data), data))

    def automatic_answer(self, game: Game, check: AnyAttempt) -> str | None:
        """How common a vehicle is that somebody has not learned to drive, they say, or the GM
        (MB-SKILL-02).
        """
        data = check.data
        means = means_of(game, check.actor, data.request)
        untrained = means.skill in RARE and data.mine is not None and not data.mine.trained
        unsaid = untrained and not skills.shift(means.skill, data.request.rows)
        return (
            None
            if unsaid and not is_gm(game.state, game.actor)
            else super().automatic_answer(game, check)
        )

    def has_difficulty(self, check: AnyAttempt) -> bool:
        data = check.data
        named = DIFFICULTY.key in (data.asked if data.ruled is None else data.ruled)
        return super().has_difficulty(check) and (named or is_measured(data.request.skill))

    def options(
        self, game: Game, check: AnyAttempt, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        found = super().options(game, check, prompt, who)
        return with_proposed_situations(game, check, found) if prompt == "rule" else found

    def apply_ruling(
        self, game: Game, check: AnyAttempt, answer: str, values: Values
    ) -> StageResult[Attempt]:
        """Where the GM names no difficulty, the skill's own rule may.

        A situation may make the attempt impossible; others are kept for the same two characters.
        """
        subject = attempt_subject(game, check)
        if answer == ROLL and subject is not None:
            words = values.get(SITUATIONS.key, ())
            if background_causes.is_ruled_out(game, subject, words):
                answer = IMPOSSIBLE
            else:
                game = background_causes.with_remembered_answers(game, subject, words)
        request, given = check.data.request, stated_values(values, self._rules)
        if answer == ROLL and not check.data.opposed:
            values = {**values, **_numbered(means_of(game, check.actor, request).skill, given)}
        open_ = DIFFICULTY.key not in values or _worked_out(game, check, request, given)
        if answer == ROLL and open_ and not check.data.opposed:
            said = self._rule.make_record(Plan, given)
            value = 0 if check.data.mine is None else check.data.mine.value
            number = skill_rules.number_for(case_of(game, check.actor, request, said, value))
            values = values if number is None else {**values, DIFFICULTY.key: str(number)}
        return super().apply_ruling(game, check, answer, values)

    def read_ruling(self, game: Game, check: Any) -> Attempt:
        data = check.data
        data = data.replace(
            ruling=None if data.ruled is None else self._rule.make_record(Plan, data.ruled)
        )
        check = check.replace(data=data)
        return self.looked(game, check.replace(hidden=self.hides_difficulty(check)), data)

    def hides_difficulty(self, check: Any) -> bool:
        data, ruling = check.data, check.data.ruling
        # Who names a difficulty with their own proposal, which nobody has answered, knows it.
        secret = (check.hidden or data.answered_by) and not data.opposed
        return bool(secret and ruling and ruling.difficulty and not ruling.shown)


def with_proposed_situations(
    game: Game, check: AnyAttempt, found: Iterable[CheckOption]
) -> Iterable[CheckOption]:
    """Return the options of a GM's first answer, with the situations that are proposed."""
    subject = None if check.data.answered_by else attempt_subject(game, check)
    if subject is None:
        return found
    words = background_causes.proposed_words(game, subject)
    return background_causes.with_proposals(found, ROLL, words)


CHECK_PROPOSAL: Final = CheckProposal()

Reads = Callable[[AnyAttempt], bool]


def always_reads_result(check: AnyAttempt) -> bool:
    """What comes of it goes by how well it was done."""
    return True


def never_reads_result(check: AnyAttempt) -> bool:
    """What comes of it does not go by how well it was done."""
    return False


class CheckPreparation(CardStage, stages.ReadyStage[Attempt]):
    """The owner rolls; in a contest the other side has said with what it resists before, and
    whether it rolls.

    Meanwhile cards may be played on what is rolled; nobody is waited for because of that
    (MB-CARD-13).
    """

    side = DEFEND

    def __init__(self, proposed: CheckProposal) -> None:
        super().__init__(proposed)
        self._looked = proposed.looked

    def moments(self, game: Game, check: AnyAttempt) -> Moments:
        data = check.data
        if data.answer != ROLL or data.is_automatic or self.awaits_other_side(game, check):
            return ()
        found = [moment(game, check, check.actor, MINE)]
        if data.is_resisted and check.target is not None:
            found.append(moment(game, check, check.target, THEIRS))
        return tuple([each.replace(window="pre_roll") for each in found])

    def options(
        self, game: Game, check: AnyAttempt, prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        found = super().options(game, check, prompt, who)
        return with_proposed_situations(game, check, found) if prompt == "rule" else found

    def other_rollers(self, game: Game, check: AnyAttempt) -> tuple[str, ...]:
        return tuple([each for each in self.possible_players(game, check) if each != check.actor])

    def options_before_roll(
        self, game: Game, check: AnyAttempt, who: str
    ) -> tuple[CheckOption, ...]:
        return self.card_options(game, check, who)

    def apply_choice(self, game: Game, check: AnyAttempt, choice: Choice) -> StageResult[Attempt]:
        if not card_windows.is_card(choice):
            return StageResult(game.state, check.data)
        game, data, effect, said = self.play_card(game, check, choice, early=True)
        data = check.data if effect.lasts else data
        return StageResult(game.state, self._looked(game, check, data), said=said)

    def opposing_values(self, check: AnyAttempt) -> Values | None:
        defense = check.data.defense
        return None if defense is None else self.side.changed_values(defense)

    def with_opposing_values(self, game: Game, check: AnyAttempt, values: Values) -> Attempt:
        approach = values.get(APPROACH_FIELD.key, "").strip()
        plan = DEFEND.make_record(Plan, stated_values(values)).replace(approach=approach)
        if (
            plan.active
            and check.target is not None
            and (why := no_defense_reason(game, check.target))
        ):
            raise Impossible("mb-no-active-defense", why=why)
        return refresh_from_sheets(
            game, check, check.data.replace(defense=plan, defense_by=game.actor.id)
        )


class AttemptAction(RolledAction):
    """Both sides' dice; a passive side throws none (MB-CMB-02, MB-CMB-03).

    `look` looks the sheets up. `reads` tells whether result points say what comes of it: else
    nobody is asked whether it could be more. What is `hostile` is done against its target, whose
    cards may undo it.
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
        found = [throw_for(game, check, check.actor, MINE, data.mine)]
        if data.is_resisted and check.target is not None and data.throw_of(THEIRS) is None:
            found.append(throw_for(game, check, check.target, THEIRS, data.theirs))
        return tuple(found)

    def use_up_effects(self, game: Game, check: AnyAttempt) -> Game:
        if is_own_action(game, check.actor, free=check.data.free):
            game = spend_action(game, check.actor)
        game = use_up_marks(game, check.actor)
        return (
            use_up_marks(spend_action(game, check.target), check.target)
            if check.data.is_resisted and check.target
            else game
        )

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
        """No card goes on what everybody knows has worked, where that is all there is to it."""
        result = None if self.reads(check) or is_number_hidden(game, check) else check.data.result
        if result is not None and result.success:
            return ()
        data, found = (
            check.data,
            [moment(game, check, each.who, each.what) for each in check.data.throws],
        )
        if found and data.theirs is not None and check.target and data.throw_of(THEIRS) is None:
            found.append(moment(game, check, check.target, THEIRS).replace(number="value"))
        if found and _known(check):
            found.append(
                moment(game, check, check.actor, MINE).replace(
                    window="after_resolution", against=()
                )
            )
        return tuple(found)

    def impact_moments(self, game: Game, check: AnyAttempt) -> Moments:
        """Where nothing more will be told, nobody is asked twice."""
        return self._result_moments(game, check) if _unread(game, check) else ()

    def resolution_moments(self, game: Game, check: AnyAttempt) -> Moments:
        if check.data.result is None or check.data.failed:
            return ()
        about = moment(game, check, check.actor, MINE).replace(window="after_resolution")
        about = about.replace(actor="") if _known(check) else about
        more = () if _unread(game, check) else self._result_moments(game, check)
        return (about if self.hostile else about.replace(against=()), *more)

    def _result_moments(self, game: Game, check: AnyAttempt) -> Moments:
        """The result points, where cards may add to them (MB-CARD-E07)."""
        result = check.data.result if self.reads(check) else None
        if result is None or not (result.success or game.setting("effect_card_can_rescue")):
            return ()
        about = moment(game, check, check.actor, MINE)
        return (about.replace(window="effect_pending", number="result", succeeded=result.success),)

    def with_card(self, check: AnyAttempt, data: Any, effect: CardEffect) -> Any:
        meant = effect.whose == check.target and (effect.lasts or effect.number == "value")
        if data.theirs is None or not meant or data.throw_of(THEIRS) is not None:
            return data
        return data.replace(theirs=data.theirs.with_causes((effect.name, effect.amount)))

    def without_throws_of(self, data: Any, who: str) -> Any:
        kept = [each for each in data.throws if each.who != who or each.what == THEIRS]
        return data.replace(throws=tuple(kept))

    def stages(self, *between: Stage[Any], reading: bool = True) -> tuple[Stage[Any], ...]:
        """As `dice_stages`, and the windows after the dice; without `reading` none before it is
        told how well it went.
        """
        windows = (ImpactWindow(self),) if reading else ()
        return (
            *dice_stages(self, *between),
            *windows,
            ResolutionWindow(self, hostile=self.hostile),
        )


def moment(game: Game, check: AnyAttempt, who: str, what: str) -> Moment:
    """Somebody's total in it, as a card sees it."""
    data, aimed = check.data, (check.target,) if check.target else ()
    plan = data.request if what == MINE else data.defense or data.request
    means = means_of(game, who, plan)
    means = means.replace(attribute=plan.attribute or means.attribute)
    about = Moment("roll_pending", check.actor, who, "total", what)
    return means.of(about).replace(
        against=aimed,
        players=what == MINE and check.target not in (None, who) and not is_npc(game, check.target),
        blind=aimed if data.ruling is not None and data.ruling.unaware else (),
    )


def _known(check: AnyAttempt) -> bool:
    """Whether what it comes to is known as the dice lie: whoever accepts that is not asked about it
    once more.
    """
    return not check.data.opposed and not check.hidden


def _unread(game: Game, check: AnyAttempt) -> bool:
    """Whether only the GMs can read how well it was done, until they tell."""
    return is_number_hidden(game, check) and check.reveal != "verdict"


def throw_for(game: Game, check: Any, who: str, what: str, how: Rating | None) -> Throw:
    """What somebody throws with this; what waits for it counts."""
    assert how is not None, "looked up before it is thrown"
    again = dice_again(game, who)
    roll = dice.throw(game.rng_for(check, who), how.trained, again.ups, again.stymied)
    return thrown_with(who, what, how, roll)


def thrown_with(who: str, what: str, how: Rating, roll: dice.Roll) -> Throw:
    """Return a throw of dice with everything that a rating has."""
    found = Throw(who, what, how.value, how.modifiers, roll, how.floor, how.most)
    return found.replace(bonuses=how.bonuses, fails_on=how.fails_on)
