"""The journal in words: each entry with its actor, and the entries that build on others."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from bot.presenters.catalog_cards import card
from bot.presenters.control_limits import LABEL
from bot.presenters.controls import Button, Option, Rows
from bot.presenters.corrections import entry_menu, open_button
from bot.presenters.language.dice_text import number_text
from bot.presenters.language.limits import CHOICE_TEXT, clip, clip_label
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
from rules.table.amendments.limits import is_amendable_kind
from rules.table.blocks import Block, Text, Verdict, first_verdict
from rules.table.events import (
    Amended,
    BoardChanged,
    CardsMoved,
    ChangedResult,
    CheckChanged,
    DiceRolled,
    Event,
    Notice,
    Reported,
    RollSaved,
    Said,
    StepView,
    Undone,
)
from rules.table.journal.undo import AWAY_TEXTS, deed_view

#: Most letters about an entry in the journal's list.
_ABOUT_LENGTH: Final = 200
#: Most letters of what a character has said, in the log and in the story.
SAID_LENGTH: Final = 80
#: Most entries with an *Undo* button, the newest.
_MAX_BUTTONS: Final = 5
#: Most undone entries that are named, the newest.
_MAX_UNDONE_LINES: Final = 20


#: Places in the name of a class at which a word begins.
_WORD_START: Final = re.compile(r"(?<!^)(?=[A-Z])")


def done_code(kind: str) -> str:
    """Return the code of what an action of this class did: `did-next-turn`."""
    return f"did-{_WORD_START.sub('-', kind).lower()}"


#: Codes of an absence, and of its end.
_AWAY_CODES: Final = tuple(text.code for text in AWAY_TEXTS.values())


def _action_text(kind: str, taken: StepView | None = None) -> str:
    """Return what an action did; of an absence whether it began or ended."""
    code = "" if taken is None or taken.said is None else taken.said.code
    if taken is not None and taken.said is not None and code in (*_AWAY_CODES, done_code(kind)):
        return say(taken.said)
    return say(Text(done_code(kind))) if done_code(kind) in TEMPLATES else say(Text("log-unknown"))


def deed_code(said: str) -> str:
    """Return the code of a deed in a check as a noun: `Vesna's Fate re-roll`.

    `said` is the code of the text that told it.
    """
    return f"deed-{said}"


def entry_text(kind: str, taken: StepView | None, by: str = "", *, short: bool = False) -> str:
    """Return what an entry did, without Markdown.

    In a check it's the character's deed, otherwise what actions of this kind do. `by` is the actor.
    A *short* text leaves out that a GM's answer is the GM's.
    """
    if taken is None or taken.who is None:
        return f"{unescape(by)} {_action_text(kind, taken)}".lstrip()
    said = taken.said
    code, params = (taken.step, {}) if said is None else (said.code, said.params)
    if deed_code(code) in TEMPLATES:
        about = {**params, "who": taken.who, "kind": taken.kind, "short": short}
        return say_bare(Text(deed_code(code), about))
    if said is None:
        return _action_text(kind)
    return f"{unescape(ref_text(taken.who))}: {say_bare(said)}"


def entry_texts(entries: Iterable[tuple[JournalEntry, StepView | None]], names: Names) -> list[str]:
    """Return entries of the journal as suggestions.

    `#14 · Vesna's Fate re-roll`, `#2 · Ana imported a character`.
    """
    texts: list[str] = []
    for entry, taken in entries:
        text = entry_text(entry.kind, taken, names.name(entry.actor))
        texts.append(clip(f"#{entry.seq} · {text}", CHOICE_TEXT))
    return texts


def entry_options(
    entries: Iterable[tuple[JournalEntry, StepView | None]], names: Names
) -> list[Option]:
    """Return entries of the journal as entries of a menu, whose labels fit a phone.

    What a label leaves out is its description: `#40 · call for Vesna's roll`, and below it
    `the GM's call for Vesna's roll`.
    """
    options: list[Option] = []
    for entry, taken in entries:
        by = names.name(entry.actor)
        text = entry_text(entry.kind, taken, by)
        label = clip_label(f"#{entry.seq} · {entry_text(entry.kind, taken, by, short=True)}", LABEL)
        is_whole = label == f"#{entry.seq} · {text}"
        about = "" if is_whole else clip(with_capital(text), CHOICE_TEXT)
        options.append(Option(str(entry.seq), label, about))
    return options


def verdict_summary(blocks: Iterable[Block]) -> str:
    """Return the verdict among blocks, in a few words; empty without one."""
    verdict = first_verdict(blocks)
    if verdict is None:
        return ""
    if verdict.what is None:
        return say(verdict.text)
    # The effect of a result names its target.
    return f"{say(verdict.text)}: {say(verdict.what)}"


#: Summaries of the events that have more to say than their name and lines.
_EVENT_SUMMARIES: Final[Mapping[type[Event], Callable[[Any], str]]] = {
    CheckChanged: lambda event: verdict_summary(event.blocks),
    DiceRolled: lambda event: (
        f"{user_text(event.text)}: {', '.join(map(number_text, event.totals))}"
    ),
    CardsMoved: lambda event: "",  # a player's cards are secret
    Reported: lambda event: say(event.title),
    Said: lambda event: f"{name_text(event.name)}: {clip(user_text(event.text), SAID_LENGTH)}",
    RollSaved: lambda event: "",
    Undone: lambda event: listing(f"#{number}" for number in sorted(event.entries)),
    Amended: lambda event: user_text(event.reason),  # The action names the entries.
}


def _event_summary(event: Event) -> str:
    """Return what an event is about, in a few words; empty where the action says it all."""
    if type(event) in _EVENT_SUMMARIES:
        return _EVENT_SUMMARIES[type(event)](event)
    name = getattr(event, "name", None)
    if isinstance(event, Notice):
        summary = notice_summary(event)
        if summary:
            return summary
        name = str(event.params.get("name", ""))
    parts = [name_text(name) if name else "", _event_lines(event)]
    return ": ".join(filter(None, parts))


def notice_summary(event: Notice) -> str:
    """Return what a notice says, in a few words; empty if the action says it all."""
    code = f"journal-{event.what.removesuffix('-gms')}"
    if code not in TEMPLATES:
        return ""
    return say(Text(code, event.params))


def _event_lines(event: Event) -> str:
    """Return the action that an event begins, or else its lines."""
    # The action says more than the lines, which tell how long it takes.
    if doing := user_text(getattr(event, "doing", None) or ""):
        return doing
    lines = (values_line(line) for line in getattr(event, "lines", ()))
    return "; ".join(say(line).removesuffix(".") for line in lines)


# --- the journal ----------------------------------------------------------------------------------


def _log_line(row: JournalEntry, events: Sequence[Event], names: Names) -> str:
    """Return a line of the journal for GMs."""
    event = _most_telling(events)
    who = names.mention(row.actor)
    if isinstance(event, CheckChanged):
        deed = entry_text(row.kind, deed_view([event], gm=True))
        did, by = f"{with_capital(user_text(deed))} ({event.check})", f" · {who}"
    else:
        taken = None if event is None else deed_view([event], gm=True)
        did, by = f"{who} {_action_text(row.kind, taken)}", ""
    about = ""
    if isinstance(event, BoardChanged) and row.kind == NextTurn.__name__:
        about = name_text(event.done) if event.done else ""
        if event.done is None:
            begun = {"round": event.round, "timeline": event.timeline}
            did = f"{who} {say(Text('journal-round-began', begun))}"
    elif event is not None and not _names_all(event):
        about = clip(" ".join(_event_summary(event).split()), _ABOUT_LENGTH)
    if about:
        did = f"{did}: {about}"
    undone = ""
    if row.undone_by is not None:
        undone = f" {say(Text('log-undone', {'entry': row.undone_by}))}"
    return f"- #{row.seq} · {did}{by} · <t:{row.at}:f>{undone}"


def _most_telling(events: Sequence[Event]) -> Event | None:
    """Return an undo or correction if there is one, else the GMs' own view of what happened."""

    def rank(event: Event) -> tuple[bool, bool]:
        return isinstance(event, Undone | Amended), event.audience.gms

    return max(events, key=rank, default=None)


def _names_all(event: Event) -> bool:
    """Return whether the text of the action names already what the event is about."""
    if isinstance(event, Undone):
        return True
    return isinstance(event, BoardChanged) and event.step == "removed"


def log_card(scene: Scene, entries: Sequence[LogEntry], about: str | None = None) -> Layout:
    """Return the journal for GMs; the last entries that can be undone have a button.

    `about` is the character whose entries these are.
    """
    undoable = [entry.row.seq for entry in entries if entry.undoable][-_MAX_BUTTONS:]
    lines: list[str | Piece] = []
    for entry in entries:
        seq = entry.row.seq
        line = _log_line(entry.row, entry.events, scene.names)
        button = Button(f"sg:undo:{scene.table_id}:{seq}:one", label_text("undo-now"))
        lines.append(Section(line, button) if seq in undoable else line)
    amendable = [entry.row for entry in entries if entry.undoable]
    amendable = [row for row in amendable if is_amendable_kind(row.kind)][::-1]
    steps = [(entry.row, deed_view(entry.events, gm=True)) for entry in entries]
    numbers = {row.seq for row in amendable}
    offered = [step for step in steps if step[0].seq in numbers]
    offered.sort(key=lambda step: -step[0].seq)
    rows = entry_menu(scene.table_id, entry_options(offered, scene.names))
    return card("gm", "journal", None, *lines, rows=rows, character=about, none=not lines)


def undo_others_card(
    table_id: int,
    error: RulesError,
    entries: Iterable[tuple[JournalEntry, StepView | None]],
    names: Names,
) -> Layout:
    """Return the entries that an undo must undo too, with a button that does it.

    `error` is the refusal `undo-others-first`.
    """
    params = TextParams(error.params)
    known = {f"#{entry.seq}": (entry, taken) for entry, taken in entries}
    lines: list[str] = []
    newest = params.raw_items("others")[::-1]
    for number in newest[:_MAX_UNDONE_LINES]:
        texts = entry_texts([known[number]], names) if number in known else [number]
        lines += [f"- {user_text(text)}" for text in texts]
    if newest[_MAX_UNDONE_LINES:]:
        lines.append(say(Text("log-more", {"count": len(newest) - _MAX_UNDONE_LINES})))
    entry = params.raw("entry")
    what = known.get(f"#{entry}")
    about = unescape(entry_text(what[0].kind, what[1], names.name(what[0].actor))) if what else ""
    label = label_text("log-undo-all", count=len(newest) + 1)
    undo = Button(f"sg:undo:{table_id}:{params['entry']}:{newest[0][1:]}", label, "danger")
    rows: Rows = ((undo,),)
    if what is not None and is_amendable_kind(what[0].kind):
        rows = ((undo, open_button(table_id, what[0].seq)),)
    return card("waiting", "undo-others", None, *lines, rows=rows, entry=entry, what=about)


def undo_question_card(
    table_id: int, entry: JournalEntry, taken: StepView | None, names: Names, *, others: bool
) -> Layout:
    """Return the question before an undo.

    The entry is another participant's (`others`), or has newer messages below it.
    """
    rows = ((Button(f"sg:undo:{table_id}:{entry.seq}:one", label_text("log-undo-it"), "danger"),),)
    what = entry_text(entry.kind, taken, names.name(entry.actor))
    about = {
        "entry": entry.seq,
        "what": Markdown(user_text(what)),
        "when": Markdown(f"<t:{entry.at}:R>"),
        "by": entry.actor,
        "others": others,
    }
    return card("waiting", "undo-question", names, rows=rows, **about)


def result_text(verdict: Verdict | None) -> str:
    """Return a result with its numbers, as far as its reader may know them; empty for none."""
    if verdict is None:
        return ""
    summary = verdict_summary((verdict,))
    return summary if verdict.numbers is None else f"{summary}, {say(verdict.numbers)}"


def result_params(results: Sequence[ChangedResult]) -> dict[str, Any]:
    """Return what a headline says of changed results: a single one in words, of several how many.

    `result_lines` tell the several.
    """
    if len(results) != 1:
        return {"result_of": None, "now": None, "results": len(results) or None}
    (only,) = results
    return {"result_of": only.who, "now": Markdown(result_text(only.verdict)), "results": None}


def result_lines(results: Sequence[ChangedResult]) -> list[str]:
    """Return a line for each of several changed results."""
    lines: list[str] = []
    for result in results:
        params = {"who": result.who, "now": Markdown(result_text(result.verdict))}
        lines.append(say(Text("result-now", params)))
    return lines


def undone_card(event: Undone, names: Names) -> Layout:
    """Return the entries that were undone."""
    deeds = dict(zip(event.entries, event.deeds, strict=False))
    texts: list[tuple[int, str]] = []
    for seq, (kind, by) in sorted(zip(event.entries, event.kinds, strict=False)):
        if kind:
            texts.append((seq, user_text(entry_text(kind, deeds.get(seq), names.name(by)))))
    numbers = listing(f"#{number}" for number in sorted(event.entries))
    what, lines = "", [f"- #{seq}: {text}" for seq, text in texts[-_MAX_UNDONE_LINES:]]
    if len(event.entries) == 1 == len(texts):
        what, lines = texts[0][1], []
    results = event.results
    if results[1:]:
        lines = [*result_lines(results[:_MAX_UNDONE_LINES]), *lines]
    about = {
        "numbers": Markdown(clip(numbers, 1500)),
        "count": len(event.entries),
        "what": Markdown(what),
        "gm": event.by_gm,
        **result_params(results),
    }
    return card("waiting", "undone", names, *lines, about=event, **about)
