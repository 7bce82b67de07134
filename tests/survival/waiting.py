"""What people do about being waited for, only to be done, and what must go on after a death."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from weakref import WeakKeyDictionary

from tests.discord.ego.table import FIGHTER
from tests.loopback.interactions import Interaction
from tests.loopback.models import Channel, Message, walk
from tests.survival.edge_of_process import PATIENCE, Rim, has_button, upload

Act = Callable[[], Interaction]
Flow = tuple[Callable[[Rim, Channel], Awaitable[Act]], Callable[[Rim, Channel], Awaitable[object]]]

_CLIMB = {"skill": "Climbing", "attribute": "Fitness", "approach": "up the drainpipe, slowly"}
_STANDS = "Let it stand"
#: A blow of the ogre's kills Boris.
_FRAIL = {"armour": None, "vitality": 1, "karma": 0}
_OGRE = {"profile": "att 12, defense 2, vitality 12, ar 5, damage 9"}


def _shown(message: Message) -> str:
    return "\n".join(message.texts())


# --- a say before a check stands ------------------------------------------------------------------


async def _answer(rim: Rim, place: Channel, level: str = "Tricky") -> None:
    """Gina lets Ana roll."""
    panel = await rim.panel(rim.gina, place, "Answer")
    panel = await rim.choose(rim.gina, panel, "Difficulty", level)
    await rim.press(rim.gina, panel, "Call for a roll").answered(PATIENCE)
    await rim.settled()


async def _roll(rim: Rim, place: Channel) -> None:
    await rim.press(rim.ana, rim.with_button(place, "Roll"), "Roll").answered(PATIENCE)
    await rim.settled()


async def wanting_a_say(rim: Rim, place: Channel) -> Act:
    """Ben is about to press Wait for me on Ana's proposal."""
    await rim.do(rim.ana, place, "check", **_CLIMB)
    panel = await rim.panel(rim.ben, place, "React")
    return lambda: rim.press(rim.ben, panel, "Wait for me")


async def has_a_say(rim: Rim, place: Channel) -> None:
    """The result waits for Ben alone, and his answer ends that."""
    await _answer(rim, place)
    await _roll(rim, place)
    message = rim.with_button(place, "Accept result")
    assert "Ben decides" in _shown(message), _shown(message)
    await rim.press(rim.ben, message, "Accept result").answered(PATIENCE)
    await rim.settled()
    assert "Final" in _shown(rim.with_button(place, "Step in"))


# --- a step-in that comes too late ----------------------------------------------------------------


async def asking_to_step_in(rim: Rim, place: Channel) -> Act:
    """Ana is about to ask the GM, because Marek was changed since her result."""
    panel = await _failure(rim, place)
    await rim.click(rim.ana, panel, "Re-roll d8")
    await rim.do(rim.gina, place, "gm adjust", character="Marek", what="fate", value="1")
    panel = await rim.panel(rim.ana, place, "Step in")
    late = await rim.click(rim.ana, panel, "Re-roll d8")
    return lambda: rim.press(rim.ana, late, "Ask")


async def _failure(rim: Rim, place: Channel) -> Message:
    """A result that a re-roll may change; what Ana's Step in opens."""
    for _ in range(20):  # the dice fall as they fall
        await rim.do(rim.ana, place, "check", **_CLIMB)
        await _answer(rim, place, "Legendary")
        await _roll(rim, place)
        panel = await rim.panel(rim.ana, place, "Step in")
        if has_button(panel, "Re-roll d8"):
            return panel
    raise AssertionError("no roll can be changed")


async def question_is_answered(rim: Rim, place: Channel) -> None:
    """The GM has one question, and it lets the choice in once."""
    await rim.settled()
    listed = await _listed(rim, place)
    assert _here(listed).count("asks to step in") == 1, _shown(listed)
    (label,) = (each for each in _labels(listed) if each.startswith("Answer"))
    question = await rim.click(rim.gina, listed, label)
    # What builds on the result is shown first.
    preview = await rim.click(rim.gina, question, "Let it in")
    await rim.press(rim.gina, preview, "Change it").answered(PATIENCE)
    await rim.settled()
    assert "asks to step in" not in _here(await _listed(rim, place))


async def _listed(rim: Rim, place: Channel) -> Message:
    """What Gina may do."""
    shown = (await rim.do(rim.gina, place, "moves")).response
    assert shown is not None
    return shown


def _here(listed: Message) -> str:
    """What of it is about this table."""
    return _shown(listed).partition("open the channel")[0]


def _labels(message: Message) -> list[str]:
    return [item["label"] for item in walk(message.components) if item.get("label")]


# --- turns ----------------------------------------------------------------------------------------


async def gather(rim: Rim, place: Channel) -> None:
    """Marek's turn; Ilka's is next."""
    await rim.do(rim.gina, place, "gm settings", setting="block_turns", value="off")
    await rim.do(rim.gina, place, "initiative start")
    await rim.do(rim.ana, place, "initiative join")
    await rim.do(rim.ben, place, "initiative join")
    await rim.do(rim.gina, place, "initiative next")
    await rim.settled()


async def ending_a_turn(rim: Rim, place: Channel) -> Act:
    """Ana is about to end her turn, though her check is open."""
    await gather(rim, place)
    await rim.do(rim.ana, place, "check", **_CLIMB)
    await rim.settled()
    message = rim.with_button(place, "End turn")
    return lambda: rim.press(rim.ana, message, "End turn")


def _board(rim: Rim, place: Channel) -> str:
    (board,) = (each for each in rim.said(place) if has_button(each, "Join"))
    return _shown(board)


async def turn_ends_by_itself(rim: Rim, place: Channel) -> None:
    """The kept end is on the board, and Ilka's turn comes with the end of the check."""
    assert "turn ends when this is over" in _board(rim, place)
    await _answer(rim, place)
    await _roll(rim, place)
    assert "▸ **Ilka**" in _board(rim, place), _board(rim, place)


# --- what only the clock makes --------------------------------------------------------------------


#: Days that have passed on a server, so that each flow waits from where the last has ended.
_PASSED: WeakKeyDictionary[Rim, float] = WeakKeyDictionary()


async def wait_days(rim: Rim, days: float) -> None:
    """End the bot, and let it find on its next start that so many more days have passed."""
    _PASSED[rim] = _PASSED.get(rim, 0.0) + days
    await rim.settled()
    await rim.stop()
    rim.turn_clock(_PASSED[rim])
    await rim.start()
    await rim.settled()


async def returning(rim: Rim, place: Channel) -> Act:
    """The clock has let Marek wait, and Ana is about to act now."""
    await gather(rim, place)
    await wait_days(rim, 2.1)
    message = rim.with_button(place, "Act now")
    return lambda: rim.press(rim.ana, message, "Act now")


async def waits_once(rim: Rim, place: Channel) -> None:
    """The clock has let Marek wait once, and Act now brings him back."""
    told = [each for each in map(_shown, rim.said(place)) if "Time ran out: Marek delays" in each]
    assert len(told) == 1, told
    assert "▸ **Ilka**" in _board(rim, place), _board(rim, place)
    message = rim.with_button(place, "Act now")
    await rim.press(rim.ana, message, "Act now").answered(PATIENCE)
    await is_back(rim, place)


async def is_back(rim: Rim, place: Channel) -> None:
    """It is Marek's turn again, and Ilka's comes afterwards."""
    await rim.settled()
    assert "▸ **Marek**" in _board(rim, place), _board(rim, place)
    await rim.do(rim.ana, place, "initiative next")
    await rim.settled()
    assert "▸ **Ilka**" in _board(rim, place), _board(rim, place)


async def frail_table(rim: Rim) -> Channel:
    """A new channel with a table of EGO: an ogre whose blows kill Ben's Boris."""
    sheets = {"Vesna": FIGHTER | {"name": "Vesna"}, "Boris": FIGHTER | _FRAIL | {"name": "Boris"}}
    place = await rim.begin("ego", sheets, grown=True)
    ogre = upload("Ogre", _OGRE | {"name": "Ogre"})
    await rim.do(rim.gina, place, "character import", file=ogre, npc=True, grown=True)
    await rim.do(rim.gina, place, "gm npc reveal", npc="Ogre")
    return place


async def _death_is_held(rim: Rim, place: Channel) -> Message:
    """The ogre strikes at Boris, nobody answers, and the GM is to decide; what Decide opens."""
    for _ in range(20):  # the dice fall as they fall
        await rim.do(rim.gina, place, "attack", target="Boris", as_="Ogre")
        await wait_days(rim, 1.1)
        if any(has_button(each, "Decide") for each in rim.said(place)):
            break
    return await rim.panel(rim.gina, place, "Decide")


async def letting_die(rim: Rim, place: Channel) -> Act:
    """Gina is about to let a death stand."""
    panel = await _death_is_held(rim, place)
    return lambda: rim.press(rim.gina, panel, _STANDS)


async def is_dead(rim: Rim, place: Channel) -> None:
    """Boris has died, and nothing is left to decide."""
    await rim.settled()
    said = [*map(_shown, rim.said(place))]
    assert sum("and dies" in each for each in said) == 1, said
    assert not any(has_button(each, "Decide") for each in rim.said(place))


async def strike(rim: Rim, place: Channel) -> None:
    """The ogre strikes at Boris, who hasn't answered yet."""
    await rim.do(rim.gina, place, "attack", target="Boris", as_="Ogre")
    await rim.settled()


async def nobody_has_died(rim: Rim, place: Channel) -> None:
    """The clock has answered for Ben once; where that would kill, only the GM can let it."""
    said = [*map(_shown, rim.said(place))]
    assert not any("and dies" in each for each in said), said
    held = [each for each in rim.said(place) if has_button(each, "Decide")]
    if not held:
        assert any("ran out of time" in each for each in said), said
        return
    panel = await rim.panel(rim.gina, place, "Decide")
    await rim.press(rim.gina, panel, _STANDS).answered(PATIENCE)
    await is_dead(rim, place)


async def leaving_open(rim: Rim, place: Channel) -> Act:
    """Gina is about to give Ben his time again."""
    panel = await _death_is_held(rim, place)
    return lambda: rim.press(rim.gina, panel, "Leave it open")


async def is_open_again(rim: Rim, place: Channel) -> None:
    """Ben defends with the buttons that he has."""
    panel = await rim.panel(rim.ben, place, "Defend")
    await rim.press(rim.ben, panel, "Pass").answered(PATIENCE)
    await rim.settled()
    assert not any(has_button(each, "Decide") for each in rim.said(place))


FLOWS: dict[str, Flow] = {
    "wait for me": (wanting_a_say, has_a_say),
    "ask to step in": (asking_to_step_in, question_is_answered),
    "kept end of a turn": (ending_a_turn, turn_ends_by_itself),
    "act now": (returning, is_back),
}
DEATHS: dict[str, Flow] = {
    "death stands": (letting_die, is_dead),
    "death left open": (leaving_open, is_open_again),
}
#: What waits for the clock, and what must be so once it has acted.
CLOCK: dict[str, tuple[Callable[[Rim, Channel], Awaitable[object]], ...]] = {
    "turn": (gather, waits_once),
    "death": (strike, nobody_has_died),
}
