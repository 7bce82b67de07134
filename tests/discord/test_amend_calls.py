"""`/gm amend` of a call for rolls: other values, with the rolls that were made on their dice."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.amend_steps import carry_out, correct, entry_of, preview, undo_exactly
from tests.discord.barmore import bar_table
from tests.discord.ego import table as ego
from tests.discord.masterbook import table as masterbook
from tests.discord.test_gm_call import CLIMB, DAY, SEAL
from tests.discord.world import World, head, labels, message_of, private, refusal_of, texts


def _call(world: World) -> str:
    """Return the message with the lines of the newest call, with plain spaces."""
    for message in reversed(world.messages()):
        if "Details" in labels(message) and texts(message).startswith("## "):
            return texts(message).replace("\u00a0", " ")
    raise AssertionError("no call")


async def _open_table(world: World, system: str) -> None:
    if system == "barmore":
        await bar_table(world, step_in_minutes=0)
    elif system == "ebb":
        await world.table(step_in_minutes=0)
    else:
        await (ego if system == "ego" else masterbook).open_table(world, live=False)


@pytest.mark.parametrize(
    ("system", "options", "easier"),
    [
        ("ebb", CLIMB | {"difficulty": "Legendary"}, "5"),
        ("barmore", {"skill": "Brawling", "difficulty": "90"}, "1"),
        ("ego", {"skill": "Stealth", "difficulty": "Hard"}, "Easy"),
        ("masterbook", {"skill": "Stealth", "difficulty": "60"}, "1"),
    ],
)
async def test_the_difficulty_of_a_call_is_corrected_for_all_its_rolls(
    world: World, system: str, options: dict[str, Any], easier: str
) -> None:
    await _open_table(world, system)
    private(await world.gina.slash(world.zone, "gm call", until="2 days", **options))
    if system in ("ebb", "masterbook"):
        await world.press(world.ana, world.newest("Roll"), "Roll")
    await world.env.advance_time(2 * DAY + 60)
    before, shown = await world.state(), _call(world)
    assert len(before.checks) >= 2 and "not rolled yet" not in shown
    entry = await entry_of(world, "CallForRolls")
    form = private(await world.gina.slash(world.zone, "gm amend", entry=entry))
    assert options["difficulty"] in form and "Undo it alone" in form
    told = await correct(world, entry, f"difficulty: {easier}")
    assert "'s result is now" in told or "2 results change" in told
    assert "New dice were rolled" not in told
    now = await world.state()
    for check in now.checks.values():
        assert str(check.data.ruled["difficulty"]) == easier
    assert _call(world) != shown
    await world.restart()
    await undo_exactly(world, before)
    assert _call(world).partition("-# #")[0] == shown.partition("-# #")[0]


async def test_a_corrected_call_keeps_its_difficulty_hidden_or_shows_it(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.gina.slash(world.zone, "gm call", **CLIMB)
    world.dice.lay(8, 7)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    entry = await entry_of(world, "CallForRolls")
    assert "against 10" in _call(world)
    await correct(world, entry, "hidden")
    assert "against 10" not in _call(world) and "a hidden difficulty" in _call(world)
    assert "hidden" in texts(world.newest("Roll"))
    await world.gina.slash(world.zone, "gm undo", entry=await world.revision())
    assert "against 10" in _call(world)


async def test_the_modifier_and_the_words_of_a_call_are_corrected(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.gina.slash(world.zone, "gm call", text="The gate is locked.", **CLIMB)
    world.dice.lay(4, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    assert "8 against 10" in _call(world)
    before, entry = await world.state(), await entry_of(world, "CallForRolls")
    await correct(world, entry, "modifier: 2, text: The wall is wet.")
    assert "10 against 10" in _call(world) and "The wall is wet." in _call(world)
    assert "The gate is locked." not in _call(world)
    await undo_exactly(world, before)
    assert "8 against 10" in _call(world) and "The gate is locked." in _call(world)


async def test_a_call_gets_another_end(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.gina.slash(world.zone, "gm call", until="2 days", **CLIMB)
    entry = await entry_of(world, "CallForRolls")
    await correct(world, entry, "until: 4 days")
    await world.env.advance_time(2 * DAY + 60)
    assert "**Ilka:** not rolled yet" in _call(world)
    await world.env.advance_time(2 * DAY)
    assert "not rolled yet" not in _call(world)


async def test_what_the_clock_rolled_falls_away_with_a_later_end(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.gina.slash(world.zone, "gm call", until="2 days", **CLIMB)
    await world.env.advance_time(2 * DAY + 60)
    assert "not rolled yet" not in _call(world)
    before, entry = await world.state(), await entry_of(world, "CallForRolls")
    await correct(world, entry, "until: 5 days")
    assert "**Ilka:** not rolled yet" in _call(world)
    await undo_exactly(world, before)
    await correct(world, entry, "until: 1 day")
    assert "not rolled yet" not in _call(world), "the clock's dice stay"
    assert "New dice" not in texts(world.messages()[-1])


async def test_a_sealed_text_is_corrected_until_it_was_read(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.gina.slash(world.zone, "gm call", seal=SEAL, **CLIMB)
    entry = await entry_of(world, "CallForRolls")
    panel = await preview(world, entry, "seal: The boots are wet.")
    assert "Players will notice nothing." in texts(panel)
    await carry_out(world, panel)
    world.dice.lay(8, 7)
    read = private(await world.press(world.ana, world.newest("Roll"), "Roll"))
    assert "The boots are wet." in read and SEAL not in read


async def test_a_sealed_text_that_was_read_cant_be_changed(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.gina.slash(world.zone, "gm call", seal=SEAL, **CLIMB)
    entry = await entry_of(world, "CallForRolls")
    world.dice.lay(8, 7)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    words = {"entry": entry, "change": "seal: The boots are wet."}
    refused = await world.gina.slash(world.zone, "gm amend", **words)
    assert "has read a sealed text" in refusal_of(refused)
    await correct(world, entry, "difficulty: 5")
    assert "against 5" in _call(world)


async def test_a_sealed_text_that_everyone_was_told_cant_be_changed(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.gina.slash(world.zone, "gm call", seal=SEAL, **CLIMB)
    entry = await entry_of(world, "CallForRolls")
    details = message_of(await world.press(world.gina, world.newest("Details"), "Details"))
    await world.press(world.gina, details, "Tell everyone")
    assert "Tell everyone" in labels(details) and SEAL in texts(world.messages()[-1])
    words = {"entry": entry, "change": "seal: The boots are wet."}
    refused = await world.gina.slash(world.zone, "gm amend", **words)
    assert "has read a sealed text" in refusal_of(refused)


async def test_who_succeeds_after_a_correction_finds_the_sealed_text_in_moves(
    world: World,
) -> None:
    await world.table(step_in_minutes=0)
    hard = CLIMB | {"difficulty": "Legendary"}
    await world.gina.slash(world.zone, "gm call", seal=SEAL, **hard)
    world.dice.lay(4, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    panel = await preview(world, await entry_of(world, "CallForRolls"), "difficulty: 5")
    assert "Marek can then read the sealed text" in texts(panel)
    told = await carry_out(world, panel)
    assert "Success, 8 against 5" in told and SEAL not in world.told(world.ana)
    details = message_of(await world.press(world.ana, world.newest("Details"), "Details"))
    own = message_of(await world.press(world.ana, details, "Marek"))
    assert "Read it" in labels(details) and "Read it" in labels(own)
    theirs = message_of(await world.press(world.ben, world.newest("Details"), "Details"))
    assert "Read it" not in labels(theirs)
    others = message_of(await world.press(world.ben, theirs, "Marek"))
    assert "Read it" not in labels(others)
    moves = message_of(await world.ana.slash(world.zone, "moves"))
    (label,) = (each for each in labels(moves) if "Read" in each)
    await world.restart()
    assert SEAL in private(await world.press(world.ana, moves, label))
    read = message_of(await world.press(world.ana, world.newest("Details"), "Details"))
    assert "Read it" not in labels(read)
    assert SEAL not in world.told(world.ben)


async def _called(world: World, ilka: tuple[int, int], marek: tuple[int, int]) -> int:
    """Call Ilka and Marek, roll these dice against 15, and return the number of the call."""
    await world.table(step_in_minutes=0)
    await world.gina.slash(world.zone, "gm call", **CLIMB | {"difficulty": "15"})
    for player, faces in ((world.ana, marek), (world.ben, ilka)):
        world.dice.lay(*faces)
        await world.press(player, world.newest("Roll"), "Roll")
    return await entry_of(world, "CallForRolls")


def head_of(told: str) -> str:
    """Return the headline of a text."""
    return told.partition("\n")[0]


async def _undone(world: World) -> str:
    """Undo the newest entry, and return what everybody reads of it."""
    await world.gina.slash(world.zone, "gm undo", entry=await world.revision())
    told = [message for message in world.messages() if head(message).startswith("Undone: ")]
    return texts(told[-1])


#: Dice that succeed against 5 and fail against 15, and dice that fail whatever the number.
MIDDLING, HOPELESS = (4, 3), (1, 3)


@pytest.mark.parametrize(
    ("ilka", "marek", "whose"), [(HOPELESS, MIDDLING, "Marek"), (MIDDLING, HOPELESS, "Ilka")]
)
async def test_a_correction_and_its_undo_name_the_result_that_changed(
    world: World, ilka: tuple[int, int], marek: tuple[int, int], whose: str
) -> None:
    other = "Ilka" if whose == "Marek" else "Marek"
    entry = await _called(world, ilka, marek)
    told = await correct(world, entry, "difficulty: 5")
    assert f": {whose}'s result is now Success, " in head_of(told)
    assert f"{whose}'s roll is now: Success, " in told and f"{other}'s roll" not in told
    assert "Difficulty 15 → 5" in told
    undone = await _undone(world)
    assert f"; {whose}'s result is now Clear failure, " in head_of(undone)
    assert other not in undone


async def test_several_changed_results_are_each_told(world: World) -> None:
    entry = await _called(world, MIDDLING, MIDDLING)
    told = await correct(world, entry, "difficulty: 5")
    assert head_of(told).endswith(": 2 results change")
    undone = await _undone(world)
    assert head_of(undone).endswith("; 2 results change")
    for name in ("Ilka", "Marek"):
        assert f"{name}'s roll is now: Success, " in told
        assert f"- {name}'s result is now Clear failure, " in undone


async def test_several_results_that_the_clock_rolled_are_each_told(world: World) -> None:
    await world.table(step_in_minutes=0)
    options = CLIMB | {"difficulty": "15", "until": "2 days"}
    await world.gina.slash(world.zone, "gm call", **options)
    world.dice.lay(*MIDDLING, *MIDDLING)
    await world.env.advance_time(2 * DAY + 60)
    told = await correct(world, await entry_of(world, "CallForRolls"), "difficulty: 5")
    assert head_of(told).endswith(": 2 results change")
    for name in ("Ilka", "Marek"):
        assert (
            f"{name}'s result is now Success, " in told or f"{name}'s roll is now: Success" in told
        )


async def test_results_that_stay_the_same_are_not_told_as_changed(world: World) -> None:
    entry = await _called(world, MIDDLING, MIDDLING)
    told = await correct(world, entry, "difficulty: 16")
    assert "result" not in head_of(told) and "Difficulty 15 → 16" in told
    assert "Ilka's roll is now: Clear failure, " in told, "its numbers are others"
    assert "result" not in head_of(await _undone(world))


@pytest.mark.parametrize("hidden_first", [True, False])
async def test_a_difficulty_that_was_or_gets_hidden_is_not_told(
    world: World, *, hidden_first: bool
) -> None:
    await world.table(step_in_minutes=0)
    options = CLIMB | {"difficulty": "15"}
    await world.gina.slash(world.zone, "gm call", **options, hidden=hidden_first)
    world.dice.lay(*MIDDLING)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    change = "difficulty: 5" if hidden_first else "difficulty: 5, hidden"
    told = await correct(world, await entry_of(world, "CallForRolls"), change)
    assert "Success, 8 against a hidden difficulty" in head_of(told)
    assert "→" not in told and "Difficulty " not in told
    undone = head_of(await _undone(world))
    assert ("8 against 15" in undone) is not hidden_first


@pytest.mark.parametrize("system", ["ebb", "ego"])
async def test_the_entry_of_a_called_roll_leads_to_the_call_with_the_difficulty(
    world: World, system: str
) -> None:
    await _open_table(world, system)
    options = CLIMB if system == "ebb" else {"skill": "Stealth", "difficulty": "Hard"}
    await world.gina.slash(world.zone, "gm call", **options)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    call, roll = await entry_of(world, "CallForRolls"), await entry_of(world, "Choose")
    details = message_of(await world.press(world.gina, world.newest("Details"), "Details"))
    menu = message_of(await world.press(world.gina, details, "Amend"))
    panel = message_of(await world.choose(world.gina, menu, "Correct an entry", str(roll)))
    assert f"The difficulty stands in #{call}: correct that one." in texts(panel)
    if "Undo it alone" in labels(panel):
        await world.press(world.gina, panel, "Undo it alone")
        assert f"The difficulty stands in #{call}: correct that one." in texts(panel)
        menu = message_of(await world.press(world.gina, details, "Amend"))
        panel = message_of(await world.choose(world.gina, menu, "Correct an entry", str(roll)))
    await world.press(world.gina, panel, f"Correct #{call}")
    assert f"Correct #{call}: " in texts(panel)
    await world.press(world.gina, panel, "Undo it alone")
    assert f"Undo #{call} alone?" in texts(panel)
    assert "The difficulty stands in" not in texts(panel)
