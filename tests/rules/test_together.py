"""Several at once: joining in and stepping back (BAR-TEAM), contests (BAR-OPPOSED), and who may know what of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from rules.core.errors import RulesError
from rules.core.rng import Scripted
from rules.registry import look
from rules.systems.ebb.sheet import EbbSheet, read_sheet
from rules.table.actions import (
    Action,
    Actor,
    AddNpcs,
    Answer,
    ChangeCampaign,
    CreateTable,
    Defend,
    ForgetPerson,
    Give,
    ImportCharacter,
    ImportTable,
    Join,
    Propose,
    RemoveNpc,
    Retire,
    Revise,
    Roll,
    Withdraw,
)
from rules.table.checks.proposing import outlined
from rules.table.checks.views import check_view
from rules.table.events import GMS, CampaignChanged, ChallengeChanged, CheckView, Event
from rules.table.moves import challenge_moves
from rules.table.state import AnyChallenge, Character, Counters, Settings, TableState
from rules.table.transfer import write_table
from rules.table.undo import stranded
from tests.builders import ANN, BEN, GM, by, ebb_character, resolve
from tests.together import COURSE, Pact, playing_together

EVE = Actor("p4")
IDEA, HELP = "we heave the slab aside", "with the crowbar, from the left"


@pytest.fixture(autouse=True)
def together(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with playing_together(monkeypatch):
        yield


def table(**settings: Any) -> TableState:
    """Anna is Ann's, Boris and Bess are Ben's; Sidor is known, a spy is not."""
    sheet = read_sheet(ebb_character("Anna"))[1]
    people = (
        Character("k1", "Anna", "p2", sheet),
        Character("k2", "Boris", "p3", sheet),
        Character("k3", "Bess", "p3", sheet),
        Character("k4", "Sidor", None, sheet),
        Character("k5", "Spy", None, EbbSheet(), stage="off"),
    )
    return TableState(
        Settings("Marshes", "ebb", ("p1",), **settings),
        Counters(character=5),
        characters={each.id: each for each in people},
        campaign=Pact(),
    )


class Play:
    """A table and what happens at it."""

    def __init__(self, state: TableState) -> None:
        self.state = state
        self.events: tuple[Event, ...] = ()

    def do(self, deed: type[Action], who: Actor, /, *faces: int, **fields: Any) -> Play:
        """An action, on the newest challenge where it is about one; every face has to be rolled."""
        if "challenge" in getattr(deed, "__dataclass_fields__", {}):
            fields = {"challenge": self.check.id, "revision": self.check.revision, **fields}
        dice = Scripted(faces)
        outcome = resolve(self.state, deed(**by(who), **fields), dice)
        assert dice.left == 0
        self.state, self.events = outcome.state, outcome.events
        return self

    def refused(self, deed: type[Action], who: Actor, /, **fields: Any) -> str:
        before = self.state
        with pytest.raises(RulesError) as caught:
            self.do(deed, who, **fields)
        assert self.state is before
        return caught.value.code

    def team(self, who: Actor = ANN, **fields: Any) -> Play:
        options = {"skill": "Climbing", "attribute": "Fitness", "approach": IDEA, "kind": "team", **fields}
        return self.do(Propose, who, **options)

    def contest(self, who: Actor = ANN, **fields: Any) -> Play:
        options = {"skill": "Running", "attribute": "Fitness", "approach": IDEA, "kind": "contest", **fields}
        return self.do(Propose, who, **options)

    @property
    def check(self) -> AnyChallenge:
        return self.state.challenges[f"c{self.state.counters.check}"]

    def helpers(self) -> list[str]:
        return [each.character for each in self.check.helpers]

    def view(self, who: Actor | None = None) -> CheckView:
        return check_view(self.state, look(self.state), self.check, gm=who == GM, who=who.id if who else None)

    def verbs(self, who: Actor) -> list[str]:
        return [move.verb for move in challenge_moves(look(self.state), self.check, who)]

    def seen(self) -> list[ChallengeChanged]:
        return [event for event in self.events if isinstance(event, ChallengeChanged)]

    def pings(self) -> tuple[str, ...]:
        return tuple(person for event in self.events for person in event.ping)


# --- teams --------------------------------------------------------------------------------------------------


@pytest.mark.rule("BAR-TEAM")
def test_others_join_in_and_are_called_when_the_dice_have_fallen() -> None:
    play = Play(table()).team()
    assert (play.check.kind, play.check.tool, play.check.opposed) == ("team", "simple", False)
    revision = play.check.revision
    play.do(Join, BEN, skill="Running", attribute="Fitness", approach=HELP, as_="Boris")
    (event,) = play.seen()
    assert (event.step, event.audience.everyone, event.ping) == ("joined", True, ())
    assert [(each.name, each.owner, each.approach) for each in event.view.helpers] == [("Boris", "p3", HELP)]
    assert [line.params["name"] for line in event.view.helpers[0].traits] == ["Running", "Fitness"]
    assert play.check.revision == revision, "whoever else has a panel open can go on with it"
    play.do(Answer, GM, kind="roll", difficulty="Tricky")
    play.do(Join, BEN, as_="Bess", approach="")
    play.do(Join, GM, as_="Sidor")
    play.do(Roll, ANN, 6, 3)
    assert play.helpers() == ["k2", "k3", "k4"]
    assert play.pings() == ("p3",), "once, though two of theirs are in it"
    assert play.check.status == "settled", "there is nothing to react with"


@pytest.mark.rule("BAR-TEAM")
def test_what_one_brings_may_be_changed_and_taken_back_until_the_roll() -> None:
    play = Play(table()).team()
    play.do(Join, BEN, as_="Boris", skill="Running").do(Join, BEN, as_="Bess", skill="Rifles")
    play.do(Join, BEN, as_="Boris", skill="Climbing", approach=HELP)
    assert [(each.character, each.request.ability, each.approach) for each in play.check.helpers] == [
        ("k3", "Rifles", ""),
        ("k2", "Climbing", HELP),
    ]
    assert play.refused(Join, BEN, leave=True) == "which-character"
    assert play.verbs(BEN) == ["join", "leave", "leave"]
    assert [move.what for move in challenge_moves(look(play.state), play.check, BEN)][1:] == ["k3", "k2"]
    play.do(Join, BEN, leave=True, as_="k3")
    assert (play.helpers(), play.verbs(BEN)) == (["k2"], ["join", "leave"])
    (event,) = play.seen()
    assert (event.step, [line.params for line in event.lines]) == ("left", [{"name": "Bess"}])
    play.do(Join, BEN, leave=True)
    assert (play.helpers(), play.verbs(BEN)) == ([], ["join"])
    play.do(Join, BEN, as_="Boris").do(Answer, GM, kind="roll", difficulty="Easy").do(Roll, ANN, 5, 2)
    for fields in ({"as_": "Bess"}, {"leave": True}):
        assert play.refused(Join, BEN, **fields) == "check-moved-on"


def test_who_cannot_join_in() -> None:
    play = Play(table()).team()
    assert play.verbs(ANN) == ["revise", "withdraw"]
    assert play.refused(Join, ANN) == "leads-it"
    assert play.refused(Join, EVE) == "no-character"
    assert play.refused(Join, BEN, as_="Anna") == "unknown-character"
    assert play.refused(Join, BEN, as_="Boris", skill="Juggling") == "unknown-ability"
    assert play.refused(Join, BEN, leave=True) == "not-in-team"
    assert play.refused(Join, BEN, as_="Boris", revision=play.check.revision + 1) == "check-moved-on"
    play.do(Propose, ANN, approach=IDEA)
    assert play.refused(Join, BEN, as_="Boris") == "not-a-team"


def test_so_many_can_join_in_and_no_more() -> None:
    play = Play(table()).do(AddNpcs, GM, name="Hand", count=20).team()
    for number in range(1, 21):
        play.do(Join, GM, as_=f"Hand {number}")
    assert play.refused(Join, BEN, as_="Boris") == "team-full"
    play.do(Join, GM, as_="Hand 1", approach="harder")
    assert len(play.check.helpers) == 20


def test_a_team_is_open_to_everybody_and_waits_for_its_roll() -> None:
    play = Play(table(live=True))
    assert play.refused(Propose, ANN, kind="team", visibility="private") == "wrong-type"
    assert play.refused(Propose, ANN, kind="team", tool="sideways") == "unknown-mode"
    play.team(difficulty="Tricky", tool="wor")
    assert play.check.status == "proposed", "what is claimed waits for a GM"
    play.team(difficulty="Tricky", tool="wor", skill=None)
    assert (play.check.status, play.check.tool) == ("answered", "worst"), (
        "others have to have the time to join in"
    )
    assert play.view().notes[-1].params == {"mode": "worst"}


def test_npcs_help_under_the_name_that_players_know() -> None:
    play = Play(table()).team().do(Join, GM, as_="Spy", approach="unseen")
    everyone, gms = play.seen()
    assert everyone.audience.everyone and everyone.view.helpers[0].name == ""
    assert gms.audience == GMS and gms.view.helpers[0].name == "Spy"
    play.do(Join, GM, as_="Spy", leave=True)
    assert "Spy" not in str(play.seen()[0])


def test_hidden_difficulties_stay_hidden_from_helpers() -> None:
    play = Play(table()).team().do(Join, BEN, as_="Boris")
    play.do(Answer, GM, kind="roll", difficulty="9137", hidden=True)
    for who in (BEN, ANN, None):
        assert "9137" not in str(play.view(who))
    play.do(Roll, ANN, 6, 3)
    assert all("9137" not in str(event) for event in play.seen() if not event.audience.gms)


# --- helpers who go -----------------------------------------------------------------------------------------


def test_whoever_retires_helps_no_more_but_stays_where_dice_have_fallen() -> None:
    play = Play(table()).team().do(Join, BEN, as_="Boris").do(Join, BEN, as_="Bess")
    play.do(Retire, BEN, character="Boris")
    assert [each.name for each in play.view().helpers] == ["Bess"]
    assert play.verbs(BEN) == ["join", "leave"]
    play.do(Answer, GM, kind="roll", difficulty="Easy").do(Roll, ANN, 5, 2)
    assert play.view().notes[-1].params == {"count": 1}
    play.do(Retire, BEN, character="Bess")
    assert [each.name for each in play.view().helpers] == ["Bess"], "as it was when it was rolled"


def test_an_npc_is_taken_out_of_what_they_help_with() -> None:
    play = Play(table()).team().do(Join, GM, as_="Sidor").do(Join, BEN, as_="Boris")
    play.do(RemoveNpc, GM, npc="Sidor")
    assert play.helpers() == ["k2"]
    play.do(Answer, GM, kind="roll", difficulty="Easy").do(Join, GM, as_="Spy").do(Roll, ANN, 5, 2)
    play.do(RemoveNpc, GM, npc="Spy")
    assert "c1" not in play.state.challenges, "nobody could be told any more who threw those dice"


def test_a_helpers_sheet_keeps_what_they_help_with() -> None:
    play = Play(table()).team().do(Join, BEN, as_="Boris", skill="Tracking")
    without = ebb_character("Boris")
    without.update(abilities=without["abilities"][:4], drawbacks=without["drawbacks"][:4])
    assert play.refused(ImportCharacter, BEN, data=without, replace=True) == "unknown-ability"
    play.do(Join, BEN, leave=True).do(ImportCharacter, BEN, data=without, replace=True)
    later = replace(
        play.state, characters={key: each for key, each in play.state.characters.items() if key != "k2"}
    )
    assert stranded(look(later), ()) == frozenset()


def test_who_is_forgotten_leaves_no_words_and_no_help_behind() -> None:
    play = (
        Play(table()).team().do(Join, BEN, as_="Boris", approach=HELP).do(Join, GM, as_="Sidor", approach="x")
    )
    play.do(Answer, GM, kind="roll", difficulty="Easy").do(Roll, ANN, 5, 2)
    play.team(approach="again").do(Join, BEN, as_="Bess", approach=HELP).do(
        Join, GM, as_="Sidor", approach="x"
    )
    play.do(ForgetPerson, BEN)
    assert HELP not in str(play.state)
    assert [each.character for each in play.state.challenges["c1"].helpers] == ["k2", "k4"]
    assert [(each.character, each.approach) for each in play.check.helpers] == [("k4", "x")]
    play.do(Answer, GM, kind="roll", difficulty="Easy").do(Roll, ANN, 5, 2)


def test_a_helper_who_is_given_away_helps_on() -> None:
    play = Play(table()).team().do(Join, BEN, as_="Boris")
    play.do(Give, BEN, character="Boris", to="p2")
    assert play.verbs(BEN) == ["join"]
    assert play.verbs(ANN) == ["revise", "withdraw", "join", "leave"]


# --- contests -----------------------------------------------------------------------------------------------


@pytest.mark.rule("BAR-OPPOSED")
def test_both_sides_of_a_contest_choose_in_secret() -> None:
    play = Play(table()).contest(target="Boris", tool="indirect")
    assert (play.check.opposed, COURSE.measured(play.check)) == (True, True)
    assert play.view().veiled and IDEA not in str(play.view(BEN)) and IDEA in str(play.view(ANN))
    assert play.view(BEN).notes[-1].params == {"mode": "indirect"}, "how it is done everybody may know"
    play.do(Answer, GM, kind="roll", difficulty="Tricky")
    assert play.pings() == ("p3",)
    assert str(play.view(BEN).target) == str(play.view(GM).target) != "None", "one difficulty for both"
    assert play.verbs(BEN) == ["defend"]
    assert play.refused(Roll, ANN) == "needs-defence"
    play.do(Defend, BEN, skill="Climbing", approach="over the fence")
    assert play.pings() == ("p2",)
    assert "over the fence" not in str(play.view(ANN))
    play.do(Roll, ANN, 6, 3, 2, 1)
    assert "over the fence" in str(play.view()) and IDEA in str(play.view())
    assert play.pings() == ()


@pytest.mark.rule("BAR-OPPOSED")
def test_a_hidden_difficulty_of_a_contest_is_hidden_from_both() -> None:
    play = Play(table()).contest(target="Boris", tool="indirect")
    play.do(Answer, GM, kind="roll", difficulty="9137", hidden=True)
    for who in (ANN, BEN, None):
        assert "9137" not in str(play.view(who)), who
    assert "9137" in str(play.view(GM))


def test_against_npcs_there_is_a_difficulty() -> None:
    play = Play(table(live=True))
    fields: dict[str, Any] = {"kind": "contest", "target": "Boris", "difficulty": "Tricky"}
    assert play.refused(Propose, ANN, **fields) == "no-difficulty-here"
    play.do(Propose, ANN, 6, **{**fields, "target": "Sidor"})
    assert (play.check.opposed, play.check.status) == (False, "settled")
    play.contest(target="Boris", tool="indirect", difficulty="Tricky", skill=None)
    assert play.check.status == "answered" and play.pings() == ("p3",)


def test_what_is_no_contest() -> None:
    play = Play(table())
    assert play.refused(Propose, ANN, kind="contest") == "which-target"
    assert play.refused(Propose, ANN, kind="contest", target="Anna") == "target-is-self"
    assert play.refused(Propose, ANN, kind="contest", target="Spy") == "unknown-character"


def test_a_private_contest_is_told_to_both_sides_alone() -> None:
    play = Play(table()).contest(target="Boris", visibility="private")
    assert [event.audience.people or event.audience.gms for event in play.seen()] == [("p2",), ("p3",), True]
    assert play.verbs(EVE) == []


def test_an_idea_is_needed_only_where_the_rules_say_so() -> None:
    play = Play(table()).do(Propose, ANN, skill="Climbing").do(Answer, GM, kind="roll", difficulty="Easy")
    assert "roll" in play.verbs(ANN)
    play.do(Roll, ANN, 5, 2)


def test_an_outline_tells_what_will_be_asked_for() -> None:
    state = table()

    def outline(**fields: Any) -> AnyChallenge:
        return outlined(state, Propose(**by(ANN), skill="Juggling", **fields), look(state))

    assert COURSE.measured(outline(kind="team"))
    assert not COURSE.measured(outline(kind="contest", target="Boris"))
    assert COURSE.measured(outline(kind="contest", target="Boris", tool="indirect"))
    assert COURSE.measured(outline(kind="contest", target="Sidor"))


def test_a_team_may_be_changed_and_withdrawn() -> None:
    play = Play(table()).team().do(Join, BEN, as_="Boris")
    play.do(Revise, ANN, approach="with a winch")
    assert play.helpers() == ["k2"], "who helps goes on helping"
    assert play.do(Withdraw, ANN).check.status == "withdrawn"
    assert play.verbs(BEN) == []


# --- campaigns ----------------------------------------------------------------------------------------------


def opened(**fields: Any) -> TableState:
    action = CreateTable(**by(GM), name="Marshes", system="ebb", **fields)
    return resolve(None, action, Scripted(())).state


def test_a_table_opens_with_a_campaign() -> None:
    assert opened().campaign == Pact("full")
    assert opened(campaign={"moon": "new"}).campaign == Pact("new")
    with pytest.raises(RulesError, match="bad-character"):
        opened(campaign={"moon": "green"})


def test_a_gm_changes_the_campaign_and_everybody_hears_of_it() -> None:
    play = Play(opened())
    assert play.refused(ChangeCampaign, ANN, data={"moon": "new"}) == "gm-only"
    assert play.refused(ChangeCampaign, GM, data={}) == "nothing-to-change"
    play.do(ChangeCampaign, GM, data={"moon": "new"})
    (event,) = play.events
    assert isinstance(event, CampaignChanged) and event.audience.everyone
    assert event.lines == look(replace(play.state, campaign=Pact("new"))).describe_campaign()


def test_a_campaign_goes_with_the_table() -> None:
    state = opened(campaign={"moon": "new"})
    written = write_table(state, look(state))
    assert written["campaign"] == {"moon": "new"}
    play = Play(opened()).do(ImportTable, GM, data=written, owners={})
    assert play.state.campaign == Pact("new")
    without = {key: value for key, value in written.items() if key != "campaign"}
    assert Play(opened(campaign={"moon": "new"})).do(
        ImportTable, GM, data=without, owners={}
    ).state.campaign == Pact("new")
    for broken in ({"moon": "green"}, ["moon"]):
        with pytest.raises(RulesError, match="bad-table"):
            Play(opened()).do(ImportTable, GM, data={**written, "campaign": broken}, owners={})
