"""Rounds of EGO: Karma for actions, initiative anew, Action Points, what ends and begins by
itself.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.core.errors import RulesError
from rules.core.rng import ScriptedRng
from rules.systems.ego.character.combat_values import body_of, points_of, with_body
from rules.systems.ego.character.sheet import Arm, EgoSheet, Power, Profile, Specialty, WornArmor
from rules.systems.ego.checks import rounds
from rules.systems.ego.formulas import damage
from rules.systems.ego.formulas.action_points import skill_use_cost
from rules.systems.ego.system import SYSTEM
from rules.table.actions import (
    Action,
    Actor,
    AddToEncounter,
    Begin,
    Choose,
    EndEncounter,
    JoinEncounter,
    NextTurn,
    Session,
    StartEncounter,
)
from rules.table.check import PASS
from rules.table.events import BoardChanged, Event
from rules.table.resolve import resolve
from rules.table.state import AnyCharacter, Character, Settings, TableState
from rules.table.system import Game
from tests.sample_table import ANN, BEN, GM, PLACE, by, patient

#: 15 is 5 dice, 9 is 3, 6 is 2.
ANNA = EgoSheet(agility=15, intellect=9, karma=5)
BORIS = EgoSheet(agility=9, intellect=6, karma=1)
ORC = EgoSheet(profile=Profile(5, 2, (4,), 12, 5))
MINE = {"p2": "k1", "p3": "k2"}


class Play:
    """A table of EGO and what happens at it."""

    def __init__(
        self, *others: AnyCharacter, anna: EgoSheet = ANNA, boris: EgoSheet = BORIS, **own: Any
    ) -> None:
        people = (
            Character("k1", "Anna", "p2", anna),
            Character("k2", "Boris", "p3", boris),
            *others,
        )
        shared = {key: own.pop(key) for key in Settings.__struct_fields__ if key in own}
        settings = Settings("Hills", "ego", ("p1",), own=own, **patient(shared))
        self.state = TableState(settings, characters={each.id: each for each in people})
        self.events: tuple[Event, ...] = ()

    def do(self, kind: type[Action], who: Actor = GM, /, *faces: int, **fields: Any) -> Play:
        dice, options = ScriptedRng(faces), {**by(who), **fields}
        outcome = resolve(SYSTEM, self.state, kind(**options), dice)
        assert dice.left == 0
        self.state, self.events = outcome.state, outcome.events
        return self

    def refused(self, kind: type[Action], who: Actor = GM, /, **fields: Any) -> RulesError:
        with pytest.raises(RulesError) as found:
            self.do(kind, who, **fields)
        return found.value

    def fight(self, *names: str) -> Play:
        self.do(StartEncounter).do(JoinEncounter, ANN).do(JoinEncounter, BEN)
        for name in names:
            self.do(AddToEncounter, GM, name=name)
        return self.do(NextTurn)

    def karma(self, who: Actor, *faces: int, **values: int) -> Play:
        (check,) = [each for each in self.state.open_checks if each.kind == rounds.ROUND_KIND]
        asked = check.prompt("karma")
        assert asked is not None
        fields = {
            "check": check.id,
            "prompt": "karma",
            "number": asked.number,
            "as_": (MINE[who.id],),
        }
        return self.do(
            Choose, who, *faces, option="spend" if values else PASS, values=values, **fields
        )

    def begin(self, *faces: int) -> Play:
        """The round begins, and nobody spends Karma."""
        return self.karma(ANN).karma(BEN, *faces)

    def next(self, *faces: int) -> Play:
        now = self.state.encounters[PLACE]
        later = [self.sheet(each.character or "") for each in now.order[now.turn + 1 :]]
        for _ in [each for each in later if not (each.down or each.stunned)]:
            self.do(NextTurn)
        return self.do(NextTurn, GM, *faces)

    def put(self, who: str, **changes: Any) -> Play:
        sheet = self.sheet(who).replace(**changes)
        self.state = self.state.with_character(self.state.characters[who].replace(sheet=sheet))
        return self

    def hit(self, who: str, points: int, *, lethal: bool = True, armor: int = 0) -> Play:
        sheet = self.sheet(who)
        hurt = damage.apply_hit(body_of(sheet), points, armor=armor, lethal=lethal)
        after = with_body(sheet, hurt.after)
        return self.put(
            who,
            lethal=after.lethal,
            non_lethal=after.non_lethal,
            down=after.down,
            round=after.round,
        )

    def sheet(self, who: str) -> EgoSheet:
        return self.state.characters[who].sheet

    def order(self) -> str:
        encounter = self.state.encounters[PLACE]
        names = [self.state.characters[each.character or ""].name for each in encounter.order]
        return f"{encounter.round}: {', '.join(names)}"

    def told(self) -> list[tuple[str, str]]:
        lines = [
            line for each in self.events if isinstance(each, BoardChanged) for line in each.lines
        ]
        told = [
            (str(line.params["how"]), str(line.params["name"]))
            for line in lines
            if line.code == "ego-tick"
        ]
        return [each for each in told if each[0] != "passes"]

    def game(self) -> Game:
        return Game(self.state, SYSTEM, ScriptedRng(()), 0, GM)


def npc(id: str, name: str, sheet: EgoSheet = ORC, group: str = "") -> AnyCharacter:
    return Character(id, name, None, sheet, group=group)


# --- initiative -----------------------------------------------------------------------------------


@pytest.mark.rule("EGO-CMB-01", "EGO-INI-01")
def test_initiative_is_rolled_anew_each_round() -> None:
    """The faces of the Agility dice, and the Intellect dice."""
    play = Play().fight()
    assert play.state.encounters[PLACE].opening
    play.begin(1, 1, 1, 1, 1, 6, 6, 6)
    assert play.order() == "1: Boris, Anna"
    assert [each.score for each in play.state.encounters[PLACE].order] == [(20, 9, 6), (8, 15, 9)]
    play.next().begin(2, 2, 2, 2, 2, 1, 1, 1)
    assert play.order() == "2: Anna, Boris"


@pytest.mark.rule("EGO-INI-01", "EGO-IMP-01")
def test_impairment_counts_for_initiative_and_successes_where_the_table_plays_so() -> None:
    play = Play(initiative_mode="successes").put("k1", lethal=5).fight()
    play.begin(5, 6, 4, 1, 1, 5, 1, 1)
    assert [each.score for each in play.state.encounters[PLACE].order] == [(3, 9, 6), (1, 15, 9)]


@pytest.mark.rule("EGO-INI-01")
def test_a_group_of_npcs_rolls_once() -> None:
    """Those of a group act together, each with their own impairment."""
    goblins = [
        npc(f"k{at}", f"Goblin {at}", ORC.replace(lethal=3 * (at == 5)), "Goblin") for at in (4, 5)
    ]
    play = Play(*goblins).fight("Goblin").begin(1, 1, 1, 1, 1, 1, 1, 1, 6, 6)
    scores = {each.character: each.score for each in play.state.encounters[PLACE].order}
    assert (scores["k4"], scores["k5"]) == ((12,), (10,))


@pytest.mark.rule("EGO-INI-01")
def test_ties_go_by_the_scores_and_against_enemies_by_dice() -> None:
    play = Play().fight().begin(2, 2, 2, 1, 1, 3, 3, 3)
    assert [each.score for each in play.state.encounters[PLACE].order] == [(11, 15, 9), (11, 9, 6)]
    play = Play(npc("k3", "Orc")).fight("Orc")
    play.begin(2, 2, 2, 1, 1, 3, 3, 3, 6, 5, 2, 4, 2, 3, 1)
    # Anna, Boris and the orc throw 2, 4 and 2, then Anna and the orc 3 and 1: of the two characters
    # Anna, with the higher Agility, has the better die.
    assert play.order() == "1: Anna, Boris, Orc"


@pytest.mark.rule("EGO-INI-01", "EGO-SPC-03")
def test_fast_draw_counts_in_the_first_round_for_whoever_carries_a_gun() -> None:
    draws = ANNA.replace(specialties=(Specialty("Fast Draw", 2),), arms=(Arm("Assault rifle"),))
    play = Play(anna=draws).fight().begin(1, 1, 1, 1, 1, 1, 1, 1, 1, 1)
    assert play.state.encounters[PLACE].order[0].score == (10, 15, 9)
    play.next().begin(1, 1, 1, 1, 1, 1, 1, 1)
    assert play.state.encounters[PLACE].order[0].score == (8, 15, 9)


@pytest.mark.rule("EGO-NME-01")
def test_an_enemy_rolls_by_its_profile() -> None:
    """As many dice as Def unless it has its own, and its bonus; whoever joins later rolls
    at once.
    """
    wolf = npc("k4", "Wolf", EgoSheet(profile=Profile(3, 3, (2,), 6, initiative=1, bonus=4)))
    play = Play(npc("k3", "Orc"), wolf).fight("Orc").begin(1, 1, 1, 1, 1, 1, 1, 1, 5, 4)
    assert play.state.encounters[PLACE].order[0].score == (9,)
    play.do(AddToEncounter, GM, 6, name="Wolf")
    assert play.order() == "1: Wolf, Orc, Anna, Boris"


# --- Karma ----------------------------------------------------------------------------------------


@pytest.mark.rule("EGO-KAR-04", "EGO-KAR-02", "EGO-AP-01")
def test_karma_buys_points_and_dice_before_initiative() -> None:
    play = Play().fight().karma(ANN, points=2, dice=1)
    assert (play.sheet("k1").karma, points_of(play.sheet("k1")).all) == (2, 7)
    play.karma(BEN, 1, 1, 1, 1, 1, 6, 1, 1, 1)
    assert play.state.encounters[PLACE].order[0].score == (14, 15, 9)
    assert play.sheet("k1").round.karma_dice == 1
    play.next()
    assert points_of(play.sheet("k1")).all == 5, "the next round has its own"


def test_nobody_spends_more_karma_than_there_is() -> None:
    play = Play().fight()
    (check,) = play.state.checks.values()
    asked = check.asked[0].number
    fields = {
        "check": check.id,
        "prompt": "karma",
        "number": asked,
        "as_": ("k2",),
        "option": "spend",
    }
    assert play.refused(Choose, BEN, values={"points": 1, "dice": 1}, **fields).code == "not-enough"
    assert play.refused(Choose, BEN, values={"dice": 4}, **fields).code == "bad-form"
    assert play.sheet("k2").karma == 1


def test_whoever_cannot_act_is_not_asked() -> None:
    play = Play().put("k1", down="unconscious").put("k2", stunned=2)
    play.do(StartEncounter).do(JoinEncounter, ANN).do(JoinEncounter, BEN).do(NextTurn, GM, *[1] * 8)
    assert not [each for each in play.state.checks.values() if each.is_open]


# --- Action Points --------------------------------------------------------------------------------


@pytest.mark.rule("EGO-AP-01", "EGO-AP-02", "EGO-AP-04")
def test_points_are_paid_and_more_than_there_are_only_by_a_lone_action() -> None:
    play = Play().fight().begin(*[1] * 8)
    game, over = rounds.pay(play.game(), "k1", 2, 1)
    assert (over, points_of(game.sheet("k1")).left) == (0, 3)
    with pytest.raises(RulesError) as found:
        rounds.pay(game, "k1", 4, 1)
    assert found.value.code == "ego-no-ap"
    game, over = rounds.pay(play.game(), "k1", skill_use_cost(50), 1)
    assert over == 2, "50 seconds take 7 of 5 points"
    with pytest.raises(RulesError) as found:
        rounds.pay(game, "k1", 1, 1)
    assert found.value.code == "ego-round-taken"
    game = play.game()
    assert rounds.pay(game, "k1", 9, None) == (game, 0), "no rounds, no points"


@pytest.mark.rule("EGO-EFF-02", "EGO-EFF-03")
def test_whoever_is_stunned_or_down_does_nothing() -> None:
    for changes in ({"stunned": 1}, {"down": "unconscious"}):
        with pytest.raises(RulesError) as found:
            rounds.pay(Play().put("k1", **changes).game(), "k1", 1, 1)
        assert found.value.code == "ego-cannot-act"


@pytest.mark.rule("EGO-AP-01", "EGO-AP-02")
@given(st.lists(st.tuples(st.integers(0, 9), st.booleans()), max_size=12), st.integers(0, 5))
def test_points_spent_are_never_above_what_is_allowed(
    deeds: list[tuple[int, bool]], bought: int
) -> None:
    """More is spent by one thing alone."""
    play = Play()
    now = play.sheet("k1").round.replace(number=1, bonus=bought)
    game = play.put("k1", round=now).game()
    done: list[int] = []
    for price, whole in deeds:
        try:
            game, over = rounds.pay(game, "k1", price, 1, whole=whole)
        except RulesError:
            continue
        done += [price] if price else []
        points = points_of(game.sheet("k1"))
        assert points.spent == sum(done)
        assert points.spent <= points.all or (len(done) == 1 and points.alone)
        assert over in (0, max(0, price - points.all))


# --- what ends and begins by itself ---------------------------------------------------------------


@pytest.mark.rule("EGO-ARM-02")
def test_armor_wears_at_the_end_of_the_round() -> None:
    """Once, where as much was stopped as it stops at most; an enemy's too."""
    play = (
        Play(npc("k3", "Orc"), anna=ANNA.replace(armour=WornArmor("Leather", 5, 5)))
        .fight("Orc")
        .begin(*[1] * 10)
    )
    play.hit("k1", 3, armor=5).hit("k1", 4, armor=5).hit("k3", 9, armor=5).next()
    assert (play.sheet("k1").armour, play.sheet("k3").profile) == (
        WornArmor("Leather", 4, 5),
        replace_ar(4),
    )
    assert play.told() == [("armour", "Anna"), ("armour", "Orc")]
    play.begin(*[1] * 10).next()
    assert play.sheet("k1").armour == WornArmor("Leather", 4, 5), (
        "what was stopped counts for its round alone"
    )


def replace_ar(ar: int) -> Profile:
    assert ORC.profile is not None
    return ORC.profile.replace(ar=ar)


@pytest.mark.rule("EGO-EFF-02", "EGO-REC-02")
def test_stun_counts_from_the_next_round_on_and_passes() -> None:
    play = Play().fight().begin(*[1] * 8).hit("k1", 11, lethal=False).next()
    assert play.sheet("k1").stunned == 1
    assert play.told() == [("stunned", "Anna"), ("recovers", "Anna")]
    assert play.sheet("k1").non_lethal == 7, "four Vitality dice come back"
    assert points_of(play.sheet("k1")).all == 0
    play.karma(BEN, *[1] * 8).next()
    assert play.sheet("k1").stunned == 0
    assert play.told() == [("stun-over", "Anna"), ("recovers", "Anna")]


@pytest.mark.rule("EGO-FX-06")
def test_regeneration_heals_at_the_end_of_the_round() -> None:
    """Non-lethal damage first; the unconscious too, the dead no more."""
    play = Play(anna=ANNA.replace(powers=(Power("Regeneration", 3),), lethal=2)).fight()
    play.begin(*[1] * 8).hit("k1", 1, lethal=False).next(5, 6, 4)
    assert (play.sheet("k1").lethal, play.sheet("k1").non_lethal) == (1, 0)
    assert play.told() == [("regenerates", "Anna")]
    play.begin(*[1] * 8).put("k1", lethal=10, down="dead").next()
    assert play.sheet("k1").lethal == 10


@pytest.mark.rule("EGO-CMB-01")
def test_what_ends_with_a_round_comes_in_the_order_of_the_rules() -> None:
    """Armor, stun, Regeneration; then the next round begins with recovery."""
    both = {"armour": WornArmor("Leather", 5, 5), "powers": (Power("Regeneration", 1),)}
    play = Play(anna=ANNA.replace(**both), boris=BORIS.replace(**both)).fight().begin(*[1] * 8)
    for who in ("k1", "k2"):
        play.hit(who, 17, lethal=False, armor=5)
    play.next(6, 6, *[1] * 8)
    codes = ["armour", "stunned", "regenerates", "recovers"]
    assert play.told() == [(code, name) for code in codes for name in ("Anna", "Boris")]


@pytest.mark.rule("EGO-EFF-03")
def test_when_the_fight_is_over_the_unconscious_wake() -> None:
    """With a Stun point at least; the dead stay so. The round that was under way ends first."""
    play = Play(
        npc("k3", "Orc", ORC.replace(lethal=12, down="dead")),
        anna=ANNA.replace(armour=WornArmor("Leather", 5, 5)),
    )
    # The dead orc throws no initiative.
    play.fight("Orc").begin(*[1] * 8).hit("k1", 30, lethal=False, armor=5)
    assert play.sheet("k1").down == "unconscious"
    play.do(EndEncounter)
    assert (play.sheet("k1").down, play.sheet("k1").non_lethal, play.sheet("k1").stunned) == (
        "",
        19,
        0,
    )
    assert play.told() == [("armour", "Anna"), ("wakes", "Anna")]
    assert play.sheet("k3").down == "dead"
    assert play.sheet("k1").round == play.sheet("k2").round == EgoSheet().round


@pytest.mark.rule("EGO-ADV-02")
def test_luck_is_whole_again_with_the_next_session() -> None:
    play = Play().put("k1", lucky=2, unlucky=1).do(Session, start=True)
    assert (play.sheet("k1").lucky, play.sheet("k1").unlucky) == (0, 0)


@pytest.mark.rule("EGO-ARM-02")
@given(st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=8), st.integers(0, 12))
def test_armor_is_never_below_nothing(hits: list[tuple[int, bool]], ar: int) -> None:
    """Once a round at most, and never below 0."""
    play = (
        Play(anna=ANNA.replace(vitality=60, armour=WornArmor("Chain", ar, 12)))
        .fight()
        .begin(*[1] * 8)
    )
    for points, lethal in hits:
        before = play.sheet("k1").armour
        assert before is not None
        play.hit("k1", points, lethal=lethal, armor=before.ar).next()
        after = play.sheet("k1").armour
        assert after is not None and max(0, before.ar - 1) <= after.ar <= before.ar
        asked = [each for each in play.state.checks.values() if each.is_open]
        dice = [1] * (3 if play.sheet("k1").down == "dead" else 8)
        for check in asked:
            for who in check.asked[0].waiting_for:
                play.karma(
                    ANN if who == "k1" else BEN,
                    *(dice if who == check.asked[0].waiting_for[-1] else ()),
                )


@pytest.mark.rule("EGO-KAR-01", "EGO-KAR-02", "EGO-KAR-04")
@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=5))
def test_karma_is_never_below_nothing(rounds_: list[tuple[int, int]]) -> None:
    """However much is asked for round by round, what there is is paid and no more."""
    play = Play(boris=BORIS.replace(down="unconscious"), open_points=False).fight()
    for points, dice in rounds_:
        have = play.sheet("k1").karma
        faces = [1] * (5 + dice + 3)
        if points + dice > have:
            with pytest.raises(RulesError):
                play.karma(ANN, *faces, points=points, dice=dice)
            assert play.sheet("k1").karma == have
            points, dice, faces = 0, 0, [1] * 8
        play.karma(ANN, *faces, **({"points": points, "dice": dice} if points + dice else {}))
        sheet = play.sheet("k1")
        assert sheet.karma == have - points - dice >= 0
        assert (points_of(sheet).all, sheet.round.karma_dice) == (5 + points, dice)
        play.next()


# --- a fight that ends with something open --------------------------------------------------------


def test_a_fight_that_ends_before_its_round_has_begun_asks_nobody_for_karma_any_more() -> None:
    play = Play().fight().do(EndEncounter)
    assert not play.state.open_checks
    play.fight().begin(1, 1, 1, 1, 1, 6, 6, 6)
    assert play.order() == "1: Boris, Anna"


def test_what_a_fight_leaves_open_holds_up_no_round_of_the_next() -> None:
    play = Play().fight().begin(1, 1, 1, 1, 1, 6, 6, 6)
    play.do(Begin, ANN, kind="check", values={"skill": "Acrobatics"})
    play.do(NextTurn).do(NextTurn)
    assert play.state.encounters[PLACE].ended, "the round's end waits for the check"
    play.do(EndEncounter).fight().begin(1, 1, 1, 1, 1, 6, 6, 6).do(NextTurn).do(NextTurn)
    assert play.state.encounters[PLACE].round == 2
