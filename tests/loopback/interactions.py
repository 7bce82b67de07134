"""Interactions: what a user's click or command becomes on the wire, and what came back for it."""

from __future__ import annotations

import asyncio
import functools
import json
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from .models import Channel, Guild, Json, Member, Message, Role, Upload, User, walk
from .world import Changes, World

COMMAND, COMPONENT, AUTOCOMPLETE, MODAL = 2, 3, 4, 5

State = Literal["none", "deferred", "answered"]

#: Seconds to wait for the bot at most, unless told otherwise: no test is about this bound.
PATIENCE = 20.0


@dataclass(frozen=True)
class Attempt:
    """One callback request: ``at`` is seconds after the emission, ``code`` 0 or Discord's error
    code.
    """

    at: float
    type: int
    code: int


@dataclass(eq=False)
class Interaction:
    """One interaction and everything the bot did with it.

    ``response`` is the original message (None until there is one), ``followups`` the further ones,
    ``modal`` the modal's payload, ``choices`` the autocomplete answer, ``ack_latency`` seconds from
    emission to the accepted acknowledgment, ``attempts`` every callback including refused ones.
    ``delivered`` says whether a client was connected when it was emitted.
    """

    id: int
    token: str
    type: int
    guild: Guild
    channel: Channel
    user: User
    data: Json
    source: Message | None = None
    name: str = ""
    emitted: float = 0.0
    text: str = ""
    delivered: bool = False
    state: State = "none"
    callback_type: int | None = None
    ephemeral: bool = False
    response: Message | None = None
    modal: Json | None = None
    choices: list[Json] | None = None
    followups: list[Message] = field(default_factory=list)
    attempts: list[Attempt] = field(default_factory=list)
    ack_latency: float | None = None
    changes: Changes = field(default_factory=Changes)

    @property
    def refusals(self) -> list[int]:
        """Error codes of the refused callbacks, e.g. 40060 for a second acknowledgment."""
        return [attempt.code for attempt in self.attempts if attempt.code]

    @property
    def messages(self) -> list[Message]:
        """The response and the followups that exist, in order."""
        return [*([self.response] if self.response else []), *self.followups]

    async def until(self, condition: Callable[[], Any], within: float = PATIENCE) -> Interaction:
        """Wait for a condition on this interaction; TimeoutError says what had happened by then."""
        try:
            await self.changes.until(condition, within)
        except TimeoutError:
            raise TimeoutError(
                f"interaction {self.name!r}: state {self.state}, delivered {self.delivered}, "
                f"attempts {self.attempts}, followups {len(self.followups)} after {within} s"
            ) from None
        return self

    async def acknowledged(self, within: float = PATIENCE) -> Interaction:
        """Wait until the bot has acknowledged in any way (answer, deferral, modal, choices)."""
        return await self.until(lambda: self.state != "none", within)

    async def answered(self, within: float = PATIENCE) -> Interaction:
        """Wait until the bot has answered: a deferral alone is not an answer."""
        return await self.until(lambda: self.state == "answered", within)

    async def followed(self, count: int = 1, within: float = PATIENCE) -> Interaction:
        """Wait until there are at least ``count`` followups."""
        return await self.until(lambda: len(self.followups) >= count, within)


def _id(value: Any) -> int:
    return value if isinstance(value, int) else int(getattr(value, "id", value))


class Builder:
    """Builds INTERACTION_CREATE payloads from the world and the synced commands."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._contexts: dict[tuple[int, int, int], str] = {}
        self._revision = -1

    def build(
        self,
        kind: int,
        channel: Channel,
        user: User,
        data: Json,
        *,
        name: str,
        message: Message | None = None,
    ) -> Interaction:
        """A new interaction with its event's JSON text; ValueError if the user is not a member."""
        interaction = Interaction(
            self.world.ids.next(),
            secrets.token_urlsafe(48),
            kind,
            channel.guild,
            channel,
            user,
            data,
            message,
            name,
        )
        key = f'"id":"{interaction.id}","token":"{interaction.token}"'
        head = f'{{{key},"type":{kind},"data":{dumps(data)},'
        if message is not None:
            head += f'"message":{dumps(message.payload())},'
        interaction.text = head + self._context(channel, user)
        return interaction

    def _context(self, channel: Channel, user: User) -> str:
        # everything but the data is the same from one interaction to the next, so it is encoded
        # once
        if self._revision != self.world.revision:
            self._contexts.clear()
            self._revision = self.world.revision
        key = (channel.guild.id, channel.id, user.id)
        if key not in self._contexts:
            self._contexts[key] = dumps(self._context_payload(channel, user))[1:]
        return self._contexts[key]

    def _context_payload(self, channel: Channel, user: User) -> Json:
        guild = channel.guild
        if user.id not in guild.members:
            raise ValueError(f"{user.name} is not a member of {guild.name}")
        permissions = str(guild.permissions(user, channel))
        return {
            "version": 1,
            "application_id": str(self.world.application_id),
            "guild_id": str(guild.id),
            "guild": {"id": str(guild.id), "locale": "en-US", "features": []},
            "guild_locale": "en-US",
            "locale": "en-US",
            "channel_id": str(channel.id),
            "channel": channel.payload() | {"permissions": permissions},
            "member": guild.members[user.id].payload() | {"permissions": permissions},
            "app_permissions": str(guild.permissions(self.world.me, channel)),
            "entitlements": [],
            "entitlement_sku_ids": [],
            "authorizing_integration_owners": {"0": str(guild.id)},
            "context": 0,
            "attachment_size_limit": 10 * 1024 * 1024,
        }

    def command_data(
        self,
        channel: Channel,
        name: str,
        options: Mapping[str, Any],
        path: Sequence[str] = (),
        *,
        focused: str | None = None,
        checked: bool = True,
    ) -> Json:
        """The ``data`` of a slash command or (with ``focused``) of its autocomplete.

        ``name`` may hold the path ("scene start"). LookupError for an unknown command, subcommand
        or option; ValueError for a value the client would not let the user send (unless not
        ``checked``).
        """
        root, *rest = [*name.split(), *path]
        command = self.world.find_command(channel.guild.id, root)
        level = command["options"]
        nesting: list[Json] = []
        for part in rest:
            found = next((o for o in level if o["type"] in (1, 2) and o["name"] == part), None)
            if found is None:
                raise LookupError(
                    f"/{root} has no subcommand {part!r}: {[o['name'] for o in level]}"
                )
            nesting.append({"name": part, "type": found["type"]})
            level = found.get("options") or []
        if any(option["type"] in (1, 2) for option in level):
            raise LookupError(f"/{name} needs a subcommand: {[o['name'] for o in level]}")
        resolved: Json = {}
        values = self._values(channel, level, options, resolved, focused, checked)
        for wrapper in reversed(nesting):
            values = [wrapper | {"options": values}]
        data: Json = {"id": command["id"], "name": root, "type": 1, "options": values}
        if resolved:
            data["resolved"] = resolved
        if "guild_id" in command:
            data["guild_id"] = command["guild_id"]
        return data

    def _values(
        self,
        channel: Channel,
        level: Sequence[Json],
        options: Mapping[str, Any],
        resolved: Json,
        focused: str | None,
        checked: bool,
    ) -> list[Json]:
        known = {option["name"]: option for option in level}
        unknown = set(options) - set(known)
        if unknown:
            raise LookupError(f"unknown options {sorted(unknown)}; known: {sorted(known)}")
        if checked and focused is None:
            missing = [
                o["name"] for o in level if o.get("required") and options.get(o["name"]) is None
            ]
            if missing:
                raise ValueError(f"required options are missing: {missing}")
        out: list[Json] = []
        for name, value in options.items():
            if value is None:
                continue
            option = known[name]
            item: Json = {"name": name, "type": option["type"]}
            if name == focused:
                item |= {"value": str(value), "focused": True}
            else:
                item["value"] = self._value(channel, option, value, resolved)
                if checked:
                    _check_value(option, item["value"])
            out.append(item)
        return out

    def _value(self, channel: Channel, option: Json, value: Any, resolved: Json) -> Any:
        kind = option["type"]
        if kind == 3:
            return str(value)
        if kind == 4:
            return int(value)
        if kind == 5:
            return bool(value)
        if kind == 10:
            return float(value)
        if kind == 11:
            upload = self.world.add_upload(value)
            resolved.setdefault("attachments", {})[str(upload.id)] = upload.payload(ephemeral=True)
            return str(upload.id)
        return self.resolve(channel, kind, value, resolved)

    def resolve(self, channel: Channel, kind: int, value: Any, resolved: Json) -> str:
        """Add a user (6), channel (7), role (8) or either of user and role (9) to ``resolved``."""
        guild, key = channel.guild, _id(value)
        if kind == 7:
            target = self.world.channels[key]
            shown = target.payload() | {
                "permissions": str(guild.permissions(self.world.me, target))
            }
            resolved.setdefault("channels", {})[str(key)] = shown
        elif kind == 8 or (kind == 9 and key in guild.roles):
            resolved.setdefault("roles", {})[str(key)] = guild.roles[key].payload()
        else:
            user = self.world.users[key]
            resolved.setdefault("users", {})[str(key)] = user.payload()
            member: Member | None = guild.members.get(key)
            if member is not None:
                bits = {"permissions": str(guild.permissions(user, channel))}
                resolved.setdefault("members", {})[str(key)] = (
                    member.payload(with_user=False) | bits
                )
        return str(key)

    def component_data(
        self, message: Message, custom_id: str, values: Sequence[Any] | None
    ) -> Json:
        """The ``data`` of a click or a selection; LookupError or ValueError if a user could not do
        it.
        """
        item = next((c for c in walk(message.components) if c.get("custom_id") == custom_id), None)
        if item is None:
            raise LookupError(f"no component {custom_id!r}; there are {message.custom_ids()}")
        if item.get("disabled"):
            raise ValueError(f"component {custom_id!r} is disabled")
        data: Json = {
            "custom_id": custom_id,
            "component_type": item["type"],
            "id": item.get("id", 0),
        }
        if item["type"] == 2:
            return data
        chosen = list(values or ())
        if not item.get("min_values", 1) <= len(chosen) <= item.get("max_values", 1):
            raise ValueError(f"{len(chosen)} values for component {custom_id!r}")
        if item["type"] == 3:
            offered = [option["value"] for option in item["options"]]
            if set(chosen) - set(offered):
                raise ValueError(f"values {chosen} are not among {offered}")
            return data | {"values": chosen}
        resolved: Json = {}
        # select types 5..8 are user, role, mentionable, channel; option types number them otherwise
        kind = {5: 6, 6: 8, 7: 9, 8: 7}[item["type"]]
        picked = [self.resolve(message.channel, kind, value, resolved) for value in chosen]
        return data | {"values": picked, "resolved": resolved}

    def modal_data(self, custom_id: str, values: Mapping[str, Any], modal: Json | None) -> Json:
        """The ``data`` of a submitted modal, shaped as ``modal`` was shown, or as text inputs
        without it.
        """
        resolved: Json = {}
        if modal is None:
            rows = [
                {
                    "type": 18,
                    "id": n,
                    "component": {"type": 4, "id": n, "custom_id": key, "value": str(value)},
                }
                for n, (key, value) in enumerate(values.items(), 1)
            ]
            return {"custom_id": custom_id, "components": rows}
        known = [item["custom_id"] for item in walk(modal["components"]) if "custom_id" in item]
        if set(values) - set(known):
            raise LookupError(f"unknown inputs {sorted(set(values) - set(known))}; known: {known}")
        rows = []
        for row in modal["components"]:
            if row["type"] == 1:
                inner = [self._submitted(item, values, resolved) for item in row["components"]]
                rows.append({"type": 1, "id": row.get("id", 0), "components": inner})
            elif row["type"] == 18:
                inner = self._submitted(row["component"], values, resolved)
                rows.append({"type": 18, "id": row.get("id", 0), "component": inner})
            else:
                rows.append({"type": row["type"], "id": row.get("id", 0)})
        data: Json = {"custom_id": custom_id, "components": rows}
        return data | {"resolved": resolved} if resolved else data

    def _submitted(self, item: Json, values: Mapping[str, Any], resolved: Json) -> Json:
        key, kind = item["custom_id"], item["type"]
        out: Json = {"type": kind, "id": item.get("id", 0), "custom_id": key}
        given = values.get(key)
        if kind == 4:
            text = str(item.get("value") or "") if given is None else str(given)
            if item.get("required", True) and not text:
                raise ValueError(f"input {key!r} is required")
            if (
                not (item.get("min_length") or 0) <= len(text) <= (item.get("max_length") or 4000)
                and text
            ):
                raise ValueError(f"input {key!r} has {len(text)} characters")
            return out | {"value": text}
        if kind == 23:
            return out | {"value": bool(item.get("default")) if given is None else bool(given)}
        if kind == 21:
            return out | {"value": given}
        if kind == 19:
            uploads: list[Upload] = [self.world.add_upload(upload) for upload in given or ()]
            for upload in uploads:
                resolved.setdefault("attachments", {})[str(upload.id)] = upload.payload()
            return out | {"values": [str(upload.id) for upload in uploads]}
        if given is None:
            given = [option["value"] for option in item.get("options", ()) if option.get("default")]
        chosen = [given] if isinstance(given, str | int | User | Role | Channel) else list(given)
        return out | {"values": [str(getattr(value, "id", value)) for value in chosen]}


def _check_value(option: Json, value: Any) -> None:
    """ValueError for what Discord's client refuses to send."""
    name, choices = option["name"], option.get("choices")
    if choices and value not in [choice["value"] for choice in choices]:
        raise ValueError(f"option {name!r}: {value!r} is not among its choices")
    size = len(value) if option["type"] == 3 else value if option["type"] in (4, 10) else None
    if size is None:
        return
    unit = "length" if option["type"] == 3 else "value"
    low, high = option.get(f"min_{unit}"), option.get(f"max_{unit}")
    if (low is not None and size < low) or (high is not None and size > high):
        raise ValueError(f"option {name!r}: {value!r} is outside {low}..{high}")


def dumps(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"))


def stamp(interaction: Interaction) -> None:
    """Set the moment of emission, from which the three seconds and the latency count."""
    interaction.emitted = time.monotonic()


async def all_done(
    interactions: Sequence[Interaction], condition: Callable[[Interaction], bool], within: float
) -> int:
    """Wait at most ``within`` seconds for a condition on each; the number for which it held by
    then.
    """
    waits = (item.until(functools.partial(condition, item), within) for item in interactions)
    results = await asyncio.gather(*waits, return_exceptions=True)
    return sum(not isinstance(result, BaseException) for result in results)
