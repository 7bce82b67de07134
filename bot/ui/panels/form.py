"""Panels of forms. A form's owner describes it, previews its result and sends it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Protocol

from bot.delivery.send_queue import KeyedLocks
from bot.presenters.form_entries import (
    REMOVE,
    begun_entry,
    entry_draft_id,
    entry_line,
    entry_panel,
    opened_entry,
    table_field,
    with_entry,
)
from bot.presenters.forms import (
    ENTRY_MENU,
    ENTRY_START,
    FINDING_MENU,
    FOLD_MENU,
    MORE_CHOICES,
    NO_CHOICE,
    REVIEW_STEP,
    STEPPER_BUTTON,
    STEPPER_MENU,
    PanelForm,
    closed_texts,
    dialog,
    discarding_card,
    draft_problems,
    draft_value,
    entry_fields,
    form_card,
    is_foldable,
    menus,
    missing_dialog,
    panel_error,
    stepped_fields,
    stepped_number,
    typed_fields,
)
from bot.presenters.forms.menus import Menu
from bot.presenters.layout import build_layout
from bot.services.tables import Tables
from bot.ui.context import Context
from bot.ui.drafts import Draft, Drafts, new_draft
from bot.ui.interactions import Interactions
from bot.ui.router import Press, Router, parse_number
from rules.core.errors import Impossible, Outdated, Problems, RulesError
from rules.core.record import Record
from rules.table.check import Values
from rules.table.forms.entry_fields import Table
from rules.table.forms.fields import Many
from rules.table.forms.form import Field, Form

#: Routes of pressed or chosen controls, and of submitted dialogs.
PRESSED, TYPED = "fm", "fmm"
_EMPTY: Final[Mapping[str, Any]] = MappingProxyType({})


class FormOwner(Protocol):
    """Owner of a kind of form. `about` is the owner's own JSON, kept since the panel was opened."""

    def fill(self, ctx: Context, about: Mapping[str, Any], draft: Values, /) -> PanelForm:
        """Return the form with everything shown beside it.

        Raises RulesError if there is nothing to fill in any more.
        """
        ...

    async def send(
        self, ctx: Context, about: Mapping[str, Any], values: Values, option: str, /
    ) -> None:
        """Carry out the button *option* with values that have no problems.

        The answer replaces the panel.
        """
        ...


#: Reads what an owner's form needs beside the table, given its `about`.
Prepare = Callable[[Context, Mapping[str, Any]], Awaitable[object]]


class _Level(Record):
    """A form of a panel, or an entry opened in it: what is shown, and the state that is kept."""

    filling: PanelForm
    state: dict[str, Any]

    @property
    def values(self) -> dict[str, Any]:
        """The draft of this form."""
        return self.state["values"]


class FormPanel:
    """Panels of forms, `sg:fm:<owner>:<draft>:<control>`; dialogs return as
    `sg:fmm:<owner>:<draft>`.

    Controls: `f<n>` the menu of the form's n-th field, `s` a menu that several fields share, `w<n>`
    a dialog, `p` further menus, `g` and `g:<step>` another step, `h` the step of a finding, `m`
    fills the empty fields, `b:<option>` a button that sends, `x` leaves, and `y:<b|x>:<option>`
    does so although typed values are lost. Typed values are kept, right or wrong, until the panel
    is sent or left.

    `k` is the menu of buttons without room; its choice is the control of one of them. `t` is the
    menu of stepped numbers, and `u:<by>` steps the one chosen there.

    `e` is the menu of entries and `n<n>:<way>` begins one of the n-th field. An opened entry has
    the same controls behind `r<depth>`; its draft lies beside that of the form (`opened`).
    """

    def __init__(self, interactions: Interactions, drafts: Drafts, router: Router) -> None:
        self._interactions = interactions
        self._drafts = drafts
        self._owners: dict[str, FormOwner] = {}
        self._gone: dict[str, Callable[[], Outdated]] = {}
        self._prepares: dict[str, Prepare] = {}
        self._turns = KeyedLocks()
        router.add(PRESSED, partial(self._run_with_draft, self._press))
        router.add(TYPED, partial(self._run_with_draft, self._submit))

    def add(
        self,
        key: str,
        owner: FormOwner,
        gone: Callable[[], Outdated] | None = None,
        prepare: Prepare | None = None,
    ) -> None:
        """Register an owner under a short key. Raises ValueError if the key is taken.

        *gone* makes the error for a draft of this owner that has expired. *prepare* reads what
        `fill` needs beside the table, each time before a control of the form acts.
        """
        if key in self._owners:
            raise ValueError(f"form {key!r} is taken")
        self._owners[key] = owner
        if gone is not None:
            self._gone[key] = gone
        if prepare is not None:
            self._prepares[key] = prepare

    @property
    def tables(self) -> Tables:
        """The tables that forms are about."""
        return self._interactions.tables

    async def open(
        self,
        ctx: Context,
        key: str,
        about: Mapping[str, Any],
        values: Values = _EMPTY,
        draft_id: str = "",
        step: str = "",
        *,
        continued: bool = True,
    ) -> None:
        """Show a fresh panel of an owner's form, at its first step or at *step*.

        The panel is filled with *values*. With *draft_id*, they are those of an earlier draft, read
        by `draft_values`; or the draft is *continued* only from the next time on.
        """
        draft = await self._begin_draft(ctx, key, about, values, draft_id, continued=continued)
        if step:
            draft.values["step"] = step
            await self._drafts.save(draft)
        await self._show(ctx, draft)

    async def draft_button_id(
        self, ctx: Context, key: str, about: Mapping[str, Any], values: Values
    ) -> str:
        """Save a draft with these values, and return the id of a button that shows its panel."""
        draft = await self._begin_draft(ctx, key, about, values)
        return f"sg:{PRESSED}:{key}:{draft.id}:g:{REVIEW_STEP}"

    async def ask(
        self, ctx: Context, key: str, about: Mapping[str, Any], values: Values = _EMPTY
    ) -> None:
        """Open the first dialog of an owner's form at once, filled with these values.

        The submitted dialog is sent; if it can't be, the panel is shown.
        """
        draft = await self._begin_draft(ctx, key, about, values)
        filling = self._fill(ctx, draft)
        if not typed_fields(filling):
            return await self._show(ctx, draft)
        draft.values["asked"] = filling.sends[0].value
        await self._write(ctx, draft, 0, 0)

    async def draft_values(self, ctx: Context, key: str, draft_id: str) -> Values:
        """Return the values of a draft; empty if it is gone."""
        return (await self._stored_values(ctx, key, draft_id)).get("values", {})

    async def changed_values(self, ctx: Context, key: str, draft_id: str) -> Values:
        """Return the values of a draft; empty if it is gone or as it began."""
        kept = await self._stored_values(ctx, key, draft_id)
        return kept["values"] if kept.get("typed") else _EMPTY

    async def _opened_entries(self, ctx: Context, key: str, draft_id: str) -> list[dict[str, Any]]:
        """Return the entries that are opened in a draft."""
        return (await self._stored_values(ctx, key, draft_id)).get("opened", [])

    async def _stored_values(self, ctx: Context, key: str, draft_id: str) -> Mapping[str, Any]:
        try:
            return (await self._drafts.load(draft_id, _kind(key), ctx.interaction.user.id)).values
        except Outdated:
            return _EMPTY

    async def _begin_draft(
        self,
        ctx: Context,
        key: str,
        about: Mapping[str, Any],
        values: Values,
        draft_id: str = "",
        *,
        continued: bool = True,
    ) -> Draft:
        # Which fields a form has may depend on the values that it begins with.
        state: dict[str, Any] = {"page": 0, "at": {}, "step": ""}
        kept: dict[str, Any] = {"about": dict(about), "values": dict(values), **state}
        # A panel that continues an own draft holds typed values from the start.
        kept["typed"] = bool(draft_id) and continued and any(values.values())
        draft = new_draft(_kind(key), ctx.table.id, ctx.interaction.user.id, kept, draft_id)
        filling = self._fill(ctx, draft)
        opened = await self._opened_entries(ctx, key, draft_id) if kept["typed"] else []
        kept |= {"values": filling.form.write_draft(values), "left": closed_texts(filling)}
        kept["opened"] = opened
        await self._drafts.save(draft)
        return draft

    def _fill(self, ctx: Context, draft: Draft) -> PanelForm:
        owner, kept = self._owners.get(_key(draft)), draft.values
        if owner is None:
            raise Outdated("unknown-control")
        return owner.fill(ctx, kept["about"], kept["values"]).at_step(kept["step"])

    def _levels(self, ctx: Context, draft: Draft) -> list[_Level]:
        """Return the form of a draft, then each opened entry inside the one before it.

        Entries that are gone meanwhile are closed.
        """
        levels = [_Level(self._fill(ctx, draft), draft.values)]
        opened: list[dict[str, Any]] = draft.values.setdefault("opened", [])
        for depth, entry in enumerate(opened):
            outer = levels[-1]
            try:
                inner = entry_panel(outer.filling, outer.values, entry)
            except Outdated:
                del opened[depth:]
                break
            levels.append(_Level(inner, entry))
        return levels

    async def _show(self, ctx: Context, draft: Draft) -> None:
        levels = self._levels(ctx, draft)
        level, id = levels[-1], entry_draft_id(draft.id, len(levels) - 1)
        page, at = level.state["page"], level.state["at"]
        card = form_card(
            level.filling,
            _key(draft),
            id,
            level.values,
            page=page,
            at=at,
            names=ctx.scene.names,
        )
        await ctx.show(card)

    async def _run_with_draft(
        self, act: Callable[[Context, Draft, Press], Awaitable[None]], press: Press
    ) -> None:
        """Load the draft of a pressed control and run *act*, one at a time for each draft."""
        key, draft_id = press.text(0), press.text(1)
        async with (
            self._interactions.respond_to(press.interaction, update=True) as response,
            self._turns.hold(draft_id),
        ):
            try:
                draft = await self._drafts.load(draft_id, _kind(key), press.interaction.user.id)
            except Outdated:
                if key in self._gone:
                    raise self._gone[key]() from None
                raise
            # A newcomer's character is a draft too. The rules check what the draft becomes.
            ctx = await self._interactions.context(response, draft.table_id, guests=True)
            place = draft.values.get("about", _EMPTY).get("place")
            if isinstance(place, str):
                await ctx.reader.learn((place,))  # the draft's owner acts there
            if key in self._prepares:
                await self._prepares[key](ctx, draft.values["about"])
            await act(ctx, draft, press)

    async def _write(
        self, ctx: Context, draft: Draft, depth: int, number: int, hints: Mapping[str, str] = _EMPTY
    ) -> None:
        """Open a dialog, with *hints* in its empty fields.

        Raises Impossible("too-long-for-dialog").
        """
        level = self._levels(ctx, draft)[depth]
        id = entry_draft_id(draft.id, depth)
        modal = dialog(level.filling, _key(draft), id, level.values, number, hints)
        if modal is None:
            raise Impossible("too-long-for-dialog")
        shown: dict[str, str] = level.state.setdefault("shown", {})
        shown |= {typed.id: typed.value for typed in modal.inputs}
        await self._drafts.save(draft)
        await ctx.open_modal(modal)

    async def _press(self, ctx: Context, draft: Draft, press: Press) -> None:
        depth, args = _depth_of(press)
        levels = self._levels(ctx, draft)
        if depth != len(levels) - 1:
            # An entry was opened or closed elsewhere.
            await self._show(ctx, draft)
            return
        level = levels[depth]
        control = args[0] if args else press.text(2)
        if control == FOLD_MENU and press.choice != MORE_CHOICES:
            if not is_foldable(press.choice):
                raise Outdated("unknown-control")
            args = tuple(press.choice.split(":"))
            control = args[0]
        if control[:1] == "w":
            level.state.pop("meant", None)
            await self._write(ctx, draft, depth, parse_number(control[1:]))
            return
        sure = control == "y"
        control, *rest = args[sure:] or ("",)
        if control == "x":
            if level.state.get("typed") and not sure:
                await self._ask_first(ctx, draft, levels, "x")
            elif depth:
                await self._close_entry(ctx, draft)
            else:
                await self._drafts.drop(draft)
                await ctx.show(build_layout("waiting", *draft.values["left"]))
        elif control == "m":
            if level.filling.complete is None:
                raise Outdated("unknown-control")
            values = level.filling.complete(level.values)
            draft.values.update(values=dict(values), step=REVIEW_STEP, page=0, at={}, typed=True)
            await self._drafts.save(draft)
            await self._show(ctx, draft)
        elif control == "b":
            option = ":".join(rest)
            sends = [] if sure else level.filling.sends
            risky = [
                send.label for send in sends if send.value == option and send.style == "danger"
            ]
            if risky:
                await self._ask_first(ctx, draft, levels, f"b:{option}", risky[0])
                return
            await self._send(ctx, draft, depth, option)
        else:
            if depth and control == "g":
                pass  # the entry is kept
            elif control == ENTRY_MENU or control.startswith(ENTRY_START):
                _open_entry(level, draft, control, ":".join(rest) or press.choice)
            else:
                _change_level(press, level, control, rest)
            await self._drafts.save(draft)
            await self._show(ctx, draft)

    async def _ask_first(
        self,
        ctx: Context,
        draft: Draft,
        levels: Sequence[_Level],
        control: str,
        label: str | None = None,
    ) -> None:
        """Ask for confirmation before typed values are lost, or before a risky button."""
        step = levels[-1].filling.step
        place = REVIEW_STEP if step is None else step.key
        id = entry_draft_id(draft.id, len(levels) - 1)
        await ctx.show(discarding_card(_key(draft), id, place, control, label))

    async def _close_entry(self, ctx: Context, draft: Draft) -> None:
        draft.values["opened"].pop()
        await self._drafts.save(draft)
        await self._show(ctx, draft)

    async def _submit(self, ctx: Context, draft: Draft, press: Press) -> None:
        depth, _ = _depth_of(press)
        levels = self._levels(ctx, draft)
        if depth >= len(levels):
            raise Outdated("unknown-control")
        level = levels[depth]
        filling, values = level.filling, level.values
        shown: dict[str, str] = level.state.get("shown", {})
        for field in typed_fields(filling.replace(steps=())):
            # A field that still has its shown value must not undo what another dialog changed.
            if field.key in press.inputs and press.inputs[field.key] != shown.get(field.key):
                values[field.key] = press.inputs[field.key]
                level.state["typed"] = True
        asked = level.state.pop("meant", None) or level.state.get("asked")
        await self._drafts.save(draft)
        filling = self._levels(ctx, draft)[depth].filling
        if asked is not None and not draft_problems(filling, values):
            await self._send(ctx, draft, depth, asked)
        else:
            await self._show(ctx, draft)

    async def _send(self, ctx: Context, draft: Draft, depth: int, option: str) -> None:
        """Send the form, or keep the opened entry.

        A refusal leaves the draft as it is. Missing fields are asked for in a dialog at once.
        """
        levels = self._levels(ctx, draft)
        level = levels[depth]
        filling = level.filling
        try:
            pressed = next((send for send in filling.sends if send.value == option), None)
            if pressed is None:
                raise Outdated("unknown-control")
            values, problems = filling.read_draft(level.values)
            if problems and not pressed.always:
                raise Problems("bad-form", problems, count=len(problems))
            if depth:
                _keep_entry(levels[depth - 1], level, values, option)
                await self._close_entry(ctx, draft)
                return
            await self._owners[_key(draft)].send(ctx, draft.values["about"], values, option)
            # If a dialog was opened instead, the player may close it and go on with the panel.
            if not ctx.response.opened:
                await self._drafts.drop(draft)
        except RulesError as error:
            number, hints = missing_dialog(filling, level.values, error)
            if number is None:
                raise panel_error(error, filling, level.values) from None
            level.state["meant"] = option
            await self._write(ctx, draft, depth, number, hints)


def _change_level(press: Press, level: _Level, control: str, rest: Sequence[str]) -> None:
    """Change what a form or an opened entry shows or holds, by a press of one of its controls."""
    kept, filling, values = level.state, level.filling, level.values
    if control == "p":
        kept["page"] += 1
        return
    if control in (FINDING_MENU, FOLD_MENU) and press.choice == MORE_CHOICES:
        kept["at"][control] = kept["at"].get(control, 0) + 1
        return
    if control in ("g", FINDING_MENU):
        step = press.choice or ":".join(rest)
        if control == FINDING_MENU:
            step = press.choice.partition(".")[2]
        if step not in (REVIEW_STEP, *(known.key for known in filling.steps)):
            raise Outdated("unknown-control")
        kept.update(step=step, page=0, at={})
        return
    if control in (STEPPER_MENU, STEPPER_BUTTON):
        _step_number(level, control, press.choice or ":".join(rest))
        return
    wanted = f":{control}"
    menu = next(
        (shown for shown in menus(filling, "", values, kept["at"]) if shown.id == wanted), None
    )
    if menu is None:
        raise Outdated("unknown-control")
    if MORE_CHOICES in press.values:
        at = control[1:] or control
        kept["at"][at] = kept["at"].get(at, 0) + 1
    before = dict(values)
    _choose(filling.form, menu, values, press.values, control)
    if filling.follow is not None:
        followed = filling.follow(before, values)
        values.clear()
        values.update(followed)
    kept["typed"] = kept.get("typed", False) or bool(filling.steps) or "entry" in kept


def _open_entry(level: _Level, draft: Draft, control: str, chosen: str) -> None:
    """Open a listed entry or a new one. Raises Outdated("unknown-control")."""
    if chosen == MORE_CHOICES:
        turned: dict[str, int] = level.state["at"]
        turned[control] = turned.get(control, 0) + 1
        return
    place, number = control[1:], chosen
    if control == ENTRY_MENU:
        place, _, number = chosen.partition(".")
    field = dict(entry_fields(level.filling)).get(parse_number(place))
    if field is None:
        raise Outdated("unknown-control")
    if control == ENTRY_MENU:
        opened = opened_entry(level.filling, level.values, field, parse_number(number))
    else:
        starts = field.starts(level.filling.asking)
        if parse_number(number) >= len(starts):
            raise Outdated("unknown-control")
        opened = begun_entry(field, starts[int(number)][1])
    draft.values["opened"].append(opened)


def _keep_entry(outer: _Level, inner: _Level, read: Values, option: str) -> None:
    """Write an opened entry into the draft around it, or take it out."""
    entry = inner.state
    field = table_field(outer.filling, entry["field"])
    line = None if option == REMOVE else entry_line(outer.filling, entry, read)
    outer.values[field.key] = with_entry(field, outer.values, entry["entry"], line)
    outer.state["typed"] = True


def _step_number(level: _Level, control: str, chosen: str) -> None:
    """Choose the field that is stepped, or step it. Raises Outdated("unknown-control")."""
    state, fields = level.state, stepped_fields(level.filling)
    turned: dict[str, int] = state["at"]
    if control == STEPPER_MENU and chosen in [field.key for field in fields]:
        turned[control] = [field.key for field in fields].index(chosen)
        return
    if control == STEPPER_MENU or not fields or chosen not in ("-1", "1"):
        raise Outdated("unknown-control")
    field = fields[turned.get(STEPPER_MENU, 0) % len(fields)]
    number = stepped_number(level.filling, field, level.values) + int(chosen)
    level.values[field.key] = str(min(max(number, field.low), field.high))
    state["typed"] = True


def _choose(
    form: Form, menu: Menu, values: dict[str, Any], tokens: Sequence[str], control: str
) -> None:
    """Write the choices of a menu into *values*.

    A menu of several entries changes those that it shows; all others stay.
    """
    if not menu.several:
        token = next(iter(tokens), NO_CHOICE)
        meant, field = menu.meaning(token), field_of(form, control)
        if meant is not None:
            key, value = meant
            values[key] = (
                field.picked(values.get(key, ""), value) if isinstance(field, Table) else value
            )
        elif token == NO_CHOICE:
            values.pop(field.key, None)
        return
    were = dict(values)
    for option, meant in menu.entries:
        if meant is None:
            continue
        key, value = meant
        picked, field = option.value in tokens, form.by_key[key]
        now = draft_value(field, values.get(key))
        if isinstance(field, Many):
            kept = [chosen for chosen in now or () if chosen != value]
            values[key] = [*kept, value] if picked else kept
        elif picked and draft_value(field, were.get(key)) != value:
            # Of two numbers chosen for one field, the new one counts.
            values[key] = value
        elif not picked and now == value:
            values.pop(key)


def _depth_of(press: Press) -> tuple[int, tuple[str, ...]]:
    """Return the depth of the opened entry that a control belongs to, and the control's parts.

    0 is the form itself.
    """
    args = press.args[2:]
    if args and args[0][:1] == "r" and args[0][1:].isdecimal():
        return parse_number(args[0][1:]), args[1:]
    return 0, args


def _kind(key: str) -> str:
    return f"form-{key}"


def _key(draft: Draft) -> str:
    return draft.kind.removeprefix("form-")


def field_of(form: Form, control: str) -> Field:
    """Return the field whose number a control has. Raises Outdated("unknown-control")."""
    number = parse_number(control[1:])
    if number >= len(form.fields):
        raise Outdated("unknown-control")
    return form.fields[number]
