"""Commands without options: each says how things stand and what to do, with what is next to
press.
"""

from __future__ import annotations

from typing import Any

import discord
import pytest
from discord import AppCommandType, app_commands
from simcord.actors import MemberActor

from tests.discord.world import (
    HOUR,
    World,
    controls,
    labels,
    menu,
    message_of,
    private,
    public,
    refusal_of,
    texts,
)

#: What a refusal has to name, or a card to have where nothing can be pressed.
NEXT = ("/", "press", "Ask <@", "permission", "Write", "Name")


def _commands(world: World) -> list[str]:
    """Every command that can be called without options."""
    guild = discord.Object(world.guild.id)
    trees = [
        world.bot.tree.walk_commands(guild=each, type=AppCommandType.chat_input)
        for each in (None, guild)
    ]
    return sorted(
        each.qualified_name
        for tree in trees
        for each in tree
        if isinstance(each, app_commands.Command)
        and not any(one.required for one in each.parameters)
    )


async def _all(world: World, who: MemberActor) -> None:
    """Call all of them: a refusal says what to do, and nothing is a fault."""
    for name in _commands(world):
        if name == "setup" and who is not world.gina:
            continue  # Discord shows it only to those who manage channels
        message = message_of(await who.slash(world.zone, name))
        text = texts(message)
        assert text.strip(), name
        assert "fault in Storyguide" not in text, name
        if "Nothing has changed." in text:
            assert labels(message) or any(each in text for each in NEXT), (name, text)


@pytest.mark.parametrize("system", ["ebb", "barmore"])
async def test_every_command_answers_without_options(world: World, system: str) -> None:
    eve = world.member("eve")
    await _all(world, eve)
    await world.setup(system=system)
    await _all(world, eve)
    await _all(world, world.gina)
    if system == "ebb":
        await world.bring(world.ana, "Marek")
        await world.bring(world.ben, "Ilka")
        await _all(world, world.ana)
        await _all(world, world.gina)


async def test_whoever_has_no_character_makes_one_with_a_press(world: World) -> None:
    await world.setup()
    for command in ("check", "character show", "odds", "table show", "character list"):
        answer = message_of(await world.ana.slash(world.zone, command))
        panel = await world.press(world.ana, answer, "Create a character")
        assert "A new character" in private(panel), command
    assert "Create a character" not in labels(
        message_of(await world.gina.slash(world.zone, "table show"))
    )


async def test_a_gm_is_asked_for_whom_to_roll(world: World) -> None:
    await world.table()
    text = refusal_of(await world.gina.slash(world.zone, "gm roll"))
    assert "Who do you roll for? Name them with `as`." in text


# --- /table show ----------------------------------------------------------------------------------


async def test_the_table_is_one_card_with_its_settings_behind_a_button(world: World) -> None:
    await world.table()
    shown = await world.ana.slash(world.zone, "table show")
    assert not shown.followups
    assert "Every proposal waits" not in private(shown)
    await world.restart()
    settings = await world.press(world.ana, message_of(shown), "Settings")
    text = private(settings)
    assert "Every proposal waits" in text and "fingerprints (SHA-256)" in text
    assert labels(message_of(settings)) == ["Back"]
    assert "- Marek (" in private(await world.press(world.ana, message_of(settings), "Back"))
    theirs = message_of(await world.gina.slash(world.zone, "table show"))
    settings = message_of(await world.press(world.gina, theirs, "Settings"))
    assert "Table settings" in private(await world.press(world.gina, settings, "Change settings"))


# --- /orders list ---------------------------------------------------------------------------------


def _offered(message: Any, placeholder: str) -> dict[str, str]:
    return {each["label"]: each["value"] for each in menu(message, placeholder)["options"]}


async def test_orders_are_given_and_taken_from_the_list(world: World) -> None:
    await world.table()
    shown = message_of(await world.ana.slash(world.zone, "orders list"))
    assert "Nothing yet. Add an order, and it answers for you." in texts(shown)
    offered = _offered(shown, "Add a standing order")
    passing = next(label for label in offered if label == "Never react")
    await world.restart()
    await world.choose(world.ana, shown, "Add a standing order", offered[passing])
    assert f"- {passing}" in texts(shown)
    assert "Add a standing order" not in [each.get("placeholder") for each in controls(shown)]
    state = await world.state()
    marek = next(each.id for each in state.characters.values() if each.name == "Marek")
    assert f"{marek}//react/pass" == _offered(shown, "Remove a standing order")[passing]
    await world.choose(world.ana, shown, "Remove a standing order", f"{marek}//react/pass")
    assert "Nothing yet." in texts(shown)
    late = world.emit(
        world.ana, f"sg:order:{world.bot.tables.places.table_id(str(world.zone.id))}:give"
    )
    await world.env.settle()
    assert refusal_of(late)


async def test_what_has_run_out_is_not_listed(world: World) -> None:
    await world.table()
    cleo = world.member("cleo")
    await world.ana.slash(world.zone, "delegate", character="Marek", to=cleo, until="2h")
    await world.ana.slash(world.zone, "away", until="2h", note="on a train")
    shown = private(await world.ana.slash(world.zone, "orders list"))
    assert "can answer" in shown and "on a train" in shown
    await world.env.advance_time(2 * HOUR + 1)
    shown = private(await world.ana.slash(world.zone, "orders list"))
    assert "can answer" not in shown and "on a train" not in shown and "Nothing yet." in shown


async def test_a_gm_with_npcs_learns_how_to_be_asked_for_one(world: World) -> None:
    await world.table()
    await world.bring(world.gina, "Sidor", npc=True)
    assert "NPCs pass automatically. `/orders npc` has you asked instead." in private(
        await world.gina.slash(world.zone, "orders list")
    )


async def test_an_order_is_given_in_plain_words(world: World) -> None:
    await world.table()
    (choice,) = await world.ana.autocomplete(world.zone, "orders give", "order", "never")
    assert choice["name"] == "Never react"
    given = private(await world.ana.slash(world.zone, "orders give", order="never react"))
    assert "Nothing has changed." not in given
    assert "- Never react" in private(await world.ana.slash(world.zone, "orders list"))
    wrong = refusal_of(await world.ana.slash(world.zone, "orders give", order="always react"))
    assert "Use Never react." in wrong


async def test_somebody_else_cannot_order_for_a_character(world: World) -> None:
    await world.table()
    shown = message_of(await world.ana.slash(world.zone, "orders list"))
    value = next(iter(_offered(shown, "Add a standing order").values()))
    custom_id = menu(shown, "Add a standing order")["custom_id"]
    forged = world.emit(world.ben, custom_id, values=(value,))
    await world.env.settle()
    assert refusal_of(forged)
    assert "Nothing yet." in private(await world.ana.slash(world.zone, "orders list"))


async def test_away_and_back_by_a_press(world: World) -> None:
    await world.table()
    shown = message_of(await world.ana.slash(world.zone, "orders list"))
    await world.press(world.ana, shown, "I'm away")
    assert "You're away." in texts(shown)
    assert "is away." in texts(world.last())
    await world.press(world.ana, shown, "I'm back")
    assert "is back." in texts(world.last())
    assert "I'm away" in labels(shown)


async def test_whoever_forgot_that_they_are_away_comes_back_from_moves(world: World) -> None:
    await world.table()
    await world.ana.slash(world.zone, "away")
    shown = message_of(await world.ana.slash(world.zone, "moves"))
    assert labels(shown) == ["I'm back"], "nothing waits for who passes"
    await world.press(world.ana, shown, "I'm back")
    assert "is back." in texts(world.last())
    assert "I'm back" not in labels(message_of(await world.ana.slash(world.zone, "moves")))


# --- /deck info, /table fair show, /character give, /gm campaign ----------------------------------


async def test_a_deck_is_drawn_from_and_shuffled_on_its_card(world: World) -> None:
    await world.table()
    deck = message_of(await world.ana.slash(world.zone, "deck info"))
    assert labels(deck) == ["Draw a card", "Your hand", "Shuffle"]
    assert "You draw the " in private(await world.press(world.ana, deck, "Draw a card"))
    assert "draws a card" in texts(world.last())
    assert "Your hand: 1 card" in private(await world.press(world.ana, deck, "Your hand"))
    assert "Draw pile shuffled" in public(await world.press(world.ana, deck, "Shuffle"))


async def test_where_a_roll_came_from_is_chosen_from_a_menu(world: World) -> None:
    await world.table(live=True)
    await world.propose(skill="Climbing", difficulty="Tricky")
    rolled = await world.revision()
    await world.ben.slash(world.zone, "roll", dice="1d6", visibility="private")
    shown = message_of(await world.ana.slash(world.zone, "table fair show"))
    entries = {each["value"]: each["label"] for each in menu(shown, "Roll or shuffle")["options"]}
    assert entries == {str(rolled): f"#{rolled} · Marek's check"}, "nothing of a private roll"
    told = await world.choose(world.ana, shown, "Roll or shuffle", str(rolled))
    assert f"Where #{rolled} came from" in private(told)
    assert labels(shown) == []
    theirs = message_of(await world.gina.slash(world.zone, "table fair show"))
    question = message_of(await world.press(world.gina, theirs, "Reveal open seed"))
    assert "Reveal the seed of the open rolls?" in texts(question)
    await world.press(world.gina, question, "Reveal it")
    assert "revealed the seed of the open rolls" in texts(world.last())
    forged = world.emit(
        world.ana, f"{menu(shown, 'Roll or shuffle')['custom_id']}".replace("origin", "release")
    )
    await world.env.settle()
    assert "Only the GM" in refusal_of(forged)


async def test_a_character_is_handed_over_by_a_menu(world: World) -> None:
    await world.table()
    shown = message_of(await world.ana.slash(world.zone, "character give"))
    assert texts(shown).startswith("## Who plays Marek now?")
    (people,) = controls(shown)
    await world.ana.select(shown, [world.ben], custom_id=people["custom_id"])
    assert [each.owner for each in (await world.state()).characters.values()] == ["p3", "p3"]
    several = message_of(await world.ben.slash(world.zone, "character give"))
    assert texts(several).startswith("## Which character do you hand over?")
    marek = _offered(several, "Character")["Marek"]
    await world.choose(world.ben, several, "Character", marek)
    assert texts(several).startswith("## Who plays Marek now?")
    theirs = message_of(await world.gina.slash(world.zone, "character give", character="Marek"))
    await world.press(world.gina, theirs, "Make it an NPC")
    assert [each.owner for each in (await world.state()).characters.values()].count(None) == 1


async def test_rules_without_a_campaign_lead_to_the_settings(world: World) -> None:
    await world.setup()
    shown = message_of(await world.gina.slash(world.zone, "gm campaign"))
    assert "EBB needs none" in texts(shown)
    assert "Table settings" in private(await world.press(world.gina, shown, "Change settings"))
