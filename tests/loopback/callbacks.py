"""Interaction callbacks and the webhook routes that belong to an interaction's token."""

from __future__ import annotations

import time

from .interactions import COMMAND, COMPONENT, MODAL, Attempt, Interaction
from .limits import ApiError, check_choices, check_modal
from .models import COMPONENTS_V2, EPHEMERAL, LOADING, Json, Message
from .resources import Resources
from .rest import Call, Rest
from .world import World

TOKEN_LIFETIME_S = 15 * 60.0

ANSWER, DEFER, DEFER_UPDATE, UPDATE, CHOICES, SHOW_MODAL = 4, 5, 6, 7, 8, 9
# which callback types each interaction type accepts
ACCEPTED = {
    2: {ANSWER, DEFER, SHOW_MODAL},
    3: {ANSWER, DEFER, DEFER_UPDATE, UPDATE, SHOW_MODAL},
    4: {CHOICES},
    5: {ANSWER, DEFER, DEFER_UPDATE, UPDATE},
}


class Callbacks:
    """Keeps the interactions. ``expiry`` is the time to acknowledge in seconds; None switches it
    off.
    """

    def __init__(
        self, world: World, rest: Rest, resources: Resources, expiry: float | None
    ) -> None:
        self.world = world
        self.resources = resources
        self.expiry = expiry
        self.interactions: dict[int, Interaction] = {}
        self.by_token: dict[str, Interaction] = {}
        for route, handler in {
            "POST /interactions/*/*/callback": self.callback,
            "POST /webhooks/*/*": self.followup,
            "GET /webhooks/*/*/messages/*": self.get,
            "PATCH /webhooks/*/*/messages/*": self.patch,
            "DELETE /webhooks/*/*/messages/*": self.delete,
        }.items():
            rest.routes.add(route, handler)

    def register(self, interaction: Interaction) -> None:
        self.interactions[interaction.id] = interaction
        self.by_token[interaction.token] = interaction

    async def callback(self, call: Call) -> Json | None:
        now = time.monotonic()
        interaction = self.interactions.get(call.number(0))
        kind = int(call.body["type"])
        if interaction is None or interaction.token != call.args[1]:
            raise ApiError(404, 10062, "Unknown interaction")
        late = now - interaction.emitted
        try:
            if interaction.state != "none":
                raise ApiError(400, 40060, "Interaction has already been acknowledged.")
            if self.expiry is not None and late > self.expiry:
                raise ApiError(404, 10062, "Unknown interaction")
            if kind not in ACCEPTED[interaction.type]:
                raise ApiError(
                    400, 50035, f"Invalid Form Body: type: {kind} is not for this interaction"
                )
            self._acknowledge(call, interaction, kind)
        except ApiError as error:
            interaction.attempts.append(Attempt(late, kind, error.code))
            interaction.changes.notify()
            raise
        interaction.attempts.append(Attempt(late, kind, 0))
        interaction.ack_latency = late
        interaction.callback_type = kind
        self._changed(interaction)
        return (
            self._resource(interaction, kind)
            if call.query.get("with_response") in ("1", "true")
            else None
        )

    def _changed(self, interaction: Interaction) -> None:
        interaction.changes.notify()
        self.world.changes.notify()

    def _acknowledge(self, call: Call, interaction: Interaction, kind: int) -> None:
        data: Json = call.body.get("data") or {}
        if kind == ANSWER:
            interaction.response = self._create(call, interaction, data)
            interaction.ephemeral = interaction.response.ephemeral
        elif kind == DEFER:
            flags = LOADING | (int(data.get("flags") or 0) & EPHEMERAL)
            interaction.response = self._create(call, interaction, {}, flags=flags)
            interaction.ephemeral = interaction.response.ephemeral
        elif kind in (DEFER_UPDATE, UPDATE):
            if interaction.source is None:
                raise ApiError(400, 50035, "Invalid Form Body: type: there is no message to update")
            if kind == UPDATE:
                self.resources.edit(call, interaction.source, data)
            interaction.response = interaction.source
        elif kind == CHOICES:
            check_choices(data.get("choices") or [])
            interaction.choices = data.get("choices") or []
        elif kind == SHOW_MODAL:
            check_modal(data)
            interaction.modal = data
        interaction.state = "deferred" if kind == DEFER else "answered"

    def _create(
        self, call: Call, interaction: Interaction, body: Json, *, flags: int = 0
    ) -> Message:
        metadata: Json = {
            "id": str(interaction.id),
            "type": interaction.type,
            "user": interaction.user.payload(),
            "authorizing_integration_owners": {"0": str(interaction.guild.id)},
        }
        if interaction.type == COMPONENT and interaction.source is not None:
            metadata["interacted_message_id"] = str(interaction.source.id)
        if interaction.type == MODAL:
            metadata["triggering_interaction_metadata"] = dict(metadata, type=COMMAND)
        return self.resources.create(
            call,
            interaction.channel,
            body,
            flags=flags,
            type=20 if interaction.type == COMMAND else 0,
            application_id=self.world.application_id,
            metadata=metadata,
        )

    def _resource(self, interaction: Interaction, kind: int) -> Json:
        shown: Json = {"id": str(interaction.id), "type": interaction.type}
        answer: Json = {"interaction": shown}
        message = interaction.response
        if kind in (ANSWER, DEFER, UPDATE) and message is not None:
            shown["response_message_id"] = str(message.id)
            shown["response_message_loading"] = message.loading
            shown["response_message_ephemeral"] = message.ephemeral
            resource: Json = {"type": kind}
            if kind != DEFER:
                resource["message"] = message.payload()
            answer["resource"] = resource
        elif kind == DEFER_UPDATE:
            answer["resource"] = {"type": kind}
        return answer

    def _interaction(self, call: Call) -> Interaction:
        """The token's interaction; ApiError 10015 before it is acknowledged, 50027 once it is too
        old.
        """
        interaction = self.by_token.get(call.args[1])
        if (
            interaction is None
            or call.number(0) != self.world.application_id
            or interaction.state == "none"
        ):
            raise ApiError(404, 10015, "Unknown Webhook")
        if time.monotonic() - interaction.emitted > TOKEN_LIFETIME_S:
            raise ApiError(401, 50027, "Invalid Webhook Token")
        return interaction

    def _message(self, call: Call) -> tuple[Interaction, Message]:
        interaction = self._interaction(call)
        if call.args[2] == "@original":
            message = interaction.response
        else:
            wanted = call.number(2)
            message = next((known for known in interaction.messages if known.id == wanted), None)
        if message is None or message.deleted:
            raise ApiError(404, 10008, "Unknown Message")
        return interaction, message

    async def followup(self, call: Call) -> Json:
        interaction = self._interaction(call)
        body: Json = call.body or {}
        if interaction.state == "deferred" and interaction.response is not None:
            # the first followup takes the place of the "thinking" message, and its visibility
            self._complete(call, interaction, interaction.response, body)
            return interaction.response.payload()
        message = self._create(call, interaction, body)
        interaction.followups.append(message)
        self._changed(interaction)
        return message.payload()

    def _complete(self, call: Call, interaction: Interaction, message: Message, body: Json) -> None:
        layout = int(body.get("flags") or 0) & COMPONENTS_V2
        self.resources.edit(
            call, message, {k: v for k, v in body.items() if k != "flags" or layout}
        )
        if message is interaction.response:
            interaction.state = "answered"
        self._changed(interaction)

    async def get(self, call: Call) -> Json:
        return self._message(call)[1].payload()

    async def patch(self, call: Call) -> Json:
        interaction, message = self._message(call)
        self._complete(call, interaction, message, call.body or {})
        return message.payload()

    async def delete(self, call: Call) -> None:
        interaction, message = self._message(call)
        self.world.delete_message(message)
        if message is interaction.response and interaction.state == "deferred":
            interaction.state = "answered"
        self._changed(interaction)
