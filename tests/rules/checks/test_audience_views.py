"""Who is told what of a check: nothing that somebody may not know is in what they get, nor that
there is something.
"""

from __future__ import annotations

from typing import Any

import pytest

from rules.core.errors import Impossible, InvalidInput, Problems, RulesError
from rules.core.rng import ScriptedRng
from rules.table.actions import (
    Action,
    Actor,
    Begin,
    Choose,
    CloseChecks,
    Delegate,
    Due,
    EndCheck,
    SetAway,
    SetOrder,
)
from rules.table.blocks import FOR_EVERYONE, Block, Fact, Note, Ref, Text
from rules.table.check import ANY_GM, PASS, Away, Check, Delegation, Orders
from rules.table.checks.audience_views import check_view
from rules.table.checks.prompt_times import pending_waits
from rules.table.events import EVERYONE, Audience, CheckChanged, Event
from rules.table.events import GMS as THE_GMS
from rules.table.resolve import resolve
from rules.table.state import SYSTEM, TableState
from rules.table.system import Game
from tests.rules.checks.toy_procedures import GM, PLACE, TOYS, Sheet, add_orders, owner, table


def _told(game: Game, check: Check[Any]) -> tuple[Block, ...]:
    data, found = check.data, list[Block]()
    for who, side, _ in getattr(data, "chosen", ()) if check.kind == "duel" else ():
        found.append(Fact(Text("side"), (Ref(who), side), FOR_EVERYONE if data.faces else (who,)))
    if getattr(data, "struck", ""):
        found.append(
            Note(Text("struck", {"who": Ref(data.struck), "chosen": data.chosen}), (data.struck,))
        )
    if getattr(data, "faces", ()):
        found.append(Fact(Text("faces"), data.faces, FOR_EVERYONE))
    return tuple(found)


TOLD = TOYS.replace(
    procedures={key: each.replace(describe=_told) for key, each in TOYS.procedures.items()}
)


class Table:
    """Actions, one after the other, and what is told of the last."""

    def __init__(self, state: TableState, *dice: int) -> None:
        self.state, self.rng, self.at = state, ScriptedRng(dice), 1000
        self.events: tuple[Event, ...] = ()

    def act(self, action: Action) -> Table:
        outcome = resolve(TOLD, self.state, action, self.rng)
        self.state, self.events = outcome.state, outcome.events
        return self

    def by(self, who: Actor) -> dict[str, Any]:
        return {"who": who, "place": PLACE, "at": self.at}

    def begin(self, kind: str, who: str = "a", **values: Any) -> Table:
        more = {
            key: values.pop(key) for key in ("visibility", "gm_only", "target") if key in values
        }
        return self.act(Begin(**self.by(owner(who)), kind=kind, as_=who, values=values, **more))

    def choose(
        self, prompt: str, option: str, *who: str, by: Actor | None = None, **values: Any
    ) -> Table:
        asked = self.check.prompt(prompt)
        number = 0 if asked is None else asked.number
        named = who or (ANY_GM,)
        actor = by or owner(named[0])
        return self.act(
            Choose(
                **self.by(actor),
                check=self.check.id,
                prompt=prompt,
                number=number,
                option=option,
                as_=named,
                values=values,
            )
        )

    @property
    def check(self) -> Check[Any]:
        return max(self.state.checks.values(), key=lambda each: each.number)

    @property
    def told(self) -> dict[str, CheckChanged]:
        found: dict[str, CheckChanged] = {}
        for event in self.events:
            if isinstance(event, CheckChanged):
                audience = event.audience
                name = "all" if audience.everyone else "gms" if audience.gms else audience.people[0]
                assert name not in found
                found[name] = event
        return found

    def seen(self, audience: Audience = EVERYONE) -> CheckChanged:
        return check_view(Game(self.state, TOLD, self.rng, self.at, GM), self.check, audience)


# --- secret choices -------------------------------------------------------------------------------


def test_a_secret_choice_is_told_to_its_player_and_the_gms_alone() -> None:
    play = Table(table(), 3, 4).begin("duel", sides=["a", "b"])
    before = play.seen()
    assert [(each.prompt, each.people) for each in before.asked] == [
        ("side", ("p2", "p3")),
        ("judge", ()),
    ]
    play.choose("side", "low", "a")
    assert list(play.told) == ["p2", "gms"]
    own = play.told["p2"]
    assert (own.step, own.who, own.secret, own.ping, own.quiet) == (
        "chosen",
        Ref(name="a"),
        True,
        (),
        True,
    )
    assert own.said is not None
    assert own.said.code == "choose-low"
    assert play.told["gms"].secret
    assert play.seen() == before
    assert play.seen(Audience(people=("p3",))).blocks == ()
    assert len(play.seen(Audience(people=("p2",))).blocks) == 1
    assert len(play.seen(THE_GMS).blocks) == 1
    play.choose("side", "low", "b")
    event = play.told["all"]
    assert (event.over, event.secret, event.revealed) == (True, False, True)
    assert [block.value for block in event.blocks if isinstance(block, Fact)] == [
        (Ref(name="a"), "low"),
        (Ref(name="b"), "low"),
        (3, 4),
    ]


def test_that_all_have_answered_a_secret_prompt_is_not_seen_before_it_is_over() -> None:
    play = Table(table(), 3).begin("window", aware=["a", "b", "c"])
    first = play.seen()
    assert first.react
    for who in ("b", "a"):
        play.choose("react", PASS, who)
        assert play.seen() == first
        assert "all" not in play.told
    play.choose("react", PASS, "c")
    assert play.check.stage == "naming"
    assert "all" in play.told


def test_a_card_that_changes_the_total_is_told_to_all_but_not_whose_pass_was_there() -> None:
    state = table(a=Sheet(), b=Sheet(0, ("card",)))
    play = Table(state, 3).begin("window", aware=["a", "b", "c"]).choose("react", PASS, "c")
    play.choose("react", "card", "b")
    assert [(each.prompt, each.people) for each in play.seen().asked] == [
        ("react", ("p2", "p3", "p4"))
    ]


# --- what only some may know ----------------------------------------------------------------------


def test_to_those_who_may_not_know_of_a_prompt_it_is_over() -> None:
    play = Table(table({})).begin("team")
    play.choose("start", "start", "a", struck="b")
    public, mine, gms = play.told["all"], play.told["p3"], play.told["gms"]
    assert (public.over, public.asked, public.react, public.blocks) == (True, (), False, ())
    assert (mine.over, mine.react, len(mine.blocks)) == (False, True, 1)
    assert (mine.ping, mine.quiet, public.ping) == (("p3",), False, ())
    assert [each.people for each in mine.asked] == [("p3",)]
    assert gms.asked == mine.asked
    play.choose("hit", "suffer", "b")
    assert "all" not in play.told
    assert play.told["p3"].over
    assert not play.check.is_open
    assert all(event.secret for event in play.told.values())


def test_the_clock_s_answer_to_such_a_prompt_is_told_to_them_alone() -> None:
    play = Table(table({"answer_time": 0})).begin("team")
    play.choose("start", "start", "a", struck="b")
    (wait,) = pending_waits(play.check)
    play.at = wait.due
    play.act(Due(**play.by(Actor(SYSTEM)), wait=wait.id))
    assert set(play.told) == {"p3", "gms"}
    assert play.told["p3"].took[0].how == "clock"


def test_a_reminder_of_it_calls_nobody_else() -> None:
    play = Table(table({})).begin("team")
    play.choose("start", "start", "a", struck="b")
    wait = min(pending_waits(play.check), key=lambda each: each.due)
    play.at = wait.due
    play.act(Due(**play.by(Actor(SYSTEM)), wait=wait.id))
    assert {name: event.ping for name, event in play.told.items()} == {"p3": ("p3",)}


def test_nobody_hears_of_a_private_check_but_who_takes_part() -> None:
    play = Table(table(), 7).begin("proposal", visibility="private")
    assert set(play.told) == {"p2", "gms"}
    play.choose("rule", "roll", level=3)
    assert set(play.told) == {"p2", "gms"}
    assert play.told["p2"].ping == ("p2",)
    play.begin("proposal", "orc", gm_only=True)
    assert set(play.told) == {"gms"}


def test_an_npc_nobody_knows_is_named_nowhere() -> None:
    play = Table(table()).begin("duel", sides=["a", "imp"])
    (side, _) = play.told["all"].asked
    assert (side.who, side.people, side.gms) == ((Ref(name="a"),), ("p2",), True)
    assert "imp" not in str(play.told["all"])


# --- who is called --------------------------------------------------------------------------------


def test_everybody_waited_for_is_called_but_the_one_who_has_just_acted() -> None:
    play = Table(table(), 3).begin("window", aware=["a", "b"])
    assert [each.reacts for each in play.told["all"].asked] == [True]
    assert play.told["all"].ping == ("p3",)


def test_delegates_are_called_for_those_who_are_away() -> None:
    state = add_orders(table(), a=Orders(delegated=(Delegation("p9"),)), p2=Orders(away=Away(0)))
    play = Table(state).begin("proposal").choose("rule", "roll", level=3)
    assert play.told["all"].ping == ("p9",)
    (ready,) = [each for each in play.told["all"].asked if each.people]
    assert ready.people == ("p2", "p9")
    gone = Table(add_orders(table(), p2=Orders(away=Away(0)))).begin("proposal")
    gone.choose("rule", "roll", level=3, by=GM)
    # A GM acts, and may answer.
    assert (gone.told["all"].ping, gone.told["all"].ping_gms) == (
        (),
        False,
    )


def test_what_is_over_calls_nobody() -> None:
    play = Table(table()).begin("proposal")
    play.act(EndCheck(**play.by(GM), check="c1"))
    (event,) = play.told.values()
    assert (event.step, event.over, event.ping) == ("ended", True, ())


# --- refusals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "code"),
    [
        (lambda by: CloseChecks(**by(GM), checks=()), "empty"),
        (lambda by: CloseChecks(**by(owner("a")), checks=("c1",)), "gm-only"),
        (lambda by: SetOrder(**by(owner("a")), prompt="side", option="nothing"), "not-orderable"),
        (
            lambda by: SetOrder(**by(owner("a")), prompt="side", option="low", keep="gold"),
            "unknown-resource",
        ),
        (
            lambda by: SetOrder(**by(owner("a")), prompt="side", option="low", character="b"),
            "owner-only",
        ),
        (lambda by: SetAway(**by(owner("a")), until=5), "bad-until"),
        (lambda by: Delegate(**by(GM), character="orc", to="p2"), "already-theirs"),
        (lambda by: Delegate(**by(owner("a")), to="p3", back=True), "nothing-arranged"),
        (lambda by: Begin(**by(owner("a")), kind="proposal", values={"x": "y"}), "unknown-field"),
        (lambda by: Begin(**by(owner("a")), kind="proposal", target="nobody"), "unknown-character"),
        (lambda by: Begin(**by(owner("a")), kind="proposal", as_="b"), "unknown-character"),
    ],
)
def test_refusals(action: Any, code: str) -> None:
    play = Table(table()).begin("proposal")
    before = play.state
    with pytest.raises((RulesError, Problems)) as caught:
        play.act(action(play.by))
    assert caught.value.code == code
    assert play.state is before


def test_several_of_one_s_own_answer_at_once() -> None:
    state = table()
    mine = {**state.characters, "b": state.characters["b"].replace(owner="p2")}
    play = Table(state.replace(characters=mine), 3, 4).begin("duel", sides=["a", "b"])
    with pytest.raises(InvalidInput, match="which-character"):
        play.act(Choose(**play.by(owner("a")), check="c1", prompt="side", number=1, option="low"))
    play.act(
        Choose(
            **play.by(owner("a")), check="c1", prompt="side", number=1, option="low", as_=("a", "b")
        )
    )
    assert not play.check.is_open


def test_so_many_may_answer_for_one_and_no_more() -> None:
    play = Table(table())
    for number in range(20):
        play.act(Delegate(**play.by(owner("a")), character="a", to=f"p{number + 20}"))
    with pytest.raises(Impossible, match="too-many-orders"):
        play.act(Delegate(**play.by(owner("a")), character="a", to="p99"))
    play.act(Delegate(**play.by(owner("a")), character="a", to="p20", until=9999))
    assert play.events[0].ping == ("p20",)
    # Whoever does so no more takes nobody's place.
    play.act(Delegate(**{**play.by(owner("a")), "at": 9999}, character="a", to="p99"))
    assert play.events[0].ping == ("p99",)
