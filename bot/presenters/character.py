"""Messages about characters: the sheet, the list of a table, and what happens to a character."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.presenters.blocks import block_lines, block_pieces
from bot.presenters.catalog_cards import as_json, card, json_file, line_pieces, quote_pieces
from bot.presenters.checks import resource_text
from bot.presenters.control_ids import option_token
from bot.presenters.control_limits import menu
from bot.presenters.controls import (
    Button,
    Control,
    Drawing,
    Rows,
    Select,
    create_button,
    try_button,
)
from bot.presenters.corrections import request_rows
from bot.presenters.drawing.emblems import emblem
from bot.presenters.language.limits import (
    BODY,
    BUTTON_LABEL,
    ROWS,
    SELECT_OPTIONS,
    clip_label,
    split_pages,
)
from bot.presenters.language.text import Markdown, Names, quoted_text, sentence, user_text
from bot.presenters.language.words import label_text, phrase, say, say_bare
from bot.presenters.layout import (
    Body,
    Gap,
    Head,
    Heading,
    Layout,
    Piece,
    Portrait,
    QuotedText,
    Section,
    SmallPrint,
    build_layout,
    rows_of,
)
from bot.presenters.npc import bare_name, health_text, shown_name, stage_text
from bot.presenters.scene import Scene
from bot.presenters.seats import seat_rows
from bot.presenters.setting_changes import only_change
from rules.registry import read_only_game
from rules.table.absence import orders_of
from rules.table.actions import Actor
from rules.table.blocks import Block, Group, Text
from rules.table.checks.access import viewable_characters
from rules.table.checks.procedure import start_buttons
from rules.table.events import Notice
from rules.table.lookup import acting_character, playable_characters
from rules.table.people.npcs import stage_line
from rules.table.people.open_points import open_points
from rules.table.permissions import is_gm
from rules.table.state import AnyCharacter, TableState
from rules.table.system import ApprovalLine, Game

_WAITS: Final = say(Text("sheet-waits"))
_RETIRED: Final = say(Text("sheet-retired"))


def _approval_rows(table_id: int, character: str, shown: AnyCharacter | None = None) -> Rows:
    """Return the buttons to approve a character, below a call or below the `shown` sheet.

    Below a sheet the button approves that sheet alone: after a change of it, it's out of date.
    """
    base = f"sg:appr:{table_id}:{character}"
    back = Button(f"{base}:back", label_text("approve-send-back"))
    if shown is not None:
        id = f"{base}:ok:{option_token(repr(shown))}"
        return ((Button(id, label_text("approve"), "primary"), back),)
    show = Button(f"{base}:show", label_text("approve-show"), "primary")
    return ((show, Button(f"{base}:ok", label_text("approve")), back),)


def approval_pieces(game: Game, character: AnyCharacter) -> list[Piece]:
    """Return the lines of a new sheet that need consent one by one, with their states."""
    lines = () if character.approved else game.sheets.approvals(game, character.sheet)
    if not lines:
        return []
    heading = Heading(phrase("approval-lines"))
    return [heading, *_line_pieces(lines)]


def refusal_pieces(game: Game, character: AnyCharacter) -> list[Piece]:
    """Return the lines of a new sheet that the GM refused, for its player to change."""
    lines = () if character.approved else game.sheets.approvals(game, character.sheet)
    return _line_pieces(tuple(line for line in lines if line.state == "refused"))


def _line_pieces(lines: Sequence[ApprovalLine]) -> list[Piece]:
    """Return each line with its state, then the GM's notes on the refused lines."""
    texts = [phrase("approval-line", words=line.words, state=line.state) for line in lines]
    pieces: list[Piece] = [Body("\n".join(texts))] if texts else []
    for line in lines:
        if line.state == "refused" and line.note:
            pieces += [Body(phrase("approval-note", words=line.words)), *quote_pieces(line.note)]
    return pieces


def _line_rows(table_id: int, character: str, lines: Sequence[ApprovalLine]) -> Rows:
    """Return what a GM can do with each line: buttons for one line, a menu for several."""
    base = f"sg:appl:{table_id}:{character}"
    entries: list[tuple[str, str]] = []
    for line in sorted(lines, key=lambda line: line.state != "open"):
        token = option_token(line.id)
        words = say_bare(line.words)
        if line.state != "allowed":
            entries.append((f"allow:{token}", label_text("approval-allow", words=words)))
        if line.state != "refused":
            entries.append((f"refuse:{token}", label_text("approval-refuse", words=words)))
    if not lines:
        return ()
    if len(lines) == 1:
        buttons = [
            Button(f"{base}:{key}", clip_label(label, BUTTON_LABEL)) for key, label in entries
        ]
        return (tuple(buttons),)
    return ((menu(f"{base}:line", label_text("approval-menu"), entries),),)


def sheet_card(
    scene: Scene, character: AnyCharacter, *, own: bool, gm: bool, shown: str = ""
) -> Layout:
    """Return a page of a sheet, for its player (`own`), for a stand-in, and for the GMs.

    The first page has the character's health and points beside the picture, then a line for each
    group of traits. Buttons are `sg:sheet:<table>:<character>:<verb>`, where a verb is a kind of
    check or `edit`; `sg:page:<table>:<character>` is the menu of pages.
    """
    game = read_only_game(scene.state)
    pages = [("0", Text("sheet-first"), sheet_pieces(game, character)), *_pages(game, character)]
    page = next((page for page in pages if page[0] == shown), pages[0])
    key, _, pieces = page
    if page is not pages[0]:
        pieces = [Head(shown_name(character, gm=True)), *pieces]
    answered = bool(orders_of(scene.state, character.id).delegated)
    whose = phrase("sheet-whose", scene.names, owner=character.owner, answered=answered)
    pieces = [*pieces, Gap(), SmallPrint(whose)]
    if facts := _open_facts(game, character):
        line = Text("sheet-open-facts", {"facts": Markdown(", ".join(facts))})
        pieces.append(SmallPrint(say(line)))
    rows = _sheet_rows(game, scene.table_id, character, own=own, gm=gm)
    if len(pages) > 1:
        control = f"sg:page:{scene.table_id}:{character.id}"
        titles = [(page_key, say_bare(title)) for page_key, title, _ in pages]
        label = label_text("sheet-page")
        rows = (*rows, (menu(control, label, titles, key, label),))
    return Layout("own" if character.owner is not None else "gm", (*pieces, *rows_of(rows)))


def _sheet_rows(game: Game, table_id: int, character: AnyCharacter, *, own: bool, gm: bool) -> Rows:
    """Return the buttons of a sheet: to approve it, or to act and to edit it."""
    if character.retired:
        return ()
    if gm and not character.approved:
        lines = game.sheets.approvals(game, character.sheet)
        return (
            *_line_rows(table_id, character.id, lines),
            *_approval_rows(table_id, character.id, character),
        )
    if not own and not gm:
        return ()
    base = f"sg:sheet:{table_id}:{character.id}"
    buttons: list[Control] = []
    if own and character.in_play:
        for kind, start in start_buttons(game.system, "sheet").items():
            buttons.append(Button(f"{base}:{kind}", say(start.label)))
    buttons.append(Button(f"{base}:edit", label_text("button-edit")))
    return (tuple(buttons),)


def _pages(game: Game, character: AnyCharacter) -> list[tuple[str, Text, list[Piece]]]:
    """Return the pages behind the first: their keys, titles, and pieces."""
    pages: list[tuple[Text, list[Piece]]] = []
    for title, blocks in game.sheets.pages(game, character):
        pages.append((title, block_pieces(blocks)))
    if character.notes:
        heading = Heading(say(Text("sheet-notes")))
        notes = Body(user_text(character.notes, lines=True))
        pages.append((Text("sheet-notes"), [heading, notes]))
    return [(str(number), title, pieces) for number, (title, pieces) in enumerate(pages, 1)]


def sheet_pieces(game: Game, character: AnyCharacter) -> list[Piece]:
    """Return the first page: beside the picture what changes in play, then all else."""
    blocks = [*game.sheets.describe(game, character)]
    count = _count_top_blocks(blocks)
    top, rest = blocks[:count], blocks[count:]
    health, *more = [sentence(say(line)) for line in game.sheets.health(game, character, True)]
    below = "\n".join(block_lines(rest))
    lines = [
        f"## {shown_name(character, gm=True)}",
        "" if character.approved else _WAITS,
        _RETIRED if character.retired else "",
        *block_lines(top),
        f"**Health:** {health}",
        *(line for line in more if line.removesuffix(".") not in below),
        say(stage_line(character)) if character.owner is None else "",
    ]
    picture = Portrait(character.portrait or "emblem.png")
    if not character.portrait:
        picture = picture.replace(drawing=Drawing(emblem, (character.name,)))
    pieces: list[Piece] = [Section("\n".join(filter(None, lines)), picture)]
    if character.sent_back:
        pieces += [
            Body(say(Text("sheet-changes-asked"))),
            QuotedText(quoted_text(character.sent_back)),
        ]
    return [*pieces, *approval_pieces(game, character), *block_pieces(rest)]


def _count_top_blocks(blocks: Sequence[Block]) -> int:
    """Return how many blocks stand beside the picture: those before the first group of traits."""
    for at, block in enumerate(blocks):
        if isinstance(block, Group) and (block.title is not None or len(block.rows) > 1):
            return at
    return len(blocks)


def sheet_preview(game: Game, character: AnyCharacter, *, whole: bool = True) -> tuple[Piece, ...]:
    """Return as much of a sheet as one message holds, because a panel stays one message.

    A reader who chooses between sheets needs only the first page of each, not the `whole` sheet.
    """
    blocks = [*game.sheets.describe(game, character)]
    if whole:
        for _, more in game.sheets.pages(game, character):
            blocks += more
    texts = split_pages(block_lines(blocks), BODY - 600) or [""]
    text = texts[0] + ("\n…" if texts[1:] else "")
    return (Section(text, Portrait(character.portrait)) if character.portrait else Body(text),)


def export_card(character: AnyCharacter, data: dict[str, object]) -> Layout:
    """Return a character's file."""
    file = json_file(character.name, "character", "", as_json(data))
    return card("own", "character-file", None, attachment=file, name=character.name)


def character_lines(
    state: TableState, names: Names, *, who: str, gm: bool, active: str | None
) -> list[str]:
    """Return the characters with their players, a line each.

    Only their players and GMs see characters who are retired, off stage or not approved. Players
    see an NPC's health, and the name that they know.
    """
    lines: list[str] = []
    game = read_only_game(state)
    for character in sorted(
        state.characters.values(), key=lambda character: bare_name(character, gm=gm).casefold()
    ):
        visible = character.stage != "off" and not character.retired and character.approved
        if not (visible or gm or character.owner == who):
            continue
        facts = "" if character.owner else health_text(state, character, gm=gm)
        if facts and gm:
            facts = f"{stage_text(character)}; {facts}"
        whose = "NPC" if character.owner is None else names.mention(character.owner)
        about = {
            "known": Markdown(shown_name(character, gm=gm)),
            "whose": Markdown(whose),
            "facts": Markdown(facts),
            "points": Markdown(", ".join(_open_facts(game, character))),
        }
        is_active = character.id == active
        lines.append(phrase("character-line", about=character, active=is_active, **about))
    return lines or [say(Text("characters-none"))]


def _open_facts(game: Game, character: AnyCharacter) -> list[str]:
    """Return what every player sees: points, cards, and when the character's player is asked."""
    facts = [say(line) for line in open_points(game, character)]
    orders = orders_of(game.state, character.id)
    if character.owner is not None and (orders.ask_results or orders.ask_rounds):
        about = {"results": orders.ask_results, "rounds": orders.ask_rounds}
        facts.append(say(Text("asks-to-be-asked", about)))
    return facts


def characters_card(scene: Scene, game: Game) -> Layout:
    """Return the characters of a table, with a menu of the sheets that the actor may view.

    The menu is `sg:look:<table>`.
    """
    state, actor = game.state, game.actor
    gm, active = is_gm(state, actor), state.person(actor.id).active
    lines = character_lines(state, scene.names, who=actor.id, gm=gm, active=active)
    sheets = [
        (character.id, bare_name(character, gm=gm)) for character in viewable_characters(game)
    ]
    rows: Rows = ()
    if sheets:
        rows = ((menu(f"sg:look:{scene.table_id}", "Open a sheet", sheets),),)
    if not any(character.owner == actor.id for character in state.characters.values()):
        rows += ((create_button(scene.table_id),),)
    return build_layout("own", say(Text("characters-title")), *lines, rows=rows)


def use_card(scene: Scene, actor: Actor) -> Layout:
    """Return the card of a player's main character, with a menu to change it (`sg:use:<table>`).

    Raises as `acting_character` if the player has no character.
    """
    state = scene.state
    playable = playable_characters(state, actor) or (acting_character(state, actor, None),)
    active = state.person(actor.id).active
    names = {character.id: bare_name(character, gm=True) for character in playable}
    title, what = label_text("main-character-yours"), label_text("main-character")
    rows = ((menu(f"sg:use:{scene.table_id}", title, names.items(), active, what),),)
    return card("own", "character-use", None, rows=rows, now=names.get(active or ""))


def give_card(
    scene: Scene, own: Sequence[AnyCharacter], chosen: AnyCharacter | None, *, gm: bool
) -> Layout:
    """Return the panel that gives a character to another player.

    It has a menu of the reader's `own` characters, then one of players
    (`sg:give:<table>:<who|to|npc>:<character>`).
    """
    base, rows = f"sg:give:{scene.table_id}", list[tuple[Control, ...]]()
    if len(own) > 1:
        characters = [(character.id, bare_name(character, gm=True)) for character in own]
        label, chosen_id = label_text("give-character"), chosen and chosen.id
        rows.append((menu(f"{base}:who", label, characters, chosen_id, label),))
    if chosen is not None:
        rows.append((Select(f"{base}:to:{chosen.id}", label_text("give-player"), kind="user"),))
        if gm and chosen.owner is not None:
            rows.append((Button(f"{base}:npc:{chosen.id}", label_text("give-npc")),))
    name, owner = (chosen.name, chosen.owner) if chosen is not None else ("", None)
    return card("own", "character-give", scene.names, rows=tuple(rows), name=name, owner=owner)


def growth_card(scene: Scene, character: AnyCharacter) -> Layout:
    """Return everything that can be raised now, with its price, and the points to pay with."""
    game, id = read_only_game(scene.state), f"sg:rise:{scene.table_id}:{character.id}"
    advances = game.system.advances(game, character)
    menus: list[tuple[Select, ...]] = []
    for at in range(0, min(len(advances), SELECT_OPTIONS * (ROWS - 1)), SELECT_OPTIONS):
        # An advance whose price has changed has another token, so an old menu doesn't find it.
        page = [(option_token(repr(advance)), say_bare(advance.label)) for advance in advances[at:]]
        title = phrase("growth-more" if at else "growth-choose", page=at // SELECT_OPTIONS + 1)
        menus.append((menu(f"{id}:{at}", title, page),))
    return card(
        "own",
        "growth",
        None,
        *_growth_points(game, character),
        name=character.name,
        rows=tuple(menus),
        empty=not advances,
    )


def _growth_points(game: Game, character: AnyCharacter) -> list[str]:
    """Return the points that pay for growth; of several kinds only those that are left."""
    kinds = [kind for kind in game.system.resources if kind.grows]
    lines: list[str] = []
    for kind in kinds:
        if points := kind.of(character.sheet):
            lines.append(f"{resource_text(kind.key)}: {points}")
    return lines or [f"{resource_text(kind.key)}: 0" for kind in kinds[:1]]


#: Notices after which a character's player can play.
_PLAYABLE_NOTICES: Final = (
    "character-imported",
    "character-approved",
    "character-given",
    "character-returned",
)


def notice_parts(event: Notice) -> Sequence[str | Piece]:
    """Return what changed, for the message of a notice."""
    match event.what:
        case "character-approved" | "character-sent-back" | "character-seat-notes":
            return quote_pieces(event.note)
        case "line-allowed" | "line-refused":
            return [
                *(f"- {sentence(say(line))}" for line in event.lines),
                *quote_pieces(event.note),
            ]
        case "character-learned" | "character-advanced" | "character-grown":
            why = [say(Text("growth-why")), *quote_pieces(event.note)] if event.note else []
            return [*(f"- {sentence(say(line))}" for line in event.lines), *why]
        case "character-added" | "character-changed" | "character-removed":
            return [say(line) for line in event.lines]
        case "character-revealed":  # the first is its head
            return [say(line) for line in event.lines[1:]]
        case "character-edited":
            return ()
        case "scene-ends" | "scene-summed-up":
            return [*quote_pieces(event.note), *line_pieces(event.lines)]
        case "settings-changed" if only_change(event) is not None:
            changed, *rest = event.lines
            does = changed.params["does"]
            return [say(line) for line in (does, *rest) if isinstance(line, Text)]
        case "settings-changed":
            return [f"- {say(line)}" for line in event.lines]
        case _:
            return line_pieces(event.lines)


def notice_rows(event: Notice, scene: Scene) -> Rows:
    """Return the buttons for the character of a notice.

    GMs can approve a waiting character; players can try a new one.
    """
    table_id = scene.table_id
    if event.what.startswith("character-seat-"):
        return seat_rows(event, scene)
    if event.what.startswith("correction-"):
        return request_rows(event, scene)
    if event.what == "character-waits":
        who = event.characters[0]
        return (*_line_rows(table_id, who, _open_lines(scene, who)), *_approval_rows(table_id, who))
    is_playable = event.what in _PLAYABLE_NOTICES and event.audience.is_open
    if is_playable and event.params["owner"] is not None:
        sheet = Button(f"sg:page:{table_id}:{event.characters[0]}", label_text("sheet-open"))
        return ((try_button(table_id), sheet),)
    return ()


def _open_lines(scene: Scene, who: str) -> Sequence[ApprovalLine]:
    """Return the lines of a waiting character that need consent; none after the approval."""
    character = scene.state.characters.get(who)
    if character is None or character.approved:
        return ()
    game = read_only_game(scene.state)
    return game.sheets.approvals(game, character.sheet)
