"""Growing between adventures: adds, specialisations, Attributes for skill points, and those for Life Points.

MB-SKILL-IMP-01 to MB-SKILL-IMP-08, MB-SKILL-TEACHING, MB-CHAR-11, MB-CHAR-17.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rules.core.errors import Impossible, NotFound, RulesError
from rules.core.names import name_key
from rules.core.reading import violation
from rules.core.record import Record, record
from rules.systems.masterbook import body, improvement, skills
from rules.systems.masterbook.describe import MasterbookCharacter, toughness_of
from rules.systems.masterbook.improvement import Kind
from rules.systems.masterbook.sheet import ATTRIBUTES, MasterbookSheet, Skill, attribute, titled
from rules.systems.masterbook.skills import SKILLS, bought
from rules.table.actions import Action, Advance, Learn
from rules.table.blocks import ALL, Note, Text
from rules.table.commands import NAME_MAX, Command, Does, everybody
from rules.table.events import Line
from rules.table.forms import Form, Number, Typed, Values
from rules.table.outcome import Outcome
from rules.table.people.characters import find_own, growing
from rules.table.people.rising import find_step, new_step, offered, rose, spent, taken
from rules.table.reporting import reported
from rules.table.system import Choice, Game, Grown, Passing, Told

#: The highest Attribute without an advantage (MB-CHAR-17).
HIGHEST_ATTRIBUTE: Final = body.HIGHEST


@record
class Rise(Record):
    """One add, or one point of an Attribute: from how many, for how much; `why` it cannot be had now."""

    title: str
    kind: Kind | None
    skill: str
    focus: str
    special: str
    before: int
    cost: int
    why: RulesError | None = None
    attribute: str = ""


def _kind(skill: str, focus: str, special: str) -> Kind:
    return "specialization" if special else "focus" if focus else "general"


def _rise(game: Game, sheet: MasterbookSheet, skill: Skill, special: str = "", *, by: int = 1) -> Rise:
    """The next add of a skill, or of one of its specialisations."""
    row = SKILLS.get(skill.name)
    kind = _kind(skill.name, skill.focus, special)
    adds = dict(skill.specializations).get(special, 0) if special else skill.adds
    rounding = game.setting("spec_trained_rounding")
    cost = improvement.cost(kind, row is not None and row.trained, adds, by=by, rounding=rounding)
    title = titled(skill.name, skill.focus) + (f" ({special})" if special else "")
    why: RulesError | None = None
    gained = dict(sheet.grown).get(title, 0)
    special_most = game.setting("spec_adds_between_adventures")
    if not improvement.may_gain(kind, 1, gained, special_most):
        why = Impossible("mb-grown-enough", name=title, most=improvement.most_between(kind, special_most))
    elif special:
        try:
            bought(skill.adds, adds)
        except Impossible as error:
            why = error
    elif skill.name == "Resist Shock" and game.setting("resist_shock_add_cap") and adds >= sheet.endurance:
        why = Impossible("mb-resist-shock-capped", most=sheet.endurance)
    return Rise(title, kind, skill.name, skill.focus, special, adds, cost, why, skill.attribute)


def rises(game: Game, sheet: MasterbookSheet) -> Iterator[Rise]:
    """What somebody has and can raise: adds, specialisations, Attributes; then the skills they lack."""
    for each in sheet.skills:
        yield _rise(game, sheet, each)
        for special, _ in each.specializations:
            yield _rise(game, sheet, each, special)
    for key in ATTRIBUTES:
        value = attribute(sheet, key)
        full = value >= HIGHEST_ATTRIBUTE + sheet.limit_up
        why = Impossible("mb-attribute-highest", name=key.capitalize(), most=value) if full else None
        yield Rise(key.capitalize(), None, "", "", "", value, improvement.attribute_cost(value), why, key)
    have = {each.name for each in sheet.skills}
    for row in SKILLS.values():
        if row.name not in have and not skills.needs_focus(row, game.setting):
            yield _rise(game, sheet, Skill(row.name))


def _named(game: Game, sheet: MasterbookSheet, text: str) -> Rise | None:
    """Something new by name: a focus, a specialisation, of a skill on the list."""
    head, _, special = text.strip().removesuffix(")").partition("(")
    name, _, focus = head.partition(":")
    row = next((each for each in SKILLS.values() if name_key(each.name) == name_key(name)), None)
    if row is None:
        return None
    focus, special = " ".join(focus.split()), " ".join(special.split())
    if skills.needs_focus(row, game.setting) and not focus:
        example = titled(row.name, row.focuses[0] if row.focuses else "…")
        raise violation("mb-needs-focus", "skill", row.name, "mb-name-focus", example=example)
    there = next(
        (each for each in sheet.skills if each.name == row.name and name_key(each.focus) == name_key(focus)),
        Skill(row.name, 0, focus),
    )
    return _rise(game, sheet, there, special)


def find_rise(game: Game, sheet: MasterbookSheet, text: str) -> Rise:
    """The step that is meant, also towards something new by its name. Raises as `find_step`."""
    try:
        return find_step(rises(game, sheet), text)
    except NotFound:
        found = _named(game, sheet, text)
        if found is None:
            raise
        return taken(found)


def risen(game: Game, sheet: MasterbookSheet, rise: Rise) -> MasterbookSheet:
    """The sheet one step higher, unpaid."""
    if rise.kind is None:
        return _with_attribute(game, sheet, rise.attribute)
    grown = dict(sheet.grown)
    grown[rise.title] = grown.get(rise.title, 0) + 1
    there = [each for each in sheet.skills if (each.name, each.focus) == (rise.skill, rise.focus)]
    skill = there[0] if there else Skill(rise.skill, 0, rise.focus, attribute=rise.attribute)
    if rise.special:
        special = dict(skill.specializations) | {rise.special: rise.before + 1}
        new = skill.but(specializations=tuple(special.items()))
    else:
        new = skill.but(adds=rise.before + 1)
    kept = tuple([new if each is skill else each for each in sheet.skills])
    return sheet.but(skills=kept if there else (*sheet.skills, new), grown=tuple(grown.items()))


def _with_attribute(game: Game, sheet: MasterbookSheet, key: str) -> MasterbookSheet:
    """An Attribute one higher; Toughness moves with it where the table has it so (MB-CHAR-17)."""
    before = sheet.strength, sheet.endurance
    now = sheet.but(**{key: attribute(sheet, key) + 1})
    follows = game.setting("toughness_follows_purchased_attributes")
    after = now.strength, now.endurance
    toughness = body.toughness_bought(toughness_of(sheet), before, after, follows)
    return now.but(toughness=toughness) if before != after else now


def paid(sheet: MasterbookSheet, cost: int) -> MasterbookSheet:
    """The sheet with so many skill points fewer. Impossible("mb-not-enough")."""
    if sheet.skill_points < cost:
        raise Impossible("mb-not-enough", what="skill_points", have=sheet.skill_points, need=cost)
    return sheet.but(skill_points=sheet.skill_points - cost)


def _price(cost: int) -> Line:
    return Line("mb-skill-points", {"cost": cost})


def grown(game: Game, character: MasterbookCharacter, rise: Rise) -> Grown:
    """One step, paid for."""
    sheet = risen(game, paid(character.sheet, rise.cost), rise)
    return Grown(character.but(sheet=sheet), (rose(rise), spent(rise, sheet.skill_points, _price)))


def advance(game: Game, character: MasterbookCharacter, action: Advance) -> Grown:
    """One add more, or one point of an Attribute. Raises as `find_rise` and `paid`."""
    return grown(game, character, find_rise(game, character.sheet, action.skill))


def learn(game: Game, character: MasterbookCharacter, action: Learn) -> Grown:
    """Something new: a skill, a focus, a specialisation, or a campaign's own skill for an Attribute.

    Raises as `new_step`, and as `advance`.
    """
    sheet = character.sheet
    rise = new_step(
        action,
        lambda name: find_rise(game, sheet, name),
        lambda name, key: _rise(game, sheet, Skill(name, attribute=key)),
        ATTRIBUTES,
    )
    return grown(game, character, rise)


def offers(game: Game, character: MasterbookCharacter) -> tuple[Choice, ...]:
    """Every step that may be taken now, with its price."""
    return offered(rises(game, character.sheet), character.sheet.skill_points, _price)


def adventure_over(game: Game, passing: Passing) -> Told:
    """After an adventure everything may be raised anew (MB-SKILL-IMP-05)."""
    for who in passing.who if passing.tick == "adventure" else ():
        sheet: MasterbookSheet = game.sheet(who)
        if sheet.grown:
            game = game.put(who, sheet.but(grown=()))
    return Told(game)


# --- Life Points into skill points ---------------------------------------------------------------------------


@record(kw_only=True)
class Convert(Action):
    """Turn Life Points into skill points, three for each (MB-SKILL-IMP-01)."""

    points: int = 1
    as_: str | None = None


def convert(game: Game, action: Convert) -> Outcome:
    """Players for their own characters, GMs for any. Impossible("mb-too-few-life-points")."""
    character = find_own(game.state, action.who, action.as_, growing(game.state, action.who))
    sheet: MasterbookSheet = character.sheet
    left, now = improvement.converted(sheet.life_points, sheet.skill_points, action.points)
    line = Line("mb-converted", {"name": character.name, "points": action.points, "left": left, "now": now})
    changed = sheet.but(life_points=left, skill_points=now)
    title = Text("mb-converts", {"name": character.name})
    return reported(game.put(character.id, changed), title, Note(line, ALL), of=character)


_POINTS: Final = Number("points", low=1, high=10, needed=True)


def _convert(game: Game, said: Values) -> Does:
    who = find_own(game.state, game.actor, said.get("as"), growing(game.state, game.actor))
    values = {"points": said["points"], "as_": said.get("as")}
    return Does(Convert, values, openly=who.owner is not None)


COMMANDS: Final = (
    Command("convert", _convert, Form((_POINTS, Typed("as", most=NAME_MAX, among=everybody)))),
)
ACTIONS: Final[Mapping[type[Action], Any]] = {Convert: convert}
