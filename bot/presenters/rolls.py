"""Messages of free rolls, saved rolls, and results from the systems' tables."""

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

#: Most letters besides the dice in a message: the reason, the readers, the player who rolled.
_BESIDE_LENGTH: Final = 900


def _counts_successes(notation: Notation) -> bool:
    return isinstance(notation.root, Dice) and notation.root.successes is not None


def _totals_text(notation: Notation, totals: tuple[int, ...]) -> str:
    """Return the totals, with their noun if they count successes."""
    numbers = listing(map(number_text, totals))
    if not _counts_successes(notation):
        return numbers
    return f"{numbers} {'success' if totals == (1,) else 'successes'}"


def _line(notation: Notation, thrown: ThrowResult) -> str:
    """Return one throw: the expression with its dice, and the total."""
    text, exact, total = result_text(thrown.result), thrown.result.total, number_text(thrown.total)
    if _counts_successes(notation):
        return text  # it names the successes itself
    if isinstance(notation.root, Binary) and notation.root.name in COMPARE:
        holds = bool(thrown.total)
        return say(
            Text(
                "roll-compared",
                {"text": Markdown(text), "total": Markdown(total), "holds": holds},
            )
        )
    if exact != thrown.total:
        return f"{text} = {number_text(exact)}, so **{total}**"
    return f"{text} = **{total}**"


def rolled_card(event: DiceRolled, scene: Scene) -> Layout:
    """Return the total as the head, then every die. Too many dice for a message become a file."""
    notation = parse(event.text)
    who = scene.names.name(event.by) if event.name is None else name_with_alias(event.name)
    if event.totals:
        head = f"{who} rolls {_totals_text(notation, event.totals)}"
        lines, file = _lines(event, notation)
    else:
        head = say(Text("roll-blind", {"who": Markdown(who)}))
        lines, file = [user_text(event.text)], None
    small = seen_by("seen-rolled", event, scene, named=event.name is not None)
    return build_layout(
        _accent(event, for_gms=event.audience == GMS),
        head,
        *quote_pieces(event.reason),
        Gap(),
        *lines,
        Gap(),
        small=small,
        attachment=file,
    )


def _lines(event: DiceRolled, notation: Notation) -> tuple[list[str], Attachment | None]:
    """Return every die, a line a throw; of too many dice the totals, and a file with the dice."""
    lines = [_line(notation, thrown) for thrown in throw(notation, ScriptedRng(event.faces))]
    if len(lines) > 1:
        lines = [f"{number}\\. {line}" for number, line in enumerate(lines, 1)]
        lines.append(f"**Totals:** {', '.join(map(number_text, event.totals))}")
    if utf16_length("\n".join(lines)) <= BODY - _BESIDE_LENGTH:
        return lines, None
    shown = f"**Totals:** {', '.join(map(number_text, event.totals))}"
    file = Attachment("dice.txt", unescape("\n".join(lines)).encode())
    return [user_text(event.text), shown, say(Text("roll-file"))], file


def _accent(event: DiceRolled | Produced, *, for_gms: bool) -> Accent:
    if event.audience.is_open:
        return "waiting"
    return "gm" if for_gms else "own"


def roll_again_row(table_id: int, seq: int) -> Row:
    """Return the button that rolls the dice of entry `seq` once more, for any player."""
    return Row((Button(f"sg:again:{table_id}:{seq}", label_text("roll-again")),))


def saved_card(event: RollSaved) -> Layout:
    """Return the player's saved rolls after a change of one."""
    lines = [f"- **{user_text(name)}:** {user_text(dice)}" for name, dice in event.rolls]
    return card("own", "roll-saved", None, *lines, about=event)


def produced_card(event: Produced, scene: Scene) -> Layout:
    """Return the lines of a result, the first as the head, then the dice with their names."""
    title, *lines = map(say, event.lines)
    names = system_words(scene.state.settings.system).die_names
    dice = [f"{names.get(die.name, die.name)} d{die.sides}: {die.face}" for die in event.dice]
    accent = _accent(event, for_gms=event.audience.gms)
    small = seen_by("seen-drawn", event, scene)
    return build_layout(accent, title, *lines, "; ".join(dice), small=small)
