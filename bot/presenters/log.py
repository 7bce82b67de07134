"""The journal in words: what was done, by whom, and what builds on what."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from bot.presenters.catalog_cards import card
from bot.presenters.controls import Button
from bot.presenters.language.dice_text import number_text
from bot.presenters.language.limits import CHOICE_TEXT, clip
from bot.presenters.language.text import (
    Markdown,
    Names,
    TextParams,
    listing,
    name_text,
    ref_text,
    unescape,
    user_text,
    with_capital,
)
from bot.presenters.language.words import TEMPLATES, label_text, say, say_bare
from bot.presenters.layout import Layout, Piece, Section
from bot.presenters.scene import Scene
from bot.presenters.setting_changes import values_line
from bot.services.gm_journal import JournalEntry, LogEntry
from rules.core.errors import RulesError
from rules.table.actions import NextTurn
from rules.table.blocks import Block, Text, first_verdict
from rules.table.events import (
    BoardChanged,
    CardsMoved,
    CheckChanged,
    DiceRolled,
    Event,
    Notice,
    Reported,
    RollSaved,
    StepView,
    Undone,
)
from rules.table.undo import AWAY_TEXTS, deed_view

#: What stands of an entry in the journal's list, in characters.
_ABOUT: Final = 200
#: How many entries have a button that takes them back, the newest.
_BUTTONS: Final = 5
#: How many of the entries taken back are named, the newest.
_MAX_UNDONE_LINES: Final = 20


_HUMP: Final = re.compile(r"(?<!^)(?=[A-Z])")


def done_code(kind: str) -> str:
    return f"did-{_HUMP.sub('-', kind).lower()}"


#: Codes of what being away is called, and its end.
_AWAY_CODES: Final = tuple(each.code for each in AWAY_TEXTS.values())


def _action_text(kind: str, taken: StepView | None = None) -> str:
    """What an action did, also one that only its system has; whoever was away, which of the two it
    was.
    """
    code = "" if taken is None or taken.said is None else taken.said.code
    if taken is not None and taken.said is not None and code in (*_AWAY_CODES, done_code(kind)):
        return say(taken.said)
    return say(Text(done_code(kind))) if done_code(kind) in TEMPLATES else say(Text("log-unknown"))


def deed_code(said: str) -> str:
    """The code of what was done in a check, as a thing: `Vesna's Fate re-roll`. `said` is the code
    of what was said.
    """
    return f"deed-{said}"


def _entry_text(kind: str, taken: StepView | None, by: str = "") -> str:
    """What an entry did, without Markdown: in a check whose it was, else what actions of its kind
    do, and `by` whom.
    """
    if taken is None or taken.who is None:
        return f"{unescape(by)} {_action_text(kind, taken)}".lstrip()
    said = taken.said
    code, params = (taken.step, {}) if said is None else (said.code, said.params)
    if deed_code(code) in TEMPLATES:
        return say_bare(Text(deed_code(code), {**params, "who": taken.who, "kind": taken.kind}))
    return (
        _action_text(kind) if said is None else f"{unescape(ref_text(taken.who))}: {say_bare(said)}"
    )


def entry_texts(entries: Iterable[tuple[JournalEntry, StepView | None]], names: Names) -> list[str]:
    """Entries of the journal as suggestions: `#14 · Vesna's Fate re-roll`, `#2 · Ana imported a
    character`.
    """
    return [
        clip(
            f"#{entry.seq} · {_entry_text(entry.kind, taken, names.name(entry.actor))}", CHOICE_TEXT
        )
        for entry, taken in entries
    ]


def _verdict_summary(blocks: Iterable[Block]) -> str:
    """Return the verdict among blocks, in a few words; empty without one."""
    verdict = first_verdict(blocks)
    if verdict is None:
        return ""
    # What a result does tells whom it was done to.
    done = "" if verdict.what is None else f": {say(verdict.what)}"
    return say(verdict.text) + done


#: What is told of events that have more to say than their name and lines.
_EVENT_SUMMARIES: Final[Mapping[type[Event], Callable[[Any], str]]] = {
    CheckChanged: lambda event: _verdict_summary(event.blocks),
    DiceRolled: lambda event: (
        f"{user_text(event.text)}: {', '.join(map(number_text, event.totals))}"
    ),
    CardsMoved: lambda event: "",  # what people hold and keep is theirs
    Reported: lambda event: say(event.title),
    RollSaved: lambda event: "",
    Undone: lambda event: listing(f"#{number}" for number in sorted(event.entries)),
}


def _event_summary(event: Event) -> str:
    """What an event is about, in a few words; empty where the action says it all."""
    if type(event) in _EVENT_SUMMARIES:
        return _EVENT_SUMMARIES[type(event)](event)
    named = getattr(event, "name", None)
    if isinstance(event, Notice):
        code, named = (
            f"journal-{event.what.removesuffix('-gms')}",
            str(event.params.get("name", "")),
        )
        if code in TEMPLATES:
            return say(Text(code, event.params))
    # What somebody begins says more than how long it takes.
    doing = user_text(getattr(event, "doing", None) or "")
    written = (values_line(line) for line in getattr(event, "lines", ()))
    lines = doing or "; ".join(say(line).removesuffix(".") for line in written)
    return ": ".join(part for part in (name_text(named) if named else "", lines) if part)


def _log_line(row: JournalEntry, events: Sequence[Event], names: Names) -> str:
    # What was taken back says most, then, of several views of the same thing, the GMs' own.
    told = max(
        events, key=lambda event: (isinstance(event, Undone), event.audience.gms), default=None
    )
    about = clip(" ".join(_event_summary(told).split()), _ABOUT) if told is not None else ""
    who, by = names.mention(row.actor), ""
    taken = None
    if told is not None and not isinstance(told, CheckChanged):
        taken = deed_view([told], gm=True)
    did = f"{who} {_action_text(row.kind, taken)}"
    if isinstance(told, Undone) or (isinstance(told, BoardChanged) and told.step == "removed"):
        about = ""  # the action has named it
    if isinstance(told, BoardChanged) and row.kind == NextTurn.__name__:
        about = name_text(told.done) if told.done else ""
        if told.done is None:
            begun = {"round": told.round, "timeline": told.timeline}
            did = f"{who} {say(Text('journal-round-began', begun))}"
    if isinstance(told, CheckChanged):
        done = _entry_text(row.kind, deed_view([told], gm=True))
        did, by = f"{with_capital(user_text(done))} ({told.check})", f" · {who}"
    undone = ""
    if row.undone_by is not None:
        undone = f" {say(Text('log-undone', {'entry': row.undone_by}))}"
    return f"- #{row.seq} · {did}{f': {about}' if about else ''}{by} · <t:{row.at}:f>{undone}"


def log_card(scene: Scene, entries: Sequence[LogEntry], about: str | None = None) -> Layout:
    """The journal for GMs: number, what, who, when, and whether it was taken back; what was done
    last has a button that takes it back. `about` is a character.
    """
    able = [each.row.seq for each in entries if each.undoable][-_BUTTONS:]
    lines: list[str | Piece] = []
    for each in entries:
        line = _log_line(each.row, each.events, scene.names)
        button = Button(f"sg:undo:{scene.table_id}:{each.row.seq}:one", label_text("undo-now"))
        lines.append(Section(line, button) if each.row.seq in able else line)
    return card("gm", "journal", None, *lines, character=about, none=not lines)


def undo_others_card(
    table_id: int,
    error: RulesError,
    entries: Iterable[tuple[JournalEntry, StepView | None]],
    names: Names,
) -> Layout:
    """What else would have to be taken back, with a button that does it. `error` is
    `undo-others-first`.
    """
    params = TextParams(error.params)
    known = {f"#{entry.seq}": (entry, taken) for entry, taken in entries}
    lines: list[str] = []
    newest = params.raw_items("others")[::-1]
    for number in newest[:_MAX_UNDONE_LINES]:
        told = entry_texts([known[number]], names) if number in known else [number]
        lines += [f"- {user_text(each)}" for each in told]
    if newest[_MAX_UNDONE_LINES:]:
        lines.append(say(Text("log-more", {"count": len(newest) - _MAX_UNDONE_LINES})))
    entry = params.raw("entry")
    what = known.get(f"#{entry}")
    about = unescape(_entry_text(what[0].kind, what[1], names.name(what[0].actor))) if what else ""
    label = label_text("log-undo-all", count=len(newest) + 1)
    rows = ((Button(f"sg:undo:{table_id}:{params['entry']}:{newest[0][1:]}", label, "danger"),),)
    return card("waiting", "undo-others", None, *lines, rows=rows, entry=entry, what=about)


def undo_question_card(
    table_id: int, entry: JournalEntry, taken: StepView | None, names: Names, *, others: bool
) -> Layout:
    """Return the question before an undo, if the entry is another person's (`others`) or has newer
    messages below it.
    """
    rows = ((Button(f"sg:undo:{table_id}:{entry.seq}:one", label_text("log-undo-it"), "danger"),),)
    told = {
        "entry": entry.seq,
        "what": Markdown(user_text(_entry_text(entry.kind, taken, names.name(entry.actor)))),
        "when": Markdown(f"<t:{entry.at}:R>"),
        "by": entry.actor,
        "others": others,
    }
    return card("waiting", "undo-question", names, rows=rows, **told)


def undone_card(event: Undone, names: Names) -> Layout:
    """Entries of the journal were taken back, and what they were."""
    did = dict(zip(event.entries, event.deeds, strict=False))
    named = sorted(zip(event.entries, event.kinds, strict=False))
    done = [
        (n, user_text(_entry_text(kind, did.get(n), names.name(by))))
        for n, (kind, by) in named
        if kind
    ]
    numbers = listing(f"#{number}" for number in sorted(event.entries))
    one = len(event.entries) == 1 == len(done)
    told = {
        "numbers": Markdown(clip(numbers, 1500)),
        "count": len(event.entries),
        "what": Markdown(done[0][1] if one else ""),
        "gm": event.by_gm,
    }
    lines = [f"- #{seq}: {what}" for seq, what in done[-_MAX_UNDONE_LINES:]] if not one else []
    return card("waiting", "undone", names, *lines, about=event, **told)
