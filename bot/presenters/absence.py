"""Buttons and messages about players who are away, and about the words they leave."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from bot.presenters.board import turn_id_prefix
from bot.presenters.catalog_cards import card
from bot.presenters.controls import Button, Rows, back_button, even_rows, moves_button, react_id
from bot.presenters.language.limits import BUTTON_LABEL, clip
from bot.presenters.language.text import listing
from bot.presenters.language.words import label_text
from bot.presenters.layout import Layout
from bot.presenters.npc import bare_name
from bot.presenters.scene import Scene
from bot.presenters.seats import open_buttons
from rules.table.events import Notice
from rules.table.initiative import encounter_in, turn_number
from rules.table.state import AnyCharacter, AnyEncounter, Slot

#: Codes of notices that an absence has begun.
_AWAY: Final = ("arranged-away", "arranged-treated-away")


def absence_rows(event: Notice, scene: Scene) -> Rows:
    """Return the buttons of a notice about a player who is away; none for any other notice."""
    if event.what in _AWAY:  # the button works for the absent player alone
        return ((back_button(scene.table_id),),)
    if event.what == "missed-in-a-row":
        return (_missed_buttons(event, scene),)
    if event.what == "player-left-server":
        who = str(event.params["who"])
        buttons = (_act_button(scene, "-", who, event.characters),)
        return even_rows([*buttons, *open_buttons(scene, event.characters)])
    if event.what == "words-left":
        return (_words_buttons(event, scene),)
    return ()


def _absent_id(scene: Scene, place: str, person: str, verb: str) -> str:
    return f"sg:absent:{scene.table_id}:{place}:{person}:{verb}"


def _act_button(scene: Scene, place: str, person: str, characters: Iterable[str]) -> Button:
    """Return the button with which a GM acts for an absent player's characters."""
    known = (scene.state.characters.get(who) for who in characters)
    names = listing(bare_name(character, gm=True) for character in known if character is not None)
    label = clip(label_text("absence-act", name=names), BUTTON_LABEL)
    return Button(_absent_id(scene, place, person, "act"), label)


def _missed_buttons(event: Notice, scene: Scene) -> tuple[Button, ...]:
    """Return a GM's choices about a player who has missed deadlines."""
    place, person = str(event.params["place"]), str(event.params["who"])
    treat = Button(
        _absent_id(scene, place, person, "treat"), label_text("absence-treat"), "primary"
    )
    wait = Button(_absent_id(scene, place, person, "wait"), label_text("absence-wait"))
    return treat, _act_button(scene, place, person, event.characters), wait


def _words_buttons(event: Notice, scene: Scene) -> tuple[Button, ...]:
    """Return a GM's choices about a turn or prompt of an absent player's character."""
    place, check, who = str(event.params["place"]), str(event.params["check"]), event.characters[0]
    wait = Button(_absent_id(scene, place, event.by, "wait"), label_text("absence-wait"))
    if check:
        label = clip(label_text("words-answer", name=event.params["name"]), BUTTON_LABEL)
        return Button(react_id(scene.table_id, check), label, "primary"), wait
    take = Button(f"sg:words:{scene.table_id}:{place}:{who}", label_text("words-take"), "primary")
    encounter = encounter_in(scene.state, place)
    if encounter is None or turn_number(encounter) != event.params["turn"]:
        return take, wait
    end = Button(f"{turn_id_prefix(scene, encounter)}next", label_text("words-end"))
    return take, end, wait


def acting_card(
    scene: Scene, person: str, characters: Iterable[AnyCharacter], place: str
) -> Layout:
    """Return how a GM goes on for an absent player's characters.

    A character whose turn the clock has delayed can act now.
    """
    own, encounter = tuple(characters), encounter_in(scene.state, place)
    buttons = [moves_button(scene.table_id)]
    for character in own:
        slot = None if encounter is None else _slot_of(encounter, character.id)
        if slot is not None and slot.delayed:
            name = bare_name(character, gm=True)
            label = clip(label_text("absence-return", name=name), BUTTON_LABEL)
            id = _absent_id(scene, place, person, f"back.{character.id}")
            buttons.append(Button(id, label, "primary"))
    names = tuple(bare_name(character, gm=True) for character in own)
    return card("gm", "acts-for", scene.names, rows=even_rows(buttons[:5]), who=person, names=names)


def _slot_of(encounter: AnyEncounter, who: str) -> Slot | None:
    """Return the slot of a character in an encounter; None without one."""
    return next((slot for slot in encounter.order if slot.character == who), None)


def waiting_card(scene: Scene, person: str) -> Layout:
    """Return the answer to a GM who keeps waiting for a player."""
    return card("gm", "keeps-waiting", scene.names, who=person)
