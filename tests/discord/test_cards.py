"""One public card a check and one call at a time: where the card stands, what it offers, what goes
with it.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any

import pytest
from simcord.actors import MemberActor

from bot.delivery.channels import Channels
from bot.delivery.delivery_log import BURIED_AFTER
from tests.discord.masterbook.cards.deck import begin as begin_adventure
from tests.discord.walks import a_check, an_attack
from tests.discord.world import (
    DAY,
    HOUR,
    World,
    button,
    card,
    controls,
    is_layout,
    labels,
    message_of,
    parts,
    refusal_of,
    texts,
)

PRIMARY, SECONDARY = 1, 2


@pytest.mark.parametrize("live", [False, True])
async def test_a_check_is_one_card_with_one_call_at_a_time(world: World, live: bool) -> None:
    found = await a_check(world, live=live)
    assert (found.sent, found.calls, found.deletions) == ((1, 0, 0) if live else (3, 2, 2))
    assert (found.cards_at_once, found.calls_at_once) == (1, 0 if live else 1)
    assert "-# Final" in card(world)


@pytest.mark.parametrize("live", [False, True])
async def test_an_attack_is_one_card_with_one_call_at_a_time(world: World, live: bool) -> None:
    found = await an_attack(world, live=live)
    assert (found.sent, found.calls, found.deletions) == ((2, 1, 1) if live else (3, 2, 2))
    assert (found.cards_at_once, found.calls_at_once) == (1, 1)
    assert card(world).startswith(
        "## Hit, 3 extra results: Ilka is badly hurt (flesh wound)\nMarek attacks Ilka: Rifles"
    )


async def test_what_is_said_at_the_same_time_does_not_mix(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two waits end together: all that is to be said of the one comes before anything of
    the other.
    """
    post = Channels.post

    async def slowly(*given: Any) -> str:
        # So that the other has something to say meanwhile.
        await asyncio.to_thread(time.sleep, 0.05)
        return await post(*given)

    monkeypatch.setattr(Channels, "post", slowly)
    await world.table()
    for who in (world.ana, world.ben):
        await world.propose(who, skill="Climbing")
    before = len(world.env.http_requests)
    await world.env.advance_time(DAY + DAY // 2)
    posted = [each for each in world.env.http_requests[before:] if each.method == "POST"]
    sent = ["Marek" if "Marek" in str(each.json) else "Ilka" for each in posted]
    assert sent == ["Marek", "Marek", "Ilka", "Ilka"], "each with its card and its call"


# --- where it stands ------------------------------------------------------------------------------


def _cut(world: World, old: Any) -> str:
    """What is left of a card that goes on elsewhere."""
    left = next(each for each in world.messages() if each.id == old.id)
    assert labels(left) == []
    return texts(left)


async def test_an_old_card_goes_on_at_the_end_of_the_channel(world: World) -> None:
    await world.table()
    old = await world.answered()
    await world.env.advance_time(2 * HOUR)
    world.dice.lay(5, 3)
    await world.press(world.ana, old, "Roll")
    new = world.last()
    assert new.id != old.id
    assert card(world).startswith("## ✗ Near miss so far: 9 against 10")
    assert _cut(world, old) == f"-# Continued below: [check c1]({new.jump_url})"
    await world.restart()
    await world.press(world.ana, new, "Accept result")
    assert world.last().id == new.id, "a young card is edited"


async def test_a_buried_card_goes_on_at_the_end_of_the_channel(world: World) -> None:
    await world.table()
    old = await world.answered()
    for _ in range(BURIED_AFTER):
        await world.ben.slash(world.zone, "roll", dice="1d6")
    world.dice.lay(5, 3)
    await world.press(world.ana, old, "Roll")
    assert world.last().id != old.id and "check c1" in texts(world.last())
    assert "Continued below" in _cut(world, old)


async def test_what_people_write_buries_a_card(world: World) -> None:
    await world.table()
    old = await world.answered()
    for number in range(BURIED_AFTER):
        await world.ben.send(world.zone, f"so {number}")
    world.dice.lay(5, 3)
    await world.press(world.ana, old, "Roll")
    assert world.last().id != old.id and "check c1" in texts(world.last())
    assert "Continued below" in _cut(world, old)


async def test_a_few_words_of_people_do_not(world: World) -> None:
    await world.table()
    old = await world.answered()
    for number in range(BURIED_AFTER - 2):
        await world.ben.send(world.zone, f"so {number}")
    world.dice.lay(5, 3)
    await world.press(world.ana, old, "Roll")
    assert world.card().id == old.id


async def test_a_card_that_discord_lets_nobody_edit_goes_on_in_another(world: World) -> None:
    await world.table()
    old = await world.answered()
    world.env.inject_error(
        "PATCH", f"/channels/{world.zone.id}/messages/{old.id}", status=400, code=30046
    )
    world.dice.lay(5, 3)
    await world.press(world.ana, old, "Roll")
    assert card(world).startswith("## ✗ Near miss so far")
    assert world.card().id != old.id
    assert "Roll" not in [label for each in world.messages() for label in labels(each)]


async def test_a_card_posted_anew_without_being_noted_is_found(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    await world.table()
    old = await world.answered()
    await world.env.advance_time(2 * HOUR)
    world.dice.lay(5, 3)
    with monkeypatch.context() as ended:
        # The process ends as soon as it has posted the card, before it has cut the old one.
        async def nothing(*_: Any) -> None:
            raise ConnectionError

        ended.setattr("bot.delivery.check_messages.CheckMessages._leave", nothing)
        ended.setattr("bot.delivery.outbox.DISCORD_ERRORS", (ConnectionError,))
        # Not before the process ends.
        ended.setattr("bot.delivery.retries.SEND_RETRY_DELAYS", (DAY,))
        await world.press(world.ana, old, "Roll")
    new = world.card()
    assert new.id != old.id
    await world.restart()
    await world.env.settle()
    assert world.card().id == new.id, "it is not posted twice"
    assert "Continued below" in _cut(world, old)


# --- what it offers -------------------------------------------------------------------------------


def _styles(message: Any) -> dict[str, int]:
    return {each["label"]: each["style"] for each in parts(message) if each.get("label")}


async def test_the_result_is_accepted_on_the_card(world: World) -> None:
    await world.table()
    message = await world.rolled(5, 3)
    assert _styles(message) == {"React": PRIMARY, "Accept result": SECONDARY}
    assert "belongs to" in refusal_of(await world.press(world.ben, message, "Accept result"))
    assert (await world.check()).is_open
    await world.press(world.ana, message, "Accept result")
    assert not (await world.check()).is_open
    assert labels(world.card()) == ["Step in"]
    second = await world.rolled(5, 3, who=world.ben)
    await world.press(world.gina, second, "Accept result")
    assert not (await world.check("c2")).is_open, "a GM lets it stand"
    late = world.emit(
        world.ben, button(message, "Accept result") if labels(message) else "sg:cha:1:c1.3:react"
    )
    await world.env.settle()
    assert refusal_of(late)


async def test_a_question_has_a_reply_for_the_player_and_answer_is_the_gms(world: World) -> None:
    await world.table()
    proposal = message_of(await world.propose(skill="Climbing"))
    assert "Answer" not in labels(proposal)
    assert PRIMARY not in _styles(proposal).values(), "nothing is expected of the player"
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    modal = await world.press(world.gina, panel, "Ask…")
    await world.gina.submit_modal(modal, {"question": "With which rope?"})
    asked = world.card()
    assert texts(asked).startswith("## The GM asks Marek\n")
    assert _styles(asked) == {"Reply": PRIMARY, "Withdraw": SECONDARY}
    assert not [each for each in world.messages() if is_layout(each) and "Answer" in labels(each)]


@pytest.mark.parametrize("who", ["gina", "ana"])
async def test_after_an_undo_the_call_is_there_again(world: World, who: str) -> None:
    await world.table()
    await world.propose(skill="Climbing")
    await world.rule()
    actor: MemberActor = getattr(world, who)
    if who == "ana":
        world.dice.lay(5, 3)
        await world.press(world.ana, world.newest("Roll"), "Roll")
        await world.gina.slash(world.zone, "gm undo")
        assert "Roll" in labels(world.card())
    await actor.slash(world.zone, "gm undo" if who == "gina" else "table undo")
    if who == "gina":
        assert card(world).startswith("## Waiting for the GM")
        assert "your call on Marek" in texts(world.newest("Answer"))
        await world.rule()
        assert card(world).startswith("## Marek, roll d10")


def _calls(world: World) -> list[Any]:
    """The messages that call somebody to a check."""
    return [each for each in world.messages() if labels(each) and not is_layout(each)]


async def test_a_call_stays_until_all_whom_it_names_have_answered(world: World) -> None:
    """A later call to one of them does not take it away."""
    await begin_adventure(world, *range(20, 26))
    await world.gina.slash(world.zone, "mb adventure scene", what="start")
    await world.gina.slash(world.zone, "mb adventure scene", what="end")
    (both,) = _calls(world)
    assert texts(both).startswith(f"<@{world.ana.id}> and <@{world.ben.id}>, ")
    await world.ana.slash(world.zone, "draw-card")
    await world.gina.slash(world.zone, "mb adventure scene", what="start")
    await world.gina.slash(world.zone, "mb adventure scene", what="end")
    still, hers = _calls(world)
    assert still.id == both.id, "Ben has not answered"
    assert texts(hers).startswith(f"<@{world.ana.id}>, ")
    await world.ana.slash(world.zone, "draw-card")
    assert [each.id for each in _calls(world)] == [both.id]
    await world.ben.slash(world.zone, "draw-card")
    assert _calls(world) == []


async def test_an_undo_draws_the_step_before_on_the_card_that_moved(world: World) -> None:
    await world.table()
    old = await world.answered()
    for _ in range(BURIED_AFTER):
        await world.ben.slash(world.zone, "roll", dice="1d6")
    world.dice.lay(5, 3)
    await world.press(world.ana, old, "Roll")
    new = world.card()
    assert new.id != old.id
    await world.gina.slash(world.zone, "gm undo")
    assert world.card().id == new.id, "it is edited, not marked and posted anew"
    assert texts(world.card()).startswith("## Marek, roll")
    assert "Roll" in labels(world.card())
    assert _cut(world, old) == f"-# Continued below: [check c1]({new.jump_url})"


async def test_a_panel_does_not_tell_what_is_not_decided(world: World) -> None:
    await world.table()
    await world.bring(world.ana, "Marek", sacrificed={"Fitness": 1}, replace=True, grown=True)
    await world.ana.slash(world.zone, "heal", method="rest", approach="a week in the hut")
    panel = message_of(await world.press(world.gina, world.newest("Answer"), "Answer"))
    assert "There is enough time to rest" not in texts(panel)
    await world.press(world.gina, panel, "Allow the rest")
    assert card(world).startswith(
        "## ✓ There is enough time to rest: Marek is no longer badly hurt\n"
    )


async def test_whoever_cannot_roll_yet_is_asked_for_what_is_missing(world: World) -> None:
    await world.table()
    await world.ana.slash(world.zone, "check", skill="Climbing")
    await world.rule()
    message = world.card()
    assert _styles(message) == {"Write": PRIMARY, "React": SECONDARY}
    modal = await world.press(world.ana, message, "Write")
    await world.ana.submit_modal(modal, {"approach": "up the rope"})
    assert card(world).startswith("## Waiting for the GM\nMarek: Climbing")
    await world.restart()
    await world.rule()
    assert "Roll" in labels(world.card())


async def test_blue_is_at_most_one_button(world: World) -> None:
    await world.table()
    message = await world.answered()
    assert _styles(message) == {"Roll d10 + d8": PRIMARY, "React": SECONDARY}
    await world.env.advance_time(DAY)
    for each in world.messages():
        blue = [every for every in controls(each) if every.get("style") == PRIMARY]
        assert len(blue) <= 1
        assert not [every for every in controls(each) if every.get("style") == 3], (
            "green reads as a verdict"
        )
