"""The help, by topic."""

from __future__ import annotations

from typing import Final

from bot.presenters.card import Card
from bot.presenters.systems import SYSTEM_WORDS
from rules.registry import PLAYABLE

_START: Final = (
    "Storyguide plays tabletop role-playing games by the book, in the channels of this server.",
    "It rolls, counts and remembers; what happens in the story stays with you and your GM.",
    "It is made for play by post: a check may take days, and nothing is lost in between.",
    "",
    "**The first five minutes**",
    "1. Somebody who may manage channels opens a table in a channel with `/setup` and is its GM.",
    "2. Players make their characters with `/character create`, or bring them in with `/character import`.",
    "3. A player proposes something with `/check`: who tries what, and how.",
    "4. The GM presses Answer, then the player presses Roll.",
    "5. React shows what can still be done. `/moves` lists everything that waits for you.",
)
_PLAYERS: Final = (
    "- `/check` proposes a check. Say how you do it: the GM answers the idea, not only the skill. "
    "Without options it opens a panel with the odds.",
    "- `/odds` tells your chances before the roll, also with what you could spend; `/spend` spends it.",
    "- `/moves` lists what you can do now, with a button for each.",
    "- `/character show` shows the sheet. With several characters, `/character use` chooses whom "
    "you act as, and "
    "the option `as` makes an exception.",
    "- In a fight the board tells whose turn it is: press Join, then Next when you have acted. Whoever's turn "
    "it is acts when you do not say who.",
    "- `/attack` goes to the GM like a check. Against another player's character both of you choose in "
    "secret and the dice are thrown together; whoever is attacked presses Defend.",
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
    "- `/initiative start` keeps the order of action of a channel on one pinned board; `/initiative add` brings in "
    "your NPCs and anything else, and players see no name that they do not know.",
    "- `/gm members` adds and removes GMs and GM roles. `/gm takeover` is for tables whose GMs have left.",
    "- `/gm undo` takes any entry back by its number, the one in the last line of a card, and if need be "
    "everything that builds on it.",
    "- `/gm npc add` brings in your NPCs, alone or as a group; players know nothing of them until "
    "`/gm npc reveal`, or only an alias. `/check` with `as` acts for them.",
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
    "- `/attack` proposes an attack on somebody.",
    "- `/heal` rests, or treats an injury.",
    "- `/odds` tells the exact chances before a roll; with `dice` those of any dice, also without a table.",
    "- `/roll` rolls any dice; `/roll-save` keeps a roll under a name. Both work without a table as well.",
    "- `/draw-card` draws cards into your hidden hand, also without a table.",
    "- `/card hand` shows you your hand; `/card show`, `/card play`, `/card give` and `/card discard` use a card.",
    "- `/deck info` tells how many cards lie where; `/deck shuffle` and `/deck reshuffle` shuffle. "
    "GMs bring decks of their own with `/deck import`, and take them away with `/deck remove`.",
    "- `/spend` spends what you have on a check.",
    "- `/moves` lists what you can do now.",
    "- `/character create` makes a character: a ready one, or step by step.",
    "- `/character import` brings a character in from a file, `/character export` writes one.",
    "- `/character show` shows a sheet, `/character list` who is at the table.",
    "- `/character use` chooses which of your characters acts.",
    "- `/character edit` changes the texts of a sheet.",
    "- `/character learn` and `/character advance` let a character grow, at a price.",
    "- `/character give` hands a character over, `/character retire` takes it out of play.",
    "- `/initiative start` and `/initiative end`: the order of action in a channel; `/initiative show` shows it.",
    "- `/initiative join`, `/initiative add` and `/initiative remove`: who is in it; `/initiative order` sets it.",
    "- `/initiative next` passes the turn on, `/initiative delay` waits for a better moment.",
    "- `/table show` shows the settings, the people and the open checks.",
    "- `/table last` shows the last results, and what you have missed.",
    "- `/table undo` takes your own last action back.",
    "- `/table plain` turns plain text on or off for you.",
    "- `/table fair show` tells what rolls are drawn from; `/table fair rotate` reveals a seed.",
    "- `/table doctor` tells which rights the bot lacks where, and what could not be delivered.",
    "- `/gm members` shows and changes who leads the table.",
    "- `/gm settings` shows and changes what the table agreed on.",
    "- `/gm campaign` shows what the table agreed on in its rules' own terms, and changes it by a file.",
    "- `/gm channel` says where secrets go.",
    "- `/gm npc add`, `/gm npc edit` and `/gm npc remove`: NPCs; `/gm npc list` shows them.",
    "- `/gm npc reveal` and `/gm npc alias` say what players know of them.",
    "- `/gm undo` takes something back; `/gm log` shows all that was done.",
    "- `/gm award` rewards an achievement; `/gm adjust` sets a value by hand.",
    "- `/gm time` lets time pass in the story.",
    "- `/gm bind` and `/gm unbind` say where else the table is played.",
    "- `/gm roll` rolls for anybody, and only GMs hear of it.",
    "- `/session start`, `/session end` and `/session show`: sessions, and what their end restores.",
    "- `/gm export` gives you the table as a file, `/gm import` fills an empty table from one.",
    "- `/privacy export` gives you what is kept about you, `/privacy delete` has it deleted.",
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
    """How a game is played; where none is named, and no table tells, which games there are."""
    words = SYSTEM_WORDS.get(system_key or "")
    if words is None:
        games = [
            f"- {PLAYABLE[key].name}: `/help topic:{_PAGES['rules'][0]} game:{key}`" for key in SYSTEM_WORDS
        ]
        return (
            "Each game has its own rules. At a table you read those it plays; elsewhere name one:",
            *games,
        )
    lines: list[str] = []
    for title, paragraphs in words.help:
        lines += ["", f"**{title}**", *paragraphs]
    return tuple(lines[1:])


def help_card(topic: str, system_key: str | None = None) -> Card:
    """One topic; the first for one that there is not. `system_key` is the system of the table asked at."""
    if topic not in _PAGES:
        topic = "start"
    title, lines = _PAGES[topic]
    body = "\n".join(lines or _rules(system_key))
    others = " · ".join(name for key, name in TOPICS.items() if key != topic)
    return Card(title, body, footer=f"More with /help: {others}")
