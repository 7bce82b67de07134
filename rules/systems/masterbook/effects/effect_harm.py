"""Harm that effects do, and what of it an illusion takes back (MB-SFX-23, MB-SFX-30)."""

from __future__ import annotations

from rules.systems.masterbook.character.sheet import MasterbookSheet, attribute, option_effects
from rules.systems.masterbook.checks.sheet_damage import damage_character, with_harm
from rules.systems.masterbook.checks.sheet_view import toughness_in_armor
from rules.systems.masterbook.checks.state import Blow
from rules.systems.masterbook.effects.effect_settings import feedback_resist
from rules.systems.masterbook.effects.state import DealtHarm, RunningEffect, with_running
from rules.systems.masterbook.formulas import damage
from rules.systems.masterbook.formulas.damage import Facts, Harm
from rules.systems.masterbook.formulas.effect_values import feedback_damage
from rules.systems.masterbook.formulas.success_chart import Damage
from rules.table.system import Game

_COUNTED = ("wounds", "shock", "k", "out_for", "down", "bleeders")
_FLAGS = ("o", "fainted", "killed")


def effect_damage(sheet: MasterbookSheet, effect_value: int) -> Damage:
    """Return the damage of an effect value to Toughness and armor (MB-SFX-23)."""
    struck = damage.resolve_hit(0, effect_value, toughness_in_armor(sheet))
    return damage.with_fewer_wounds(struck.damage, option_effects(sheet).wounds_less)


def harm_between(who: str, before: Harm, after: Harm) -> DealtHarm | None:
    """Return the harm of a character between two states; None for none."""
    grown = {key: max(0, getattr(after, key) - getattr(before, key)) for key in _COUNTED}
    dealt = DealtHarm(
        who,
        **grown,
        o=after.o and not before.o,
        fainted=after.fainted and not before.fainted,
        killed=after.dead and not before.dead,
    )
    return None if dealt == DealtHarm(who) else dealt


def without_dealt_harm(harm: Harm, dealt: DealtHarm) -> Harm:
    """Return a character's harm without what an illusion did to it (MB-SFX-30).

    What has healed since is not taken off twice.
    """
    remaining = {key: max(0, getattr(harm, key) - getattr(dealt, key)) for key in _COUNTED}
    dead_for = None if dealt.killed else harm.dead_for
    return harm.replace(
        **remaining,
        o=harm.o and not dealt.o,
        fainted=harm.fainted and not dealt.fainted,
        dead_for=dead_for,
    )


def with_harm_taken_back(game: Game, effect: RunningEffect, who: str) -> tuple[Game, bool]:
    """Return the game without what an effect did to a character's health, and whether that was
    anything (MB-SFX-30).
    """
    before: Harm = game.sheet(who).harm
    now = before
    for dealt in effect.harm:
        if dealt.who == who:
            now = without_dealt_harm(now, dealt)
    return with_harm(game, who, now), now != before


def strike_again(
    game: Game, effect: RunningEffect, who: str, effect_value: int
) -> tuple[Game, Facts]:
    """Return the game once an effect that strikes every round has struck a target (MB-SFX-26)."""
    before: Harm = game.sheet(who).harm
    if before.dead:
        return game, ()
    damage_dealt = effect_damage(game.sheet(who), effect_value)
    game, facts = damage_character(game, who, damage_dealt)
    dealt = harm_between(who, before, game.sheet(who).harm)
    if dealt is not None:
        game = with_running(game, effect.replace(harm=with_more_harm(effect.harm, dealt)))
    return game, facts


def with_more_harm(harm: tuple[DealtHarm, ...], dealt: DealtHarm) -> tuple[DealtHarm, ...]:
    """Return the harm of an effect with its newest harm: one entry for each character."""
    now = dealt
    for old in harm:
        if old.who == dealt.who:
            sums = {key: getattr(now, key) + getattr(old, key) for key in _COUNTED}
            flags = {key: getattr(now, key) or getattr(old, key) for key in _FLAGS}
            now = now.replace(**sums, **flags)
    return (*(old for old in harm if old.who != dealt.who), now)


def feedback_harm(game: Game, sheet: MasterbookSheet | None, feedback: int) -> Damage:
    """Return the damage of feedback to a caster, by the table's rule (MB-SFX-21).

    Without the sheet of a caster who has left, no Mind is taken off.
    """
    mind = 0 if sheet is None else attribute(sheet, "mind")
    return feedback_damage(feedback, feedback_resist(game), mind)


def feedback_blows(game: Game, who: str, feedback: int) -> tuple[Blow, ...]:
    """Return the blow of the feedback that is left for a caster; none if it does no harm."""
    hurt = feedback_harm(game, game.sheet(who), feedback)
    return (Blow(who, "feedback", damage=hurt),) if damage.packages(hurt) else ()
