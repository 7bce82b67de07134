"""One panel for every form: whoever owns the form says what it is about, what would come of it, and
sends it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final, Protocol

from bot.delivery.send_queue import KeyedLocks
from bot.presenters.forms import (
    MORE_CHOICES,
    NO_CHOICE,
    REVIEW_STEP,
    Menu,
    PanelForm,
    closed_texts,
    dialog,
    discarding_card,
    draft_problems,
    form_card,
    menus,
    missing_dialog,
    panel_error,
    typed_fields,
)
from bot.presenters.layout import build_layout
from bot.ui.context import Context
from bot.ui.drafts import Draft, Drafts, new_draft
from bot.ui.interactions import Interactions
from bot.ui.router import Press, Router, parse_number
from rules.core.errors import Impossible, Outdated, Problems, RulesError
from rules.table.forms import Field, Form, Lines, Many, Rows, Values

#: Route of what is pressed or chosen, and of dialogs that come back.
PRESSED, TYPED = "fm", "fmm"
_EMPTY: Final[Mapping[str, Any]] = MappingProxyType({})


class FormOwner(Protocol):
    """Whoever has something filled in. `about` is what it gave when the panel was opened,
    as JSON.
    """

    def fill(self, ctx: Context, about: Mapping[str, Any], draft: Values, /) -> PanelForm:
        """The form and all that is shown with it. RulesError where there is nothing to fill in any
        more.
        """
        ...

    async def send(
        self, ctx: Context, about: Mapping[str, Any], values: Values, option: str, /
    ) -> None:
        """Do what a button says, with values that were read cleanly; the answer takes the panel's
        place.
        """
        ...


class FormPanel:
    """Lives as `sg:fm:<owner>:<draft>:<control>`; dialogs come back as `sg:fmm:<owner>:<draft>`.

    Controls: `f<n>` the menu of the form's n-th field, `s` the menu that several share, `w<n>` a
    dialog, `p` further menus, `g` and `g:<step>` another step, `b:<option>` a button that sends,
    `x` leaves, and `y:<b|x>:<option>` does so although something goes with it that was typed. What
    is typed is kept as it is, right or wrong, until it is sent or left.
    """

    def __init__(self, interactions: Interactions, drafts: Drafts, router: Router) -> None:
        self._interactions = interactions
        self._drafts = drafts
        self._owners: dict[str, FormOwner] = {}
        self._gone: dict[str, Callable[[], Outdated]] = {}
        self._turns = KeyedLocks()
        router.add(PRESSED, partial(self._run_with_draft, self._pressed))
        router.add(TYPED, partial(self._run_with_draft, self._typed))

    def add(self, key: str, owner: FormOwner, gone: Callable[[], Outdated] | None = None) -> None:
        """Know an owner by a short key; `gone` says that a draft of it is not there. ValueError
        when it is taken.
        """
        if key in self._owners:
            raise ValueError(f"form {key!r} is taken")
        self._owners[key] = owner
        if gone is not None:
            self._gone[key] = gone

    async def open(
        self,
        ctx: Context,
        key: str,
        about: Mapping[str, Any],
        values: Values = _EMPTY,
        draft_id: str = "",
    ) -> None:
        """Show a fresh panel of an owner's, filled with these values or with what `draft_values`
        gave.
        """
        await self._show(ctx, await self._begin_draft(ctx, key, about, values, draft_id))

    async def draft_button_id(
        self, ctx: Context, key: str, about: Mapping[str, Any], values: Values
    ) -> str:
        """The id of a button that shows a panel of an owner's, filled with these values."""
        draft = await self._begin_draft(ctx, key, about, values)
        return f"sg:{PRESSED}:{key}:{draft.id}:g:{REVIEW_STEP}"

    async def ask(
        self, ctx: Context, key: str, about: Mapping[str, Any], values: Values = _EMPTY
    ) -> None:
        """Open the first dialog of an owner's at once, filled with these values.

        What comes back is sent, and the panel shown if it cannot be.
        """
        draft = await self._begin_draft(ctx, key, about, values)
        filling = self._fill(ctx, draft)
        if not typed_fields(filling):
            return await self._show(ctx, draft)
        draft.values["asked"] = filling.sends[0].value
        await self._write(ctx, draft, 0)

    async def draft_values(self, ctx: Context, key: str, draft_id: str) -> Values:
        """What stands in a draft; nothing where there is none."""
        try:
            return (await self._drafts.load(draft_id, _kind(key), ctx.interaction.user.id)).values[
                "values"
            ]
        except Outdated:
            return {}

    async def _begin_draft(
        self, ctx: Context, key: str, about: Mapping[str, Any], values: Values, draft_id: str = ""
    ) -> Draft:
        kept: dict[str, Any] = {"about": dict(about), "values": {}, "page": 0, "at": {}, "step": ""}
        # What a draft of one's own goes on with was typed some time.
        kept["typed"] = bool(draft_id) and any(values.values())
        draft = new_draft(_kind(key), ctx.table.id, ctx.interaction.user.id, kept, draft_id)
        filling = self._fill(ctx, draft)
        kept |= {"values": filling.form.write_draft(values), "left": closed_texts(filling)}
        await self._drafts.save(draft)
        return draft

    def _fill(self, ctx: Context, draft: Draft) -> PanelForm:
        owner, kept = self._owners.get(_key(draft)), draft.values
        if owner is None:
            raise Outdated("unknown-control")
        return owner.fill(ctx, kept["about"], kept["values"]).at_step(kept["step"])

    async def _show(self, ctx: Context, draft: Draft) -> None:
        filling, names, kept = self._fill(ctx, draft), ctx.scene.names, draft.values
        page, at = kept["page"], kept["at"]
        card = form_card(
            filling, _key(draft), draft.id, kept["values"], page=page, at=at, names=names
        )
        await ctx.show(card)

    async def _run_with_draft(
        self, act: Callable[[Context, Draft, Press], Awaitable[None]], press: Press
    ) -> None:
        """Do what is pressed, with the draft behind it, which is gone at some time; nothing else
        with it meanwhile.
        """
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
            await act(ctx, draft, press)

    async def _write(
        self, ctx: Context, draft: Draft, number: int, hints: Mapping[str, str] = _EMPTY
    ) -> None:
        """Open a dialog, with `hints` in its empty fields.
        Impossible("too-long-for-dialog").
        """
        filling, values = self._fill(ctx, draft), draft.values["values"]
        modal = dialog(filling, _key(draft), draft.id, values, number, hints)
        if modal is None:
            raise Impossible("too-long-for-dialog")
        shown: dict[str, str] = draft.values.setdefault("shown", {})
        shown |= {each.id: each.value for each in modal.inputs}
        await self._drafts.save(draft)
        await ctx.open_modal(modal)

    async def _pressed(self, ctx: Context, draft: Draft, press: Press) -> None:
        key, control = press.text(0), press.text(2)
        if control[:1] == "w":
            draft.values.pop("meant", None)
            await self._write(ctx, draft, parse_number(control[1:]))
            return
        sure = control == "y"
        control, *rest = press.args[2 + sure :] or ("",)
        if control == "x":
            if draft.values.get("typed") and not sure:
                await ctx.show(discarding_card(key, draft.id, self._step(ctx, draft), "x"))
                return
            await self._drafts.drop(draft)
            await ctx.show(build_layout("waiting", *draft.values["left"]))
        elif control == "b":
            option = ":".join(rest)
            sends = [] if sure else self._fill(ctx, draft).sends
            risky = [
                each.label for each in sends if each.value == option and each.style == "danger"
            ]
            if risky:
                step = self._step(ctx, draft)
                await ctx.show(discarding_card(key, draft.id, step, f"b:{option}", risky[0]))
                return
            await self._send(ctx, draft, option)
        else:
            self._change(press, self._fill(ctx, draft), draft, control)
            await self._drafts.save(draft)
            await self._show(ctx, draft)

    def _step(self, ctx: Context, draft: Draft) -> str:
        """Where a panel goes on that was not left."""
        step = self._fill(ctx, draft).step
        return REVIEW_STEP if step is None else step.key

    async def _typed(self, ctx: Context, draft: Draft, press: Press) -> None:
        filling = self._fill(ctx, draft)
        values: dict[str, Any] = draft.values["values"]
        shown: dict[str, str] = draft.values.get("shown", {})
        for field in typed_fields(filling.replace(steps=())):
            # What stands there as it was shown takes nothing back that another dialog has brought
            # meanwhile.
            if field.key in press.inputs and press.inputs[field.key] != shown.get(field.key):
                values[field.key] = press.inputs[field.key]
                draft.values["typed"] = True
        asked = draft.values.pop("meant", None) or draft.values.get("asked")
        await self._drafts.save(draft)
        if asked is not None and not draft_problems(filling, values):
            await self._send(ctx, draft, asked)
        else:
            await self._show(ctx, draft)

    async def _send(self, ctx: Context, draft: Draft, option: str) -> None:
        """Send it; whatever is refused leaves the draft as it is, and what is missing is asked for
        at once.
        """
        filling = self._fill(ctx, draft)
        try:
            found = next((each for each in filling.sends if each.value == option), None)
            if found is None:
                raise Outdated("unknown-control")
            values, problems = filling.read_draft(draft.values["values"])
            if problems and not found.always:
                raise Problems("bad-form", problems, count=len(problems))
            await self._owners[_key(draft)].send(ctx, draft.values["about"], values, option)
            # A dialog leaves the panel where it is, to be gone on with if it is closed.
            if not ctx.response.opened:
                await self._drafts.drop(draft)
        except RulesError as error:
            number, hints = missing_dialog(filling, draft.values["values"], error)
            if number is None:
                raise panel_error(error, filling, draft.values["values"]) from None
            draft.values["meant"] = option
            await self._write(ctx, draft, number, hints)

    def _change(self, press: Press, filling: PanelForm, draft: Draft, control: str) -> None:
        kept = draft.values
        values: dict[str, Any] = kept["values"]
        if control == "p":
            kept["page"] += 1
            return
        if control == "g":
            step = press.choice or press.text(3)
            if step not in (REVIEW_STEP, *(each.key for each in filling.steps)):
                raise Outdated("unknown-control")
            kept.update(step=step, page=0, at={})
            return
        wanted = f":{control}"
        menu = next(
            (each for each in menus(filling, "", values, kept["at"]) if each.id == wanted), None
        )
        if menu is None:
            raise Outdated("unknown-control")
        if MORE_CHOICES in press.values:
            at = control[1:] or control
            kept["at"][at] = kept["at"].get(at, 0) + 1
        _choose(filling.form, menu, values, press.values, control)
        kept["typed"] = kept.get("typed", False) or bool(filling.steps)


def _choose(
    form: Form, menu: Menu, values: dict[str, Any], tokens: Sequence[str], control: str
) -> None:
    """What a menu brought back: of one with several entries those that it shows, all others
    stay.
    """
    if not menu.several:
        token = next(iter(tokens), NO_CHOICE)
        meant, field = menu.meaning(token), field_of(form, control)
        if meant is not None:
            key, value = meant
            values[key] = (
                field.picked(values.get(key, ""), value)
                if isinstance(field, Lines | Rows)
                else value
            )
        elif token == NO_CHOICE:
            values.pop(field.key, None)
        return
    were = dict(values)
    for option, meant in menu.entries:
        if meant is None:
            continue
        key, value = meant
        picked = option.value in tokens
        if isinstance(form.by_key[key], Many):
            kept = [each for each in values.get(key) or () if each != value]
            values[key] = [*kept, value] if picked else kept
        elif picked and were.get(key) != value:
            # Of two numbers for the same, the one that was not there before.
            values[key] = value
        elif not picked and values.get(key) == value:
            values.pop(key)


def _kind(key: str) -> str:
    return f"form-{key}"


def _key(draft: Draft) -> str:
    return draft.kind.removeprefix("form-")


def field_of(form: Form, control: str) -> Field:
    """The field that a control means by its number. Outdated("unknown-control")."""
    number = parse_number(control[1:])
    if number >= len(form.fields):
        raise Outdated("unknown-control")
    return form.fields[number]
