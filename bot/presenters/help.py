"""The help, by topic: about the reader's game first, then about every table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from bot.presenters.control_limits import menu
from bot.presenters.controls import Rows, page_turns
from bot.presenters.language.limits import utf16_length
from bot.presenters.language.text import with_capital
from bot.presenters.language.words import COMMANDS, PAGES, command_path, label_text, say
from bot.presenters.layout import Gap, Heading, Layout, Piece, build_layout
from bot.samples import Sample, load_sample, sample_keys
from rules.core.record import Record, field
from rules.registry import PLAYABLE
from rules.table.blocks import Text
from rules.table.checks.procedure import Role, kind_with_role
from rules.table.resources import award_options
from rules.table.system import System

_PAGES: Final = PAGES["help"]
#: First topic of the help at a table, and without a table.
_FIRST_OF_GAME: Final = "play"
_START: Final = "start"
#: Topics of a game that are put together from its commands and its sample table.
_OWN: Final = "own"
_TRY: Final = "try"
#: Beginning of the description of a command for GMs alone.
_GMS: Final = "GMs: "
#: Most letters of a page, a screen and a half on a phone, and letters for the end of each line.
_PAGE_LENGTH: Final = 1300
_LINE_END: Final = 20
#: Topics of `help.toml` for GMs alone.
GM_TOPICS: Final = ("gms", "running", "gm-commands")
#: A command that the help names.
_COMMAND: Final = re.compile(r"`/([a-z-]+)((?: [a-z-]+){0,2})`")
#: Titles of the topics of every game, for a reader who has not chosen a game.
_GAME_TOPICS: Final = {
    "play": Text("help-topic-play"),
    "fights": Text("help-topic-fights"),
    "words": Text("help-topic-words"),
    "with": Text("help-topic-with"),
    "effects": Text("help-topic-effects"),
    _OWN: Text("help-topic-own"),
    _TRY: Text("help-topic-try"),
}

#: Title of each topic that a reader can ask for, by key.
TOPICS: Final[dict[str, str]] = {key: say(title) for key, title in _GAME_TOPICS.items()} | {
    key: page.title for key, page in _PAGES.items()
}


class HelpReader(Record):
    """The reader of the help."""

    #: Whether the reader is a GM, or without a table.
    gm: bool = True
    #: Ids of commands by name, which make commands clickable.
    ids: Mapping[str, int] = field(default_factory=dict[str, int])


_ANYBODY: Final = HelpReader()


# --- the topics -----------------------------------------------------------------------------------


@cache
def _sample(system_key: str) -> Sample | None:
    """Return the sample table of a game."""
    return load_sample(system_key) if system_key in sample_keys() else None


def topics_of_game(system_key: str | None) -> dict[str, str]:
    """Return the topics of a game, key -> title; none for a game without help."""
    if system_key not in PLAYABLE or system_key not in PAGES:
        return {}
    titles = {key: page.title for key, page in PAGES[system_key].items()}
    if PLAYABLE[system_key].commands:
        titles[_OWN] = say(Text("help-own"))
    if _sample(system_key) is not None:
        titles[_TRY] = say(Text("help-try"))
    return titles


def _title(topic: str, system_key: str | None) -> str:
    of_game = topics_of_game(system_key)
    if topic not in of_game:
        return _PAGES[topic].title
    game = PLAYABLE[system_key or ""].name
    return say(Text("help-heading", {"game": game, "page": of_game[topic]}))


def _known_topic(topic: str, system_key: str | None, reader: HelpReader) -> str:
    """Return the topic to show; without one, or for one that this reader can't read, the first."""
    of_game = topics_of_game(system_key)
    if topic in of_game or (topic in _PAGES and (reader.gm or topic not in GM_TOPICS)):
        return topic
    return _FIRST_OF_GAME if of_game else _START


# --- the text of a topic --------------------------------------------------------------------------


def _own_command_parts(system: System, *, gm: bool) -> list[str | Piece]:
    """Return the commands that only this game has, by group; for GMs their own ones, too."""
    words = COMMANDS[system.key]
    groups: dict[str, list[str]] = {}
    for_gms: list[str] = []
    for command in system.commands:
        description = words[command.name]
        path = command_path(system.key, command.name, system.command_groups)
        what = with_capital(description.removeprefix(_GMS))
        line = say(Text("help-own-command", {"command": path, "what": what}))
        if description.startswith(_GMS):
            for_gms.append(line)
            continue
        group = command.name.rpartition(" ")[0]
        groups.setdefault(group, []).append(line)
    parts: list[str | Piece] = []
    for group in sorted(groups, key=bool):
        heading = [f"**{words[group]}**"] if group else []
        parts += [Gap(), "\n".join([*heading, *groups[group]])]
    if gm and for_gms:
        parts += [Gap(), "\n".join([say(Text("help-own-for-gms")), *for_gms])]
    return parts[1:] or [say(Text("help-own-none"))]


def _things_to_try(system_key: str, *, gm: bool) -> list[str | Piece]:
    """Return the lines to try at the sample table; for players those that players type."""
    sample = _sample(system_key)
    assert sample is not None
    lines: list[str] = []
    for hint in sample.hints:
        if hint.who == sample.gm and not gm:
            continue
        line = say(Text("help-try-line", {"what": hint.what, "who": hint.who}))
        line = f"- {line} `{hint.paste}`"
        if hint.then:
            line += f" {say(Text('help-try-then', {'then': hint.then}))}"
        lines.append(line)
    intro = say(Text("help-try-intro", {"scene": sample.name}))
    return [intro, Gap(), "\n".join(lines)]


def _without_unused_commands(text: str, system: System) -> str:
    """Return a text without the lines that name only commands which this game doesn't have."""
    roles: tuple[Role, ...] = ("attack", "contest", "heal")
    unused: set[str] = {role for role in roles if not kind_with_role(system, role)}
    if not system.growth:
        unused |= {"character learn", "character advance", "character improve"}
    if not award_options(system.resources):
        unused.add("gm award")
    lines: list[str] = []
    for line in text.split("\n"):
        commands = {"".join(names) for names in _COMMAND.findall(line)}
        if not commands or commands - unused:
            lines.append(line)
    return "\n".join(lines)


def _paragraphs(text: str) -> list[str | Piece]:
    """Return the paragraphs of a text with gaps between them."""
    first, *others = text.split("\n\n")
    parts: list[str | Piece] = [first]
    for paragraph in others:
        parts += [Gap(), paragraph]
    return parts


def _parts(topic: str, system_key: str | None, reader: HelpReader) -> list[str | Piece]:
    system = PLAYABLE.get(system_key or "")
    if system is None or topic not in topics_of_game(system_key):
        text = _PAGES[topic].text
        return _paragraphs(text if system is None else _without_unused_commands(text, system))
    if topic == _OWN:
        return _own_command_parts(system, gm=reader.gm)
    if topic == _TRY:
        return _things_to_try(system.key, gm=reader.gm)
    return _paragraphs(PAGES[system.key][topic].text)


def _pages(parts: Sequence[str | Piece]) -> list[list[str | Piece]]:
    """Return the parts, cut between lines into pages; no page ends with a heading."""
    pages: list[list[str | Piece]] = [[]]
    used = 0
    for part in parts:
        for at, line in enumerate(part.split("\n") if isinstance(part, str) else [part]):
            if used + _needed_room(line) > _PAGE_LENGTH:
                pages.append([])
                used = 0
            page = pages[-1]
            last = page[-1] if page else None
            if at and isinstance(last, str):
                page[-1] = f"{last}\n{line}"
            elif page or not isinstance(line, Gap):
                page.append(line)
            used += _needed_room(line) if isinstance(line, str) else _LINE_END
    return pages


def _needed_room(line: str | Piece) -> int:
    """Return the letters that must be left on a page for a line; a heading needs lines below."""
    if isinstance(line, str):
        return utf16_length(line) + _LINE_END
    return _PAGE_LENGTH // 4 if isinstance(line, Heading) else 0


def help_card(
    topic: str = "", system_key: str | None = None, reader: HelpReader = _ANYBODY, at: int = 0
) -> Layout:
    """Return a page of a topic.

    Without a topic, or for one that this reader can't read, it is the first: how to play
    `system_key`, the game of the table or the one that was asked for; without a game the start.
    """
    system_key = system_key if system_key in PLAYABLE else None
    topic = _known_topic(topic, system_key, reader)
    pages = _pages(_parts(topic, system_key, reader))
    at = min(at, len(pages) - 1)
    shown = [_with_command_links(part, reader.ids) for part in pages[at]]
    game = system_key or "-"
    turns = page_turns(at, len(pages), lambda to: f"sg:help:page:{topic}:{game}:{to}")
    rows = (*turns, *_menus(topic, system_key, reader))
    return build_layout("own", _title(topic, system_key), *shown, rows=rows)


def _with_command_links(part: str | Piece, ids: Mapping[str, int]) -> str | Piece:
    """Return a text with clickable commands; a command without a known id stays as it is."""

    def mention(match: re.Match[str]) -> str:
        id = ids.get(match[1])
        return match[0] if id is None else f"</{match[1]}{match[2]}:{id}>"

    return _COMMAND.sub(mention, part) if isinstance(part, str) else part


def _menus(topic: str, system_key: str | None, reader: HelpReader) -> Rows:
    """Return the menu of topics and, on the first page of each game and at the start, of games."""
    of_game = topics_of_game(system_key)
    topics = [(key, with_capital(title)) for key, title in of_game.items()]
    for key, page in _PAGES.items():
        if (reader.gm or key not in GM_TOPICS) and not (of_game and key == _START != topic):
            topics.append((key, page.title))
    id = f"sg:help:topic:{system_key or '-'}"
    label, what = label_text("help-topic-menu"), label_text("help-topic")
    rows: Rows = ((menu(id, label, topics, topic, what),),)
    if topic in (_START, _FIRST_OF_GAME):
        games = [(key, PLAYABLE[key].name) for key in PLAYABLE if key in PAGES]
        label, what = label_text("help-game-menu"), label_text("help-game")
        rows = (*rows, (menu("sg:help:game", label, games, system_key, what),))
    return rows
