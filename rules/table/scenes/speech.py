"""Words that characters say in a place: said, edited and deleted by their players and GMs.

The text stands in the events alone. The state keeps who said what, so that only they change it.
"""

from __future__ import annotations

from typing import Final

from rules.core.errors import Impossible, InvalidInput, Outdated
from rules.core.record import Record
from rules.table.actions import EditSaid, Say, Unsay
from rules.table.events import GMS, Said, Unsaid
from rules.table.forms.typed_texts import trimmed_text
from rules.table.lookup import acting_character
from rules.table.outcome import Outcome
from rules.table.permissions import public_name, require_owner
from rules.table.state import AnyCharacter, TableState
from rules.table.system import Game
from rules.table.whispers import cast_players, whisper_at

#: Beginning of the keys of the parts.
SPEECH_KIND: Final = "said"
#: Longest text, in characters. A dialog of Discord takes as many.
TEXT_MAX: Final = 4000
#: Most speeches whose speakers can still edit or delete them. The oldest go first.
SPEECHES_MAX: Final = 500
#: Letters that show nothing.
_BLANKS: Final = "\u115f\u1160\u2800\u3164\uffa0"
#: Beginnings of a text that is said out of character.
_ASIDE_STARTS: Final = ("//", "((")


class Speech(Record):
    """What a participant has said as a character, without the text: the part `said:<id>`."""

    #: Participant who said it.
    by: str
    #: Name of the character as everybody knew it.
    name: str
    place: str
    #: In seconds since 1970.
    at: int
    #: Web address of the character's picture; empty without one.
    portrait: str = ""
    #: The participant's links may show previews.
    embeds: bool = True
    #: The character is an NPC.
    npc: bool = False
    #: Number of times it was edited.
    edits: int = 0
    #: Participants who were told what was said in a whisper scene; None outside of one.
    hears: tuple[str, ...] | None = None
    #: It was deleted. The time is kept for the slow mode of its channel.
    gone: bool = False


def is_aside(text: str) -> bool:
    """Return whether a text is said out of character, as its first signs show."""
    return text.startswith(_ASIDE_STARTS)


def speech_of(state: TableState, said: str) -> Speech | None:
    """Return a speech by its id; None if it is gone."""
    part = state.own.get(f"{SPEECH_KIND}:{said}")
    return part if isinstance(part, Speech) and not part.gone else None


def last_said_at(state: TableState, who: str, place: str) -> int | None:
    """Return when a participant last said something in a place, deleted or not; None for never."""
    times = [
        part.at
        for part in state.own.values()
        if isinstance(part, Speech) and (part.by, part.place) == (who, place)
    ]
    return max(times, default=None)


def without_speeches_of(state: TableState, who: str) -> TableState:
    """Return the table without a participant's speeches."""
    for key, part in state.own.items():
        if isinstance(part, Speech) and part.by == who:
            state = state.with_own(key, None)
    return state


def require_speaker(state: TableState, action: Say) -> AnyCharacter:
    """Return the character as which the actor may speak in the place of the action.

    Raises:
        Impossible("speaking-off"): the table has switched speaking off.
        Impossible("speak-in-gm-channel"): players don't read the GM channel.
        Impossible("speaker-off-stage"): players don't know the character.
        NotPermitted("owner-only"): the character is another participant's.
        RulesError: as `acting_character`.
    """
    if not state.settings.speaking:
        raise Impossible("speaking-off")
    if action.place == state.settings.gm_place:
        raise Impossible("speak-in-gm-channel")
    character = acting_character(state, action.who, action.as_)
    require_owner(state, action.who, character)
    if not public_name(character):
        raise Impossible("speaker-off-stage", name=character.name)
    return character


def say_as(state: TableState, action: Say, game: Game) -> Outcome:
    """Say something as a character. Raises as `require_speaker` and `_words`."""
    character = require_speaker(state, action)
    text = _words(action.text)
    number = state.counters.said + 1
    said, name = f"s{number}", public_name(character)
    portrait = character.portrait if character.stage == "revealed" else ""
    speech = Speech(
        by=action.who.id,
        name=name,
        place=action.place,
        at=action.at,
        portrait=portrait,
        embeds=action.embeds,
        npc=character.owner is None,
    )
    scene = whisper_at(state, action.place)
    if scene is not None:
        speech = speech.replace(hears=cast_players(state, scene, action.at))
    state = state.replace(counters=state.counters.replace(said=number))
    state = _without_oldest(state.with_own(f"{SPEECH_KIND}:{said}", speech))
    event = _said_event(said, speech, text).replace(characters=(character.id,))
    return Outcome(state, (event,))


def edit_said(state: TableState, action: EditSaid, game: Game) -> Outcome:
    """Replace the text of one's own words.

    Raises Impossible("speaking-off"), and as `_own_speech` and `_words`.
    """
    if not state.settings.speaking:
        raise Impossible("speaking-off")
    speech = _own_speech(state, action)
    text = _words(action.text)
    edited = speech.replace(edits=speech.edits + 1)
    event = _said_event(action.said, edited, text).replace(edited=True)
    return Outcome(state.with_own(f"{SPEECH_KIND}:{action.said}", edited), (event,))


def unsay(state: TableState, action: Unsay, game: Game) -> Outcome:
    """Delete one's own words. Only the GMs' log tells of it. Raises as `_own_speech`."""
    speech = _own_speech(state, action)
    event = Unsaid(
        said=action.said,
        name=speech.name,
        place=speech.place,
        entries=action.entries,
        by=action.who.id,
        audience=GMS.replace(people=(action.who.id,)),
        quiet=True,
    )
    gone = Speech(by=speech.by, name="", place=speech.place, at=speech.at, gone=True)
    return Outcome(state.with_own(f"{SPEECH_KIND}:{action.said}", gone), (event,))


def _said_event(said: str, speech: Speech, text: str) -> Said:
    return Said(
        said=said,
        name=speech.name,
        text=text,
        place=speech.place,
        at=speech.at,
        aside=is_aside(text),
        portrait=speech.portrait,
        embeds=speech.embeds,
        npc=speech.npc,
        by=speech.by,
    )


def _own_speech(state: TableState, action: EditSaid | Unsay) -> Speech:
    """Return the actor's own speech.

    Raises Outdated("said-gone") if it is gone or another's: a forged id must not show that another
    participant has said something.
    """
    speech = speech_of(state, action.said)
    if speech is None or speech.by != action.who.id:
        raise Outdated("said-gone")
    return speech


def _words(text: str) -> str:
    """Return a typed text that can be said.

    Raises InvalidInput("nothing-said", "too-long", "unprintable-text").
    """
    clean = trimmed_text("text", text.replace("\r\n", "\n"), TEXT_MAX)
    if not any(map(_is_visible, clean)):
        raise InvalidInput("nothing-said", field="text", value=None)
    if any(_is_control(sign) for sign in clean):
        raise InvalidInput(
            "unprintable-text", field="text", value=clean[:100], fix="remove-control-characters"
        )
    return clean


def _is_visible(sign: str) -> bool:
    return sign.isprintable() and not sign.isspace() and sign not in _BLANKS


def _is_control(sign: str) -> bool:
    return (sign < " " and sign not in "\n\t") or "\x7f" <= sign < "\xa0"


def _without_oldest(state: TableState) -> TableState:
    """Return the table with at most `SPEECHES_MAX` speeches."""
    keys = [key for key, part in state.own.items() if isinstance(part, Speech)]
    for key in keys[: len(keys) - SPEECHES_MAX]:
        state = state.with_own(key, None)
    return state
