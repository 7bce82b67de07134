"""Against a hidden number players learn what they are told and nothing besides, in every kind of
check.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any, Final

import pytest

from rules.core.record import Record
from rules.core.rng import KeyedStreams
from rules.registry import SYSTEMS
from rules.table.actions import Actor, Begin, ChangeSettings
from rules.table.blocks import Text, Verdict
from rules.table.check import PASS
from rules.table.events import Event
from rules.table.state import Character, Reveal, Settings, TableState
from tests.rules import toy_table
from tests.rules.barmore.play import Play as Barmore
from tests.rules.ebb.play import Play as Ebb
from tests.sample_table import ANN, BEN, GM, ego_character, game, masterbook_character

SEED = bytes(32)


class Deed(Record):
    """What is tried: of which kind, with what, and who says what before the roll, in the words of
    `said`.

    `before` comes ahead of the answer, `after` follows it: who, prompt and option. Of the rules it
    is `agreed` what is not as usual.
    """

    kind: str
    values: dict[str, Any]
    target: str | None = None
    before: tuple[tuple[Actor, str, dict[str, Any]], ...] = ()
    after: tuple[tuple[Actor, str, dict[str, Any]], ...] = ()
    agreed: tuple[tuple[str, Any], ...] = ()


BOATS = {"skill": "Boats", "approach": "with care"}
INDIRECT = {**BOATS, "mode": "indirect"}
DEEDS: dict[tuple[str, str], Deed] = {
    ("barmore", "check"): Deed("check", BOATS),
    ("barmore", "treat"): Deed("treat", BOATS, "Ilka"),
    ("barmore", "attack"): Deed("attack", BOATS, "Rat"),
    ("barmore", "contest"): Deed(
        "contest", INDIRECT, "Ilka", after=((BEN, "face", {"skill": "Athletics"}),)
    ),
    ("barmore", "contest with NPCs"): Deed(
        "contest", INDIRECT, "Sidor", after=((GM, "face", {"skill": "Brawling"}),)
    ),
    ("barmore", "team"): Deed(
        "team", {**BOATS, "mode": "either_or"}, before=((BEN, "join", {"skill": "none"}),)
    ),
    ("ebb", "check"): Deed(
        "check", {"skill": "Climbing", "attribute": "Fitness", "approach": "up"}
    ),
    ("ebb", "treat"): Deed(
        "treat", {"skill": "First aid", "approach": "a splint", "injury": "a cut"}, "Anna"
    ),
}
CASES = [*DEEDS]


def _uses(skill: str, *given: str, **more: Any) -> Deed:
    return Deed("check", {"skill": skill, "approach": "so", "given": given, **more})


def _moves(how: str, **more: Any) -> Deed:
    return Deed("move", {"how": how, **more})


def _at_guard(kind: str, agreed: tuple[tuple[str, Any], ...] = (), /, **values: Any) -> Deed:
    return Deed(kind, {"approach": "so", **values}, "Guard", agreed=agreed)


_OWN_WAYS: Final = (("stealth_many_watchers", "multi_target"),)
#: What tells how well it went in another way than by a degree. Of the guard the number is a skill's
#: adds.
FOLLOWED: dict[tuple[str, str], Deed] = {
    ("masterbook", "hiding"): _uses("Camouflage", "size 4 2 1"),
    ("masterbook", "forging"): _uses("Forgery"),
    ("masterbook", "painting"): _uses("Artist: oil"),
    ("masterbook", "packing"): _uses("Demolitions", "explosive 20"),
    ("masterbook", "disguise"): _uses("Disguise", rows=("specific_person",)),
    ("masterbook", "looking"): _uses("Perception", "disguise 11 solid"),
    ("masterbook", "sneaking"): _uses("Stealth", "watchers 9 11 8").replace(agreed=_OWN_WAYS),
    ("masterbook", "magic"): _uses("Summoning", "feedback 4", "effect 9", "mass 10"),
    ("masterbook", "pushing"): _moves("running", push=True),
    ("masterbook", "climbing"): _moves("climbing", push=True, rows=("cracked_wall",)),
    ("masterbook", "swimming"): _moves("swimming"),
    ("masterbook", "jumping"): _moves("jumping", push=True),
    ("masterbook", "lifting"): _moves("lifting", mass=100),
    ("masterbook", "chase"): _moves("driving", speed=12, rival=10, gap=300),
    ("masterbook", "talk"): _at_guard("interact", skill="Charm"),
    ("masterbook", "contest"): _at_guard("contest", skill="Taunt").replace(
        after=((GM, "face", {"skill": "Willpower"}),)
    ),
    ("masterbook", "stab"): _at_guard("attack", weapon="Knife"),
    ("masterbook", "shot"): _at_guard("attack", weapon="Colt .45 revolver", range="12"),
    ("masterbook", "grapple"): _at_guard(
        "attack", weapon="unarmed", skill="Martial Arts: wrestling", options=("grapple",)
    ),
    ("ego", "check"): Deed("check", {"skill": "Stealth", "approach": "so"}),
    ("ego", "effect"): Deed("effect", {"effect": "Flight"}),
    ("ego", "blast"): _at_guard(
        "effect", (("excess_successes_to_damage", True),), effect="Energy Blast"
    ),
}
#: Those of MasterBook's in which the GM names the number.
_ALONE: Final = [
    each for each, deed in FOLLOWED.items() if deed.target is None and each[0] == "masterbook"
]
_LEARNED: Final = (
    *("Camouflage", "Forgery", "Demolitions", "Disguise", "Perception", "Summoning"),
    *("Running", "Climbing", "Swimming", "Lifting", "Long Jumping", "Charm"),
)
_FOCUSED: Final = (("Artist", "oil"), ("Vehicle Piloting", "cars"), ("Martial Arts", "wrestling"))
#: What the guard sets against it.
_AGAINST: Final = ("Dodge", "Willpower", "Taunt", "Melee Parry", "Unarmed Combat")


def _table(
    key: str, reveal: Reveal, number: int, agreed: tuple[tuple[str, Any], ...]
) -> TableState:
    """Ann's Anna, Ben's Boris and a guard who is as good as the hidden number, by post without
    reactions.
    """
    people: dict[str, Character] = {}
    for at, (name, owner) in enumerate({"Anna": "p2", "Boris": "p3", "Guard": None}.items(), 1):
        data = ego_character(name) if key == "ego" else masterbook_character(name)
        if key == "masterbook" and owner is None:
            data["skills"] = [{"name": each, "adds": max(1, number)} for each in _AGAINST]
        elif key == "masterbook":
            data["skills"] += [{"name": each, "adds": 2} for each in _LEARNED]
            data["skills"] += [
                {"name": each, "focus": focus, "adds": 2} for each, focus in _FOCUSED
            ]
        read = SYSTEMS[key].sheets
        assert read is not None
        people[f"k{at}"] = Character(f"k{at}", name, owner, read.read(game(key), data, False)[1])
    settings = Settings("Hills", key, ("p1",), reveal=reveal, step_in_time=0, own=dict(agreed))
    return TableState(settings, characters=people)


class Told:
    """A table, and what is told to players of what happens there."""

    def __init__(self, case: tuple[str, str], reveal: Reveal, luck: int, number: int = 0) -> None:
        self.play: toy_table.Play
        if case[0] == "ebb":
            self.play = Ebb(reveal=reveal)
        elif case[0] == "barmore":
            self.play = Barmore(reveal=reveal).adjust("Ilka", "new wound", "physical 2")
        else:
            self.play = toy_table.Play(_table(case[0], reveal, number, FOLLOWED[case].agreed))
        self.luck = luck
        self.events: list[Event] = []

    def choose(self, who: Actor, prompt: str, option: str, /, **values: Any) -> None:
        dice = KeyedStreams(SEED, SEED, f"{self.luck}", SEED)
        self.play.choose(who, prompt, option, rng=dice, **values)
        self.hear()

    def hear(self) -> None:
        heard = [
            each for each in self.play.events if each.audience.everyone or each.audience.people
        ]
        self.events += heard


def _played(
    case: tuple[str, str], reveal: Reveal, number: int, luck: int, later: Reveal | None = None
) -> Told:
    """A check against a hidden difficulty from the proposal to its end; `later` is agreed while it
    is under way.
    """
    deed, told = DEEDS[case], Told(case, reveal, luck)
    told.play.begin(ANN, deed.kind, target=deed.target, **deed.values)
    told.hear()
    for who, prompt, values in deed.before:
        told.choose(who, prompt, prompt, **values)
    care = {"factor": "2"} if case == ("barmore", "treat") else {}
    told.choose(GM, "rule", "roll", difficulty=str(number), hidden=True, **care)
    if later is not None:
        told.play.do(ChangeSettings, GM, values={"reveal": later})
    for who, prompt, values in deed.after:
        told.choose(who, prompt, prompt, **values)
    # Where the other side answers last, its answer rolls.
    if "ready" in told.play.asked:
        told.choose(ANN, "ready", "roll")
    if told.play.check.is_open:
        told.choose(GM, "stand", "stand")
    assert not told.play.check.is_open
    return told


def _outcome(told: Told, *, dice: bool) -> str:
    """What players are told on purpose: verdicts, degree, who was lucky, Wounds; `dice` too where
    they see some.
    """
    play = told.play
    luck = [
        each.params
        for each in play.notes()
        if each.code == "bar-level" or each.params.get("what") == "chances"
    ]
    consequences = [
        (each.code, each.params.get("how"), each.params.get("names"))
        for each in play.facts("check-of")
        if isinstance(each, Text)
    ]
    faces = [[(die.sides, die.face) for die in roll.dice] for roll in play.rolls()] if dice else []
    return repr((play.verdict(), play.winner(), play.degree(), luck, consequences, faces))


@pytest.mark.parametrize("reveal", ["verdict", "degree"])
@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_the_same_outcome_against_another_number_is_told_in_the_same_words(
    case: tuple[str, str], reveal: Reveal
) -> None:
    """Where the degree is told nobody sees totals, so that the dice may be others as well."""
    found: dict[str, list[Told]] = {}
    for luck in range(6):
        for number in range(4, 20, 3):
            told = _played(case, reveal, number, luck)
            key = _outcome(told, dice=True) + (str(luck) if reveal == "verdict" else "")
            found.setdefault(key, []).append(told)
    pairs = [pair for group in found.values() for pair in combinations(group, 2)]
    assert pairs, "nothing was compared"
    for one, other in pairs:
        assert repr(one.events) == repr(other.events)
        for who in (None, ANN, BEN):
            assert one.play.told(who) == other.play.told(who)


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_with_the_degree_no_total_is_told(case: tuple[str, str]) -> None:
    play = _played(case, "degree", 12, 1).play
    for who in (None, ANN, BEN):
        rolls = play.rolls(who)
        assert [(roll.result, roll.terms) for roll in rolls] == [(None, ())] * len(rolls)
        assert not any(die.name in ("main", "pool") for roll in rolls for die in roll.dice)
    assert play.totals(GM)[0] is not None


@pytest.mark.parametrize("later", ["verdict", "degree", "all"])
@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_what_is_agreed_later_is_for_later_checks(case: tuple[str, str], later: Reveal) -> None:
    for reveal in ("verdict", "degree"):
        if reveal == later:
            continue
        before, after = _played(case, reveal, 12, 1), _played(case, reveal, 12, 1, later)
        assert after.play.state.settings.reveal == later
        assert repr(after.events) == repr(before.events)
        assert repr(after.play.view()) == repr(before.play.view())


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_everything_stands_in_what_the_gms_read(case: tuple[str, str]) -> None:
    """The other end of the same promise: what is hidden is hidden from players alone."""
    play = _played(case, "verdict", 12, 1).play
    (number,) = play.facts("check-difficulty", GM)
    assert number != Text("hidden-difficulty")
    assert play.facts("check-difficulty") == [Text("hidden-difficulty")]


# --- what follows from how well it went -----------------------------------------------------------


def _followed(case: tuple[str, str], reveal: Reveal, number: int, luck: int) -> Told:
    """Something with consequences against a hidden difficulty, to its end; everybody passes."""
    deed, told = FOLLOWED[case], Told(case, reveal, luck, number)
    play = told.play
    play.begin(ANN, deed.kind, target=deed.target, **deed.values)
    told.hear()
    if deed.target is None or case[0] == "ego":
        more = {"hidden": True} if case[0] == "ego" else {}
        told.choose(GM, "rule", "roll", difficulty=str(number), **more)
    elif "rule" in play.asked:
        told.choose(GM, "rule", "roll", **play.option(GM, "rule", "roll").values)
    for who, prompt, values in deed.after:
        told.choose(who, prompt, prompt, **values)
    if "ready" in play.asked:
        told.choose(ANN, "ready", "roll")
    for _ in range(9):
        left = [(key, who) for key, all_ in play.asked.items() for who in all_]
        if not play.check.is_open or not left:
            break
        key, who = left[0]
        told.choose({"k1": ANN, "k2": BEN}.get(who, GM), key, PASS, as_=who)
    assert not play.check.is_open, play.asked
    return told


def _consequence(told: Told) -> str:
    """What players are told on purpose: the verdict with its degree, and what befell somebody in a
    word.
    """
    play = told.play
    moved = [each.params for each in play.notes() if each.code == "mb-moved"]
    befell = [(each["trouble"], each["fainted"]) for each in moved]
    heads = [each for each in play.blocks() if isinstance(each, Verdict)]
    effects = [each.what.params for each in heads if each.what is not None]
    does = [(each.get("hurt"), each.get("end")) for each in effects]
    notes: list[Any] = [each.params["facts"] for each in play.notes() if each.code == "mb-came"]
    falls = [
        each.params["what"] for facts in notes for each in facts if each.params["what"] != "shock"
    ]
    return repr((play.verdict(), play.degree(), befell, does, falls))


@pytest.mark.parametrize("case", FOLLOWED, ids=" ".join)
def test_what_follows_tells_no_more_than_the_verdict(case: tuple[str, str]) -> None:
    numbers = range(1, 6) if case[0] == "ego" else range(1, 30, 3)
    pairs = 0
    for luck in range(3):
        found: dict[str, list[Told]] = {}
        for number in numbers:
            told = _followed(case, "verdict", number, luck)
            found.setdefault(_consequence(told), []).append(told)
        for one, other in [pair for group in found.values() for pair in combinations(group, 2)]:
            pairs += 1
            assert repr(one.events) == repr(other.events)
            for who in (None, BEN):
                assert one.play.told(who) == other.play.told(who)
    assert pairs, "nothing was compared"


@pytest.mark.parametrize("case", _ALONE, ids=" ".join)
def test_what_follows_tells_no_total_beside_the_degree(case: tuple[str, str]) -> None:
    """Other dice against another number that are as good are told in the same words."""
    for points in (-9, 0, 4):
        found: dict[int, Told] = {}
        for luck in range(5):
            total = _followed(case, "degree", 10, luck).play.check.data.result.total
            found[total] = _followed(case, "degree", total - points, luck)
        assert len(found) > 1
        first, *others = found.values()
        for other in others:
            for who in (None, BEN):
                assert first.play.told(who) == other.play.told(who)


# --- live play ------------------------------------------------------------------------------------


def _live_play(key: str) -> toy_table.Play:
    """Return a table in live play with an NPC called Guard, or Sidor in EBB and Barmore."""
    if key == "ebb":
        return Ebb(live=True, reveal="degree")
    if key == "barmore":
        return Barmore(live=True, reveal="degree")
    state = _table(key, "degree", 2, ())
    return toy_table.Play(state.replace(settings=state.settings.replace(live=True)))


LIVE_CHECKS: Final[dict[str, dict[str, Any]]] = {
    "ebb": {"skill": "Climbing", "attribute": "Fitness", "difficulty": "13", "as_": "Sidor"},
    "barmore": {"skill": "Boats", "difficulty": "13", "as_": "Sidor"},
    "ego": {"skill": "Stealth", "difficulty": "3", "as_": "Guard"},
    "masterbook": {"skill": "Dodge", "difficulty": "13", "as_": "Guard"},
}


@pytest.mark.parametrize("key", LIVE_CHECKS)
def test_a_hidden_number_stays_hidden_in_a_check_that_is_answered_by_itself(key: str) -> None:
    play = _live_play(key)
    dice = KeyedStreams(SEED, SEED, "1", SEED)
    values = {**LIVE_CHECKS[key], "approach": "so", "hidden": True}
    actor = values.pop("as_")
    play.do(Begin, GM, rng=dice, kind="check", as_=actor, values=values)
    assert play.check.data.answer, "the check waits for the GM"
    assert (play.check.hidden, play.check.reveal) == (True, "degree")
    assert play.facts("check-difficulty") == [Text("hidden-difficulty")]
    assert play.facts("check-difficulty", GM) != [Text("hidden-difficulty")]
