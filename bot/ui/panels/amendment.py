"""Amendments: the form of an entry's values, the preview, and the buttons under it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from bot.presenters.amendments import (
    REASON_INPUT,
    CheckVerdict,
    OtherValues,
    PreviewedAmendment,
    entry_title,
    preview_card,
    reason_dialog,
    result_text,
)
from bot.presenters.catalog_cards import card
from bot.presenters.corrections import request_lines
from bot.presenters.forms import (
    PanelForm,
    SendButton,
    changed_values,
    labeled_values,
    titled_values,
)
from bot.presenters.language.limits import clip
from bot.presenters.language.text import Markdown
from bot.presenters.language.words import label_text, phrase, say
from bot.presenters.layout import Body
from bot.services.amend_requests import ChangeableEntry, changeable_entry, preview
from bot.services.amendable_entries import difficulty_entry
from bot.services.amendment import Amendment
from bot.services.loaded_table import Table
from bot.services.past_entries import PastEntry
from bot.ui.amend_drafts import AmendDraft, AmendDrafts, new_amend_draft
from bot.ui.context import Context
from bot.ui.drafts import Drafts
from bot.ui.panels.form import FormPanel
from bot.ui.router import Press, Router
from rules.core.errors import NotFound, Outdated
from rules.core.name_matching import split_words
from rules.core.record import Record
from rules.registry import read_only_game
from rules.table.actions import Actor, Amend, EntryChange, LateStep
from rules.table.amendments.entry_forms import ANSWER
from rules.table.amendments.limits import amendment_reason, require_amendable, require_amender
from rules.table.amendments.redone_entries import RedoneEntry
from rules.table.amendments.told_events import told_events
from rules.table.blocks import Text, first_verdict
from rules.table.check import Values
from rules.table.checks.audience_views import view_for_actor
from rules.table.events import Amended, Event
from rules.table.forms.fields import Option
from rules.table.readable_places import EVERYWHERE
from rules.table.roll_calls.roll_call import (
    entitled_checks,
    roll_calls,
    traits_of,
    unread_checks,
)
from rules.table.state import TableState

#: Key of the forms of entries among those of panels.
KEY: Final = "am"
#: Buttons of the form: preview the values, undo the entry alone, go back to the preview, and open
#: the call for rolls.
_PREVIEW: Final = "see"
_UNDO: Final = "undo"
_BACK: Final = "back"
_CALL: Final = "call"
#: Most entries that are kept at hand between two presses.
_KEPT: Final = 32
#: Most letters of an entry's values in words.
_WORDS_MAX: Final = 900


class AmendPanel:
    """Handler of amendments and their buttons, for GMs, and owner of the forms of entries.

    `sg:amend-open:<table>:<entry>` opens an entry, and the menu `sg:amend-choose:<table>` the one
    that is chosen. Under a preview:

    - `sg:amend-do:<table>:<draft>` carries it out, `sg:amend-leave:…` drops it.
    - `sg:amend-toggle:…:<entry>` leaves a later entry out, or keeps it after all.
    - `sg:amend-also:…:<entry>` opens the form of a later entry.
    - `sg:amend-page:…:<page>` turns the page.
    - `sg:amend-reason:…` opens the dialog for the reason, `sg:amend-reason-text:…` takes its text.

    The `about` of a form has the `entry`, for a later entry the `draft` of the amendment, and
    otherwise the `reason` that the command gave.
    """

    def __init__(self, drafts: Drafts, router: Router, forms: FormPanel) -> None:
        self._drafts = AmendDrafts(drafts)
        self._forms = forms
        #: Entries whose forms are open, by what they were read for.
        self._entries: OrderedDict[object, ChangeableEntry] = OrderedDict()
        forms.add(KEY, self, prepare=self._prepare)
        router.add_table_route("amend-open", self.open, update=True, gms=True)
        router.add_table_route("amend-choose", self.open_chosen, update=True, gms=True)
        router.add_table_route("amend-do", self.carry_out, update=True, gms=True)
        router.add_table_route("amend-leave", self.leave, update=True, gms=True)
        router.add_table_route("amend-toggle", self.toggle, update=True, gms=True)
        router.add_table_route("amend-also", self.change_too, update=True, gms=True)
        router.add_table_route("amend-page", self.turn_page, update=True, gms=True)
        router.add_table_route("amend-reason", self.open_reason, gms=True)
        router.add_table_route("amend-reason-text", self.take_reason, update=True, gms=True)

    async def begin(self, ctx: Context, number: int, words: str | None, reason: str = "") -> None:
        """Open an entry, or preview it with the values that *words* say.

        Raises as `changeable_entry`, `require_amendable`, `amendment_reason` and the entry's form.
        """
        reason = amendment_reason(reason)
        blank = Amend(**ctx.origin, entry=number)
        entry = await changeable_entry(ctx.interactions.tables, ctx.table, blank, number)
        if not words:
            await self._open_entry(ctx, entry, reason)
            return
        _require_other_values(entry)
        try:
            values = _read_words(entry, words)
        except NotFound as error:
            raise _as_change_error(error, number) from None
        change = entry.change_to(values)
        draft = new_amend_draft(number, reason=reason).with_change(change)
        await self._preview(ctx, draft)

    async def let_in(self, ctx: Context, entry: int, late: LateStep) -> None:
        """Preview a late choice that is made at the result of *entry*. Raises as `preview`."""
        # Who asked is told in the place of the check.
        draft = new_amend_draft(entry).replace(late=late, place=ctx.place)
        await self._preview(ctx, draft)

    async def open(self, ctx: Context, press: Press) -> None:
        """Open the entry of a button."""
        await self.begin(ctx, press.number(1), None)

    async def open_chosen(self, ctx: Context, press: Press) -> None:
        """Open the entry that was chosen in a menu."""
        if not press.choice.isdecimal():
            raise Outdated("unknown-control")
        await self.begin(ctx, int(press.choice), None)

    async def toggle(self, ctx: Context, press: Press) -> None:
        """Leave a later entry out, or keep it after all, and preview that."""
        draft = await self._load(ctx, press)
        await self._preview(ctx, draft.with_toggled(press.number(2)))

    async def turn_page(self, ctx: Context, press: Press) -> None:
        """Show other decisions of a preview."""
        draft = await self._load(ctx, press)
        await self._preview(ctx, draft.replace(page=press.number(2)))

    async def change_too(self, ctx: Context, press: Press) -> None:
        """Open the form of a later entry that can't stand, for the same amendment."""
        draft = await self._load(ctx, press)
        about = {"entry": press.number(2), "draft": draft.id}
        entry = await self._prepare(ctx, about)
        await self._forms.open(ctx, KEY, about, entry.values)

    async def open_reason(self, ctx: Context, press: Press) -> None:
        """Open the dialog for the reason, with the one that there is."""
        draft = await self._load(ctx, press)
        await ctx.open_modal(reason_dialog(ctx.table.id, draft.id, draft.reason))

    async def take_reason(self, ctx: Context, press: Press) -> None:
        """Preview the amendment with the reason of the dialog; an empty one takes it away."""
        draft = await self._load(ctx, press)
        reason = amendment_reason(press.inputs.get(REASON_INPUT, ""))
        await self._preview(ctx, draft.replace(reason=reason))

    async def leave(self, ctx: Context, press: Press) -> None:
        """Drop an amendment."""
        await self._drafts.drop(ctx, await self._load(ctx, press))
        await ctx.show(card("gm", "amend-left", None))

    async def carry_out(self, ctx: Context, press: Press) -> None:
        """Carry out what was previewed; if something has happened since, preview it anew."""
        draft = await self._load(ctx, press)
        if draft.place:
            ctx.move_to(draft.place)
        try:
            await ctx.perform(draft.action(ctx))
        except Outdated as error:
            if error.code != "amend-changed":
                raise
            await self._preview(ctx, draft)
            return
        await self._drafts.drop(ctx, draft)

    async def word_options(self, table: Table, actor: Actor, number: int) -> tuple[Option, ...]:
        """Return the words for other values of an entry, for GMs; none for an entry without values.

        Raises as `changeable_entry`.
        """
        key = (table.id, table.redacted, number, "")
        entry = self._entries.get(key)
        amend = Amend(who=actor, place="", at=0, entry=number)
        require_amender(table.state, amend)
        if entry is None:
            entry = await changeable_entry(self._forms.tables, table, amend, number)
            self._keep(key, entry)
        shown = entry.form() if entry.is_open else None
        return () if shown is None else shown.form.word_options(shown.context)

    def _keep(self, key: object, entry: ChangeableEntry) -> None:
        """Keep an entry at hand; of too many, the one used least recently is dropped."""
        self._entries[key] = entry
        self._entries.move_to_end(key)
        if len(self._entries) > _KEPT:
            self._entries.popitem(last=False)

    # --- forms of entries -------------------------------------------------------------------------

    async def _open_entry(self, ctx: Context, entry: ChangeableEntry, reason: str) -> None:
        """Show the form of an entry; an entry without one is previewed undone."""
        number = entry.entry.seq
        if not entry.is_open:
            await self._preview(ctx, new_amend_draft(number, undo=True, reason=reason))
            return
        about = {"entry": number, "draft": "", "reason": reason}
        await self._prepare(ctx, about)
        await self._forms.open(ctx, KEY, about, entry.values)

    async def _prepare(self, ctx: Context, about: Mapping[str, Any]) -> ChangeableEntry:
        """Read the entry of a form. Raises as `changeable_entry` and `require_amendable`."""
        number, amend = about["entry"], Amend(**ctx.origin, entry=about["entry"])
        require_amender(ctx.table.state, amend)
        if about["draft"]:
            amend = (await self._drafts.load(ctx, about["draft"])).action(ctx)
        key = _entry_key(ctx, about)
        found = self._entries.get(key)
        if found is None or about["draft"]:
            found = await changeable_entry(ctx.interactions.tables, ctx.table, amend, number)
            _require_other_values(found)
        self._keep(key, found)
        return found

    def fill(self, ctx: Context, about: Mapping[str, Any], draft: Values, /) -> PanelForm:
        """Return the form of an entry, on the table that it met."""
        require_amender(ctx.table.state, Amend(**ctx.origin, entry=about["entry"]))
        entry = self._entries.get(_entry_key(ctx, about))
        shown = None if entry is None else entry.form(draft)
        if entry is None or shown is None:
            raise Outdated("panel-gone")
        title = entry_title(_unchanged_entry(entry.entry), ctx.scene.names)
        params = {"entry": entry.entry.seq, "what": Markdown(title)}
        sends = [SendButton(_PREVIEW, label_text("amend-see"), "primary")]
        if about["draft"]:
            sends.append(SendButton(_BACK, label_text("amend-back"), always=True))
        else:
            sends.append(SendButton(_UNDO, label_text("amend-undo"), always=True))
        before = [Body(say(Text("amend-was", {"words": _words_of(entry)})))]
        if entry.call is not None:
            before.append(Body(say(Text("amend-in-call", {"entry": entry.call}))))
            if not about["draft"]:
                label = label_text("amend-call", entry=entry.call)
                sends.append(SendButton(_CALL, label, always=True))
        return PanelForm(
            shown.form,
            shown.context,
            say(Text("amend-form", params)),
            tuple(sends),
            before=(*map(Body, request_lines(ctx.scene, entry.entry.seq)), *before),
            small=phrase("amend-form-small"),
            accent="gm",
            follow=shown.with_starts,
        )

    async def send(
        self, ctx: Context, about: Mapping[str, Any], values: Values, option: str, /
    ) -> None:
        """Preview an entry with other values or undone, or go back to the preview."""
        # A form from before an update has no reason.
        number, reason = about["entry"], about.get("reason", "")
        if option == _UNDO:
            await self._preview(ctx, new_amend_draft(number, undo=True, reason=reason))
            return
        if option == _CALL:
            entry = await self._prepare(ctx, about)
            if entry.call is None:
                raise Outdated("panel-gone")
            await self.begin(ctx, entry.call, None, reason)
            return
        draft = new_amend_draft(number, reason=reason)
        if about["draft"]:
            draft = await self._drafts.load(ctx, about["draft"])
        if option == _PREVIEW:
            entry = self._entries.get(_entry_key(ctx, about))
            if entry is None:
                raise Outdated("panel-gone")
            draft = draft.with_change(entry.change_to(values))
        await self._preview(ctx, draft)

    # --- preview ----------------------------------------------------------------------------------

    async def _load(self, ctx: Context, press: Press) -> AmendDraft:
        return await self._drafts.load(ctx, press.text(1))

    async def _preview(self, ctx: Context, draft: AmendDraft) -> None:
        """Show what an amendment would change, and keep what was shown in the draft."""
        action, table = draft.action(ctx), ctx.table
        entries, amendment = await preview(ctx.interactions.tables, table, action)
        await self._drafts.save(ctx, draft.replace(preview=amendment.digest(action)))
        told = told_events(table.state, action, amendment.entries, rolled=amendment.rolled)
        audiences = _previewed_audiences(told)
        shown = PreviewedAmendment(
            draft.id,
            action.entry,
            action.undo,
            _new_words(entries, action),
            amendment.entries,
            _verdicts(ctx, table.state, amendment),
            audiences.public,
            tuple(_other_values(entries, amendment, action)),
            frozenset(_open_conflicts(entries, amendment)),
            draft.page,
            audiences.whispered,
            amendment.hindrance,
            audiences.people,
            action.reason,
            _seal_readers(ctx, table.state, amendment),
            await self._call_entry(ctx, entries, action),
        )
        await ctx.show(preview_card(table.id, shown, ctx.scene.names))

    async def _call_entry(
        self, ctx: Context, entries: Iterable[PastEntry], action: Amend
    ) -> int | None:
        """Return the call in which the difficulty of a roll stands that would be undone alone."""
        undone = next((entry for entry in entries if entry.seq == action.entry), None)
        if undone is None or not action.undo:
            return None
        return await difficulty_entry(ctx.interactions.tables, ctx.table, undone)


def _seal_readers(ctx: Context, state: TableState, amendment: Amendment) -> tuple[str, ...]:
    """Return the characters whose players may read a sealed text only after an amendment."""
    if amendment.state is None:
        return ()
    amended_game = read_only_game(amendment.state, ctx.actor, ctx.reader.at, EVERYWHERE)
    present_game = read_only_game(state, ctx.actor, ctx.reader.at, EVERYWHERE)
    before: set[str] = set()
    for call in roll_calls(state):
        before.update(check.id for check in entitled_checks(present_game, call))
    names: list[str] = []
    for call in roll_calls(amendment.state):
        for check in () if call.opened else entitled_checks(amended_game, call):
            character = amended_game.character(check.actor)
            unread = unread_checks(amended_game, call, character.owner or "")
            if check in unread and check.id not in before:
                names.append(character.name)
    return tuple(names)


class _PreviewedAudiences(Record):
    """Who would be told of an amendment, besides the GMs."""

    #: Numbers of the entries that everyone is told of, and of those that whisper scenes are.
    public: Sequence[int]
    whispered: Sequence[int]
    #: Participants who are told in private.
    people: Sequence[str]


def _previewed_audiences(told: Iterable[Event]) -> _PreviewedAudiences:
    public: set[int] = set()
    whispered: set[int] = set()
    people: set[str] = set()
    for event in told:
        if isinstance(event, Amended) and event.audience.is_open:
            numbers = public if event.audience.everyone else whispered
            numbers.update(entry.seq for entry in event.entries)
        else:
            people.update(event.audience.people)
    return _PreviewedAudiences(sorted(public), sorted(whispered), sorted(people))


def _entry_key(ctx: Context, about: Mapping[str, Any]) -> object:
    """Return what an entry is kept under; what was deleted since is not found again."""
    return ctx.table.id, ctx.table.redacted, about["entry"], about["draft"]


def _read_words(entry: ChangeableEntry, words: str) -> Values:
    """Return the values of an entry with those that typed words say. Raises as the form does."""
    draft, form = dict(entry.values), entry.form(entry.values)
    assert form is not None
    option_words: list[str] = []
    value_words: list[str] = []
    for word in split_words(words):
        is_option = word.strip().casefold().startswith(f"{ANSWER}:")
        (option_words if is_option else value_words).append(word)
    if option_words:
        # The option decides which fields there are.
        option = form.form.part(ANSWER).read_words(option_words[-1:], form.context)
        draft = form.with_starts(draft, {**draft, **option})
        form = entry.form(draft)
        assert form is not None
    values = {key: value for key, value in draft.items() if key in form.form.keys}
    return values | form.form.read_words(value_words, form.context.replace(values=draft))


def _as_change_error(error: NotFound, entry: int) -> NotFound:
    """Return an error about words for other values, with what the entry has instead."""
    if error.code != "unknown-option" or error.params.get("field") != "with":
        return error
    return NotFound("amend-unknown-value", **{**error.params, "field": "change", "entry": entry})


def _require_other_values(entry: ChangeableEntry) -> None:
    """Require that a GM may give an entry other values. Raises as `require_amendable`."""
    past = entry.entry
    require_amendable(entry.game, past.seq, past.action, past.events, undo=False)


def _unchanged_entry(entry: PastEntry) -> RedoneEntry:
    """Return an entry as it is, for lists of entries."""
    kind, who = type(entry.action).__name__, entry.action.who.id
    return RedoneEntry(entry.seq, entry.at, kind, who, entry.place, "same", entry.events)


def _new_words(entries: tuple[PastEntry, ...], action: Amend) -> str:
    """Return the values of the entry that differ; empty for an undo."""
    if action.undo or action.late is not None:
        return ""
    entry = next(entry for entry in entries if entry.seq == action.entry)
    own = EntryChange(action.entry, action.option, action.values, action.without)
    then = ChangeableEntry(entry, entry.before)
    now = ChangeableEntry(entry, entry.before, own)
    before, after = _titled_values(then), _titled_values(now)
    if ANSWER in after and after[ANSWER] != before.get(ANSWER):
        # Another answer has values of its own.
        before = {ANSWER: before[ANSWER]} if ANSWER in before else {}
    changed = changed_values(before, after)
    # A value without words differs unseen.
    return clip("; ".join(changed), _WORDS_MAX) if changed else _words_of(now)


def _titled_values(entry: ChangeableEntry) -> dict[str, tuple[str, str]]:
    """Return the title and the text of each value of an entry by its field's key."""
    values = entry.values
    shown = entry.form(values)
    return {} if shown is None else titled_values(shown.form, values, shown.context)


def _words_of(entry: ChangeableEntry) -> str:
    """Return the values of an entry with the labels of its form."""
    values = entry.values
    shown = entry.form(values)
    if shown is None:
        return ""
    return clip("; ".join(labeled_values(shown.form, values, shown.context)), _WORDS_MAX)


def _other_values(
    entries: tuple[PastEntry, ...], amendment: Amendment, action: Amend
) -> list[OtherValues]:
    """Return the later entries that get other values too, in words."""
    by_number = {entry.seq: entry for entry in entries}
    others: list[OtherValues] = []
    for change in action.also:
        before = amendment.before.get(change.entry)
        if before is not None:
            entry = ChangeableEntry(by_number[change.entry], before, change)
            others.append(OtherValues(change.entry, _words_of(entry)))
    return others


def _open_conflicts(entries: tuple[PastEntry, ...], amendment: Amendment) -> list[int]:
    """Return the later entries that can't stand but could with other values."""
    numbers: list[int] = []
    for entry in entries:
        before = amendment.before.get(entry.seq)
        if before is not None and ChangeableEntry(entry, before).is_open:
            numbers.append(entry.seq)
    return numbers


def _verdicts(ctx: Context, state: TableState, amendment: Amendment) -> tuple[CheckVerdict, ...]:
    """Return the checks whose results would differ, as the GM reads them."""
    if amendment.state is None:
        return ()
    amended_game = read_only_game(amendment.state, ctx.actor, ctx.reader.at, EVERYWHERE)
    present_game = read_only_game(state, ctx.actor, ctx.reader.at, EVERYWHERE)
    verdicts: list[CheckVerdict] = []
    for key, check in amendment.state.checks.items():
        present = state.checks.get(key)
        if present == check or present is None:
            continue
        view = view_for_actor(amended_game, check)
        now = result_text(first_verdict(view.blocks))
        was = result_text(first_verdict(view_for_actor(present_game, present).blocks))
        if now != was:
            verdicts.append(CheckVerdict(key, check.kind, view.actor, traits_of(check), was, now))
    return tuple(verdicts)
