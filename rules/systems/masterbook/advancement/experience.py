"""Growing: adds, specializations, Attributes for skill points, those for Life Points, and lessons
with a teacher.

MB-SKILL-IMP-01 to MB-SKILL-IMP-08, MB-SKILL-TEACHING, MB-CHAR-11, MB-CHAR-17.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final, Literal

from rules.core.errors import Impossible, InvalidInput, NotFound, RulesError
from rules.core.json_reader import violation
from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.systems.masterbook.character.bound_points import bound_points_for, spend_bound_points
from rules.systems.masterbook.character.derived_values import own_toughness
from rules.systems.masterbook.character.sheet import (
    HIGHEST_ADDS,
    Curve,
    MasterbookSheet,
    Skill,
    attribute_limit,
    bought_skill,
    lasting_attribute,
    learning_curve,
    option_effects,
    skill_on_sheet,
    skill_title,
    skills_with_adds,
)
from rules.systems.masterbook.character.skill_names import ATTRIBUTES
from rules.systems.masterbook.checks.action_commands import acts_by, command
from rules.systems.masterbook.checks.action_economy import use_up_marks
from rules.systems.masterbook.checks.card_awards import BadLuckStage
from rules.systems.masterbook.checks.procedure import throw_for
from rules.systems.masterbook.checks.roll_sources import RollSource, source_rating
from rules.systems.masterbook.checks.roll_stages import CancelStage, Dice, RolledAction
from rules.systems.masterbook.checks.sheet_damage import SKILL_POINTS
from rules.systems.masterbook.checks.sheet_view import MasterbookCharacter
from rules.systems.masterbook.checks.state import RollData
from rules.systems.masterbook.checks.view import point_notes, roll_of
from rules.systems.masterbook.deck.table_deck import current_cards, has_deck, mode
from rules.systems.masterbook.formulas import attributes, movement, skills, success_chart
from rules.systems.masterbook.formulas.dice import Throw
from rules.systems.masterbook.formulas.gm_rules import LIFE_POINT_WORTH
from rules.systems.masterbook.formulas.skills import SKILLS, raise_specialization
from rules.table.actions import Advance, Learn
from rules.table.blocks import FOR_EVERYONE, GMS_ONLY, Block, Fact, Note, Ref, Text, Verdict
from rules.table.check import OVER, Check, Choice, Prompt
from rules.table.checks.procedure import CheckOption, Procedure, Stage, StageResult
from rules.table.checks.shared_blocks import full_and_plain
from rules.table.commands import (
    AS_FIELD,
    NAME_MAX,
    CommandResult,
    PendingButton,
    check_starter,
    known_character_options,
)
from rules.table.forms import (
    QUOTE_MAX,
    Flag,
    Form,
    FormContext,
    Number,
    Option,
    Typed,
    Values,
    plain_options,
)
from rules.table.gm_values import LabelParams, Tool
from rules.table.outcome import Outcome
from rules.table.people.advancement import (
    find_step,
    new_step,
    require_possible,
    rise_line,
    spent_line,
    step_choices,
    with_row,
)
from rules.table.people.characters import find_own, growable_characters
from rules.table.permissions import is_gm, owns
from rules.table.reports import report_outcome
from rules.table.resources import read_points
from rules.table.system import Game, GrowthResult, Tick, TickResult, is_npc

AddKind = Literal["general", "focus", "specialization"]

#: The first add of a skill or a focus.
FIRST_ADD_COST = 4
ATTRIBUTE_COST_FACTOR = 3
#: By what a teacher divides the cost: a success, and one of the highest level.
TAUGHT, TAUGHT_BEST = 2, 3
_BEST_RANK: Final = 6
#: A game master's teacher halves the cost without a roll for students below this value.
FREELY_TAUGHT_BELOW = 17


def convert_life_points(
    life_points: int, skill_points: int, points: int, surplus: int = 0
) -> tuple[int, int]:
    """Return Life Points and skill points after a conversion (MB-SKILL-IMP-01).

    *surplus*: Life Points above the most. The first number has the rest of the surplus in it.

    Raises Impossible("mb-too-few-life-points").
    """
    if not 0 < points <= life_points + surplus:
        raise Impossible(
            "mb-too-few-life-points", value=points, left=life_points, surplus=surplus or None
        )
    return life_points + surplus - points, skill_points + LIFE_POINT_WORTH * points


def teaching_divisor(rank: int) -> int:
    """By what a teacher divides the cost, by the rank of the roll's level; 0 is a failure
    (MB-SKILL-IMP-04).
    """
    return TAUGHT_BEST if rank >= _BEST_RANK else TAUGHT if rank else 1


def student_value(attribute: int, adds: int) -> int:
    """What a teacher has to reach: the student's value, the Attribute alone for something new."""
    return attribute + adds


def free_teaching_divisor(value: int) -> int | None:
    """By what a game master's teacher divides without a roll; None where the game master has to
    say.
    """
    return TAUGHT if value < FREELY_TAUGHT_BELOW else None


def _plain(kind: AddKind, trained: bool, adds: int, rounding: str) -> int:
    """The cost of the next add without a teacher (MB-SKILL-IMP-02, MB-SKILL-IMP-03)."""
    number = adds + 1 if adds else FIRST_ADD_COST
    if kind != "specialization":
        return 2 * number if trained else number
    if trained and rounding != "round_then_double":
        return number
    return -(-number // 2) * (2 if trained else 1)


def next_add_cost(
    kind: AddKind,
    trained: bool,
    adds: int,
    *,
    by: int = 1,
    curve: Curve = "",
    rounding: str = "round_then_double",
    during: bool = False,
) -> int:
    """Skill points for the next add of what has `adds` so far, 0 for something new (MB-SKILL-IMP-02
    to -04, -07).

    `trained` is a skill that cannot be used untrained; `by` is what a teacher divides by;
    `rounding` is `spec_trained_rounding`. `during` an adventure nothing is halved.
    """
    points = _plain(kind, trained, adds, rounding)
    if curve == "negative":
        points *= 2
    if curve == "positive" and not adds and not during:
        by = max(by, TAUGHT)
    points = -(-points // by)
    return max(1, points - 1) if curve == "positive" and adds else points


def max_adds_between_adventures(kind: AddKind, special: int = 2) -> int:
    """Adds that one may gain between two adventures; `special` is
    `spec_adds_between_adventures`.
    """
    return special if kind == "specialization" else 1


def may_gain(kind: AddKind, more: int, gained: int = 0, special: int = 2) -> bool:
    """Whether so many adds may be gained between two adventures, after those `gained`
    (MB-SKILL-IMP-05).
    """
    return gained + more <= max_adds_between_adventures(kind, special)


def may_gain_during(taught: bool, gained: int = 0) -> bool:
    """Whether an add may be gained during an adventure, `taught` by somebody (MB-SKILL-IMP-06).

    That there is time for it, a GM says who allows the lesson.
    """
    return taught and gained == 0


def attribute_cost(current: int) -> int:
    """Skill points to raise an Attribute by one, whatever the Learning Curve: that is of skills
    (MB-SKILL-IMP-08).
    """
    return ATTRIBUTE_COST_FACTOR * (current + 1)


# --- steps ----------------------------------------------------------------------------------------


class Rise(Record):
    """One add, or one point of an Attribute: from how many, for how much; `why` it cannot be had
    now.
    """

    title: str
    kind: AddKind | None
    skill: str
    focus: str
    special: str
    before: int
    cost: int
    why: RulesError | None = None
    attribute: str = ""


def _cost(
    game: Game,
    sheet: MasterbookSheet,
    skill: str,
    kind: AddKind,
    adds: int,
    by: int = 1,
    key: str = "",
    during: bool = False,
) -> int:
    """Return the price of a skill's next add; a teacher divides it *by* so much.

    `key` is the Attribute of a skill of the campaign's own. `during` an adventure a Learning Curve
    makes nothing new cheaper (MB-BG-26).
    """
    row = SKILLS.get(skill)
    trained = row is not None and row.trained
    rounding = game.setting("spec_trained_rounding")
    curve = learning_curve(sheet, key or (row.attribute if row is not None else ""))
    return next_add_cost(kind, trained, adds, by=by, curve=curve, rounding=rounding, during=during)


def _rise(game: Game, sheet: MasterbookSheet, skill: Skill, special: str = "") -> Rise:
    """The next add of a skill, or of one of its specializations."""
    kind: AddKind = "specialization" if special else "focus" if skill.focus else "general"
    adds = dict(skill.specializations).get(special, 0) if special else skill.adds
    cost = _cost(game, sheet, skill.name, kind, adds, key=skill.attribute)
    title = skill.title + (f" ({special})" if special else "")
    why: RulesError | None = None
    gained = dict(sheet.grown).get(title, 0)
    special_most = game.setting("spec_adds_between_adventures")
    if not may_gain(kind, 1, gained, special_most):
        why = Impossible(
            "mb-grown-enough", name=title, most=max_adds_between_adventures(kind, special_most)
        )
    elif special:
        try:
            raise_specialization(skill.adds, adds)
        except Impossible as error:
            why = error
    elif (
        skill.name == "Resist Shock"
        and game.setting("resist_shock_add_cap")
        and adds >= lasting_attribute(sheet, "endurance")
    ):
        why = Impossible("mb-resist-shock-capped", most=lasting_attribute(sheet, "endurance"))
    return Rise(title, kind, skill.name, skill.focus, special, adds, cost, why, skill.attribute)


def possible_rises(game: Game, sheet: MasterbookSheet) -> Iterator[Rise]:
    """What somebody has and can raise: adds, specializations, Attributes; then the skills they
    lack.
    """
    learned = skills_with_adds(sheet)
    for each in learned:
        yield _rise(game, sheet, each)
        for special, _ in each.specializations:
            yield _rise(game, sheet, each, special)
    for key in ATTRIBUTES:
        value = lasting_attribute(sheet, key)
        full = value >= attribute_limit(sheet, key)
        why = (
            Impossible("mb-attribute-highest", name=key.capitalize(), most=value) if full else None
        )
        yield Rise(key.capitalize(), None, "", "", "", value, attribute_cost(value), why, key)
    have = {each.name for each in learned}
    for row in SKILLS.values():
        if row.name not in have and not skills.needs_focus(row, game.setting):
            yield _rise(game, sheet, Skill(row.name))


def _new_rise(game: Game, sheet: MasterbookSheet, text: str) -> Rise | None:
    """Something new by name: a focus, a specialization, of a skill on the list."""
    head, _, special = text.strip().removesuffix(")").partition("(")
    name, _, focus = head.partition(":")
    row = next((each for each in SKILLS.values() if name_key(each.name) == name_key(name)), None)
    if row is None:
        return None
    focus, special = " ".join(focus.split()), " ".join(special.split())
    if skills.needs_focus(row, game.setting) and not focus:
        example = skill_title(row.name, row.focuses[0] if row.focuses else "…")
        raise violation("mb-needs-focus", "skill", row.name, "mb-name-focus", example=example)
    return _rise(game, sheet, skill_on_sheet(sheet, row.name, focus), special)


def find_rise(game: Game, sheet: MasterbookSheet, text: str) -> Rise:
    """The step that is meant, also toward something new by its name. Raises as `find_step`."""
    try:
        return find_step(possible_rises(game, sheet), text)
    except NotFound:
        found = _new_rise(game, sheet, text)
        if found is None:
            raise
        return require_possible(found)


def _is_adventure_on(game: Game) -> bool:
    """Return whether an adventure is on for which cards were dealt."""
    return mode(game).hands and has_deck(game) and bool(current_cards(game).deal.limit)


def _require_listed(game: Game, rise: Rise, action: Advance | Learn) -> Rise:
    """Return a step of advancement that needs no GM (MB-SKILL-04, MB-CHAR-12, MB-SKILL-IMP-06).

    A GM may take any step, and decides about a step that a player explains.

    Raises:
        Impossible("mb-no-specializations"): the book has no specializations of the skill.
        Impossible("mb-adventure-lesson"): during an adventure only a lesson raises a skill.
    """
    waits = rise.kind is not None and _is_adventure_on(game)
    if waits and not action.explanation and not is_gm(game.state, game.actor):
        raise Impossible("mb-adventure-lesson", what=rise.title)
    unlisted = rise.special and not rise.before and not skills.specialized(rise.skill)
    if unlisted and not action.explanation and not is_gm(game.state, game.actor):
        raise Impossible("mb-no-specializations", name=rise.skill, special=rise.special)
    return rise


def with_rise(game: Game, sheet: MasterbookSheet, rise: Rise) -> MasterbookSheet:
    """The sheet one step higher, unpaid."""
    if rise.kind is None:
        return _with_attribute(game, sheet, rise.attribute)
    grown = dict(sheet.grown)
    grown[rise.title] = grown.get(rise.title, 0) + 1
    skill = bought_skill(sheet, rise.skill, rise.focus).replace(attribute=rise.attribute)
    if rise.special:
        special = dict(skill.specializations)
        special[rise.special] = special.get(rise.special, 0) + 1
        skill = skill.replace(specializations=tuple(special.items()))
    else:
        skill = skill.replace(adds=skill.adds + 1)
    return sheet.replace(
        skills=with_row(sheet.skills, skill, "name", "focus"), grown=tuple(grown.items())
    )


def _with_attribute(game: Game, sheet: MasterbookSheet, key: str) -> MasterbookSheet:
    """An Attribute one higher; Toughness moves with it where the table has it so (MB-CHAR-17)."""
    before = sheet.strength, sheet.endurance
    now = sheet.replace(**{key: getattr(sheet, key) + 1})
    follows = game.setting("toughness_follows_purchased_attributes")
    after = now.strength, now.endurance
    toughness = attributes.toughness_bought(own_toughness(sheet), before, after, follows)
    return now.replace(toughness=toughness) if before != after else now


def _price(cost: int) -> Text:
    return Text("mb-skill-points", {"cost": cost})


def _attribute_of(rise: Rise) -> str:
    """Return the Attribute of the skill that a step raises."""
    return rise.attribute or SKILLS[rise.skill].attribute


def points_for_rise(sheet: MasterbookSheet, rise: Rise) -> int:
    """Return the skill points that a step can be paid with (MB-GM-05)."""
    if rise.kind is None:
        return sheet.skill_points
    return sheet.skill_points + bound_points_for(sheet, rise.skill, _attribute_of(rise))


def _with_cost_paid(sheet: MasterbookSheet, rise: Rise, cost: int) -> MasterbookSheet:
    """Return the sheet after a step is paid for: points bound to a group go first (MB-GM-05).

    Raises Impossible("mb-not-enough").
    """
    have = points_for_rise(sheet, rise)
    if have < cost:
        raise Impossible("mb-not-enough", what=SKILL_POINTS.key, have=have, need=cost)
    if rise.kind is not None:
        sheet, cost = spend_bound_points(sheet, rise.skill, _attribute_of(rise), cost)
    return SKILL_POINTS.pay(sheet, cost) if cost else sheet


def pay_for_rise(game: Game, character: MasterbookCharacter, rise: Rise) -> GrowthResult:
    """One step, paid for."""
    sheet = with_rise(game, _with_cost_paid(character.sheet, rise, rise.cost), rise)
    lines = (rise_line(rise), spent_line(rise, sheet.skill_points, _price))
    if exceeds_language_limit(character.sheet, rise):
        lines = (*lines, Text("mb-language-limit", {"name": rise.title}))
    return GrowthResult(character.replace(sheet=sheet), lines)


#: Skill of foreign languages.
_LANGUAGE: Final = "Language"


def exceeds_language_limit(sheet: MasterbookSheet, rise: Rise) -> bool:
    """Return whether a step is a second add of the local language in an adventure (MB-BG-52)."""
    limited = {name_key(each) for each in option_effects(sheet).limited_languages}
    if rise.skill != _LANGUAGE or name_key(rise.focus) not in limited:
        return False
    gained = [number for title, number in (*sheet.grown, *sheet.taught) if title == rise.title]
    return sum(gained) > 0


def advance(game: Game, character: MasterbookCharacter, action: Advance) -> GrowthResult:
    """One add more, or one point of an Attribute. Raises as `find_rise`, `_require_listed`;
    Impossible("mb-not-enough").
    """
    return pay_for_rise(
        game,
        character,
        _require_listed(game, find_rise(game, character.sheet, action.skill), action),
    )


def learn(game: Game, character: MasterbookCharacter, action: Learn) -> GrowthResult:
    """Something new: a skill, a focus, a specialization, or a campaign's own skill for an
    Attribute.

    Raises as `new_step`, and as `advance`.
    """
    sheet = character.sheet

    def own(name: str, key: str) -> Rise:
        return _rise(game, sheet, Skill(name, attribute=key))

    step = new_step(action, partial(find_rise, game, sheet), own, ATTRIBUTES)
    return pay_for_rise(game, character, _require_listed(game, step, action))


def advancement_choices(game: Game, character: MasterbookCharacter) -> tuple[Option, ...]:
    """Every step that may be taken now, with its price."""
    rises = possible_rises(game, character.sheet)
    if _is_adventure_on(game) and not is_gm(game.state, game.actor):
        rises = (each for each in rises if each.kind is None)
    return step_choices(rises, partial(points_for_rise, character.sheet), _price)


# --- an add as an award ---------------------------------------------------------------------------


def _adds_there(sheet: MasterbookSheet) -> Iterator[tuple[str, LabelParams]]:
    """Yield each skill whose adds a GM may set, with its adds."""
    for skill in sheet.skills:
        yield skill.title, {"name": skill.title, "now": skill.adds}
    have = {skill.name for skill in sheet.skills}
    for row in SKILLS.values():
        if row.name not in have:
            yield row.name, {"name": row.name, "now": 0}


def _set_adds(
    game: Game, sheet: MasterbookSheet, name: str, value: str
) -> tuple[MasterbookSheet, LabelParams]:
    """Set the adds in a skill, such as one more for a skill that was tried again and again.

    Adds that a GM gives cost nothing, and count neither as gained nor as taught (MB-GM-05).
    Raises as `find_rise`, `read_points`; NotFound("unknown-choice") for what is no skill.
    """
    rise = find_rise(game, sheet.replace(grown=()), name)
    if rise.kind is None:
        raise NotFound("unknown-choice", field="what", value=name[:QUOTE_MAX], nearest=())
    now = read_points(value, 0, HIGHEST_ADDS)
    raised = with_rise(game, sheet, rise.replace(before=now - 1))
    title = {"name": rise.title, "before": rise.before, "now": now}
    return raised.replace(grown=sheet.grown), title


def _offered_adds(sheet: MasterbookSheet, name: str) -> tuple[Option, ...]:
    """Return the numbers of adds worth offering: one more first."""
    known = {title: said["now"] for title, said in _adds_there(sheet)}
    now = known.get(name, 0)
    return plain_options(str(number) for number in (now + 1, *range(now)))


#: Values that a GM sets by hand.
TOOLS: Final = {"adds": Tool("mb-set-adds", _adds_there, _set_adds, _offered_adds)}


def apply_adventure_tick(game: Game, passing: Tick) -> TickResult:
    """After an adventure everything may be raised anew (MB-SKILL-IMP-05)."""
    for who in passing.who if passing.kind == "adventure" else ():
        sheet: MasterbookSheet = game.sheet(who)
        if sheet.grown or sheet.taught:
            game = game.with_sheet(who, sheet.replace(grown=(), taught=()))
    return TickResult(game)


# --- Life Points into skill points ----------------------------------------------------------------


def convert(game: Game, action: Any) -> Outcome:
    """Life Points become skill points: players' own, of GMs anybody's (MB-SKILL-IMP-01). As
    `find_own`, `convert_life_points`.
    """
    character = find_own(
        game.state, action.who, action.as_ or None, growable_characters(game.state, action.who)
    )
    sheet: MasterbookSheet = character.sheet
    left, now = convert_life_points(
        sheet.life_points, sheet.skill_points, action.points, sheet.surplus
    )
    # The surplus goes first, as it would be lost (MB-GM-06).
    surplus = max(0, sheet.surplus - action.points)
    left -= surplus
    about = {"points": action.points, "left": left, "surplus": surplus or None, "now": now}
    line = Text("mb-converted", {"name": character.name, **about})
    changed = sheet.replace(life_points=left, surplus=surplus, skill_points=now)
    title = Text("mb-converts", {"name": character.name})
    return report_outcome(
        game.with_sheet(character.id, changed), title, Note(line, FOR_EVERYONE), of=character
    )


_POINTS: Final = Number("points", low=1, high=99, needed=True)
_WHOSE: Final = Typed("as", most=NAME_MAX, choices=known_character_options)
_CONVERTS: Final = acts_by("Convert", convert, _POINTS, _WHOSE, reversible=True)


def _convert(game: Game, said: Values) -> CommandResult:
    who = find_own(
        game.state, game.actor, said.get("as"), growable_characters(game.state, game.actor)
    )
    return _CONVERTS.replace(openly=who.owner is not None)(game, said)


def _waiting_surplus(game: Game) -> Iterable[PendingButton]:
    """Yield a button for each of a player's characters with surplus Life Points (MB-GM-06)."""
    for each in growable_characters(game.state, game.actor):
        surplus = each.sheet.surplus
        if surplus and each.owner == game.actor.id:
            what = Text(
                "mb-surplus",
                {"name": each.name, "points": surplus, "most": game.setting("life_points_max")},
            )
            label = Text("mb-surplus-convert", {"number": LIFE_POINT_WORTH * surplus})
            yield PendingButton(what, label, {"points": surplus, "as": each.id})


ACTS: Final = (_CONVERTS,)


# --- teachers -------------------------------------------------------------------------------------

_TEACHING, _EXACT = "Teaching", "exact"
#: What the GM says instead of how near the lesson is to what the teacher teaches: that there is
#: none.
_NO: Final = "no"
#: By what a teacher of the GM's divides the price of those who know so much that the GM decides
#: (MB-SKILL-IMP-04).
_DECIDED: Final[Mapping[str, int]] = {"half": TAUGHT, "third": TAUGHT_BEST, "full": 1}


class Study(RollData):
    """A lesson: in what, `during` an adventure or not, how near that is (`relation`) to what is
    taught.

    What came of it: `by` what the price was divided, the price, how many there are `now`.
    """

    skill: str = ""
    during: bool = False
    relation: str = ""
    number: int = 0
    by: int = 0
    cost: int | None = None
    now: int = 0
    #: Whether it was a second add of the local language in an adventure.
    over_limit: bool = False


STUDY_FORM: Final = Form(
    (
        Typed("skill", most=100, needed=True),
        Flag("during", label=Text("mb-with", {"what": "during"})),
    )
)


def _sheet_for_lesson(sheet: MasterbookSheet, during: bool) -> MasterbookSheet:
    """The sheet with what counts for a lesson: in an adventure nothing that was gained before
    (MB-SKILL-IMP-06).
    """
    return sheet.replace(grown=()) if during else sheet


def begin_study(game: Game, check: Check[Study], values: Values) -> Check[Study]:
    """Something that can be learned, from somebody else.

    Raises as `find_rise`; InvalidInput("target-is-self"), Impossible("mb-not-taught"), and to
    whoever may read the teacher's sheet ("mb-cannot-teach").
    """
    if check.target == check.actor:
        raise InvalidInput("target-is-self", field="target", value=None)
    during, sheet = bool(values.get("during")), game.sheet(check.actor)
    rise = find_rise(game, _sheet_for_lesson(sheet, during), values["skill"])
    if rise.kind is None:
        raise Impossible("mb-not-taught", what=rise.title)
    if during and not may_gain_during(True, dict(sheet.taught).get(rise.title, 0)):
        raise Impossible("mb-grown-enough", name=rise.title, most=1, during=True)
    _with_cost_paid(sheet, rise, _lesson(game, sheet, rise, during, TAUGHT_BEST))
    found = check.replace(data=Study(skill=rise.title, during=during))
    teacher = game.state.characters.get(check.target or "")
    knows = is_gm(game.state, game.actor) or (
        teacher is not None and owns(game.state, game.actor, teacher)
    )
    if knows and _cannot_teach(game, found):
        raise Impossible(
            "mb-cannot-teach", name=game.display_name(check.target or ""), skill=rise.title
        )
    return found


def _lesson(game: Game, sheet: MasterbookSheet, rise: Rise, during: bool, by: int) -> int:
    """What a lesson costs: in an adventure the full price (MB-SKILL-IMP-04, MB-SKILL-IMP-06)."""
    if rise.kind is None:
        return rise.cost
    divisor = 1 if during else by
    return _cost(game, sheet, rise.skill, rise.kind, rise.before, divisor, rise.attribute, during)


def _cannot_teach(game: Game, check: Check[Study]) -> bool:
    """Whether the teacher knows too little for it: for whoever may read that sheet to know, and the
    GMs, who say no.
    """
    return check.target is not None and not _possible(game, check)


def _step_of(game: Game, check: Check[Study]) -> Rise | None:
    """The step that the lesson is about; None where it cannot be taken any more."""
    try:
        return find_rise(
            game, _sheet_for_lesson(game.sheet(check.actor), check.data.during), check.data.skill
        )
    except RulesError:
        return None


class LessonRulingStage(Stage[Study]):
    """The GM says whether there is time for it, and how near it is to what is taught
    (MB-SKILL-TEACHING).
    """

    name = "asked"

    def enter(self, game: Game, check: Check[Study], /) -> StageResult[Study] | None:
        ways = _possible(game, check)
        if (
            not check.data.relation
            and ways
            and is_gm(game.state, game.actor)
            and not _needs_price_ruling(game, check)
        ):
            return StageResult(game.state, _allow_lesson(game, check, ways[0]))
        return None

    def ask(self, game: Game, check: Check[Study], /) -> tuple[Prompt, ...]:
        return () if check.data.relation else (Prompt("rule"),)

    def options(
        self, game: Game, check: Check[Study], prompt: str, who: str, /
    ) -> Iterable[CheckOption]:
        ways = _DECIDED if _needs_price_ruling(game, check) else _possible(game, check)
        return [CheckOption(each, Text("mb-study-way", {"way": each})) for each in (*ways, _NO)]

    def choose(self, game: Game, check: Check[Study], choice: Choice, /) -> StageResult[Study]:
        if choice.option == _NO:
            return StageResult(game.state, check.data.replace(relation=_NO), OVER)
        relation = _EXACT if choice.option in _DECIDED else choice.option
        return StageResult(
            game.state, _allow_lesson(game, check, relation, _DECIDED.get(choice.option, TAUGHT))
        )


def _possible(game: Game, check: Check[Study]) -> tuple[str, ...]:
    """How near it may be to what the teacher teaches, so that there is something to learn
    (MB-SKILL-TEACHING).
    """
    rise = _step_of(game, check)
    if rise is None or check.target is None:
        return () if rise is None else (_EXACT,)
    teacher: MasterbookSheet = game.sheet(check.target)
    own = skill_on_sheet(teacher, rise.skill, rise.focus).adds
    return tuple(
        [
            each
            for each in movement.TEACHING
            if movement.may_teach(_teaching_adds(teacher, rise, each), own, rise.before)
        ]
    )


def _value(game: Game, check: Check[Study], rise: Rise) -> int:
    """What the student is worth in it now: a specialization stands on the skill's own adds
    (MB-SKL-01).
    """
    sheet: MasterbookSheet = game.sheet(check.actor)
    value = lasting_attribute(sheet, rise.attribute or SKILLS[rise.skill].attribute)
    if rise.special:
        value += skill_on_sheet(sheet, rise.skill, rise.focus).adds
    return student_value(value, rise.before)


def _needs_price_ruling(game: Game, check: Check[Study]) -> bool:
    """Whether nobody rolls, and the student is too good for the usual price (MB-SKILL-IMP-04)."""
    rise = _step_of(game, check)
    rolled = check.target is not None or check.data.during
    return (
        rise is not None and not rolled and free_teaching_divisor(_value(game, check, rise)) is None
    )


def _allow_lesson(game: Game, check: Check[Study], relation: str, by: int = TAUGHT) -> Study:
    """The lesson as the GM allows it; somebody of the GM's who teaches is not rolled for
    (MB-SKILL-IMP-04).
    """
    rise, data = _step_of(game, check), check.data.replace(relation=relation)
    if rise is None:
        return data
    return data.replace(by=0 if check.target is not None else by, number=_value(game, check, rise))


def _teaching_adds(teacher: MasterbookSheet, rise: Rise, relation: str) -> int:
    """The adds in teaching that count for it: those in teaching just that, or in whatever is so
    near to it.
    """
    known = [each for each in skills_with_adds(teacher) if each.name == _TEACHING]
    if relation == _EXACT:
        known = [
            each
            for each in known
            if name_key(each.focus) in map(name_key, (rise.skill, rise.title))
        ]
    return movement.teaching_adds(max([each.adds for each in known], default=0), relation)


class TeachingRoll(RolledAction):
    """The teacher rolls against what the student is worth already (MB-SKILL-IMP-04)."""

    def throws_due(self, game: Game, check: Check[Study]) -> tuple[Throw, ...]:
        data, teacher = check.data, check.target
        if teacher is None or not data.relation or data.relation == _NO:
            return ()
        rise = _step_of(game, check)
        adds = 0 if rise is None else _teaching_adds(game.sheet(teacher), rise, data.relation)
        how = source_rating(game, teacher, RollSource(_TEACHING, "intellect", _TEACHING, adds=adds))
        return (throw_for(game, check, teacher, "teaching", how),)

    def use_up_effects(self, game: Game, check: Check[Study]) -> Game:
        return game if check.target is None else use_up_marks(game, check.target)


class LessonStage(Stage[Study]):
    """It is learned and paid for; in an adventure only from a teacher who succeeds, at the full
    price.
    """

    name = "learned"

    def enter(self, game: Game, check: Check[Study], /) -> StageResult[Study] | None:
        data = check.data
        if data.relation == _NO or data.cost is not None:
            return None
        by = (
            teaching_divisor(success_chart.rank(data.throws[0].total - data.number))
            if data.throws
            else data.by
        )
        rise, sheet = _step_of(game, check), game.sheet(check.actor)
        cost = 0 if rise is None else _lesson(game, sheet, rise, data.during, by)
        if (
            rise is None
            or (data.during and not may_gain_during(by > 1))
            or points_for_rise(sheet, rise) < cost
        ):
            return StageResult(game.state, data.replace(by=by or 1))
        paid = _with_cost_paid(_sheet_for_lesson(sheet, data.during), rise, cost)
        after = with_rise(game, paid, rise)
        if data.during:
            after = after.replace(grown=sheet.grown, taught=(*sheet.taught, *after.grown))
        game = game.with_sheet(check.actor, after)
        by = 1 if data.during else by  # at the full price, however well it was taught
        over = exceeds_language_limit(sheet, rise)
        data = data.replace(by=by, cost=cost, now=rise.before + 1, over_limit=over)
        return StageResult(game.state, data)


def describe(game: Game, check: Check[Study]) -> tuple[Block, ...]:
    """What is learned from whom, and what it cost."""
    data = check.data
    found: list[Block] = []
    if data.relation == _NO:
        found.append(Verdict(Text("check-cannot"), "neutral", FOR_EVERYONE, worked=False))
    elif data.cost is not None:
        told = Text("rose", {"name": data.skill, "before": data.now - 1, "now": data.now})
        full = Verdict(told, "good", FOR_EVERYONE, worked=True)
        # An NPC's adds stand on a sheet that only GMs read.
        found += (
            full_and_plain(full, text=Text("mb-success")) if is_npc(game, check.actor) else (full,)
        )
        found.append(Note(Text("mb-studied", {"cost": data.cost, "by": data.by}), (check.actor,)))
        if data.over_limit:
            found.append(Note(Text("mb-language-limit", {"name": data.skill}), (check.actor,)))
    elif data.by:
        found.append(Verdict(Text("mb-nothing-learned"), "bad", FOR_EVERYONE, worked=False))
    teacher = Ref(check.target) if check.target else None
    if not data.relation and check.is_open and _cannot_teach(game, check):
        seen = GMS_ONLY if is_npc(game, check.target) else (check.target or "",)
        found.append(Note(Text("mb-cannot-teach", {"name": teacher, "skill": data.skill}), seen))
    found.append(
        Note(
            Text("mb-lesson", {"skill": data.skill, "who": teacher, "during": data.during}),
            FOR_EVERYONE,
        )
    )
    if data.throws:
        seen = GMS_ONLY if is_npc(game, check.target) else FOR_EVERYONE
        found.append(Fact(Text("check-difficulty"), data.number, (check.actor,)))
        found += [roll_of(each).replace(visible_to=seen) for each in data.throws]
    return (*found, *point_notes(data.points))


_TEACHES: Final = TeachingRoll()
PROCEDURE: Final = Procedure(
    "study",
    (LessonRulingStage(), CancelStage(_TEACHES), Dice(_TEACHES), LessonStage(), BadLuckStage()),
    Study,
    form=STUDY_FORM,
    begin=begin_study,
    describe=describe,
    fallen=lambda data: bool(data.throws) or data.cost is not None,
)


def _learnable(asking: FormContext) -> tuple[Option, ...]:
    """What whoever asks can learn."""
    game = asking.game
    return (
        advancement_choices(game, game.character(asking.who))
        if game is not None and asking.who
        else ()
    )


COMMANDS: Final = (
    command(
        "convert",
        _convert,
        _POINTS,
        _WHOSE,
        pressed=Form((_POINTS, _WHOSE)),
        waits=_waiting_surplus,
    ),
    command(
        "study",
        check_starter("study", target="teacher"),
        Typed("skill", most=100, needed=True, choices=_learnable),
        Typed("teacher", most=NAME_MAX, choices=known_character_options),
        Flag("during"),
        AS_FIELD,
    ),
)
