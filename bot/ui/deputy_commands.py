"""Commands for GMs only, and whether a deputy of the GMs may give them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import discord

from rules.core.errors import NotPermitted
from rules.table.actions import Actor
from rules.table.gm_office import is_deputy
from rules.table.permissions import leads_table
from rules.table.state import TableState

#: Shared commands that only GMs may give, and whether a deputy may give them, too. The rules refuse
#: the same actions (`rules.table.gms.deputy_rights`); here, what a command shows is refused as
#: well.
DEPUTY_COMMANDS: Final[Mapping[str, bool]] = {
    # Running the game.
    "gm call": True,
    "gm deadline": True,
    "gm log": True,
    "gm npc add": True,
    "gm npc alias": True,
    "gm npc edit": True,
    "gm npc list": True,
    "gm npc reveal": True,
    "gm roll": True,
    "gm time": True,
    "initiative add": True,
    "initiative end": True,
    "initiative move": True,
    "initiative order": True,
    "initiative start": True,
    "orders npc": True,
    "scene end": True,
    "scene move": True,
    "scene start": True,
    "scene summary": True,
    "session end": True,
    "session start": True,
    # The table, its people and its records.
    "deck import": False,
    "deck remove": False,
    "gm adjust": False,
    "gm amend": False,
    "gm award": False,
    "gm bind": False,
    "gm campaign": False,
    "gm channel": False,
    "gm deputy": False,
    "gm digest": False,
    "gm export": False,
    "gm import": False,
    "gm members": False,
    "gm npc remove": False,
    "gm pause": False,
    "gm rest": False,
    "gm resume": False,
    "gm seat close": False,
    "gm seat open": False,
    "gm settings": False,
    "gm takeover": False,
    "gm unbind": False,
    "gm undo": False,
    "table fair rotate": False,
}


def require_deputy_command(
    state: TableState, actor: Actor, interaction: discord.Interaction
) -> None:
    """Raise NotPermitted("deputy-may-not") for a command that a deputy may not give."""
    command = interaction.command
    if command is None or DEPUTY_COMMANDS.get(command.qualified_name, True):
        return
    if is_deputy(state, actor.id) and not leads_table(state, actor):
        raise NotPermitted("deputy-may-not")
