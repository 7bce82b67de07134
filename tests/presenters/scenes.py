"""A small table of EBB, and what is seen of what happens at it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bot.presenters.checks import call_card
from bot.presenters.controls import Button, Picture, Select
from bot.presenters.events import event_cards
from bot.presenters.layout import (
    Body,
    Head,
    Heading,
    Layout,
    QuotedText,
    Section,
    SmallPrint,
    controls_of,
    plain_text,
)
from bot.presenters.scene import Scene
from bot.services.gm_journal import JournalEntry
from rules.core.rng import ScriptedRng
from rules.systems.ebb.sheet import Ability, EbbSheet, Injury
from rules.table.actions import Action, Actor, Begin, Choose
from rules.table.check import AnyCheck
from rules.table.checks.available_moves import check_moves
from rules.table.checks.odds import OddsReport, odds_of_check
from rules.table.events import CheckChanged, Event
from rules.table.state import Character, Person, Settings, TableState
from tests.sample_table import open_game, patient, resolve

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
        Settings("The Zone", "ebb", ("p1",), **patient(settings)),
        people={"p2": Person("p2", active="k1")},
        characters={
            "k1": Character("k1", "Pilgrim", "p2", SHEET),
            "k2": Character("k2", "Warden", None, SHEET.replace(fate=0), stage="off"),
        },
    )


def do(
    state: TableState, action: Action, faces: Iterable[int] = ()
) -> tuple[TableState, tuple[Event, ...]]:
    outcome = resolve(state, action, ScriptedRng(faces))
    return outcome.state, outcome.events


def newest(state: TableState) -> AnyCheck:
    """The check begun last."""
    return max(state.checks.values(), key=lambda each: each.number)


def propose(
    state: TableState, who: Actor = ANA, *, kind: str = "check", **changes: Any
) -> tuple[TableState, tuple[Event, ...]]:
    """Something that Ana begins; `visibility`, `gm_only`, `as_` and `target` are no values of its
    form.
    """
    values: dict[str, Any] = {
        "skill": "Climbing",
        "attribute": "Fitness",
        "approach": IDEA,
        **changes,
    }
    more = {
        key: values.pop(key) for key in ("visibility", "gm_only", "as_", "target") if key in values
    }
    given = {key: value for key, value in values.items() if value is not None}
    return do(state, Begin(who=who, **BY, kind=kind, values=given, **more))


def choose(
    state: TableState,
    prompt: str,
    option: str,
    who: Actor = ANA,
    faces: Iterable[int] = (),
    **values: Any,
) -> tuple[TableState, tuple[Event, ...]]:
    """What somebody answers in the newest check, for whomever they may answer; else as if for who
    is asked.
    """
    check = newest(state)
    asked = check.prompt(prompt)
    number = 0 if asked is None else asked.number
    moves = [] if asked is None else check_moves(open_game(state, who, BY["at"]), check)
    named = tuple([move.who for move in moves if move.prompt == prompt][:1])
    named = named or (() if asked is None else (asked.prompt.who or ())[:1])
    action = Choose(
        who=who,
        **BY,
        check=check.id,
        prompt=prompt,
        number=number,
        option=option,
        as_=named,
        values=values,
    )
    return do(state, action, faces)


def answer(
    state: TableState, option: str = "roll", **values: Any
) -> tuple[TableState, tuple[Event, ...]]:
    """What the GM says to the newest check: roll against Difficult."""
    given = {"difficulty": "Difficult", **values} if option == "roll" else values
    return choose(state, "rule", option, GM, **given)


def answered_check(state: TableState, **changes: Any) -> TableState:
    """A proposal of Ana's that the GM lets her roll."""
    return answer(propose(state)[0], **changes)[0]


def roll(state: TableState, *faces: int) -> tuple[TableState, tuple[Event, ...]]:
    return choose(state, "ready", "roll", ANA, faces)


def odds(state: TableState) -> OddsReport:
    """The odds of the newest check, as the GM has ruled it."""
    check = newest(state)
    return odds_of_check(open_game(state, GM, BY["at"]), check.id)


def entry(
    seq: int, actor: str, kind: str, at: int = 1, undone_by: int | None = None
) -> JournalEntry:
    """An entry of the journal."""
    return JournalEntry(seq, 1, seq, f"r{seq}", at, actor, kind, "{}", "[]", 1, 0, False, undone_by)


def scene(state: TableState | None = None) -> Scene:
    return Scene(7, state or table(), NAMES, {})


def card_of(event: Event, *, state: TableState | None = None, **changes: Any) -> Layout:
    """What its audience reads of an event; `changes` are `closed`, `undone_by`, `private`."""
    (card,) = event_cards((event,), scene(state), 14, **changes)
    return card


def call_of(event: Event, state: TableState | None = None) -> Layout:
    """The short message that calls somebody to what has happened."""
    assert isinstance(event, CheckChanged)
    assert event.ping or event.ping_gms
    return call_card(event, scene(state))


def everything(card: Layout) -> str:
    """All text of a card, the line that calls included."""
    return "\n".join((card.call, plain_text(card), *labels(card)))


def title(card: Layout) -> str:
    """What stands above a card."""
    return next((each.text for each in card.pieces if isinstance(each, Head)), "")


def body(card: Layout) -> str:
    """What a card says between its head and its small print, in Markdown."""
    found: list[str] = []
    for piece in card.pieces:
        match piece:
            case Heading(text):
                found.append(f"**{text}**")
            case Body(text) | Section(text):
                found.append(text)
            case QuotedText(text):
                found.append("> " + text.replace("\n", "\n> "))
            case _:
                pass
    return "\n".join(found)


def refusal_text(card: Layout) -> str:
    """A refusal as it is read: its head as the sentence that it is, and what follows."""
    return f"{title(card)}. {body(card)}".strip()


def small(card: Layout) -> str:
    """Its small print."""
    return "\n".join(each.text for each in card.pieces if isinstance(each, SmallPrint))


def pictures(card: Layout) -> list[Picture]:
    return [each for each in card.pieces if isinstance(each, Picture)]


def picture(card: Layout) -> Picture:
    """Its only picture."""
    (found,) = pictures(card)
    return found


def controls(card: Layout) -> list[Button | Select]:
    return list(controls_of(card))


def labels(card: Layout) -> list[str]:
    return [getattr(control, "label", "") for control in controls(card)]


def ids(card: Layout) -> list[str]:
    return [control.id for control in controls(card)]
