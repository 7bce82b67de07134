"""`/table`, `/moves`, `/help`, the React panel, and plain text."""

from __future__ import annotations

import re
from typing import Any

import pytest
from discord import Object, app_commands

from bot.presenters.language.systems import SYSTEM_WORDS
from bot.presenters.language.words import LOCALE
from tests.discord.world import (
    World,
    button,
    controls,
    is_card,
    labels,
    message_of,
    pings,
    private,
    refusal_of,
    texts,
)

# --- /table ---------------------------------------------------------------------------------------


async def test_the_table_shows_what_it_plays_who_is_there_and_what_is_open(world: World) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    await world.answered(who=world.ben)
    text = private(await world.ana.slash(world.zone, "table show"))
    assert f"It plays EBB, with {world.gina.mention} as GM." in text
    assert f"You can play in {world.zone.mention}." in text
    assert f"- Ilka ({world.ben.mention})" in text
    assert "- c1 · Marek, Climbing d8 (veteran): waiting for the GM" in text
    assert "- c2 · Ilka, " in text and ": waiting for Ilka" in text


async def test_last_results_as_far_as_one_may_see_them(world: World) -> None:
    await world.table()
    assert "No results yet." in private(await world.ana.slash(world.zone, "table last"))
    await world.rolled(9, 5, hidden=True, level="Legendary")
    await world.rolled(2, 2, who=world.ben)
    last = message_of(await world.ana.slash(world.zone, "table last"))
    text = texts(last)
    assert "The latest 2 results, as far as you can see them." in text
    assert "d10 (9) + d8 (5) + Fitness 1 = **15**" in text
    assert "d10 (2) + d8 (2) + Fitness 1 = **5**" in text
    assert labels(last) == ["Show #6", "Show #9"]
    await world.restart()
    whole = await world.press(world.ana, last, "Show #6")
    assert "against a hidden difficulty" in private(whole) and "Legendary" not in private(whole)
    assert labels(message_of(whole)) == []
    assert "against 10" in private(await world.press(world.ana, last, "Show #9"))
    theirs = message_of(await world.gina.slash(world.zone, "table last"))
    assert "= **15**" in texts(theirs)
    assert "against 22" in private(await world.press(world.gina, theirs, "Show #6"))
    await world.gina.slash(world.zone, "gm undo")
    text = private(await world.ana.slash(world.zone, "table last"))
    assert "The latest result that you can see." in text
    assert "d10 (2)" not in text
    assert refusal_of(await world.press(world.ana, last, "Show #9"))


async def test_only_the_last_five_results_are_shown(world: World) -> None:
    await world.table(live=True, step_in_minutes=0)
    for number in range(7):
        await world.propose(skill="Climbing", difficulty="Easy", approach=f"try {number}")
    text = private(await world.ana.slash(world.zone, "table last"))
    assert [f"try {number}" in text for number in range(7)] == [
        False,
        False,
        True,
        True,
        True,
        True,
        True,
    ]


# --- plain text -----------------------------------------------------------------------------------


async def test_plain_text_is_for_ones_own_answers(world: World) -> None:
    await world.table()
    on = await world.ana.slash(world.zone, "table plain", on=True)
    assert "Plain text is on" in message_of(on).content
    results = [
        await world.ana.slash(world.zone, "character show"),
        await world.ana.slash(world.zone, "check"),
        await world.ana.slash(world.zone, "moves"),
        await world.ana.slash(world.zone, "help", topic="words"),
        await world.ana.slash(world.zone, "table show"),
        await world.ana.slash(world.zone, "table last"),
        await world.ana.slash(world.zone, "gm settings"),
        await world.propose(skill="Climbin_"),
        await world.propose(skill="Climbing", visibility="private"),
    ]
    for result in results:
        private(result)
        assert message_of(result).content
        assert not any(map(is_card, (message_of(result), *result.followups)))
    proposal = message_of(await world.propose(skill="Climbing"))
    assert is_card(proposal), "what all see stays a card"
    assert not is_card(message_of(await world.press(world.ana, proposal, "Edit")))
    await world.rule()
    assert is_card(world.card())
    react = message_of(await world.press(world.ana, world.card(), "React"))
    assert not is_card(react)
    assert "Withdraw" in labels(react)
    assert is_card(message_of(await world.press(world.ben, world.card(), "React")))
    off = await world.ana.slash(world.zone, "table plain", on=False)
    assert is_card(message_of(off))


async def test_plain_text_says_what_the_card_says(world: World) -> None:
    await world.table()
    shown = message_of(await world.ana.slash(world.zone, "character show"))
    card = texts(shown).partition("\nCheck\n")[0]
    for mark in ("### ", "## ", "-# ", "**"):
        card = card.replace(mark, "")
    await world.ana.slash(world.zone, "table plain", on=True)
    plain = message_of(await world.ana.slash(world.zone, "character show")).content
    assert plain.splitlines() == card.replace(" · ", ", ").splitlines()


async def test_the_panel_works_in_plain_text(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "table plain", on=True)
    await world.propose(skill="Climbing")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert not is_card(panel)
    await world.choose(world.gina, panel, "Difficulty", "Tricky")
    assert "10 (Tricky)" in panel.content
    await world.press(world.gina, panel, "Call for a roll")
    assert not is_card(panel)
    assert "against 10" in texts(world.card())


# --- /moves ---------------------------------------------------------------------------------------


async def test_moves_lists_what_waits_for_each_with_buttons_that_act(world: World) -> None:
    await world.table()
    assert "Nothing to do right now. Try something with `/check`." in private(
        await world.ana.slash(world.zone, "moves")
    )
    await world.propose(skill="Climbing", attribute="Fitness")
    mine = await world.ana.slash(world.zone, "moves")
    assert labels(message_of(mine)) == ["Open · c1"]
    assert (
        "c1 · Marek, Climbing d8 (veteran) and Fitness 1: Edit, Withdraw or Roll when answered\n"
    ) in private(mine)
    theirs = await world.gina.slash(world.zone, "moves")
    assert labels(message_of(theirs)) == ["Answer · c1"]
    assert re.search(
        r"c1 · Marek, Climbing d8 \(veteran\) and Fitness 1\n-# asked <t:\d+:R> · "
        r"“up the drainpipe, slowly” · \[show\]\(",
        private(theirs),
    )
    assert "Nothing to do right now." in private(await world.ben.slash(world.zone, "moves"))
    panel = message_of(await world.press(world.gina, message_of(theirs), "Answer · c1"))
    asking = button(panel, "Ask…")
    await world.choose(world.gina, panel, "Difficulty", "Tricky")
    await world.press(world.gina, panel, "Call for a roll")
    asked = world.emit(world.gina, asking, panel)
    await world.env.settle()
    assert "That has moved on" in refusal_of(asked)
    mine = await world.ana.slash(world.zone, "moves")
    assert labels(message_of(mine)) == ["Open · c1"]
    panel = message_of(await world.press(world.ana, message_of(mine), "Open · c1"))
    assert {"Roll", "Withdraw", "Luck: Fitness"} <= set(labels(panel))
    world.dice.lay(4, 3)
    await world.press(world.ana, panel, "Roll")
    assert "d10 (4) + d8 (3) + Fitness 1 = **8**" in texts(world.card())
    mine = message_of(await world.ana.slash(world.zone, "moves"))
    panel = message_of(await world.press(world.ana, mine, "Open · c1"))
    world.dice.lay(6)
    await world.press(world.ana, panel, "Re-roll d8")
    assert "shows 6; 2 Fate points left." in texts(world.card())
    theirs = message_of(await world.gina.slash(world.zone, "moves"))
    panel = message_of(await world.press(world.gina, theirs, "Open · c1"))
    await world.press(world.gina, panel, "Accept result")
    assert "Final. Step in until <t:" in texts(world.card())
    left = private(await world.ana.slash(world.zone, "moves"))
    assert left.startswith("## What you can do now\n### You could step in\nc1 · Marek, Climbing")
    assert "Nothing to do right now." in private(await world.gina.slash(world.zone, "moves"))


async def test_every_check_has_its_button_in_moves(world: World) -> None:
    await world.table()
    for _ in range(4):
        await world.answered(attribute=None)
    moves = await world.ana.slash(world.zone, "moves")
    assert labels(message_of(moves)) == [f"Open · c{number}" for number in range(1, 5)]
    panel = message_of(await world.press(world.ana, message_of(moves), "Open · c3"))
    assert "check c3" in texts(panel)
    assert "Withdraw" in labels(panel)
    assert "Roll" in labels(panel), "what is expected stays a button"
    (choices,) = [each["options"] for each in controls(panel) if "options" in each]
    assert len(choices) == 6, "a point of one of the attributes above 0"
    world.dice.lay(4, 3)
    await world.press(world.ana, panel, "Roll")
    assert "d10 (4) + d8 (3)" in texts(world.card("c3"))


async def test_very_many_moves_are_all_listed(world: World) -> None:
    await world.table()
    for number in range(30):
        await world.propose(skill="Climbing", approach=f"idea {number} " + "x" * 900)
    moves = await world.gina.slash(world.zone, "moves")
    text = private(moves)
    assert all(f"c{number} · Marek" in text for number in range(1, 31))


# --- React ----------------------------------------------------------------------------------------


async def test_react_shows_each_person_their_own_moves(world: World) -> None:
    await world.table()
    proposal = message_of(await world.propose(skill="Climbing", attribute="Fitness"))
    panels = {
        who: world.emit(who, "sg:chk:1:c1", proposal) for who in (world.ana, world.ben, world.gina)
    }
    await world.env.settle()
    assert labels(message_of(panels[world.ana])) == ["Edit…", "Withdraw", "Roll when answered"]
    assert labels(message_of(panels[world.ben])) == ["Try something"], "the next step"
    assert labels(message_of(panels[world.gina])) == [
        "Call for a roll…",
        "Roll how well…",
        "Grant success…",
        "Impossible…",
        "Ask…",
        "Withdraw",
    ]
    assert "Nothing for you to do here right now. `/moves` shows" in private(panels[world.ben])
    assert (
        await world.press(world.ben, message_of(panels[world.ben]), "Try something")
    ).response is not None
    for result in panels.values():
        assert private(result)
        assert pings(message_of(result).message, world.env) == []
    dialog = await world.press(world.gina, message_of(panels[world.gina]), "Ask…")
    assert dialog.modal is not None
    panel = await world.press(world.gina, message_of(panels[world.gina]), "Call for a roll…")
    assert "## Answer Marek" in private(panel)


async def test_react_shows_a_gm_what_is_hidden_and_nobody_else(world: World) -> None:
    await world.table()
    card = await world.rolled(5, 3, hidden=True, level="Legendary", options=("flaw: 1",))
    gm = private(await world.press(world.gina, card, "React"))
    assert "= **9**" in gm and "against 25" in gm
    assert "the idea has a flaw (1 level harder)" in gm
    assert "tell in the story which opportunity or resource is lost" in gm
    for who in (world.ana, world.ben):
        text = private(await world.press(who, card, "React"))
        assert "against a hidden difficulty" in text
        for shown in (text, "\n".join(world.visible_to(who)), world.told(who)):
            assert "(25)" not in shown
            assert "a flaw" not in shown


async def test_react_on_an_old_message_shows_the_check_as_it_is_now(world: World) -> None:
    await world.table()
    card = await world.answered()
    old = button(card, "React")
    world.dice.lay(9, 8)
    await world.press(world.ana, card, "Roll")
    late = world.emit(world.ana, old)
    await world.env.settle()
    text = private(late)
    assert "d10 (9) + d8 (8) + Fitness 1 = **18**" in text and "against 10" in text
    await world.gina.slash(world.zone, "gm undo", entry=4, dependents=True)
    gone = world.emit(world.ana, old)
    await world.env.settle()
    assert "That check is gone" in refusal_of(gone)


# --- /help ----------------------------------------------------------------------------------------


def _leaves(commands: list[Any]) -> list[str]:
    found: list[str] = []
    for command in commands:
        if isinstance(command, app_commands.ContextMenu):
            continue
        if isinstance(command, app_commands.Group):
            found += _leaves(list(command.commands))
        else:
            found.append(command.qualified_name)
    return found


async def test_help_mentions_every_command(world: World) -> None:
    topics = ("commands", "table-commands", "gm-commands")
    text = "".join([await world.help(world.gina, topic) for topic in topics])
    leaves = _leaves(world.bot.tree.get_commands())
    assert len(leaves) >= 16
    for name in leaves:
        assert f"</{name}:" in text, name


@pytest.mark.parametrize(
    "topic", ["start", "turn", "gms", "post", "play", "commands", "gm-commands"]
)
async def test_each_topic_has_its_page(world: World, topic: str) -> None:
    result = await world.ana.slash(world.zone, "help", topic=topic)
    text = private(result)
    assert len(text) > 200
    assert result.followups == [], "one message is enough"
    await world.setup()
    assert private(await world.ana.slash(world.zone, "help", topic=topic))


async def test_help_starts_at_the_beginning(world: World) -> None:
    assert "Start here" in private(await world.ana.slash(world.zone, "help"))


async def test_commands_named_anywhere_exist(world: World) -> None:
    """What a text tells people to type has to be there."""
    named_so = {path: path.name.partition(".")[0] for path in sorted(LOCALE.glob("*.toml"))}
    files = [path for path, name in named_so.items() if name not in SYSTEM_WORDS or name == "ebb"]
    found = [path.read_text(encoding="utf-8").replace("\\\n", "") for path in files]
    for topic in ("start", "turn", "gms", "post", "character", "dice", "commands"):
        found.append(await world.help(world.ana, topic))
    await world.table()
    tree = world.bot.tree
    leaves = set(
        _leaves(tree.get_commands()) + _leaves(tree.get_commands(guild=Object(world.guild.id)))
    )
    groups = {name.split()[0] for name in leaves}
    found += [
        private(await world.ana.slash(world.zone, command)) for command in ("table show", "moves")
    ]
    named = {
        match
        for text in found
        for match in re.findall(r"(?<![\w</])/([a-z]+(?:-[a-z]+)*(?: [a-z]+)?)", text)
    }
    assert named
    for name in named:
        root = name.split()[0]
        assert root in groups, name
        if any(leaf.startswith(f"{root} ") for leaf in leaves) and " " in name:
            in_group = any(leaf.startswith(f"{name} ") for leaf in leaves)
            assert name in leaves or root in leaves or in_group, name
