"""Step in: the button of a final result, its private panel, and the question to the GM."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.discord.amend_steps import undo_exactly
from tests.discord.world import (
    DAY,
    HOUR,
    World,
    labels,
    message_of,
    pings,
    private,
    refusal_of,
    texts,
)


@pytest.fixture
def patience() -> bool:
    return False


async def fail_check(world: World, *, who: Any = None) -> Any:
    """Ana's check against Tricky (10): 3 and 2 and 1 make 6."""
    return await world.rolled(3, 2, who=who)


async def reroll(world: World, message: Any, face: int, who: Any = None) -> Any:
    """The panel is opened, and the ability die falls again."""
    panel = private(await world.press(who or world.ana, message, "Step in"))
    assert "Re-roll d8" in panel
    shown = message_of(await world.press(who or world.ana, message, "Step in"))
    world.dice.lay(face)
    return await world.press(who or world.ana, shown, "Re-roll d8")


@pytest.mark.rule("EBB-FATE")
async def test_a_final_result_is_stepped_into(world: World) -> None:
    await world.table()
    message = await fail_check(world)
    assert labels(message) == ["Step in"]
    assert re.search(r"Final\. Step in until <t:\d+:f>", texts(message)), texts(message)
    await world.restart()
    await reroll(world, world.card(), 8)
    card = world.card()
    assert texts(card).startswith("## ✓")
    assert "Marek steps in" in texts(card) and "It was a failure." in texts(card)
    assert labels(card) == ["Step in"]
    # The point is back with its undo, and the result with it.
    await world.gina.slash(world.zone, "gm undo", entry=7)
    assert "steps in" not in texts(world.card()) and texts(world.card()).startswith("## ✗")
    state = await world.state()
    marek = next(each for each in state.characters.values() if each.name == "Marek")
    assert marek.sheet.fate == 3


async def test_the_panel_shows_only_ones_own(world: World) -> None:
    await world.table()
    message = await fail_check(world)
    answer = private(await world.press(world.ben, message, "Step in"))
    assert "You have nothing that would change this result." in answer
    assert "Re-roll" not in answer


async def test_the_answer_to_a_failed_roll_offers_it(world: World) -> None:
    await world.table()
    message = await world.answered()
    world.dice.lay(3, 2)
    rolled = await world.press(world.ana, message, "Roll")
    assert "Re-roll d8" in "".join(map(texts, rolled.followups))
    assert "Re-roll" not in world.told(world.ben)


async def test_who_comes_second_looks_again(world: World) -> None:
    await world.table()
    message = await fail_check(world)
    first = message_of(await world.press(world.ana, message, "Step in"))
    second = message_of(await world.press(world.ana, message, "Step in"))
    world.dice.lay(3)
    await world.press(world.ana, first, "Re-roll d8")
    again = await world.press(world.ana, second, "Re-roll d8")
    assert "That has changed. Look again." in private(again)
    world.dice.lay(8)
    await world.press(world.ana, message_of(again), "Re-roll d8")
    assert texts(world.card()).startswith("## ✓")


async def test_the_time_is_over(world: World) -> None:
    await world.table()
    message = await fail_check(world)
    await world.env.advance_time(DAY + HOUR)
    before = texts(world.card())
    assert "The time to step in is over." in refusal_of(
        await world.press(world.ana, message, "Step in")
    )
    assert texts(world.card()) == before


@pytest.mark.parametrize("settings", [{"step_in_minutes": 0}, {"step_in_late": False}])
async def test_a_table_may_do_without(world: World, settings: dict[str, Any]) -> None:
    await world.table(**settings)
    message = await fail_check(world)
    assert "Step in" not in labels(message)
    assert "Final · check" in texts(message)


async def asked_too_late(world: World, *, gm_channel: bool = True) -> Any:
    """Ana asks whether she may re-roll a second time, though Marek was changed in secret; the
    answer to her.
    """
    await world.table(gm_channel=gm_channel)
    message = await fail_check(world)
    await reroll(world, message, 3)
    # What the step-in has changed is changed in secret.
    await world.gina.slash(world.zone, "gm adjust", character="Marek", what="fate", value="1")
    panel = message_of(await world.press(world.ana, world.card(), "Step in"))
    # This is the die of every later try, too.
    world.dice.lay(8)
    late = await world.press(world.ana, panel, "Re-roll d8")
    assert "Something has happened since. Ask the GM to let it in?" in private(late)
    return await world.press(world.ana, message_of(late), "Ask")


async def let_in(world: World, question: Any) -> Any:
    """The GM sees first what becomes of the entries that build on the result, and confirms it."""
    before = await world.state()
    preview = await world.press(world.gina, question, "Let it in")
    assert "Nothing has changed yet." in private(preview), private(preview)
    assert await world.state() == before
    # The die of the refused try falls again.
    return await world.press(world.gina, message_of(preview), "Change it")


async def test_a_round_that_is_over_is_too_late(world: World) -> None:
    await world.table(gm_channel=True)
    await world.gina.slash(world.zone, "initiative start")
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")
    message = await fail_check(world)
    await world.ana.slash(world.zone, "initiative next")
    panel = message_of(await world.press(world.ana, message, "Step in"))
    await world.ben.slash(world.zone, "initiative next")
    # This is the die of every later try, too.
    world.dice.lay(8)
    late = await world.press(world.ana, panel, "Re-roll d8")
    assert "Something has happened since. Ask the GM to let it in?" in private(late)
    await world.press(world.ana, message_of(late), "Ask")
    # Nothing builds on the result, so there is nothing to look at first.
    await world.press(world.gina, world.newest("Let it in", world.gm_room), "Let it in")
    assert texts(world.card()).startswith("## ✓")
    assert "Round 2" in texts(world.newest("Join"))


async def test_too_late_the_gm_lets_it_in(world: World) -> None:
    receipt = private(await asked_too_late(world))
    assert "Asked the GM" in receipt and "Done" not in receipt
    question = world.newest("Let it in", world.gm_room)
    assert "would like to step in on check c1" in texts(question)
    assert "Later entries build on it: #" in texts(question)
    await let_in(world, question)
    assert texts(world.card()).startswith("## ✓")
    # Whoever asked is called.
    call = world.newest("Show")
    assert pings(call, world.env) == [world.ana.id]
    assert "The GM lets it in" in private(await world.press(world.ana, call, "Show"))


async def test_what_is_let_in_after_the_time_offers_no_time(world: World) -> None:
    await asked_too_late(world)
    question = world.newest("Let it in", world.gm_room)
    await world.env.advance_time(3 * DAY)
    world.dice.lay(8)
    await let_in(world, question)
    card = world.card()
    assert texts(card).startswith("## ✓") and "Final · check c1" in texts(card), texts(card)
    assert labels(card) == []


async def test_too_late_the_gm_refuses(world: World) -> None:
    await asked_too_late(world)
    before = texts(world.card())
    await world.press(world.gina, world.newest("Let it in", world.gm_room), "Too late")
    assert texts(world.card()) == before
    shown = await world.press(world.ana, world.newest("Show"), "Show")
    assert "The GM lets the result of check c1 stand." in private(shown)


def named_entries(message: Any) -> list[str]:
    """The entries that a question says would be undone."""
    return re.findall(r"#\d+", texts(message).partition("build on it: ")[2].partition("\n")[0])


async def test_the_question_names_what_depends_on_what_is_in_the_way(world: World) -> None:
    """All that is undone is named: the change of Marek, and what was made of him since."""
    await world.table(gm_channel=True)
    message = await fail_check(world)
    await reroll(world, message, 3)
    await world.gina.slash(world.zone, "gm adjust", character="Marek", what="fate", value="1")
    first = await world.revision()
    await world.gina.slash(world.zone, "character retire", character="Marek")
    await world.gina.slash(world.zone, "character retire", character="Marek", back=True)
    panel = message_of(await world.press(world.ana, world.card(), "Step in"))
    late = await world.press(world.ana, panel, "Re-roll d8")
    await world.press(world.ana, message_of(late), "Ask")
    question = world.newest("Let it in", world.gm_room)
    assert named_entries(question) == [f"#{first + more}" for more in range(3)]


@pytest.mark.parametrize("later", ["adjust", "retire"])
async def test_what_came_after_the_question_is_asked_about(world: World, later: str) -> None:
    await asked_too_late(world)
    question = world.newest("Let it in", world.gm_room)
    (first,) = named_entries(question)
    if later == "adjust":
        await world.gina.slash(world.zone, "gm adjust", character="Marek", what="fate", value="0")
    else:
        await world.gina.slash(world.zone, "character retire", character="Marek")
    new, before = f"#{await world.revision()}", await world.state()
    again = await world.press(world.gina, question, "Let it in")
    assert "That has changed. Look again." in private(again)
    assert named_entries(message_of(again)) == [first, new]
    assert await world.state() == before
    # What the list in /moves says is the same, and the old button asks again.
    listed = message_of(await world.gina.slash(world.zone, "moves"))
    shown = message_of(await world.press(world.gina, listed, "Answer · c1"))
    assert named_entries(shown) == [first, new]
    await world.restart()
    await let_in(world, message_of(again))
    assert texts(world.card()).startswith("## ✓")
    marek = next(each for each in (await world.state()).characters.values() if each.name == "Marek")
    assert marek.retired == (later == "retire"), "what came after stays"
    assert marek.sheet.fate == (1 if later == "retire" else 0)


async def test_it_is_asked_again_for_every_entry_more(world: World) -> None:
    await asked_too_late(world)
    question = world.newest("Let it in", world.gm_room)
    for count, value in ((2, "0"), (3, "3")):
        await world.gina.slash(world.zone, "gm adjust", character="Marek", what="fate", value=value)
        again = await world.press(world.gina, question, "Let it in")
        assert len(named_entries(message_of(again))) == count
        question = message_of(again)


async def test_less_than_the_question_named_is_not_asked_about(world: World) -> None:
    await asked_too_late(world)
    question = world.newest("Let it in", world.gm_room)
    (number,) = named_entries(question)
    await world.gina.slash(world.zone, "gm undo", entry=int(number[1:]))
    await world.press(world.gina, question, "Let it in")
    assert texts(world.card()).startswith("## ✓")


@pytest.mark.parametrize("first", ["Let it in", "Too late"])
async def test_a_question_is_answered_once(world: World, first: str) -> None:
    await asked_too_late(world)
    listed = message_of(await world.gina.slash(world.zone, "moves"))
    copies = [message_of(await world.press(world.gina, listed, "Answer · c1")) for _ in range(2)]
    question = world.newest("Let it in", world.gm_room)
    if first == "Let it in":
        await let_in(world, question)
    else:
        await world.press(world.gina, question, first)
    after = texts(world.card())
    (left,) = [
        each for each in world.messages(world.gm_room) if "would like to step in" in texts(each)
    ]
    assert not {"Let it in", "Too late"} & {*labels(left)}
    await world.restart()
    for copy, label in zip(copies, ("Let it in", "Too late"), strict=True):
        again = await world.press(world.gina, copy, label)
        assert "That has been decided." in refusal_of(again)
    assert texts(world.card()) == after


async def test_the_gm_finds_the_question_in_moves(world: World) -> None:
    await asked_too_late(world, gm_channel=False)
    listed = message_of(await world.gina.slash(world.zone, "moves"))
    yours = texts(listed).partition("### You could step in")[0]
    assert "### Yours to decide" in yours and "asks to step in" in yours
    assert "asks to step in" not in private(await world.ana.slash(world.zone, "moves"))
    question = message_of(await world.press(world.gina, listed, "Answer · c1"))
    assert "Later entries build on it: #" in texts(question)
    await world.press(world.gina, question, "Too late")
    assert "asks to step in" not in private(await world.gina.slash(world.zone, "moves"))
    assert "That has been decided." in refusal_of(
        await world.press(world.gina, listed, "Answer · c1")
    )


async def test_a_choice_that_turns_nothing_ends_with_one_full_stop(world: World) -> None:
    await world.table()
    message = await fail_check(world)
    await reroll(world, message, 3)
    text = texts(world.card())
    assert "Marek steps in" in text and ". ." not in text and ".." not in text, text


async def spent_since(world: World) -> Any:
    """Marek's only Fate point goes into check c2, a round after c1; the message of c1."""
    await world.table(gm_channel=True)
    await world.gina.slash(world.zone, "gm adjust", character="Marek", what="fate", value="1")
    await world.gina.slash(world.zone, "initiative start")
    for who in (world.ana, world.ben):
        await who.slash(world.zone, "initiative join")
    await world.gina.slash(world.zone, "initiative next")
    message = await fail_check(world)
    await world.ana.slash(world.zone, "initiative next")
    await world.ben.slash(world.zone, "initiative next")
    await reroll(world, await fail_check(world), 3)
    return message


async def test_what_was_spent_since_is_there_for_the_question(world: World) -> None:
    """The late choice has the sheet of its time, and what the point went into can't stand."""
    message = await spent_since(world)
    panel = message_of(await world.press(world.ana, message, "Step in"))
    assert "Re-roll d8" in labels(panel), "the point was there at the time"
    spent = await world.revision()
    # This is the die of every later try, too.
    world.dice.lay(8)
    late = await world.press(world.ana, panel, "Re-roll d8")
    assert "Something has happened since. Ask the GM to let it in?" in private(late)
    asked = await world.press(world.ana, message_of(late), "Ask")
    assert "Asked the GM" in private(asked)
    question = world.newest("Let it in", world.gm_room)
    assert named_entries(question) == [f"#{spent}"]
    before = await world.state()
    preview = message_of(await world.press(world.gina, question, "Let it in"))
    await world.press(world.gina, preview, "Change it")
    state = await world.state()
    assert state.checks["c1"].data.has_succeeded()
    assert len(state.checks["c2"].data.roll.abilities) == 1, "the point isn't spent twice"
    marek = next(each for each in state.characters.values() if each.name == "Marek")
    assert marek.sheet.fate == 0
    await undo_exactly(world, before)


async def test_a_spent_point_in_the_same_round_is_a_question_too(world: World) -> None:
    """The check could still be stepped into, but the point is gone: only the GM can let it in."""
    await world.table(gm_channel=True)
    await world.gina.slash(world.zone, "gm adjust", character="Marek", what="fate", value="1")
    message = await fail_check(world)
    await reroll(world, await fail_check(world), 3)
    panel = message_of(await world.press(world.ana, message, "Step in"))
    late = await world.press(world.ana, panel, "Re-roll d8")
    assert "Something has happened since. Ask the GM to let it in?" in private(late)
    assert "Asked the GM" in private(await world.press(world.ana, message_of(late), "Ask"))


async def test_a_point_that_was_never_there_is_not_offered(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm adjust", character="Marek", what="fate", value="0")
    message = await fail_check(world)
    await fail_check(world)
    panel = private(await world.press(world.ana, message, "Step in"))
    assert "You have nothing that would change this result." in panel


async def test_an_earlier_owner_is_offered_nothing(world: World) -> None:
    """What the sheet had at the time is offered only to the player who plays the character now."""
    message = await spent_since(world)
    await world.gina.slash(world.zone, "character give", character="Ilka", to=world.ana)
    await world.gina.slash(world.zone, "character give", character="Marek", to=world.ben)
    panel = private(await world.press(world.ana, message, "Step in"))
    assert "You have nothing that would change this result." in panel


async def test_a_former_stand_in_steps_into_nothing(world: World) -> None:
    """Who answered for the character at the time is refused, and offered no question to the GM."""
    await world.table()
    await world.ana.slash(world.zone, "delegate", character="Marek", to=world.ben)
    await reroll(world, await fail_check(world), 3)
    panel = message_of(await world.press(world.ben, world.card(), "Step in"))
    await world.ana.slash(world.zone, "delegate", character="Marek", to=world.ben, back=True)
    before = await world.state()
    refused = await world.press(world.ben, panel, "Re-roll d8")
    assert "Ask" not in labels(message_of(refused)) and "happened since" not in private(refused)
    refusal_of(refused)
    assert await world.state() == before
