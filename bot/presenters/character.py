"""Cards about characters: the sheet, who is there, and what happens to somebody."""

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
from bot.presenters.setting_changes import only_change
from rules.registry import read_only_game
from rules.table.absence import orders_of
from rules.table.actions import Actor
from rules.table.blocks import Group, Text
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


def _approval(table_id: int, character: str, shown: AnyCharacter | None = None) -> Rows:
    """Buttons below a call, or below the sheet that is `shown`: as it stands there it is let in."""
    base = f"sg:appr:{table_id}:{character}"
    back = Button(f"{base}:back", label_text("approve-send-back"))
    if shown is not None:
        return (
            (
                Button(f"{base}:ok:{option_token(repr(shown))}", label_text("approve"), "primary"),
                back,
            ),
        )
    return (
        (
            Button(f"{base}:show", label_text("approve-show"), "primary"),
            Button(f"{base}:ok", label_text("approve")),
            back,
        ),
    )


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
    """Each line with its state, then what the GM said about those that are refused."""
    told = [phrase("approval-line", words=line.words, state=line.state) for line in lines]
    found: list[Piece] = [Body("\n".join(told))] if told else []
    for line in lines:
        if line.state == "refused" and line.note:
            found += [Body(phrase("approval-note", words=line.words)), *quote_pieces(line.note)]
    return found


def _line_rows(table_id: int, character: str, lines: Sequence[ApprovalLine]) -> Rows:
    """Buttons for one line, or a menu of several: what a GM can do with each."""
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
    """A page of a sheet: for its player, whose `own` it is, for whoever answers for them, and for
    the GMs.

    The first has how they are and what goes up and down beside their picture, then a line for each
    group of traits. Lives as `sg:sheet:<table>:<character>:<verb>`, where a verb is a kind of check
    or `edit`; `sg:page:<table>: <character>` is the menu of pages.
    """
    game = read_only_game(scene.state)
    pages = [("0", Text("sheet-first"), sheet_pieces(game, character)), *_pages(game, character)]
    page = next((each for each in pages if each[0] == shown), pages[0])
    pieces = [*page[2]] if page is pages[0] else [Head(shown_name(character, gm=True)), *page[2]]
    answered = bool(orders_of(scene.state, character.id).delegated)
    whose = phrase("sheet-whose", scene.names, owner=character.owner, answered=answered)
    pieces += [Gap(), SmallPrint(whose)]
    if told := _open_facts(game, character):
        pieces.append(
            SmallPrint(say(Text("sheet-open-facts", {"facts": Markdown(", ".join(told))})))
        )
    rows: list[tuple[Control, ...]] = []
    if gm and not character.approved and not character.retired:
        lines = game.sheets.approvals(game, character.sheet)
        rows += _line_rows(scene.table_id, character.id, lines)
        rows += _approval(scene.table_id, character.id, character)
    elif not character.retired and (own or gm):
        base = f"sg:sheet:{scene.table_id}:{character.id}"
        buttons: list[Control] = []
        if own and character.in_play:
            for kind, start in start_buttons(game.system, "sheet").items():
                buttons.append(Button(f"{base}:{kind}", say(start.label)))
        rows.append((*buttons, Button(f"{base}:edit", label_text("button-edit"))))
    if len(pages) > 1:
        control = f"sg:page:{scene.table_id}:{character.id}"
        titles = [(key, say_bare(title)) for key, title, _ in pages]
        rows.append(
            (menu(control, label_text("sheet-page"), titles, page[0], label_text("sheet-page")),)
        )
    return Layout("own" if character.owner is not None else "gm", (*pieces, *rows_of(tuple(rows))))


def _pages(game: Game, character: AnyCharacter) -> list[tuple[str, Text, list[Piece]]]:
    """The pages behind the first: their keys, titles, and what stands there."""
    found = [(title, block_pieces(blocks)) for title, blocks in game.sheets.pages(game, character)]
    if character.notes:
        told: list[Piece] = [
            Heading(say(Text("sheet-notes"))),
            Body(user_text(character.notes, lines=True)),
        ]
        found.append((Text("sheet-notes"), told))
    return [(str(number), title, pieces) for number, (title, pieces) in enumerate(found, 1)]


def sheet_pieces(game: Game, character: AnyCharacter) -> list[Piece]:
    """The first page: beside the picture what changes in play, then all else."""
    blocks = [*game.sheets.describe(game, character)]
    groups = ((place, each) for place, each in enumerate(blocks) if isinstance(each, Group))
    first = next(
        (at for at, each in groups if each.title is not None or len(each.rows) > 1), len(blocks)
    )
    how, *more = [sentence(say(line)) for line in game.sheets.health(game, character, True)]
    below = "\n".join(block_lines(blocks[first:]))
    more = [each for each in more if each.removesuffix(".") not in below]
    told = [
        f"## {shown_name(character, gm=True)}",
        "" if character.approved else _WAITS,
        _RETIRED if character.retired else "",
        *block_lines(blocks[:first]),
        f"**Health:** {how}",
        *more,
        say(stage_line(character)) if character.owner is None else "",
    ]
    picture = Portrait(character.portrait or "emblem.png")
    if not character.portrait:
        picture = picture.replace(drawing=Drawing(emblem, (character.name,)))
    pieces: list[Piece] = [Section("\n".join(filter(None, told)), picture)]
    if character.sent_back:
        pieces += [
            Body(say(Text("sheet-changes-asked"))),
            QuotedText(quoted_text(character.sent_back)),
        ]
    return [*pieces, *approval_pieces(game, character), *block_pieces(blocks[first:])]


def sheet_preview(game: Game, character: AnyCharacter, *, whole: bool = True) -> tuple[Piece, ...]:
    """As much of a sheet as one message holds: a panel stays one. To choose by, its first page is
    enough.
    """
    blocks = [*game.sheets.describe(game, character)]
    for _, more in game.sheets.pages(game, character) if whole else ():
        blocks += more
    texts = split_pages(block_lines(blocks), BODY - 600) or [""]
    text = texts[0] + ("\n…" if texts[1:] else "")
    return (Section(text, Portrait(character.portrait)) if character.portrait else Body(text),)


def export_card(character: AnyCharacter, data: dict[str, object]) -> Layout:
    file = json_file(character.name, "character", "", as_json(data))
    return card("own", "character-file", None, attachment=file, name=character.name)


def character_lines(
    state: TableState, names: Names, *, who: str, gm: bool, active: str | None
) -> list[str]:
    """Characters with their players. Those out of play or not let in are only for who may know.

    Of NPCs, players see whom they know, by the name they know, and how they are.
    """
    lines: list[str] = []
    game = read_only_game(state)
    for each in sorted(
        state.characters.values(), key=lambda each: bare_name(each, gm=gm).casefold()
    ):
        known = gm or each.owner == who
        if not known and (each.stage == "off" or each.retired or not each.approved):
            continue
        facts = "" if each.owner else health_text(state, each, gm=gm)
        told = {
            "known": Markdown(shown_name(each, gm=gm)),
            "whose": Markdown("NPC" if each.owner is None else names.mention(each.owner)),
            "facts": Markdown(f"{stage_text(each)}; {facts}" if facts and gm else facts),
            "points": Markdown(", ".join(_open_facts(game, each))),
        }
        lines.append(phrase("character-line", about=each, active=each.id == active, **told))
    return lines or [say(Text("characters-none"))]


def _open_facts(game: Game, character: AnyCharacter) -> list[str]:
    """Return what everybody sees of a character: points, cards, and when it wants to be asked."""
    found = [say(each) for each in open_points(game, character)]
    orders = orders_of(game.state, character.id)
    if character.owner is not None and (orders.ask_results or orders.ask_rounds):
        told = {"results": orders.ask_results, "rounds": orders.ask_rounds}
        found.append(say(Text("asks-to-be-asked", told)))
    return found


def characters_card(scene: Scene, game: Game) -> Layout:
    """Who is at the table, with a menu of those whose sheets the actor may look at
    (`sg:look:<table>`).
    """
    state, actor = game.state, game.actor
    gm, active = is_gm(state, actor), state.person(actor.id).active
    lines = character_lines(state, scene.names, who=actor.id, gm=gm, active=active)
    there = [(each.id, bare_name(each, gm=gm)) for each in viewable_characters(game)]
    rows: Rows = ((menu(f"sg:look:{scene.table_id}", "Open a sheet", there),),) if there else ()
    if not any(each.owner == actor.id for each in state.characters.values()):
        rows += ((create_button(scene.table_id),),)
    return build_layout("own", say(Text("characters-title")), *lines, rows=rows)


def use_card(scene: Scene, actor: Actor) -> Layout:
    """Return the card of a player's main character, with a menu to change it (`sg:use:<table>`).

    Raises as `acting_character` if the player has no character.
    """
    state = scene.state
    mine = playable_characters(state, actor) or (acting_character(state, actor, None),)
    active = state.person(actor.id).active
    there = {each.id: bare_name(each, gm=True) for each in mine}
    title, what = label_text("main-character-yours"), label_text("main-character")
    rows = ((menu(f"sg:use:{scene.table_id}", title, there.items(), active, what),),)
    return card("own", "character-use", None, rows=rows, now=there.get(active or ""))


def give_card(
    scene: Scene, mine: Sequence[AnyCharacter], chosen: AnyCharacter | None, *, gm: bool
) -> Layout:
    """Hands a character over: a menu of one's own, then of people
    (`sg:give:<table>:<who|to|npc>:<character>`).
    """
    base, rows = f"sg:give:{scene.table_id}", list[tuple[Control, ...]]()
    if len(mine) > 1:
        there = [(each.id, bare_name(each, gm=True)) for each in mine]
        rows.append(
            (
                menu(
                    f"{base}:who",
                    label_text("give-character"),
                    there,
                    chosen and chosen.id,
                    label_text("give-character"),
                ),
            )
        )
    if chosen is not None:
        rows.append((Select(f"{base}:to:{chosen.id}", label_text("give-player"), kind="user"),))
        if gm and chosen.owner is not None:
            rows.append((Button(f"{base}:npc:{chosen.id}", label_text("give-npc")),))
    name, owner = (chosen.name, chosen.owner) if chosen is not None else ("", None)
    return card("own", "character-give", scene.names, rows=tuple(rows), name=name, owner=owner)


def growth_card(scene: Scene, character: AnyCharacter) -> Layout:
    """Everything that can be raised now, with its price, and what there is to pay with."""
    game, id = read_only_game(scene.state), f"sg:rise:{scene.table_id}:{character.id}"
    kinds, sheet = [each for each in game.system.resources if each.grows], character.sheet
    # Of several kinds only those that are there: two zeros would tell nothing.
    have = [f"{resource_text(each.key)}: {each.of(sheet)}" for each in kinds if each.of(sheet)]
    have = have or [f"{resource_text(each.key)}: 0" for each in kinds[:1]]
    found = game.system.advances(game, character)
    menus: list[tuple[Select, ...]] = []
    for at in range(0, min(len(found), SELECT_OPTIONS * (ROWS - 1)), SELECT_OPTIONS):
        # What has another price by now is another step.
        page = [(option_token(repr(each)), say_bare(each.label)) for each in found[at:]]
        title = phrase("growth-more" if at else "growth-choose", page=at // SELECT_OPTIONS + 1)
        menus.append((menu(f"{id}:{at}", title, page),))
    return card(
        "own", "growth", None, *have, name=character.name, rows=tuple(menus), empty=not found
    )


#: Whoever has a character by these can play.
_PLAYABLE_NOTICES: Final = (
    "character-imported",
    "character-approved",
    "character-given",
    "character-returned",
)


def notice_parts(event: Notice) -> Sequence[str | Piece]:
    """What changed, as it stands in the card of a notice."""
    match event.what:
        case "character-approved" | "character-sent-back":
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
        case "settings-changed" if only_change(event) is not None:
            changed, *rest = event.lines
            does = changed.params["does"]
            return [say(line) for line in (does, *rest) if isinstance(line, Text)]
        case "settings-changed":
            return [f"- {say(line)}" for line in event.lines]
        case _:
            return line_pieces(event.lines)


def notice_rows(event: Notice, scene: Scene) -> Rows:
    """What can be done with a character of which is told: by the GMs with one that waits, by
    players with a new one.
    """
    table_id = scene.table_id
    if event.what == "character-waits":
        there = scene.state.characters.get(event.characters[0])
        waits = there is not None and not there.approved
        game = read_only_game(scene.state)
        lines = game.sheets.approvals(game, there.sheet) if there is not None and waits else ()
        return (
            *_line_rows(table_id, event.characters[0], lines),
            *_approval(table_id, event.characters[0]),
        )
    if (
        event.what in _PLAYABLE_NOTICES
        and event.audience.everyone
        and event.params["owner"] is not None
    ):
        sheet = Button(f"sg:page:{table_id}:{event.characters[0]}", label_text("sheet-open"))
        return ((try_button(table_id), sheet),)
    return ()
