"""The kinds of check as procedures: whatever is done in whatever order, they come out as by the course."""

from __future__ import annotations

import random
import re
from typing import Any

import pytest
from pydantic import TypeAdapter

from bot.storage.codec import check_kinds, events_text, part_text, read_events
from rules.core.errors import Problems, RulesError
from rules.core.rng import KeyedStreams, Scripted
from rules.registry import look
from rules.systems.barmore.chances import odds_of_check
from rules.systems.barmore.check import MODES
from rules.systems.barmore.procedures import PROCEDURES
from rules.table import resolve as resolving
from rules.table.actions import (
    Action,
    Actor,
    Adjust,
    AdvanceTime,
    Answer,
    AskBack,
    Begin,
    ChangeSettings,
    Choose,
    Defend,
    Due,
    ForgetPerson,
    Join,
    Propose,
    RemoveNpc,
    Revise,
    Roll,
    Spend,
    Withdraw,
)
from rules.table.blocks import Block, Verdict
from rules.table.checks import machine
from rules.table.checks.check import OVER, Check
from rules.table.checks.views import cast_of
from rules.table.events import CheckChanged, Event
from rules.table.game import NO_DICE
from rules.table.moves import Move, challenge_moves
from rules.table.state import HOUR, SYSTEM, AnyChallenge, Character, TableState
from rules.table.system import Game
from tests.builders import ANN, BEN, GM, NOON, by, resolve
from tests.rules.barmore.play import SIDOR, Play, sheet, table
from tests.rules.barmore.twin import RULES, Twin

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


@pytest.mark.parametrize("seed", range(8))
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


# --- what is new ----------------------------------------------------------------------------------------------------


class Table:
    """A table whose checks are procedures, played by actions."""

    def __init__(self, **settings: Any) -> None:
        self.state = start(**settings)
        self.events: tuple[Event, ...] = ()

    def do(self, action: Action, *faces: int) -> Table:
        dice = Scripted(faces)
        outcome = resolving.resolve(RULES, self.state, action, dice)
        assert dice.left == 0
        self.state, self.events = outcome.state, outcome.events
        return self

    def begin(self, who: Actor, kind: str, *faces: int, **fields: Any) -> Table:
        named = {key: fields.pop(key) for key in ("as_", "target", "visibility", "gm_only") if key in fields}
        return self.do(Begin(**by(who), kind=kind, values=fields, **named), *faces)

    def choose(
        self, who: Actor, prompt: str, option: str, *faces: int, as_: str = "", **values: Any
    ) -> Table:
        asked = self.check.prompt(prompt)
        assert asked is not None, [each.prompt.key for each in self.check.asked]
        action = Choose(
            **by(who),
            check=self.check.id,
            prompt=prompt,
            number=asked.number,
            option=option,
            as_=(as_,),
            values=values,
        )
        return self.do(action, *faces)

    @property
    def check(self) -> Check[Any]:
        return self.state.checks[f"c{self.state.counters.challenge}"]

    def blocks(self, person: str = "") -> tuple[Block, ...]:
        """What somebody reads of the last step, nobody in particular without a name."""
        told = [each for each in self.events if isinstance(each, CheckChanged)]
        for each in told:
            assert read_events(events_text([each])) == (each,)
        mine = [
            each for each in told if person in each.audience.people or (person == "p1" and each.audience.gms)
        ]
        return (mine or [each for each in told if each.audience.everyone])[0].blocks


def codes(blocks: tuple[Block, ...]) -> set[str]:
    """Every code that is spoken in."""
    return set(re.findall(r"Text\(code='([^']+)'", repr(blocks)))


@pytest.mark.rule("BAR-OPPOSED", "BAR-TRAUMA")
def test_an_attack_is_chosen_in_secret_and_told_at_once() -> None:
    play = Table().begin(ANN, "attack", target="Ilka", skill="Rapier", attribute="Speed", weapon="Boathook")
    assert "bar-ability" not in codes(play.blocks()) and "bar-ability" in codes(play.blocks("p2"))
    play.choose(GM, "rule", "roll", against=1)
    assert [each.prompt.key for each in play.check.asked if each.left] == ["face"]
    play.choose(BEN, "face", "face", as_="k2", skill="Knives", approach="steps aside")
    assert "steps aside" not in repr(play.blocks()) and "steps aside" in repr(play.blocks("p3"))
    play.choose(ANN, "ready", "roll", 8, 8, 8, 8, 8, 8, 8, 1, 1, 1, 1, as_="k1")
    told = play.blocks()
    assert isinstance(told[0], Verdict) and told[0].text.code == "bar-triumph"
    assert "steps aside" in repr(told) and "bar-hit-wound" in codes(told)
    assert play.check.stage == OVER and play.state.characters["k2"].sheet.wounds


@pytest.mark.rule("BAR-OPPOSED")
def test_a_gm_may_choose_for_whoever_is_attacked() -> None:
    play = Table().begin(ANN, "attack", target="Ilka", skill="Rapier").choose(GM, "rule", "roll")
    play.choose(GM, "faced", "face", skill="Knives")
    assert play.check.data.entry("k2").by == "p1"
    # It may be changed until the roll.
    play.choose(BEN, "face", "face", as_="k2", skill="Athletics")
    assert play.check.data.entry("k2").request.ability == "Athletics"


@pytest.mark.rule("BAR-DIE", "BAR-POOL")
def test_die_and_conversion_go_with_the_roll() -> None:
    play = (
        Table()
        .begin(ANN, "check", skill="Boats", attribute="Speed", approach="rows")
        .choose(GM, "rule", "roll", difficulty="12")
    )
    play.choose(ANN, "ready", "roll", 12, 12, 1, 1, 1, 1, as_="k1", die="d12-2", convert=2)
    throw = play.check.data.throws[0].thrown
    assert (throw.pool.add, throw.pool.bonus, throw.roll.die, throw.total) == (2, 4, "d12-2", 20)


@pytest.mark.rule("BAR-DIE")
def test_the_odds_of_a_check_are_those_of_the_course() -> None:
    play = Play().propose(skill="Boats", attribute="Speed").answer("14", options=("halvings: 1",))
    found = odds_of_check(play.twin.game(play.state, ANN, NOON), play.twin.checks["c1"])
    assert found == play.game.course.odds_of(cast_of(play.state, play.check), play.check)


@pytest.mark.rule("BAR-TEAM")
def test_a_helper_who_is_gone_is_left_out() -> None:
    play = Play().propose(kind="team", tool="simple addition", skill="Boats")
    play.do(Join, GM, skill="Brawling", as_="Sidor", approach="pulls").do(Join, BEN, skill="Athletics")
    play.do(RemoveNpc, GM, npc="Sidor").answer("12").roll(1, 2, 3, 4, 5, 6)
    assert [each.who for each in play.twin.checks["c1"].data.entries] == ["k1", "k2"]


@pytest.mark.rule("BAR-TEAM")
def test_what_a_helper_typed_is_forgotten_with_them() -> None:
    play = (
        Table()
        .begin(ANN, "team", skill="Boats", approach="rows")
        .choose(BEN, "join", "join", as_="k2", skill="Athletics", approach="steers")
    )
    play.do(ForgetPerson(**by(BEN)))
    assert "steers" not in repr(play.state.checks) and play.check.approach == "rows"


def test_what_one_fills_in_is_tried_before_it_is_sent() -> None:
    play = Table().begin(ANN, "check", skill="Boats", attribute="Speed", approach="rows")
    game = Game(play.state, RULES, NO_DICE, NOON, GM)
    found = machine.preview(game, play.check, "rule", "roll", "", {"difficulty": "12", "modifier": 2})
    assert found is not None
    after, check = found
    assert "bar-part-granted" in codes(PROCEDURES["check"].describe(after, check))
    with pytest.raises(Problems):
        machine.preview(game, play.check, "rule", "roll", "", {"against": 2})


def test_forms_can_be_read_by_anybody() -> None:
    """What is offered to nobody in particular, as for a schema."""
    for each in PROCEDURES.values():
        form: Any = each.form
        assert form.schema()["type"] == "object"
        assert [field.key for field in form.fields if field.needed] == []
