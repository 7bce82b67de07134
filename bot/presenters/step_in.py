"""Step-in messages: the private panel, its answers, and the question to the GMs."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from bot.presenters.catalog_cards import card
from bot.presenters.checks import ANSWER_LABEL, check_card, move_pieces, owner_name
from bot.presenters.controls import Button
from bot.presenters.language.text import name_text
from bot.presenters.language.words import label_text, phrase, say
from bot.presenters.layout import (
    Body,
    Gap,
    Head,
    Heading,
    Layout,
    Piece,
    Row,
    Section,
    SmallPrint,
)
from bot.presenters.names import event_mentions
from bot.presenters.scene import Scene
from rules.table.blocks import Text
from rules.table.check import ANY_GM
from rules.table.events import CheckChanged, StepInAsked, StepInDecided
from rules.table.journal.step_in import PastMove, open_questions

#: Routes of an option's button, and of a menu of options.
_ROUTES: Final = ("sic", "sim")
#: Separator of stage and prompt in the id of a control.
STAGE_MARK: Final = "+"
ASK_LABEL: Final = label_text("step-in-ask")
_LET_IN_LABEL: Final = label_text("step-in-let-in")
_TOO_LATE_LABEL: Final = label_text("step-in-refuse")
_CHANGED: Final = Text("step-in-changed")
_NOTHING: Final = Text("step-in-nothing")


def step_in_panel(
    event: CheckChanged,
    scene: Scene,
    moves: Sequence[PastMove],
    *,
    gm: bool,
    changed: bool = False,
    below: Sequence[Button] = (),
) -> Layout:
    """Return the panel of a reader's options in a check that is over, a button each.

    *changed*: the result has changed since the reader saw it. The buttons *below* follow.
    """
    message = check_card(event, scene, copy=True)
    pieces: list[Piece] = [
        piece for piece in message.pieces if not isinstance(piece, SmallPrint | Row | Section)
    ]
    if changed:
        pieces = [Body(say(_CHANGED)), *pieces]
    several = len({past.move.who for past in moves}) > 1
    revision = scene.state.checks[event.check].revision
    for past in moves:
        if past.move.who == ANY_GM:
            whose = say(Text("the-gm-acts"))
        else:
            whose = owner_name(past.move, scene, gm=gm)
        pieces.append(Heading(name_text(whose)) if several else Gap())
        prompt = f"{past.stage}{STAGE_MARK}{past.move.prompt}"
        move = past.move.replace(prompt=prompt, number=revision)
        pieces += move_pieces(scene, move, event.blocks, whose, routes=_ROUTES)
    if not moves:
        pieces += [Gap(), Body(say(_NOTHING))]
    if below:
        pieces.append(Row(tuple(below)))
    small = SmallPrint(f"check {event.check}")
    return Layout("own", (*pieces, small))


def step_in_question(table_id: int, at: str, token: str) -> Layout:
    """Return the answer to a choice that comes too late, with the button that asks the GMs.

    `at` is the part of the choice's button id that names check, prompt and character. `token` is
    the token of the option.
    """
    ask = Button(f"sg:sia:{table_id}:{at}:{token}", ASK_LABEL, "primary")
    return Layout("own", (Head(say(Text("step-in-too-late"))), Row((ask,))))


def numbers_token(numbers: Sequence[int]) -> str:
    """Return a short token for the entries that a GM has seen, for the id of a button."""
    return hashlib.sha256(",".join(map(str, numbers)).encode()).hexdigest()[:12]


def present_question(
    event: StepInAsked, scene: Scene, undoes: Sequence[int], *, changed: bool = False
) -> Layout:
    """Return the question as one GM is shown it, with the entries that would be undone now.

    `changed`: the entries differ from those that the GM has seen.
    """
    question = asked_card(event.replace(undoes=tuple(undoes)), scene, event.question, again=True)
    pieces = (Body(say(_CHANGED)), *question.pieces) if changed else question.pieces
    return question.replace(pieces=pieces, call="", mentions=(), role_mentions=())


def asked_card(event: StepInAsked, scene: Scene, seq: int, *, again: bool = False) -> Layout:
    """Return the message that asks the GMs to let in a choice that comes too late.

    `seq` is the number of the question's entry. `again`: the entries that would be undone may
    differ from those of the first question.
    """
    at = f"{seq}:{numbers_token(event.undoes)}" if again else f"{seq}"
    rows = (
        (
            Button(f"sg:sil:{scene.table_id}:{at}", _LET_IN_LABEL, "primary"),
            Button(f"sg:sit:{scene.table_id}:{seq}", _TOO_LATE_LABEL),
        ),
    )
    undoes = tuple(f"#{number}" for number in event.undoes)
    character = scene.state.characters.get(event.who)
    name = None if character is None else character.name
    message = card(
        "gm", "step-in-asked", scene.names, about=event, rows=rows, numbers=undoes, name=name
    )
    called = event_mentions(event, scene)
    if not called.text:
        return message
    head = next((piece.text for piece in message.pieces if isinstance(piece, Head)), "")
    call = f"{called.text}: {head}"
    return message.replace(call=call, mentions=called.users, role_mentions=called.roles)


def question_lines(scene: Scene) -> list[tuple[str, Button]]:
    """Return a line for each question that the GMs have to answer, with a button that shows it."""
    lines: list[tuple[str, Button]] = []
    for question in open_questions(scene.state):
        if question.check in scene.state.checks:
            line = phrase("step-in-to-do", scene.names, by=question.by, check=question.check)
            id = f"sg:siq:{scene.table_id}:{question.number}"
            label = f"{ANSWER_LABEL} · {question.check}"
            lines.append((line, Button(id, label, "primary")))
    return lines


def decided_card(event: StepInDecided, scene: Scene) -> Layout:
    """Return the message to a player whose late choice a GM has let in or refused."""
    what = "step-in-let-in" if event.let_in else "step-in-refused"
    return card("own", what, scene.names, about=event)
