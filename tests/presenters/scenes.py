"""A small table of EBB, and what is seen of what happens at it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from bot.presenters.controls import Button, Card, Picture, Select
from bot.presenters.check import check_card
from bot.presenters.layout import (
    Beside,
    Body,
    Head,
    Heading,
    Layout,
    Quoted,
    Small,
    controls_of,
    plain,
)
from bot.presenters.render import to_messages
from rules.core.rng import Scripted
from rules.systems.ebb.sheet import Ability, EbbSheet, Injury
from rules.table.actions import Action, Actor, Answer, Propose, Roll
from rules.table.events import ChallengeChanged, Event
from rules.table.state import Character, Person, Settings, TableState
from tests.builders import resolve
from tests.presenters.fitting import check_card as check_embed

GM = Actor("p1")
ANA = Actor("p2")
BO = Actor("p3")
BY: dict[str, Any] = {"place": "100", "at": 1_000_000}
IDEA = "I climb the drainpipe and swing in through the window."
#: A difficulty that can come from nowhere else.
CANARY = 9137


class People:
    """Names as messages show them."""

    def __init__(self, known: dict[str, int] | None = None) -> None:
        self.known = {"p1": 11, "p2": 22, "p3": 33} if known is None else known

    def mention(self, participant: str) -> str:
        user = self.user_id(participant)
        return "somebody who is no longer here" if user is None else f"<@{user}>"

    def user_id(self, participant: str) -> int | None:
        return self.known.get(participant)

    def name(self, participant: str) -> str:
        return {"p1": "Gil", "p2": "Ana", "p3": "Bo"}.get(participant, "Storyguide")


NAMES = People()
SHEET = EbbSheet(
    role="Scout",
    country="Ukraine",
    description="Has seen too much.",
    fate=3,
    abilities=(
        Ability("Climbing", "Fitness", 6),
        Ability("Running", "Fitness", 6),
        Ability("Brawl", "Fitness", 4),
        Ability("Spotting", "Alertness", 8),
        Ability("First aid", "Education", 6),
    ),
    drawbacks=("Afraid of the dark", "Owes money", "Loud", "Proud", "Old"),
    injuries=(Injury("a deep cut", "left arm", "serious"),),
    sacrificed=(("Alertness", 1),),
    equipment=("rope",),
)


def table(**settings: Any) -> TableState:
    """GM p1; Ana (p2) plays Pilgrim; Warden is the GM's own."""
    return TableState(
        Settings("The Zone", "ebb", ("p1",), **settings),
        people={"p2": Person("p2", active="k1")},
        characters={
            "k1": Character("k1", "Pilgrim", "p2", SHEET),
            "k2": Character("k2", "Warden", None, replace(SHEET, fate=0), stage="off"),
        },
    )


def do(state: TableState, action: Action, faces: Iterable[int] = ()) -> tuple[TableState, tuple[Event, ...]]:
    outcome = resolve(state, action, Scripted(faces))
    return outcome.state, outcome.events


def propose(state: TableState, **changes: Any) -> tuple[TableState, tuple[Event, ...]]:
    options: dict[str, Any] = {"skill": "Climbing", "attribute": "Fitness", "approach": IDEA}
    return do(state, Propose(who=ANA, **BY, **(options | changes)))


def answer(state: TableState, kind: Any = "roll", **changes: Any) -> tuple[TableState, tuple[Event, ...]]:
    options: dict[str, Any] = {"difficulty": "Difficult"} if kind == "roll" else {}
    action = Answer(who=GM, **BY, challenge="c1", revision=1, kind=kind, **(options | changes))
    return do(state, action)


def answered(state: TableState, **changes: Any) -> TableState:
    """A proposal of Ana's that the GM lets her roll."""
    return answer(propose(state)[0], **changes)[0]


def roll(state: TableState, *faces: int) -> tuple[TableState, tuple[Event, ...]]:
    return do(state, Roll(who=ANA, **BY, challenge="c1", revision=2), faces)


def card_of(event: Event, **changes: Any) -> Card:
    assert isinstance(event, ChallengeChanged)
    options: dict[str, Any] = {"table_id": 7, "gms": ("p1",), "gm_roles": (), "seq": 14}
    return check_card(event, NAMES, **(options | changes))


def everything(card: Card | Layout) -> str:
    """All text of a card, the line that calls included."""
    if isinstance(card, Layout):
        return "\n".join((card.call, plain(card)))
    fields = "\n".join(f"{field.name}\n{field.value}" for field in card.fields)
    return "\n".join((card.call, card.title, card.body, fields, card.footer))


def title(card: Card | Layout) -> str:
    """What stands above a card."""
    if isinstance(card, Card):
        return card.title
    return next((each.text for each in card.pieces if isinstance(each, Head)), "")


def body(card: Card | Layout) -> str:
    """What a card says between its head and its small print, in Markdown."""
    if isinstance(card, Card):
        return card.body
    found: list[str] = []
    for piece in card.pieces:
        match piece:
            case Heading(text):
                found.append(f"**{text}**")
            case Body(text) | Beside(text):
                found.append(text)
            case Quoted(text):
                found.append("> " + text.replace("\n", "\n> "))
            case _:
                pass
    return "\n".join(found)


def small(card: Layout) -> str:
    """Its small print."""
    return "\n".join(each.text for each in card.pieces if isinstance(each, Small))


def pictures(card: Layout) -> list[Picture]:
    return [each for each in card.pieces if isinstance(each, Picture)]


def picture(card: Layout) -> Picture:
    """Its only picture."""
    (found,) = pictures(card)
    return found


def controls(card: Card | Layout) -> list[Button | Select]:
    if isinstance(card, Layout):
        return list(controls_of(card))
    return [control for row in card.rows for control in row]


def check(card: Card | Layout) -> None:
    """Discord would take it: ValueError where not."""
    if isinstance(card, Card):
        check_embed(card)
    assert to_messages(card)


def labels(card: Card | Layout) -> list[str]:
    return [getattr(control, "label", "") for control in controls(card)]


def ids(card: Card | Layout) -> list[str]:
    return [control.id for control in controls(card)]
