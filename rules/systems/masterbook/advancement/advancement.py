"""Growth for skill points: adds, specializations, Attributes, and new skills.

MB-SKILL-IMP-02, MB-SKILL-IMP-03, MB-SKILL-IMP-05, MB-SKILL-IMP-08, MB-CHAR-11, MB-CHAR-17.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from rules.core.errors import Impossible, NotFound, RulesError
from rules.core.json_reader import violation
from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.systems.masterbook.advancement.costs import (
    AddKind,
    attribute_cost,
    max_adds_between_adventures,
    may_gain,
    next_add_cost,
)
from rules.systems.masterbook.character.bound_points import bound_points_for, spend_bound_points
from rules.systems.masterbook.character.derived_values import own_toughness
from rules.systems.masterbook.character.sheet import (
    HIGHEST_ADDS,
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
from rules.systems.masterbook.checks.sheet_damage import SKILL_POINTS
from rules.systems.masterbook.checks.sheet_view import MasterbookCharacter
from rules.systems.masterbook.deck.table_deck import current_cards, has_deck, mode
from rules.systems.masterbook.formulas import attributes, skills
from rules.systems.masterbook.formulas.skills import SKILLS, raise_specialization
from rules.table.actions import Advance, Learn
from rules.table.blocks import Text
from rules.table.forms.fields import QUOTE_MAX, Option, plain_options
from rules.table.gm_values import LabelParams, Tool
from rules.table.people.advancement import (
    find_step,
    new_step,
    require_possible,
    rise_line,
    spent_line,
    step_choices,
    with_row,
)
from rules.table.permissions import is_gm
from rules.table.resources import read_points
from rules.table.system import Game, GrowthResult, Tick, TickResult

#: Skill of foreign languages.
_LANGUAGE: Final = "Language"
#: Skill whose adds Endurance caps at some tables.
_RESIST_SHOCK: Final = "Resist Shock"


class Rise(Record):
    """A step of growth: one add more, or one point of an Attribute."""

    title: str
    #: None for an Attribute.
    kind: AddKind | None
    skill: str
    focus: str
    #: Specialization that is raised; empty for the skill or focus itself.
    special: str
    #: Adds or value before the step.
    before: int
    cost: int
    #: Reason why the step can't be taken now.
    why: RulesError | None = None
    #: Attribute that is raised, or that of a skill of the campaign's own.
    attribute: str = ""

    @property
    def skill_attribute(self) -> str:
        """Attribute of the skill that the step raises."""
        return self.attribute or SKILLS[self.skill].attribute


# --- steps that a character can take --------------------------------------------------------------


def rise_cost(
    game: Game, sheet: MasterbookSheet, rise: Rise, *, by: int = 1, during: bool = False
) -> int:
    """Return the price of a skill's next add; a teacher divides it *by* so much.

    *during* an adventure a Learning Curve makes nothing new cheaper (MB-BG-26). An Attribute costs
    the same in any case.
    """
    if rise.kind is None:
        return rise.cost
    row = SKILLS.get(rise.skill)
    key = rise.attribute
    if not key and row is not None:
        key = row.attribute
    return next_add_cost(
        rise.kind,
        row is not None and row.trained,
        rise.before,
        by=by,
        curve=learning_curve(sheet, key),
        rounding=game.setting("spec_trained_rounding"),
        during=during,
    )


def _skill_rise(game: Game, sheet: MasterbookSheet, skill: Skill, special: str = "") -> Rise:
    """Return the step to the next add of a skill, or of one of its specializations."""
    kind: AddKind = "focus" if skill.focus else "general"
    title, adds = skill.title, skill.adds
    if special:
        kind = "specialization"
        title, adds = f"{title} ({special})", dict(skill.specializations).get(special, 0)
    rise = Rise(
        title, kind, skill.name, skill.focus, special, adds, cost=0, attribute=skill.attribute
    )
    return rise.replace(
        cost=rise_cost(game, sheet, rise), why=_rise_refusal(game, sheet, skill, rise, kind)
    )


def _rise_refusal(
    game: Game, sheet: MasterbookSheet, skill: Skill, rise: Rise, kind: AddKind
) -> RulesError | None:
    """Return why a skill can't rise now; None if it can (MB-SKILL-IMP-05, MB-CHAR-11)."""
    gained = dict(sheet.grown).get(rise.title, 0)
    special_most = game.setting("spec_adds_between_adventures")
    if not may_gain(kind, 1, gained, special_most):
        most = max_adds_between_adventures(kind, special_most)
        return Impossible("mb-grown-enough", name=rise.title, most=most)
    if rise.special:
        try:
            raise_specialization(skill.adds, rise.before)
        except Impossible as error:
            return error
        return None
    if skill.name == _RESIST_SHOCK and game.setting("resist_shock_add_cap"):
        most = lasting_attribute(sheet, "endurance")
        if rise.before >= most:
            return Impossible("mb-resist-shock-capped", most=most)
    return None


def _attribute_rise(sheet: MasterbookSheet, key: str) -> Rise:
    value = lasting_attribute(sheet, key)
    name = key.capitalize()
    why: RulesError | None = None
    if value >= attribute_limit(sheet, key):
        why = Impossible("mb-attribute-highest", name=name, most=value)
    return Rise(name, None, "", "", "", value, attribute_cost(value), why, key)


def possible_rises(game: Game, sheet: MasterbookSheet) -> Iterator[Rise]:
    """Yield the next step of all that a character has, then of the skills that it lacks.

    A step that can't be taken now says why.
    """
    known = skills_with_adds(sheet)
    for skill in known:
        yield _skill_rise(game, sheet, skill)
        for special, _ in skill.specializations:
            yield _skill_rise(game, sheet, skill, special)
    for key in ATTRIBUTES:
        yield _attribute_rise(sheet, key)
    names = {skill.name for skill in known}
    for row in SKILLS.values():
        if row.name not in names and not skills.needs_focus(row, game.setting):
            yield _skill_rise(game, sheet, Skill(row.name))


def find_rise(game: Game, sheet: MasterbookSheet, text: str) -> Rise:
    """Return the step that *text* names, also one toward something new.

    Raises as `find_step` and `require_possible`, and "mb-needs-focus" for a skill without the focus
    that it needs.
    """
    try:
        return find_step(possible_rises(game, sheet), text)
    except NotFound:
        rise = _new_rise(game, sheet, text)
        if rise is None:
            raise
        return require_possible(rise)


def _new_rise(game: Game, sheet: MasterbookSheet, text: str) -> Rise | None:
    """Return the step toward a new focus or specialization of a skill on the list."""
    head, _, special = text.strip().removesuffix(")").partition("(")
    name, _, focus = head.partition(":")
    wanted = name_key(name)
    row = next((row for row in SKILLS.values() if name_key(row.name) == wanted), None)
    if row is None:
        return None
    focus, special = " ".join(focus.split()), " ".join(special.split())
    if skills.needs_focus(row, game.setting) and not focus:
        example = skill_title(row.name, row.focuses[0] if row.focuses else "…")
        raise violation("mb-needs-focus", "skill", row.name, "mb-name-focus", example=example)
    return _skill_rise(game, sheet, skill_on_sheet(sheet, row.name, focus), special)


def exceeds_language_limit(sheet: MasterbookSheet, rise: Rise) -> bool:
    """Return whether a step is a second add of the local language in an adventure (MB-BG-52)."""
    limited = {name_key(name) for name in option_effects(sheet).limited_languages}
    if rise.skill != _LANGUAGE or name_key(rise.focus) not in limited:
        return False
    gained = [number for title, number in (*sheet.grown, *sheet.taught) if title == rise.title]
    return sum(gained) > 0


# --- steps taken ----------------------------------------------------------------------------------


def with_rise(game: Game, sheet: MasterbookSheet, rise: Rise) -> MasterbookSheet:
    """Return the sheet one step higher, unpaid."""
    if rise.kind is None:
        return _with_attribute_raised(game, sheet, rise.attribute)
    grown = dict(sheet.grown)
    grown[rise.title] = grown.get(rise.title, 0) + 1
    skill = bought_skill(sheet, rise.skill, rise.focus).replace(attribute=rise.attribute)
    if rise.special:
        special = dict(skill.specializations)
        special[rise.special] = special.get(rise.special, 0) + 1
        skill = skill.replace(specializations=tuple(special.items()))
    else:
        skill = skill.replace(adds=skill.adds + 1)
    rows = with_row(sheet.skills, skill, "name", "focus")
    return sheet.replace(skills=rows, grown=tuple(grown.items()))


def _with_attribute_raised(game: Game, sheet: MasterbookSheet, key: str) -> MasterbookSheet:
    """Return the sheet with an Attribute one higher (MB-CHAR-17).

    At some tables Toughness rises with it.
    """
    raised = sheet.replace(**{key: getattr(sheet, key) + 1})
    before = (sheet.strength, sheet.endurance)
    after = (raised.strength, raised.endurance)
    if before == after:
        return raised
    follows = game.setting("toughness_follows_purchased_attributes")
    toughness = attributes.toughness_bought(own_toughness(sheet), before, after, follows)
    return raised.replace(toughness=toughness)


def points_for_rise(sheet: MasterbookSheet, rise: Rise) -> int:
    """Return the skill points that a step can be paid with (MB-GM-05)."""
    if rise.kind is None:
        return sheet.skill_points
    return sheet.skill_points + bound_points_for(sheet, rise.skill, rise.skill_attribute)


def with_cost_paid(sheet: MasterbookSheet, rise: Rise, cost: int) -> MasterbookSheet:
    """Return the sheet after a step is paid for: points bound to a group go first (MB-GM-05).

    Raises Impossible("mb-not-enough").
    """
    have = points_for_rise(sheet, rise)
    if have < cost:
        raise Impossible("mb-not-enough", what=SKILL_POINTS.key, have=have, need=cost)
    if rise.kind is not None:
        sheet, cost = spend_bound_points(sheet, rise.skill, rise.skill_attribute, cost)
    return SKILL_POINTS.pay(sheet, cost) if cost else sheet


def pay_for_rise(game: Game, character: MasterbookCharacter, rise: Rise) -> GrowthResult:
    """Take one step and pay for it. Raises as `with_cost_paid`."""
    paid = with_cost_paid(character.sheet, rise, rise.cost)
    sheet = with_rise(game, paid, rise)
    lines = [rise_line(rise), spent_line(rise, sheet.skill_points, _price)]
    if exceeds_language_limit(character.sheet, rise):
        lines.append(Text("mb-language-limit", {"name": rise.title}))
    return GrowthResult(character.replace(sheet=sheet), tuple(lines))


def _price(cost: int) -> Text:
    return Text("mb-skill-points", {"cost": cost})


# --- commands -------------------------------------------------------------------------------------


def advance(game: Game, character: MasterbookCharacter, action: Advance) -> GrowthResult:
    """Raise skill adds, a specialization or an Attribute by one step.

    Raises as `find_rise`, `_require_listed` and `with_cost_paid`.
    """
    rise = find_rise(game, character.sheet, action.skill)
    return pay_for_rise(game, character, _require_listed(game, rise, action))


def learn(game: Game, character: MasterbookCharacter, action: Learn) -> GrowthResult:
    """Learn a skill, focus or specialization, or a campaign's own skill of an Attribute.

    Raises as `new_step` and `advance`.
    """
    sheet = character.sheet

    def own_skill(name: str, key: str) -> Rise:
        return _skill_rise(game, sheet, Skill(name, attribute=key))

    rise = new_step(action, partial(find_rise, game, sheet), own_skill, ATTRIBUTES)
    return pay_for_rise(game, character, _require_listed(game, rise, action))


def _require_listed(game: Game, rise: Rise, action: Advance | Learn) -> Rise:
    """Return a step that needs no GM (MB-SKILL-04, MB-CHAR-12, MB-SKILL-IMP-06).

    A GM may take any step, and decides about a step that a player explains.

    Raises:
        Impossible("mb-adventure-lesson"): during an adventure only a lesson raises a skill.
        Impossible("mb-no-specializations"): the book has no specializations of the skill.
    """
    if action.explanation or is_gm(game.state, game.actor):
        return rise
    if rise.kind is not None and _is_adventure_on(game):
        raise Impossible("mb-adventure-lesson", what=rise.title)
    if rise.special and not rise.before and not skills.has_specializations(rise.skill):
        raise Impossible("mb-no-specializations", name=rise.skill, special=rise.special)
    return rise


def _is_adventure_on(game: Game) -> bool:
    """Return whether an adventure is on for which cards were dealt."""
    return mode(game).hands and has_deck(game) and bool(current_cards(game).deal.limit)


def advancement_choices(game: Game, character: MasterbookCharacter) -> tuple[Option, ...]:
    """Return the steps that may be taken now, each with its price."""
    rises = possible_rises(game, character.sheet)
    if _is_adventure_on(game) and not is_gm(game.state, game.actor):
        rises = (rise for rise in rises if rise.kind is None)
    return step_choices(rises, partial(points_for_rise, character.sheet), _price)


def apply_adventure_tick(game: Game, passing: Tick) -> TickResult:
    """Allow all growth anew after an adventure (MB-SKILL-IMP-05)."""
    if passing.kind != "adventure":
        return TickResult(game)
    for who in passing.who:
        sheet: MasterbookSheet = game.sheet(who)
        if sheet.grown or sheet.taught:
            game = game.with_sheet(who, sheet.replace(grown=(), taught=()))
    return TickResult(game)


# --- adds that a GM sets --------------------------------------------------------------------------


def _settable_adds(sheet: MasterbookSheet) -> Iterator[tuple[str, LabelParams]]:
    """Yield each skill whose adds a GM may set, with its adds."""
    for skill in sheet.skills:
        yield skill.title, {"name": skill.title, "now": skill.adds}
    names = {skill.name for skill in sheet.skills}
    for row in SKILLS.values():
        if row.name not in names:
            yield row.name, {"name": row.name, "now": 0}


def _set_adds(
    game: Game, sheet: MasterbookSheet, name: str, value: str
) -> tuple[MasterbookSheet, LabelParams]:
    """Set the adds in a skill, such as one more for a skill that was tried again and again.

    Adds that a GM gives cost nothing, and count neither as gained nor as taught (MB-GM-05).
    Raises as `find_rise` and `read_points`; NotFound("unknown-choice") for an Attribute.
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
    adds = {title: shown["now"] for title, shown in _settable_adds(sheet)}
    now = adds.get(name, 0)
    return plain_options(str(number) for number in (now + 1, *range(now)))


#: Values that a GM sets by hand.
TOOLS: Final = {"adds": Tool("mb-set-adds", _settable_adds, _set_adds, _offered_adds)}
