"""Commands that players paste into the page of the local table, as one line of text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from rules.core.record import Record

if TYPE_CHECKING:
    import simcord

#: Discord's types of options: text, whole number, switch, user, channel.
_TEXT = 3
_WHOLE_NUMBER = 4
_YES_OR_NO = 5
_PERSON = 6
_PLACE = 7
#: The most characters of a text whose command names no limit.
_LONGEST_TEXT = 6000
#: The most characters of a refused value that are shown.
_SHOWN = 30
#: A text that looks like an option, even if the command has no such option.
_NAMED = re.compile(r"[\w-]+:")


def read_line(line: str, paths: Iterable[str]) -> tuple[str, str] | None:
    """Return the command and the rest of a line: ("gm undo", "entry: 3") of `/gm undo entry: 3`.

    The longest command that fits counts. Return None if no command fits.
    """
    line = f"{line.strip().removeprefix('/')} "
    path = max((path for path in paths if line.startswith(f"{path} ")), key=len, default=None)
    return None if path is None else (path, line[len(path) :].strip())


def read_options(
    text: str,
    options: Iterable[Mapping[str, Any]],
    people: Mapping[str, str] | None = None,
    places: Mapping[str, str] | None = None,
) -> dict[str, Any] | None:
    """Return the options in a text such as `skill: Climbing approach: up the wall`.

    Return None if the text has anything else, or lacks a required option.

    A name that isn't an option belongs to the value before it: `with: die: d6+1`. A text before all
    names is the only required option, if that is a text: `/roll 4d6`. `people` are user ids by
    names in small letters, `places` the ids of channels and threads.
    """
    declared = {str(option["name"]): option for option in options}
    needed = [name for name, option in declared.items() if option.get("required")]
    names = "|".join(map(re.escape, declared)) or "(?!)"
    before, *parts = re.split(rf"(?:^|\s)({names}):", text)
    if before and not _NAMED.match(before) and len(needed) == 1:
        if declared[needed[0]]["type"] == _TEXT:
            parts = [*needed, before, *parts]
            before = ""
    values = dict(zip(parts[::2], parts[1::2], strict=True))
    is_repeated = 2 * len(values) != len(parts)
    if before or is_repeated or not values.keys() >= {*needed}:
        return None
    ids = {_PERSON: people or {}, _PLACE: places or {}}
    read: dict[str, Any] = {}
    for name, value in values.items():
        read[name] = _value(value.strip(), declared[name], ids)
    return read


def _value(text: str, option: Mapping[str, Any], ids: Mapping[int, Mapping[str, str]]) -> Any:
    """Return an option's value as the page sends it: a choice's value, an id, a boolean.

    `ids` are ids by names in small letters, for each type of option that takes an id.
    """
    for choice in option.get("choices") or ():
        if choice["name"].casefold() == text.casefold():
            return choice["value"]
    if option["type"] in ids:
        name = text.strip("<@!#>").casefold()
        return ids[option["type"]].get(name, name)
    if option["type"] == _YES_OR_NO:
        return text.casefold() in ("true", "yes")
    return text


def command_usage(path: str, options: Iterable[Mapping[str, Any]]) -> str:
    """Return how to type a command: `/initiative add name: … count: …`."""
    return " ".join([f"/{path}", *(f"{option['name']}: …" for option in options)])


class PastedCommand(Record):
    """A command that was typed in full."""

    #: What the page sends for it.
    body: dict[str, Any]
    #: What each of its options takes, by the option's name.
    hints: dict[str, str]


def option_hint(option: Mapping[str, Any]) -> str:
    """Return what an option takes, as an instruction: `Choose here, thread or post`."""
    kind = option["type"]
    if choices := [str(choice["name"]) for choice in option.get("choices") or ()]:
        *others, last = choices
        return f"Choose {', '.join(others)} or {last}" if others else f"Choose {last}"
    if kind == _PERSON:
        return "Write a name from “Viewing as”"
    if kind == _PLACE:
        return "Write the name of a place of this server that you can read"
    if kind == _TEXT:
        return f"Write 1 to {option.get('max_length', _LONGEST_TEXT):,} characters"
    number = "a whole number" if kind == _WHOLE_NUMBER else "a number"
    least, most = option.get("min_value"), option.get("max_value")
    if least is None:
        return f"Write {number}"
    if most is None:
        return f"Write {number}, {least} or more"
    return f"Write {number} from {least} to {most}"


def _run_command_body(
    line: str,
    visible: Iterable[dict[str, Any]],
    people: Mapping[str, str],
    places: Mapping[str, str],
) -> PastedCommand | str | None:
    """Return what the page sends for a filled-in command.

    Return how to type it if its options are wrong or its group has no such command, and None if the
    line isn't a command.
    """
    # No part of a server's installation.
    from simcord.interactions import command_leaves
    from simcord.preview._commands import entry_for_leaf

    leaves: dict[str, tuple[Any, Any, Any]] = {}
    for root in visible:
        for path, leaf in command_leaves(root):
            leaves[" ".join(path)] = (root, path, leaf)
    split = read_line(line, leaves)
    if split is None:
        group = line.strip().removeprefix("/").partition(" ")[0]
        is_known = any(name.startswith(f"{group} ") for name in leaves)
        return f"/{group}, and choose a command from the list" if is_known else None
    name, rest = split
    root, path, leaf = leaves[name]
    options = read_options(rest, leaf.get("options") or (), people, places)
    if options is None:
        return command_usage(name, leaf.get("options") or ())
    body = {
        "kind": "run_command",
        "command_id": root["id"],
        "path": path,
        "options": options,
        "schema_fingerprint": entry_for_leaf(root, path, leaf)["schemaFingerprint"],
    }
    hints = {option["name"]: option_hint(option) for option in leaf.get("options") or ()}
    return PastedCommand(body, hints)


def user_ids_by_name(viewers: Iterable[Any]) -> dict[str, str]:
    """Return the ids of the page's users by names in small letters: `tilda`, `gina (gm)`."""
    ids: dict[str, str] = {}
    for viewer in viewers:
        user = getattr(viewer, "user", viewer)
        for name in (user.name, user.global_name):
            if name:
                ids[str(name).casefold()] = str(user.id)
    return ids


def place_ids_by_name(env: simcord.Env, viewer: simcord.MemberActor) -> dict[str, str]:
    """Return the ids of the places that *viewer* may read, by names in small letters.

    A channel or forum comes before a thread of the same name.
    """
    # No part of a server's installation.
    from simcord.backend.access import can_access_channel

    ids: dict[str, str] = {}
    for channel in sorted(env.backend.channels.values(), key=lambda channel: channel.is_thread):
        if channel.name and can_access_channel(env, channel.id, viewer, history=True):
            ids.setdefault(channel.name.casefold(), str(channel.id))
    return ids


def accept_pasted_commands(preview: simcord.Preview) -> None:
    """Have the page run a command that is sent as a message; any other message stays one."""
    act = preview._action

    async def action(context_id: str | None, body: Mapping[str, Any]) -> dict[str, Any]:
        line = body.get("content") if isinstance(body, Mapping) else None
        if isinstance(line, str) and line.startswith("/") and body.get("kind") == "send_message":
            page = preview._get_page(context_id)
            visible = preview.env.backend.visible_commands(
                user_id=page.viewer.id, channel_id=page.channel_id
            )
            command = _run_command_body(
                line,
                visible,
                user_ids_by_name(preview.viewers),
                place_ids_by_name(preview.env, page.viewer),
            )
            if isinstance(command, str):
                # Sent as a message, all players would read it. The page takes no answer that
                # doesn't name its request.
                rejection = preview._reject(
                    page,
                    "command-option-invalid",
                    request_id=body.get("request_id"),
                    sequence=body.get("sequence"),
                )
                _explain(
                    rejection, "a part of the command is missing or unknown", f"Type {command}"
                )
                return rejection
            if command is not None:
                answer = await act(context_id, {**body, **command.body})
                _explain_option(answer, command)
                return answer
        return await act(context_id, body)

    preview._action = action


def _explain_option(answer: Mapping[str, Any], command: PastedCommand) -> None:
    """Say in the page's answer what an option takes, if the page has refused its value."""
    for diagnostic in answer["diagnostics"] if answer["rejected"] else ():
        name = str((diagnostic.get("subject") or {}).get("commandOption"))
        if name in command.hints:
            value = str(command.body["options"].get(name, ""))
            shown = value if len(value) <= _SHOWN else f"{value[:_SHOWN]}…"
            _explain(answer, f"{name} can't be “{shown}”", f"{command.hints[name]}.")


def _explain(answer: Mapping[str, Any], what: str, remedy: str) -> None:
    """Put the words of this page into an answer of the page that refuses a command."""
    for diagnostic in answer["diagnostics"]:
        diagnostic |= {"message": f"Nothing was sent: {what}.", "remediation": remedy}
