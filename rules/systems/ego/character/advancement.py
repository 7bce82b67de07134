"""Growth by experience: the steps that a character may take, and their prices.

EGO-EXP-01 to EGO-EXP-03.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Final, Literal

from rules.core.errors import Impossible, NotFound, RulesError
from rules.core.json_reader import violation
from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.systems.ego.character.creation import POOLS, discipline_faults, with_full_pools
from rules.systems.ego.character.sheet import (
    EgoSheet,
    Power,
    Skill,
    example_of,
    level_of,
    pool_of,
    split_title,
    title_with_field,
)
from rules.systems.ego.formulas import costs, effects
from rules.systems.ego.formulas.reference_rows import Effect, SkillKind, rows_of, skills_of
from rules.table.actions import Advance, Learn
from rules.table.blocks import Text
from rules.table.forms.fields import Option
from rules.table.people.advancement import (
    find_step,
    new_step,
    rise_line,
    spent_line,
    step_choices,
    with_row,
)
from rules.table.state import Character
from rules.table.system import Game, GrowthResult

EgoCharacter = Character[EgoSheet]
#: Skill that is bought only at creation (EGO-POW-01).
CREATION_SKILL: Final = "Superpowers"
#: Source of the effects that this skill gives.
_SUPERPOWER_SOURCE: Final = CREATION_SKILL.casefold()


class Rise(Record):
    """One step that experience pays for, from a level to the next."""

    kind: Literal["ability", "skill", "specialty", "power", "known", "pool"]
    #: Name of the row.
    name: str
    #: What it is about: a class of vehicles, a weapon or a skill with a pool.
    field: str
    before: int
    cost: int
    #: Whether the character knows it, so that experience of sessions can pay for it.
    known: bool
    #: Reason why the step cannot be taken now.
    why: RulesError | None = None
    #: Ability of a skill of the campaign's own.
    ability: str = ""

    @property
    def title(self) -> str:
        """Name with the field, such as `Pilot (ground)`."""
        return title_with_field(self.name, self.field)


# --- possible steps -------------------------------------------------------------------------------


def possible_rises(game: Game, sheet: EgoSheet, field: str = "") -> Iterator[Rise]:
    """Yield every possible step, also of repeatable skills and specialties about *field*."""
    yield from _abilities(game, sheet)
    yield from _skills(game, sheet, field)
    yield from _specialties(game, sheet, field)
    yield from _effects(game, sheet)
    yield from _pools(game, sheet)


def _abilities(game: Game, sheet: EgoSheet) -> Iterator[Rise]:
    maxima = costs.maxima(dict(sheet.maxima))
    for ability in costs.ABILITIES:
        score: int = getattr(sheet, ability)
        cost, why = costs.price(score, score + 1), costs.maximum_error(score, maxima[ability])
        why = why or _pool_limit_error(game, sheet, sheet.replace(**{ability: score + 1}))
        yield Rise("ability", ability.capitalize(), "", score, cost, known=False, why=why)


def _pool_limit_error(game: Game, before: EgoSheet, after: EgoSheet) -> RulesError | None:
    """Return Impossible("ego-pool-limit") if a dice pool grows above the limit (EGO-SKL-02)."""
    limit = game.setting("max_dice_pool")
    if not limit:
        return None
    for skill in after.skills:
        pool = pool_of(after, skill.name, skill.field)
        if limit < pool > pool_of(before, skill.name, skill.field):
            return Impossible("ego-pool-limit", highest=limit)
    return None


def _skills(game: Game, sheet: EgoSheet, field: str) -> Iterator[Rise]:
    learned = {(skill.name, skill.field) for skill in sheet.skills}
    skills = [*sheet.skills]
    for row in skills_of(game.campaign).values():
        if row.multiple and not field:
            continue
        new = Skill(row.name, 0, field if row.multiple else "")
        if (new.name, new.field) not in learned:
            skills.append(new)
    for skill in skills:
        cost = costs.price(skill.level, skill.level + 1)
        known = skill.level > 0
        rise = Rise(
            "skill", skill.name, skill.field, skill.level, cost, known, ability=skill.ability
        )
        why: RulesError | None = None
        if skill.name == CREATION_SKILL:
            why = Impossible("ego-creation-only")
        yield rise.replace(why=why or _pool_limit_error(game, sheet, with_rise(sheet, rise)))


def _specialties(game: Game, sheet: EgoSheet, field: str) -> Iterator[Rise]:
    levels = {(special.name, special.field): special.level for special in sheet.specialties}
    for row in skills_of(game.campaign).values():
        base = level_of(sheet, row.name)
        if not base:
            continue
        for kind in row.specialties:
            fields = {subject for name, subject in levels if name == kind.name}
            if not kind.multiple:
                fields.add("")
            elif field:
                fields.add(field)
            for subject in sorted(fields):
                level = levels.get((kind.name, subject), 0)
                faults = costs.specialty_faults("skill", kind.name, level + 1, base, grows=True)
                why = next(faults, None)
                cost = costs.price(level, level + 1)
                yield Rise("specialty", kind.name, subject, level, cost, known=level > 0, why=why)


def _effects(game: Game, sheet: EgoSheet) -> Iterator[Rise]:
    yield from _superpowers(game, sheet)
    yield from _known_effects(game, sheet)


def _superpowers(game: Game, sheet: EgoSheet) -> Iterator[Rise]:
    """Yield the ratings of superpowers."""
    rows: Mapping[str, Effect] = rows_of(game.campaign, "effects")
    powers = {power.name: power for power in sheet.powers if power.source == _SUPERPOWER_SOURCE}
    has_skill = level_of(sheet, CREATION_SKILL)
    for row in rows.values():
        if has_skill or row.name in powers:
            rating = powers[row.name].rating if row.name in powers else 0
            cost, why = costs.price(rating, rating + 1), costs.maximum_error(rating, row.most)
            yield Rise("power", row.name, "", rating, cost, known=rating > 0, why=why)


def _known_effects(game: Game, sheet: EgoSheet) -> Iterator[Rise]:
    """Yield the effects that a character may learn for magic or psionics."""
    rows: Mapping[str, Effect] = rows_of(game.campaign, "effects")
    for skill, source in POOLS.items():
        level = level_of(sheet, skill)
        if not level:
            continue
        known = [power.name for power in sheet.powers if power.source == source]
        most = effects.known_most(level)
        for row in rows.values():
            if row.name not in known:
                faults = costs.known_faults("skill", skill, len(known) + 1, most)
                why = next(chain(faults, discipline_faults(game, sheet, "skill", skill, row)), None)
                yield Rise("known", row.name, skill, 0, 0, known=True, why=why)


def _pools(game: Game, sheet: EgoSheet) -> Iterator[Rise]:
    cost = game.setting("magic_pool_point_cost")
    if not cost:
        return
    for skill, source in POOLS.items():
        if level_of(sheet, skill):
            bought = getattr(sheet, f"{source}_bought")
            yield Rise("pool", f"{skill} Pool", "", bought, cost, known=False)


def _row_of(game: Game, name: str) -> SkillKind | None:
    rows = skills_of(game.campaign).values()
    return next((row for row in rows if name_key(row.name) == name_key(name)), None)


def find_rise(game: Game, sheet: EgoSheet, text: str) -> Rise:
    """Return the step that a text names.

    Raises InvalidInput("ego-needs-field") for a repeatable skill without its field, and as
    `find_step`.
    """
    try:
        return find_step(possible_rises(game, sheet, split_title(text)[1]), text)
    except NotFound:
        row = _row_of(game, text)
        if row is None or not row.multiple:
            raise
        about = {"example": example_of(row)}
        raise violation("ego-needs-field", "skill", row.name, "ego-name-field", **about) from None


# --- steps taken ----------------------------------------------------------------------------------


def with_rise(sheet: EgoSheet, rise: Rise) -> EgoSheet:
    """Return the sheet one step higher, unpaid."""
    level = rise.before + 1
    if rise.kind == "ability":
        return sheet.replace(**{rise.name.casefold(): level})
    if rise.kind == "pool":
        source = POOLS[rise.name.removesuffix(" Pool")]
        points = getattr(sheet, source)
        if points is not None:
            points += 1
        return sheet.replace(**{f"{source}_bought": level, source: points})
    if rise.kind == "power":
        return _with_power(sheet, Power(rise.name, level, _SUPERPOWER_SOURCE))
    if rise.kind == "known":
        return _with_power(sheet, Power(rise.name, 0, POOLS[rise.field]))
    if rise.kind == "skill":
        skill = Skill(rise.name, level, rise.field, rise.ability)
        skills = with_row(sheet.skills, skill, "name", "field")
        return with_full_pools(sheet.replace(skills=skills))
    specialty = Skill(rise.name, level, rise.field)
    return sheet.replace(specialties=with_row(sheet.specialties, specialty, "name", "field"))


def _with_power(sheet: EgoSheet, power: Power) -> EgoSheet:
    return sheet.replace(powers=with_row(sheet.powers, power, "name", "source"))


def buy_rise(game: Game, sheet: EgoSheet, rise: Rise) -> EgoSheet:
    """Return the sheet one step higher, paid for. Raises Impossible("ego-too-dear")."""
    known = rise.known or not game.setting("exp_buckets")
    session, saved = costs.spend_experience(sheet.exp, sheet.exp_saved, rise.cost, known=known)
    return with_rise(sheet, rise).replace(exp=session, exp_saved=saved)


def _price(cost: int) -> Text:
    return Text("ego-exp", {"cost": cost})


def _growth_result(game: Game, character: EgoCharacter, rise: Rise) -> GrowthResult:
    """Return the character one step higher, with the lines that report it."""
    sheet = buy_rise(game, character.sheet, rise)
    lines = [rise_line(rise, plain=rise.kind == "known")]
    if rise.cost:
        lines.append(spent_line(rise, sheet.exp + sheet.exp_saved, _price))
    return GrowthResult(character.replace(sheet=sheet), tuple(lines))


def advance(game: Game, character: EgoCharacter, action: Advance) -> GrowthResult:
    """Take one step up, or something new at its first level. Raises as `find_rise`, `buy_rise`."""
    return _growth_result(game, character, find_rise(game, character.sheet, action.skill))


def learn(game: Game, character: EgoCharacter, action: Learn) -> GrowthResult:
    """Learn something new.

    That is a row of the tables, about what `attribute` says, or a skill of the campaign's own for
    that ability. Raises as `new_step`, and as `advance`.
    """
    sheet = character.sheet

    def find(name: str) -> Rise:
        row, field = _row_of(game, name), action.attribute.strip()
        title = name
        if row is not None and row.multiple:
            title = title_with_field(row.name, field)
        return find_rise(game, sheet, title)

    def own(name: str, ability: str) -> Rise:
        return Rise("skill", name, "", 0, costs.price(0, 1), known=False, ability=ability)

    return _growth_result(game, character, new_step(action, find, own, costs.ABILITIES))


def advancement_choices(game: Game, character: EgoCharacter) -> tuple[Option, ...]:
    """Return every step that may be taken now, with its price."""
    sheet = character.sheet
    return step_choices(possible_rises(game, sheet), sheet.exp + sheet.exp_saved, _price)
