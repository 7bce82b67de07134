"""Dice thrown for nothing but their result, and the rolls that somebody keeps."""

from __future__ import annotations

from typing import Final

from bot.presenters.controls import Attachment, Button
from bot.presenters.dice import number_text, result_text
from bot.presenters.layout import Accent, Body, Gap, Head, Layout, Piece, Quoted, Row, Small, laid
from bot.presenters.limits import BODY, HEAD, clip, size
from bot.presenters.names import gm_mentions
from bot.presenters.scene import Scene
from bot.presenters.text import listing, name_text, quoted_text, unescaped, user_text, who_text
from rules.core.dice import Notation, Thrown, parse, throw
from rules.core.dice.notation import Binary, Dice
from rules.core.dice.roll import COMPARE
from rules.core.rng import Scripted
from rules.table.events import GMS, DiceRolled, RollSaved

#: Room for what stands beside the dice in a card: the reason, who can see it, who rolled.
_BESIDE: Final = 900


def _counted(notation: Notation) -> bool:
    """Whether successes are counted instead of points."""
    return isinstance(notation.root, Dice) and notation.root.successes is not None


def _verdict(notation: Notation, totals: tuple[int, ...]) -> str:
    numbers = listing(map(number_text, totals))
    if not _counted(notation):
        return numbers
    return f"{numbers} {'success' if totals == (1,) else 'successes'}"


def _line(notation: Notation, thrown: Thrown) -> str:
    """The dice with what they come to."""
    text, exact, total = result_text(thrown.result), thrown.result.total, number_text(thrown.total)
    if _counted(notation):
        return text  # it says so itself
    if isinstance(notation.root, Binary) and notation.root.name in COMPARE:
        return f"{text}: **{total}**, it {'holds' if thrown.total else 'does not hold'}"
    if exact != thrown.total:
        return f"{text} = {number_text(exact)}, so **{total}**"
    return f"{text} = **{total}**"


def _mark(event: DiceRolled, scene: Scene) -> str:
    """Who can see this, where that is not everybody."""
    if event.visibility == "public":
        return ""
    settings = scene.state.settings
    if event.visibility == "blind":
        return f"Blind: only {gm_mentions(scene.names, settings.gms, settings.gm_roles).text} can see the result."
    who = scene.names.mention(event.by)
    if not event.audience.gms:
        return f"Private: only {who} sees this."
    return f"Private: only {who} and the GMs see this." if event.audience.people else "Only the GMs see this."


def rolled_card(event: DiceRolled, scene: Scene) -> Layout:
    """The total as the heading, then every die. Dice that are too many for a card come as a file."""
    notation = parse(event.text)
    who = scene.names.name(event.by) if event.name is None else who_text(event.name)
    below = [_mark(event, scene)]
    if event.name is not None:
        below.append(f"Rolled by {scene.names.mention(event.by)}.")
    accent: Accent = "waiting" if event.audience.everyone else "gm" if event.audience == GMS else "own"
    if not event.totals:
        head, lines, file = f"{who} rolls blind", [user_text(event.text)], None
    else:
        head = f"{who} rolls {_verdict(notation, event.totals)}"
        lines, file = _lines(event, notation)
    reason: list[Piece] = [Quoted(quoted_text(event.reason))] if event.reason else []
    small: list[Piece] = [Small(line) for line in below if line]
    pieces = (Head(clip(head, HEAD)), *reason, Gap(), *map(Body, lines), Gap(), *small)
    return Layout(accent, pieces, file)


def _lines(event: DiceRolled, notation: Notation) -> tuple[list[str], Attachment | None]:
    """Every die, a line a throw, and where those are too many what they come to, and a file."""
    lines = [_line(notation, thrown) for thrown in throw(notation, Scripted(event.faces))]
    if len(lines) > 1:
        lines = [f"{number}\\. {line}" for number, line in enumerate(lines, 1)]
        lines.append(f"**Totals:** {', '.join(map(number_text, event.totals))}")
    if size("\n".join(lines)) <= BODY - _BESIDE:
        return lines, None
    shown = f"**Totals:** {', '.join(map(number_text, event.totals))}"
    file = Attachment("dice.txt", unescaped("\n".join(lines)).encode())
    return [user_text(event.text), shown, "Every die stands in the file."], file


def again_row(table_id: int, seq: int) -> Row:
    """What throws the dice of entry `seq` once more, for whoever presses it."""
    return Row((Button(f"sg:again:{table_id}:{seq}", "Roll again"),))


def saved_card(event: RollSaved) -> Layout:
    """What is kept now, and everything else that is."""
    name = name_text(event.name)
    lines = [f"- **{user_text(each)}:** {user_text(dice)}" for each, dice in event.rolls]
    if event.dice:
        lines.insert(0, "`/roll` takes the name instead of dice. You keep:")
    else:
        lines.insert(0, "You keep:" if lines else "You keep no rolls any more.")
    return laid("own", f"Saved: {name}" if event.dice else f"Forgotten: {name}", *lines)
