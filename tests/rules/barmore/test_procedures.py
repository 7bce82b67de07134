"""The kinds of check as procedures: whatever is done in whatever order, they come out as by the course."""

from __future__ import annotations

import random
from typing import Any

import pytest
from pydantic import TypeAdapter

from bot.storage.codec import check_kinds, part_text
from rules.core.errors import RulesError
from rules.core.rng import KeyedStreams
from rules.registry import look
from rules.systems.barmore.check import MODES
from rules.systems.barmore.procedures import PROCEDURES
from rules.table.actions import (
    Action,
    Actor,
    Adjust,
    AdvanceTime,
    Answer,
    AskBack,
    ChangeSettings,
    Defend,
    Due,
    Join,
    Propose,
    Revise,
    Roll,
    Spend,
    Withdraw,
)
from rules.table.moves import Move, challenge_moves
from rules.table.state import HOUR, SYSTEM, AnyChallenge, Character, TableState
from tests.builders import ANN, BEN, GM, NOON, by, resolve
from tests.rules.barmore.play import SIDOR, sheet, table
from tests.rules.barmore.twin import Twin

CLOCK = Actor(SYSTEM)
SKILLS = (None, "Boats", "Rapier", "Blades", "Swimming", "Medicine", "Knives", "Athletics", "Close Combat")
ATTRIBUTES = (None, None, "Speed", "Body", "Mind", "Wits", "Reaction Time")
#: What asks nothing of a table.
LOOK = look(table())
WORDS = (
    "die: d10-1",
    "die: d6+1",
    "no dice",
    "convert: 1",
    "support: Athletics",
    "halvings: 1",
    "doublings: 2",
    "phases saved: 1",
    "use: Rapier",
    "mental",
    "non-lethal",
)
RULED = ("halvings: 1", "doublings: 1", "factor: 3", "chances: 1")
TOOLS = {
    "attack": ("", "Boathook", "Dread", "Scalpel", "a chair"),
    "treat": ("", "1", "light", "broken heart"),
    "contest": ("", "direct", "indirect"),
    "team": MODES["team"],
}


def _options(chance: random.Random, words: tuple[str, ...], most: int = 2) -> tuple[str, ...]:
    return tuple(chance.sample(words, chance.choice([0, 0, 1, most])))


def _side(chance: random.Random) -> dict[str, Any]:
    return {
        "skill": chance.choice(SKILLS),
        "attribute": chance.choice(ATTRIBUTES),
        "options": _options(chance, WORDS[:9]),
        "approach": chance.choice(["", "with all their might"]),
    }


def proposed(chance: random.Random, at: int) -> Action:
    kind: Any = chance.choice(
        ["check", "check", "attack", "attack", "contest", "team", "treat", "treat", "rest"]
    )
    who = chance.choice([GM, ANN, ANN, BEN])
    named = chance.choice(["Sidor", "Rat", "Spy", "Wolf", "Marek"]) if who == GM else None
    target = chance.choice(
        ["Ilka", "Marek", "Sidor", "Rat", "beast"] if who != ANN else ["Ilka", "Sidor", "Rat", "beast", None]
    )
    if kind == "rest":
        return Propose(
            **by(who, at=at),
            kind=kind,
            approach=chance.choice(["", "by the fire"]),
            as_=named if chance.random() < 0.5 else None,
            target=target,
            visibility=chance.choice(["public", "private"]),
        )
    secret = who == GM and kind == "check" and chance.random() < 0.2
    return Propose(
        **by(who, at=at),
        **_side(chance),
        kind=kind,
        as_=named,
        target=None if kind in ("check", "team") else target,
        tool=chance.choice(TOOLS.get(kind, ("",))),
        difficulty=chance.choice([None, None, None, "12", "12", "25", "hard"]),
        modifier=chance.choice([0, 0, 0, 0, 1, -2, 30]),
        visibility=chance.choice(["public", "public", "public", "private", "blind"]),
        gm_only=secret,
    )


def followed(chance: random.Random, who: Actor, move: Move, challenge: AnyChallenge, at: int) -> Action:
    about: Any = {**by(who, at=at), "challenge": challenge.id, "revision": challenge.revision}
    match move.verb:
        case "answer":
            return Answer(
                **about,
                kind=chance.choice(["roll", "roll", "roll", "roll", "margin-only", "free", "cannot"]),
                difficulty=chance.choice(["9", "14", "20", "20", None]),
                options=_options(chance, RULED, 1),
                disallow=tuple(
                    each.value for each in LOOK.course.disallowable(challenge) if chance.random() < 0.3
                ),
                modifier=chance.choice([0, 0, 2, -3]),
                against=chance.choice([0, 0, 1]),
                hidden=chance.random() < 0.4,
                note=chance.choice(["", "Mind the mud."]),
            )
        case "ask":
            return AskBack(**about, question="Which rope?")
        case "revise":
            if challenge.kind == "rest":
                return Revise(**about, approach="on straw")
            changes = {key: value for key, value in _side(chance).items() if chance.random() < 0.5}
            against = chance.choice([None, "none", "16"]) if LOOK.course.measured(challenge) else None
            return Revise(**about, **changes, difficulty=against)
        case "withdraw":
            return Withdraw(**about)
        case "defend":
            return Defend(**about, **_side(chance))
        case "join":
            return Join(
                **about, **_side(chance), as_=chance.choice([None, "Sidor", "Rat"]) if who == GM else None
            )
        case "leave":
            return Join(**about, leave=True, as_=move.what)
        case "spend":
            what = move.what or "die"
            return Spend(**about, what=what, choice=chance.choice((*move.choices, "3")))
        case _:
            return Roll(**about)


def besides(chance: random.Random, state: TableState, at: int) -> Action:
    if chance.random() < 0.3:
        return AdvanceTime(**by(GM, at=at), minutes=chance.choice([60, 24 * 60, 9 * 24 * 60]))
    if chance.random() < 0.3:
        reveal: Any = chance.choice(["verdict", "degree", "all"])
        return ChangeSettings(**by(GM, at=at), reveal=reveal, live=chance.random() < 0.4)
    hurt = f"{chance.choice(['physical', 'mental'])} {chance.choice([1, 3, 5])}"
    return Adjust(
        **by(GM, at=at), character=chance.choice(["Marek", "Ilka", "Sidor"]), what="hurt", value=hurt
    )


def act(chance: random.Random, state: TableState, at: int) -> Action:
    open_ = [each for each in state.challenges.values() if each.open]
    roll = chance.random()
    if not open_ or roll < 0.2:
        return proposed(chance, at)
    if roll < 0.28:
        return besides(chance, state, at)
    challenge = chance.choice(open_)
    if roll < 0.32:
        later = challenge.since + (state.settings.remind_after or 0)
        return Due(**by(CLOCK, at=max(at, later)), wait=f"{challenge.id}.{challenge.revision}")
    who = chance.choice([GM, GM, ANN, BEN])
    moves = challenge_moves(look(state), challenge, who)
    if not moves:
        verb: Any = chance.choice(["roll", "withdraw", "revise", "defend", "ask", "answer"])
        return followed(chance, who, Move(verb, challenge.id, challenge.revision), challenge, at)
    likely = [
        {"answer": 4.0, "roll": 4.0, "defend": 3.0, "withdraw": 0.1}.get(each.verb, 1.0) for each in moves
    ]
    return followed(chance, who, chance.choices(moves, likely)[0], challenge, at)


def start(**settings: Any) -> TableState:
    """As ever, with a wolf whom players know as a beast."""
    state = table(**settings)
    return state.with_character(
        Character("k6", "Wolf", None, sheet({**SIDOR, "name": "Wolf"}), stage="aliased", alias="beast")
    )


@pytest.mark.parametrize("seed", range(12))
def test_whatever_is_done_comes_out_as_by_the_course(seed: int) -> None:
    chance = random.Random(seed)
    reveal: Any = ("verdict", "degree", "all")[seed % 3]
    state, twin, at, refused = start(live=seed % 4 == 0, reveal=reveal), Twin(), NOON, 0
    kept, thrown = TypeAdapter(check_kinds(PROCEDURES)), set[str]()
    for number in range(110):
        at += chance.choice((0, 1, 60, HOUR))
        action = act(chance, state, at)
        at = action.at

        def streams(key: str = str(number)) -> KeyedStreams:
            return KeyedStreams(b"p" * 32, b"s" * 32, key)

        try:
            outcome = resolve(state, action, streams())
        except RulesError:
            refused += 1
            twin.refuses(state, action, streams())
            continue
        twin.does(state, outcome.state, action, streams(), outcome.events)
        state = outcome.state
        thrown.update(key for key, check in twin.checks.items() if check.data.throws)
    assert refused < 100
    assert thrown
    for check in twin.checks.values():
        assert kept.validate_json(part_text(check)) == check
