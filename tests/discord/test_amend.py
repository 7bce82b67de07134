"""`/gm amend`: one earlier entry corrected, with a preview, and the later ones kept."""

from __future__ import annotations

from tests.discord.world import World, button, head, labels, message_of, private, refusal_of, texts


async def _call_of_roll(world: World) -> int:
    """The number of the GM's answer to the check that was rolled last."""
    return await world.revision() - 1


async def test_a_difficulty_is_corrected_after_the_roll(world: World) -> None:
    await world.table()
    await world.rolled(4, 3)
    entry, before = await _call_of_roll(world), await world.state()
    shown = texts(message_of(await world.gina.slash(world.zone, "gm amend", entry=entry)))
    assert f"Correct #{entry}" in shown and "difficulty" in shown.casefold()
    answer = await world.gina.slash(world.zone, "gm amend", entry=entry, change="difficulty: 7")
    text = private(answer)
    assert f"Correct #{entry}?" in text and "Nothing has changed yet." in text
    assert "it was:" in text and "Everybody will be told" in text
    assert labels(message_of(answer)) == ["Change it", "Leave it"]
    assert await world.state() == before
    stolen = world.emit(world.ana, button(message_of(answer), "Change it"))
    await world.env.settle()
    refusal_of(stolen)
    await world.restart()
    done = await world.press(world.gina, message_of(answer), "Change it")
    assert "Corrected" in private(done), private(done)
    (check,) = (await world.state()).checks.values()
    assert check.data.ruling.difficulty == "Routine"
    assert any("Corrected: 2 steps" in texts(message) for message in world.messages())
    assert "against 7" in texts(world.card())


async def test_an_entry_is_undone_alone(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=1)
    entry, before = await world.revision(), await world.state()
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=2)
    answer = await world.gina.slash(world.zone, "gm amend", entry=entry)
    assert head(message_of(answer)) == f"Undo #{entry} alone?"
    left = await world.press(world.gina, message_of(answer), "Leave it")
    assert "Nothing has changed." in private(left)
    answer = await world.gina.slash(world.zone, "gm amend", entry=entry)
    await world.press(world.gina, message_of(answer), "Change it")
    now = await world.state()
    for key, character in before.characters.items():
        assert now.characters[key].sheet.fate == character.sheet.fate - 1 + 2
    marked = f"Undone (#{await world.revision()})"
    assert any(marked in texts(message) for message in world.messages())


async def test_players_amend_nothing(world: World) -> None:
    await world.table()
    await world.rolled(4, 3)
    entry = await _call_of_roll(world)
    refusal = refusal_of(await world.ana.slash(world.zone, "gm amend", entry=entry))
    assert "Only the GM" in refusal
    refused = await world.gina.slash(
        world.zone, "gm amend", entry=entry + 1, change="difficulty: 7"
    )
    assert "only the GM's answer" in refusal_of(refused)


async def test_something_that_happens_meanwhile_is_previewed_anew(world: World) -> None:
    await world.table()
    card = await world.answered()
    entry = await world.revision()
    answer = await world.gina.slash(world.zone, "gm amend", entry=entry, change="difficulty: 7")
    world.dice.lay(4, 3)
    await world.press(world.ana, card, "Roll")
    again = await world.press(world.gina, message_of(answer), "Change it")
    assert f"Correct #{entry}?" in private(again), "somebody may have built on it"
    await world.press(world.gina, message_of(again), "Change it")
    (check,) = (await world.state()).checks.values()
    assert check.data.ruling.difficulty == "Routine"


async def test_players_see_nothing_of_a_hidden_number(world: World) -> None:
    await world.table(gm_channel=True)
    card = await world.answered(hidden=True, level=None, number="29")
    await world.press(world.ana, card, "Roll")
    entry = await _call_of_roll(world)
    told, log = world.told(world.ana), [texts(message) for message in world.messages()]
    change = {"entry": entry, "change": "difficulty: 30"}
    answer = await world.gina.slash(world.zone, "gm amend", **change)
    assert "Players will notice nothing." in private(answer)
    await world.press(world.gina, message_of(answer), "Change it")
    (check,) = (await world.state()).checks.values()
    assert check.data.ruling.difficulty == "30"
    assert [texts(message) for message in world.messages()] == log
    assert world.told(world.ana) == told
    private(await world.gina.slash(world.zone, "gm undo", entry=await world.revision()))
    (check,) = (await world.state()).checks.values()
    assert check.data.ruling.difficulty == "29" and world.told(world.ana) == told


async def test_a_decision_on_other_grounds_can_be_left_out(world: World) -> None:
    """Ana re-rolled a failure; against the right difficulty it never was one."""
    await world.table()
    card = await world.rolled(4, 3, level="Legendary")
    entry = await _call_of_roll(world)
    world.dice.lay(2)
    await world.spend(card, "Re-roll d8")
    fate = (await world.state()).characters["k1"].sheet.fate
    change = {"entry": entry, "change": "difficulty: 7"}
    answer = await world.gina.slash(world.zone, "gm amend", **change)
    label = f"Leave out #{entry + 2}"
    assert label in labels(message_of(answer)), texts(message_of(answer))
    await world.restart()
    answer = await world.press(world.gina, message_of(answer), label)
    assert f"Keep #{entry + 2}" in labels(message_of(answer))
    await world.press(world.gina, message_of(answer), "Change it")
    assert (await world.state()).characters["k1"].sheet.fate == fate + 1
