"""Cards for what is kept about a person."""

from __future__ import annotations

from collections.abc import Sequence

from bot.presenters.cards import card
from bot.presenters.controls import Attachment, Button
from bot.presenters.layout import Layout
from bot.presenters.scene import Scene
from rules.table.events import PersonForgotten


def own_data_card(content: bytes, tables: Sequence[str]) -> Layout:
    """One's own data as a file."""
    if not tables:
        return nothing_kept_card()
    return card("own", "own-data", None, attachment=Attachment("my-data.json", content), tables=tuple(tables))


def nothing_kept_card() -> Layout:
    """Nobody knows this person here."""
    return card("own", "nothing-kept", None)


def forget_card(tables: Sequence[str], characters: Sequence[str], led: Sequence[str]) -> Layout:
    """The question before one's data goes."""
    buttons = (Button("sg:forget:yes", "Delete my data", "danger"), Button("sg:forget:no", "Cancel"))
    return card(
        "own",
        "forget",
        None,
        rows=(buttons,),
        tables=tuple(tables),
        characters=tuple(characters),
        led=tuple(led),
    )


def forgotten_card(tables: int) -> Layout:
    """It is done."""
    return card("own", "forgotten", None, tables=tables) if tables else nothing_kept_card()


def not_forgotten_card() -> Layout:
    """The person has thought better of it."""
    return card("waiting", "not-forgotten", None)


def person_forgotten_card(event: PersonForgotten, scene: Scene) -> Layout:
    """What the others are told: not who, but what becomes of the story."""
    rest = scene.state.settings.gms + scene.state.settings.gm_roles
    return card("waiting", "person-forgotten", None, about=event, rest=rest)
