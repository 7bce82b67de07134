"""Cards for everything about a table that is not a check: its settings and people, characters, lists."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Protocol

from bot.presenters.card import Button, Card, Select, Style
from bot.presenters.limits import BUTTON_LABEL, CHOICE_TEXT, ROW_BUTTONS, ROWS, clip
from bot.presenters.names import gm_mentions
from bot.presenters.people import Names
from bot.presenters.systems import SYSTEM_WORDS
from bot.presenters.text import Said, code_text, duration, listing, name_text, unescaped, user_text
from bot.presenters.words import say, say_bare
from rules.core.errors import Param, RulesError
from rules.registry import SYSTEMS
from rules.table.actions import Actor
from rules.table.challenges import waiting_line
from rules.table.events import (
    CharacterChosen,
    CharacterImported,
    GmsChanged,
    Line,
    PersonChanged,
    SettingsChanged,
    TableCreated,
    Undone,
)
from rules.table.moves import Move, may_see
from rules.table.state import AnyChallenge, AnyCharacter, Settings, TableState
from rules.table.system import Odds

if TYPE_CHECKING:
    from bot.presenters.scene import Scene

#: What is published of the seeds: stream ("public", "secret") -> fingerprint.
Commitments = Mapping[str, str]

_NAME = 80
_SNIPPET = 120
_STREAMS: Final[dict[str, str]] = {"public": "open rolls", "secret": "secret rolls"}


def place_text(place: str) -> str:
    """A channel or thread."""
    return f"<#{place}>" if place.isdigit() else user_text(clip(place, _NAME))


def character_text(name: str) -> str:
    """A character's name in a sentence."""
    return name_text(name)


# --- settings ---------------------------------------------------------------------------------------------

_REVEALS: Final[dict[str, str]] = {
    "verdict": "Against a hidden difficulty players see their dice and total, and whether it was a success.",
    "degree": "Against a hidden difficulty players see how well it went, but not the main die or the total.",
    "all": "A hidden difficulty is shown with the result, once the dice are rolled.",
}


def setting_meaning(field: str, value: Param) -> str:
    """What a setting with this value does."""
    seconds = value if isinstance(value, int) else 0
    if field == "name":
        return f"The table is called {name_text(str(value))}."
    if field == "live":
        if value:
            return "Live play: players may give an open difficulty themselves and roll at once."
        return "Play by post: every proposal waits for the GM's answer."
    if field == "reveal":
        return _REVEALS.get(str(value), "")
    if field == "remind_after":
        if not seconds:
            return "Nobody is reminded of what waits for them."
        return f"Whoever is waited for gets a reminder after {duration(seconds)}."
    if field == "window":
        if not seconds:
            return "A result stands at once; nothing can be spent on it afterwards."
        return f"A result stays open for reactions for {duration(seconds)}, then it stands."
    if field == "player_undo":
        if value:
            return "Players may take back their own last action, if it rolled and showed nothing."
        return "Only GMs take actions back."
    if field == "gm_place":
        if value:
            return f"What only the GMs may see is posted in {place_text(str(value))}."
        return "What only the GMs may see waits behind a button that only they can open."
    return ""


_SETTINGS: Final = ("live", "reveal", "window", "remind_after", "player_undo", "gm_place")


def _settings_lines(settings: Settings) -> list[str]:
    return [f"- {setting_meaning(field, getattr(settings, field))}" for field in _SETTINGS]


# --- events -----------------------------------------------------------------------------------------------


def _system_name(key: str) -> str:
    return SYSTEMS[key].name if key in SYSTEMS else user_text(key)


def _commitment_lines(commitments: Commitments) -> list[str]:
    if not commitments:
        return []
    return [
        "**Dice that can be checked:** every roll is drawn from a seed that was fixed beforehand. "
        "These fingerprints (SHA-256) show later that no result was changed afterwards.",
        *(
            f"- {_STREAMS.get(stream, user_text(stream))}: {code_text(value)}"
            for stream, value in commitments.items()
        ),
    ]


def created_card(event: TableCreated, names: Names, commitments: Commitments) -> Card:
    """A new table: who leads it, what to do next, and the fingerprints of its seeds."""
    lines = [
        f"{names.mention(event.gm)} leads this table. It plays {_system_name(event.system)}.",
        "**What to do next**",
        "1. Players bring their characters with `/character import`.",
        "2. The GM looks at `/gm settings` (live play or play by post, what players see of hidden "
        "difficulties) and at `/gm channel` (where secrets go).",
        "3. `/check` says what a character tries and how. `/help` explains the rest.",
    ]
    if event.gm_place is not None:
        lines.append(setting_meaning("gm_place", event.gm_place))
    lines += _commitment_lines(commitments)
    return Card(f"{name_text(event.name)} is open", "\n".join(lines), tone="good")


def gms_card(event: GmsChanged, names: Names) -> Card:
    """Who leads the table now."""
    role = f"<@&{event.subject}>" if event.subject.isdigit() else "A role"
    done = {
        "added": f"{names.mention(event.subject)} is now a GM of this table.",
        "removed": f"{names.mention(event.subject)} is no longer a GM of this table.",
        "role_added": f"Everybody with {role} is now a GM of this table.",
        "role_removed": f"{role} no longer makes anybody a GM of this table.",
        "taken_over": f"{names.mention(event.subject)} leads this table now, because its GMs have left.",
    }[event.how]
    leaders = gm_mentions(names, event.gms, event.gm_roles).text
    return Card("GMs of this table", f"{done}\nIt is led by {leaders}.")


def settings_card(event: SettingsChanged) -> Card:
    """Each changed setting and what it means."""
    lines = [f"- {setting_meaning(field, value)}" for field, value in event.changes.items()]
    title = "Setting changed" if len(lines) == 1 else "Settings changed"
    return Card(title, "\n".join(lines))


def person_card(event: PersonChanged) -> Card:
    """A participant's own preference."""
    if event.plain:
        return Card("Plain text is on", "What only you see comes as plain text from now on.")
    return Card("Plain text is off", "What only you see comes as cards again.")


def imported_card(event: CharacterImported, names: Names) -> Card:
    """A character has come to the table, or has a new sheet."""
    name = character_text(event.name)
    whose = "one of the GMs' own" if event.owner is None else f"the character of {names.mention(event.owner)}"
    if event.replaced:
        body = f"The sheet of {name} was replaced by the one imported now. {name} is {whose}."
    else:
        body = f"{name} is at this table now: {whose}."
    return Card(f"{name} · {'new sheet' if event.replaced else 'imported'}", body, tone="good")


def chosen_card(event: CharacterChosen) -> Card:
    """Whom a participant acts as."""
    name = character_text(event.name)
    return Card(f"You act as {name}", f"Commands without the option `as` are for {name} from now on.")


def undone_card(event: Undone, names: Names, gms: Collection[str] = ()) -> Card:
    """Entries of the journal were taken back."""
    numbers = listing(f"#{number}" for number in sorted(event.entries))
    who = f"{'The GM' if event.by in gms else names.mention(event.by)}"
    what = "entry" if len(event.entries) == 1 else "entries"
    return Card(
        f"Taken back: {clip(numbers, 200)}",
        f"{who} has taken back {what} {clip(numbers, 3000)}. The table is as it was before; "
        "dice that are rolled again fall anew.",
        tone="warning",
    )


# --- lists ------------------------------------------------------------------------------------------------


def _owner(character: AnyCharacter, names: Names) -> str:
    return "the GMs" if character.owner is None else names.mention(character.owner)


def _by_name(characters: Iterable[AnyCharacter]) -> list[AnyCharacter]:
    return sorted(characters, key=lambda character: character.name.casefold())


def _waiting(state: TableState, challenge: AnyChallenge, names: Names) -> str:
    line = waiting_line(state, challenge)
    character = state.characters[challenge.character]
    text = say(line) if line is not None else "is over"
    who = ""
    if line is not None and line.code == "waits-for-owner":
        who = f" ({_owner(character, names)})"
    return f"- {challenge.id} · {character_text(character.name)}: {text}{who}"


def table_cards(scene: Scene, places: Sequence[str], *, who: Actor, gm: bool) -> tuple[Card, ...]:
    """The table for /table show: what it agreed on and who leads it; then who and what is there.

    Others' private checks, and the GMs' own characters, are for GMs only.
    """
    state, names = scene.state, scene.names
    settings = state.settings
    leaders = gm_mentions(names, settings.gms, settings.gm_roles).text
    lines = [f"It plays {_system_name(settings.system)} and is led by {leaders}."]
    if places:
        lines.append(f"It is played in {listing(map(place_text, places))}.")
    lines += ["**Settings**", *_settings_lines(settings), *_commitment_lines(scene.commitments)]
    there = ["**Characters**", *_character_lines(state, names, active=None, gm=gm), "**Open checks**"]
    opened = [each for each in state.challenges.values() if each.open and may_see(state, each, who)]
    there += [_waiting(state, challenge, names) for challenge in opened] or ["- None."]
    name = name_text(settings.name)
    return Card(name, "\n".join(lines)), Card(f"{name}: who and what is there", "\n".join(there))


def settings_overview(state: TableState) -> Card:
    """What the table agreed on, with the way to change it."""
    lines = [f"- {setting_meaning('name', state.settings.name)}", *_settings_lines(state.settings)]
    lines.append("Change them with the options of `/gm settings`, the GM channel with `/gm channel`.")
    return Card("Settings of this table", "\n".join(lines))


def members_card(state: TableState, names: Names) -> Card:
    """Who leads the table."""
    settings = state.settings
    lines = [f"- {names.mention(gm)}" for gm in settings.gms]
    lines += [f"- everybody with <@&{role}>" for role in settings.gm_roles]
    lines.append("Add or remove somebody with the options of `/gm members`.")
    return Card("GMs of this table", "\n".join(lines))


def gm_channel_card(table_id: int, *, declined: bool = False) -> Card:
    """The question after /setup where secrets are to go."""
    if declined:
        return Card(
            "No channel for secrets", f"{setting_meaning('gm_place', None)} `/gm channel` changes that."
        )
    return Card(
        "Where should secrets go?",
        "Choose a text channel that only the GMs can read. Hidden difficulties and secret rolls "
        "are posted there. "
        "Without one they wait behind buttons that only the GMs can open.",
        tone="secret",
        rows=(
            (Select(f"sg:gmch:{table_id}", "A channel that only GMs can read", kind="channel"),),
            (Button(f"sg:nogm:{table_id}", "No such channel"),),
        ),
    )


def character_card(character: AnyCharacter, lines: Sequence[Line], names: Names) -> Card:
    """A sheet for /character show."""
    whose = (
        "One of the GMs' own." if character.owner is None else f"Played by {names.mention(character.owner)}."
    )
    return Card(character_text(character.name), "\n".join([whose, *map(say, lines)]), footer=character.id)


def _character_lines(state: TableState, names: Names, *, active: str | None, gm: bool) -> list[str]:
    """Characters with their players; the GMs' own only for GMs."""
    shown = [each for each in state.characters.values() if gm or each.owner is not None]
    lines = [
        f"- {character_text(each.name)} ({_owner(each, names)})"
        + (": the one you act as" if each.id == active else "")
        for each in _by_name(shown)
    ]
    return lines or ["- Nobody yet. `/character import` brings a character in."]


def characters_card(state: TableState, names: Names, *, who: str, gm: bool) -> tuple[Card, ...]:
    """Who is at the table, for /character list; `who` is the participant that asks."""
    lines = _character_lines(state, names, active=state.person(who).active, gm=gm)
    return (Card("Characters at this table", "\n".join(lines)),)


# --- what can be done now -----------------------------------------------------------------------------------

_VERBS: Final[dict[str, tuple[str, str, Style]]] = {
    "answer": ("Answer", "answer the proposal", "primary"),
    "ask": ("Ask back", "ask what is not clear yet", "secondary"),
    "revise": ("Change", "change the proposal", "secondary"),
    "withdraw": ("Withdraw", "take the proposal off the table", "secondary"),
    "roll": ("Roll", "throw the dice", "primary"),
    "settle": ("Let it stand", "close the result", "secondary"),
}
_MOST_BUTTONS: Final = ROWS * ROW_BUTTONS


def _move_lines(move: Move) -> tuple[str, list[Button]]:
    """A move in words with what to press, and its buttons; without the table in their ids."""
    rest = f"{move.challenge}:{move.step}:{move.verb}"
    if move.label is None:
        label, text, style = _VERBS[move.verb]
        return f"**{label}**: {text}", [Button(rest, f"{label} · {move.challenge}", style)]
    what = say(move.label)
    if not move.choices:
        label = clip(say_bare(move.label), BUTTON_LABEL - 12)
        return f"**{what}**", [Button(f"{rest}:{move.what}", f"{label} · {move.challenge}")]
    buttons = [
        Button(f"{rest}:{move.what}:{choice}", clip(f"{choice} · {say_bare(move.label)}", BUTTON_LABEL))
        for choice in move.choices
    ]
    return f"**{what}**: {listing(map(user_text, move.choices), 'or')}", buttons


def moves_card(scene: Scene, moves: Sequence[Move]) -> Card:
    """Everything somebody may do now, for /moves: each move in words, with a button while there is room."""
    state = scene.state
    lines: list[str] = []
    buttons: list[Button] = []
    current = ""
    for move in moves:
        if move.challenge != current:
            current = move.challenge
            challenge = state.challenges[current]
            name = character_text(state.characters[challenge.character].name)
            said = f": {user_text(clip(challenge.approach, _SNIPPET))}" if challenge.approach else ""
            lines.append(f"{current} · {name}{said}")
        words, made = _move_lines(move)
        lines.append(f"- {words}")
        buttons += made
    if not lines:
        return Card("What you can do now", "Nothing waits for you. `/check` proposes something new.")
    if len(buttons) > _MOST_BUTTONS:
        lines.append("There are not enough buttons for all of this: press React under the check itself.")
    shown = [replace(button, id=f"sg:do:{scene.table_id}:{button.id}") for button in buttons[:_MOST_BUTTONS]]
    rows = tuple(tuple(shown[start : start + ROW_BUTTONS]) for start in range(0, len(shown), ROW_BUTTONS))
    return Card("What you can do now", "\n".join(lines), rows=rows)


# --- the journal --------------------------------------------------------------------------------------------


class JournalEntry(Protocol):
    """What a line of the journal shows."""

    @property
    def seq(self) -> int: ...

    @property
    def at(self) -> int: ...

    @property
    def actor(self) -> str: ...

    @property
    def kind(self) -> str: ...


ACTIONS: Final[dict[str, str]] = {
    "CreateTable": "opened the table",
    "ChangeGms": "changed who leads the table",
    "TakeOver": "took the table over",
    "ChangeSettings": "changed the settings",
    "ChangePerson": "changed a preference of their own",
    "ImportCharacter": "imported a character",
    "UseCharacter": "chose whom to act as",
    "Propose": "proposed a check",
    "Revise": "changed a proposal",
    "Withdraw": "withdrew a proposal",
    "AskBack": "asked back",
    "Answer": "answered a proposal",
    "Roll": "rolled the dice",
    "Spend": "spent something on a check",
    "Settle": "let a result stand",
    "Due": "did what was due",
    "Undo": "took something back",
}


def _did(entry: JournalEntry, who: str) -> str:
    return f"#{entry.seq} · {who} {ACTIONS.get(entry.kind, 'did something')}"


def entry_texts(entries: Iterable[JournalEntry], names: Names) -> list[str]:
    """Entries of the journal as suggestions: `#14 · Ana rolled the dice`."""
    return [clip(_did(entry, unescaped(names.name(entry.actor))), CHOICE_TEXT) for entry in entries]


def undo_others_card(
    table_id: int, error: RulesError, entries: Iterable[tuple[JournalEntry, object]], names: Names
) -> Card:
    """What else would have to be taken back, with a button that does it. `error` is `undo-others-first`."""
    params = Said(error.params)
    others = params.raw("others")
    wanted = set(others) if isinstance(others, tuple) else set[str]()
    known = {f"#{entry.seq}": entry for entry, _ in entries}
    lines = [f"Entry #{params['entry']} cannot be taken back alone, because later ones build on it:"]
    for number in sorted(wanted, key=lambda text: int(text.removeprefix("#") or 0), reverse=True):
        entry = known.get(number)
        lines.append(f"- {number}" if entry is None else f"- {_did(entry, names.name(entry.actor))}")
    count = len(wanted) + 1
    return Card(
        "Other entries first",
        "\n".join(lines),
        footer="Nothing has changed.",
        tone="warning",
        rows=((Button(f"sg:undo:{table_id}:{params['entry']}", f"Take back all {count}", "danger"),),),
    )


def last_card(count: int) -> Card:
    """The heading of /table last."""
    if not count:
        return Card("What happened last", "There are no results yet.")
    what = "The last result" if count == 1 else f"The last {count} results"
    return Card("What happened last", f"{what}, as far as you may see them.")


# --- odds -------------------------------------------------------------------------------------------------


def percent(chance: Fraction) -> str:
    """`63 %`; what is possible is never 0 %, what is not certain never 100 %."""
    whole = round(chance * 100)
    if whole == 0 and chance > 0:
        return "under 1 %"
    if whole == 100 and chance < 1:
        return "over 99 %"
    return f"{whole} %"


def odds_line(odds: Odds, *, full: bool = False) -> str:
    """`Tricky (10): 63 % · 1+ extra 33 % · automatic failure 10 %`; `full` gives every outcome."""
    brief: set[str] = set()
    for words in SYSTEM_WORDS.values():
        brief |= words.brief_odds
    parts = [f"{say(odds.target)}: {percent(odds.success)}"]
    for line, chance in odds.outcomes:
        if full or line.code in brief:
            parts.append(f"{say(line)} {percent(chance)}")
            brief.discard(line.code)
    return " · ".join(parts)
