"""Parties that a check awaits, and the calls that are over."""

from __future__ import annotations

from typing import Any

from bot.services.check_calls import awaited_parties, is_still_called, replaces_call
from bot.storage.row_records import AwaitedParty
from rules.table.events import CheckChanged, PromptView, StepKind
from rules.table.state import SYSTEM

Parties = tuple[AwaitedParty, ...]

ANN = PromptView("react", 1, people=("p2",))
BEN = PromptView("react", 1, people=("p3",))
BOTH = PromptView("react", 1, people=("p2", "p3"))
GMS = PromptView("answer", 2, gms=True)


def parties(*asked: PromptView, step: StepKind = "begun", **fields: Any) -> Parties:
    """Return the parties of a check at a step with these prompts."""
    event = CheckChanged(
        check="c1", kind="check", place="200", step=step, by=SYSTEM, asked=asked, **fields
    )
    return awaited_parties(event)


def test_parties_have_their_prompts_and_their_calls() -> None:
    own = PromptView("own", 4, people=("p2",))
    react = (("react", 1),)
    assert parties(BOTH, GMS, own, ping=("p3",)) == (
        AwaitedParty("p2", (*react, ("own", 4))),
        AwaitedParty("p3", react, "first"),
        AwaitedParty(None, (("answer", 2),)),
    )
    assert parties(ping=("p2",), ping_gms=True, step="stalled") == (
        AwaitedParty("p2", (), "again"),
        AwaitedParty(None, (), "again"),
    )
    assert parties() == ()


def test_a_call_stands_while_a_called_party_is_asked_the_same() -> None:
    call = parties(BOTH, GMS, ping=("p2", "p3"))
    assert is_still_called(call, call)
    assert is_still_called(call, parties(BEN))
    assert not is_still_called(call, parties(GMS))
    assert not is_still_called(call, parties(ANN.replace(number=2))), "a revised check asks anew"
    of_gms = parties(GMS, ping_gms=True)
    assert is_still_called(of_gms, parties(GMS, BOTH))
    assert not is_still_called(of_gms, parties(BOTH))


def test_a_reminder_alone_ends_no_earlier_call() -> None:
    """Its users may not want to be reminded: then the earlier call stays."""
    call = parties(BOTH, ping=("p2", "p3"))
    reminder = parties(BOTH, ping=("p2", "p3"), step="reminded")
    assert is_still_called(call, reminder)
    assert replaces_call(reminder, call), "but once it's sent, it takes the call's place"


def test_a_new_call_replaces_an_old_one_unless_an_awaited_party_would_lose_its_call() -> None:
    old = parties(BOTH, GMS, ping=("p2", "p3"))
    assert replaces_call(parties(BOTH, ping=("p2", "p3")), old)
    assert replaces_call(parties(BEN, ping=("p3",)), old), "Ann has answered"
    assert not replaces_call(parties(BOTH, ping=("p3",)), old)
    of_gms = parties(GMS, ping_gms=True)
    assert not replaces_call(parties(GMS, ANN, ping=("p2",)), of_gms)
    assert replaces_call(parties(ANN, ping=("p2",)), of_gms)
