"""The clock kills no player's character: what would follow from its answer the GMs decide."""

from __future__ import annotations

import pytest

from rules.core.errors import Impossible, NotPermitted
from rules.core.rng import KeyedStreams
from rules.table.actions import Due, EndCheck, Retire
from rules.table.blocks import Verdict
from rules.table.check import PASS, Orders
from rules.table.checks.deaths import DEATH, LEAVE_OPEN, STAND
from rules.table.checks.prompt_times import pending_waits
from rules.table.checks.standing_orders import with_orders
from rules.table.events import CheckChanged
from rules.table.state import DAY
from tests.rules.ego.play import HERO, Play, table
from tests.sample_table import ANN, BEN, CLOCK, GM

#: A single point of lethal damage kills her.
DYING = HERO.replace(lethal=11, armour=None)


def attack_vesna(*, karma: int = 5, **settings: bool) -> Play:
    """An orc strikes at Vesna, whose player doesn't answer."""
    play = Play(table(live=False, attacks_at_once=True, step_in_time=DAY, **settings))
    vesna = play.state.characters["k1"]
    play.state = play.state.with_character(vesna.replace(sheet=DYING.replace(karma=karma)))
    return play.begin(GM, "attack", target="Vesna", as_="Orc")


def time_up(play: Play, seed: bytes = b"s") -> None:
    """The clock answers whatever is open, until it is over or the GMs decide."""
    for number in range(9):
        waits = [each for each in pending_waits(play.check) if each.default is not None]
        if not waits:
            return
        play.at = waits[0].due
        play.do(Due, CLOCK, wait=waits[0].id, rng=dice(seed + bytes([number])))


def dice(seed: bytes) -> KeyedStreams:
    return KeyedStreams(seed * 32, seed * 32, "due:1")


def faces(play: Play) -> str:
    return repr([each for each in play.blocks(GM) if type(each).__name__ == "Roll"])


def killing_seed(karma: int = 5, **settings: bool) -> bytes:
    """Dice with which the orc kills her."""
    for number in range(64):
        seed = bytes([number + 1])
        play = attack_vesna(karma=karma, **settings)
        time_up(play, seed)
        if play.check.held_death is not None:
            return seed
    raise AssertionError("no dice kill her")


def test_a_death_by_the_clock_is_not_written_and_the_gms_are_called() -> None:
    seed, play = killing_seed(), attack_vesna()
    before = play.state.characters
    time_up(play, seed)
    assert play.state.characters == before
    assert play.check.held_death is not None
    assert play.check.held_death.who == ("k1",)
    assert {each.prompt.key: each.waiting_for for each in play.check.asked} == {DEATH: ("",)}
    checks = [each for each in play.events if isinstance(each, CheckChanged)]
    told = next(each for each in checks if each.audience.everyone)
    assert told.ping_gms
    verdict = next(each for each in told.blocks if isinstance(each, Verdict))
    assert verdict.text.code == "check-would-kill"
    for seconds in (DAY, 7 * DAY, 60 * DAY):
        play.at += seconds
    for wait in pending_waits(play.check):
        assert wait.default is None, "it stays with the GMs, however long they take"


def test_what_stands_has_the_same_dice_whatever_falls_later() -> None:
    seed = killing_seed()
    sheets: list[object] = []
    rolls: list[str] = []
    play = attack_vesna()
    for later in (b"x", b"y"):
        play = attack_vesna()
        time_up(play, seed)
        play.choose(GM, DEATH, STAND, rng=dice(later))
        assert not play.check.is_open
        sheets.append(play.state.characters["k1"].sheet)
        rolls.append(faces(play))
    assert sheets[0] == sheets[1]
    assert rolls[0] == rolls[1]
    assert play.game().sheets.is_dead(sheets[0])


def test_left_open_it_gives_the_player_the_time_again() -> None:
    seed, play = killing_seed(), attack_vesna()
    time_up(play, seed)
    assert play.check.held_death is not None
    key, revision = play.check.held_death.prompt, play.check.revision
    play.choose(GM, DEATH, LEAVE_OPEN)
    asked = play.check.prompt(key)
    assert asked is not None
    assert play.check.held_death is None
    assert asked.waiting_for == ("k1",)
    assert asked.due == play.at + DAY
    assert asked.number > revision
    assert [each.ping for each in play.events if each.ping] == [("p2",)]
    time_up(play, seed)
    assert play.check.held_death is not None, "the clock kills nobody the second time either"


def test_players_do_not_decide_and_the_gm_may_end_it() -> None:
    seed, play = killing_seed(), attack_vesna()
    time_up(play, seed)
    asked = play.check.prompt(DEATH)
    assert asked is not None
    with pytest.raises(NotPermitted, match="gm-only"):
        play.choose(ANN, DEATH, STAND)
    play.do(EndCheck, GM, check=play.check.id)
    assert not play.check.is_open
    assert play.state.characters["k1"].sheet == DYING


@pytest.mark.parametrize("asks", ["ask me", "wait for everybody"])
def test_nobody_new_is_asked_when_it_stands(asks: str) -> None:
    seed, rolls = killing_seed(karma=0, wait_for_everybody=False), list[str]()
    for changed in (False, True):
        play = attack_vesna(karma=0, wait_for_everybody=False)
        time_up(play, seed)
        if changed and asks == "ask me":
            play.state = with_orders(play.state, "k2", Orders(ask_results=True))
        elif changed:
            settings = play.state.settings.replace(wait_for_everybody=True)
            play.state = play.state.replace(settings=settings)
        play.choose(GM, DEATH, STAND, rng=dice(b"x"))
        sheet = play.state.characters["k1"].sheet
        assert play.game().sheets.is_dead(sheet), "it isn't asked of anybody first"
        rolls.append(f"{sheet} {faces(play)}")
    assert rolls[0] == rolls[1]


def test_another_silence_has_the_same_dice() -> None:
    seed, play = killing_seed(), attack_vesna()
    time_up(play, seed)
    first = play.check.held_death
    play.choose(GM, DEATH, LEAVE_OPEN)
    time_up(play, b"x")
    again = play.check.held_death
    assert first is not None
    assert again is not None
    assert again.dice == first.dice
    play.choose(GM, DEATH, LEAVE_OPEN)
    time_up(play, b"y")
    assert play.check.held_death is not None
    play.choose(GM, DEATH, STAND, rng=dice(b"z"))
    assert play.check.kept_dice == ()


def test_an_answer_of_the_player_has_its_own_dice() -> None:
    seed, play = killing_seed(), attack_vesna()
    time_up(play, seed)
    assert play.check.held_death is not None
    key = play.check.held_death.prompt
    play.choose(GM, DEATH, LEAVE_OPEN)
    assert play.check.kept_dice
    play.choose(ANN, key, PASS, rng=dice(b"x"))
    assert play.check.kept_dice == ()


def test_whoever_is_not_concerned_may_retire_meanwhile() -> None:
    seed, play = killing_seed(), attack_vesna()
    time_up(play, seed)
    play.do(Retire, BEN, character="Boris")
    assert play.check.held_death is not None
    with pytest.raises(Impossible, match="open-checks"):
        play.do(Retire, ANN, character="Vesna")
    play.choose(GM, DEATH, STAND, rng=dice(b"x"))
    assert play.game().sheets.is_dead(play.state.characters["k1"].sheet)
