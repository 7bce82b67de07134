"""Blocks as messages, with the same layout for every system and every kind of check."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final, TypeGuard

from bot.presenters.controls import Attachment, Button, Drawing, Picture, Rows
from bot.presenters.drawing.printed_sheets import TEXT_MOST as SHEET_TEXT_MOST
from bot.presenters.drawing.printed_sheets import can_draw, phone_sheet, print_sheet
from bot.presenters.language.text import (
    Markdown,
    quoted_text,
    ref_text,
    sentence,
    with_capital,
    with_stop,
)
from bot.presenters.language.words import say, say_bare, value_text
from bot.presenters.layout import (
    Accent,
    Body,
    Divider,
    Gap,
    Head,
    Heading,
    Layout,
    Piece,
    QuotedText,
    SmallPrint,
    build_layout,
    rows_of,
    spoken_text,
)
from bot.presenters.names import event_mentions
from bot.presenters.scene import Scene
from rules.core.memo import memo_by_identity
from rules.core.rng import Die
from rules.table.blocks import (
    Block,
    Change,
    Fact,
    Group,
    Note,
    Quote,
    Roll,
    Term,
    Text,
    Tone,
    Value,
    Verdict,
    first_verdict,
)
from rules.table.checks.shared_blocks import NEXT_ROLL
from rules.table.commands import CommandView, PrintedSheet
from rules.table.events import Reported

#: Colors of final results.
ACCENTS: Final[dict[Tone, Accent]] = {
    "good": "good",
    "bad": "bad",
    "open": "open",
    "neutral": "waiting",
}
_SIGNS: Final[dict[Tone, str]] = {"good": "✓ ", "bad": "✗ ", "open": "", "neutral": ""}
#: Verdicts that have their sign only with this tone: a cross before a hit would read as a miss.
_SIDES: Final[dict[str, Tone]] = {"check-hit": "good", "check-miss": "bad"}
_GAP: Final = Gap()
#: Most lines of a quote; the lines beyond are run together.
_QUOTE_LINES: Final = 3
#: Most dice of one kind whose faces are shown; the dice beyond are counted.
_DICE: Final = 40
#: Most rows of a result without a thin line between them.
_SHORT_ROWS: Final = 5
#: Letters of a sheet's name that become a dash in the name of its file.
_FILE_NAME: Final = re.compile(r"[^a-z0-9]+")


def verdict_text(block: Verdict, *, so_far: bool = False) -> str:
    """Return a verdict with its sign, degree, effect and numbers.

    An open one is `✗ Failure so far: 8 against 10`, a final one `✗ Failure, 8 against 10`. With a
    degree it is `✓ Success, 2 extra results: 16 against 10`, with an effect `✗ Miss: Vesna evades
    (14 against 5)`. A conditional verdict says already that it can change.
    """
    text, colon, why = say(block.text).partition(":")
    if block.who is not None:
        what, _, more = text.partition(", ")
        text = say(
            Text("verdict-of", {"what": Markdown(what), "who": block.who, "more": Markdown(more)})
        )
    if so_far and not block.conditional:
        text = say(Text("so-far", {"what": Markdown(text)}))
    text += colon + why
    if block.degree is not None:
        text += f", {say(block.degree)}"
    numbers = "" if block.numbers is None else say(block.numbers)
    if block.what is not None:
        text += f": {say(block.what)}" + (f" ({numbers})" if numbers else "")
    elif numbers:
        text += (": " if so_far or colon or block.degree is not None else ", ") + numbers
    return _verdict_sign(block) + text


def _verdict_sign(block: Verdict) -> str:
    """Return the sign before a verdict; empty for none."""
    if block.bare:
        return ""
    if block.worked is not None:
        return _SIGNS["good" if block.worked else "bad"]
    if _SIDES.get(block.text.code, block.tone) != block.tone:
        return ""
    return _SIGNS[block.tone]


def roll_text(block: Roll) -> str:
    """Return dice with what is added to them, and the result.

    `Pilgrim, Defense: 3d6 (**5**, 1, ~~2~~) + d8 (2) + Supporter 3 = **8**`; a result in words is
    `…: 4 successes`.
    """
    who = [ref_text(block.who)] if block.who is not None else []
    label = ", ".join([*who, say(block.what)] if block.what is not None else who)
    label = label if who else with_capital(label)
    plain = not (block.dropped or block.marks or block.replaced)
    text = _unmarked_dice(block.dice) if plain else _marked_dice(block)
    for term in block.terms:
        text += _term_text(term, first=not text)
    text = text or say(Text("pool-empty"))
    if isinstance(block.result, Text):
        text += f": {say(block.result)}"
    elif block.result is not None:
        text += f" = **{value_text(block.result)}**"
    return f"{label}: {text}" if label else text


def _term_text(term: Term | int, *, first: bool) -> str:
    """Return what is added to dice, with its sign: ` + Supporter 3`, ` − 2`."""
    name, number = (say(term.label), term.value) if isinstance(term, Term) else ("", term)
    if first:
        if name:
            return f"{name} {value_text(number)}"
        return f"−{abs(number)}" if number < 0 else f"{number}"
    sign = " − " if number < 0 else " + "
    return f"{sign}{name} {value_text(abs(number))}" if name else f"{sign}{abs(number)}"


@memo_by_identity
def _unmarked_dice(dice: tuple[Die, ...]) -> str:
    return _dice_text(dice, dict[int, str](), dict[int, str]())


def _marked_dice(block: Roll) -> str:
    signs = dict.fromkeys(block.marks, "**") | dict.fromkeys(block.dropped, "~~")
    before: dict[int, str] = {}
    for place, face in block.replaced:
        before[place] = f"{before.get(place, '')}{face}→"
    return _dice_text(block.dice, signs, before)


def _dice_text(dice: Sequence[Die], signs: Mapping[int, str], before: Mapping[int, str]) -> str:
    """Return the dice with their faces, grouped by kind.

    `signs` enclose some of the faces. A die that was rolled again has its faces `before`: `5→3`.
    """
    groups = groupby(enumerate(dice), _kind_of_die)
    return " + ".join([_die_group_text(tuple(group), signs, before) for _, group in groups])


def _kind_of_die(numbered: tuple[int, Die]) -> tuple[int, str]:
    """Return the kind by which dice are grouped: dice that were rolled again belong to theirs.

    They are named `main` and `main-again`.
    """
    die = numbered[1]
    return die.sides, die.name.removesuffix("-again")


def _die_group_text(
    dice: Sequence[tuple[int, Die]], signs: Mapping[int, str], before: Mapping[int, str]
) -> str:
    shown = list[str]()
    for place, die in dice[:_DICE]:
        sign = signs.get(place, "")
        shown.append(f"{before.get(place, '')}{sign}{die.face}{sign}")
    more = f" and {len(dice) - _DICE} more" if len(dice) > _DICE else ""
    count = len(dice) if len(dice) > 1 else ""
    return f"{count}d{dice[0][1].sides} ({', '.join(shown)}{more})"


def change_text(block: Change) -> str:
    """Return a value before and after a change: `Vesna: Fitness 2 → 1`."""
    who = f"{ref_text(block.who)}: " if block.who is not None else ""
    return f"{who}{say(block.what)} {value_text(block.before)} → {value_text(block.after)}"


def row_text(row: Sequence[Value]) -> str:
    """Return a row of a group: its label, and the values beside it."""
    first, *rest = map(value_text, row)
    return f"**{first}:** {' · '.join(rest)}" if rest else first


def _group(block: Group) -> list[Piece]:
    title: list[Piece] = [Gap()] if block.title is None else [Heading(say(block.title))]
    return title + [Body(row_text(row)) for row in block.rows if row]


def _quote(block: Quote) -> list[Piece]:
    label = "" if block.label is None else f"**{say(block.label)}:** "
    text = quoted_text(block.text, most_lines=_QUOTE_LINES)
    return [QuotedText(label + text)] if block.text.strip() else []


_PIECES: Final[dict[type[Block], Callable[[Any], list[Piece]]]] = {
    Verdict: lambda block: [Body(f"**{verdict_text(block)}**")],
    Roll: lambda block: [Body(roll_text(block))],
    Fact: lambda block: [Body(f"**{say(block.what)}:** {value_text(block.value)}")],
    Change: lambda block: [Body(change_text(block))],
    Note: lambda block: [Body(sentence(say(block.text)))],
    Group: _group,
    Quote: _quote,
}

#: Beginning of the codes of titles that only name the topic of a report.
_TOPIC: Final = "topic-"
#: Most letters of a sentence that stands in place of such a title.
_HEAD_LENGTH: Final = 100


def block_pieces(blocks: Iterable[Block]) -> list[Piece]:
    """Return the pieces of blocks, without the roll that a check waits for (`next_roll`)."""
    pieces: list[Piece] = []
    for block in blocks:
        if not is_next_roll(block):
            pieces += _PIECES[type(block)](block)
    return pieces


def is_next_roll(block: Block) -> TypeGuard[Fact]:
    """Return whether a block has the dice of the roll that a check waits for."""
    return isinstance(block, Fact) and block.what.code == NEXT_ROLL


def next_roll(blocks: Iterable[Block]) -> Fact | None:
    """Return the block with the dice of the roll that a check waits for, if there is one."""
    return next((block for block in blocks if is_next_roll(block)), None)


def block_lines(blocks: Iterable[Block]) -> list[str]:
    """Return the pieces of blocks as lines of Markdown, for a message about more than them."""
    lines: list[str] = []
    for piece in block_pieces(blocks):
        match piece:
            case Heading(text):
                lines.append(f"**{text}**")
            case Body(text):
                lines.append(text)
            case QuotedText(text):
                lines.append("> " + text.replace("\n", "\n> "))
            case _:
                pass
    return lines


def result_card(
    blocks: Sequence[Block],
    *,
    head: str = "",
    who: str = "",
    accent: Accent | None = None,
    small: str = "",
    choices: Sequence[Piece] = (),
    rows: Rows = (),
) -> Layout:
    """Return a result: the verdict, `who` acted, quotes, dice, causes, and the `choices`.

    `head` replaces the verdict, and stands where there is none; `accent` replaces the verdict's.
    """
    first: Verdict | None = None
    quotes: list[Piece] = []
    dice: list[Piece] = []
    causes: list[Piece] = []
    for block in blocks:
        if not head and first is None and isinstance(block, Verdict):
            first = block
            continue
        if isinstance(block, Quote):
            quotes += block_pieces((block,))
        elif isinstance(block, Roll):
            dice += block_pieces((block,))
        else:
            causes += block_pieces((block,))
    title = verdict_text(first) if first is not None else head
    pieces: list[Piece] = [Head(title)] if title else []
    if who:
        pieces.append(Body(who))
    pieces += quotes
    if dice:
        is_long = len(quotes) + len(dice) + len(causes) > _SHORT_ROWS
        pieces += [Divider() if is_long else _GAP, *dice]
    if causes:
        pieces += [_GAP, *causes]
    pieces += choices
    if small:
        pieces += [_GAP, SmallPrint(small)]
    default: Accent = "waiting" if first is None else ACCENTS[first.tone]
    return Layout(accent or default, (*pieces, *rows_of(rows)))


def private_answer_card(title: Text, blocks: Iterable[Block]) -> Layout:
    """Return a private answer to a question of a player or GM."""
    return build_layout("own", say(title), *block_pieces(blocks))


def command_button(scene: Scene, command: str, label: Text, values: Mapping[str, object]) -> Button:
    """Return the button that runs a system's command with these values.

    If the command needs more values, the button asks for them first.
    """
    carried = ";".join(f"{key}={value}" for key, value in values.items())
    return Button(f"sg:own:{scene.table_id}:{command}:{carried}", say(label), "primary")


def begin_button(scene: Scene, label: Text, kind: str, who: str) -> Button:
    """Return the button that begins a check of a kind for a character, as their sheet has it."""
    return Button(f"sg:sheet:{scene.table_id}:{who}:{kind}", say(label), "primary")


#: Most buttons below the answer of a command. What a command offers beyond them is typed.
MOST_VIEW_BUTTONS: Final = 10
#: Most rows that buttons take below an answer.
_BUTTON_ROWS: Final = 5


def command_view_card(scene: Scene, command: str, view: CommandView) -> Layout:
    """Return the private answer of a command, with its buttons if there are any."""
    card = private_answer_card(view.title, view.blocks)
    if view.sheet is not None:
        card = _with_sheet(card, view.sheet)
    buttons: list[Button] = []
    if view.button is not None:
        buttons.append(command_button(scene, command, view.button, view.values))
    for offered in view.buttons[:MOST_VIEW_BUTTONS]:
        button = command_button(scene, command, offered.button, offered.values)
        buttons.append(button.replace(style="secondary"))
    if not buttons:
        return card
    return card.replace(pieces=(*card.pieces, *rows_of(_in_rows(buttons))))


def _in_rows(buttons: list[Button]) -> tuple[tuple[Button, ...], ...]:
    """Return buttons in rows of their own, or as few to a row as fit below an answer."""
    count = -(-len(buttons) // _BUTTON_ROWS)
    starts = range(0, len(buttons), count)
    return tuple(tuple(buttons[start : start + count]) for start in starts)


def _with_sheet(card: Layout, sheet: PrintedSheet) -> Layout:
    """Return a card with its page as a picture, a picture to print, and a file of text."""
    lines = [say_bare(line) for line in sheet.lines]
    if can_draw(sheet.name, *lines) and sum(map(len, lines)) <= SHEET_TEXT_MOST:
        about = (sheet.name, sheet.figures, lines)
        figures = ", ".join([f"{label} {number}" for label, number in sheet.figures])
        alt = f"{sheet.name}: {figures}. {spoken_text(lines[0]) if lines else ''}"
        pictures = (
            Picture("sheet.png", Drawing(phone_sheet, about), alt),
            Picture("print.png", Drawing(print_sheet, about), alt),
        )
        card = card.replace(pieces=(*card.pieces, *pictures))
    if not sheet.file:
        return card
    text = "\n".join([sheet.name, "", *(say_bare(line) for line in sheet.file), ""])
    name = _FILE_NAME.sub("-", sheet.name.casefold()).strip("-") or "sheet"
    return card.replace(attachment=Attachment(f"{name}.txt", text.encode()))


def reported_card(event: Reported, scene: Scene) -> Layout:
    """Return the report of a system's command, with the button that goes on."""
    rows: Rows = ()
    if event.button is not None and event.begins is not None:
        rows = ((begin_button(scene, event.button, *event.begins),),)
    elif event.button is not None:
        pressed = ((event.button, event.values), *event.others)
        buttons = (command_button(scene, event.command, label, values) for label, values in pressed)
        rows = (tuple(buttons),)
    if event.ping or event.ping_gms:
        called = event_mentions(event, scene)
        text = with_stop(f"{called.text}, {say(event.title)}")
        return Layout("open", rows_of(rows), None, text, called.users, called.roles)
    verdict = first_verdict(event.blocks)
    accent: Accent = "gm" if event.audience.gms else "waiting"
    if verdict:
        accent = ACCENTS[verdict.tone]
    small = ""
    if event.audience.gms:
        small = say(Text("only-gms-see", {"owner": bool(event.audience.people)}))
    head, pieces = _report_head(event)
    return build_layout(accent, head, *pieces, small=small, rows=rows)


def _report_head(event: Reported) -> tuple[str, list[Piece]]:
    """Return the headline of a report, and what is left to say.

    The first sentence stands in place of a title that only names the topic.
    """
    title, pieces = say(event.title), block_pieces(event.blocks)
    if not event.title.code.startswith(_TOPIC) or not pieces or not isinstance(pieces[0], Body):
        return title, pieces
    first = pieces[0].text
    if not first.endswith(".") or len(first) > _HEAD_LENGTH or ". " in first or "\n" in first:
        return title, pieces
    return first.removesuffix("."), pieces[1:]
