"""Dice thrown for nothing but their result, the rolls that somebody keeps, what systems' tables
gave.
"""

from __future__ import annotations

from typing import Final

from bot.presenters.catalog_cards import card, quote_pieces, seen_by
from bot.presenters.controls import Attachment, Button
from bot.presenters.language.dice_text import number_text, result_text
from bot.presenters.language.limits import BODY, utf16_length
from bot.presenters.language.systems import system_words
from bot.presenters.language.text import (
    Markdown,
    listing,
    name_with_alias,
    unescape,
    user_text,
)
from bot.presenters.language.words import label_text, say
from bot.presenters.layout import Accent, Gap, Layout, Row, build_layout
from bot.presenters.scene import Scene
from rules.core.dice import Notation, ThrowResult, parse, throw
from rules.core.dice.notation import Binary, Dice
from rules.core.dice.roll import COMPARE
from rules.core.rng import ScriptedRng
from rules.table.blocks import Text
from rules.table.events import GMS, DiceRolled, Produced, RollSaved

#: Room for what stands beside the dice in a card: the reason, who can see it, who rolled.
_BESIDE: Final = 900


def _counts_successes(notation: Notation) -> bool:
    return isinstance(notation.root, Dice) and notation.root.successes is not None


def _verdict(notation: Notation, totals: tuple[int, ...]) -> str:
    numbers = listing(map(number_text, totals))
    if not _counts_successes(notation):
        return numbers
    return f"{numbers} {'success' if totals == (1,) else 'successes'}"


def _line(notation: Notation, thrown: ThrowResult) -> str:
    text, exact, total = result_text(thrown.result), thrown.result.total, number_text(thrown.total)
    if _counts_successes(notation):
        return text  # it says so itself
    if isinstance(notation.root, Binary) and notation.root.name in COMPARE:
        return say(
            Text(
                "roll-compared",
                {"text": Markdown(text), "total": Markdown(total), "holds": bool(thrown.total)},
            )
        )
    if exact != thrown.total:
        return f"{text} = {number_text(exact)}, so **{total}**"
    return f"{text} = **{total}**"


def rolled_card(event: DiceRolled, scene: Scene) -> Layout:
    """The total as the heading, then every die. Dice that are too many for a card come as a
    file.
    """
    notation = parse(event.text)
    who = scene.names.name(event.by) if event.name is None else name_with_alias(event.name)
    accent: Accent = (
        "waiting" if event.audience.everyone else "gm" if event.audience == GMS else "own"
    )
    if not event.totals:
        head, lines, file = (
            say(Text("roll-blind", {"who": Markdown(who)})),
            [user_text(event.text)],
            None,
        )
    else:
        head = f"{who} rolls {_verdict(notation, event.totals)}"
        lines, file = _lines(event, notation)
    small = seen_by("seen-rolled", event, scene, named=event.name is not None)
    return build_layout(
        accent,
        head,
        *quote_pieces(event.reason),
        Gap(),
        *lines,
        Gap(),
        small=small,
        attachment=file,
    )


def _lines(event: DiceRolled, notation: Notation) -> tuple[list[str], Attachment | None]:
    """Every die, a line a throw, and where those are too many what they come to, and a file."""
    lines = [_line(notation, thrown) for thrown in throw(notation, ScriptedRng(event.faces))]
    if len(lines) > 1:
        lines = [f"{number}\\. {line}" for number, line in enumerate(lines, 1)]
        lines.append(f"**Totals:** {', '.join(map(number_text, event.totals))}")
    if utf16_length("\n".join(lines)) <= BODY - _BESIDE:
        return lines, None
    shown = f"**Totals:** {', '.join(map(number_text, event.totals))}"
    file = Attachment("dice.txt", unescape("\n".join(lines)).encode())
    return [user_text(event.text), shown, say(Text("roll-file"))], file


def roll_again_row(table_id: int, seq: int) -> Row:
    """What throws the dice of entry `seq` once more, for whoever presses it."""
    return Row((Button(f"sg:again:{table_id}:{seq}", label_text("roll-again")),))


def saved_card(event: RollSaved) -> Layout:
    """What is kept now, and everything else that is."""
    lines = [f"- **{user_text(each)}:** {user_text(dice)}" for each, dice in event.rolls]
    return card("own", "roll-saved", None, *lines, about=event)


def produced_card(event: Produced, scene: Scene) -> Layout:
    """The heading is the first line; the dice stand under the rest, each with its name."""
    title, *lines = map(say, event.lines)
    names = system_words(scene.state.settings.system).die_names
    dice = [f"{names.get(die.name, die.name)} d{die.sides}: {die.face}" for die in event.dice]
    accent: Accent = "waiting" if event.audience.everyone else "gm" if event.audience.gms else "own"
    return build_layout(
        accent, title, *lines, "; ".join(dice), small=seen_by("seen-drawn", event, scene)
    )
