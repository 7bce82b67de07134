"""Commands that are sent to the page of the local table as one line, the way they are written in a
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import simcord

#: The types of options: written, ticked, picked.
_TEXT = 3
_YES_OR_NO = 5
_PERSON = 6
#: What looks like an option, even if the command has none of that name.
_NAMED = re.compile(r"[\w-]+:")


def read_line(line: str, paths: Iterable[str]) -> tuple[str, str] | None:
    """`/gm undo entry: 3` -> ("gm undo", "entry: 3"), by the longest of the commands; None when it
    is none of them.
    """
    line = f"{line.strip().removeprefix('/')} "
    named = max((path for path in paths if line.startswith(f"{path} ")), key=len, default=None)
    return None if named is None else (named, line[len(named) :].strip())


def read_options(
    text: str, options: Iterable[Mapping[str, Any]], people: Mapping[str, str] | None = None
) -> dict[str, Any] | None:
    """`skill: Climbing approach: up the wall` by the command's own options; None for anything else,
    or where one is missing that it needs.

    A name that the command has not belongs to the value before it: `with: die: d6+1`. What stands
    before all names is the one thing the command can't do without, if that is a text: `/roll 4d6`.
    `people` are ids by small names.
    """
    declared = {str(option["name"]): option for option in options}
    needed = [name for name, option in declared.items() if option.get("required")]
    names = "|".join(map(re.escape, declared)) or "(?!)"
    before, *found = re.split(rf"(?:^|\s)({names}):", text)
    given = dict(zip(found[::2], found[1::2], strict=True))
    if (
        before
        and not _NAMED.match(before)
        and len(needed) == 1
        and declared[needed[0]]["type"] == _TEXT
    ):
        given[needed[0]] = before
        found = [*needed, before, *found]
        before = ""
    if before or 2 * len(given) != len(found) or not given.keys() >= {*needed}:
        return None
    return {
        name: _value(value.strip(), declared[name], people or {}) for name, value in given.items()
    }


def _value(text: str, option: Mapping[str, Any], people: Mapping[str, str]) -> Any:
    """What the page would send: of a choice its value, of a person the id, of what is on or off
    whether it is on.
    """
    for choice in option.get("choices") or ():
        if choice["name"].casefold() == text.casefold():
            return choice["value"]
    if option["type"] == _PERSON:
        name = text.strip("<@!>").casefold()
        return people.get(name, name)
    return text.casefold() in ("true", "yes") if option["type"] == _YES_OR_NO else text


def command_usage(path: str, options: Iterable[Mapping[str, Any]]) -> str:
    """What to type for a command: `/initiative add name: … count: …`."""
    return " ".join([f"/{path}", *(f"{option['name']}: …" for option in options)])


def _run_command_body(
    line: str, visible: Iterable[dict[str, Any]], people: Mapping[str, str]
) -> dict[str, Any] | str | None:
    """What the page sends for a command that was filled in; what to type instead where its options
    are wrong; None for a line that is none of those.
    """
    # No part of a server's installation.
    from simcord.interactions import command_leaves
    from simcord.preview._commands import entry_for_leaf

    leaves = {
        " ".join(path): (root, path, leaf)
        for root in visible
        for path, leaf in command_leaves(root)
    }
    named = read_line(line, leaves)
    if named is None:
        return None
    root, path, leaf = leaves[named[0]]
    options = read_options(named[1], leaf.get("options") or (), people)
    if options is None:
        return command_usage(named[0], leaf.get("options") or ())
    mark = entry_for_leaf(root, path, leaf)["schemaFingerprint"]
    told = {"command_id": root["id"], "path": path, "options": options, "schema_fingerprint": mark}
    return {"kind": "run_command", **told}


def user_ids_by_name(viewers: Iterable[Any]) -> dict[str, str]:
    """The ids of those at the page by their names in small letters: `tilda`, `gina (gm)`."""
    users = [getattr(each, "user", each) for each in viewers]
    return {
        str(name).casefold(): str(user.id)
        for user in users
        for name in (user.name, user.global_name)
        if name
    }


def accept_pasted_commands(preview: simcord.Preview) -> None:
    """Have the page run a command that is sent as a message; what is none stays one."""
    act = preview._action

    async def action(context_id: str | None, body: Mapping[str, Any]) -> dict[str, Any]:
        line = body.get("content") if isinstance(body, Mapping) else None
        if isinstance(line, str) and line.startswith("/") and body.get("kind") == "send_message":
            page = preview._get_page(context_id)
            visible = preview.env.backend.visible_commands(
                user_id=page.viewer.id, channel_id=page.channel_id
            )
            meant = _run_command_body(line, visible, user_ids_by_name(preview.viewers))
            if isinstance(meant, str):
                # Everybody would read it as chat. The page takes no answer that doesn't name what
                # it asked.
                told = preview._reject(
                    page,
                    "command-option-invalid",
                    request_id=body.get("request_id"),
                    sequence=body.get("sequence"),
                )
                for each in told["diagnostics"]:
                    each |= {
                        "message": "Nothing was sent: an option is missing or unknown.",
                        "remediation": f"Type {meant}",
                    }
                return told
            body = {**body, **(meant or {})}
        return await act(context_id, body)

    preview._action = action
