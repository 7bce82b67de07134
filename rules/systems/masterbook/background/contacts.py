"""`/mb background contact`: help from a contact, which a GM grants (MB-BG-22)."""

from __future__ import annotations

from functools import partial
from typing import Final, Literal

from rules.systems.masterbook.background.completions import WHO_FIELD, contacts_of, option_choices
from rules.systems.masterbook.background.matters import (
    MATTER_FIELD,
    matter_text,
    request_events,
    requests,
)
from rules.systems.masterbook.background.state import (
    NAME_MOST,
    Matter,
    find_option,
    option_name,
    own_or_known,
    postpone,
    require_matter,
    require_new_matter,
    with_matter,
    without_matter,
)
from rules.systems.masterbook.character.sheet import option_effects
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.action_economy import ref
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, Audience, Block, Note, Quote, Text
from rules.table.check import Values
from rules.table.commands import ButtonQuestion
from rules.table.deeds import Deed
from rules.table.events import Reported
from rules.table.forms.fields import Option, Pick, Typed
from rules.table.forms.form import Form
from rules.table.forms.typed_texts import one_line
from rules.table.outcome import Outcome
from rules.table.permissions import require_gm
from rules.table.system import Game

COMMAND: Final = "background contact"
_ANSWERS: Final = ("agrees", "refuses", "later")
_ASKS_MOST: Final = 300


class AskContact(Action, kw_only=True):
    """Ask the GM for a contact's help, or answer a player who asks."""

    #: Name of the contact; empty for the only one.
    contact: str = ""
    asks: str = ""
    #: Character who asks; empty for the main character.
    character: str = ""
    #: Number of the request that a GM answers.
    matter: int | None = None
    answer: Literal["", "agrees", "refuses", "later"] = ""
    #: Words of the GM.
    note: str = ""


def ask_contact(game: Game, action: AskContact) -> Outcome:
    """Ask the GM for a contact's help, or answer a player who asks.

    Raises as `own_or_known` and `find_option`; for an answer NotPermitted("gm-only") and as
    `require_matter`.
    """
    if action.matter is not None:
        return _answer(game, action, action.matter)
    who = own_or_known(game, action.character or None)
    contacts = option_effects(who.sheet).contacts
    contact = find_option(contacts, action.contact or None, field="contact", name=who.name)
    asks = one_line("asks", action.asks, _ASKS_MOST)
    asked = Matter(0, "contact", who.id, option_name(contact))
    require_new_matter(game, asked)
    game, matter = with_matter(game, asked)
    blocks: list[Block] = [Note(Text("mb-contact-rule", {"column": contact.column}), FOR_EVERYONE)]
    if asks:
        blocks.insert(0, Quote(asks, game.actor.id, FOR_EVERYONE))
    return Outcome(game.state, request_events(game, who, matter, COMMAND, *blocks))


def _answer(game: Game, action: AskContact, number: int) -> Outcome:
    """Carry out a GM's answer and tell the player; `later` keeps the request."""
    require_gm(game.state, game.actor)
    matter = require_matter(game, number)
    who, answer = game.character(matter.who), action.answer or _ANSWERS[0]
    if answer == "later":
        game = postpone(game, matter.number)
    else:
        game = without_matter(game, matter.number)
    about = {"who": ref(who), "contact": matter.option, "answer": answer}
    note = one_line("note", action.note, _ASKS_MOST)
    blocks = (Quote(note, game.actor.id, FOR_EVERYONE),) if note else ()
    people = () if who.owner is None else (who.owner,)
    event = Reported(
        audience=Audience(gms=True, people=people),
        title=Text("mb-contact-answers", about),
        blocks=blocks,
        by=game.actor.id,
    )
    return Outcome(game.state, (event,))


_CONTACT: Final = Typed("contact", most=NAME_MOST, choices=option_choices(contacts_of))
_ASKS: Final = Typed("asks", most=_ASKS_MOST)
_ANSWER: Final = Pick(
    "answer",
    choices=tuple(Option(how, Text("mb-contact-answer", {"how": how})) for how in _ANSWERS),
)
_NOTE: Final = Typed("note", most=_ASKS_MOST)
_FIELDS: Final = (_CONTACT, _ASKS, WHO_FIELD)
_ASK: Final = Deed(
    COMMAND, AskContact, ask_contact, (*_FIELDS, MATTER_FIELD, _ANSWER, _NOTE), openly=False
)


def _ask(game: Game, said: Values) -> ButtonQuestion:
    """Ask a GM for the answer to a request. Raises as `require_matter`."""
    require_gm(game.state, game.actor)
    matter = require_matter(game, said[MATTER_FIELD.key])
    return ButtonQuestion(
        Form((_ANSWER.replace(needed=True), _NOTE)),
        matter.who,
        matter_text(game, matter),
        lambda values: Text("mb-background-answer", {"kind": "contact"}),
    )


DEEDS: Final = (_ASK,)
COMMANDS: Final = (
    command(
        COMMAND,
        _ASK.run,
        *_FIELDS,
        pressed=Form((MATTER_FIELD,)),
        asks=_ask,
        waits=partial(requests, kind="contact"),
    ),
)
