"""Creation of a character with points: its budget, all its faults at once, and the steps
(EGO-CHR-01).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from rules.core.errors import InvalidInput, RulesError
from rules.core.json_reader import Reader, violation
from rules.systems.ego.character import pools
from rules.systems.ego.character.entry_forms import arm_skill, form_with_entries
from rules.systems.ego.character.labels import label
from rules.systems.ego.character.purchases import foreign_gear, money, price_of
from rules.systems.ego.character.sheet import (
    CHARACTER,
    SUPERPOWERS,
    EgoSheet,
    ability_dice,
    level_of,
    pool_of,
    read_sheet,
    sheet_of_draft,
)
from rules.systems.ego.formulas import body, costs, damage, effects
from rules.systems.ego.formulas.reference_rows import Effect, Trait, rows_of, skills_of
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.fields import FormContext
from rules.table.system import Game, Page

#: Skills that give effects, and the field of the sheet where points are left.
POOLS: Final = {"Magic": "magic", "Psionics": "psionics"}


def creation_budget(game: Game, sheet: EgoSheet) -> costs.Budget:
    """Return the points that a sheet has spent, and the points it had.

    Disadvantages that pay for racial effects give no points.
    """
    unpaid = max(0, _racial_effects(sheet) - costs.paid_by_maxima(dict(sheet.maxima)))
    scores = [getattr(sheet, key) for key in costs.ABILITIES]
    levels = [[row.level for row in rows] for rows in (sheet.skills, sheet.specialties)]
    good, bad = len(sheet.advantages), max(0, len(sheet.disadvantages) - unpaid)
    return costs.point_budget(
        game.setting("cbp"), scores, *levels, advantages=good, disadvantages=bad
    )


def _racial_effects(sheet: EgoSheet) -> int:
    """Return the number of effects that a character has by race."""
    return sum(power.source == "race" for power in sheet.powers)


def faults(game: Game, sheet: EgoSheet) -> Iterator[RulesError]:
    """Yield all faults of a new character.

    EGO-CHR-01, CHR-02, ADV-01, SPC-01, POW-01, RAC-01, EQP-01.
    """
    yield from costs.budget_faults(creation_budget(game, sheet))
    deltas = dict(sheet.maxima)
    yield from costs.race_faults(deltas, _racial_effects(sheet), len(sheet.disadvantages))
    scores = {key: getattr(sheet, key) for key in costs.ABILITIES}
    yield from costs.score_faults(scores, costs.maxima(deltas))
    skill_of: dict[str, str] = {}
    for skill in skills_of(game.campaign).values():
        skill_of |= {row.name: skill.name for row in skill.specialties}
    for at, specialty in enumerate(sheet.specialties):
        base = level_of(sheet, skill_of.get(specialty.name, ""))
        place = f"specialties[{at}]"
        yield from costs.specialty_faults(place, specialty.title, specialty.level, base)
    traits: Mapping[str, Trait] = rows_of(game.campaign, "traits")
    limits = {name: row.limit for name, row in traits.items()}
    for place in ("advantages", "disadvantages"):
        names = getattr(sheet, place)
        yield from costs.trait_faults(place, names, limits, game.setting("advantage_repeat_limit"))
    yield from _power_faults(game, sheet)
    if sheet.profile is not None:
        yield InvalidInput("ego-profile-for-npcs", field="profile", value="", fix="ego-no-profile")
    funds = amount(game)
    if funds is not None:
        yield from _gear_faults(game, sheet, funds)


def _gear_faults(game: Game, sheet: EgoSheet, funds: int) -> Iterator[RulesError]:
    """Yield faults of gear that is too expensive, or priced in other money (EGO-EQP-01)."""
    cost = price_of(game, sheet)
    if cost > funds:
        shown = {"have": money(game, funds), "missing": money(game, cost - funds)}
        place = "arms" if sheet.arms else "armour"
        yield violation("ego-too-dear-new", place, money(game, cost), "ego-buy-less", **shown)
    for name, currency in foreign_gear(game, sheet).items():
        shown = {"currency": currency, "own": game.setting("currency")}
        names = [arm.name for arm in sheet.arms]
        place = f"arms[{names.index(name)}]" if name in names else "armour"
        yield violation("ego-foreign-gear", place, name, "ego-leave-foreign", **shown)


def _power_faults(game: Game, sheet: EgoSheet) -> Iterator[RulesError]:
    rows: Mapping[str, Effect] = rows_of(game.campaign, "effects")
    bought: list[tuple[str, int, int | None]] = []
    places: list[str] = []
    for at, power in enumerate(sheet.powers):
        if power.source == SUPERPOWERS:
            bought.append((power.name, power.rating, rows[power.name].most))
            places.append(f"powers[{at}]")
    yield from costs.power_faults(level_of(sheet, "Superpowers"), bought, places)
    for skill, source in POOLS.items():
        known = [
            (at, power.name) for at, power in enumerate(sheet.powers) if power.source == source
        ]
        most = effects.known_most(level_of(sheet, skill))
        yield from costs.known_faults("powers", skill, len(known), most)
        for at, name in known:
            yield from discipline_faults(game, sheet, f"powers[{at}]", skill, rows[name])


def discipline_faults(
    game: Game, sheet: EgoSheet, place: str, skill: str, row: Effect
) -> Iterator[RulesError]:
    """Yield the fault of an effect outside the learned disciplines (EGO-PSI-01).

    Only tables that play with disciplines have this fault.
    """
    learned = [known.field for known in sheet.skills if known.name == skill]
    if (
        POOLS[skill] == "psionics"
        and game.setting("psionic_disciplines")
        and row.discipline not in learned
    ):
        yield violation(
            "ego-no-discipline", place, row.name, "ego-learn-discipline", discipline=row.discipline
        )


def amount(game: Game) -> int | None:
    """Return the money that characters begin with; None if it is rolled, or the GM gives it."""
    setting: str = game.setting("starting_funds")
    return int(setting) if setting.isdecimal() else None


def with_full_pools(sheet: EgoSheet) -> EgoSheet:
    """Return the sheet with a full pool for each skill that has none yet."""
    for skill, source in POOLS.items():
        if getattr(sheet, source) is None and (level := level_of(sheet, skill)):
            sheet = sheet.replace(**{source: effects.pool_most(sheet.intellect, level)})
    return sheet


def with_starting_values(game: Game, sheet: EgoSheet) -> EgoSheet:
    """Return a new character at the start of play: Karma, full pools, no damage, and the money
    left.
    """
    dice = [ability_dice(sheet, key) for key in costs.ABILITIES]
    funds, new = amount(game), EgoSheet()
    play = (
        "exp",
        "exp_saved",
        "lethal",
        "non_lethal",
        "stunned",
        "down",
        "lucky",
        "unlucky",
        "round",
    )
    pools = ("magic", "magic_bought", "psionics", "psionics_bought")
    begins = {key: getattr(new, key) for key in (*play, *pools)}
    sheet = with_full_pools(sheet.replace(**begins, karma=body.karma(dice)))
    left = 0 if funds is None else funds - price_of(game, sheet)
    return sheet.replace(funds=left, funded=funds is not None)


def read(game: Game, data: Mapping[str, object], new: bool) -> tuple[str, EgoSheet]:
    """Return a character's name and sheet; a new one is held to its points. Raises as `read_sheet`.

    Scores that are not stated begin at the least.
    """
    if not new:
        return read_sheet(data, game.campaign)
    name, sheet = read_sheet(
        {**costs.MIN_SCORES, **data}, game.campaign, new=partial(_note_faults, game)
    )
    return name, with_starting_values(game, sheet)


def _note_faults(game: Game, reader: Reader, sheet: EgoSheet) -> None:
    if not any(problem.params.get("fix") == "use-object" for problem in reader.problems):
        reader.problems += faults(game, sheet)


# --- the steps ------------------------------------------------------------------------------------


def _points_line(game: Game, sheet: EgoSheet) -> Text:
    """Return the line of the points left and the points spent."""
    total = creation_budget(game, sheet)
    shown = {"left": total.left, "over": max(0, -total.left), "available": total.available}
    parts = ("abilities", "skills", "specialties", "advantages")
    return Text("ego-creation-points", shown | {key: getattr(total, key) for key in parts})


def _step_lines(
    more: Iterable[Callable[[Game, EgoSheet], Iterable[Text]]], game: Game, draft: Values
) -> tuple[Text, ...]:
    sheet = sheet_of_draft(game, draft)
    return (
        _points_line(game, sheet),
        *(line for lines_of in more for line in lines_of(game, sheet)),
    )


def _dice(game: Game, sheet: EgoSheet) -> Iterable[Text]:
    dice = {key: ability_dice(sheet, key) for key in costs.ABILITIES}
    shown = {"dice": tuple(f"{key.capitalize()} {number}" for key, number in dice.items())}
    yield Text("ego-creation-dice", shown)
    own = {"karma": body.karma(tuple(dice.values())), "stun": damage.stun_points(sheet.vitality)}
    yield Text("ego-creation-derived", own | pools.derived(sheet))


def _pools(game: Game, sheet: EgoSheet) -> Iterable[Text]:
    pools = [
        f"{skill_row.title} {pool_of(sheet, skill_row.name, skill_row.field)}"
        for skill_row in sheet.skills
    ]
    if pools:
        yield Text("ego-creation-dice", {"pools": tuple(pools)})
    if level := level_of(sheet, "Superpowers"):
        used = sum(power.rating for power in sheet.powers if power.source == SUPERPOWERS)
        yield Text("ego-creation-ratings", {"levels": costs.rating_levels(level), "used": used})
    for skill, source in POOLS.items():
        if level := level_of(sheet, skill):
            known = sum(power.source == source for power in sheet.powers)
            most = effects.known_most(level)
            pool = effects.pool_most(sheet.intellect, level)
            yield Text(
                "ego-creation-known", {"skill": skill, "known": known, "most": most, "pool": pool}
            )


def _sources(game: Game, sheet: EgoSheet) -> Iterable[Text]:
    """Yield a hint about the skills behind effects, if the character has none of them."""
    if not any(level_of(sheet, skill) for skill in ("Superpowers", *POOLS)):
        yield Text("ego-creation-no-powers")


def _money(game: Game, sheet: EgoSheet) -> Iterable[Text]:
    cost, funds = price_of(game, sheet), amount(game)
    shown = {"cost": money(game, cost)}
    if funds is not None:
        over = cost > funds
        shown |= {
            "funds": money(game, funds),
            "over" if over else "left": money(game, abs(funds - cost)),
        }
    others = foreign_gear(game, sheet)
    yield Text("ego-creation-cost", {**shown, "others": tuple(others)})


def _step_holdings(key: str, game: Game, draft: Values) -> tuple[Text, ...]:
    """Return what one step holds: the points it spends, and those that are left of all."""
    sheet = sheet_of_draft(game, draft)
    total = creation_budget(game, sheet)
    spent = {
        "abilities": total.abilities,
        "skills": total.skills + total.specialties,
        "traits": total.advantages,
    }
    if key not in spent:
        counts = {"powers": len(sheet.powers), "things": len(sheet.arms)}
        return (Text("ego-holds", {"what": key, "count": counts[key]}),) if key in counts else ()
    left, over = max(0, total.left), max(0, -total.left)
    shown = {"spent": spent[key], "left": left, "over": over, "of": total.available}
    return (Text("ego-holds", {"what": "points", **shown}),)


def _effects_left(sheet: EgoSheet) -> list[int]:
    """Return how many rating levels, and known effects of each kind, a character may still take.

    Numbers below 0 are too many.
    """
    levels = costs.rating_levels(level_of(sheet, "Superpowers"))
    numbers = [levels - sum(power.rating for power in sheet.powers if power.source == SUPERPOWERS)]
    for skill, source in POOLS.items():
        most = effects.known_most(level_of(sheet, skill))
        numbers.append(most - sum(power.source == source for power in sheet.powers))
    return numbers


def _step_state(key: str, game: Game, draft: Values) -> Text | None:
    """Return in few words how much one step has left to spend, or spends too much."""
    sheet = sheet_of_draft(game, draft)
    lefts = _effects_left(sheet) if key == "powers" else [creation_budget(game, sheet).left]
    left = sum(max(0, number) for number in lefts)
    over = sum(max(0, -number) for number in lefts)
    if key == "powers" and not left and not over:
        return None
    return Text("ego-step-state", {"left": left, "over": over})


def warnings(game: Game, data: Mapping[str, Any]) -> Iterator[RulesError]:
    """Yield what is allowed but odd about a new character: points and effects that are left, and
    weapons without their skill.
    """
    sheet = sheet_of_draft(game, data)
    left = creation_budget(game, sheet).left
    if left > 0:
        yield violation("ego-unspent", "points", left, "ego-spend-more")
    ratings, *known = _effects_left(sheet)
    if ratings > 0:
        yield violation("ego-unused-ratings", "powers", ratings, "ego-add-powers")
    for skill, unknown in zip(POOLS, known, strict=True):
        if unknown > 0:
            yield violation("ego-unused-effects", "powers", unknown, "ego-add-powers", skill=skill)
    asking = FormContext(game)
    for at, arm in enumerate(sheet.arms):
        skill = arm_skill(asking, arm)
        if skill and not level_of(sheet, skill):
            place, shown = f"arms[{at}]", {"skill": skill}
            yield violation("ego-untrained-arm", place, arm.name, "ego-learn-skill", **shown)


#: Steps: key, title, fields, and functions for the lines beside the points.
_STEPS: Final = (
    ("who", Text("step-who"), ("name", "race", "maxima", "height", "portrait"), ()),
    ("abilities", label("abilities"), costs.ABILITIES, (_dice,)),
    ("skills", label("skills"), ("skills", "specialties"), (_pools,)),
    ("powers", label("powers"), ("powers",), (_pools, _sources)),
    ("traits", label("traits"), ("advantages", "disadvantages", "sketch"), ()),
    (
        "things",
        Text("step-things"),
        ("armour", "spare_armour", "arms", "equipment", "notes"),
        (_money,),
    ),
)
#: Steps with a state in few words beside their title.
_STATED: Final = ("abilities", "skills", "powers")
#: The step in which buttons raise and lower the scores.
_STEPPED: Final = "abilities"


def _page(key: str, title: Text, fields: tuple[str, ...], more: Iterable[Any]) -> Page:
    """Return one step of creation."""
    page = Page(
        key,
        title,
        form_with_entries(CHARACTER.part(*fields)),
        follows=partial(_step_lines, more),
        holds=partial(_step_holdings, key),
        about=Text("ego-step-about", {"what": key}),
    )
    if key in _STATED:
        page = page.replace(state=partial(_step_state, key))
    if key == _STEPPED:
        stepper = label("ability")
        page = page.replace(steppers=costs.ABILITIES, stepper=stepper, starts=costs.MIN_SCORES)
    return page


PAGES: Final = tuple(_page(*step) for step in _STEPS)
