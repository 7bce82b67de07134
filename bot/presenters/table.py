"""Messages about a table: what it plays, its people and channels, and its last results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bot.presenters.catalog_cards import card
from bot.presenters.character import character_lines
from bot.presenters.control_limits import menu
from bot.presenters.controls import (
    Button,
    Select,
    create_button,
    gm_channel_rows,
    moves_button,
)
from bot.presenters.deputies import deputy_lines
from bot.presenters.fair_dice import STREAMS
from bot.presenters.language.limits import clip
from bot.presenters.language.text import Markdown, code_text, listing, unescape, user_text
from bot.presenters.language.words import label_text, phrase, say
from bot.presenters.layout import Body, Gap, Head, Heading, Layout, Piece, QuotedText, Section
from bot.presenters.scene import Scene
from bot.presenters.seats import seat_pieces
from bot.presenters.settings_panel import (
    change_button,
    pace_buttons,
    pace_meanings,
    setting_meaning,
)
from rules.registry import SYSTEMS
from rules.table.actions import Actor
from rules.table.blocks import Text
from rules.table.events import Notice
from rules.table.gm_office import deputies
from rules.table.settings.pace import BY_POST, pace_text
from rules.table.settings.table_settings import setting_value, settings_form
from rules.table.state import Settings
from rules.table.system import System

#: Most letters of a quote in a list of results.
_QUOTE_LENGTH: Final = 60

#: Published fingerprints of the seeds by stream ("public", "secret").
Commitments = Mapping[str, str]


# --- the table ------------------------------------------------------------------------------------


def table_card(
    scene: Scene,
    places: Sequence[str],
    *,
    who: Actor,
    gm: bool,
    now: Sequence[str] = (),
    checks: Sequence[str | Piece] = (),
) -> Layout:
    """Return the table for /table show: who leads it, and which characters and checks there are.

    `sg:table:<table>:settings` shows the rest. `now` says where the story stands, `checks` are the
    open ones. NPCs are for GMs only.
    """
    state, names, settings = scene.state, scene.names, scene.state.settings
    lines: list[str | Piece] = [*character_lines(state, names, who=who.id, gm=gm, active=None)]
    lines += seat_pieces(scene, who.id)
    if checks:
        lines += [Heading(say(Text("table-open-checks"))), *checks]
    if now:
        lines += [Heading(say(Text("table-story"))), *now]
    buttons = [Button(f"sg:table:{scene.table_id}:settings", label_text("table-settings"))]
    if not gm and not any(character.owner == who.id for character in state.characters.values()):
        buttons.insert(0, create_button(scene.table_id))
    system = SYSTEMS[settings.system]
    about = {
        "plays": system.name,
        "places": tuple(places),
        "deputies": _deputy_names(scene),
        "several": len(deputies(state)) > 1,
        "pace": pace_text(settings, settings_form(system)),
    }
    rows = (tuple(buttons),)
    return card("own", "table", names, *lines, about=settings, rows=rows, **about)


def _deputy_names(scene: Scene) -> Markdown | None:
    """Return the GMs' deputies as a list; None if there are none."""
    mentions = [scene.names.mention(who) for who in deputies(scene.state)]
    return Markdown(listing(mentions)) if mentions else None


def settings_card(scene: Scene, *, gm: bool) -> Layout:
    """Return the settings of a table for every reader, and the fingerprints of its seeds.

    A GM has a button to change them.
    """
    settings = scene.state.settings
    agreed = [*_settings_lines(settings), Gap(), *_commitment_lines(scene.commitments)]
    change = (change_button(scene.table_id),) if gm else ()
    rows = ((*change, Button(f"sg:table:{scene.table_id}:there", label_text("turn-back"))),)
    return card("own", "table-agreed", None, *agreed, about=settings, rows=rows)


def _settings_lines(settings: Settings) -> list[str]:
    form = settings_form(SYSTEMS[settings.system])
    lines = [say(pace_text(settings, form))]
    for field in form.fields:
        if field.key != "name":
            lines.append(f"- {setting_meaning(field.key, setting_value(settings, field))}")
    lines.append(f"- {setting_meaning('gm_place', settings.gm_place)}")
    return lines


def _commitment_lines(commitments: Commitments) -> list[str]:
    if not commitments:
        return []
    lines = [phrase("fingerprints")]
    for key, fingerprint in commitments.items():
        stream = STREAMS.get(key, user_text(key))
        lines.append(f"- {stream}: {code_text(fingerprint)}")
    return lines


def new_table_parts(event: Notice, commitments: Commitments) -> list[str | Piece]:
    """Return where a new table's GMs get secrets, and the fingerprints of its seeds."""
    gm_place = event.params["gm_place"]
    place = [] if gm_place is None else [setting_meaning("gm_place", gm_place)]
    # Apart from the list above, which would take the next line for its own.
    return [*place, Gap(), *_commitment_lines(commitments)]


def system_choice_card(playable: Mapping[str, System], pace: str = BY_POST) -> Layout:
    """Return the menu that asks for a new table's pace and rules.

    `sg:setup:<system>:<pace>` opens the table, `sg:setup:-:<pace>` chooses the pace.
    """
    buttons = tuple(
        Button(f"sg:setup:{key}:{pace}", system.name) for key, system in playable.items()
    )
    paces = pace_buttons("sg:setup:-", pace)
    says = Markdown("\n".join([say(Text("pace-question")), *pace_meanings(steps=True)]))
    return card("own", "which-system", None, rows=(paces, buttons), says=says)


# --- GMs ------------------------------------------------------------------------------------------


def members_card(scene: Scene, *, gm: bool) -> Layout:
    """Return who leads the table, for GMs with controls: `sg:gms:<table>:<add|add_role|remove>`."""
    settings, names = scene.state.settings, scene.names
    lines = [f"- {names.mention(person)}" for person in settings.gms]
    lines += [say(Text("gms-role", {"role": str(role)})) for role in settings.gm_roles]
    lines += deputy_lines(scene)
    if not gm:
        return card("own", "members", names, *lines)
    base = f"sg:gms:{scene.table_id}"
    entries = [(person, unescape(names.name(person))) for person in settings.gms]
    for number, role in enumerate(settings.gm_roles, 1):
        entries.append((f"@{role}", label_text("gms-role-number", number=number)))
    rows = (
        (Select(f"{base}:add", label_text("gms-add"), kind="user"),),
        (Select(f"{base}:add_role", label_text("gms-add-role"), kind="role"),),
        (menu(f"{base}:remove", label_text("gms-remove"), entries),),
    )
    return card("gm", "members", names, *lines, rows=rows)


def gm_channel_card(table_id: int, now: str | None = None, *, declined: bool = False) -> Layout:
    """Return the question where secrets go; `now` is the present channel."""
    if declined:
        meaning = Markdown(setting_meaning("gm_place", None))
        return card("gm", "no-gm-channel", None, meaning=meaning)
    rows = gm_channel_rows(table_id)
    present = now and Markdown(setting_meaning("gm_place", now))
    return card("gm", "gm-channel", None, rows=rows, now=present)


# --- results --------------------------------------------------------------------------------------


def last_results_card(table_id: int, results: Sequence[tuple[int, Sequence[Layout]]]) -> Layout:
    """Return the last results, each in a few lines with the button that shows all of it.

    `results` are the numbers of entries with their messages.
    """
    rows = _result_sections(table_id, results)
    return card("own", "last-results", None, *rows, count=len(rows))


def absence_card(
    table_id: int, results: Sequence[tuple[int, Sequence[Layout]]], since: int
) -> Layout:
    """Return what happened to a player's characters during an absence.

    `results` are the numbers of entries with their messages. `since` is in seconds since 1970.
    """
    rows = _result_sections(table_id, results)
    onward = ((moves_button(table_id),),)
    return card("own", "absence-told", None, *rows, rows=onward, count=len(rows), since=since)


def _result_sections(
    table_id: int, results: Sequence[tuple[int, Sequence[Layout]]]
) -> list[Section]:
    sections: list[Section] = []
    for seq, messages in results:
        button = Button(f"sg:last:{table_id}:{seq}", f"Show #{seq}")
        sections.append(Section("\n".join(map(_result_summary, messages)), button))
    return sections


def _result_summary(result: Layout) -> str:
    """Return a result in a few lines: its head, whose it is, what the player wrote, the dice."""
    heads = [f"**{piece.text}**" for piece in result.pieces if isinstance(piece, Head)]
    lines: list[str] = []
    quotes: list[str] = []
    for piece in result.pieces:
        if isinstance(piece, Body) and piece.text.strip():
            lines += piece.text.split("\n")
        elif isinstance(piece, QuotedText):
            quotes.append(f"“{clip(piece.text, _QUOTE_LENGTH)}”")
    rolls = [line for line in lines if " = **" in line]
    lead = [line for line in lines[:1] if line not in rolls]
    deed = ": ".join([*lead, *quotes[:1]])
    return "\n".join([*heads, *([deed] if lead or quotes else []), *rolls])
