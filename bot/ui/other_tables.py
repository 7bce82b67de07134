"""Matters that wait for a user at their tables, this one and the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import discord

from bot.delivery.member_roles import held_gm_roles
from bot.delivery.response import DISCORD_ERRORS
from bot.delivery.table_scene import scene_of
from bot.presenters.absence import missed_lines, words_lines
from bot.presenters.checks import MOST_STEP_INS, move_lists, step_in_lines
from bot.presenters.pending_matters import TodoLine, offer_lines, todo_lines
from bot.presenters.roll_calls import seal_lines
from bot.presenters.step_in import question_lines
from bot.services.history import check_message_links
from bot.services.loaded_table import Table
from bot.services.places import PERSONAL_PREFIX
from bot.services.readers import Reader
from bot.services.stepping_in import view_step_in
from bot.services.tables import Tables
from bot.ui.interactions import Interactions
from rules.core.errors import RulesError
from rules.core.record import Record
from rules.registry import read_only_game
from rules.table.actions import Actor
from rules.table.checks.access import may_see_check
from rules.table.checks.audience_views import view_for_actor
from rules.table.checks.available_moves import available_moves, is_past_offer
from rules.table.events import CheckChanged
from rules.table.roll_calls.roll_call import roll_calls
from rules.table.waits.agenda import agenda

#: Most tables of a user that are looked at, the newest.
MOST: Final = 20


class Todos(Record):
    """A reader's moves at one table."""

    #: Decisions that wait for the reader.
    yours: tuple[TodoLine, ...]
    #: Moves that nothing waits for.
    offers: tuple[TodoLine, ...]
    #: Final results that the reader may still change.
    step_ins: tuple[TodoLine, ...]


async def todos_at_table(tables: Tables, reader: Reader, place: str) -> Todos:
    """Return everything that the reader may do at one table now."""
    scene, game, gm = scene_of(reader.table), reader.game, reader.gm
    found = [each for each in available_moves(game) if not is_past_offer(game, each)]
    views = {each.check: view_for_actor(game, game.state.checks[each.check]) for each in found}
    links = await check_message_links(tables, reader.table, views)
    yours, offers = move_lists(scene, found, views, gm=gm, links=links, waits=agenda(game))
    questions = question_lines(scene) if gm else []
    if gm:
        questions += [*words_lines(scene, game), *missed_lines(scene, game)]
    questions += seal_lines(scene, game, roll_calls(game.state))
    lines = todo_lines(scene, (*yours, *questions), game=game, place=place, gm=gm)
    changeable = await _changeable_checks(tables, reader) if place else []
    step_ins = step_in_lines(scene, changeable, game.at)
    return Todos(tuple(lines), tuple(offer_lines(scene, offers, game)), step_ins)


async def _changeable_checks(tables: Tables, reader: Reader) -> list[CheckChanged]:
    """Return the final checks, oldest first, in which the reader could choose something yet."""
    game = reader.game
    found: list[CheckChanged] = []
    for check in tuple(game.state.checks.values())[::-1]:
        if check.is_open or not may_see_check(game, check, game.actor):
            continue
        try:
            choices = await view_step_in(tables.store, reader, check.id, late=False)
        except RulesError:
            continue
        if choices.moves:
            found.append(view_for_actor(game, check))
        if len(found) == MOST_STEP_INS:
            break
    return found[::-1]


async def todos_at_other_tables(
    interactions: Interactions, interaction: discord.Interaction, here: Table | None
) -> list[tuple[str, str, Sequence[TodoLine]]]:
    """Return the other tables where something waits for the user: name, web address, the matters.

    Each has a place that the user can view.
    """
    tables = interactions.tables
    known, _ = await tables.memberships(None, str(interaction.user.id))
    members: dict[str, discord.Member | None] = {}
    found: list[tuple[str, str, Sequence[TodoLine]]] = []
    for table, who in known[-MOST:]:
        places = tables.places.places_of(table.id)
        if table is here or table.guild.startswith(PERSONAL_PREFIX):
            continue
        if table.guild not in members:
            members[table.guild] = await _member(interactions, interaction, int(table.guild))
        member = members[table.guild]
        if member is None or not read_only_game(table.state).system.playable:
            continue
        roles = held_gm_roles(member, table.state.settings)
        reader = await interactions.reader(interaction, table, Actor(who, roles), member)
        place = await reader.first_viewable(places)
        if place is None:
            continue
        there = await todos_at_table(tables, reader, "")
        lines = (*there.yours, *there.offers)
        if lines:
            url = f"https://discord.com/channels/{table.guild}/{place}"
            found.append((table.state.settings.name, url, lines))
    return found


async def _member(
    interactions: Interactions, interaction: discord.Interaction, server: int
) -> discord.Member | None:
    """Return the user as a member of a server; None if they or the bot aren't there any more."""
    client, user = interaction.client, interaction.user
    if interaction.guild_id == server and isinstance(user, discord.Member):
        return user
    guild = client.get_guild(server)
    if guild is None and not interactions.tables.store.share.owns(str(server)):
        return await interactions.foreign_servers.member(client, server, user.id)
    try:
        return None if guild is None else await guild.fetch_member(user.id)
    except DISCORD_ERRORS:
        return None
