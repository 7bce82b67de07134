"""Lists of checks: what waits for a reader, what is open, what can be spent or stepped into."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from bot.presenters.checks.answers import (
    merge_gm_moves,
    option_id,
    option_text,
    owner_name,
    resource_text,
)
from bot.presenters.checks.headlines import (
    awaited_names,
    deed_line,
    is_awaited,
    pass_label,
    quoted_approach,
)
from bot.presenters.checks.messages import ANSWER_LABEL, STEP_IN_LABEL
from bot.presenters.controls import Button, prompt_id, react_id
from bot.presenters.language import limits
from bot.presenters.language.text import (
    Markdown,
    bare_text,
    listing,
    name_text,
    sentence,
    timestamp_text,
    user_text,
)
from bot.presenters.language.words import label_text, say, say_bare
from bot.presenters.layout import Body, Gap, Head, Layout, Piece, Row, Section, SmallPrint
from bot.presenters.scene import Scene
from rules.table.blocks import Text
from rules.table.check import ANY_GM, PASS, AnyCheck
from rules.table.checks.access import is_open_to
from rules.table.checks.audience_views import view_for_actor
from rules.table.checks.available_moves import Move
from rules.table.checks.costs import SpendOption
from rules.table.events import CheckChanged, Event
from rules.table.system import Game
from rules.table.waits.agenda import Wait

#: Most entries of the list of what can be spent.
_MAX_SPENDINGS: Final = 11
#: Most open checks of a list that have a button.
_MAX_OPEN_BUTTONS: Final = 5
#: Most final results in the list of those that may be stepped into.
MOST_STEP_INS: Final = 5
#: Most answers of a prompt that a list names.
_MAX_ANSWERS: Final = 3
#: A text, and the button or buttons that do it.
MoveLine = tuple[str, Button | tuple[Button, Button]]


def first_check_event(events: Sequence[Event]) -> CheckChanged | None:
    """Return the first of these events that is about a check."""
    return next((event for event in events if isinstance(event, CheckChanged)), None)


def check_choice_text(check: AnyCheck, name: str) -> str:
    """Return a check for a list of suggestions; `name` is the reader's name of the character."""
    approach = bare_text(check.approach)
    text = f"{check.id} · {name}"
    if approach:
        text += f": {approach}"
    return limits.clip(text, limits.CHOICE_TEXT)


# --- what waits for a reader ----------------------------------------------------------------------


def move_lists(
    scene: Scene,
    moves: Sequence[Move],
    views: Mapping[str, CheckChanged],
    *,
    gm: bool,
    links: Mapping[str, str] = MappingProxyType({}),
    waits: Iterable[Wait] = (),
) -> tuple[tuple[MoveLine, ...], tuple[MoveLine, ...]]:
    """Return the lines of checks that wait for the reader, and of checks with mere offers.

    Each line is a text and its button or buttons. A check that doesn't wait for the reader and
    offers only to pass isn't listed. `views` are the checks as the reader may see them, `links` the
    web addresses of their messages; both are keyed by check id. `waits` is the reader's agenda: the
    oldest wait comes first.
    """
    by_prompt = {(wait.check, wait.prompt): wait for wait in waits}
    by_check: dict[str, list[Move]] = {}
    for move in merge_gm_moves(moves):
        if move.waited_for or move.options:
            by_check.setdefault(move.check, []).append(move)
    waiting: list[tuple[int, MoveLine]] = []
    offered: list[MoveLine] = []
    for key, own_moves in by_check.items():
        is_waiting = any(move.waited_for for move in own_moves)
        answers = _answers_text(scene, own_moves, gm=gm)
        form_move = _form_move(own_moves)
        if form_move is None:
            id = react_id(scene.table_id, key)
        else:
            # The form that the button opens lists the answers.
            answers = ""
            id = prompt_id(scene.table_id, key, form_move.number, form_move.prompt)
        gm_awaited = any(move.who == ANY_GM and move.waited_for for move in own_moves)
        label = ANSWER_LABEL if gm_awaited else label_text("check-open")
        button = Button(id, f"{label} · {key}", "primary" if is_waiting else "secondary")
        deed = deed_line(views[key])
        if any(move.stalled for move in own_moves):
            deed = f"**Stalled**: {deed}"
        asked = [move for move in own_moves if move.waited_for]
        known = [by_prompt.get((move.check, move.prompt)) for move in asked]
        own_waits = [wait for wait in known if wait is not None]
        small = _small_line(own_waits, views[key], links.get(key))
        text = f"{key} · {deed}{answers}" + (f"\n-# {small}" if small else "")
        if not is_waiting:
            offered.append((text, button))
            continue
        since = min((wait.since for wait in own_waits), default=0)
        waiting.append((since, (text, _with_pass(scene, asked, button))))
    waiting.sort(key=lambda dated: dated[0])
    return tuple(line for _, line in waiting), tuple(offered)


def _with_pass(
    scene: Scene, asked: Sequence[Move], button: Button
) -> Button | tuple[Button, Button]:
    """Return the button of a check, with a second one that adds nothing in one press.

    The second one needs a pass that is the answer of one character in one prompt.
    """
    if len(asked) != 1 or not asked[0].passes or not asked[0].options:
        return button
    move = asked[0]
    label = limits.clip(f"{pass_label(move.prompt)} · {move.check}", limits.BUTTON_LABEL)
    return button, Button(option_id(scene.table_id, move, PASS), label)


def _answers_text(scene: Scene, moves: Sequence[Move], *, gm: bool) -> str:
    """Return what a reader can answer in one check, character by character."""
    stalled = any(move.stalled for move in moves)
    actor = scene.state.checks[moves[0].check].actor
    text = ""
    for move in moves:
        answers = [user_text(say_bare(option.short or option.label)) for option in move.options]
        if move.passes and move.waited_for:
            answers.append(pass_label(move.prompt))
        ends = stalled and [option.value for option in move.options] == ["withdraw"]
        too_many = not move.waited_for or len(answers) > _MAX_ANSWERS
        if move.who == ANY_GM and too_many and not ends:
            continue  # the button opens it with everything
        if len(answers) > _MAX_ANSWERS:
            answers = [*answers[: _MAX_ANSWERS - 1], "more"]
        if move.who != actor and not (gm and move.who == ANY_GM):
            text += f". {name_text(owner_name(move, scene, gm=gm))}: "
        else:
            text += "; " if text else ": "
        text += listing(answers, "or")
    return text


def _form_move(moves: Sequence[Move]) -> Move | None:
    """Return the only awaited move of the GMs if all its options are forms."""
    gm_moves = [move for move in moves if move.who == ANY_GM and move.waited_for]
    if len(gm_moves) != 1:
        return None
    if all(option.form is not None for option in gm_moves[0].options):
        return gm_moves[0]
    return None


def _small_line(waits: Sequence[Wait], view: CheckChanged, link: str | None) -> str:
    """Return the times of a wait, how the check is done, and a link to its message."""
    approach = quoted_approach(view)
    parts = [wait_times(waits), approach]
    if link is not None:
        show = say(Text("check-show", {"short": bool(approach)}))
        parts.append(f"[{show}]({link})")
    return " · ".join(filter(None, parts))


def wait_times(waits: Sequence[Wait]) -> str:
    """Return when the first of these answers is due and what happens then, or since when it waits.

    Empty if neither is known.
    """
    due = [wait for wait in waits if wait.due is not None]
    if due:
        first = min(due, key=lambda wait: wait.due or 0)
        return say(Text("wait-due", {"due": first.due, "default": first.default}))
    since = min((wait.since for wait in waits if wait.since), default=0)
    return say(Text("wait-since", {"since": since})) if since else ""


# --- open checks and final results ----------------------------------------------------------------


def open_lines(scene: Scene, game: Game) -> list[str | Piece]:
    """Return the open checks that the reader may see, a line each with whom it waits for.

    The oldest have a button that opens them.
    """
    lines: list[str | Piece] = []
    for check in game.state.checks.values():
        if not is_open_to(game, check, game.actor):
            continue
        view = view_for_actor(game, check)
        line = f"- {check.id} · {deed_line(view)}"
        names = dict.fromkeys(map(awaited_names, filter(is_awaited, view.asked)))
        if names:
            line += say(Text("check-line-waits", {"who": Markdown(listing(names))}))
        if approach := quoted_approach(view):
            line += f"\n-# {approach}"
        if len(lines) < _MAX_OPEN_BUTTONS:
            button = Button(react_id(scene.table_id, check.id), f"Open {check.id}")
            lines.append(Section(line, button))
        else:
            lines.append(line)
    return lines


def step_in_lines(
    scene: Scene, views: Iterable[CheckChanged], at: int
) -> tuple[tuple[str, Button], ...]:
    """Return the final results that players may still step into, newest first."""
    lines: list[tuple[str, Button]] = []
    for view in views:
        until = view.step_in_until
        if view.over and until is not None and until > at:
            time = timestamp_text(until, "f")
            text = f"{view.check} · {deed_line(view)}: until {time}"
            label = f"{STEP_IN_LABEL} · {view.check}"
            lines.append((text, Button(f"sg:sip:{scene.table_id}:{view.check}", label)))
    return tuple(lines[::-1][:MOST_STEP_INS])


# --- what can be spent ----------------------------------------------------------------------------


def spendings_card(
    scene: Scene,
    spendings: Sequence[SpendOption],
    reasons: Sequence[tuple[str, Text]],
    *,
    gm: bool,
    onward: Button,
) -> Layout:
    """Return everything that can be spent with its button.

    `reasons` say for the other open checks why nothing can be spent. `onward` is what the reader
    can begin if no check is open.
    """
    pieces: list[Piece] = [Head(say(Text("spend-title")))]
    for spending in spendings[:_MAX_SPENDINGS]:
        pieces.append(_spending_line(scene, spending, gm=gm))
    if len(spendings) > _MAX_SPENDINGS:
        pieces.append(SmallPrint(say(Text("spend-more"))))
    why: list[Piece] = []
    for check, line in reasons[:_MAX_SPENDINGS]:
        button = Button(react_id(scene.table_id, check), f"Open {check}")
        why.append(Section(f"{check}: {sentence(say(line))}", button))
    if not spendings:
        nothing = say(Text("spend-nothing", {"open": bool(why)}))
        pieces.append(Body(nothing))
        why = why or [Row((onward,))]
    elif why:
        pieces += [Gap(), Body(say(Text("spend-why")))]
    return Layout("own", (*pieces, *why))


def _spending_line(scene: Scene, spending: SpendOption, *, gm: bool) -> Section:
    """Return a line that says what is spent for whom, and the button that spends it.

    The label of the button has the values of the command's options `what` and `choice`.
    """
    option = spending.option
    if option.short:
        label = say_bare(option.short)
    else:
        label = resource_text(spending.what)
        if spending.choice:
            label += f": {spending.choice.strip(':')}"
    id = option_id(scene.table_id, spending.move, option.value)
    whose = name_text(owner_name(spending.move, scene, gm=gm))
    text = f"**{whose}**, {spending.check}\n{user_text(option_text(option))}"
    return Section(text, Button(id, limits.clip_label(label, limits.BUTTON_LABEL)))
