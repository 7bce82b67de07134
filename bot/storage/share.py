"""The part of all Discord servers that one of several processes serves."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Share:
    """Share *number* (from 0) of *count*: the servers whose shard key leaves *number* as remainder.

    Discord shards servers by the same key, so a process whose shards leave the same remainder
    hears of just these servers. Personal tables and direct messages belong to share 0.
    """

    number: int = 0
    count: int = 1

    def owns(self, guild: str) -> bool:
        """Return whether the tables of a server (or of a user, `@user`) are this share's."""
        return shard_key(guild) % self.count == self.number


#: The share of the only process.
WHOLE = Share()


class OtherProcessCount(Exception):
    """Refusal of a process that was started for another number of processes than those running."""

    def __init__(self, asked: int, running: int) -> None:
        super().__init__(f"{asked} processes asked for, {running} noted")
        self.asked = asked
        self.running = running


#: Condition on a row of `game_table`: the table is a share's. Its values are `share_values`.
OF_SHARE = "game_table.shard_key % ? = ?"


def table_of_share(rows: str) -> str:
    """Return the condition that the table named in *rows*, a table of the database, is a share's.

    Its values are `share_values`.
    """
    return f"EXISTS (SELECT 1 FROM game_table WHERE game_table.id = {rows}.table_id AND {OF_SHARE})"


def share_values(share: Share) -> tuple[int, int]:
    """Return the values of the conditions above."""
    return share.count, share.number


def shard_key(guild: str) -> int:
    """Return the number by which Discord deals servers to shards; 0 for what is no server's."""
    return int(guild) >> 22 if guild.isdecimal() else 0
