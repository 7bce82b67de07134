"""The help, by topic."""

from __future__ import annotations

from typing import Final

from bot.presenters.card import Card
from bot.presenters.systems import SYSTEM_WORDS

_START: Final = (
    "Storyguide plays tabletop role-playing games by the book, in the channels of this server.",
    "It rolls, counts and remembers; what happens in the story stays with you and your GM.",
    "It is made for play by post: a check may take days, and nothing is lost in between.",
    "",
    "**The first five minutes**",
    "1. Somebody who may manage channels opens a table in a channel with `/setup` and is its GM.",
    "2. Players bring their characters in with `/character import`.",
    "3. A player proposes something with `/check`: who tries what, and how.",
    "4. The GM presses Answer, then the player presses Roll.",
    "5. React shows what can still be done. `/moves` lists everything that waits for you.",
)
_PLAYERS: Final = (
    "- `/check` proposes a check. Say how you do it: the GM answers the idea, not only the skill. "
    "Without options it opens a panel with the odds.",
    "- `/moves` lists what you can do now, with a button for each.",
    "- `/character show` shows the sheet. With several characters, `/character use` chooses whom "
    "you act as, and "
    "the option `as` makes an exception.",
    "- A check can be private (only you and the GM see it) or blind (only the GM sees the result).",
    "- `/table undo` takes your own last action back, as long as it rolled and revealed nothing.",
    "- `/table plain` gives you your own answers as plain text, for example for a screen reader.",
)
_GMS: Final = (
    "- Press Answer under a proposal: it succeeds, it cannot work, or a roll, open or hidden. "
    "The answer can be changed until the dice are rolled. To know more first, ask back.",
    "- `/gm settings` decides between live play and play by post, what players see of hidden difficulties, "
    "reminders, and how long results stay open.",
    "- `/gm channel` names the channel that only the GMs can read; secrets are posted there.",
    "- `/gm members` adds and removes GMs and GM roles. `/gm takeover` is for tables whose GMs have left.",
    "- `/gm undo` takes any entry back by its number, the one in the last line of a card, and if need be "
    "everything that builds on it.",
    "- `/character import` with `npc` brings in the GMs' own people; players do not see them in lists.",
)
_POST: Final = (
    "- Nothing has to be done at once. Whoever is waited for is mentioned once, and reminded later.",
    "- A result stays open for reactions for a while and then stands by itself. Whoever is done "
    "sooner presses "
    "React and lets it stand.",
    "- The buttons of a check work for as long as it is open, also after a restart. When it has moved on, "
    "use those of its latest message.",
    "- If an answer did not reach you, repeat the command: you get the result you had, not a new roll.",
    "- `/table last` shows the last results again, and what could not be shown to you.",
)
_COMMANDS: Final = (
    "- `/setup` opens a table in this channel.",
    "- `/check` proposes what a character tries.",
    "- `/moves` lists what you can do now.",
    "- `/character import` brings a character in from a file.",
    "- `/character show` shows a sheet, `/character list` who is at the table.",
    "- `/character use` chooses which of your characters acts.",
    "- `/table show` shows the settings, the people and the open checks.",
    "- `/table last` shows the last results, and what you have missed.",
    "- `/table undo` takes your own last action back.",
    "- `/table plain` turns plain text on or off for you.",
    "- `/gm members` shows and changes who leads the table.",
    "- `/gm settings` shows and changes what the table agreed on.",
    "- `/gm channel` says where secrets go.",
    "- `/gm undo` takes something back.",
    "- `/gm takeover` gives a table without GMs to a manager of the server.",
    "- `/help` is this.",
)
_PAGES: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "start": ("Start here", _START),
    "players": ("For players", _PLAYERS),
    "gms": ("For GMs", _GMS),
    "post": ("Playing by post", _POST),
    "rules": ("A check, step by step", ()),
    "commands": ("Every command", _COMMANDS),
}

#: Key -> title of each topic.
TOPICS: Final[dict[str, str]] = {key: title for key, (title, _) in _PAGES.items()}


def _rules(system_key: str | None) -> tuple[str, ...]:
    """The round of a check in the table's system; in all of them where there is no table."""
    keys = [system_key] if system_key in SYSTEM_WORDS else list(SYSTEM_WORDS)
    lines: list[str] = []
    for key in keys:
        for title, paragraphs in SYSTEM_WORDS[str(key)].help:
            lines += [
                "",
                f"**{title}**" if len(keys) == 1 else f"**{str(key).upper()}: {title}**",
                *paragraphs,
            ]
    return tuple(lines[1:])


def help_card(topic: str, system_key: str | None = None) -> Card:
    """One topic; the first for one that there is not. `system_key` is the system of the table asked at."""
    if topic not in _PAGES:
        topic = "start"
    title, lines = _PAGES[topic]
    body = "\n".join(lines or _rules(system_key))
    others = " · ".join(name for key, name in TOPICS.items() if key != topic)
    return Card(title, body, footer=f"More with /help: {others}")


def help_pages(system_key: str | None = None) -> tuple[Card, ...]:
    """All topics, in the order in which they are best read."""
    return tuple(help_card(topic, system_key) for topic in TOPICS)
