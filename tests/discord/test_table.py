"""`/table`, `/moves`, `/help`, the React panel, and plain text."""

from __future__ import annotations

import re
from typing import Any

import pytest
from discord import Object, app_commands

from bot.presenters.systems import SYSTEM_WORDS
from bot.presenters.words import LOCALE
from tests.discord.world import World, a_card, button, labels, pings, private, public, refused, said, texts

# --- /table -------------------------------------------------------------------------------------------------


async def test_the_table_shows_what_it_plays_who_is_there_and_what_is_open(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    await world.answered(who=world.ben)
    text = private(await world.ana.slash(world.zone, "table show"))
    assert f"It plays EBB and is led by {world.gina.mention}." in text
    assert f"It is played in {world.zone.mention}." in text
    assert "Play by post" in text
    assert f"- Ilka ({world.ben.mention})" in text
    assert "- c1 · Marek: waits for the GM's answer" in text
    assert f"- c2 · Ilka: waits for the roll ({world.ben.mention})" in text


async def test_last_results_as_far_as_one_may_see_them(world: World) -> None:
    await world.table()
    assert "There are no results yet." in private(await world.ana.slash(world.zone, "table last"))
    await world.rolled(9, 5, hidden=True, level="Legendary")
    await world.rolled(2, 2, who=world.ben)
    text = private(await world.ana.slash(world.zone, "table last"))
    assert "The last 2 results, as far as you may see them." in text
    assert "9 + 5 + 1 = 15 against a hidden difficulty" in text
    assert "2 + 2 + 1 = 5 against Tricky (10)" in text
    assert labels(said(await world.ana.slash(world.zone, "table last"))) == []
    assert "15 against Legendary (22)" in private(await world.gina.slash(world.zone, "table last"))
    await world.gina.slash(world.zone, "gm undo")
    text = private(await world.ana.slash(world.zone, "table last"))
    assert "The last result, as far as you may see it." in text
    assert "2 + 2" not in text


async def test_only_the_last_five_results_are_shown(world: World) -> None:
    await world.table(live=True, window_minutes=0)
    for number in range(7):
        await world.propose(skill="Climbing", difficulty="Easy", approach=f"try {number}")
    text = private(await world.ana.slash(world.zone, "table last"))
    assert [f"try {number}" in text for number in range(7)] == [False, False, True, True, True, True, True]


# --- plain text ---------------------------------------------------------------------------------------------


async def test_plain_text_is_for_ones_own_answers(world: World) -> None:
    await world.table()
    on = await world.ana.slash(world.zone, "table plain", on=True)
    assert "Plain text is on" in said(on).content
    results = [
        await world.ana.slash(world.zone, "character show"),
        await world.ana.slash(world.zone, "check"),
        await world.ana.slash(world.zone, "moves"),
        await world.ana.slash(world.zone, "help", topic="rules"),
        await world.ana.slash(world.zone, "table show"),
        await world.ana.slash(world.zone, "table last"),
        await world.ana.slash(world.zone, "gm settings"),
        await world.propose(skill="Climbin_"),
        await world.propose(skill="Climbing", visibility="private"),
    ]
    for result in results:
        private(result)
        assert said(result).content
        assert not any(map(a_card, (said(result), *result.followups)))
    proposal = await world.propose(skill="Climbing")
    assert a_card(said(proposal)), "what all see stays a card"
    react = said(await world.press(world.ana, said(proposal), "React"))
    assert not a_card(react)
    assert "Withdraw" in labels(react)
    assert a_card(said(await world.press(world.ben, said(proposal), "React")))
    off = await world.ana.slash(world.zone, "table plain", on=False)
    assert a_card(said(off))


async def test_plain_text_says_what_the_card_says(world: World) -> None:
    await world.table()
    card = texts(said(await world.ana.slash(world.zone, "character show")))
    for mark in ("### ", "## ", "-# ", "**"):
        card = card.replace(mark, "")
    await world.ana.slash(world.zone, "table plain", on=True)
    plain = said(await world.ana.slash(world.zone, "character show")).content
    assert plain.splitlines() == card.replace(" · ", ", ").splitlines()


async def test_the_panel_works_in_plain_text(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "table plain", on=True)
    proposal = said(await world.propose(skill="Climbing"))
    panel = said(await world.press(world.gina, proposal, "Answer"))
    assert panel.embeds == []
    await world.choose(world.gina, panel, "Difficulty before shifts", "Tricky")
    assert "Tricky (10)" in panel.content
    await world.press(world.gina, panel, "Let them roll")
    assert panel.embeds == []
    assert "Roll against Tricky (10)" in texts(world.last())


# --- /moves -------------------------------------------------------------------------------------------------


async def test_moves_lists_what_waits_for_each_with_buttons_that_act(world: World) -> None:
    await world.table()
    assert "Nothing waits for you. `/check` proposes something new." in private(
        await world.ana.slash(world.zone, "moves")
    )
    await world.propose(skill="Climbing", attribute="Fitness")
    mine = await world.ana.slash(world.zone, "moves")
    assert labels(said(mine)) == ["Change · c1", "Withdraw · c1"]
    assert "c1 · Marek: up the drainpipe, slowly" in private(mine)
    theirs = await world.gina.slash(world.zone, "moves")
    assert labels(said(theirs)) == ["Answer · c1", "Ask back · c1", "Withdraw · c1"]
    assert "**Answer**: answer the proposal" in private(theirs)
    assert "Nothing waits for you." in private(await world.ben.slash(world.zone, "moves"))
    panel = said(await world.press(world.gina, said(theirs), "Answer · c1"))
    await world.choose(world.gina, panel, "Difficulty before shifts", "Tricky")
    await world.press(world.gina, panel, "Let them roll")
    asked = await world.press(world.gina, said(theirs), "Ask back · c1")
    assert "Meanwhile the GM has answered," in refused(asked)
    mine = await world.ana.slash(world.zone, "moves")
    assert labels(said(mine))[:2] == ["Roll · c1", "Withdraw · c1"]
    assert "Fitness · Sacrifice a point to just succeed" in labels(said(mine))
    world.dice.lay(4, 3)
    assert "4 + 3 + 1 = 8 against Tricky (10)" in public(
        await world.press(world.ana, said(mine), "Roll · c1")
    )
    mine = await world.ana.slash(world.zone, "moves")
    world.dice.lay(6)
    again = await world.press(world.ana, said(mine), "Roll the d8 again for 1 Fate point (you have 3) · c1")
    assert "shows 6" in public(again)
    mine = await world.ana.slash(world.zone, "moves")
    assert "The result stands." in public(await world.press(world.ana, said(mine), "Let it stand · c1"))


async def test_there_may_be_more_moves_than_buttons(world: World) -> None:
    await world.table()
    for _ in range(4):
        await world.answered(attribute=None)
    moves = await world.ana.slash(world.zone, "moves")
    assert len(labels(said(moves))) == 24, "each with its likeliest, and four rows of others"
    assert "There are not enough buttons for all of this: press React under the check itself." in private(
        moves
    )


async def test_very_many_moves_are_all_listed(world: World) -> None:
    await world.table()
    for number in range(30):
        await world.propose(skill="Climbing", approach=f"idea {number} " + "x" * 900)
    moves = await world.gina.slash(world.zone, "moves")
    text = private(moves)
    assert all(f"c{number} · Marek" in text for number in range(1, 31))
    assert moves.followups, "on several pages"


# --- React --------------------------------------------------------------------------------------------------


async def test_react_shows_each_person_their_own_moves(world: World) -> None:
    await world.table()
    proposal = said(await world.propose(skill="Climbing", attribute="Fitness"))
    panels = {who: await world.press(who, proposal, "React") for who in (world.ana, world.ben, world.gina)}
    assert labels(said(panels[world.ana])) == ["Change the proposal", "Withdraw"]
    assert labels(said(panels[world.ben])) == []
    assert labels(said(panels[world.gina])) == ["Answer", "Ask back…", "Withdraw"]
    assert "There is nothing for you to do here now." in private(panels[world.ben])
    for result in panels.values():
        assert private(result)
        assert pings(said(result).message, world.env) == []
    dialogue = await world.press(world.gina, said(panels[world.gina]), "Ask back…")
    assert dialogue.modal is not None
    panel = await world.press(world.gina, said(panels[world.gina]), "Answer")
    assert "Your answer to Marek" in private(panel)


async def test_react_shows_a_gm_what_is_hidden_and_nobody_else(world: World) -> None:
    await world.table()
    message = await world.rolled(5, 3, hidden=True, level="Legendary", options=("flaw",))
    gm = private(await world.press(world.gina, message, "React"))
    assert "5 + 3 + 1 = 9 against Legendary+1 (25)" in gm
    assert "the idea has a flaw (1 level harder)" in gm
    assert "decide which opportunity or resource is lost" in gm
    for who in (world.ana, world.ben):
        text = private(await world.press(who, message, "React"))
        assert "against a hidden difficulty" in text
        assert "Legendary" not in text
        assert "flaw" not in text


async def test_react_on_an_old_message_shows_the_check_as_it_is_now(world: World) -> None:
    await world.table()
    message = await world.answered()
    old = button(message, "React")
    world.dice.lay(9, 8)
    await world.press(world.ana, message, "Roll")
    late = world.emit(world.ana, old)
    await world.env.settle()
    assert "9 + 8 + 1 = 18 against Tricky (10)" in private(late)
    await world.gina.slash(world.zone, "gm undo", entry=4, dependents=True)
    gone = world.emit(world.ana, old)
    await world.env.settle()
    assert "That check is not here any more" in refused(gone)


# --- /help --------------------------------------------------------------------------------------------------


def _leaves(commands: list[Any]) -> list[str]:
    found: list[str] = []
    for command in commands:
        if isinstance(command, app_commands.Group):
            found += _leaves(list(command.commands))
        else:
            found.append(command.qualified_name)
    return found


async def test_help_mentions_every_command(world: World) -> None:
    text = private(await world.ana.slash(world.zone, "help", topic="commands"))
    leaves = _leaves(world.bot.tree.get_commands())
    assert len(leaves) >= 16
    for name in leaves:
        assert f"`/{name}`" in text, name


@pytest.mark.parametrize("topic", ["start", "players", "gms", "post", "rules", "commands"])
async def test_each_topic_has_its_page(world: World, topic: str) -> None:
    result = await world.ana.slash(world.zone, "help", topic=topic)
    text = private(result)
    assert "More with /help: " in text
    assert len(text) > 300
    assert result.followups == [], "one message is enough"
    await world.setup()
    assert private(await world.ana.slash(world.zone, "help", topic=topic))


async def test_help_starts_at_the_beginning(world: World) -> None:
    assert "Start here" in private(await world.ana.slash(world.zone, "help"))


async def test_commands_named_anywhere_exist(world: World) -> None:
    """What a text tells people to type has to be there."""
    files = [
        path for path in sorted(LOCALE.glob("*.toml")) if path.stem not in SYSTEM_WORDS or path.stem == "ebb"
    ]
    found = [path.read_text(encoding="utf-8").replace("\\\n", "") for path in files]
    for topic in ("start", "players", "gms", "post", "rules", "commands"):
        found.append(private(await world.ana.slash(world.zone, "help", topic=topic)))
    await world.table()
    tree = world.bot.tree
    leaves = set(_leaves(tree.get_commands()) + _leaves(tree.get_commands(guild=Object(world.guild.id))))
    groups = {name.split()[0] for name in leaves}
    found += [private(await world.ana.slash(world.zone, command)) for command in ("table show", "moves")]
    named = {
        match for text in found for match in re.findall(r"(?<![\w<])/([a-z]+(?:-[a-z]+)*(?: [a-z]+)?)", text)
    }
    assert named
    for name in named:
        root = name.split()[0]
        assert root in groups, name
        if any(leaf.startswith(f"{root} ") for leaf in leaves) and " " in name:
            in_group = any(leaf.startswith(f"{name} ") for leaf in leaves)
            assert name in leaves or root in leaves or in_group, name
