"""Growing with experience: skills, specialties, scores, ratings, known effects, points of a pool
(EGO-EXP-01 to 03).
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
from rules.table.forms import Option
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
#: What is bought once, with the other points (EGO-POW-01).
AT_CREATION: Final = "Superpowers"


class Rise(Record):
    """One step that experience pays for: from a level to the next; `why` it cannot be taken now.

    `known` ones may be paid for with what sessions gave. `name` is that of a row, `field` what it
    is about: a class of vehicles, a weapon, a source.
    """

    kind: Literal["ability", "skill", "specialty", "power", "known", "pool"]
    name: str
    field: str
    before: int
    cost: int
    known: bool
    why: RulesError | None = None
    ability: str = ""

    @property
    def title(self) -> str:
        """`Pilot (ground)`."""
        return title_with_field(self.name, self.field)


# --- what there is --------------------------------------------------------------------------------


def possible_rises(game: Game, sheet: EgoSheet, field: str = "") -> Iterator[Rise]:
    """Every step there is; of what is had several times the one about `field` as well."""
    yield from _abilities(game, sheet)
    yield from _skills(game, sheet, field)
    yield from _specialties(game, sheet, field)
    yield from _effects(game, sheet)
    yield from _pools(game, sheet)


def _abilities(game: Game, sheet: EgoSheet) -> Iterator[Rise]:
    most = costs.maxima(dict(sheet.maxima))
    for each in costs.ABILITIES:
        score: int = getattr(sheet, each)
        cost, why = costs.price(score, score + 1), costs.maximum_error(score, most[each])
        why = why or _beyond(game, sheet, sheet.replace(**{each: score + 1}))
        yield Rise("ability", each.capitalize(), "", score, cost, known=False, why=why)


def _beyond(game: Game, before: EgoSheet, after: EgoSheet) -> RulesError | None:
    """Impossible("ego-pool-limit") where a pool of dice grows beyond what the table allows
    (EGO-SKL-02).
    """
    limit = game.setting("max_dice_pool")
    for each in after.skills if limit else ():
        pool = pool_of(after, each.name, each.field)
        if limit < pool > pool_of(before, each.name, each.field):
            return Impossible("ego-pool-limit", highest=limit)
    return None


def _skills(game: Game, sheet: EgoSheet, field: str) -> Iterator[Rise]:
    rows = [row for row in skills_of(game.campaign).values() if field or not row.multiple]
    there = {(each.name, each.field) for each in sheet.skills}
    new = [Skill(row.name, 0, field if row.multiple else "") for row in rows]
    for each in (
        *sheet.skills,
        *(skill for skill in new if (skill.name, skill.field) not in there),
    ):
        cost = costs.price(each.level, each.level + 1)
        rise = Rise(
            "skill", each.name, each.field, each.level, cost, each.level > 0, ability=each.ability
        )
        why = Impossible("ego-creation-only") if each.name == AT_CREATION else None
        yield rise.replace(why=why or _beyond(game, sheet, with_rise(sheet, rise)))


def _specialties(game: Game, sheet: EgoSheet, field: str) -> Iterator[Rise]:
    there = {(each.name, each.field): each.level for each in sheet.specialties}
    for row in skills_of(game.campaign).values():
        base = level_of(sheet, row.name)
        for each in row.specialties if base else ():
            fields = {about for name, about in there if name == each.name}
            fields |= {field} if each.multiple and field else set[str]() if each.multiple else {""}
            for about in sorted(fields):
                level = there.get((each.name, about), 0)
                why = next(
                    costs.specialty_faults("skill", each.name, level + 1, base, grows=True), None
                )
                cost = costs.price(level, level + 1)
                yield Rise("specialty", each.name, about, level, cost, known=level > 0, why=why)


def _effects(game: Game, sheet: EgoSheet) -> Iterator[Rise]:
    rows: Mapping[str, Effect] = rows_of(game.campaign, "effects")
    powers = {each.name: each for each in sheet.powers if each.source == AT_CREATION.casefold()}
    super_ = level_of(sheet, AT_CREATION)
    for row in rows.values():
        if super_ or row.name in powers:
            rating = powers[row.name].rating if row.name in powers else 0
            cost, why = costs.price(rating, rating + 1), costs.maximum_error(rating, row.most)
            yield Rise("power", row.name, "", rating, cost, known=rating > 0, why=why)
    for skill, source in POOLS.items():
        level = level_of(sheet, skill)
        had = [each.name for each in sheet.powers if each.source == source]
        most = effects.known_most(level)
        for row in rows.values() if level else ():
            if row.name not in had:
                more = costs.known_faults("skill", skill, len(had) + 1, most)
                why = next(chain(more, discipline_faults(game, sheet, "skill", skill, row)), None)
                yield Rise("known", row.name, skill, 0, 0, known=True, why=why)


def _pools(game: Game, sheet: EgoSheet) -> Iterator[Rise]:
    cost = game.setting("magic_pool_point_cost")
    for skill, source in POOLS.items() if cost else ():
        if level_of(sheet, skill):
            bought = getattr(sheet, f"{source}_bought")
            yield Rise("pool", f"{skill} Pool", "", bought, cost, known=False)


def _row_of(game: Game, name: str) -> SkillKind | None:
    rows = skills_of(game.campaign).values()
    return next((each for each in rows if name_key(each.name) == name_key(name)), None)


def find_rise(game: Game, sheet: EgoSheet, text: str) -> Rise:
    """The step that is meant. InvalidInput("ego-needs-field") for a skill that says not what it's
    about; and as `find_step`.
    """
    try:
        return find_step(possible_rises(game, sheet, split_title(text)[1]), text)
    except NotFound:
        row = _row_of(game, text)
        if row is None or not row.multiple:
            raise
        shown = {"example": example_of(row)}
        raise violation("ego-needs-field", "skill", row.name, "ego-name-field", **shown) from None


# --- taking a step --------------------------------------------------------------------------------


def with_rise(sheet: EgoSheet, rise: Rise) -> EgoSheet:
    """The sheet one step higher, unpaid."""
    after = rise.before + 1
    if rise.kind == "ability":
        return sheet.replace(**{rise.name.casefold(): after})
    if rise.kind == "pool":
        source = POOLS[rise.name.removesuffix(" Pool")]
        left = getattr(sheet, source)
        return sheet.replace(
            **{f"{source}_bought": after, source: None if left is None else left + 1}
        )
    if rise.kind in ("power", "known"):
        known = rise.kind == "known"
        new = Power(
            rise.name, 0 if known else after, POOLS[rise.field] if known else AT_CREATION.casefold()
        )
        return sheet.replace(powers=with_row(sheet.powers, new, "name", "source"))
    if rise.kind == "skill":
        learned = Skill(rise.name, after, rise.field, rise.ability)
        return with_full_pools(
            sheet.replace(skills=with_row(sheet.skills, learned, "name", "field"))
        )
    special = Skill(rise.name, after, rise.field)
    return sheet.replace(specialties=with_row(sheet.specialties, special, "name", "field"))


def buy_rise(game: Game, sheet: EgoSheet, rise: Rise) -> EgoSheet:
    """The sheet one step higher, paid for. Impossible("ego-too-dear")."""
    known = rise.known or not game.setting("exp_buckets")
    session, saved = costs.spend_experience(sheet.exp, sheet.exp_saved, rise.cost, known=known)
    return with_rise(sheet, rise).replace(exp=session, exp_saved=saved)


def _price(cost: int) -> Text:
    return Text("ego-exp", {"cost": cost})


def _grown(game: Game, character: EgoCharacter, rise: Rise) -> GrowthResult:
    before = character.sheet
    sheet = buy_rise(game, before, rise)
    costs = (spent_line(rise, sheet.exp + sheet.exp_saved, _price),) if rise.cost else ()
    return GrowthResult(
        character.replace(sheet=sheet), (rise_line(rise, plain=rise.kind == "known"), *costs)
    )


def advance(game: Game, character: EgoCharacter, action: Advance) -> GrowthResult:
    """One step up, or something new at its first level. Raises as `find_rise` and
    `buy_rise`.
    """
    return _grown(game, character, find_rise(game, character.sheet, action.skill))


def learn(game: Game, character: EgoCharacter, action: Learn) -> GrowthResult:
    """Something new: by its row, about what `attribute` says, or a skill of the campaign's own for
    that ability.

    Raises as `new_step`, and as `advance`.
    """
    sheet = character.sheet

    def find(name: str) -> Rise:
        row, about = _row_of(game, name), action.attribute.strip()
        return find_rise(
            game,
            sheet,
            title_with_field(row.name, about) if row is not None and row.multiple else name,
        )

    def own(name: str, ability: str) -> Rise:
        return Rise("skill", name, "", 0, costs.price(0, 1), known=False, ability=ability)

    return _grown(game, character, new_step(action, find, own, costs.ABILITIES))


def advancement_choices(game: Game, character: EgoCharacter) -> tuple[Option, ...]:
    """Every step that may be taken now, with its price."""
    sheet = character.sheet
    return step_choices(possible_rises(game, sheet), sheet.exp + sheet.exp_saved, _price)
