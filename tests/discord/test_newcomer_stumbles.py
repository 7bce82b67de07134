"""Where newcomers stumbled: what they are asked, shown and offered instead."""

from __future__ import annotations

from typing import Any

import pytest

from tests.discord.barmore import MAREK, bar_table, bring
from tests.discord.ego.table import open_table as ego_table
from tests.discord.masterbook.table import open_table as mb_table
from tests.discord.world import (
    World,
    card,
    controls,
    dialog_values,
    labels,
    menu,
    message_of,
    primary,
    private,
    public,
    refusal_of,
    texts,
)

HOOK: dict[str, Any] = {"target": "Ilka", "skill": "Boats", "approach": "low"}


@pytest.mark.parametrize("weapon", ["Boathok", "boat hook"])
async def test_a_slip_in_a_weapons_name_is_asked_about(world: World, weapon: str) -> None:
    await bar_table(world)
    text = refusal_of(await world.ana.slash(world.zone, "attack", weapon=weapon, **HOOK))
    assert f"You have no “{weapon}”. Did you mean Boathook?" in text
    assert "put it in quotes" in text


async def test_a_slip_in_quotes_is_meant_so(world: World) -> None:
    await bar_table(world)
    await world.ana.slash(world.zone, "attack", weapon="“Boathok”", **HOOK)
    assert "Boathok" in card(world) and "“Boathok”" not in card(world)
    panel = message_of(await world.press(world.ana, world.newest("Edit"), "Edit"))
    modal = await world.press(world.ana, panel, "Write…")
    await world.ana.submit_modal(modal, dialog_values(modal) | {"approach": "lower"})
    await world.press(world.ana, panel, "Save changes")
    assert (await world.check()).approach == "lower", (
        "what was accepted once is not asked about again"
    )
    await world.ana.slash(world.zone, "attack", **HOOK, weapon="Chair leg")
    assert "Chair leg" in card(world, "c2")


async def test_quotes_may_be_part_of_a_weapons_name(world: World) -> None:
    await bar_table(world)
    armed = MAREK | {"name": "Zed", "weapons": [{"name": "“Betsy”", "modifier": 7}]}
    await bring(world, world.ana, armed)
    await world.ana.slash(world.zone, "attack", weapon="“Betsy”", **HOOK, **{"as": "Zed"})
    assert (await world.check()).data.tool == "“Betsy”", (
        "else it would be makeshift, without what it adds"
    )


async def test_a_re_roll_that_cannot_help_is_not_what_stands_out(world: World) -> None:
    await world.table()
    await world.rolled(1, 6)
    panel = message_of(await world.press(world.ana, world.card(), "React"))
    assert primary(panel) == ["Accept result"]
    assert "wouldn't change the result" in texts(panel) and "0%" not in texts(panel)
    # What may help still stands out.
    await world.rolled(3, 1)
    panel = message_of(await world.press(world.ana, world.card(), "React"))
    assert [each.startswith("Re-roll") for each in primary(panel)] == [True]


async def test_a_team_is_asked_what_it_rolls_with(world: World) -> None:
    await bar_table(world)
    panel = message_of(
        await world.ana.slash(world.zone, "barmore team start", mode="simple addition")
    )
    assert panel.ephemeral and "Send" in labels(panel) and not (await world.state()).checks
    await world.choose(world.ana, panel, "Skill", "Boats")
    modal = await world.press(world.ana, panel, "Write…")
    await world.ana.submit_modal(modal, dialog_values(modal) | {"approach": "pull"})
    await world.press(world.ana, panel, "Send")
    assert "Boats 3" in card(world)


async def test_an_attack_with_nothing_but_a_weapon_is_asked_what_it_rolls_with(
    world: World,
) -> None:
    await bar_table(world)
    panel = message_of(
        await world.ana.slash(world.zone, "attack", target="Ilka", weapon="Boathook")
    )
    assert "Send" in labels(panel) and "c1" not in (await world.state()).checks
    text = refusal_of(await world.ana.slash(world.zone, "attack", target="Ilka", weapon="Boathok"))
    assert "Did you mean Boathook?" in text


async def test_a_setting_without_a_value_is_shown(world: World) -> None:
    await world.setup()
    shown = message_of(await world.gina.slash(world.zone, "gm settings", setting="player_undo"))
    text = private(await world.gina.slash(world.zone, "gm settings", setting="player_undo"))
    called = await world.gina.slash(world.zone, "gm settings", setting="Players can undo")
    assert private(called) == text, "as the suggestions call it"
    assert (
        "Players can undo: on" in text
        and "Turn off" in labels(shown)
        and "All settings" in labels(shown)
    )
    await world.press(world.gina, shown, "Turn off")
    assert not (await world.state()).settings.player_undo
    assert "Players can undo: off" in texts(shown) and "All settings" in labels(shown)
    # The beginning of its name is enough, and another name is told.
    shown = message_of(await world.gina.slash(world.zone, "gm settings", setting="reveal"))
    assert {each["label"] for each in menu(shown, "Hidden difficulties")["options"]} >= {
        "Hidden difficulties: pass or fail"
    }
    nothing = await world.gina.slash(world.zone, "gm settings", setting="zeppelin")
    assert "No setting for “zeppelin”" in private(nothing)
    assert "together" in refusal_of(await world.gina.slash(world.zone, "gm settings", value="on"))
    await world.press(world.gina, shown, "All settings")
    assert "Table settings" in texts(shown)


@pytest.mark.parametrize("begin", [ego_table, mb_table])
async def test_every_setting_of_rules_is_shown_by_its_name(world: World, begin: Any) -> None:
    await begin(world)
    found = await world.gina.autocomplete(world.zone, "gm settings", "setting", "")
    for choice in found:
        shown = message_of(
            await world.gina.slash(world.zone, "gm settings", setting=choice["value"])
        )
        assert "All settings" in labels(shown), choice
        assert len(controls(shown)) == 2, "the setting, and the way to all"


async def test_what_was_undone_says_which_it_was(world: World) -> None:
    await world.table()
    await world.ana.slash(world.zone, "away")
    private(await world.gina.slash(world.zone, "gm undo"))
    assert "went away, or came back" not in texts(world.last())
    assert "Undone: Ana went away" in texts(world.last())
    await world.ana.slash(world.zone, "away")
    await world.ana.slash(world.zone, "away", back=True)
    found = await world.gina.autocomplete(world.zone, "gm undo", "entry", "")
    assert any(each["name"].endswith("came back") for each in found), found


async def test_whoever_draws_is_told_of_their_own_hand_and_gets_to_it(world: World) -> None:
    await world.table()
    drawn = message_of(await world.ana.slash(world.zone, "draw-card"))
    assert "You hold 1 card;" in texts(drawn)
    hand = message_of(await world.press(world.ana, drawn, "Your hand"))
    assert menu(hand, "Open a card")


async def test_an_approach_stands_in_a_panel_once(world: World) -> None:
    await world.table()
    panel = message_of(await world.ana.slash(world.zone, "check"))
    modal = await world.press(world.ana, panel, "Write…")
    await world.ana.submit_modal(modal, dialog_values(modal) | {"approach": "up the drainpipe"})
    await world.choose(world.ana, panel, "Skill", "Climbing")
    assert texts(panel).count("up the drainpipe") == 1
    await world.press(world.ana, panel, "Send")
    panel = message_of(await world.press(world.ana, world.card(), "Edit"))
    assert texts(panel).count("up the drainpipe") == 1


async def test_a_weapon_stands_in_a_panel_once(world: World) -> None:
    await world.table()
    panel = message_of(await world.ana.slash(world.zone, "attack", target="Ilka", weapon="an oar"))
    assert texts(panel).count("an oar") == 1


async def test_a_refused_gm_channel_leaves_one_press_to_go_on(world: World) -> None:
    room = world.guild.create_text_channel("open")
    answer = await world.gina.slash(
        world.zone, "setup", game="ebb", name="The Dam: two", gm_channel=room
    )
    assert "Everybody can read" in refusal_of(answer)
    assert labels(message_of(answer)) == ["Open without GM channel"] == primary(message_of(answer))
    public(await world.press(world.gina, message_of(answer), "Open without GM channel"))
    assert (await world.state()).settings.name == "The Dam: two"
    # At a table another channel may be picked where one was refused, or none.
    answer = await world.gina.slash(world.zone, "gm channel", channel=room)
    assert "Everybody can read" in refusal_of(answer)
    assert "No GM channel" in labels(message_of(answer))
    chosen = menu(message_of(answer), "A channel for GMs only")["custom_id"]
    await world.gina.select(message_of(answer), [world.gm_room], custom_id=chosen)
    assert (await world.state()).settings.gm_place == str(world.gm_room.id)


async def test_what_was_typed_is_asked_about_before_it_goes(world: World) -> None:
    await world.table()
    panel = message_of(await world.ana.slash(world.zone, "check"))
    modal = await world.press(world.ana, panel, "Write…")
    await world.ana.submit_modal(modal, dialog_values(modal) | {"approach": "up the drainpipe"})
    await world.press(world.ana, panel, "Cancel")
    assert "Discard what you wrote?" in texts(panel)
    await world.press(world.ana, panel, "Keep it")
    assert "up the drainpipe" in texts(panel)
    await world.press(world.ana, panel, "Cancel")
    await world.press(world.ana, panel, "Discard")
    assert "Nothing was sent." in texts(panel)
    # What was only picked goes without a question.
    panel = message_of(await world.ana.slash(world.zone, "check"))
    await world.choose(world.ana, panel, "Skill", "Climbing")
    await world.press(world.ana, panel, "Cancel")
    assert "Nothing was sent." in texts(panel)


async def test_values_that_are_the_same_share_a_line(world: World) -> None:
    await mb_table(world)
    panel = message_of(await world.ben.slash(world.zone, "character create"))
    await world.press(world.ben, panel, "Make your own")
    await world.choose(world.ben, panel, "Go to a step", "attributes")
    assert texts(panel).count("low average") == 1


async def test_an_unknown_choice_reads_as_a_sentence(world: World) -> None:
    await ego_table(world)
    text = refusal_of(await world.gina.slash(world.zone, "gm npc add", name="Snik", like="Gobln"))
    assert "there's no “Gobln” to choose. Did you mean “Goblin”?" in text


async def test_editing_a_character_in_play_tells_nothing_of_points_for_new_ones(
    world: World,
) -> None:
    await ego_table(world)
    panel = message_of(await world.ana.slash(world.zone, "character edit"))
    assert "points left" not in texts(panel) and "What this adds up to" not in texts(panel)
    whole = message_of(await world.gina.slash(world.zone, "character edit", character="Vesna"))
    assert "points" in texts(whole), "whoever may change everything is told what comes of it"
