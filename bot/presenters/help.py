"""The help, by topic."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from bot.presenters.control_limits import menu
from bot.presenters.controls import Rows, page_turns
from bot.presenters.language.limits import utf16_length
from bot.presenters.language.text import listing, with_capital
from bot.presenters.language.words import COMMANDS, PAGES, command_prefix
from bot.presenters.layout import Gap, Heading, Layout, Piece, build_layout
from rules.core.record import Record, field
from rules.registry import PLAYABLE
from rules.table.lookup import HEALING_KINDS
from rules.table.resources import award_options
from rules.table.system import System

_PAGES: Final = PAGES["help"]
#: The topic that depends on the game, and those for GMs alone.
_RULES: Final = "rules"
_ALL: Final = "commands"
_ALL_OF_GMS: Final = "gm-commands"
#: What the description of a command for GMs alone begins with.
_GMS: Final = "GMs: "
#: So much stands on a page, in characters, and so much a line begun takes.
_A_PAGE: Final = 1200
_A_LINE: Final = 20
_FOR_GMS: Final = ("gms", _ALL_OF_GMS)
#: A command, where the help names it.
_COMMAND: Final = re.compile(r"`/([a-z-]+)((?: [a-z-]+){0,2})`")

#: Key -> title of each topic.
TOPICS: Final[dict[str, str]] = {key: page.title for key, page in _PAGES.items()}


class HelpReader(Record):
    """Who reads the help: whether they lead the table (or there is none), and the ids that make
    commands clickable.
    """

    gm: bool = True
    ids: Mapping[str, int] = field(default_factory=dict[str, int])


_ANYBODY: Final = HelpReader()


def _rules(system_key: str | None) -> list[str | Piece]:
    """How a game is played; where none is named, and no table tells, which games there are."""
    if system_key not in PLAYABLE or system_key not in PAGES:
        return [_PAGES[_RULES].text]
    return [
        part
        for page in PAGES[system_key].values()
        for part in (Heading(page.title), *_paragraphs(page.text))
    ]


def _system_command_parts(system: System | None, *, gms: bool) -> list[str | Piece]:
    """The commands that only this game has, by their groups: those for everybody, or for `gms`
    alone.
    """
    if system is None or not system.commands:
        return []
    words = COMMANDS[system.key]
    groups: dict[str, list[str]] = {}
    for command in system.commands:
        group = command.name.partition(" ")[0]
        if words[command.name].startswith(_GMS) == gms:
            groups.setdefault(group, []).append(f"`/{command_prefix(system.key)} {command.name}`")
    told = {group: with_capital(words[group].removeprefix(_GMS)) for group in groups}
    lines = [f"- {listing(names)}: {told[group]}." for group, names in groups.items()]
    return [Gap(), "\n".join(lines)] if lines else []


def _without_unused_commands(text: str, system: System) -> str:
    """The text without the lines about nothing but commands for what these rules have not."""
    kinds = {"attack": {"attack"}, "contest": {"contest"}, "heal": {*HEALING_KINDS}}
    unused = {name for name, meant in kinds.items() if not system.procedures.keys() & meant}
    unused |= (
        set() if system.growth else {"character learn", "character advance", "character improve"}
    )
    unused |= set() if award_options(system.resources) else {"gm award"}
    lines = [
        (line, {"".join(each) for each in _COMMAND.findall(line)}) for line in text.split("\n")
    ]
    return "\n".join([line for line, named in lines if not named or named - unused])


def _paragraphs(text: str) -> list[str | Piece]:
    """What stands between empty lines, a little apart."""
    first, *others = text.split("\n\n")
    return [first, *(part for other in others for part in (Gap(), other))]


def _pages(parts: Sequence[str | Piece]) -> list[list[str | Piece]]:
    """The parts, cut between lines into pages of a screen and a half on a phone; none ends with a
    heading.
    """
    found, used = [list[str | Piece]()], 0
    for part in parts:
        for at, line in enumerate(part.split("\n") if isinstance(part, str) else [part]):
            length = (
                utf16_length(line) + _A_LINE
                if isinstance(line, str)
                else _A_PAGE // 4 * isinstance(line, Heading)
            )
            if used + length > _A_PAGE:
                found.append([])
                used = 0
            last = found[-1][-1] if found[-1] else None
            if at and isinstance(last, str):
                found[-1][-1] = f"{last}\n{line}"
            elif found[-1] or not isinstance(line, Gap):
                found[-1].append(line)
            used += length if isinstance(line, str) else _A_LINE
    return found


def help_card(
    topic: str, system_key: str | None = None, reader: HelpReader = _ANYBODY, at: int = 0
) -> Layout:
    """A page of one topic; the first for one that there is not. `system_key` is the system of the
    table asked at.
    """
    if topic not in _PAGES or (topic in _FOR_GMS and not reader.gm):
        topic = "start"
    page = _PAGES[topic]
    system = PLAYABLE.get(system_key or "")
    text = page.text if system is None else _without_unused_commands(page.text, system)
    parts = _rules(system_key) if topic == _RULES else _paragraphs(text)
    if topic in (_ALL, _ALL_OF_GMS):
        parts += _system_command_parts(system, gms=topic == _ALL_OF_GMS)
    pages = _pages(parts)
    at = min(at, len(pages) - 1)
    shown = [_with_command_links(part, reader.ids) for part in pages[at]]
    turns = page_turns(at, len(pages), lambda to: f"sg:help:page:{topic}:{system_key or '-'}:{to}")
    return build_layout(
        "own", page.title, *shown, rows=(*turns, *_menus(topic, system_key, reader))
    )


def _with_command_links(part: str | Piece, ids: Mapping[str, int]) -> str | Piece:
    """A text in which commands can be pressed; those whose ids are not known stay as they are
    typed.
    """

    def mention(found: re.Match[str]) -> str:
        id = ids.get(found[1])
        return found[0] if id is None else f"</{found[1]}{found[2]}:{id}>"

    return _COMMAND.sub(mention, part) if isinstance(part, str) else part


def _menus(topic: str, system_key: str | None, reader: HelpReader) -> Rows:
    """The topics, and about the rules the games."""
    topics = [(key, title) for key, title in TOPICS.items() if reader.gm or key not in _FOR_GMS]
    found = [menu("sg:help:topic", "Choose: topic", topics, topic, "Topic")]
    if topic == _RULES:
        games = [(key, PLAYABLE[key].name) for key in PLAYABLE if key in PAGES]
        found.append(menu("sg:help:game", "Choose: game", games, system_key, "Game"))
    return tuple((each,) for each in found)
