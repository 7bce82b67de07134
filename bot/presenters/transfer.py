"""Cards for tables as files: going out, what a file would bring, and what it has brought."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Final

from bot.presenters.character import character_text
from bot.presenters.controls import Attachment, Button, Control, Option, Select
from bot.presenters.layout import Layout, laid
from bot.presenters.limits import OPTION_TEXT, SELECT_OPTIONS, clip
from bot.presenters.scene import Scene
from bot.presenters.systems import SYSTEM_WORDS
from bot.presenters.text import bare_text, listing, name_text, plural, user_text
from bot.presenters.words import say
from rules.registry import get_system
from rules.table.events import Line, TableImported
from rules.table.state import AnyCharacter, TableState
from rules.table.transfer import Plan

_UNSAFE: Final = re.compile(r"[^a-z0-9]+")
#: How many names of characters are told.
_NAMED: Final = 30

_WHAT: Final[dict[str, str]] = {
    "full": (
        "Everything a GM may see: keep it from the players. `/gm import` fills an empty table from it, or opens "
        "a new one in a channel without a table; "
        "what is under way and the journal are only there to be read."
    ),
    "players": (
        "What every player may know, and nothing else: the file can be handed to them. "
        "It holds no sheets, so it cannot be imported."
    ),
}


def exported_card(state: TableState, what: str, content: bytes) -> Layout:
    """A table as a file; of one that can be imported also what does not go along with it."""
    name = state.settings.name
    safe = _UNSAFE.sub("-", name.casefold()).strip("-") or "table"
    file = Attachment(f"{safe[:60]}-{what}.json", content)
    text = f"{_WHAT[what]} No dice seeds are in it."
    left = _left_behind(state) if what == "full" else ()
    if left:
        text += (
            f"\n**Not brought in by `/gm import`:** {listing(left)}. Finish that first where it matters; "
            "this table keeps it."
        )
    return laid("gm", f"{name_text(name)} as a file", text, attachment=file)


def _left_behind(state: TableState) -> list[str]:
    """What is under way at a table and stays there when it is moved."""
    named = [each.id for each in state.checks.values() if each.open]
    parts = get_system(state.settings.system).parts
    own = sum(key.partition(":")[0] in parts for key in state.own)
    rolls = sum(len(person.rolls) for person in state.people.values())
    counted = (
        (len(named), "open check", "open checks"),
        (len(state.encounters), "order of action", "orders of action"),
        (own, SYSTEM_WORDS[state.settings.system].own_part, None),
        (rolls, "saved roll", None),
        (len(state.decks), "deck in use with its hands", "decks in use with their hands"),
    )
    found = [plural(count, one, many) for count, one, many in counted if count]
    if named:
        found[0] += f" ({', '.join(named)})"
    return found


def campaign_file_card(name: str, lines: Sequence[Line], data: Mapping[str, object]) -> Layout:
    """What a table agreed on in the terms of its system, and the file that `/gm campaign` reads."""
    safe = _UNSAFE.sub("-", name.casefold()).strip("-") or "table"
    text = json.dumps(data, ensure_ascii=False, indent=2) + "\n"
    told = [f"- {say(line)}" for line in lines] or ["- Nothing of its own."]
    hint = (
        "The file says all of it. Change it and attach it to `/gm campaign file:` to agree on something else."
    )
    return laid(
        "gm",
        f"The campaign of {name_text(name)}",
        *told,
        hint,
        attachment=Attachment(f"{safe[:60]}-campaign.json", text.encode("utf-8", "replace")),
    )


def _named(names: Sequence[str]) -> str:
    shown = [character_text(name) for name in names[:_NAMED]]
    if len(names) > _NAMED:
        shown.append(f"{len(names) - _NAMED} more")
    return listing(shown)


def import_card(
    draft: str,
    plan: Plan,
    people: Mapping[str, str],
    matches: Mapping[str, str],
    chosen: Sequence[str],
    *,
    new: bool = False,
) -> Layout:
    """What a file would bring, and whose the characters would be; `new` where a table is opened for it.

    `people` names the owners of the file, `matches` those of them who have a namesake here (as a mention),
    `chosen` are the owners who were confirmed.
    """
    name = f"**{name_text(plan.settings.name)}**"
    lines = [f"The table becomes {name}, with the settings of the file."]
    if new:
        system = get_system(plan.settings.system).name
        lines = [
            f"{name} is opened in this channel ({system}), with the settings of the file; you become its GM."
        ]
    own = [each.name for each in plan.characters if each.owner is None]
    if own:
        lines.append(f"**NPCs:** {plural(len(own), 'character')}")
    for owner in plan.owners:
        theirs = [each.name for each in plan.characters if each.owner == owner]
        who = name_text(people.get(owner, owner))
        to = f"to {matches[owner]}" if owner in chosen else "to the GMs, who can give them on"
        lines.append(f"**{who}'s:** {_named(theirs)} · {to}")
    if plan.decks:
        lines.append(f"**Decks of cards:** {listing(user_text(deck.name) for deck in plan.decks)}")
    if matches:
        lines.append("Somebody here has the same name as an owner. Choose whose characters go to them.")
    lines.append("`/character give` hands characters on later.")
    rows: tuple[tuple[Control, ...], ...] = ()
    if matches:
        rows = ((_menu(draft, plan, people, list(matches)[:SELECT_OPTIONS], chosen),),)
    buttons = (
        Button(f"sg:imp:{draft}:go", "Open it" if new else "Bring it in", "success"),
        Button(f"sg:imp:{draft}:drop", "Do not"),
    )
    title = "Open a table from this file?" if new else "Bring this table in?"
    return laid("gm", title, *lines, rows=(*rows, buttons))


def _menu(
    draft: str, plan: Plan, people: Mapping[str, str], owners: Sequence[str], chosen: Sequence[str]
) -> Select:
    options = tuple(
        Option(
            owner,
            clip(bare_text(people.get(owner, owner)), OPTION_TEXT) or owner,
            clip(_of(plan.characters, owner), OPTION_TEXT),
            owner in chosen,
        )
        for owner in owners
    )
    return Select(f"sg:imp:{draft}:who", "Who gets their characters back", options, 0, len(options))


def _of(characters: Sequence[AnyCharacter], owner: str) -> str:
    return ", ".join(bare_text(each.name) for each in characters if each.owner == owner)


def import_dropped_card() -> Layout:
    """The GM has thought better of it."""
    return laid("waiting", "Not brought in", "Nothing has changed.")


def table_imported_card(event: TableImported, scene: Scene) -> Layout:
    """What the file has brought, as far as this audience may know."""
    names = _named(event.characters) or "nobody yet"
    body = f"{scene.names.mention(event.by)} filled this table from a file. In the story: {names}."
    if event.audience.gms:
        return laid("gm", f"{name_text(event.name)}: for the GMs", f"Brought in: {names}.")
    return laid("good", f"{name_text(event.name)} goes on here", body)
