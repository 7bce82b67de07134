"""Enemies: by the name of a sample, by a category, or by a profile (EGO-NME-01 to EGO-NME-03)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.core.errors import Impossible
from rules.core.name_matching import split_words, unique_match
from rules.systems.ego.character.sheet import PROFILE, PROFILE_KEYS, damages
from rules.systems.ego.formulas import body, costs
from rules.systems.ego.formulas.reference_rows import (
    CATEGORIES,
    Category,
    EnemyKind,
    rows_of,
    skills_of,
)
from rules.table.blocks import Text
from rules.table.forms import Option
from rules.table.system import Game

#: What a category fights with where nothing is said, as many as it has skills (EGO-NME-02).
_USUAL: Final = ("Melee Combat", "Gun Combat", "Stealth", "Hand-to-hand Combat")


def enemy_choices(game: Game) -> tuple[Option, ...]:
    """What an NPC may be made like: the enemies there are, and the categories."""
    rows: Mapping[str, EnemyKind] = rows_of(game.campaign, "enemies")
    found = [Text("ego-enemy", {"name": each.name, "says": _says(each)}) for each in rows.values()]
    for each in CATEGORIES.values():
        shown = {"name": each.name, "count": each.skills, "level": each.level}
        found.append(Text("ego-category", shown))
    return tuple([Option(str(each.params["name"]), each) for each in found])


def enemy_sheet(game: Game, text: str) -> dict[str, Any] | None:
    """A sheet as a file has it, of what is named so; None where it is no name of such.

    `Orc`; `Veterans`, or `Veterans: agility, Gun Combat, Stealth` with the best ability and the
    skills; `att 5, defense 2, vitality 12, ar 5, damage 4`. NotFound("unknown-choice"),
    Impossible("ego-too-many-skills").
    """
    rows: Mapping[str, EnemyKind] = rows_of(game.campaign, "enemies")
    name, _, more = text.partition(":")
    plain = name.strip().casefold()
    words = {part.split()[0] for part in plain.split(",") if part.strip()}
    if "damage" in words and words <= {*PROFILE, *PROFILE_KEYS, "damage"}:
        return {"profile": text}
    for row in rows.values():
        if row.name.casefold() == plain:
            return {"name": row.name, "profile": _says(row)}
    for category in CATEGORIES.values():
        if plain in (category.name.casefold(), category.name.casefold().removesuffix("s")):
            return _of_category(game, category, split_words(more))
    return None


def _says(row: EnemyKind) -> str:
    """A profile as it is written (EGO-NME-01)."""
    does = damages(row.damage, row.attacks)
    return f"att {row.att}, defense {row.defence}, vitality {row.vitality}, ar {row.ar}, {does}"


def _of_category(game: Game, category: Category, named: tuple[str, ...]) -> dict[str, Any]:
    """Its scores and skills; which are best the GM says (EGO-NME-02)."""
    best = [each for each in named if each.casefold() in costs.ABILITIES]
    known = skills_of(game.campaign)
    meant = [unique_match(known, each, field="like") for each in named if each not in best]
    skills = meant or [*_USUAL[: category.skills]]
    if len(skills) > category.skills or len(best) > 1:
        raise Impossible("ego-too-many-skills", name=category.name, most=category.skills)
    scores = costs.category_scores(
        category.abilities, best[0].casefold() if best else costs.ABILITIES[0]
    )
    rows = [{"name": each, "level": category.level} for each in skills]
    name, karma = (
        category.name.removesuffix("s"),
        body.karma([body.dice_for_score(each) for each in scores.values()]),
    )
    return {"name": name, **scores, "skills": rows, "karma": karma}
