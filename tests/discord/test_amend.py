"""`/gm amend`: one earlier entry corrected, with a preview, and the later ones kept."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.amend_steps import correct
from tests.discord.world import (
    World,
    button,
    controls,
    dialog_values,
    head,
    labels,
    menu,
    message_of,
    private,
    refusal_of,
    texts,
)

#: Style of a button that takes something away, as Discord numbers it.
DANGER = 4


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
    assert "Climbing and Fitness**: Success, 8 against 7 (it was: Near miss, 8 against 10)" in text
    assert "Difficulty: Tricky → Routine" in text and "Everybody will be told" in text
    assert labels(message_of(answer)) == ["Change it", "Give a reason", "Leave it"]
    assert await world.state() == before
    stolen = world.emit(world.ana, button(message_of(answer), "Change it"))
    await world.env.settle()
    refusal_of(stolen)
    await world.restart()
    done = await world.press(world.gina, message_of(answer), "Change it")
    assert "Corrected" in private(done), private(done)
    (check,) = (await world.state()).checks.values()
    assert check.data.ruling.difficulty == "Routine"
    (told,) = [each for each in world.messages() if head(each).startswith("Corrected by ")]
    assert (
        head(told)
        == f"Corrected by {world.gina.mention}: Marek's result is now Success, 8 against 7"
    )
    assert f"[#{entry}](https://discord.com/channels/" in texts(told), "it links to the check"
    assert "is now: Success" in texts(told) and world.card().jump_url in texts(told)
    assert "against 7" in texts(world.card())


async def test_a_gm_amends_a_result_from_its_panel(world: World) -> None:
    await world.table()
    await world.rolled(4, 3)
    ruling = await _call_of_roll(world)
    await world.press(world.ana, world.card(), "Accept result")
    await world.env.settle()
    panel = message_of(await world.press(world.gina, world.card(), "Step in"))
    assert "Amend" in labels(panel)
    theirs = message_of(await world.press(world.ben, world.card(), "Step in"))
    assert "Amend" not in labels(theirs)
    stolen = world.emit(world.ben, button(panel, "Amend"))
    await world.env.settle()
    assert "Only the GM can do that" in refusal_of(stolen)
    await world.restart()
    entries = message_of(await world.press(world.gina, panel, "Amend"))
    options = {each["value"]: each for each in menu(entries, "Correct an entry")["options"]}
    call = options[str(ruling)]
    assert call["label"] == f"#{ruling} · call for Marek's roll"
    assert call["description"] == "The GM's call for Marek's roll"
    form = await world.choose(world.gina, entries, "Correct an entry", str(ruling))
    assert f"Correct #{ruling}" in private(form)


async def test_a_gm_amends_a_roll_of_a_call_from_its_details(world: World) -> None:
    await world.table(step_in_minutes=0)
    options = {"skill": "Climbing", "attribute": "Fitness", "difficulty": "Tricky"}
    await world.gina.slash(world.zone, "gm call", **options)
    call = world.newest("Details")
    before = message_of(await world.press(world.gina, call, "Details"))
    assert "Amend" not in labels(before)
    world.dice.lay(8, 7)
    await world.press(world.ana, call, "Roll")
    await world.env.settle()
    details = message_of(await world.press(world.gina, call, "Details"))
    assert "Amend" in labels(details)
    theirs = message_of(await world.press(world.ana, call, "Details"))
    assert "Amend" not in labels(theirs)
    entries = await world.press(world.gina, details, "Amend")
    offered = menu(message_of(entries), "Correct an entry")["options"]
    newest = await world.revision()
    assert [option["value"] for option in offered] == [str(newest), str(newest - 1)]
    assert all(len(option["label"]) <= 36 for option in offered)


async def test_the_undo_of_a_correction_says_the_result_again(world: World) -> None:
    await world.table()
    await world.rolled(4, 3)
    entry = await _call_of_roll(world)
    await correct(world, entry, "difficulty: 7")
    done = private(await world.gina.slash(world.zone, "gm undo"))
    result = "Marek's result is now Near miss, 8 against 10"
    assert result in done
    (told,) = [each for each in world.messages() if head(each).startswith("Undone: Gina")]
    assert head(told) == f"Undone: Gina corrected #{entry} and #{entry + 1}; {result}"


async def test_the_undo_of_a_correction_says_nothing_of_a_hidden_number(world: World) -> None:
    await world.table(gm_channel=True)
    card = await world.answered(hidden=True, level=None, number="29")
    world.dice.lay(4, 3)
    await world.press(world.ana, card, "Roll")
    entry = await _call_of_roll(world)
    await correct(world, entry, "difficulty: 5")
    private(await world.gina.slash(world.zone, "gm undo"))
    (told,) = [each for each in world.messages() if head(each).startswith("Undone: Gina")]
    assert "Marek's result is now" in head(told)
    assert "29" not in world.told(world.ana) and "against 5" not in world.told(world.ana)


async def test_an_entry_is_undone_alone(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=1)
    entry, before = await world.revision(), await world.state()
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=2)
    panel = await world.gina.slash(world.zone, "gm amend", entry=entry)
    answer = await world.press(world.gina, message_of(panel), "Undo it alone")
    assert head(message_of(answer)) == f"Undo #{entry} alone?"
    assert labels(message_of(answer)) == ["Undo it", "Give a reason", "Leave it"]
    (confirm, *_) = controls(message_of(answer))
    assert confirm["style"] == DANGER
    left = await world.press(world.gina, message_of(answer), "Leave it")
    assert "Nothing has changed." in private(left)
    panel = await world.gina.slash(world.zone, "gm amend", entry=entry)
    answer = await world.press(world.gina, message_of(panel), "Undo it alone")
    await world.press(world.gina, message_of(answer), "Undo it")
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
    assert "Only the GM" in refusal and "**Amend** in the menu of the message" in refusal
    for change in ("flavor: mint", "difficulty: -4"):
        given = {"entry": entry + 1, "change": change}
        told = refusal_of(await world.gina.slash(world.zone, "gm amend", **given))
        assert f"`change` has no “{change}”" in told and "`with`" not in told, told
        assert f"#{entry + 1}" in told, told
    refused = await world.gina.slash(
        world.zone, "gm amend", entry=entry + 1, change="difficulty: 7"
    )
    assert "difficulty" in refusal_of(refused), "a roll has no such value"


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


async def test_the_form_of_a_time_says_what_it_was_in_words(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm time", advance="3d 1h")
    entry = await world.revision()
    panel = message_of(await world.gina.slash(world.zone, "gm amend", entry=entry))
    assert "It was: Time that passes: 3 days 1 hour" in texts(panel)


async def test_the_form_of_an_answer_is_filled_in_as_it_was(world: World) -> None:
    """The panel holds today's values; one is changed, and the preview follows, over a restart."""
    await world.table()
    await world.rolled(4, 3)
    entry = await _call_of_roll(world)
    panel = message_of(await world.gina.slash(world.zone, "gm amend", entry=entry))
    assert head(panel).startswith(f"Correct #{entry}: ")
    assert "It was: Answer: " in texts(panel) and "Difficulty: Tricky" in texts(panel)
    assert "difficulty: Tricky" not in texts(panel), "labels, not the words that are typed"
    assert {"Preview", "Undo it alone"} <= {*labels(panel)}
    nothing = await world.press(world.gina, panel, "Preview")
    assert "nothing would be different" in refusal_of(nothing)
    await world.restart()
    panel = message_of(await world.choose(world.gina, panel, "Difficulty", "Routine"))
    answer = await world.press(world.gina, panel, "Preview")
    assert f"Correct #{entry}?" in private(answer), private(answer)
    await world.press(world.gina, message_of(answer), "Change it")
    (check,) = (await world.state()).checks.values()
    assert check.data.ruling.difficulty == "Routine"


async def test_a_players_proposal_is_corrected_by_its_form(world: World) -> None:
    await world.table()
    await world.rolled(4, 3)
    entry = await _call_of_roll(world) - 1
    answer = await world.gina.slash(world.zone, "gm amend", entry=entry, change="modifier: 1")
    assert "Modifier: 1" in private(answer), private(answer)
    await world.press(world.gina, message_of(answer), "Change it")
    (check,) = (await world.state()).checks.values()
    assert check.data.request.modifier == 1


@pytest.mark.rule("EBB-PROPOSAL")
async def test_a_ruling_follows_what_it_took_over_from_the_proposal(world: World) -> None:
    """The GM's panel begins with the proposal's modifier; the difficulty is the GM's own."""
    await world.table(step_in_minutes=0)
    await world.propose(world.ana, skill="Climbing", **{"with": "modifier: -2"})
    entry = await world.revision()
    await world.rule(level="Tricky")
    world.dice.lay(5, 4)
    await world.press(world.ana, world.card(), "Roll")
    assert "7 against 10" in texts(world.card())
    for change, total in (("modifier: 1", 10), ("modifier: 0", 9)):
        answer = await world.gina.slash(world.zone, "gm amend", entry=entry, change=change)
        await world.press(world.gina, message_of(answer), "Change it")
        assert f"{total} against 10" in texts(world.card())
        await world.gina.slash(world.zone, "gm undo", entry=await world.revision())
        assert "7 against 10" in texts(world.card())


@pytest.mark.rule("EBB-PROPOSAL")
async def test_a_ruling_keeps_what_the_gm_set(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.propose(world.ana, skill="Climbing", **{"with": "modifier: -2"})
    entry = await world.revision()
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    await world.choose(world.gina, panel, "Difficulty", "Tricky")
    dialog = await world.press(world.gina, panel, "Write…")
    await world.gina.submit_modal(dialog, dialog_values(dialog) | {"modifier": "-1"})
    await world.press(world.gina, panel, "Call for a roll")
    world.dice.lay(5, 4)
    await world.press(world.ana, world.card(), "Roll")
    change = {"entry": entry, "change": "modifier: 3"}
    answer = await world.gina.slash(world.zone, "gm amend", **change)
    await world.press(world.gina, message_of(answer), "Change it")
    assert "8 against 10" in texts(world.card())


async def test_a_conflict_is_changed_too_in_the_same_amendment(world: World) -> None:
    """Without the points, Ana can't pay for that step; the panel offers another one."""
    await world.table()
    await world.gina.slash(world.zone, "gm adjust", character="Marek", what="fate", value="10")
    entry = await world.revision()
    await world.ana.slash(world.zone, "character improve", skill="Climbing")
    assert await world.revision() == entry + 1
    answer = await world.gina.slash(world.zone, "gm amend", entry=entry, change="value: 4")
    assert f"Change #{entry + 1} too" in labels(message_of(answer)), texts(message_of(answer))


# --- ways to an amendment -------------------------------------------------------------------------


async def test_a_message_leads_the_gm_to_the_entries_behind_it(world: World) -> None:
    await world.table()
    card = await world.rolled(4, 3)
    entry = await _call_of_roll(world)
    shown = await world.gina.context_menu(world.zone, "Amend", card)
    menu = message_of(shown)
    assert "What do you want to correct?" in private(shown)
    panel = await world.choose(world.gina, menu, "Correct an entry", str(entry))
    assert head(message_of(panel)).startswith(f"Correct #{entry}: "), private(panel)
    log = message_of(await world.gina.slash(world.zone, "gm log"))
    panel = await world.choose(world.gina, log, "Correct an entry", str(entry))
    assert "Difficulty: Tricky" in private(panel)
    refused = await world.gina.slash(world.zone, "gm undo", entry=entry)
    panel = await world.press(world.gina, message_of(refused), "Correct it instead")
    assert "Difficulty: Tricky" in private(panel)


async def test_a_player_asks_for_a_correction(world: World) -> None:
    """The request waits in the GM's /moves over a restart, once, until a GM answers it."""
    await world.table(gm_channel=True)
    card = await world.rolled(4, 3)
    entry = await world.revision()
    dialog = await world.ana.context_menu(world.zone, "Amend", card)
    sent = await world.ana.submit_modal(dialog, {"text": "It was raining, so 13."})
    assert "Sent to the GM" in private(sent), private(sent)
    told = [each for each in world.messages(world.gm_room) if "It was raining" in texts(each)]
    asked = told[-1]
    assert f"asks to correct #{entry}" in texts(asked)
    again = await world.ana.context_menu(world.zone, "Amend", card)
    refused = await world.ana.submit_modal(again, {"text": "Please."})
    assert f"You asked to correct #{entry} already" in refusal_of(refused)
    await world.restart()
    moves = private(await world.gina.slash(world.zone, "moves"))
    assert "It was raining" in moves
    assert "It was raining" in private(await world.ana.slash(world.zone, "moves"))
    assert "It was raining" not in private(await world.ben.slash(world.zone, "moves"))
    stolen = world.emit(world.ana, button(asked, "Leave as it is"))
    await world.env.settle()
    refusal_of(stolen)
    menu = message_of(await world.press(world.gina, asked, "Preview"))
    assert "It was raining, so 13." in texts(menu)
    panel = await world.choose(world.gina, menu, "Correct an entry", str(entry - 1))
    assert "Difficulty: Tricky" in private(panel)
    await world.press(world.gina, asked, "Leave as it is")
    stub = world.newest("Show")
    assert "stays as it is" in private(await world.press(world.ana, stub, "Show"))
    assert "It was raining" not in private(await world.gina.slash(world.zone, "moves"))
    refusal_of(await world.press(world.gina, asked, "Leave as it is"))
    later = await world.ana.context_menu(world.zone, "Amend", card)
    soon = refusal_of(await world.ana.submit_modal(later, {"text": "Please."}))
    assert "You asked not long ago." in soon


async def test_a_request_is_over_with_its_correction(world: World) -> None:
    await world.table()
    card = await world.rolled(4, 3)
    entry = await world.revision()
    dialog = await world.ana.context_menu(world.zone, "Amend", card)
    await world.ana.submit_modal(dialog, {"text": "Not that roll."})
    assert "Not that roll." in private(await world.gina.slash(world.zone, "moves"))
    panel = await world.gina.slash(world.zone, "gm amend", entry=entry)
    answer = await world.press(world.gina, message_of(panel), "Undo it alone")
    await world.press(world.gina, message_of(answer), "Undo it")
    assert "Not that roll." not in private(await world.gina.slash(world.zone, "moves"))


async def test_a_message_without_an_entry_has_nothing_to_correct(world: World) -> None:
    await world.table()
    post = await world.ana.send(world.zone, "I climb.")
    for who in (world.ana, world.gina):
        answer = await who.context_menu(world.zone, "Amend", post)
        assert "nothing to correct" in refusal_of(answer)


async def test_new_values_are_completed_for_gms(world: World) -> None:
    await world.table()
    await world.rolled(4, 3)
    entry = await _call_of_roll(world)

    async def offered(who: Any, typed: str) -> list[str]:
        found = await who.autocomplete(world.zone, "gm amend", "change", typed, entry=entry)
        return [choice["value"] for choice in found]

    assert "difficulty: Routine" in await offered(world.gina, "routine")
    assert "hidden, difficulty: Routine" in await offered(world.gina, "hidden, routine")
    assert await offered(world.ana, "") == []


async def test_an_entry_that_is_not_there_is_corrected_by_nobody(world: World) -> None:
    await world.table()
    refusal = refusal_of(await world.gina.slash(world.zone, "gm amend", entry=999))
    assert "You can't correct #999: there's no such entry" in refusal
    refusal = refusal_of(await world.gina.slash(world.zone, "gm undo", entry=999))
    assert "You can't undo #999" in refusal


@pytest.mark.parametrize("patience", [False])
async def test_entries_that_only_show_what_another_line_tells_have_no_line(world: World) -> None:
    """Ana asked to be waited for: the check's message told the difficulty then, too."""
    await world.table()
    card = await world.answered()
    entry = await world.revision()
    panel = message_of(await world.press(world.ana, card, "React"))
    await world.press(world.ana, panel, "Wait for me")
    world.dice.lay(4, 3)
    await world.press(world.ana, world.card(), "Roll")
    change = {"entry": entry, "change": "difficulty: 7"}
    preview = message_of(await world.gina.slash(world.zone, "gm amend", **change))
    assert f"Changes with it:\n- #{entry + 1}: Marek's wish for a say\n" in texts(preview)
    await world.press(world.gina, preview, "Change it")
    (told,) = [each for each in world.messages() if head(each).startswith("Corrected by ")]
    text = texts(told)
    assert "wish for a say" not in text and "the GM's call for Marek's roll" in text
    assert f"Corrected: #{entry}, #{entry + 1} and #{entry + 2}" in text


async def test_a_preview_says_which_values_differ(world: World) -> None:
    await world.table()
    await world.answered(hidden=True, note="Wet stone")
    entry = await world.revision()
    difficulty = "Difficulty: Tricky → Routine"
    answer = "Answer: Call for a roll → Impossible; Note: Wet stone"
    for words, shown in (
        ("difficulty: 7", difficulty),
        ("luck: Fitness, difficulty: 7", f"{difficulty}; Sacrifice: Fitness"),
        ("answer: impossible", answer),
    ):
        change = {"entry": entry, "change": words}
        text = texts(message_of(await world.gina.slash(world.zone, "gm amend", **change)))
        assert f"The GM's call for Marek's roll\n{shown}\n" in text, text
