"""Messages about amendments: the preview for a GM, and what was corrected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bot.presenters.catalog_cards import card
from bot.presenters.controls import Button, Rows, button_rows
from bot.presenters.language.limits import clip
from bot.presenters.language.text import Markdown, Names, listing, user_text
from bot.presenters.language.words import label_text, say
from bot.presenters.layout import Layout
from bot.presenters.log import entry_text
from rules.core.record import Record
from rules.table.amendments import RedoneEntry
from rules.table.blocks import Text
from rules.table.events import Amended
from rules.table.undo import deed_view

#: Most entries of one kind that are listed.
_MAX_LINES: Final = 10
#: Most letters of a list of numbers.
_MAX_NUMBERS: Final = 1000
#: Most doubtful entries with a button, the oldest.
_MAX_BUTTONS: Final = 6


class CheckVerdict(Record):
    """Result of a check as the GMs read it, now and after an amendment."""

    check: str
    was: str
    now: str


class PreviewedAmendment(Record):
    """What a GM is shown before an amendment."""

    #: Id of the draft behind the buttons.
    draft: str
    entry: int
    undo: bool
    #: The new answer in words; empty for an undo.
    words: str
    entries: Sequence[RedoneEntry]
    verdicts: Sequence[CheckVerdict]
    #: Numbers of the entries that everybody was told of and will be told of anew.
    public: Sequence[int]


def _what(entry: RedoneEntry, names: Names) -> str:
    step = deed_view(entry.was, gm=True)
    text = user_text(entry_text(entry.kind, step, names.name(entry.actor)))
    return f"#{entry.seq}: {text}"


def _listed(heading: Text, entries: Sequence[RedoneEntry], names: Names) -> list[str]:
    """Return a heading and a line an entry; nothing for no entries."""
    if not entries:
        return []
    lines = [say(heading)]
    lines += [f"- {_what(entry, names)}" for entry in entries[:_MAX_LINES]]
    if entries[_MAX_LINES:]:
        lines.append(say(Text("log-more", {"count": len(entries) - _MAX_LINES})))
    return lines


def _numbers(entries: Sequence[int]) -> Markdown:
    return Markdown(clip(listing(f"#{number}" for number in entries), _MAX_NUMBERS))


def preview_card(table_id: int, shown: PreviewedAmendment, names: Names) -> Layout:
    """Return the private preview of an amendment, with the buttons that decide."""
    by_fate: dict[str, list[RedoneEntry]] = {}
    for entry in shown.entries:
        by_fate.setdefault(entry.fate, []).append(entry)
    amended = next(entry for entry in shown.entries if entry.seq == shown.entry)
    doubtful = [entry for entry in by_fate.get("changed", []) if entry.doubtful]
    doubtful += [entry for entry in by_fate.get("same", []) if entry.doubtful]
    doubtful.sort(key=lambda entry: entry.seq)
    left_out = by_fate.get("left-out", [])
    changed = [entry.seq for entry in by_fate.get("changed", []) if not entry.doubtful]
    lines: list[str] = []
    for verdict in shown.verdicts:
        about = {"check": verdict.check, "was": Markdown(verdict.was)}
        lines.append(say(Text("amend-becomes", {**about, "now": Markdown(verdict.now)})))
    if changed:
        lines.append(say(Text("amend-changes", {"numbers": _numbers(changed)})))
    gone = [*by_fate.get("goes-along", []), *by_fate.get("conflict", [])]
    gone.sort(key=lambda entry: entry.seq)
    lines += _listed(Text("amend-cannot-stand"), gone, names)
    lines += _listed(Text("amend-decide"), doubtful, names)
    lines += _listed(Text("amend-left-out"), left_out, names)
    dice = by_fate.get("new-dice", [])
    if dice:
        lines.append(say(Text("amend-new-dice", {"entry": dice[0].seq})))
    code = "amend-public" if shown.public else "amend-not-public"
    lines.append(say(Text(code, {"numbers": _numbers(shown.public)})))
    rows: Rows = (
        (
            Button(f"sg:amy:{table_id}:{shown.draft}", label_text("amend-do"), "primary"),
            Button(f"sg:aml:{table_id}:{shown.draft}", label_text("amend-leave")),
        ),
    )
    choices = sorted((*doubtful, *left_out), key=lambda entry: entry.seq)
    buttons: list[Button] = []
    for entry in choices[:_MAX_BUTTONS]:
        id = f"sg:amo:{table_id}:{shown.draft}:{entry.seq}"
        is_out = entry.fate == "left-out"
        buttons.append(Button(id, label_text("amend-toggle", entry=entry.seq, out=is_out)))
    params = {
        "entry": shown.entry,
        "undo": shown.undo,
        "what": Markdown(_what(amended, names).partition(": ")[2]),
        "words": shown.words,
    }
    return card(
        "gm", "amend-preview", names, *lines, rows=(*rows, *button_rows(buttons, 3)), **params
    )


def answer_card(table_id: int, entry: RedoneEntry, words: str, names: Names) -> Layout:
    """Return what can be changed about a GM's answer, with the button that undoes it alone."""
    rows = ((Button(f"sg:amu:{table_id}:{entry.seq}", label_text("amend-undo")),),)
    what = Markdown(_what(entry, names).partition(": ")[2])
    return card("gm", "amend-answer", names, rows=rows, entry=entry.seq, what=what, words=words)


def amended_card(event: Amended, names: Names) -> Layout:
    """Return the entries that came out differently, as their audience knows them."""
    lines: list[str] = []
    for entry in event.entries[:_MAX_LINES]:
        text = user_text(entry_text(entry.kind, entry.step, names.name(entry.by)))
        line: Mapping[str, object] = {"entry": entry.seq, "what": Markdown(text)}
        lines.append(say(Text("amended-line", {**line, "gone": entry.gone})))
    if event.entries[_MAX_LINES:]:
        lines.append(say(Text("log-more", {"count": len(event.entries) - _MAX_LINES})))
    numbers = _numbers([entry.seq for entry in event.entries])
    return card(
        "waiting", "amended", names, *lines, about=event, numbers=numbers, count=len(event.entries)
    )
