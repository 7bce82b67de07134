"""Buttons and messages about players who are away, and about the words they leave."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from bot.presenters.catalog_cards import card
from bot.presenters.controls import (
    Button,
    Rows,
    Select,
    back_button,
    even_rows,
    moves_button,
    react_id,
)
from bot.presenters.language.limits import BUTTON_LABEL, clip
from bot.presenters.language.text import listing
from bot.presenters.language.words import label_text, phrase
from bot.presenters.layout import Layout
from bot.presenters.npc import bare_name
from bot.presenters.scene import Scene
from rules.table.absence import characters_of, missed_deadlines, orders_of
from rules.table.arrangements.words_left import gms_turns
from rules.table.events import Notice
from rules.table.initiative import encounter_in
from rules.table.state import AnyCharacter, AnyEncounter, Slot
from rules.table.system import Game
from rules.table.turns.missed_turns import missing_players

#: Codes of notices that an absence has begun.
_AWAY: Final = ("arranged-away", "arranged-treated-away")


def absence_rows(event: Notice, scene: Scene) -> Rows:
    """Return the buttons of a notice about a player who is away; none for any other notice."""
    if event.what in _AWAY:  # the button works for the absent player alone
        return ((back_button(scene.table_id),),)
    if event.what == "missed-in-a-row":
        return (_missed_buttons(event, scene),)
    if event.what == "player-left-server":
        return (_departure_buttons(event, scene),)
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


def missed_lines(scene: Scene, game: Game) -> list[tuple[str, Button]]:
    """Return a line for each player who has missed deadlines, for a GM who may treat them as away.

    `/moves` shows them, as a table without a channel of the GMs tells of them nowhere else.
    """
    lines: list[tuple[str, Button]] = []
    for person in missing_players(game):
        own = characters_of(scene.state, person)
        if not own:
            continue
        names = tuple(character.name for character in own)
        count = missed_deadlines(scene.state, person)
        text = phrase("missed-to-do", scene.names, who=person, names=names, count=count)
        button = Button(_absent_id(scene, "-", person, "treat"), label_text("absence-treat"))
        lines.append((text, button))
    return lines


def words_lines(scene: Scene, game: Game) -> list[tuple[str, Button]]:
    """Return the words left for each character on turn whom the GMs act for, for a GM."""
    lines: list[tuple[str, Button]] = []
    for place, encounter in scene.state.encounters.items():
        for who in gms_turns(scene.state, encounter):
            character, words = scene.state.characters[who], orders_of(scene.state, who).words
            if not words or character.owner == game.actor.id:
                continue
            said = {"by": character.owner, "name": character.name, "note": words}
            lines.append(
                (phrase("words-for", scene.names, **said), _take_button(scene, place, who))
            )
    return lines


def _take_button(scene: Scene, place: str, who: str) -> Button:
    """Return the button that opens the panel of a check with the words left for a character."""
    id = f"sg:words:{scene.table_id}:{place}:{who}"
    return Button(id, label_text("words-take"), "primary")


def _departure_buttons(event: Notice, scene: Scene) -> tuple[Button, ...]:
    """Return a GM's choices about a player who has left the server.

    Of several characters, each seat is opened by the command.
    """
    person, characters = str(event.params["who"]), event.characters
    act = _act_button(scene, "-", person, characters)
    if len(characters) != 1:
        return (act,)
    seat = f"sg:seat:{scene.table_id}:{characters[0]}:open"
    return act, Button(seat, label_text("seat-open"))


def _words_buttons(event: Notice, scene: Scene) -> tuple[Button, ...]:
    """Return a GM's choices about a turn or prompt of an absent player's character."""
    place, check, who = str(event.params["place"]), str(event.params["check"]), event.characters[0]
    wait = Button(_absent_id(scene, place, event.by, "wait"), label_text("absence-wait"))
    if check:
        label = clip(label_text("words-answer", name=event.params["name"]), BUTTON_LABEL)
        return Button(react_id(scene.table_id, check), label, "primary"), wait
    take = _take_button(scene, place, who)
    verb = f"end.{event.params['turn']}.{who}"
    end = Button(_absent_id(scene, place, event.by, verb), label_text("words-end"))
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


def cover_card(scene: Scene, until: int | None) -> Layout:
    """Return the question who runs a table while its GM is away until a time, or for now.

    `sg:cover:<table>:<pause|deputy|neither>:<end, or 0>` answers it.
    """
    base, end = f"sg:cover:{scene.table_id}", until or 0
    pause = Button(f"{base}:pause:{end}", label_text("cover-pause"), "primary")
    neither = Button(f"{base}:neither:{end}", label_text("cover-neither"))
    deputy = Select(f"{base}:deputy:{end}", label_text("cover-deputy"), kind="user")
    return card("gm", "cover", scene.names, rows=((pause, neither), (deputy,)), until=until)


def no_cover_card() -> Layout:
    """Return the answer to a GM who neither pauses the table nor names a deputy."""
    return card("gm", "no-cover", None)


def waiting_card(scene: Scene, person: str) -> Layout:
    """Return the answer to a GM who keeps waiting for a player."""
    return card("gm", "keeps-waiting", scene.names, who=person)
