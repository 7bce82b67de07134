"""Enemies: by the name of a sample, by a category, or by a profile (EGO-NME-01 to EGO-NME-03)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rules.core.errors import Impossible
from rules.core.name_matching import split_words, unique_match
from rules.systems.ego.character.sheet import PROFILE_WORDS, damages
from rules.systems.ego.formulas import body, costs
from rules.systems.ego.formulas.reference_rows import (
    CATEGORIES,
    Category,
    EnemyKind,
    rows_of,
    skills_of,
)
from rules.table.blocks import Text
from rules.table.forms.fields import Option
from rules.table.system import Game

#: Default skills of a category, in the order in which they are taken (EGO-NME-02).
_DEFAULT_SKILLS: Final = ("Melee Combat", "Gun Combat", "Stealth", "Hand-to-hand Combat")


def enemy_choices(game: Game) -> tuple[Option, ...]:
    """List the enemies and categories that an NPC may be made from."""
    rows: Mapping[str, EnemyKind] = rows_of(game.campaign, "enemies")
    options: list[Option] = []
    for row in rows.values():
        shown = {"name": row.name, "says": _profile_line(row)}
        options.append(Option(row.name, Text("ego-enemy", shown)))
    for category in CATEGORIES.values():
        shown = {"name": category.name, "count": category.skills, "level": category.level}
        options.append(Option(category.name, Text("ego-category", shown)))
    return tuple(options)


def enemy_sheet(game: Game, text: str) -> dict[str, Any] | None:
    """Return the values of the sheet that *text* names; None if it names no enemy.

    *text* is `Orc`, `Veterans`, `Veterans: agility, Gun Combat, Stealth` with the best ability and
    the skills, or `att 5, defense 2, vitality 12, ar 5, damage 4`.

    Raises NotFound("unknown-choice"), Impossible("ego-too-many-skills").
    """
    rows: Mapping[str, EnemyKind] = rows_of(game.campaign, "enemies")
    name, _, more = text.partition(":")
    plain = name.strip().casefold()
    words = {part.split()[0] for part in plain.split(",") if part.strip()}
    if "damage" in words and words <= PROFILE_WORDS:
        return {"profile": text}
    for row in rows.values():
        if row.name.casefold() == plain:
            return {"name": row.name, "profile": _profile_line(row)}
    for category in CATEGORIES.values():
        if plain in (category.name.casefold(), category.name.casefold().removesuffix("s")):
            return _of_category(game, category, split_words(more))
    return None


def _profile_line(row: EnemyKind) -> str:
    """Return the written profile of an enemy (EGO-NME-01)."""
    does = damages(row.damage, row.attacks)
    return f"att {row.att}, defense {row.defence}, vitality {row.vitality}, ar {row.ar}, {does}"


def _of_category(game: Game, category: Category, named: tuple[str, ...]) -> dict[str, Any]:
    """Return the values of the sheet of a category; the GM names what is best (EGO-NME-02)."""
    best = [word for word in named if word.casefold() in costs.ABILITIES]
    known = skills_of(game.campaign)
    skills = [unique_match(known, word, field="like") for word in named if word not in best]
    if not skills:
        skills = [*_DEFAULT_SKILLS[: category.skills]]
    if len(skills) > category.skills or len(best) > 1:
        raise Impossible("ego-too-many-skills", name=category.name, most=category.skills)
    best_ability = best[0].casefold() if best else costs.ABILITIES[0]
    scores = costs.category_scores(category.abilities, best_ability)
    rows = [{"name": skill, "level": category.level} for skill in skills]
    name = category.name.removesuffix("s")
    karma = body.karma([body.dice_for_score(score) for score in scores.values()])
    return {"name": name, **scores, "skills": rows, "karma": karma}
