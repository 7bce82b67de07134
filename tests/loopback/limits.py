"""The limits Discord enforces on what a bot sends, as far as a bot could run into them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from .models import COMPONENTS_V2, Json, Upload, walk

COMMAND_NAME = re.compile(r"^[-_'\w]{1,32}$")
LAYOUT_TYPES = {9, 10, 11, 12, 13, 14, 17}


class ApiError(Exception):
    """An error answer: HTTP status, Discord's error code, message."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(f"{status} {code}: {message}")
        self.status = status
        self.code = code
        self.message = message


def invalid(problems: Iterator[str]) -> None:
    """Raise 400/50035 with the first problem, if there is one."""
    for problem in problems:
        raise ApiError(400, 50035, f"Invalid Form Body: {problem}")


def check_message(
    content: str,
    embeds: Sequence[Json],
    components: Sequence[Json],
    uploads: Sequence[Upload],
    flags: int,
) -> None:
    """ApiError 50006 for an empty message, 50035 for one that breaks a limit."""
    if not (content or embeds or components or uploads):
        raise ApiError(400, 50006, "Cannot send an empty message")
    invalid(_message_problems(content, embeds, components, flags))


def _message_problems(
    content: str, embeds: Sequence[Json], components: Sequence[Json], flags: int
) -> Iterator[str]:
    if len(content) > 2000:
        yield "content: Must be 2000 or fewer in length."
    if len(embeds) > 10:
        yield "embeds: Must be 10 or fewer in length."
    if embeds:
        yield from _embed_problems(embeds)
    if components:
        yield from _component_problems(components, flags)
    if flags & COMPONENTS_V2 and (content or embeds):
        yield "flags: content and embeds cannot be used with IS_COMPONENTS_V2."


def _embed_problems(embeds: Sequence[Json]) -> Iterator[str]:
    total = 0
    for embed in embeds:
        parts = [
            ("title", embed.get("title"), 256),
            ("description", embed.get("description"), 4096),
        ]
        parts.append(("footer.text", (embed.get("footer") or {}).get("text"), 2048))
        parts.append(("author.name", (embed.get("author") or {}).get("name"), 256))
        fields = embed.get("fields") or ()
        if len(fields) > 25:
            yield "embeds.fields: Must be 25 or fewer in length."
        for item in fields:
            if not item.get("name") or not item.get("value"):
                yield "embeds.fields: This field is required."
            parts += [
                ("fields.name", item.get("name"), 256),
                ("fields.value", item.get("value"), 1024),
            ]
        for name, text, limit in parts:
            if text and len(text) > limit:
                yield f"embeds.{name}: Must be {limit} or fewer in length."
            total += len(text or "")
    if total > 6000:
        yield "embeds: Embed size exceeds maximum size of 6000."


def _component_problems(components: Sequence[Json], flags: int) -> Iterator[str]:
    layout = bool(flags & COMPONENTS_V2)
    if not layout and len(components) > 5:
        yield "components: Must be 5 or fewer in length."
    items = list(walk(components))
    if layout and len(items) > 40:
        yield "components: Must be 40 or fewer in total."
    if not layout and any(item["type"] in LAYOUT_TYPES for item in items):
        yield "components: The component type needs IS_COMPONENTS_V2."
    if sum(len(item.get("content", "")) for item in items if item["type"] == 10) > 4000:
        yield "components: Text must be 4000 or fewer in length."
    seen: set[str] = set()
    for item in items:
        yield from _item_problems(item)
        custom_id = item.get("custom_id")
        if custom_id is not None:
            if custom_id in seen:
                yield f"components: Component custom id {custom_id!r} cannot be duplicated."
            seen.add(custom_id)
            if not 1 <= len(custom_id) <= 100:
                yield "components.custom_id: Must be between 1 and 100 in length."


def _item_problems(item: Json) -> Iterator[str]:
    kind = item["type"]
    if kind == 1:
        inner = item.get("components") or ()
        if not 1 <= len(inner) <= 5 or (any(c["type"] != 2 for c in inner) and len(inner) != 1):
            yield "components: An action row holds one to five buttons or one select."
    elif kind == 2:
        if len(item.get("label") or "") > 80:
            yield "components.label: Must be 80 or fewer in length."
        if not item.get("label") and not item.get("emoji"):
            yield "components: A button needs a label or an emoji."
    elif kind == 3:
        options = item.get("options") or ()
        if not 1 <= len(options) <= 25:
            yield "components.options: Must be between 1 and 25 in length."
        if len({option["value"] for option in options}) != len(options):
            yield "components.options: Option values cannot be duplicated."
        for option in options:
            if any(len(option.get(key) or "") > 100 for key in ("label", "value", "description")):
                yield "components.options: Must be 100 or fewer in length."


def check_modal(modal: Json) -> None:
    """ApiError 50035 for a modal Discord would refuse."""
    invalid(_modal_problems(modal))


def _modal_problems(modal: Json) -> Iterator[str]:
    if not 1 <= len(modal.get("title", "")) <= 45:
        yield "title: Must be between 1 and 45 in length."
    if not 1 <= len(modal.get("custom_id", "")) <= 100:
        yield "custom_id: Must be between 1 and 100 in length."
    if not 1 <= len(modal.get("components", ())) <= 5:
        yield "components: Must be between 1 and 5 in length."
    for item in walk(modal["components"]):
        if item["type"] in (4, 18) and len(item.get("label") or "") > 45:
            yield "components.label: Must be 45 or fewer in length."
        if item["type"] == 4 and len(item.get("placeholder") or "") > 100:
            yield "components.placeholder: Must be 100 or fewer in length."
        if item["type"] == 4 and len(item.get("value") or "") > (item.get("max_length") or 4000):
            yield "components.value: Must be no longer than max_length."


def check_choices(choices: Sequence[Json]) -> None:
    """ApiError 50035 for autocomplete choices Discord would refuse."""
    invalid(_choice_problems(choices))


def _choice_problems(choices: Sequence[Json]) -> Iterator[str]:
    if len(choices) > 25:
        yield "choices: Must be 25 or fewer in length."
    for choice in choices:
        if not 1 <= len(choice["name"]) <= 100:
            yield "choices.name: Must be between 1 and 100 in length."
        if isinstance(choice["value"], str) and len(choice["value"]) > 100:
            yield "choices.value: Must be 100 or fewer in length."


def check_commands(commands: Sequence[Json]) -> None:
    """ApiError 50035 for command definitions Discord would refuse."""
    invalid(_command_problems(commands))


def _command_problems(commands: Sequence[Json]) -> Iterator[str]:
    slash = [command for command in commands if command.get("type", 1) == 1]
    if len(slash) > 100:
        yield "commands: Must be 100 or fewer in length."
    for command in slash:
        yield from _option_problems(command, 0)
        if _size(command) > 8000:
            yield f"{command['name']}: Command exceeds maximum size (8000)."
    names = [(command.get("type", 1), command["name"]) for command in commands]
    if len(set(names)) != len(names):
        yield "name: Application command names must be unique."


def _option_problems(option: Json, depth: int) -> Iterator[str]:
    name = option["name"]
    if not COMMAND_NAME.match(name) or name != name.lower():
        yield f"{name}: Command name is invalid."
    if not 1 <= len(option.get("description", "")) <= 100:
        yield f"{name}.description: Must be between 1 and 100 in length."
    choices = option.get("choices") or ()
    if len(choices) > 25:
        yield f"{name}.choices: Must be 25 or fewer in length."
    if choices:
        yield from _choice_problems(choices)
    if choices and option.get("autocomplete"):
        yield f"{name}.autocomplete: Cannot be set where choices are present."
    inner = option.get("options") or ()
    if len(inner) > 25:
        yield f"{name}.options: Must be 25 or fewer in length."
    if len({item["name"] for item in inner}) != len(inner):
        yield f"{name}.options: Option names must be unique."
    if any(
        later.get("required") and not earlier.get("required")
        for earlier, later in itertools.pairwise(inner)
    ):
        yield f"{name}.options: Required options must be placed before non-required options."
    if depth > 3:
        yield f"{name}: Nested too deeply."
    for item in inner:
        yield from _option_problems(item, depth + 1)


def _size(option: Json) -> int:
    """Characters that count toward the 8,000 of a command."""
    size = len(option["name"]) + len(option.get("description", ""))
    size += sum(
        len(choice["name"]) + len(str(choice["value"])) for choice in option.get("choices") or ()
    )
    return size + sum(_size(item) for item in option.get("options") or ())
