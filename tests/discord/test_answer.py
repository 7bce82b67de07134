"""The GM's panel: every way to answer a proposal, and what the player then sees."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.discord.world import (
    World,
    button,
    controls,
    dialog_values,
    head,
    labels,
    menu,
    message_of,
    pings,
    private,
    refusal_of,
    selected_values,
    texts,
)

LEVEL = "Difficulty"
OPTIONS = "All the rest"
NO_ROLL, CANNOT = "Grant success", "Impossible"


async def _panel(world: World, **options: Any) -> Any:
    """A proposal of Ana's and the GM's panel for it."""
    await world.propose(**({"skill": "Climbing", "attribute": "Fitness"} | options))
    return await _opened(world)


async def _opened(world: World) -> Any:
    """Gina's panel for the newest proposal."""
    opened = await world.press(world.gina, world.newest("Answer"), "Answer")
    private(opened)
    return message_of(opened)


async def _again(world: World) -> Any:
    """Gina's panel for the check that she has answered already."""
    react = message_of(await world.press(world.gina, world.card(), "React"))
    return message_of(await world.press(world.gina, react, "Call for a roll…"))


async def _write(world: World, panel: Any, **typed: str) -> Any:
    """What is typed into the panel's dialog."""
    dialog = await world.press(world.gina, panel, "Write…")
    return await world.gina.submit_modal(dialog, dialog_values(dialog) | typed)


async def test_the_answer_is_expected_once_it_can_be_given(world: World) -> None:
    await world.table()
    panel = await _panel(world)
    assert 1 not in [each.get("style") for each in controls(panel) if each.get("label")]
    await world.choose(world.gina, panel, LEVEL, "Tricky")
    styles = {each["label"]: each["style"] for each in controls(panel) if each.get("label")}
    assert [label for label, style in styles.items() if style == 1] == ["Call for a roll"]


def _controls(panel: Any) -> dict[str, bool]:
    """Each button and whether it can be pressed."""
    return {
        each["label"]: not each.get("disabled") for each in controls(panel) if each.get("label")
    }


async def test_the_panel_shows_the_proposal_and_every_way_to_answer(world: World) -> None:
    await world.table()
    before = len(world.messages())
    panel = await _panel(world, difficulty="Difficult", **{"with": "dilemma"})
    text = texts(panel)
    assert "## Answer Marek" in text
    assert "> up the drainpipe, slowly" in text
    assert "**With:** Climbing d8 (veteran) and Fitness 1" in text
    assert "**Modifiers:** removes 1 major dilemma (1 level easier)" in text
    assert "**Difficulty:** 10 (Tricky)" in text, "what was claimed is taken for granted at first"
    assert "**Suggested difficulty:** Difficult (13)" in texts(world.card())
    assert "**Asks for:** removes 1 major dilemma (1 level easier)" in texts(world.card())
    assert selected_values(panel, LEVEL) == ["Difficult"]
    assert selected_values(panel, OPTIONS) == ["dilemma: 1"]
    assert _controls(panel) == {
        "Call for a roll": True,
        "Roll how well": True,
        "Grant success…": True,
        "Impossible…": True,
        "Ask…": True,
        "Write…": True,
        "Cancel": True,
    }
    assert len(world.messages()) == before + 2, (
        "the card and its call: nothing is told before an answer"
    )


async def test_without_a_difficulty_there_is_no_roll(world: World) -> None:
    await world.table()
    panel = await _panel(world)
    assert "A roll needs a difficulty. Give a level or a number." in texts(panel)
    assert "**Difficulty:** A roll" in texts(panel), "as a label, not as code"
    early = await world.press(world.gina, panel, "Call for a roll")
    assert early.modal is not None, "what is missing is asked for"
    first = early.modal["components"][0]
    assert (first["label"], first["description"]) == (
        "Difficulty",
        "A roll needs a difficulty. Give a level or a number.",
    )
    await world.choose(world.gina, panel, LEVEL, "Legendary+2")
    assert "**Difficulty:** 28 (Legendary+2)" in texts(panel)
    assert _controls(panel)["Call for a roll"] is True
    forged = world.emit(world.gina, button(panel, "Call for a roll"), panel)
    await world.env.settle()
    assert "Marek can roll now" in private(forged)
    assert "against 28" in texts(world.card())


@pytest.mark.rule("EBB-PROPOSAL", "EBB-LADDER")
async def test_an_open_difficulty_is_told_to_all(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    answered = await world.rule(level="Tricky")
    assert "## Marek can roll now" in private(answered), "the panel becomes the answer"
    assert labels(message_of(answered)) == []
    card = world.card()
    assert texts(card).startswith("## Marek, roll d10 + d8 against 10 (Tricky): 55%\nClimbing")
    assert labels(card) == ["Roll", "React"]
    message = world.last()
    assert message.content == f"{world.ana.mention}, Marek, roll d10 + d8 against 10 (Tricky): 55%"
    assert labels(message) == ["Roll"]
    assert pings(message, world.env) == [world.ana.id]


async def test_a_hidden_difficulty_is_told_to_the_gm_alone(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    await world.rule(level="Legendary", hidden=True)
    assert "Legendary" not in texts(world.card())
    assert "against a hidden difficulty" in texts(world.card())
    for who in (world.ana, world.ben):
        assert "(22)" not in "\n".join(world.visible_to(who))
        assert "(22)" not in private(await world.press(who, world.card(), "React"))
        assert "(22)" not in private(await who.slash(world.zone, "moves"))
    assert "22 (Legendary)" in private(await world.press(world.gina, world.card(), "React"))
    assert "Legendary" not in world.told(world.ana).replace("Legendary+", "")
    assert "(22)" not in world.told(world.ben)


@pytest.mark.rule("EBB-PROPOSAL", "EBB-SHIFT", "EBB-DRAWBACK", "EBB-INJURY")
async def test_shifts_are_shown_with_what_they_do(world: World) -> None:
    await world.table()
    panel = await _panel(world)
    await world.choose(world.gina, panel, LEVEL, "Difficult")
    await world.choose(
        world.gina, panel, OPTIONS, "drawback", "injured", "missing-tools: 2", "dilemma: 1"
    )
    text = texts(panel)
    assert "**Difficulty:** 22 (Legendary)" in text
    assert "defies a drawback (1 level harder)" in text
    await world.press(world.gina, panel, "Call for a roll")
    told = texts(world.card())
    assert "against 22" in told
    assert "Fitness (doesn't count while defying a drawback)" in told
    assert "missing tools (2 levels harder)" in told
    await world.answered(who=world.ben, level="Routine", options=("dilemma: 3",))
    assert "against 4" in texts(world.card()), "never below Easy"


@pytest.mark.rule("EBB-ROLL")
async def test_the_gm_refuses_a_trait(world: World) -> None:
    await world.table()
    card = await world.answered(disallow=("ability",))
    assert "\nClimbing (disallowed by the GM) and Fitness 1" in texts(card)
    world.dice.lay(8)
    await world.press(world.ana, card, "Roll")
    assert "d10 (8) + Fitness 1 = **9**" in texts(world.card())
    assert "against 10" in texts(world.card())
    card = await world.answered(who=world.ben, disallow=("attribute", "ability"))
    world.dice.lay(10, 3)
    await world.press(world.ben, card, "Roll")
    text = texts(world.card())
    assert "2d10 (10, 3) = **13**" in text
    assert "against 10" in text


async def test_what_was_typed_stays_in_the_menus(world: World) -> None:
    """Numbers and counts beyond those offered are entries of their own, so that no other choice
    drops them.
    """
    await world.table()
    panel = await _panel(world, difficulty="14", **{"with": "dilemma:5"})
    assert selected_values(panel, LEVEL) == ["14"]
    assert selected_values(panel, OPTIONS) == ["dilemma: 5"]
    mine = message_of(await world.press(world.ana, world.newest("Edit"), "Edit"))
    while LEVEL not in [each.get("placeholder") for each in controls(mine)]:
        await world.press(world.ana, mine, "More…")
    assert selected_values(mine, LEVEL) == ["14"]
    while not any(
        "dilemma: 5" in [o["value"] for o in each.get("options", ())] for each in controls(mine)
    ):
        await world.press(world.ana, mine, "More…")
    assert selected_values(mine, OPTIONS) == ["dilemma: 5"]
    await world.choose(world.gina, panel, OPTIONS, "dilemma: 5", "flaw: 1")
    assert "**Difficulty:** 4 (Easy)" in texts(panel)


async def test_there_is_nothing_to_refuse_where_nothing_is_used(world: World) -> None:
    await world.table()
    panel = await _panel(world)
    assert "Disallow Climbing" in texts(panel)
    await world.propose(world.ben)
    assert "Disallow" not in texts(await _opened(world))


async def test_a_number_and_a_modifier(world: World) -> None:
    await world.table()
    panel = await _panel(world)
    dialog = await world.press(world.gina, panel, "Write…")
    assert dialog.modal is not None
    assert dialog.modal["title"] == "Answer Marek"
    changed = await world.gina.submit_modal(dialog, {"difficulty": "14", "modifier": "−2"})
    assert "**Difficulty:** 14" in private(changed)
    assert "−2 to the total" in texts(panel)
    again = await world.press(world.gina, panel, "Write…")
    assert dialog_values(again)["difficulty"] == "14"
    assert dialog_values(again)["modifier"].replace("\u2212", "-") == "-2"
    await world.gina.submit_modal(again, {"difficulty": "very diff", "modifier": ""})
    assert "**Difficulty:** 16 (Very Difficult)" in texts(panel)
    assert "to the total" not in texts(panel)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({"difficulty": "tricki", "modifier": ""}, "No difficulty “tricki”."),
        ({"difficulty": "12", "modifier": "two"}, "“two” isn't a whole number."),
        (
            {"difficulty": "12", "modifier": "99"},
            "**Modifier:** invalid value: 99. Use a number from −20 to 20.",
        ),
        (
            {"difficulty": "", "modifier": "99"},
            "**Modifier:** invalid value: 99. Use a number from −20 to 20.",
        ),
    ],
)
async def test_a_bad_number_is_named_and_may_be_mended(
    world: World, values: dict[str, str], expected: str
) -> None:
    await world.table()
    panel = await _panel(world)
    before = await world.revision()
    answer = await _write(world, panel, **values)
    assert expected in private(answer)
    assert _controls(panel)["Call for a roll"] is False
    await world.restart()
    again = await world.press(world.gina, panel, "Write…")
    typed = dialog_values(again)
    assert {key: typed[key] for key in values} == values, "nothing that was typed is lost"
    mended = await world.gina.submit_modal(again, {"difficulty": "14", "modifier": "2"})
    assert "**Difficulty:** 14" in private(mended)
    assert await world.revision() == before
    await world.choose(world.gina, panel, LEVEL, "Tricky")
    assert "**Difficulty:** 10 (Tricky)" in texts(panel)


async def test_a_question_that_is_empty_may_be_written_again(world: World) -> None:
    await world.table()
    panel = await _panel(world)
    closed = await world.press(world.gina, panel, "Ask…")
    assert closed.modal is not None
    assert head(panel) == "Answer Marek", "whoever closes the dialog goes on with the panel"
    asked = await world.press(world.gina, panel, "Ask…")
    wrong = await world.gina.submit_modal(asked, {"question": "  "})
    assert "Fill in Question first." in private(wrong)
    panel = message_of(wrong)
    stranger = world.emit(world.ana, button(panel, "Question…"), panel)
    await world.env.settle()
    refusal_of(stranger)
    send = button(panel, "Ask")
    again = await world.press(world.gina, panel, "Question…")
    await world.gina.submit_modal(again, {"question": "With which hand?"})
    assert "“With which hand?”" in texts(world.card())
    late = world.emit(world.gina, send, panel)
    await world.env.settle()
    refusal_of(late)


async def test_a_note_goes_with_the_answer(world: World) -> None:
    await world.table()
    await world.answered(note="If you fall, the dog *wakes*.")
    assert "> **The GM's note:** If you fall, the dog \\*wakes\\*." in texts(world.card())


@pytest.mark.rule("EBB-PROPOSAL")
@pytest.mark.parametrize(
    ("press", "head"), [(NO_ROLL, "✓ It succeeds without a roll"), (CANNOT, "✗ This is impossible")]
)
async def test_an_answer_without_a_roll_ends_the_check(world: World, press: str, head: str) -> None:
    await world.table()
    panel = await _panel(world, attribute="Fitness")
    await _write(world, panel, note="as you please")
    await world.press(world.gina, panel, f"{press}…")
    assert "**Note:** as you please" in texts(panel), "what was written is not asked for twice"
    assert head not in texts(panel), "nothing is decided yet"
    await world.press(world.gina, panel, press)
    card = world.card()
    assert texts(card).startswith(f"## {head}\nMarek: Climbing d8 (veteran) and Fitness 1\n")
    assert "> **The GM's note:** as you please" in texts(card)
    assert "Final · check c1" in texts(card)
    assert labels(card) == []
    assert world.last().id == world.card().id, "nobody is called where there is nothing to be done"
    assert not (await world.check()).is_open
    forged = world.emit(world.ben, "sg:chk:1:c1", card)
    await world.env.settle()
    assert "Nothing for you to do here right now." in private(forged)
    assert "Nothing to do right now." in private(await world.ana.slash(world.zone, "moves"))


@pytest.mark.rule("EBB-PROPOSAL")
async def test_a_margin_only_roll_cannot_fail(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing", attribute="Fitness")
    await world.rule(level=None, press="Roll how well")
    assert "It succeeds; roll to see how well." in texts(world.card())
    world.dice.lay(1, 2)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    rolled = texts(world.card())
    assert rolled.startswith("## ✓ It succeeds")
    assert "The total shows how well, fast or dramatically." in rolled
    assert "d10 (1) + d8 (2) + Fitness 1 = **4**" in rolled
    assert "failure" not in rolled.casefold()
    await world.propose(world.ben, skill="Climbing")
    await world.rule(level="Routine", press="Roll how well")
    assert "7 (Routine)" in texts(world.card())
    world.dice.lay(9, 5)
    await world.press(world.ben, world.newest("Roll"), "Roll")
    assert texts(world.card()).startswith("## ✓ It succeeds so far, 2 extra results")


async def test_the_answer_may_be_changed_until_the_dice_are_rolled(world: World) -> None:
    await world.table()
    old = await world.answered(
        level="Legendary",
        hidden=True,
        note="Mind the dog",
        options=("flaw: 1",),
        disallow=("attribute",),
    )
    late_roll = button(old, "Roll")
    panel = await _again(world)
    assert "Legendary+1 (25)" in texts(panel), "it begins with the answer that stands"
    assert selected_values(panel, LEVEL) == ["Legendary"]
    assert set(selected_values(panel, OPTIONS)) == {"flaw: 1", "disallow: attribute", "hidden"}, (
        "what was refused stays refused, and what was hidden does not come open by mistake"
    )
    assert "Mind the dog" in texts(panel)
    await world.choose(world.gina, panel, LEVEL, "Routine")
    await world.choose(world.gina, panel, OPTIONS, "flaw: 1", "disallow: attribute")
    cannot = button(panel, "Impossible…")
    await world.press(world.gina, panel, "Call for a roll")
    assert "against 10" in texts(world.card())
    late = world.emit(world.ana, late_roll, old)
    await world.env.settle()
    assert "That has moved on" in refusal_of(late)
    world.dice.lay(9, 8)
    panel = await _again(world)
    cannot = button(panel, "Impossible…")
    await world.press(world.ana, world.newest("Roll"), "Roll")
    late = world.emit(world.gina, cannot, panel)
    await world.env.settle()
    assert "That has moved on" in refusal_of(late)


async def test_an_answer_panel_that_has_been_overtaken_says_so(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    first, second = await _opened(world), await _opened(world)
    await world.choose(world.gina, first, LEVEL, "Tricky")
    await world.press(world.gina, first, "Call for a roll")
    for label in ("Roll how well", "Grant success…", "Ask…", "Write…"):
        late = world.emit(world.gina, button(second, label), second)
        await world.env.settle()
        assert "That has moved on" in refusal_of(late)
    late = await world.choose(world.gina, second, LEVEL, "Easy")
    assert "That has moved on" in refusal_of(late)


async def test_only_a_gm_answers(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    call = world.newest("Answer")
    before = await world.revision()
    number = button(call, "Answer").split(":")[3]
    for who in (world.ana, world.ben):
        text = refusal_of(await world.press(who, call, "Answer"))
        assert f"Only the GM can do that. Ask {world.gina.mention}." in text
        for option in ("roll", "free", "ask"):
            forged = world.emit(who, f"sg:cho:1:{number}:rule:-:{option}", call)
            await world.env.settle()
            refusal_of(forged)
    panel = await _opened(world)
    stolen = world.emit(world.ana, button(panel, "Grant success…"), panel)
    await world.env.settle()
    assert "That panel belongs to somebody else." in refusal_of(stolen)
    draft = button(panel, "Cancel").split(":")[3]
    forged = world.emit_modal(world.ana, f"sg:fmm:pr:{draft}", note="why?")
    await world.env.settle()
    assert "That panel belongs to somebody else." in refusal_of(forged)
    assert await world.revision() == before


async def test_a_gm_who_is_one_no_more_cannot_answer_with_an_old_panel(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm members", add=world.ben)
    await world.propose(skill="Climbing", difficulty="Tricky")
    panel = message_of(await world.press(world.ben, world.newest("Answer"), "Answer"))
    await world.gina.slash(world.zone, "gm members", remove=world.ben)
    for label in ("Call for a roll", "Impossible…"):
        forged = world.emit(world.ben, button(panel, label), panel)
        await world.env.settle()
        assert "Only the GM can do that." in refusal_of(forged)
    assert (await world.check()).prompt("rule") is not None
    assert texts(world.card()).startswith("## Waiting for the GM")


async def test_the_levels_of_the_menu_are_the_ladder(world: World) -> None:
    await world.table()
    panel = await _panel(world)
    labels_ = [option["label"] for option in menu(panel, LEVEL)["options"]][1:]
    assert all(re.search(r" · (under |over )?\d+%$", label) for label in labels_), (
        "each with its odds"
    )
    assert [label.partition(" · ")[0] for label in labels_] == [
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
