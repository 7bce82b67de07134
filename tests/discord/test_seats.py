"""Seats: a character that needs a player finds one, and takes no secrets along."""

from __future__ import annotations

from typing import Any

from tests.discord.world import (
    MINUTE,
    World,
    button,
    labels,
    message_of,
    pings,
    private,
    refusal_of,
    texts,
)


def in_room(world: World, label: str) -> Any:
    """The newest message in the GM channel with a button."""
    return next(each for each in world.messages(world.gm_room)[::-1] if label in labels(each))


async def opened(world: World, **options: Any) -> Any:
    """Ilka, whom Ben plays, needs a player."""
    await world.gina.slash(world.zone, "gm seat open", character="Ilka", **options)
    return world.newest("Ask for this seat")


async def test_a_stranger_asks_for_a_seat_and_gets_it(world: World) -> None:
    await world.table(gm_channel=True)
    seat = await opened(world)
    assert "Ilka needs a player" in texts(seat)
    eve = world.member("eve")
    assert "Sent to the GM" in private(await world.press(eve, seat, "Ask for this seat"))
    call = world.messages(world.gm_room)[-1]
    assert pings(call, world.env) == [world.gina.id]
    asked = in_room(world, "Hand over")
    assert f"{eve.mention} asks to play Ilka" in texts(asked)
    assert "You asked to play Ilka already" in refusal_of(
        await world.press(eve, seat, "Ask for this seat")
    )
    await world.restart()
    assert "asks for this seat" in private(await world.gina.slash(world.zone, "moves"))
    await world.press(world.gina, asked, "Hand over")
    told = world.last()
    assert "Ilka has a new player" in texts(told) and pings(told, world.env) == [eve.id]
    state = await world.state()
    ilka = next(each for each in state.characters.values() if each.name == "Ilka")
    assert not ilka.open_seat and ilka.seat_asked == ()
    assert "Ilka" in private(await eve.slash(world.zone, "character show"))
    refusal_of(await world.ben.slash(world.zone, "check", approach="up", **{"as": "Ilka"}))
    refusal_of(await world.press(world.gina, asked, "Hand over"))


async def test_notes_and_private_checks_stay_with_the_former_player(world: World) -> None:
    await world.table(gm_channel=True)
    await world.gina.slash(world.zone, "gm undo")
    await _with_secret(world)
    seat = await opened(world)
    eve = world.member("eve")
    await world.press(eve, seat, "Ask for this seat")
    await world.press(world.gina, in_room(world, "Hand over"), "Hand over")
    for command in ("character show", "table last", "moves", "table show"):
        assert "Zqnotes" not in private(await eve.slash(world.zone, command)), command
    assert "Zqnotes" in texts(world.messages(world.gm_room)[-1]), "the GM keeps them"


async def _with_secret(world: World) -> None:
    await world.bring(world.ben, "Ilka", notes="Zqnotes about the key")


async def test_the_gm_may_hand_the_notes_over(world: World) -> None:
    await world.table(gm_channel=True)
    await world.gina.slash(world.zone, "gm undo")
    await _with_secret(world)
    seat = await opened(world)
    eve = world.member("eve")
    await world.press(eve, seat, "Ask for this seat")
    await world.press(world.gina, in_room(world, "Hand over with notes"), "Hand over with notes")
    state = await world.state()
    ilka = next(each for each in state.characters.values() if each.name == "Ilka")
    assert ilka.notes == "Zqnotes about the key"


async def test_a_refused_request_is_told_to_the_one_who_asked(world: World) -> None:
    await world.table()
    seat = await opened(world)
    await world.press(world.ana, seat, "Ask for this seat")
    call = world.newest("Show")
    shown = message_of(await world.press(world.gina, call, "Show"))
    assert "Refuse" in labels(shown)
    await world.press(world.gina, shown, "Refuse")
    stub = world.newest("Show")
    assert "not this time" in private(await world.press(world.ana, stub, "Show"))
    assert "Sent to the GM" in private(await world.press(world.ana, seat, "Ask for this seat"))


async def test_table_show_lists_open_seats(world: World) -> None:
    await world.table()
    assert "Open seats" not in private(await world.ana.slash(world.zone, "table show"))
    await opened(world)
    shown = message_of(await world.ana.slash(world.zone, "table show"))
    assert "Open seats" in texts(shown) and "Ask for this seat" in labels(shown)
    own = message_of(await world.ben.slash(world.zone, "table show"))
    assert "Ask for this seat" not in labels(own)
    await world.gina.slash(world.zone, "gm seat close", character="Ilka")
    assert "seat closed" in texts(world.last())
    assert "Open seats" not in private(await world.ana.slash(world.zone, "table show"))
    refusal_of(await world.press(world.ana, shown, "Ask for this seat"))


async def test_whoever_retires_leaves_a_seat_that_the_gm_can_open(world: World) -> None:
    await world.table(gm_channel=True)
    await world.ben.slash(world.zone, "character retire", character="Ilka")
    offer = in_room(world, "Open the seat")
    assert "Ilka has no player" in texts(offer) and pings(offer, world.env) == []
    await world.press(world.gina, offer, "Open the seat")
    seat = world.newest("Ask for this seat")
    await world.press(world.ana, seat, "Ask for this seat")
    await world.press(world.gina, in_room(world, "Hand over"), "Hand over")
    state = await world.state()
    ilka = next(each for each in state.characters.values() if each.name == "Ilka")
    assert ilka.in_play


async def test_whoever_has_their_data_deleted_leaves_a_seat(world: World) -> None:
    await world.table(gm_channel=True)
    await world.env.advance_time(MINUTE)
    ask = message_of(await world.ben.slash(world.zone, "privacy delete"))
    await world.press(world.ben, ask, "Delete my data")
    offers = [texts(each) for each in world.messages(world.gm_room)]
    assert any("Ilka has no player" in each for each in offers)


async def test_only_gms_open_and_answer_seats(world: World) -> None:
    await world.table(gm_channel=True)
    refusal_of(await world.ana.slash(world.zone, "gm seat open", character="Ilka"))
    seat = await opened(world)
    await world.press(world.ana, seat, "Ask for this seat")
    asked = in_room(world, "Hand over")
    count = await world.revision()
    for label in ("Hand over", "Hand over with notes", "Refuse"):
        forged = world.emit(world.ana, button(asked, label), seat)
        await world.env.settle()
        assert "Only the GM" in refusal_of(forged)
    assert await world.revision() == count


async def test_no_seat_of_somebody_whom_players_do_not_know(world: World) -> None:
    await world.table()
    await world.gina.slash(world.zone, "gm npc add", name="Zqhidden", stage="off")
    refused = await world.gina.slash(world.zone, "gm seat open", character="Zqhidden")
    assert "Nobody called" in refusal_of(refused)


async def test_undo_takes_a_handover_back(world: World) -> None:
    await world.table(gm_channel=True)
    seat = await opened(world)
    await world.press(world.ana, seat, "Ask for this seat")
    before = await world.state()
    await world.press(world.gina, in_room(world, "Hand over"), "Hand over")
    await world.gina.slash(world.zone, "gm undo")
    after = await world.state()
    assert after.characters == before.characters
