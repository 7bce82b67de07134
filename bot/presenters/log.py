"""The journal in words: what was done, by whom, and what builds on what."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Final, Protocol

from bot.presenters.cards import card
from bot.presenters.checks import PASSING
from bot.presenters.controls import Button
from bot.presenters.dice import number_text
from bot.presenters.layout import Layout
from bot.presenters.limits import CHOICE_TEXT, clip
from bot.presenters.people import Names
from bot.presenters.text import (
    Marked,
    Said,
    code_text,
    listing,
    moment_text,
    name_text,
    place_text,
    ref_text,
    unescaped,
    user_text,
)
from bot.presenters.words import TEMPLATES, say, say_bare
from rules.core.errors import RulesError
from rules.table.blocks import Text, Verdict
from rules.table.events import (
    Awarded,
    CardsMoved,
    CheckChanged,
    DiceRolled,
    Event,
    PlacesChanged,
    RollSaved,
    SessionChanged,
    SettingsChanged,
    TimePassed,
    Undone,
)

#: What stands of an entry in the journal's list, in characters.
_ABOUT: Final = 200
#: How many of the entries taken back are named, the newest.
_TOLD: Final = 20


class JournalEntry(Protocol):
    """What a line of the journal shows; `undone_by` is the number of the entry that took it back."""

    @property
    def seq(self) -> int: ...

    @property
    def at(self) -> int: ...

    @property
    def actor(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def undone_by(self) -> int | None: ...


_HUMP: Final = re.compile(r"(?<!^)(?=[A-Z])")


def done_code(kind: str) -> str:
    """The code of what an action of this kind did."""
    return f"did-{_HUMP.sub('-', kind).lower()}"


def _done(kind: str) -> str:
    """What an action did, also one that only its system has."""
    return say(Text(done_code(kind))) if done_code(kind) in TEMPLATES else "did something"


def _did(entry: JournalEntry, who: str) -> str:
    return f"#{entry.seq} · {who} {_done(entry.kind)}"


def entry_texts(entries: Iterable[JournalEntry], names: Names) -> list[str]:
    """Entries of the journal as suggestions: `#14 · Ana rolled the dice`."""
    return [clip(_did(entry, unescaped(names.name(entry.actor))), CHOICE_TEXT) for entry in entries]


def _about_check(event: CheckChanged) -> str:
    """Which check, whose, what was done in it, and how it stands."""
    who = [ref_text(event.actor)] if event.actor is not None else []
    verdict = [say(block.text) for block in event.blocks if isinstance(block, Verdict)][:1]
    said = [say_bare(event.said)] if event.said is not None else [PASSING] * (event.step == "passed")
    return ", ".join([event.check, *who, *said, *verdict])


def _about(event: Event) -> str:
    """What an event is about, in a few words; empty where the action says it all."""
    if isinstance(event, CheckChanged):
        return _about_check(event)
    if isinstance(event, DiceRolled):
        return f"{user_text(event.text)}: {', '.join(map(number_text, event.totals))}"
    if isinstance(event, CardsMoved | RollSaved):
        return ""  # what people hold and keep is theirs
    if isinstance(event, Awarded):
        return "; ".join(map(say, event.lines))
    if isinstance(event, TimePassed):
        return moment_text(event.time)
    if isinstance(event, SessionChanged):
        return f"session {event.number} {'begins' if event.started else 'ends'}"
    if isinstance(event, PlacesChanged):
        return f"{place_text(event.subject)} {'added' if event.bound else 'removed'}"
    if isinstance(event, SettingsChanged):
        return listing(code_text(field) for field in event.changes)
    if isinstance(event, Undone):
        return listing(f"#{number}" for number in sorted(event.entries))
    named = getattr(event, "name", None)
    lines = "; ".join(say(line).removesuffix(".") for line in getattr(event, "lines", ()))
    return ": ".join(part for part in (name_text(named) if named else "", lines) if part)


def _logged(row: JournalEntry, events: Sequence[Event], names: Names) -> str:
    # Of several views of the same thing the GMs' own says most.
    told = next((event for event in events if event.audience.gms), events[0] if events else None)
    about = clip(" ".join(_about(told).split()), _ABOUT) if told is not None else ""
    undone = f" (undone in #{row.undone_by})" if row.undone_by is not None else ""
    return f"- {_did(row, names.mention(row.actor))}{f': {about}' if about else ''} · <t:{row.at}:f>{undone}"


def log_card(
    entries: Iterable[tuple[JournalEntry, Sequence[Event]]], names: Names, about: str | None = None
) -> Layout:
    """The journal for GMs: number, who, what, when, and whether it was taken back. `about` is a character."""
    lines = [_logged(row, events, names) for row, events in entries]
    return card("gm", "journal", None, *lines, character=about, none=not lines)


def undo_others_card(
    table_id: int, error: RulesError, entries: Iterable[tuple[JournalEntry, object]], names: Names
) -> Layout:
    """What else would have to be taken back, with a button that does it. `error` is `undo-others-first`."""
    params = Said(error.params)
    wanted = set(params.raws("others"))
    known = {f"#{entry.seq}": entry for entry, _ in entries}
    lines: list[str] = []
    for number in sorted(wanted, key=lambda text: int(text.removeprefix("#") or 0), reverse=True):
        entry = known.get(number)
        lines.append(f"- {number}" if entry is None else f"- {_did(entry, names.name(entry.actor))}")
    label = f"Undo all {len(wanted) + 1}"
    rows = ((Button(f"sg:undo:{table_id}:{params['entry']}", label, "danger"),),)
    return card("waiting", "undo-others", None, *lines, rows=rows, entry=params.raw("entry"))


def undone_card(event: Undone, names: Names, gms: Collection[str] = ()) -> Layout:
    """Entries of the journal were taken back, and what they were."""
    numbers = listing(f"#{number}" for number in sorted(event.entries))
    named = sorted(zip(event.entries, event.kinds, strict=False))
    done = [f"#{seq}: {_done(kind)}" for seq, kind in named if kind]
    told = {
        "numbers": Marked(clip(numbers, 1500)),
        "short": Marked(clip(numbers, 200)),
        "gm": event.by in gms,
    }
    return card("waiting", "undone", names, *[f"- {line}" for line in done[-_TOLD:]], about=event, **told)
