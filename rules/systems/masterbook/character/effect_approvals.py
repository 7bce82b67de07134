"""Limits on the effects of new characters, and the GM's consent to each effect (MB-SFX-12)."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import blake2b
from typing import Final, Literal

from rules.core.json_reader import Reader
from rules.core.name_matching import name_key
from rules.systems.masterbook.character.casting_skills import opened_skills
from rules.systems.masterbook.character.effect_forms import finding_error
from rules.systems.masterbook.character.effect_io import (
    TEXT_MOST,
    effect_line,
    library_effects,
    write_effect,
)
from rules.systems.masterbook.character.effect_rules import worksheet_rules
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.formulas.effect_blueprint import KnownEffect
from rules.systems.masterbook.formulas.effect_worksheet import known_figures, work_out
from rules.table.blocks import Text
from rules.table.system import ApprovalLine, Game

Effects = tuple[KnownEffect, ...]
#: Step of creation in which effects are changed.
PAGE: Final = "effects"
_DIGEST: Final = 8


def without_ruling(known: KnownEffect) -> KnownEffect:
    """Return an effect that the GM has said nothing about."""
    return known.replace(approved=False, refused=False, ruling="")


# --- new characters -------------------------------------------------------------------------------


def new_effects(sheet: MasterbookSheet, *, by_gm: bool) -> Effects:
    """Return the effects of a new character: blueprints to learn in play (MB-SFX-13).

    Special Effects brings one that is learned already, for each of its skills (MB-BG-31). A GM's
    character keeps its effects as they are, with the GM's consent.
    """
    if by_gm:
        return tuple(without_ruling(known).replace(approved=True) for known in sheet.effects)
    free = [*opened_skills(sheet)]
    effects: list[KnownEffect] = []
    for known in sheet.effects:
        plain = KnownEffect(known.blueprint)
        if known.free and known.blueprint.skill in free:
            free.remove(known.blueprint.skill)
            plain = plain.replace(learned=True, free=True)
        effects.append(plain)
    return tuple(effects)


def claimed_names(sheet: MasterbookSheet) -> tuple[str, ...]:
    """Return the effects that a player's new character has to learn in play."""
    names: list[str] = []
    for known, new in zip(sheet.effects, new_effects(sheet, by_gm=False), strict=True):
        if known.learned and not new.learned:
            names.append(known.name)
    return tuple(names)


def note_effect_errors(game: Game, reader: Reader, sheet: MasterbookSheet) -> None:
    """Note the errors of the worksheets of a player's own effects (MB-SFX-40).

    Effects of the library are as they are. Only GMs give figures without a worksheet (MB-SFX-15).
    """
    library = tuple(library_effects(game.campaign))
    for at, known in enumerate(sheet.effects):
        blueprint, place = known.blueprint, f"{PAGE}[{at}]"
        if blueprint in library:
            continue
        if blueprint.given is not None:
            reader.add_problem("mb-effect-given", place, blueprint.name, "rename-or-remove")
            continue
        for finding in work_out(blueprint, worksheet_rules(game, blueprint.skill)).errors:
            error = finding_error(finding)
            error.params["field"] = f"{place}.{finding.field}"
            reader.problems.append(error)


# --- consent --------------------------------------------------------------------------------------


def effect_approvals(game: Game, sheet: MasterbookSheet) -> Iterator[ApprovalLine]:
    """Yield a line for each effect that the GM has to agree to, with its figures.

    Effects of the campaign's library have the GM's consent.
    """
    for known in sheet.effects:
        if not is_from_campaign(game, known):
            text = approval_text(game, known)
            yield ApprovalLine(line_id(known), text, _ruling_state(known), known.ruling, PAGE)


def _ruling_state(known: KnownEffect) -> Literal["open", "allowed", "refused"]:
    if known.approved:
        return "allowed"
    return "refused" if known.refused else "open"


def is_from_campaign(game: Game, known: KnownEffect) -> bool:
    """Return whether the campaign's library has exactly this effect."""
    return known.blueprint in getattr(game.campaign, "effects", ())


def waits_for_gm(game: Game, known: KnownEffect) -> bool:
    """Return whether the GM has yet to agree to a player's effect."""
    ruled = known.approved or known.refused
    return game.state.settings.approve and not ruled and not is_from_campaign(game, known)


def approval_text(game: Game, known: KnownEffect) -> Text:
    """Return an effect as the GM is asked about it: skill, figures and the worksheet's warnings."""
    blueprint = known.blueprint
    rules = worksheet_rules(game, blueprint.skill)
    sheet = work_out(blueprint, rules)
    figures = known_figures(known.replace(learned=True), rules)
    about = {
        "name": known.name,
        "skill": blueprint.skill,
        "dn": figures.dn,
        "fv": figures.fv,
        "value": blueprint.effect_value,
        "warnings": len(sheet.warnings) or None,
    }
    return Text("mb-effect-approval", about)


def line_id(known: KnownEffect) -> str:
    """Return the id of an effect in rulings: the same as long as its blueprint is the same."""
    text = effect_line(write_effect(KnownEffect(known.blueprint)))
    digest = blake2b(text.encode(), digest_size=_DIGEST).hexdigest()
    return f"effect: {known.name[:40]} {digest}"


def with_ruling(effects: Effects, line: str, accept: bool, note: str) -> Effects:
    """Return effects with one of them allowed or refused; *line* is its id."""

    def with_new_ruling(known: KnownEffect) -> KnownEffect:
        if line_id(known) != line:
            return known
        if accept:
            return without_ruling(known).replace(approved=True)
        words = " ".join(note.split())[:TEXT_MOST]
        return without_ruling(known).replace(refused=True, ruling=words)

    return tuple(with_new_ruling(known) for known in effects)


def with_kept_rulings(before: Effects, effects: Effects) -> Effects:
    """Return an edited sheet's effects with the GM's rulings on unchanged blueprints."""
    old = {name_key(known.name): known for known in before}

    def with_old_ruling(known: KnownEffect) -> KnownEffect:
        former = old.get(name_key(known.name))
        if former is None or former.blueprint != known.blueprint:
            return without_ruling(known)
        return known.replace(approved=former.approved, refused=former.refused, ruling=former.ruling)

    return tuple(with_old_ruling(known) for known in effects)
