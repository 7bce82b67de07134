"""Blocks of a sheet's Advantages and Compensations, with their effects (MB-BG-01, MB-BG-08)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rules.systems.masterbook.character.creation_pages import equipment_text
from rules.systems.masterbook.character.option_lines import input_text, inputs_of
from rules.systems.masterbook.character.options import BackgroundOption, abilities_of, kind_of
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.formulas.equipment import CampaignRows
from rules.systems.masterbook.formulas.option_kinds import AbilityKind, Acts, OptionKind, Side
from rules.table.blocks import Block, Group, Text, Viewers
from rules.table.system import Game

#: How options act, those that change play by themselves first.
_ACTS: Final[tuple[Acts, ...]] = ("applied", "asked", "reminded", "shown")


def background_blocks(game: Game, sheet: MasterbookSheet, seen: Viewers) -> tuple[Block, ...]:
    """Return the options of a sheet in groups, by how they act; nothing without options."""
    groups: dict[Acts, list[tuple[Text]]] = {acts: [] for acts in _ACTS}
    for side, option in _options(sheet):
        row = kind_of(option, side, game.campaign)
        acts = _acts_of(option, row, game.campaign)
        groups[acts].append((option_text(option, row, game.campaign),))
    blocks: list[Block] = []
    for acts, rows in groups.items():
        if rows:
            blocks.append(Group(Text("mb-sheet-option-acts", {"acts": acts}), tuple(rows), seen))
    if blocks:
        blocks.append(Group(None, ((equipment_text(game, sheet),),), seen))
    return tuple(blocks)


def _options(sheet: MasterbookSheet) -> Iterable[tuple[Side, BackgroundOption]]:
    for option in sheet.advantages:
        yield "advantage", option
    for option in sheet.compensations:
        yield "compensation", option


def _abilities_of(
    option: BackgroundOption, row: OptionKind | None, rows: CampaignRows | None
) -> Iterable[AbilityKind]:
    """Yield the abilities that an option gives (MB-BG-30)."""
    if row is None or not any(field.kind == "abilities" for field in row.inputs):
        return
    yield from abilities_of(option, rows)


def _acts_of(option: BackgroundOption, row: OptionKind | None, rows: CampaignRows | None) -> Acts:
    """Return how an option acts: an ability as the first of its rows does."""
    if row is None or not option.is_active:
        return "shown"
    of_abilities = [ability.acts for ability in _abilities_of(option, row, rows)]
    for acts in _ACTS:
        if acts in of_abilities:
            return acts
    return row.acts


def option_text(
    option: BackgroundOption, row: OptionKind | None, rows: CampaignRows | None
) -> Text:
    """Return an option with its effect: `Luck (CII): a haste, second chance …`."""
    about = {
        "title": option.title,
        "label": option.label or None,
        "about": _effects_of(option, row, rows),
        "what": _inputs_in_words(option, row, rows) or None,
        "link": option.link or None,
        "state": option.state or None,
    }
    return Text("mb-background-option", about)


def _effects_of(
    option: BackgroundOption, row: OptionKind | None, rows: CampaignRows | None
) -> tuple[Text, ...]:
    """Return the effects of an option, in the words of its row, its mode or its abilities."""
    abilities: list[Text] = []
    for ability in _abilities_of(option, row, rows):
        words = {"name": ability.name, "about": _about(option, ability)}
        abilities.append(Text("mb-background-ability", words))
    if abilities or row is None:
        return tuple(abilities)
    about = _about(option, row)
    return (Text("mb-sheet-option-about", {"about": about}),) if about else ()


def _about(option: BackgroundOption, row: OptionKind | AbilityKind) -> str:
    for mode in row.modes:
        if mode.id == option.mode and mode.about:
            return mode.about
    return row.about


def _inputs_in_words(
    option: BackgroundOption, row: OptionKind | None, rows: CampaignRows | None
) -> tuple[str, ...]:
    """Return what was filled in for an option: targets, texts and numbers."""
    if row is None:
        return tuple(text for _, text in option.notes)
    texts: list[str] = []
    for field in inputs_of(row, option, rows):
        if field.kind in ("abilities", "link", "mode") or not field.applies(option.mode):
            continue
        text = input_text(option, field)
        if text and text not in texts:
            texts.append(text)
    return tuple(texts)
