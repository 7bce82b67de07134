"""Initiative: the board, and the messages about its steps and turns."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any, Final

from bot.presenters.blocks import block_lines
from bot.presenters.catalog_cards import card
from bot.presenters.checks import deed_text
from bot.presenters.controls import (
    BUTTONS_PER_ROW,
    Button,
    Rows,
    Style,
    button_rows,
    even_rows,
    react_id,
)
from bot.presenters.errors import open_check_rows
from bot.presenters.hands import card_pictures, pool_button
from bot.presenters.language.limits import BODY, CONTENT, clip, utf16_length
from bot.presenters.language.systems import system_words
from bot.presenters.language.text import (
    SOMEBODY,
    Markdown,
    name_text,
    ref_text,
    user_text,
    with_capital,
)
from bot.presenters.language.words import label_text, phrase, say
from bot.presenters.layout import (
    Accent,
    Body,
    Divider,
    Gap,
    Layout,
    Piece,
    SmallPrint,
    build_layout,
    rows_of,
    without_controls,
)
from bot.presenters.names import event_mentions
from bot.presenters.scene import Scene
from rules.core.record import asdict
from rules.registry import read_only_game
from rules.table.blocks import Fact, Text
from rules.table.chance.cards import system_deck
from rules.table.checks.audience_views import check_view
from rules.table.checks.procedure import start_buttons
from rules.table.events import EVERYONE, GMS, Audience, BoardChanged, CheckChanged
from rules.table.initiative import (
    block_of,
    encounter_in,
    is_hidden,
    known_round,
    slot_name,
    slot_on_turn,
    turn_number,
)
from rules.table.played_scenes import open_scene
from rules.table.state import AnyCharacter, AnyEncounter, TableState
from rules.table.system import Game
from rules.table.turns.board import Board, BoardLine
from rules.table.turns.turn_block import is_member
from rules.table.turns.turn_calls import condition_lines
from rules.table.turns.turn_changes import board_holders, opening_check
from rules.table.turns.turn_clock import waits_of_turn
from rules.table.turns.turn_holders import is_only_end_left
from rules.table.waits.agenda import board_groups

#: Buttons that end a turn or put it off: the end of their ids, and their labels.
_PASS: Final = (("delay", label_text("button-delay")), ("next", label_text("button-end-turn")))
#: The same on a timeline.
_IDLE: Final = (("next", label_text("button-do-nothing")),)
#: Most letters of each name and of each character's health. The first pair that fits is taken.
_LENGTHS: Final = ((80, 160), (80, 80), (40, 40), (20, 30), (12, 30), (6, 12))
#: Brackets, which would end the text of a link.
_BRACKET: Final = re.compile(r"\\?([\[\]])")
#: Most letters of the health of a character on turn.
_HEALTH_LENGTH: Final = 120
#: Most letters of the health of each character in a block.
_BLOCK_HEALTH_LENGTH: Final = 60
#: Most letters about the beginning of a round.
_OPENING_LENGTH: Final = 1200


def board_id_prefix(table_id: int, place: str, *turn: int) -> str:
    """Return the beginning of the ids of a board's buttons.

    `turn` are the numbers of the round and of the turn.
    """
    return ":".join(["sg:board", str(table_id), place, *map(str, turn), ""])


def _name(name: str | None, most: int = 80) -> str:
    return name_text(name, most) if name else SOMEBODY


def _line(line: BoardLine, shown: Board, scene: Scene, most: int, health: int) -> Body | SmallPrint:
    """Return a line of the board: `Vesna: busy until phase 9, draws the bow · hurt`.

    It's small print for a character who has acted or is out of action.
    """
    game = read_only_game(scene.state)
    conditions: Sequence[Text] = ()
    if line.who is not None:
        conditions = condition_lines(game, scene.state.characters[line.who])
    sheets = game.system.sheets
    out = sheets is not None and any(condition.code in sheets.out for condition in conditions)
    text = phrase(
        "board-line",
        about=line,
        who=Markdown(_name(line.name, most)),
        score=None if line.score is None else Markdown(line.score),
        doing=Markdown(user_text(clip(line.doing, most))),
        timeline=shown.timeline,
        round=shown.round,
        later=(line.ends or 0) > max(shown.round, 1),
        health=_health_text(conditions, health),
    )
    return SmallPrint(text) if line.done or out else Body(text)


def _health_text(lines: Iterable[Text], most: int) -> Markdown:
    """Return as many whole lines as there is room for; only the first can be clipped."""
    shown = ""
    for line in map(say, lines):
        longer = f"{shown}, {line}" if shown else clip(line, most)
        if utf16_length(longer) > most:
            break
        shown = longer
    return Markdown(shown)


def _lines(shown: Board, scene: Scene, room: int) -> Sequence[Piece]:
    """Return the lines of the board, with names and health as long as there is room for."""
    pieces: list[Body | SmallPrint] = []
    for lengths in _LENGTHS:
        pieces = [_line(line, shown, scene, *lengths) for line in shown.lines]
        if sum(utf16_length(piece.text) + 4 for piece in pieces) <= room:
            break
    return pieces or [Body(say(Text("board-nobody")))]


def timeline_hint(scene: Scene) -> Markdown:
    """Return how a player begins an action on a timeline, in the words of the table's system."""
    return Markdown(system_words(scene.state.settings.system).timeline_hint)


def _opening_pieces(shown: Board, scene: Scene, audience: Audience) -> list[Piece]:
    """Return how the present round began, as far as there is room, with the picture of its card."""
    game = read_only_game(scene.state)
    check = opening_check(game, shown.place)
    if check is None:
        return []
    blocks = check_view(game, check, audience).blocks
    lines, length = list[str](), 0
    for line in block_lines(blocks):
        length += utf16_length(line) + 1
        if length > _OPENING_LENGTH:
            lines.append("…")
            break
        lines.append(line)
    if not lines:
        return []
    cards = [block.card for block in blocks if isinstance(block, Fact) and block.card]
    pictures = card_pictures(game, cards) if cards else []
    small = phrase("board-opening", check=check.id)
    return [Gap(), Body("\n".join(lines)), *pictures, SmallPrint(small)]


def board_card(
    shown: Board | None,
    scene: Scene,
    last: tuple[str, str] | None = None,
    audience: Audience = EVERYONE,
    moved_to: str = "",
) -> Layout:
    """Return the board of a place, or the message that initiative is over (`shown` is None).

    Initiative that has `moved_to` another place isn't over.

    `last` describes the last act in this place, with the web address of its message. The board
    tells how the round began, as the `audience` may know it.
    """
    if shown is None and moved_to:
        return card("waiting", "board-moved", None, place=moved_to)
    if shown is None:
        return card("waiting", "board-over", None)
    on_turn = [line for line in shown.lines if line.acts]
    acting = on_turn[0] if len(on_turn) == 1 else None
    block = [Markdown(_name(line.name)) for line in on_turn] if len(on_turn) > 1 else []
    game, encounter = read_only_game(scene.state), encounter_in(scene.state, shown.place)
    held = board_holders(game, shown.place)
    opening = _opening_pieces(shown, scene, audience)
    taken = sum(utf16_length(piece.text) + 4 for piece in opening if isinstance(piece, Body))
    played = open_scene(scene.state, shown.place)
    last_act: list[Piece] = []
    if last is not None:
        last_act = [Gap(), SmallPrint(f"Last: [{last[0]}]({last[1]})")]
    return card(
        "open",
        "board-phases" if shown.timeline else "board-rounds",
        None,
        Divider(),
        *_lines(shown, scene, BODY - 900 - taken),
        *opening,
        *last_act,
        about=shown,
        rows=_rows(shown, scene),
        acting=None if acting is None else Markdown(_name(acting.name)),
        block=tuple(block),
        doing=acting is not None and bool(acting.doing),
        spent=acting is not None and encounter is not None and is_only_end_left(game, encounter),
        waits=any(line.waits for line in shown.lines) and not acts_last_after_waiting(scene),
        last=acts_last_after_waiting(scene),
        hint=timeline_hint(scene),
        held=Markdown(" ".join(map(say, held))),
        due=_turn_end(scene.state, shown) if on_turn else None,
        foot=Markdown(_foot(game, shown.place, held)),
        scene=played.title if played is not None else "",
        lines=None,
    )


def _foot(game: Game, place: str, held: Sequence[Text]) -> str:
    """Return whom the place waits for, in small lines.

    Checks that hold the turn have a line of their own, and are left out.
    """
    told = [str(line.params["check"]) for line in held if "check" in line.params]
    lines = [say(Text("board-waits", asdict(group))) for group in board_groups(game, place, told)]
    return "\n".join(f"-# {line}" for line in lines)


def _turn_end(state: TableState, shown: Board) -> int | None:
    """Return when the clock ends the present turn; None where it doesn't."""
    waits = waits_of_turn(state, shown.place)
    return next((wait.due for wait in waits if wait.ends_turn), None)


def acts_last_after_waiting(scene: Scene) -> bool:
    """Return whether a delayed character acts after all others in these rules."""
    turns = read_only_game(scene.state).system.turns
    return turns is not None and turns.waits_last is not None


def last_deed_text(event: CheckChanged) -> str:
    """Return the link text of a check: `Marek attacks the hooded man`, `Marek's check`."""
    deed = deed_text(event)
    if not deed or (event.actor is not None and deed == ref_text(event.actor)):
        deed = say(Text("board-check", {"who": Markdown(deed or SOMEBODY)}))
    return _BRACKET.sub(lambda match: "(" if match[1] == "[" else ")", deed)


# --- buttons --------------------------------------------------------------------------------------


def _rows(shown: Board, scene: Scene) -> Rows:
    """Return the buttons of the board.

    None of them betrays a character whom players don't know: an NPC's turn has the usual ones.
    """
    at = board_id_prefix(scene.table_id, shown.place, shown.round, shown.turn)
    join = Button(f"{at}join", label_text("button-join"))
    commands = _command_buttons(scene, shown.place) if shown.lines else ()
    if not shown.round:
        # Begin is the next step once a character is in the order.
        style: Style = "primary" if shown.lines else "secondary"
        begin = Button(f"{at}next", label_text("button-begin"), style)
        return ((begin, join, Button(f"{at}party", label_text("button-add-all")), *commands),)
    # The last button opens a list for GMs alone. Players see it too, with or without NPCs there.
    moves = Button(f"sg:moves:{scene.table_id}", label_text("button-my-moves"))
    more = (moves, join, *commands, Button(f"{at}npcs", label_text("button-npcs")))
    turns = () if shown.opening else turn_buttons(at, scene, timeline=shown.timeline)
    return button_rows((*turns, *more), BUTTONS_PER_ROW)


def _command_buttons(scene: Scene, place: str) -> tuple[Button, ...]:
    """Return the buttons of the system's own commands for initiative."""
    game, encounter = read_only_game(scene.state), encounter_in(scene.state, place)
    if game.system.turns is None or encounter is None:
        return ()
    commands = game.system.turns.board_commands(game, encounter)
    base = f"sg:own:{scene.table_id}"
    return tuple(Button(f"{base}:{name}", say(title)) for name, title in commands)


def turn_rows(encounter: AnyEncounter, scene: Scene) -> Rows:
    """Return the buttons of the present turn as a GM sees them."""
    at = turn_id_prefix(scene, encounter)
    return button_rows(
        turn_buttons(at, scene, timeline=encounter.timeline, gm=True), BUTTONS_PER_ROW
    )


def turn_id_prefix(scene: Scene, encounter: AnyEncounter) -> str:
    """Return the `board_id_prefix` of the present turn."""
    now = known_round(scene.state, encounter), turn_number(encounter)
    return board_id_prefix(scene.table_id, encounter.place, *now)


def turn_buttons(
    at: str, scene: Scene, *, timeline: bool, likely: int | None = None, gm: bool = False
) -> tuple[Button, ...]:
    """Return what the character on turn can do; `at` is the beginning of the ids.

    The `likely` button stands out, counted from either end. Only a `gm` sees what an NPC is
    offered.
    """
    busy = _occupying_check(at, scene)
    if busy is not None:
        opens = Button(react_id(scene.table_id, busy), label_text("open-check", check=busy))
        ends = [Button(f"{at}{key}", name) for key, name in _PASS[-1:]]
        return (opens.replace(style="primary"), *ends)
    verbs = _offered_checks(at, scene, gm=gm)
    verbs += _IDLE if timeline else _PASS
    outstanding = None if likely is None else verbs[likely]
    buttons: list[Button] = []
    for verb in verbs:
        key, name = verb
        style: Style = "primary" if verb == outstanding else "secondary"
        buttons.append(Button(f"{at}{key}", name, style))
    return tuple(buttons)


def _offered_checks(at: str, scene: Scene, *, gm: bool) -> list[tuple[str, str]]:
    """Return the kinds of check that the character on turn is offered, with their labels.

    Of a block, these are the kinds that any of its characters is offered.
    """
    game, place = read_only_game(scene.state), at.split(":")[3]
    characters: list[AnyCharacter] = []
    for slot in block_of(scene.state, encounter_in(scene.state, place)):
        # What an NPC can do is a secret.
        if slot.character is not None:
            character = game.character(slot.character)
            if character.owner is not None or gm:
                characters.append(character)
    offers: list[tuple[str, str]] = []
    for kind, button in start_buttons(game.system, "turn").items():
        offered = button.offered
        if offered is None or any(offered(game, character) for character in characters):
            offers.append((kind, say(button.label)))
    return offers


def _occupying_check(at: str, scene: Scene) -> str | None:
    """Return the check that takes the whole turn of the character on turn; None for none."""
    game, place = read_only_game(scene.state), at.split(":")[3]
    encounter, turns = encounter_in(scene.state, place), game.system.turns
    slot = slot_on_turn(encounter)
    if turns is None or slot is None or slot.character is None:
        return None
    return turns.occupied(game, game.character(slot.character))


# --- messages about steps -------------------------------------------------------------------------


def private_board_card(shown: Board, scene: Scene, *, gm: bool = False) -> Layout:
    """Return the board for one reader, without buttons: those belong to the board itself."""
    audience = GMS if gm else EVERYONE
    return without_controls(board_card(shown, scene, audience=audience)).replace(accent="own")


def fate_lines(lines: Iterable[Text]) -> tuple[Text, ...]:
    """Return who has died or fallen by what the lines tell, for the head of their message."""
    fates = (line.params.get("fate") for line in lines)
    return tuple(fate for fate in fates if isinstance(fate, Text))


def step_card(event: BoardChanged, scene: Scene) -> Layout:
    """Return the message about a step of initiative, or the call of the character on turn."""
    if event.calls:
        return _turn_call(event, scene)
    bullet = "- " if len(event.lines) > 1 and event.step != "begun" else ""
    lines = [f"{bullet}{say(line)}" for line in event.lines]
    accent: Accent = "gm" if event.step == "stalled" else "waiting"
    rows = _step_rows(event, scene)
    fates = fate_lines(event.lines)
    left = tuple(Markdown(_name(member.name)) for member in event.block if not member.done)
    more: dict[str, Any] = {"fates": fates, "left": left}
    code = f"board-{event.step}"
    if event.block and event.step in ("delayed", "lapsed"):
        code, more = "board-time-up", more | _lapsed_names(event)
    message = card(accent, code, None, *lines, about=event, rows=rows, **more)
    called = event_mentions(event, scene)
    if event.step != "stalled" or not called.text:
        return message
    head = phrase("board-stalled", about=event).split("\n")[0]
    call = clip(f"{called.text}: {head}", CONTENT)
    return message.replace(call=call, mentions=called.users, role_mentions=called.roles)


def _lapsed_names(event: BoardChanged) -> dict[str, Any]:
    """Return the characters of a block whose time ran out: who delay, and whose turns are over."""
    waiting = tuple(Markdown(_name(member.name)) for member in event.block if member.waits)
    over = tuple(Markdown(_name(member.name)) for member in event.block if not member.waits)
    return {"waiting": waiting, "over": over, "both": bool(waiting and over)}


def _step_rows(event: BoardChanged, scene: Scene) -> Rows:
    """Return the buttons of the message about a step."""
    if event.step == "delayed" and not acts_last_after_waiting(scene):
        at = board_id_prefix(scene.table_id, event.place, event.round, event.turn)
        # The button of several characters acts for the character of the player who presses it.
        delayed = ""
        if event.characters and not event.block:
            delayed = f":{event.characters[0]}"
        return ((Button(f"{at}back{delayed}", label_text("button-act-now")),),)
    if event.step == "joined":
        commands = _command_buttons(scene, event.place)[:1]
        return (commands,) if commands else ()
    if event.step == "held":
        checks = [str(line.params["check"]) for line in event.lines if "check" in line.params]
        return open_check_rows(scene.table_id, checks, gm=not event.player)
    if event.step == "spent":
        deck = system_deck(read_only_game(scene.state))
        return () if deck is None else ((pool_button(scene.table_id, deck.id),),)
    return ()


def _turn_call(event: BoardChanged, scene: Scene) -> Layout:
    """Return whose turn it is and how things stand.

    It's an ordinary message, because the notification of a layout is empty.
    """
    called = event_mentions(event, scene)
    head, how, *more = _turn_lines(event, scene)
    # The fallen come before the turn that follows.
    fallen = [say(line) for line in event.news if "fate" in line.params]
    news = [say(line) for line in event.news if "fate" not in line.params]
    whom = f"{called.text}: " if called.text else ""
    call = "\n".join([*fallen, f"{whom}**{head}** {how}".strip(), *news, *more])
    at = board_id_prefix(scene.table_id, event.place, event.round, event.turn)
    row = turn_buttons(at, scene, timeline=event.timeline, likely=-1 if event.spent else 0)
    if event.more_time:
        row = (*row, Button(f"{at}more", label_text("button-more-time")))
    rows = rows_of(even_rows(row))
    return Layout("open", rows, call=call, mentions=called.users, role_mentions=called.roles)


def private_turn_card(event: BoardChanged, scene: Scene, *, still: bool = False) -> Layout:
    """Return whose turn it is for one reader.

    It has buttons while it's `still` the reader's turn, and for GMs in a turn that only they see.
    """
    hidden = not event.audience.is_open
    at = board_id_prefix(scene.table_id, event.place, event.round, event.turn)
    likely = -1 if event.spent else None
    buttons = turn_buttons(at, scene, timeline=event.timeline, likely=likely, gm=hidden)
    rows = even_rows(buttons) if hidden or still else ()
    head, how, *_ = _turn_lines(event.replace(player=False), scene)
    return build_layout("gm" if hidden else "own", head.rstrip("."), how, rows=rows)


def _block_lines(event: BoardChanged, scene: Scene) -> list[str]:
    """Return whose turns it is in any order, who has ended theirs, and how the others stand."""
    left: list[Markdown] = []
    done: list[Markdown] = []
    waiting: list[Markdown] = []
    health: list[Markdown] = []
    absent: dict[str, list[Markdown]] = {}
    for member in event.block:
        name = Markdown(_name(member.name))
        if member.done or member.waits:
            (done if member.done else waiting).append(name)
            continue
        left.append(name)
        state = _health_text(member.lines, _BLOCK_HEALTH_LENGTH)
        if state:
            health.append(Markdown(phrase("block-health", name=name, health=state)))
        if member.away is not None:
            absent.setdefault(member.away, []).append(name)
    in_block = [member.who for member in event.block]
    waiting += _delayed_names(event, scene, in_block)
    gone: list[Markdown] = []
    for player, names in absent.items():
        away = Markdown(scene.names.name(player))
        gone.append(Markdown(phrase("block-away", names=tuple(names), gone=away)))
    head, how = phrase(
        "board-block",
        about=event,
        left=tuple(left),
        done=tuple(done),
        waiting=tuple(waiting),
        health=tuple(health),
        gone=tuple(gone),
    ).split("\n")
    return [with_capital(head), how]


def _delayed_names(
    event: BoardChanged, scene: Scene, besides: Collection[str] = ()
) -> list[Markdown]:
    """Return the public names of those who still delay in what may be the round's last turn.

    It may be if no later turn is known to players. There are none on a timeline, where delayed
    characters act last anyway, and for a turn that is over. Characters in *besides* are left out.
    """
    state = scene.state
    encounter = encounter_in(state, event.place)
    if encounter is None or event.timeline or turn_number(encounter) != event.turn:
        return []
    if acts_last_after_waiting(scene):
        return []
    block = block_of(state, encounter)
    for slot in encounter.order[encounter.turn + 1 :]:
        if not slot.delayed and not is_hidden(state, slot) and not is_member(slot, block):
            return []
    names: list[Markdown] = []
    for slot in encounter.order:
        if slot.delayed and slot.character not in besides and not is_hidden(state, slot):
            names.append(Markdown(_name(slot_name(state, slot))))
    return names


def _turn_lines(event: BoardChanged, scene: Scene) -> list[str]:
    """Return whose turn it is, how things stand, and on a timeline how a player begins."""
    if event.block:
        return _block_lines(event, scene)
    health = _health_text(event.lines, _HEALTH_LENGTH)
    gone = None if event.away is None else Markdown(scene.names.name(event.away))
    about = event.replace(player=event.player and gone is None)
    waiting = tuple(_delayed_names(event, scene))
    head, how = phrase("board-turn", about=about, health=health, gone=gone, waiting=waiting).split(
        "\n"
    )
    lines = [with_capital(head), how]
    hint = timeline_hint(scene) if event.timeline else ""
    if hint:
        lines.append(hint)
    return lines
