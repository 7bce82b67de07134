"""Cards for what is kept about a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.presenters.character import character_text
from bot.presenters.controls import Attachment, Button
from bot.presenters.layout import Layout, laid
from bot.presenters.scene import Scene
from bot.presenters.text import listing, name_text, plural
from rules.table.events import PersonForgotten

_NOTHING: Final = "Nothing is kept about you at the tables of this server."
_STAYS: Final = (
    "What stands in the channels stays: Discord keeps that, and only there can it be deleted. "
    "Copies that whoever runs this bot has made of the database go when those are replaced."
)


def own_data_card(content: bytes, tables: Sequence[str]) -> Layout:
    """One's own data as a file."""
    if not tables:
        return nothing_kept_card()
    where = listing(name_text(name) for name in tables)
    body = f"Who you are, your characters and what you did at: {where}. Discord ids are not in it."
    return laid("own", "What is kept about you", body, attachment=Attachment("my-data.json", content))


def nothing_kept_card() -> Layout:
    """Nobody knows this person here."""
    return laid("own", "Nothing is kept about you", _NOTHING)


def forget_card(tables: Sequence[str], characters: Sequence[str], led: Sequence[str]) -> Layout:
    """The question before one's data goes."""
    lines = [
        f"**Tables:** {listing(name_text(name) for name in tables)}.",
        "Your name and your Discord id are deleted there, and what you typed: proposals, notes, reasons.",
        f"**Your characters** become the GMs': {listing(character_text(name) for name in characters) or 'none'}.",
        "Your proposals that nobody has rolled are withdrawn. Nothing done before can be taken back any more, "
        "by anybody, and the journal cannot be replayed.",
        _STAYS,
    ]
    if led:
        names = listing(name_text(name) for name in led)
        lines.insert(
            3, f"**You lead** {names} no more. Without another GM somebody has to use `/gm takeover`."
        )
    buttons = (Button("sg:forget:yes", "Delete it", "danger"), Button("sg:forget:no", "Do not"))
    return laid(
        "own",
        "Delete what is kept about you?",
        *lines,
        small="This cannot be taken back. /privacy export gives you your data first.",
        rows=(buttons,),
    )


def forgotten_card(tables: int) -> Layout:
    """It is done."""
    if not tables:
        return nothing_kept_card()
    return laid("own", "Deleted", f"You are forgotten at {plural(tables, 'table')}. {_STAYS}")


def not_forgotten_card() -> Layout:
    """The person has thought better of it."""
    return laid("waiting", "Not deleted", "Nothing has changed.")


def person_forgotten_card(event: PersonForgotten, scene: Scene) -> Layout:
    """What the others are told: not who, but what becomes of the story."""
    lines = ["Somebody has left and had their data deleted. Nothing done before this can be taken back."]
    if event.characters:
        names = listing(character_text(name) for name in event.characters)
        lines.append(f"The GMs have {names} now; `/character give` hands them on.")
    if event.led:
        rest = scene.state.settings.gms or scene.state.settings.gm_roles
        lines.append(
            "They led this table; the other GMs go on."
            if rest
            else "They were its only GM: somebody who manages the server can lead it with `/gm takeover`."
        )
    return laid("waiting", "Somebody has left", *lines)
