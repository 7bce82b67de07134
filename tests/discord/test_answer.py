"""The GM's panel: every way to answer a proposal, and what the player then sees."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.world import (
    World,
    button,
    chosen,
    controls,
    labels,
    menu,
    pings,
    private,
    public,
    refused,
    said,
    texts,
)

LEVEL = "Difficulty before shifts"
OPTIONS = "What makes it easier or harder"
DISALLOW = "Traits that do not count"


async def _panel(world: World, **options: Any) -> Any:
    """A proposal of Ana's and the GM's panel for it."""
    proposal = await world.propose(**({"skill": "Climbing", "attribute": "Fitness"} | options))
    opened = await world.press(world.gina, said(proposal), "Answer")
    private(opened)
    return said(opened)


def _controls(panel: Any) -> dict[str, bool]:
    """Each button and whether it can be pressed."""
    return {each["label"]: not each.get("disabled") for each in controls(panel) if each.get("label")}


async def test_the_panel_shows_the_proposal_and_every_way_to_answer(world: World) -> None:
    await world.table()
    panel = await _panel(world, difficulty="Difficult", **{"with": "dilemma"})
    text = texts(panel)
    assert "Your answer to Marek" in text
    assert "up the drainpipe, slowly" in text
    assert "• Climbing d8 (veteran)" in text
    assert "• removes 1 major dilemma (1 level easier)" in text
    assert "The player has in mind\nDifficult (13)" in text
    assert "Your answer so far\n**Tricky (10)**" in text, "what was claimed is taken for granted at first"
    assert chosen(panel, LEVEL) == ["Difficult"]
    assert chosen(panel, OPTIONS) == ["dilemma"]
    assert _controls(panel) == {
        "Difficulty: open": True,
        "Number…": True,
        "Note…": True,
        "Ask back…": True,
        "Let them roll": True,
        "Succeeds; roll how well": True,
        "Succeeds, no roll": True,
        "Cannot work": True,
    }
    assert len(world.messages()) == 4, "nothing is told before an answer is pressed"


async def test_without_a_difficulty_there_is_no_roll(world: World) -> None:
    await world.table()
    panel = await _panel(world)
    assert "No difficulty yet. Choose one, or press **Number…**" in texts(panel)
    assert _controls(panel)["Let them roll"] is False
    await world.choose(world.gina, panel, LEVEL, "Legendary+2")
    assert "Your answer so far\n**Legendary+2 (28)**" in texts(panel)
    assert _controls(panel)["Let them roll"] is True
    forged = world.emit(world.gina, button(panel, "Let them roll"), panel)
    await world.env.settle()
    assert "Legendary+2 (28)" in private(forged)


@pytest.mark.rule("EBB-PROPOSAL", "EBB-LADDER")
async def test_an_open_difficulty_is_told_to_all(world: World) -> None:
    await world.table()
    answered = await world.answer(said(await world.propose(skill="Climbing")), level="Tricky")
    assert "**Roll against Tricky (10).**" in private(answered), "the panel becomes the answer"
    assert "Let them roll" not in labels(said(answered))
    message = world.last()
    assert message.content == f"{world.ana.mention}, the GM has answered: roll when you are ready."
    assert f"**Roll against Tricky (10).** Waiting for {world.ana.mention} to roll." in texts(message)
    assert labels(message) == ["Roll", "React"]
    assert pings(message, world.env) == [world.ana.id]


async def test_a_hidden_difficulty_is_told_to_the_gm_alone(world: World) -> None:
    await world.table()
    answered = await world.answer(said(await world.propose(skill="Climbing")), level="Legendary", hidden=True)
    assert "Legendary (22)" in private(answered)
    assert "For the GMs only: the players do not see all of this." in private(answered)
    assert "**Roll against a hidden difficulty.**" in texts(world.last())
    for who in (world.ana, world.ben):
        assert "(22)" not in "\n".join(world.visible_to(who))
        react = await world.press(who, world.last(), "React")
        assert "(22)" not in private(react)
    assert "Legendary (22)" in private(await world.press(world.gina, world.last(), "React"))


@pytest.mark.rule("EBB-PROPOSAL", "EBB-SHIFT", "EBB-DRAWBACK", "EBB-INJURY")
async def test_shifts_are_shown_with_what_they_do(world: World) -> None:
    await world.table()
    panel = await _panel(world)
    await world.choose(world.gina, panel, LEVEL, "Difficult")
    await world.choose(world.gina, panel, OPTIONS, "drawback", "injured", "missing-tools:2", "dilemma")
    text = texts(panel)
    assert "**Legendary (22)**" in text
    assert "defies a drawback (1 level harder)" in text
    await world.press(world.gina, panel, "Let them roll")
    told = texts(world.last())
    assert "**Roll against Legendary (22).**" in told
    assert "Not counted: Fitness, because a drawback is defied" in told
    assert "missing tools (2 levels harder)" in told
    await world.answered(who=world.ben, level="Routine", options=("dilemma:3",))
    assert "**Roll against Easy (4).**" in texts(world.last()), "never below Easy"


async def test_menus_that_contradict_each_other_make_no_answer(world: World) -> None:
    await world.table()
    panel = await _panel(world)
    await world.choose(world.gina, panel, LEVEL, "Tricky")
    await world.choose(world.gina, panel, OPTIONS, "superior", "missing-tools")
    assert "comes twice or contradicts another word" in texts(panel)
    assert _controls(panel)["Let them roll"] is False
    assert _controls(panel)["Succeeds; roll how well"] is False
    assert _controls(panel)["Succeeds, no roll"] is True
    await world.choose(world.gina, panel, OPTIONS)
    await world.press(world.gina, panel, "Let them roll")
    assert "Roll against Tricky (10)" in texts(world.last())


@pytest.mark.rule("EBB-ROLL")
async def test_the_gm_refuses_a_trait(world: World) -> None:
    await world.table()
    message = await world.answered(disallow=("ability",))
    assert "Not counted: Climbing, refused by the GM" in texts(message)
    world.dice.lay(8)
    rolled = await world.press(world.ana, message, "Roll")
    assert "8 + 1 = 9 against Tricky (10)" in public(rolled)
    message = await world.answered(who=world.ben, disallow=("attribute", "ability"))
    world.dice.lay(10, 3)
    rolled = await world.press(world.ben, message, "Roll")
    text = public(rolled)
    assert "main d10: 10, again 3" in text
    assert "Total: 13 against Tricky (10)" in text


async def test_what_was_typed_stays_in_the_menus(world: World) -> None:
    """Numbers and counts beyond those offered are entries of their own, so that no other choice drops them."""
    await world.table()
    panel = await _panel(world, difficulty="14", **{"with": "dilemma:5"})
    assert chosen(panel, LEVEL) == ["14"]
    assert chosen(panel, OPTIONS) == ["dilemma:5"]
    react = said(await world.press(world.ana, world.last(), "React"))
    mine = said(await world.press(world.ana, react, "Change the proposal"))
    assert chosen(mine, "Difficulty you have in mind") == ["14"]
    assert chosen(mine, OPTIONS) == ["dilemma:5"]
    await world.choose(world.gina, panel, OPTIONS, "dilemma:5", "flaw")
    assert "Your answer so far\n**Easy (4)**" in texts(panel)


async def test_there_is_nothing_to_refuse_where_nothing_is_used(world: World) -> None:
    await world.table()
    proposal = await world.propose()
    panel = said(await world.press(world.gina, said(proposal), "Answer"))
    assert DISALLOW not in [each.get("placeholder") for each in controls(panel)]


async def test_a_number_and_a_modifier(world: World) -> None:
    await world.table()
    panel = await _panel(world)
    dialogue = await world.press(world.gina, panel, "Number…")
    assert dialogue.modal is not None
    assert dialogue.modal["title"] == "Difficulty and modifier"
    changed = await world.gina.submit_modal(dialogue, {"difficulty": "14", "modifier": "−2"})
    assert "Your answer so far\n**14**" in private(changed)
    assert "−2 on the total" in texts(panel)
    again = await world.press(world.gina, panel, "Number…")
    assert again.modal is not None
    assert [row["component"].get("value") for row in again.modal["components"]] == ["14", "-2"]
    await world.gina.submit_modal(again, {"difficulty": "very diff", "modifier": ""})
    assert "**Very Difficult (16)**" in texts(panel)
    assert "on the total" not in texts(panel)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"difficulty": "tricki", "modifier": ""}, "“tricki” is no difficulty."),
        ({"difficulty": "12", "modifier": "two"}, "“two” is not a whole number."),
        ({"difficulty": "12", "modifier": "99"}, "99 is not possible; it goes from −20 to 20."),
        ({"difficulty": "", "modifier": "99"}, "99 is not possible; it goes from −20 to 20."),
    ],
)
async def test_a_bad_number_leaves_the_panel_as_it_was(
    world: World, values: dict[str, str], expected: str
) -> None:
    await world.table()
    panel = await _panel(world)
    before = texts(panel)
    answer = await world.gina.submit_modal(await world.press(world.gina, panel, "Number…"), values)
    assert expected in refused(answer)
    assert texts(panel) == before
    await world.restart()
    again = await world.press(world.gina, said(answer), "Write it again")
    assert again.modal is not None
    assert again.modal["title"] == "Difficulty and modifier"
    typed = [row["component"].get("value") or "" for row in again.modal["components"]]
    assert typed == [values["difficulty"], values["modifier"]]
    mended = await world.gina.submit_modal(again, {"difficulty": "14", "modifier": "2"})
    assert "**14**" in private(mended)
    await world.choose(world.gina, panel, LEVEL, "Tricky")
    assert "**Tricky (10)**" in texts(panel)


async def test_a_question_that_is_empty_may_be_written_again(world: World) -> None:
    await world.table()
    asking = await world.press(world.gina, await _panel(world), "Ask back…")
    wrong = await world.gina.submit_modal(asking, {"question": "  "})
    assert "what you want to know" in refused(wrong)
    stranger = world.emit(world.ana, button(said(wrong), "Write it again"))
    await world.env.settle()
    refused(stranger)
    again = await world.press(world.gina, said(wrong), "Write it again")
    await world.gina.submit_modal(again, {"question": "With which hand?"})
    assert "With which hand?" in texts(world.last())
    again = await world.press(world.gina, said(wrong), "Write it again")
    late = await world.gina.submit_modal(again, {"question": "And when?"})
    refused(late)
    assert "Write it again" not in labels(said(late)), "other words would not help"


async def test_a_note_goes_with_the_answer(world: World) -> None:
    await world.table()
    await world.answered(note="If you fall, the dog *wakes*.")
    assert "The GM's note\nIf you fall, the dog \\*wakes\\*." in texts(world.last())


@pytest.mark.rule("EBB-PROPOSAL")
@pytest.mark.parametrize(
    ("press", "head", "call"),
    [
        ("Succeeds, no roll", "**It succeeds.** No roll is needed.", "Marek succeeds without a roll."),
        ("Cannot work", "**This cannot work.** No roll is made.", "this cannot work."),
    ],
)
async def test_an_answer_without_a_roll_ends_the_check(
    world: World, press: str, head: str, call: str
) -> None:
    await world.table()
    proposal = said(await world.propose(skill="Climbing"))
    await world.answer(proposal, level=None, press=press, note="as you please")
    message = world.last()
    assert head in texts(message)
    assert message.content == f"{world.ana.mention}, the GM has answered: {call}"
    assert "as you please" in texts(message)
    assert labels(message) == ["Details"]
    assert pings(message, world.env) == [world.ana.id]
    assert not (await world.check()).open
    details = await world.press(world.ben, message, "Details")
    assert "There is nothing for you to do here now." in private(details)
    assert "Nothing waits for you." in private(await world.ana.slash(world.zone, "moves"))


@pytest.mark.rule("EBB-PROPOSAL")
async def test_a_margin_only_roll_cannot_fail(world: World) -> None:
    await world.table()
    proposal = said(await world.propose(skill="Climbing", attribute="Fitness"))
    await world.answer(proposal, level=None, press="Succeeds; roll how well")
    assert "**It succeeds; roll to see how well.**" in texts(world.last())
    world.dice.lay(1, 2)
    rolled = public(await world.press(world.ana, world.last(), "Roll"))
    assert "**It succeeds.** The total shows how well, fast or dramatically." in rolled
    assert "1 + 2 + 1 = 4" in rolled
    assert "failure" not in rolled.casefold()
    proposal = said(await world.propose(world.ben, skill="Climbing"))
    await world.answer(proposal, level="Routine", press="Succeeds; roll how well")
    assert "measured against Routine (7)" in texts(world.last())
    world.dice.lay(9, 5)
    assert "**It succeeds, 2 extra results.**" in public(await world.press(world.ben, world.last(), "Roll"))


async def test_the_answer_may_be_changed_until_the_dice_are_rolled(world: World) -> None:
    await world.table()
    message = await world.answered(
        level="Legendary", hidden=True, note="Mind the dog", options=("flaw",), disallow=("attribute",)
    )
    old = message
    react = said(await world.press(world.gina, message, "React"))
    panel = said(await world.press(world.gina, react, "Answer"))
    assert "Legendary+1 (25)" in texts(panel), "it begins with the answer that stands"
    assert chosen(panel, LEVEL) == ["Legendary"]
    assert chosen(panel, OPTIONS) == ["flaw"]
    assert chosen(panel, DISALLOW) == ["attribute"], "what was refused stays refused"
    assert "Difficulty: hidden" in labels(panel), "what was hidden does not come open by mistake"
    assert "Mind the dog" in texts(panel)
    await world.choose(world.gina, panel, LEVEL, "Routine")
    await world.press(world.gina, panel, "Difficulty: hidden")
    cannot = button(panel, "Cannot work")
    await world.press(world.gina, panel, "Let them roll")
    assert "**Roll against Tricky (10).**" in texts(world.last())
    late = world.emit(world.ana, button(old, "Roll"), old)
    await world.env.settle()
    assert "Meanwhile the GM has answered, or what is rolled was changed" in refused(late)
    world.dice.lay(9, 8)
    await world.press(world.ana, world.last(), "Roll")
    late = world.emit(world.gina, cannot, panel)
    await world.env.settle()
    assert "Meanwhile the dice have been rolled." in refused(late)


async def test_an_answer_panel_that_has_been_overtaken_says_so(world: World) -> None:
    await world.table()
    proposal = said(await world.propose(skill="Climbing"))
    first = said(await world.press(world.gina, proposal, "Answer"))
    second = said(await world.press(world.gina, proposal, "Answer"))
    await world.choose(world.gina, first, LEVEL, "Tricky")
    await world.press(world.gina, first, "Let them roll")
    for label in ("Difficulty: open", "Succeeds, no roll"):
        late = await world.press(world.gina, second, label)
        assert "Meanwhile the GM has answered," in refused(late)
    late = await world.choose(world.gina, second, LEVEL, "Easy")
    assert "This has moved on" in refused(late)
    late = await world.press(world.gina, second, "Ask back…")
    assert "This has moved on" in refused(late)


async def test_only_a_gm_answers(world: World) -> None:
    await world.table()
    proposal = said(await world.propose(skill="Climbing"))
    before = await world.revision()
    for who in (world.ana, world.ben):
        text = refused(await world.press(who, proposal, "Answer"))
        assert f"Only a GM of this table may do that. Who may: {world.gina.mention}." in text
        for custom_id in ("sg:do:1:c1:1:answer", "sg:do:1:c1:1:ask", "sg:ask:1:c1:1"):
            forged = world.emit(who, custom_id, proposal)
            await world.env.settle()
            refused(forged)
        forged = world.emit_modal(who, "sg:askm:1:c1:1", question="why?")
        await world.env.settle()
        refused(forged)
    panel = said(await world.press(world.gina, proposal, "Answer"))
    stolen = world.emit(world.ana, button(panel, "Succeeds, no roll"), panel)
    await world.env.settle()
    assert "That panel belongs to somebody else." in refused(stolen)
    assert await world.revision() == before


async def test_a_gm_who_is_one_no_more_cannot_answer_with_an_old_panel(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm members", add=world.ben)
    proposal = said(await world.propose(skill="Climbing"))
    panel = said(await world.press(world.ben, proposal, "Answer"))
    await world.gina.slash(world.zone, "gm members", remove=world.ben)
    assert "Only a GM of this table may do that." in refused(
        await world.press(world.ben, panel, "Cannot work")
    )
    assert (await world.check()).status == "proposed"


async def test_the_levels_of_the_menu_are_the_ladder(world: World) -> None:
    await world.table()
    panel = await _panel(world)
    assert [option["label"] for option in menu(panel, LEVEL)["options"]] == [
        "Easy (4)",
        "Routine (7)",
        "Tricky (10)",
        "Difficult (13)",
        "Very Difficult (16)",
        "Near Impossible (19)",
        "Legendary (22)",
        "Legendary+1 (25)",
        "Legendary+2 (28)",
        "Legendary+3 (31)",
    ]
