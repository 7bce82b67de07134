"""What cards and panels of checks say and offer at one moment or another: marks, labels, numbers,
and who may press.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.world import (
    DAY,
    World,
    button,
    controls,
    dialog_values,
    head,
    is_layout,
    labels,
    menu,
    message_of,
    private,
    refusal_of,
    texts,
)

STAND = "Accept result"


async def _fight(world: World, *faces: int) -> Any:
    """Ana attacks Ben's Ilka, who runs; with faces the dice lie open: the card."""
    await world.ana.slash(
        world.zone,
        "attack",
        target="Ilka",
        skill="Rifles",
        attribute="Alertness",
        approach="from the bridge",
    )
    await world.rule(level=None)
    panel = message_of(await world.press(world.ben, world.newest("Defend"), "Defend"))
    await world.choose(world.ben, panel, "Skill", "Running")
    await world.ben.submit_modal(
        await world.press(world.ben, panel, "Approach…"), {"approach": "behind the wall"}
    )
    # The dice fall when the last side has answered.
    world.dice.lay(*faces)
    await world.press(world.ben, panel, "Defend")
    return world.card()


# --- heads ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("face", "first"),
    [(10, "## ✓ Success, 12 against 10"), (4, "## ✗ Clear failure, 4 against 10")],
)
async def test_the_mark_of_an_npc_says_whether_it_worked(
    world: World, face: int, first: str
) -> None:
    await world.table(step_in_minutes=0)
    await world.bring(world.gina, "Sidor", npc=True)
    world.dice.lay(face, *([2] * (face == 10)))
    await world.propose(world.gina, difficulty="Tricky", **{"as": "Sidor"})
    assert world.dice.left == 0
    assert texts(world.card()).startswith(first)


async def test_what_was_decided_by_something_else_has_no_numbers(world: World) -> None:
    await world.table(step_in_minutes=0)
    await world.rolled(1, 8)
    assert texts(world.card()).startswith("## ✗ Automatic failure: the main die shows 1\n")


# --- beginning ------------------------------------------------------------------------------------


async def test_the_panel_says_who_acts(world: World) -> None:
    await world.table()
    await world.bring(world.ana, "Sidor")
    await world.ana.slash(world.zone, "character use", character="Marek")
    panel = message_of(await world.ana.slash(world.zone, "check"))
    entries = menu(panel, "Who acts")["options"]
    shown = [each["label"] for each in entries if each.get("default")]
    assert shown == ["Who acts: Marek"]
    assert not [each for each in entries if each["label"].endswith((": none", ": choose…"))]


async def test_the_panel_says_roll_where_it_rolls(world: World) -> None:
    await world.table(live=True)
    panel = message_of(await world.ana.slash(world.zone, "check"))
    await world.ana.submit_modal(
        await world.press(world.ana, panel, "Write…"), {"approach": "over the wall"}
    )
    assert "Send" in labels(panel)
    await world.choose(world.ana, panel, "Difficulty", "Tricky")
    assert "Roll" in labels(panel)
    assert "Send" not in labels(panel)
    world.dice.lay(5)
    await world.press(world.ana, panel, "Roll")
    assert "d10 (5)" in texts(world.card())


async def test_whoever_leads_and_plays_nobody_is_offered_what_their_npcs_have(world: World) -> None:
    await world.table()
    for name in ("Sidor", "Warden"):
        await world.bring(world.gina, name, npc=True)
    for option, offered in (
        ("skill", "Climbing"),
        ("attribute", "Fitness"),
        ("difficulty", "Tricky"),
    ):
        found = await world.gina.autocomplete(world.zone, "check", option, "")
        values = [each["value"] for each in found]
        assert offered in values
        assert len(set(values)) == len(values)
    assert await world.gina.autocomplete(world.zone, "check", "with", "draw")


async def test_another_s_injuries_are_not_one_s_own(world: World) -> None:
    await world.setup()
    break_ = {"text": "Broken arm", "part": "", "severity": "severe", "treated": False}
    burn = {"text": "Burned hand", "part": "", "severity": "light", "treated": False}
    await world.bring(world.ana, "Marek", injuries=[break_])
    await world.bring(world.ben, "Ilka", injuries=[burn])
    panel = message_of(await world.ana.slash(world.zone, "heal", method="treat"))

    async def pages() -> str:
        shown: list[str] = []
        for _ in range(3):
            shown.append(texts(panel))
            await world.press(world.ana, panel, "More…")
        return "\n".join(shown)

    assert "Broken arm" in await pages()
    while "Target" not in [each.get("placeholder") for each in controls(panel)]:
        await world.press(world.ana, panel, "More…")
    await world.choose(world.ana, panel, "Target", "k2")
    shown = await pages()
    assert "Broken arm (" not in shown
    assert "Burned hand" not in shown


# --- answering ------------------------------------------------------------------------------------


async def test_players_are_not_shown_what_gms_do_for_npcs(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Sidor", npc=True)
    await world.propose(world.gina, skill="Climbing", **{"as": "Sidor"})
    assert "Edit" not in labels(world.card())
    react = message_of(await world.press(world.gina, world.card(), "React"))
    assert "Edit…" in labels(react)
    assert "Edit" not in "".join(
        labels(message_of(await world.press(world.ana, world.card(), "React")))
    )


async def test_a_gm_who_asks_themselves_gets_the_answer_alone(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm npc add", name="Sidor", stage="revealed")
    asked = await world.gina.slash(world.zone, "check", approach="over the wall", **{"as": "Sidor"})
    assert "Answer" in labels(message_of(asked))
    assert "See check c1 ·" in private(asked), "there is no result before the roll"
    assert labels(world.card()) == ["React"], "what GMs press is not for everybody to see"
    await world.rule(message_of(asked), level="Tricky")
    world.dice.lay(5)
    await world.press(world.gina, world.card(), "Roll")
    assert "d10 (5) = **5**" in texts(world.card())


async def test_nothing_is_asked_where_there_is_nothing_to_choose_from(world: World) -> None:
    await world.table()
    await world.propose()
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    dialog = await world.press(world.gina, panel, "Write…")
    assert "disallow" not in dialog_values(dialog)
    await world.propose(skill="Climbing")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert "disallow: ability" in [each["value"] for each in menu(panel, "All the rest")["options"]]


async def test_two_dialogs_of_one_panel_lose_no_text(world: World) -> None:
    await world.table()
    panel = message_of(await world.ana.slash(world.zone, "check"))
    first = await world.press(world.ana, panel, "Write…")
    second = await world.press(world.ana, panel, "Write…")
    await world.ana.submit_modal(first, dialog_values(first) | {"approach": "over the wall"})
    await world.ana.submit_modal(second, dialog_values(second) | {"modifier": "2"})
    assert "over the wall" in texts(panel)
    assert "+2 to the total" in texts(panel)
    third = await world.press(world.ana, panel, "Write…")
    assert (dialog_values(third)["approach"], dialog_values(third)["modifier"]) == (
        "over the wall",
        "2",
    )
    await world.ana.submit_modal(third, dialog_values(third) | {"modifier": ""})
    assert "+2 to the total" not in texts(panel)


async def test_a_result_that_has_changed_does_not_stand_by_an_old_panel(world: World) -> None:
    await world.table()
    card = await world.rolled(5, 2)
    old = message_of(await world.press(world.gina, card, "React"))
    stand = button(old, "Accept result")
    world.dice.lay(1)
    await world.spend(card, "Re-roll d8")
    late = world.emit(world.gina, stand, old if old.ephemeral is False else world.last())
    await world.env.settle()
    assert "Somebody has reacted to the roll." in refusal_of(late)
    assert (await world.check()).is_open
    now = message_of(await world.press(world.gina, world.card(), "React"))
    await world.press(world.gina, now, "Accept result")
    assert not (await world.check()).is_open


# --- what happened --------------------------------------------------------------------------------


async def test_notes_say_whose_they_are_where_both_roll(world: World) -> None:
    await world.table()
    card = await _fight(world, 7, 4, 5, 3)
    world.dice.lay(6)
    await world.spend(card, "Re-roll d6", world.ben)
    assert "Ilka: 1 Fate point spent: d6 re-rolled, shows 6; 2 Fate points left." in texts(
        world.card()
    )


async def test_a_flesh_wound_says_once_what_it_costs(world: World) -> None:
    await world.table()
    await world.spend(await _fight(world, 9, 4, 5, 3), STAND, world.ben)
    assert texts(world.card()).count("1 Fitness, no injury") == 1
    assert "Flesh wound or Full damage" in private(await world.ben.slash(world.zone, "moves"))


async def test_the_card_says_that_the_clock_has_chosen(world: World) -> None:
    await world.table()
    await world.spend(await _fight(world, 9, 4, 5, 3), STAND, world.ben)
    assert "ran out of time" not in texts(world.card())
    await world.env.advance_time(4 * DAY)
    assert not (await world.check()).is_open
    assert "Ilka ran out of time: Flesh wound." in texts(world.card())


async def test_the_journal_says_what_was_answered(world: World) -> None:
    await world.table()
    await world.spend(await world.rolled(5, 4), STAND)
    log = private(await world.gina.slash(world.zone, "gm log"))
    assert "The GM's call for Marek's roll (c1)" in log
    assert "Marek's accepted result (c1)" in log


# --- messages -------------------------------------------------------------------------------------


async def test_a_private_call_goes_with_its_answer(world: World) -> None:
    await world.table(gm_channel=True)
    await world.propose(skill="Climbing", visibility="private")
    assert [is_layout(each) for each in world.messages(world.gm_room)] == [True, False]
    await world.rule(world.newest("Answer", world.gm_room))
    called = [each for each in world.messages(world.gm_room) if not is_layout(each)]
    assert called == [], "who has answered is not called any more"


async def test_all_pages_of_a_card_are_brought_up_to_date(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    await world.propose(skill="Climbing", attribute="Fitness", approach="x" * 150)

    def pages() -> list[Any]:
        return [each for each in world.messages() if is_layout(each)][3:]

    assert len(pages()) == 1
    await world.rule(note="y" * 120)
    (whole,) = pages()
    with monkeypatch.context() as narrow:
        narrow.setattr("bot.presenters.render.TEXTS", 250)
        world.dice.lay(5, 4)
        await world.press(world.ana, whole, "Roll")
    heads = [head(each) for each in pages()]
    assert heads == [f"✓ Success so far: 10 against 10 ({number} of 3)" for number in range(1, 4)]
    assert sum("check c1" in texts(each) for each in pages()) == 1
    await world.env.advance_time(2 * DAY)
    # A reminder and the end have each moved it on.
    *left, now = pages()
    assert all("Continued below" in texts(each) for each in left)
    told = texts(now)
    assert "-# Final" in told, "of what was too long once, no page is left behind"
    assert "check c1" in told
