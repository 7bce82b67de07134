"""The right to use an effect, and the skill that casts it (MB-SFX-12)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rules.core.errors import Impossible
from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.systems.masterbook.character.casting_skills import brings_free_add, is_kind_open
from rules.systems.masterbook.character.effect_approvals import waits_for_gm
from rules.systems.masterbook.character.sheet import (
    MasterbookSheet,
    lasting_attribute,
    option_effects,
)
from rules.systems.masterbook.checks.roll_sources import RollSource, learned_sources
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, KnownEffect
from rules.systems.masterbook.formulas.effect_rows import effect_kind
from rules.systems.masterbook.formulas.interaction import UNTRAINED
from rules.systems.masterbook.formulas.skill_rules import ORDAINED
from rules.systems.masterbook.formulas.skills import SKILLS
from rules.table.marks import marks_of, with_marks
from rules.table.state import Mark
from rules.table.system import Game, is_npc

#: Setting by which skills of effects are learned by focus.
_FOCUSES: Final = "magic_skill_focuses"
#: Setting by which only the ordained work miracles, and the skill of miracles.
_PROFESSIONALS: Final = "faith_miracles_professionals_only"
_FAITH: Final = "Faith"


class Access(Record):
    """The skill with which a character casts an effect, and what flaws add to its difficulty."""

    source: RollSource
    difficulty: int = 0


def require_access(game: Game, who: str, known: KnownEffect) -> Access:
    """Return the skill with which a character casts an effect (MB-SFX-12).

    Raises:
        Impossible("mb-effect-refused"): the GM has refused the effect.
        Impossible("mb-effect-unapproved"): the GM has not agreed to it yet.
        Impossible("mb-effect-world"): the world has no effects of this kind.
        Impossible("mb-effect-untrained"): an untrained result takes all adds away for now.
        Impossible("mb-effect-no-adds"): the character has no add in the skill or its focus.
    """
    blueprint, name = known.blueprint, game.display_name(who)
    if known.refused:
        raise Impossible("mb-effect-refused", effect=known.name, ruling=known.ruling or None)
    if waits_for_consent(game, who, known):
        raise Impossible("mb-effect-unapproved", effect=known.name)
    require_kind(game, who, blueprint)
    if marks_of(game.state, who, UNTRAINED):
        raise Impossible("mb-effect-untrained", who=name, skill=blueprint.skill)
    sheet: MasterbookSheet = game.sheet(who)
    source = casting_source(game, sheet, blueprint)
    if source is None:
        focus = blueprint.focus if game.setting(_FOCUSES) else ""
        raise Impossible("mb-effect-no-adds", who=name, skill=blueprint.skill, focus=focus or None)
    return Access(source, flaw_difficulty(sheet, source))


def waits_for_consent(game: Game, who: str, known: KnownEffect) -> bool:
    """Return whether the GM still has to agree to a player's effect.

    Tables whose GM looks at new characters ask for consent to every effect but the campaign's own.
    """
    return not is_npc(game, who) and waits_for_gm(game, known)


def require_kind(game: Game, who: str, blueprint: Blueprint) -> None:
    """Raise Impossible("mb-effect-world") if neither the world nor an Advantage allows the kind."""
    if not is_kind_open(game, game.sheet(who), blueprint.skill):
        kind = effect_kind(blueprint.skill)
        raise Impossible("mb-effect-world", kind=kind, skill=blueprint.skill)


def waits_for_ordination(game: Game, who: str, blueprint: Blueprint) -> bool:
    """Return whether the GM has to say that a player's character is ordained (MB-SFX-12).

    What the GM has said of a character counts for the rest of the adventure.
    """
    if blueprint.skill != _FAITH or not game.setting(_PROFESSIONALS) or is_npc(game, who):
        return False
    return not marks_of(game.state, who, ORDAINED)


def with_ordination(game: Game, who: str) -> Game:
    """Return the game once the GM has said that a character is ordained."""
    return game.with_state(with_marks(game.state, who, Mark(ORDAINED, until="adventure")))


def casting_source(
    game: Game, sheet: MasterbookSheet, blueprint: Blueprint, *, special: bool = True
) -> RollSource | None:
    """Return the best that a sheet has for casting an effect; None without an add.

    A specialization counts if it has the effect's name; without *special* none does.
    """
    effect_key = name_key(blueprint.name)
    sources: list[RollSource] = []
    for source in _sources(game, sheet, blueprint):
        is_own_specialization = special and name_key(source.special) == effect_key
        if not source.special or is_own_specialization:
            sources.append(source)
    return max(sources, key=lambda source: source.all_adds, default=None)


def _sources(game: Game, sheet: MasterbookSheet, blueprint: Blueprint) -> Iterator[RollSource]:
    """Yield the sources with an add in the effect's skill, and in its focus if it needs one.

    A focus is needed at tables that learn these skills by focus, if the effect names one.
    """
    needed = name_key(blueprint.focus) if game.setting(_FOCUSES) else ""
    for source in learned_sources(sheet):
        if source.skill != blueprint.skill or source.all_adds < 1:
            continue
        if needed and name_key(source.focus) != needed:
            continue
        if source.free_add and not brings_free_add(game):
            continue
        yield source


def flaw_difficulty(sheet: MasterbookSheet, source: RollSource) -> int:
    """Return the difficulty that flaws of Special Effects add to every use (MB-BG-41)."""
    effects = option_effects(sheet)
    flaws = {flaw.cause for flaw in effects.flaws}
    causes = effects.cause_total(effects.difficulties, source.skill, source.focus, source.special)
    return sum(number for cause, number in causes if cause in flaws)


def learning_value(game: Game, sheet: MasterbookSheet, blueprint: Blueprint) -> int:
    """Return the value that limits learning: the Attribute with general or focus adds (MB-SFX-13).

    Neither specializations nor passing modifiers count.
    """
    source = casting_source(game, sheet, blueprint, special=False)
    if source is None:
        return lasting_attribute(sheet, SKILLS[blueprint.skill].attribute)
    return lasting_attribute(sheet, source.attribute) + source.all_adds
