"""Approval of new characters, as a whole or line by line."""

from __future__ import annotations

from rules.core.errors import Impossible, InvalidInput
from rules.table import actions
from rules.table.forms.typed_texts import trimmed_text
from rules.table.lookup import (
    find_character,
    sort_by_name,
)
from rules.table.outcome import Outcome
from rules.table.people.characters import (
    NOTE_MAX,
    character_event,
    find_own,
    owner_audience,
    public_audience,
    with_active,
)
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game


def unapproved_characters(state: TableState) -> tuple[AnyCharacter, ...]:
    """Return the new characters that no GM has approved yet."""
    present = [character for character in state.characters.values() if not character.retired]
    return sort_by_name(character for character in present if not character.approved)


def approve(state: TableState, action: actions.Approve, game: Game) -> Outcome:
    """Approve a new character, send it back for changes, or rule on one line of its sheet.

    An approval allows all open lines.

    Raises:
        Impossible("nobody-to-approve"), ("approved-already"): no character waits.
        Impossible("refused-lines"): a line of an approved character is refused.
        Impossible("line-gone"): the sheet has no such line.
        InvalidInput("empty"): a character is sent back without a note.
    """
    pool = unapproved_characters(state)
    if action.character is None:
        if not pool:
            raise Impossible("nobody-to-approve")
        character = find_own(state, action.who, pool[0].id if len(pool) == 1 else None, pool)
    else:
        known = state.characters.get(action.character)
        if known is not None and known.approved:
            raise Impossible("approved-already", name=known.name)
        character = find_character(pool, action.character)
    note = trimmed_text("note", action.note, NOTE_MAX)
    if action.line:
        return _rule_line(game, state, action, character, note)
    if not action.accept and not note:
        raise InvalidInput("empty", field="note", value="", wanted="mending")
    if action.accept:
        character = _with_open_lines_allowed(game, character)
    changed = character.replace(approved=action.accept, sent_back="" if action.accept else note)
    if not action.accept:
        changed = changed.replace(sent_at=action.at)
    state = state.with_character(changed)
    what = "character-approved" if action.accept else "character-sent-back"
    event = character_event(
        what, changed, action.who, public_audience(changed), note=note, calls_owner=True
    )
    return Outcome(with_active(state, changed), (event,))


def _rule_line(
    game: Game, state: TableState, action: actions.Approve, character: AnyCharacter, note: str
) -> Outcome:
    """Allow or refuse one line of a new sheet. A refusal is told to its player."""
    lines = {line.id: line for line in game.sheets.approvals(game, character.sheet)}
    line = lines.get(action.line)
    if line is None:
        raise Impossible("line-gone", name=character.name)
    sheet = game.sheets.rule(game, character.sheet, line.id, action.accept, note)
    changed = character.replace(sheet=sheet)
    event = character_event(
        "line-allowed" if action.accept else "line-refused",
        changed,
        action.who,
        owner_audience(changed),
        (line.words,),
        note=note,
        calls_owner=not action.accept,
        quiet=action.accept,
    )
    return Outcome(state.with_character(changed), (event,))


def _with_open_lines_allowed(game: Game, character: AnyCharacter) -> AnyCharacter:
    """Return a character with the open lines of its sheet allowed.

    Raises Impossible("refused-lines") if one is refused.
    """
    lines = game.sheets.approvals(game, character.sheet)
    refused = [line for line in lines if line.state == "refused"]
    if refused:
        raise Impossible("refused-lines", name=character.name, count=len(refused))
    sheet = character.sheet
    for line in lines:
        if line.state == "open":
            sheet = game.sheets.rule(game, sheet, line.id, True, "")
    return character.replace(sheet=sheet)


def refused_step(game: Game, character: AnyCharacter) -> str:
    """Return the step of creation that has a line which the GM refused; empty without one."""
    lines = () if character.approved else game.sheets.approvals(game, character.sheet)
    return next((line.page for line in lines if line.state == "refused"), "")
