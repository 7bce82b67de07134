"""Effects written on sheets: checks of their worksheets, and of the names that they take."""

from __future__ import annotations

from rules.core.errors import InvalidInput, Problems
from rules.core.name_matching import name_key
from rules.systems.masterbook.character.effect_forms import finding_error
from rules.systems.masterbook.character.effect_io import EFFECTS_MOST
from rules.systems.masterbook.character.effect_rules import worksheet_rules
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint, KnownEffect
from rules.systems.masterbook.formulas.effect_worksheet import work_out
from rules.table.state import AnyCharacter
from rules.table.system import Game


def require_sound_worksheet(game: Game, blueprint: Blueprint) -> None:
    """Raise Problems("bad-form") if the worksheet has errors (MB-SFX-40, MB-SFX-90)."""
    worksheet = work_out(blueprint, worksheet_rules(game, blueprint.skill))
    errors = [finding_error(finding) for finding in worksheet.errors]
    if errors:
        raise Problems("bad-form", errors, count=len(errors))


def with_effect(
    who: AnyCharacter, known: KnownEffect, *, replaces_quick: bool = False
) -> MasterbookSheet:
    """Return the sheet with an effect in the place of one of its name, unless that was learned.

    With *replaces_quick* a learned quick effect or artifact is replaced too.

    Raises:
        InvalidInput("mb-effect-name-taken"): a learned effect of the sheet has this name.
        InvalidInput("mb-effect-full"): the sheet holds no more.
    """
    sheet: MasterbookSheet = who.sheet
    wanted_key = name_key(known.name)
    replaced = [effect for effect in sheet.effects if name_key(effect.name) == wanted_key]
    for effect in replaced:
        is_quick = effect.blueprint.given is not None
        if effect.learned and not (replaces_quick and is_quick):
            about = {"name": who.name, "value": known.name}
            raise InvalidInput("mb-effect-name-taken", field="name", **about)
    others = tuple(effect for effect in sheet.effects if effect not in replaced)
    if len(others) >= EFFECTS_MOST:
        raise InvalidInput("mb-effect-full", field="name", value=None, most=EFFECTS_MOST)
    return sheet.replace(effects=(*others, known))
