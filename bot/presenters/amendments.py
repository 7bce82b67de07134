"""Messages about amendments: the preview for a GM, and what was corrected."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Final

from bot.presenters.blocks import block_lines
from bot.presenters.catalog_cards import card
from bot.presenters.controls import (
    BUTTONS_PER_ROW,
    Button,
    Input,
    Modal,
    Rows,
    button_rows,
    page_turns,
)
from bot.presenters.corrections import open_button
from bot.presenters.language.limits import clip
from bot.presenters.language.text import (
    Markdown,
    Names,
    listing,
    name_text,
    ref_text,
    user_text,
)
from bot.presenters.language.words import label_text, say, say_bare
from bot.presenters.layout import Layout
from bot.presenters.log import (
    entry_text,
    notice_summary,
    result_lines,
    result_params,
    result_text,
)
from rules.core.record import Record
from rules.table.amendments.redone_entries import Fate, RedoneEntry
from rules.table.blocks import Ref, Text
from rules.table.events import Amended, AmendedEntry, ChangedResult
from rules.table.gms.gm_tools import REASON_MAX
from rules.table.journal.undo import deed_view

#: Key of the input of the dialog for the reason.
REASON_INPUT: Final = "reason"
#: Most entries of one kind that are listed.
_MAX_LINES: Final = 10
#: Most letters of a list of numbers.
_MAX_NUMBERS: Final = 1000
#: Most decisions on one page of a preview: two rows of buttons on a phone.
_PAGE: Final = 6
#: Codes of refusals of those whose turn it would not be.
_OTHER_TURN: Final = ("turn-moved-on", "not-your-turn")


class CheckVerdict(Record):
    """Result of a check as the GMs read it, now and after an amendment."""

    #: Id of the check, and its kind.
    check: str
    kind: str
    #: The acting character; None if the check has none.
    who: Ref | None
    #: Names of the traits that it is rolled with, as far as they were named.
    traits: Sequence[str]
    #: The results with their numbers; empty for none.
    was: str
    now: str


class OtherValues(Record):
    """Other values of a later entry, in words."""

    entry: int
    words: str


class PreviewedAmendment(Record):
    """An amendment that isn't carried out yet, as a GM is shown it."""

    #: Id of the draft behind the buttons.
    draft: str
    entry: int
    undo: bool
    #: The values that differ, in words; empty for an undo.
    words: str
    entries: Sequence[RedoneEntry]
    verdicts: Sequence[CheckVerdict]
    #: Numbers of the entries that everybody was told of and will be told of anew.
    public: Sequence[int]
    #: Later entries that get other values too.
    also: Sequence[OtherValues] = ()
    #: Numbers of the later entries that can't stand but could with other values, and of `also`.
    changeable: Set[int] = frozenset()
    #: Page of the decisions.
    page: int = 0
    #: Numbers of the entries that a whisper scene was told of and will be told of anew.
    whispered: Sequence[int] = ()
    #: Code of the error that refuses it as a whole; empty if it can be carried out.
    hindrance: str = ""
    #: Participants who will be told in private.
    private: Sequence[str] = ()
    #: The reason so far.
    reason: str = ""
    #: Names of the characters whose players may read a sealed text by it, and couldn't before.
    seal_readers: tuple[str, ...] = ()
    #: Number of the call for rolls in which the difficulty of an undone roll stands.
    call: int | None = None


def entry_title(entry: RedoneEntry, names: Names) -> str:
    """Return what an entry did, as `/gm log` says it."""
    return _what(entry, names).partition(": ")[2]


def _what(entry: RedoneEntry, names: Names) -> str:
    step = deed_view(entry.was, gm=True)
    text = user_text(entry_text(entry.kind, step, names.name(entry.actor)))
    return f"#{entry.seq}: {text}"


def _with_reason(entry: RedoneEntry, what: str) -> str:
    """Return what an entry did, with why it can't stand if that is because of the turn."""
    if entry.refusal not in _OTHER_TURN:
        return what
    return say(Text("amend-other-turn", {"what": Markdown(what)}))


def _listed(
    heading: Text, entries: Sequence[RedoneEntry], names: Names, on_page: Sequence[RedoneEntry]
) -> list[str]:
    """Return a heading and a line an entry; nothing for no entries.

    Of many entries, those with a button on this page come first.
    """
    if not entries:
        return []
    wanted = {entry.seq for entry in on_page}
    chosen = sorted(entries, key=lambda entry: entry.seq not in wanted)[:_MAX_LINES]
    chosen.sort(key=lambda entry: entry.seq)
    lines = [say(heading)]
    lines += [f"- {_with_reason(entry, _what(entry, names))}" for entry in chosen]
    if entries[_MAX_LINES:]:
        lines.append(say(Text("log-more", {"count": len(entries) - _MAX_LINES})))
    return lines


def _numbers(entries: Sequence[int]) -> Markdown:
    return Markdown(clip(listing(f"#{number}" for number in entries), _MAX_NUMBERS))


def preview_card(table_id: int, shown: PreviewedAmendment, names: Names) -> Layout:
    """Return the private preview of an amendment, with the buttons that decide."""
    amended = next(entry for entry in shown.entries if entry.seq == shown.entry)
    decisions = _decisions(shown)
    pages = max(1, -(-len(decisions) // _PAGE))
    page = min(shown.page, pages - 1)
    on_page = decisions[page * _PAGE : (page + 1) * _PAGE]
    stands = [] if shown.call is None else [say(Text("amend-in-call", {"entry": shown.call}))]
    lines = [
        *stands,
        *_changes(shown),
        *_lists(shown, names, on_page),
        *_consequences(shown, names),
    ]
    params = {
        "entry": shown.entry,
        "undo": shown.undo,
        "what": Markdown(entry_title(amended, names)),
        "words": shown.words,
        "reason": shown.reason,
    }
    others = {other.entry for other in shown.also}
    buttons = [_decision_button(table_id, shown, entry, others) for entry in on_page]
    rows = (
        *_answer_rows(table_id, shown),
        *_call_rows(table_id, shown),
        *button_rows(buttons, BUTTONS_PER_ROW),
        *page_turns(page, pages, lambda to: f"sg:amend-page:{table_id}:{shown.draft}:{to}"),
    )
    return card("gm", "amend-preview", names, *lines, rows=rows, **params)


def _entries_of_fates(shown: PreviewedAmendment, *fates: Fate) -> list[RedoneEntry]:
    """Return the entries with one of these fates, oldest first."""
    entries = [entry for entry in shown.entries if entry.fate in fates]
    return sorted(entries, key=lambda entry: entry.seq)


def _doubtful_entries(shown: PreviewedAmendment) -> list[RedoneEntry]:
    """Return the entries that stay, but were decided on other grounds."""
    return [entry for entry in _entries_of_fates(shown, "changed", "same") if entry.doubtful]


def _decisions(shown: PreviewedAmendment) -> list[RedoneEntry]:
    """Return the later entries that the GM can decide about, oldest first."""
    decisions = [*_doubtful_entries(shown), *_entries_of_fates(shown, "left-out")]
    for entry in _entries_of_fates(shown, "new-dice"):
        if _can_be_left_out(shown, entry):
            decisions.append(entry)
    decisions += [entry for entry in shown.entries if entry.seq in shown.changeable]
    return sorted(decisions, key=lambda entry: entry.seq)


def _changes(shown: PreviewedAmendment) -> list[str]:
    """Return lines about the differences: results, and other values of later entries."""
    lines: list[str] = []
    for verdict in shown.verdicts:
        lines.append(_verdict_line(verdict))
    if shown.seal_readers:
        lines.append(say(Text("amend-seal-readers", {"names": shown.seal_readers})))
    for other in shown.also:
        lines.append(say(Text("amend-also", {"entry": other.entry, "words": other.words})))
    return lines


def _changed_entries(shown: PreviewedAmendment) -> list[RedoneEntry]:
    """Return the entries that come out differently by themselves, without a line of their own."""
    told = {other.entry for other in shown.also}
    changed: list[RedoneEntry] = []
    for entry in _entries_of_fates(shown, "changed"):
        if not (entry.doubtful or entry.untold or entry.seq in told):
            changed.append(entry)
    return changed


def _verdict_line(verdict: CheckVerdict) -> str:
    """Return the line about a check whose result would differ."""
    params = {
        "what": Markdown(_checked(verdict)),
        "was": Markdown(verdict.was) if verdict.was else None,
        "now": Markdown(verdict.now) if verdict.now else None,
    }
    return say(Text("amend-becomes", params))


def _checked(verdict: CheckVerdict) -> str:
    """Return whose check it is, and what it is rolled with, or else its kind."""
    if verdict.who is None:
        return verdict.check
    if verdict.traits:
        return f"{ref_text(verdict.who)}, {listing(map(name_text, verdict.traits))}"
    about = {"who": verdict.who, "kind": verdict.kind}
    return user_text(say_bare(Text("deed-begun", about)))


def _lists(shown: PreviewedAmendment, names: Names, on_page: Sequence[RedoneEntry]) -> list[str]:
    """Return lines about the entries that change, fall away, are to be decided or are left out."""
    gone = _entries_of_fates(shown, "goes-along", "conflict")
    left_out = _entries_of_fates(shown, "left-out")
    return [
        *_listed(Text("amend-changes"), _changed_entries(shown), names, on_page),
        *_listed(Text("amend-cannot-stand"), gone, names, on_page),
        *_listed(Text("amend-decide"), _doubtful_entries(shown), names, on_page),
        *_listed(Text("amend-left-out"), left_out, names, on_page),
    ]


def _consequences(shown: PreviewedAmendment, names: Names) -> list[str]:
    """Return lines about new dice and those who will be told, or about the obstacle."""
    lines: list[str] = []
    dice = _entries_of_fates(shown, "new-dice")
    if dice:
        lines.append(_new_dice_line(shown, dice[0], names))
    if shown.hindrance:
        is_by_cards = shown.hindrance == "amend-cards"
        lines.append(say(Text("amend-hindered", {"cards": is_by_cards})))
        return lines
    if shown.public:
        lines.append(say(Text("amend-public", {"numbers": _numbers(shown.public)})))
    if shown.whispered:
        lines.append(say(Text("amend-whispered", {"numbers": _numbers(shown.whispered)})))
    if shown.private:
        people = Markdown(listing(map(names.mention, shown.private)))
        lines.append(say(Text("amend-private", {"people": people})))
    if not (shown.public or shown.whispered or shown.private):
        lines.append(say(Text("amend-not-public")))
    return lines


def _can_be_left_out(shown: PreviewedAmendment, entry: RedoneEntry) -> bool:
    """Return whether the GM may leave an entry out that needs new dice.

    An entry without a count is a result with a late choice, which the amendment is about.
    """
    return entry.seq != shown.entry and not entry.untold and entry.dice is not None


def _new_dice_line(shown: PreviewedAmendment, entry: RedoneEntry, names: Names) -> str:
    """Return the line about an entry that needs new dice, and how many would fall."""
    count, can_be_left_out = entry.dice, _can_be_left_out(shown, entry)
    params: Mapping[str, object] = {
        "entry": entry.seq,
        "what": Markdown(entry_title(entry, names)) if can_be_left_out else None,
        "count": None if count is None else count.least,
        "more": count is not None and not count.exact,
        "out": can_be_left_out,
    }
    return say(Text("amend-new-dice", params))


def _answer_rows(table_id: int, shown: PreviewedAmendment) -> Rows:
    """Return the buttons that carry an amendment out, give its reason or drop it.

    An amendment that can't be carried out can only be dropped.
    """
    leave = Button(f"sg:amend-leave:{table_id}:{shown.draft}", label_text("amend-leave"))
    if shown.hindrance:
        return ((leave,),)
    style = "danger" if shown.undo else "primary"
    do = Button(
        f"sg:amend-do:{table_id}:{shown.draft}", label_text("amend-do", undo=shown.undo), style
    )
    label = label_text("amend-reason", given=bool(shown.reason))
    why = Button(f"sg:amend-reason:{table_id}:{shown.draft}", label)
    return ((do, why, leave),)


def _call_rows(table_id: int, shown: PreviewedAmendment) -> Rows:
    """Return the button that opens the call in which the difficulty of the roll stands."""
    if shown.call is None:
        return ()
    label = label_text("amend-call", entry=shown.call)
    return ((open_button(table_id, shown.call, label),),)


def reason_dialog(table_id: int, draft: str, reason: str) -> Modal:
    """Return the dialog for the reason of an amendment."""
    typed = Input(
        REASON_INPUT,
        label_text("amend-reason-field"),
        reason,
        required=False,
        most=REASON_MAX,
        about=label_text("amend-reason-about"),
    )
    return Modal(
        f"sg:amend-reason-text:{table_id}:{draft}", label_text("amend-reason-title"), (typed,)
    )


def _decision_button(
    table_id: int, shown: PreviewedAmendment, entry: RedoneEntry, others: Set[int]
) -> Button:
    """Return the button of a later entry: leave it out, keep it, or give it other values too."""
    number = entry.seq
    if number in shown.changeable:
        label = label_text("amend-change-too", entry=number, again=number in others)
        return Button(f"sg:amend-also:{table_id}:{shown.draft}:{number}", label)
    label = label_text("amend-toggle", entry=number, out=entry.fate == "left-out")
    return Button(f"sg:amend-toggle:{table_id}:{shown.draft}:{number}", label)


def amended_card(event: Amended, names: Names) -> Layout:
    """Return the entries that came out differently, as their audience knows them."""
    lines: list[str] = []
    told = [event.entries[0], *filter(_says_what_changed, event.entries[1:])]
    untold = _untold_results(_changed_results(event), told[:_MAX_LINES])
    lines += result_lines(untold[:_MAX_LINES])
    for entry in told[:_MAX_LINES]:
        lines.append(_amended_line(entry, names))
        lines += [f"  - {news}" for news in block_lines(entry.news)]
    if told[_MAX_LINES:]:
        lines.append(say(Text("log-more", {"count": len(told) - _MAX_LINES})))
    numbers = _numbers([entry.seq for entry in event.entries])
    head = _outcome_params(event, names)
    return card("waiting", "amended", names, *lines, about=event, numbers=numbers, **head)


def _says_what_changed(entry: AmendedEntry) -> bool:
    """Return whether a line can say what is different about an entry.

    The others only show something that another line tells, such as the difficulty.
    """
    return entry.gone or bool(entry.verdict or entry.notice or entry.news)


def _amended_line(entry: AmendedEntry, names: Names) -> str:
    """Return the line of an entry, with a link to its message and what is different now."""
    number = f"#{entry.seq}"
    if entry.link:
        number = f"[{number}]({entry.link})"
    result = ""
    if entry.verdict is not None:
        result = result_text(entry.verdict)
    if entry.notice is not None and not result:
        result = notice_summary(entry.notice)
    what = user_text(entry_text(entry.kind, entry.step, names.name(entry.by)))
    params: Mapping[str, object] = {
        "number": Markdown(number),
        "what": Markdown(what),
        "now": Markdown(result) if result else None,
        "gone": entry.gone,
    }
    return say(Text("amended-line", params))


def _changed_results(event: Amended) -> tuple[ChangedResult, ...]:
    """Return the results that are others; of an older correction, the last one that it tells."""
    if event.results is not None:
        return event.results
    results: tuple[ChangedResult, ...] = ()
    for entry in event.entries:
        if entry.verdict is not None and not entry.gone:
            results = (ChangedResult("", entry.verdict, entry.who),)
    return results


def _untold_results(
    results: Sequence[ChangedResult], told: Iterable[AmendedEntry]
) -> list[ChangedResult]:
    """Return those of several results that no line of an entry tells."""
    if len(results) < 2:
        return []
    in_lines = [(entry.verdict, entry.who) for entry in told]
    return [result for result in results if (result.verdict, result.who) not in in_lines]


def _outcome_params(event: Amended, names: Names) -> dict[str, Any]:
    """Return what the headline says: the new results, what falls away, or what else changed."""
    results = _changed_results(event)
    gone = [entry for entry in event.entries if entry.gone]
    named = gone if gone or results else event.entries
    what = ""
    if len(named) == 1:
        (only,) = named
        what = user_text(entry_text(only.kind, only.step, names.name(only.by)))
    return {
        "what": Markdown(what) if what else None,
        "away": len(gone),
        "count": len(event.entries),
        "changed": bool(results),
        **result_params(results),
    }
