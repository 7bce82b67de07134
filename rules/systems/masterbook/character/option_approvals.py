"""The GM's consent to single options and effects of a new character (MB-BG-01, MB-SFX-12)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from rules.systems.masterbook.character.creation_rules import CreationRules, creation_rules
from rules.systems.masterbook.character.effect_approvals import (
    effect_approvals,
    with_kept_rulings,
    with_ruling,
)
from rules.systems.masterbook.character.option_drafts import option_text
from rules.systems.masterbook.character.option_entries import option_entries
from rules.systems.masterbook.character.option_findings import needs_consent
from rules.systems.masterbook.character.option_lines import OPTION_FORM, option_line
from rules.systems.masterbook.character.options import BackgroundOption, Options
from rules.systems.masterbook.character.raw_sheet import RawSheet, raw_sheet
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.formulas.option_kinds import Side
from rules.table.system import ApprovalLine, Game


def approvals(game: Game, sheet: MasterbookSheet) -> tuple[ApprovalLine, ...]:
    """Return what on a sheet needs the GM's consent, each with the GM's ruling."""
    return (*_option_approvals(game, sheet), *effect_approvals(game, sheet))


def _option_approvals(game: Game, sheet: MasterbookSheet) -> tuple[ApprovalLine, ...]:
    if not game.setting("background_generation"):
        return ()
    entries = option_entries(creation_rules(game), raw_sheet(sheet))
    return tuple(
        ApprovalLine(
            _line_id(entry.side, entry.option),
            option_text(entry.option),
            _state(entry.option),
            entry.option.ruling,
            f"{entry.side}s",
        )
        for entry in entries
        if needs_consent(entry, entries)
    )


def _state(option: BackgroundOption) -> Literal["open", "allowed", "refused"]:
    if option.approved:
        return "allowed"
    return "refused" if option.refused else "open"


def _line_id(side: Side, option: BackgroundOption) -> str:
    """Return the id of an option in rulings: what it says, without the ruling."""
    return f"{side}: {option_line(OPTION_FORM.all_values(without_ruling(option)), side)}"


def without_ruling(option: BackgroundOption) -> BackgroundOption:
    """Return an option that the GM has said nothing about."""
    return option.replace(approved=False, refused=False, ruling="")


def rule(game: Game, sheet: MasterbookSheet, line: str, accept: bool, note: str) -> MasterbookSheet:
    """Return the sheet with one of its options or effects allowed or refused."""

    def options_of(side: Side, options: Options) -> Iterator[BackgroundOption]:
        for option in options:
            if _line_id(side, option) != line:
                yield option
            elif accept:
                yield without_ruling(option).replace(approved=True)
            else:
                said = " ".join(note.replace(";", ",").split())
                yield without_ruling(option).replace(refused=True, ruling=said[:200])

    return sheet.replace(
        advantages=tuple(options_of("advantage", sheet.advantages)),
        compensations=tuple(options_of("compensation", sheet.compensations)),
        effects=with_ruling(sheet.effects, line, accept, note),
    )


def carry_rulings(before: MasterbookSheet, sheet: MasterbookSheet) -> MasterbookSheet:
    """Return an edited sheet with the GM's rulings on options and effects that are as they were."""

    def options_of(side: Side, old: Options, options: Options) -> Iterator[BackgroundOption]:
        known = {_line_id(side, option): option for option in old}
        for option in options:
            was = known.get(_line_id(side, option))
            if was is None:
                yield without_ruling(option)
            else:
                yield option.replace(approved=was.approved, refused=was.refused, ruling=was.ruling)

    return sheet.replace(
        advantages=tuple(options_of("advantage", before.advantages, sheet.advantages)),
        compensations=tuple(options_of("compensation", before.compensations, sheet.compensations)),
        effects=with_kept_rulings(before.effects, sheet.effects),
    )


def without_rulings(sheet: MasterbookSheet) -> MasterbookSheet:
    """Return a sheet whose options the GM has said nothing about; free ones stay approved."""

    def options_of(options: Options) -> Iterator[BackgroundOption]:
        for option in options:
            yield option if option.free else without_ruling(option)

    return sheet.replace(
        advantages=tuple(options_of(sheet.advantages)),
        compensations=tuple(options_of(sheet.compensations)),
    )


def with_consent(rules: CreationRules, raw: RawSheet) -> RawSheet:
    """Return a character with the consent of the GM who brings it in."""
    entries = option_entries(rules, raw)
    places = {entry.place for entry in entries if needs_consent(entry, entries)}

    def options_of(side: Side, options: Options) -> Iterator[BackgroundOption]:
        for at, option in enumerate(options):
            place = f"{side}s[{at}]"
            yield option.replace(approved=True) if place in places else option

    return raw.replace(
        advantages=tuple(options_of("advantage", raw.advantages)),
        compensations=tuple(options_of("compensation", raw.compensations)),
    )
