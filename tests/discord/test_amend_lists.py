"""Several later entries in one amendment, lists with pages, and the message command on every kind
of message.
"""

from __future__ import annotations

from collections.abc import Iterable

import discord
import pytest
from simcord.backend.models import Overwrite
from simcord.enums import OverwriteType
from simcord.results import ResponseMessage

from bot.delivery.corrected_messages import CorrectedMessages, Mark
from bot.storage.row_records import OutboxRow
from rules.table.state import AnyCharacter
from tests.discord.amend_steps import carry_out, correct, preview, undo_exactly
from tests.discord.rounds import board, gather
from tests.discord.world import (
    World,
    head,
    labels,
    menu,
    message_of,
    private,
    refusal_of,
    texts,
)


async def _character(world: World, name: str) -> AnyCharacter:
    characters = (await world.state()).characters.values()
    return next(character for character in characters if character.name == name)


async def _change_too(
    world: World, panel: ResponseMessage, entry: int, field: str, value: str
) -> ResponseMessage:
    """Give a later entry another value in its form; return the preview that follows."""
    form = message_of(await world.press(world.gina, panel, f"Change #{entry} too"))
    assert "Back to the preview" in labels(form) and head(form).startswith(f"Correct #{entry}: ")
    await world.choose(world.gina, form, field, value)
    return message_of(await world.press(world.gina, form, "Preview"))


async def test_several_later_entries_get_other_values_too(world: World) -> None:
    """Pavel was never there: the attack on him and his points are Sidor's now."""
    await world.table(step_in_minutes=0)
    for name in ("Sidor", "Pavel"):
        await world.gina.slash(world.zone, "gm npc add", name=name, stage="revealed")
    added = await world.revision()
    given = {"weapon": "rifle", "skill": "Rifles", "attribute": "Alertness", "approach": "so"}
    await world.ana.slash(world.zone, "attack", target="Pavel", **given)
    attack = await world.revision()
    await world.rule(level="Tricky")
    world.dice.lay(6, 3)
    await world.press(world.ana, world.newest("Roll"), "Roll")
    await world.gina.slash(world.zone, "gm adjust", character="Pavel", what="fate", value="9")
    adjust, before = await world.revision(), await world.state()
    sidor = (await _character(world, "Sidor")).id
    panel = await preview(world, added)
    assert {f"Change #{attack} too", f"Change #{adjust} too"} <= {*labels(panel)}
    panel = await _change_too(world, panel, attack, "Target", sidor)
    text = texts(panel)
    assert f"Gets other values too: #{attack}" in text and "Target: Sidor" in text, text
    assert f"Change #{attack} again" in labels(panel) and f"#{adjust}:" in text
    await world.restart()
    panel = await _change_too(world, panel, adjust, "Character", sidor)
    text = texts(panel)
    assert f"Gets other values too: #{adjust}" in text and "Character: Sidor" in text
    assert "Can't stand" not in text
    assert await world.state() == before
    told = await carry_out(world, panel)
    assert "Hit: Sidor is hit" in told and "Marek attacks Sidor" in texts(world.card())
    names = {character.name for character in (await world.state()).characters.values()}
    assert names == {"Marek", "Ilka", "Sidor"}
    assert (await _character(world, "Sidor")).sheet.fate == 9
    await undo_exactly(world, before)
    assert "Marek attacks Pavel" in texts(world.card())


async def test_many_decisions_have_pages(world: World) -> None:
    """Each page has its own buttons, and lists the entries that they are about."""
    await world.table()
    await world.gina.slash(world.zone, "gm npc add", name="Pavel")
    added = await world.revision()
    for number in range(1, 14):
        value = {"what": "fate", "value": str(number)}
        await world.gina.slash(world.zone, "gm adjust", character="Pavel", **value)
    panel, offered = await preview(world, added), list[str]()
    while True:
        buttons = [label for label in labels(panel) if label.startswith("Change #")]
        for label in buttons:
            assert f"- {label.split()[1]}: " in texts(panel)
        offered += buttons
        if "More" not in labels(panel):
            break
        panel = message_of(await world.press(world.gina, panel, "More"))
    assert offered == [f"Change #{added + number} too" for number in range(1, 14)]
    assert "3 more" in texts(panel), "ten are listed"
    panel = message_of(await world.press(world.gina, panel, "Back"))
    pavel, marek = added + 7, (await _character(world, "Marek")).id
    panel = await _change_too(world, panel, pavel, "Character", marek)
    assert f"Change #{pavel} again" in labels(panel), "the page stays"


async def test_a_check_with_many_entries_has_pages(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.presenters.corrections.SELECT_OPTIONS", 2)
    await world.table()
    card = await world.rolled(4, 3)
    newest = await world.revision()
    panel = message_of(await world.gina.context_menu(world.zone, "Amend", card))

    def offered() -> list[str]:
        return [option["value"] for option in menu(panel, "Correct an entry")["options"]]

    assert offered() == [str(newest), str(newest - 1)] and labels(panel) == ["More"]
    await world.restart()
    panel = message_of(await world.press(world.gina, panel, "More"))
    assert offered() == [str(newest - 2)] and labels(panel) == ["Back"]
    form = await world.choose(world.gina, panel, "Correct an entry", str(newest - 2))
    assert head(message_of(form)).startswith(f"Correct #{newest - 2}: ")


async def test_what_was_undone_before_is_no_part_of_it(world: World) -> None:
    """Ana's re-roll was undone: nobody decides about it, or reads of it, a second time."""
    await world.table()
    card = await world.rolled(4, 3, level="Legendary")
    entry = await world.revision() - 1
    world.dice.lay(2)
    await world.spend(card, "Re-roll d8")
    await world.gina.slash(world.zone, "gm undo", entry=entry + 2)
    before = await world.state()
    panel = await preview(world, entry, "difficulty: 7")
    assert not [label for label in labels(panel) if label.startswith("Leave out")]
    told = await carry_out(world, panel)
    assert f"#{entry + 1}" in told
    assert f"#{entry + 2}" not in told and f"#{entry + 3}" not in told
    await undo_exactly(world, before)


# --- messages -------------------------------------------------------------------------------------


async def _with_webhooks(world: World) -> None:
    """Open a table with a room for the GM, in a channel where characters speak by webhooks."""
    await world.table(gm_channel=True)
    bot = world.bot.user
    assert bot is not None
    rights = discord.Permissions(manage_webhooks=True).value
    own = Overwrite(bot.id, OverwriteType.MEMBER, allow=rights)
    world.env.backend.set_overwrite(world.zone.id, own)


async def test_words_come_back_with_the_undo_of_an_amendment(world: World) -> None:
    await _with_webhooks(world)
    private(await world.ana.slash(world.zone, "say", text="Who's there?"))
    said, before = await world.revision(), await world.state()

    def spoken() -> list[str]:
        return [each.content for each in world.zone.history() if each.webhook_id is not None]

    assert spoken() == ["Who's there?"]
    await correct(world, said)
    assert spoken() == []
    await undo_exactly(world, before)
    assert spoken() == ["Who's there?"]
    await world.restart()
    assert spoken() == ["Who's there?"], "once"
    words = next(each for each in world.zone.history() if each.webhook_id is not None)
    again = await world.gina.context_menu(world.zone, "Amend", words)
    assert f"Undo #{said} alone?" in private(again), "the new message is that of the entry"


async def test_marks_that_wait_are_left_out_after_an_undo(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Old messages are marked slowly; an undo of the amendment may be quicker."""
    held: list[tuple[list[OutboxRow], Mark]] = []

    async def hold(_: CorrectedMessages, messages: Iterable[OutboxRow], mark: Mark) -> None:
        held.append(([*messages], mark))

    monkeypatch.setattr(CorrectedMessages, "mark", hold)
    await world.table()
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=1)
    award, before = await world.revision(), await world.state()
    notice = texts(world.last())
    await correct(world, award)
    await undo_exactly(world, before)
    ((messages, mark),) = held
    assert messages
    for message in messages:
        await mark(message)
    assert notice in [texts(message) for message in world.messages()]


async def test_the_message_command_on_every_kind_of_message(world: World) -> None:
    """A message that shows an entry leads to it; any other has nothing to correct."""
    await _with_webhooks(world)
    await world.gina.slash(world.zone, "gm award", kind="fate", amount=1)
    award = await world.revision()
    notice = world.last()
    opened = await world.gina.context_menu(world.zone, "Amend", notice)
    assert head(message_of(opened)).startswith(f"Correct #{award}: "), "a notice has one entry"
    private(await world.ana.slash(world.zone, "say", text="Who's there?"))
    await world.env.settle()
    words = world.zone.history()[-1]
    assert words.webhook_id is not None
    said = private(await world.gina.context_menu(world.zone, "Amend", words))
    assert f"Undo #{await world.revision()} alone?" in said, "words have no values"
    asked = await world.ben.context_menu(world.zone, "Amend", words)
    assert asked.modal is not None, "a player is asked what should change"
    await gather(world)
    answers = [
        await world.ana.slash(world.zone, "recap", since="3 days"),
        await world.ana.slash(world.zone, "table last"),
    ]
    answer = await world.gina.context_menu(world.zone, "Amend", board(world))
    assert "nothing to correct" in refusal_of(answer)
    for shown in map(message_of, answers):
        answer = await world.ana.context_menu(world.zone, "Amend", shown)
        assert "nothing to correct" in refusal_of(answer)
    droid = world.member("droid", bot=True)
    for stranger in (world.ben, droid):
        post = await stranger.send(world.zone, f"## Correct #{award}")
        for who in (world.ana, world.gina):
            refusal_of(await who.context_menu(world.zone, "Amend", post))
    other = world.guild.create_text_channel("other")
    await world.gina.slash(other, "setup", game="ebb", name="Elsewhere")
    opening = next(message for message in other.history() if message.author.bot)
    answer = await world.gina.context_menu(other, "Amend", opening)
    assert "nothing to correct" in refusal_of(answer), "a table's opening can't be corrected"


async def test_a_message_of_another_table_leads_nowhere(world: World) -> None:
    """A channel has changed tables: old messages in it show nothing of the present table."""
    await world.table()
    side = world.guild.create_text_channel("side")
    await world.gina.slash(world.zone, "gm bind", channel=side)
    await world.gina.slash(side, "gm award", kind="fate", amount=1)
    old = next(each for each in side.history()[::-1] if "Award" in texts(each))
    opened = await world.gina.context_menu(side, "Amend", old)
    assert head(message_of(opened)).startswith("Correct #")
    private(await world.gina.slash(world.zone, "gm unbind", channel=str(side.id)))
    await world.gina.slash(side, "setup", game="ebb", name="Elsewhere")
    answer = await world.gina.context_menu(side, "Amend", old)
    assert "nothing to correct" in refusal_of(answer)
    answer = await world.ana.context_menu(side, "Amend", old)
    assert "You don't play at this table" in refusal_of(answer)
