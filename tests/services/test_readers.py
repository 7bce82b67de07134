"""Who is shown what was told in a place: whose it is, who can view the place now, and the GMs."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bot.services.history import (
    dice_roll_at,
    entry_and_seed,
    last_results,
    last_rolls,
    roll_entries,
    undelivered_events,
    visible_events,
)
from bot.services.readers import PlaceAccess, PlaceViews, Reader
from bot.services.table_opening import ensure_free_table
from bot.services.tables import Tables
from bot.storage import codec
from rules.core.errors import NotFound, Outdated
from rules.core.record import Record
from rules.table.actions import Actor, Award, ForgetPerson, RollDice
from rules.table.checks.access import find_check, may_see_check
from tests.sample_table import ANN, BEN, GM, NOON, PLACE, House, Session, by, propose

VAULT, CELLAR = "777", "778"
#: A participant of the table who has done nothing.
CARA = Actor("p9")


class Views(Record):
    """Discord, as a hand-written fake: what one person can view; all else cannot be found out."""

    places: Mapping[str, PlaceAccess]

    async def access(self, place: str) -> PlaceAccess:
        return self.places.get(place, "unknown")


def views(**access: PlaceAccess) -> PlaceViews:
    return Views({PLACE: "open", VAULT: access.get("vault", "unknown")})


async def in_vault(session: Session) -> int:
    """Ann rolls dice and proposes something in the vault; the number of the roll's entry."""
    done = await session.do(
        RollDice(**by(ANN, place=VAULT), dice="2d6 [for the safe]", reason="the safe")
    )
    await session.do(propose(ANN).replace(place=VAULT))
    return done.seq


async def is_shown(session: Session, reader: Reader, seq: int) -> bool:
    """Whether every door shows the dice that were rolled in the vault; AssertionError where they
    differ.
    """
    tables = session.tables
    found = {seq in dict(await last_results(tables, reader, 5))}
    found.add(seq in [row.seq for row, _ in await last_rolls(tables, reader, 25)])
    row = await tables.store.entry_at(session.table_id, seq)
    assert row is not None
    messages = await tables.store.unsent_rows(session.table_id)
    (told,) = [each for each in messages if each.journal_id == row.id]
    found.add(bool(await roll_entries(tables, reader, told)))
    found.add(bool(await undelivered_events(tables, reader, [told])))
    for door, refusal in ((visible_events, Outdated), (entry_and_seed, NotFound)):
        try:
            await door(tables, reader, seq)
            found.add(True)
        except refusal:
            found.add(False)
    (shown,) = found
    return shown


@pytest.mark.parametrize(
    ("who", "access", "shown"),
    [
        (BEN, "open", True),
        (BEN, "shut", False),
        (BEN, "unknown", False),
        (BEN, "gone", False),
        (CARA, "open", True),
        (CARA, "shut", False),
        (ANN, "shut", True),
        (ANN, "gone", True),
        (ANN, "unknown", True),
        (GM, "shut", True),
        (GM, "gone", True),
    ],
)
async def test_what_was_told_in_a_place_goes_by_who_can_view_it(
    session: Session, who: Actor, access: PlaceAccess, shown: bool
) -> None:
    seq = await in_vault(session)
    reader = await session.reader(who, views=views(vault=access))
    assert await is_shown(session, reader, seq) == shown
    await reader.learn_table()
    (check,) = (await session.state()).checks
    if shown:
        assert find_check(reader.game, check).id == check
    else:
        with pytest.raises(NotFound):
            find_check(reader.game, check)


async def test_nothing_is_open_before_it_was_asked_for(session: Session) -> None:
    await in_vault(session)
    reader = await session.reader(BEN, views=views(vault="open"))
    (check,) = (await session.state()).checks
    with pytest.raises(NotFound):
        find_check(reader.game, check)
    assert not reader.can_view(VAULT) and reader.can_view(PLACE)
    await reader.learn_table()
    assert find_check(reader.game, check)


async def test_whoever_took_part_in_a_place_that_is_gone_is_shown_what_was_told_there(
    session: Session,
) -> None:
    seq = await in_vault(session)
    await session.do(RollDice(**by(BEN, place=VAULT), dice="1d6"))
    assert await is_shown(session, await session.reader(BEN, views=views(vault="gone")), seq)
    # Where they took part, and nowhere else.
    for access in ("shut", "unknown"):
        reader = await session.reader(BEN, views=views(vault=access))
        assert not await is_shown(session, reader, seq)


async def test_what_is_about_ones_character_is_shown_wherever_it_was_told(
    session: Session,
) -> None:
    done = await session.do(Award(**by(GM, place=VAULT), kind="fate", to="Boris", reason="brave"))
    for who, shown in ((BEN, True), (ANN, False), (CARA, False)):
        reader = await session.reader(who, views=views(vault="shut"))
        row = await session.tables.store.entry_at(session.table_id, done.seq)
        assert row is not None
        assert bool(await reader.shown_events(row, codec.read_events(row.events))) == shown


async def test_whose_character_is_attacked_may_know_of_it(session: Session) -> None:
    attack = propose(ANN, kind="attack", target="Boris", skill="Rifles", attribute="Alertness")
    done = await session.do(attack.replace(place=VAULT))
    (check,) = done.state.checks
    for who, shown in ((BEN, True), (CARA, False)):
        reader = await session.reader(who, views=views(vault="shut"))
        await reader.learn_table()
        assert may_see_check(reader.game, done.state.checks[check], who) == shown
        row = await session.tables.store.entry_at(session.table_id, done.seq)
        assert row is not None
        assert bool(await reader.shown_events(row, done.events)) == shown


async def test_forgetting_a_person_opens_nothing(session: Session) -> None:
    seq = await in_vault(session)
    await session.do(ForgetPerson(**by(ANN)))
    assert not await is_shown(session, await session.reader(BEN, views=views(vault="shut")), seq)
    row = await session.tables.store.entry_at(session.table_id, seq)
    assert row is not None and row.action == "{}" and row.place == VAULT


async def test_open_dice_are_thrown_again_only_where_they_were_thrown(session: Session) -> None:
    seq = await in_vault(session)
    for here, again in ((PLACE, False), (VAULT, True)):
        reader = await session.reader(ANN, views=views(vault="open"), here=here)
        if again:
            assert (await dice_roll_at(session.tables, reader, seq))[1].reason == "the safe"
        else:
            with pytest.raises(Outdated):
                await dice_roll_at(session.tables, reader, seq)


async def test_a_personal_table_is_its_owners(house: House) -> None:
    tables: Tables = await house.enter()
    table_id = await ensure_free_table(tables, "@42", "@42", NOON)
    table = await tables.get(table_id)
    owner = Actor(table.directory.ensure_participant("42", "Ann"))
    other = Actor(table.directory.ensure_participant("43", "Ben"))
    for who, everything in ((owner, True), (other, False)):
        reader = Reader(tables.store, table, who, NOON, views(vault="open"))
        await reader.learn(["900"])
        assert reader.can_view("900") == everything
