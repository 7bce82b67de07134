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


def shard_key(guild: str) -> int:
    """Return the number by which Discord deals servers to shards; 0 for what is no server's."""
    return int(guild) >> 22 if guild.isdecimal() else 0
