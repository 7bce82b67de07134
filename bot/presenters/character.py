"""Cards about characters: the sheet, who is there, and what happens to somebody."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from bot.presenters.card import Attachment, Button, Card, Input, Modal, Rows
from bot.presenters.names import gm_mentions, people_mentions
from bot.presenters.npc import bare_name, health_text, shown_name, stage_text
from bot.presenters.people import Names
from bot.presenters.text import listing, name_text, quote, sentence, user_text
from bot.presenters.words import say
from rules.table.events import CharacterChanged, CharacterChosen, CharacterImported, Line
from rules.table.people.characters import NOTE_MAX
from rules.table.state import AnyCharacter, TableState

if TYPE_CHECKING:
    from bot.presenters.scene import Scene

_UNSAFE = re.compile(r"[^a-z0-9]+")
_WAITS: Final = "Waits for a GM: until then nobody can act as this character."
_RETIRED: Final = "Retired: out of play until `/character retire` with `back`."


def character_text(name: str) -> str:
    """A character's name in a sentence."""
    return name_text(name)


def owner_text(character: AnyCharacter, names: Names) -> str:
    """Whose character it is."""
    return "the GMs" if character.owner is None else names.mention(character.owner)


# --- the sheet --------------------------------------------------------------------------------------------


def _approval(table_id: int, character: str, *, sheet: bool = True) -> Rows:
    """What a GM can do with a new character."""
    base = f"sg:appr:{table_id}:{character}"
    buttons = [
        Button(f"{base}:ok", "Approve", "success"),
        Button(f"{base}:back", "Send back…", "danger"),
    ]
    if sheet:
        buttons.insert(0, Button(f"{base}:show", "Look at the sheet", "primary"))
    return (tuple(buttons),)


def character_card(
    character: AnyCharacter, lines: Sequence[Line], names: Names, *, table_id: int | None = None
) -> Card:
    """A sheet for its player and the GMs. With `table_id` a GM gets the buttons for one that waits."""
    whose = "An NPC." if character.owner is None else f"Played by {names.mention(character.owner)}."
    body = [whose]
    if not character.approved:
        body.append(_WAITS)
    if character.sent_back:
        body += ["The GM wants this mended first:", quote(character.sent_back)]
    if character.retired:
        body.append(_RETIRED)
    body += map(say, lines)
    if character.notes:
        body += ["**Notes**", user_text(character.notes, lines=True)]
    waits = table_id is not None and not character.approved and not character.retired
    return Card(
        character_text(character.name),
        "\n".join(body),
        footer=character.id,
        portrait=character.portrait,
        rows=_approval(table_id, character.id, sheet=False) if waits and table_id is not None else (),
    )


def export_card(character: AnyCharacter, data: dict[str, object]) -> Card:
    """The character as a file that can be imported."""
    name = _UNSAFE.sub("-", character.name.casefold()).strip("-") or "character"
    text = json.dumps(data, ensure_ascii=False, indent=2) + "\n"
    return Card(
        f"{character_text(character.name)} as a file",
        "`/character import` brings it in again; somebody who has grown needs `grown` at another table.",
        attachment=Attachment(f"{name[:60]}.json", text.encode("utf-8", "replace")),
    )


# --- who is there -----------------------------------------------------------------------------------------


def character_lines(state: TableState, names: Names, *, who: str, gm: bool, active: str | None) -> list[str]:
    """Characters with their players. Those out of play or not let in are only for who may know.

    Of NPCs, players see whom they know, by the name they know, and how they are.
    """
    lines: list[str] = []
    for each in sorted(state.characters.values(), key=lambda each: bare_name(each, gm=gm).casefold()):
        known = gm or each.owner == who
        if not known and (each.stage == "off" or each.retired or not each.approved):
            continue
        line = f"- {shown_name(each, gm=gm)} ({owner_text(each, names)})"
        if each.owner is None:
            facts = [stage_text(each)] if gm else []
            line += f": {'; '.join([*facts, health_text(state, each, gm=gm)])}"
        if each.retired:
            line += ": retired"
        elif not each.approved:
            line += ": sent back by the GM" if each.sent_back else ": waits for the GM"
        elif each.id == active:
            line += f"{':' if each.owner else ';'} the one you act as"
        lines.append(line)
    return lines or ["- Nobody yet. `/character create` makes a character, `/character import` reads one."]


def characters_card(state: TableState, names: Names, *, who: str, gm: bool) -> tuple[Card, ...]:
    """Who is at the table, for /character list; `who` is the participant that asks."""
    lines = character_lines(state, names, who=who, gm=gm, active=state.person(who).active)
    return (Card("Characters at this table", "\n".join(lines)),)


# --- events -----------------------------------------------------------------------------------------------


def imported_card(event: CharacterImported, names: Names) -> Card:
    """A character has come to the table, or has a new sheet."""
    name = character_text(event.name)
    whose = "an NPC" if event.owner is None else f"the character of {names.mention(event.owner)}"
    if event.replaced:
        body = f"The sheet of {name} was replaced by the one imported now. {name} is {whose}."
    else:
        body = f"{name} is at this table now: {whose}."
    return Card(f"{name} · {'new sheet' if event.replaced else 'new at this table'}", body, tone="good")


def chosen_card(event: CharacterChosen) -> Card:
    """Whom a participant acts as."""
    name = character_text(event.name)
    return Card(f"You act as {name}", f"Commands without the option `as` are for {name} from now on.")


def _calling(card: Card, event: CharacterChanged, scene: Scene) -> Card:
    """The card with a line that calls whom the event calls."""
    settings = scene.state.settings
    if event.ping_gms:
        called = gm_mentions(scene.names, settings.gms, settings.gm_roles)
    elif event.ping:
        called = people_mentions(scene.names, event.ping)
    else:
        return card
    return Card(
        card.title,
        card.body,
        tone=card.tone,
        rows=card.rows,
        call=f"{called.text}: {card.title}",
        mentions=called.users,
        role_mentions=called.roles,
    )


def _points(event: CharacterChanged) -> list[str]:
    return [f"- {sentence(say(line))}" for line in event.lines]


def created_card(event: CharacterChanged, scene: Scene) -> Card:
    """A new character waits: for the GMs with what they can do, for its player without."""
    name = character_text(event.name)
    if event.audience.gms:
        player = "somebody" if event.owner is None else scene.names.mention(event.owner)
        card = Card(
            f"{name} would like to join",
            f"{player} brings {name}. Until a GM approves, nobody can act as {name}.",
            tone="waiting",
            rows=_approval(scene.table_id, event.character),
        )
        return _calling(card, event, scene)
    return Card(
        f"{name} waits for the GM",
        f"A GM looks at {name} first; you are told what comes of it. "
        f"Until then nobody can act as {name}, and `/character edit` changes anything on the sheet.",
        tone="waiting",
    )


def approved_card(event: CharacterChanged, scene: Scene) -> Card:
    """A new character is let in."""
    name = character_text(event.name)
    owner = "" if event.owner is None else f": the character of {scene.names.mention(event.owner)}"
    lines = [f"The GM has let {name} in. {name} is at this table now{owner}."]
    if event.note:
        lines.append(quote(event.note))
    return _calling(Card(f"{name} is in", "\n".join(lines), tone="good"), event, scene)


def sent_back_card(event: CharacterChanged, scene: Scene) -> Card:
    """A new character has to be mended first."""
    name = character_text(event.name)
    player = "Its player" if event.owner is None else scene.names.mention(event.owner)
    lines = [
        f"The GM wants something mended before {name} comes in:",
        quote(event.note),
        f"{player} can change the sheet with `/character edit` and send it again.",
    ]
    return _calling(Card(f"{name} is sent back", "\n".join(lines), tone="warning"), event, scene)


def edited_card(event: CharacterChanged, scene: Scene) -> Card:
    """Texts of a sheet have changed."""
    name = character_text(event.name)
    changed = listing(map(say, event.lines)) or "nothing"
    body = f"{scene.names.mention(event.by)} changed: {changed}."
    return Card(f"{name} · sheet changed", body)


def grown_card(event: CharacterChanged, scene: Scene) -> Card:
    """A character has learned something; the part that only its player and the GMs see by itself."""
    name = character_text(event.name)
    lines = _points(event)
    if event.note:
        lines += ["How it came about:", quote(event.note)]
    if not event.audience.everyone and event.owner is not None:
        return Card(f"{name} · only on the sheet", "\n".join(lines), tone="secret")
    what = "learns something new" if event.step == "learned" else "gets better"
    return Card(f"{name} {what}", "\n".join(lines), tone="good")


def given_card(event: CharacterChanged, scene: Scene) -> Card:
    """A character has another player."""
    name = character_text(event.name)
    whose = (
        "belongs to the GMs" if event.owner is None else f"is played by {scene.names.mention(event.owner)}"
    )
    body = f"{scene.names.mention(event.by)} has given {name} away. {name} {whose} now."
    return _calling(Card(f"{name} has changed hands", body), event, scene)


def retired_card(event: CharacterChanged, scene: Scene) -> Card:
    """A character has left the game, or has come back."""
    name = character_text(event.name)
    if event.step == "returned":
        return _calling(Card(f"{name} is back", f"{name} is in play again.", tone="good"), event, scene)
    body = f"{name} is out of play. `/character retire` with `back` brings {name} back."
    return _calling(Card(f"{name} retires", body), event, scene)


def back_modal(table_id: int, character: str) -> Modal:
    """What is to be mended before a character comes in."""
    return Modal(
        f"sg:apprm:{table_id}:{character}",
        "Send the character back",
        (Input("note", "What should be changed?", long=True, most=NOTE_MAX),),
    )
