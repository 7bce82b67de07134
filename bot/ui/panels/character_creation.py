"""Panels for making and changing characters, and for approving new ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from bot.presenters.character import refusal_pieces, sheet_card, sheet_preview
from bot.presenters.control_ids import option_token
from bot.presenters.forms import REVIEW_STEP, PanelForm, SendButton, field_text
from bot.presenters.language.text import name_text
from bot.presenters.language.words import label_text, phrase
from bot.presenters.layout import Body, Layout, Piece
from bot.ui.context import Context
from bot.ui.panels.form import FormPanel
from bot.ui.router import Press, Router
from rules.core.errors import Impossible, Outdated, Problems, RulesError
from rules.registry import read_only_game
from rules.table.actions import Approve, Edit, ImportCharacter
from rules.table.blocks import Text
from rules.table.check import Values
from rules.table.forms.fields import FormContext, Option, Pick, Typed
from rules.table.forms.form import Form
from rules.table.lookup import find_character, name_bearer
from rules.table.people.approval import refused_step
from rules.table.people.characters import NOTE_MAX, editable_characters, find_own
from rules.table.people.sample_characters import complete_draft
from rules.table.people.sheets import (
    draft_object,
    draft_warnings,
    is_newly_made,
    is_step_shown,
    read_object,
    read_texts,
    text_fields,
    texts_of,
)
from rules.table.permissions import is_gm, owns
from rules.table.state import AnyCharacter, Character
from rules.table.system import Game, Page

READY: Final = "ready"
SHEET: Final = "sheet"
BACK: Final = "back"
REFUSE: Final = "refuse"
_MEND: Final = Form(
    (Typed("note", title=Text("field-mend"), long=True, most=NOTE_MAX, needed=True),)
)
_WHY: Final = Form((Typed("note", title=Text("field-refusal"), long=True, most=NOTE_MAX),))


class SheetForm:
    """Form of a sheet. `about` has the `character` who is changed and its texts at the start
    (`base`).
    """

    def fill(self, ctx: Context, about: Mapping[str, Any], draft: Values, /) -> PanelForm:
        """Return the steps of creation, or the fields of a character in play that the actor may
        change.
        """
        state = ctx.table.state
        game = read_only_game(state, ctx.actor)
        edited = (
            find_character(editable_characters(state, ctx.actor), about["character"])
            if about
            else None
        )
        pages, fields = _pages(ctx, game, edited, draft), text_fields(game)
        form = Form(tuple(field for page in pages for field in page.form.fields))
        again = edited is not None and not edited.approved and not is_gm(state, ctx.actor)
        new = edited is None or (again and is_newly_made(game, edited))

        def read(draft: Values) -> tuple[Values, tuple[RulesError, ...]]:
            base = about.get("base", {})
            texts = {
                key: value
                for key, value in draft.items()
                if key not in base or field_text(fields[key], value) != base[key]
            }
            try:
                name = read_texts(game, texts, new=new, character=edited)["name"]
            except Problems as error:
                return texts, error.problems
            own = () if edited is None else (edited.id,)
            taken = name_bearer(state, ctx.actor, name, own) is not None
            return texts, (Impossible("name-is-taken", field="name", value=name),) if taken else ()

        def preview(texts: Values) -> tuple[Piece, ...]:
            fields = read_texts(game, texts, new=new, character=edited)
            if edited is None:
                result: AnyCharacter = Character("", owner=ctx.actor.id, **fields)
            else:
                result = edited.replace(**fields)
            return (*sheet_preview(game, result), *_asked_lines(game, result, asks_gm))

        asks_gm = state.settings.approve and not is_gm(state, ctx.actor)
        if edited is None:
            name, left = draft.get("name"), phrase("create-discarded")
            shown = name_text(name) if name else phrase("create-new")
        else:
            shown, left = name_text(edited.name), phrase("create-left")
        fresh = edited is None or again
        label = label_text("create-send", fresh=fresh, asks_gm=asks_gm)
        head, _, body = left.partition("\n")
        refused = () if edited is None else refusal_pieces(game, edited)
        return PanelForm(
            form,
            FormContext(game, None, "", draft),
            shown,
            (SendButton("send", label, "primary"),),
            before=tuple(refused),
            preview=preview,
            small=phrase("create-kept"),
            cancel=label_text("create-discard"),
            steps=pages,
            read=read,
            left=(head, body),
            warn=lambda draft: draft_warnings(game, draft, edited) if fresh else (),
            complete=_completion(ctx, game) if edited is None else None,
        )

    async def send(
        self, ctx: Context, about: Mapping[str, Any], values: Values, option: str, /
    ) -> None:
        """Create the character, or change the texts that differ from the start."""
        if about:
            fields = text_fields(read_only_game(ctx.table.state))
            texts = {key: field_text(fields[key], value) for key, value in values.items()}
            await ctx.perform(Edit(**ctx.origin, character=about["character"], fields=texts))
        else:
            await ctx.perform(
                ImportCharacter(
                    **ctx.origin, data=draft_object(read_only_game(ctx.table.state), values)[0]
                )
            )


def _asked_lines(game: Game, character: AnyCharacter, asks_gm: bool) -> tuple[Piece, ...]:
    """Return what the GM will be asked about one by one."""
    lines = game.sheets.approvals(game, character.sheet) if asks_gm else ()
    words = tuple(line.words for line in lines if line.state != "allowed")
    return (Body(phrase("create-asks-gm-about", lines=words)),) if words else ()


class CreatePanel:
    """Panel of ready characters, with the way to an own character, whose draft is kept."""

    def __init__(self, forms: FormPanel, router: Router) -> None:
        self._forms = forms
        forms.add(READY, self)
        forms.add(SHEET, SheetForm(), lambda: Outdated("create-gone"))
        Approval(forms, router)

    async def open(self, ctx: Context) -> None:
        kept = await self._forms.draft_values(ctx, SHEET, own_draft(ctx))
        begun = str(kept.get("name", "")).strip() if any(kept.values()) else None
        await self._forms.open(ctx, READY, {"begun": begun})

    async def edit(self, ctx: Context, character: str | None) -> None:
        """Open the texts of a character: all of them for GMs and before approval, else the free
        ones.

        Without a name, a character with a line that the GM has refused comes first.
        """
        state = ctx.table.state
        pool = editable_characters(state, ctx.actor)
        game = read_only_game(state)
        waiting = [
            candidate
            for candidate in pool
            if owns(state, ctx.actor, candidate)
            and not candidate.approved
            and refused_step(game, candidate)
        ]
        if character is None and len(waiting) == 1:
            edited = waiting[0]  # the GM has refused a line of it
        else:
            edited = find_own(state, ctx.actor, character, pool)
        texts, step = texts_of(game, edited), refused_step(game, edited)
        about = {"character": edited.id, "base": texts}
        await self._forms.open(ctx, SHEET, about, texts, step=step)

    def fill(self, ctx: Context, about: Mapping[str, Any], draft: Values, /) -> PanelForm:
        """Return the menu of ready characters and the chosen one's sheet.

        `about` has the name in the kept draft (`begun`).
        """
        state = ctx.table.state
        game = read_only_game(state)
        ready = tuple(_options(game.sheets.ready(game)))
        fields = (
            Pick("ready", title=Text("field-ready"), choices=ready, needed=True),
            Typed("name", title=Text("field-other-name"), most=80),
        )
        picked, begun = _picked_character(game, draft), about["begun"]
        ways = phrase("create-ways", ready=bool(ready), draft=begun is not None, begun=begun)
        before: list[Piece] = [*map(Body, ways.splitlines())]
        made_for_me = SendButton("made", label_text("form-complete"), "primary", always=True)
        sends = [SendButton("own", label_text("create-own"), always=True)]
        if game.sheets.samples(game):
            sends.insert(0, made_for_me)
        if begun is not None:
            sends = [
                SendButton("own", label_text("create-continue"), "primary", always=True),
                made_for_me.replace(style="secondary"),
                SendButton("anew", label_text("create-start-over"), "danger", always=True),
            ]
        if picked is not None:
            data, name = picked
            shown = read_object(game, data, new=True)
            ready_character: AnyCharacter = Character("", owner=ctx.actor.id, **shown).replace(
                name=name
            )
            before = [*sheet_preview(game, ready_character, whole=False)]
            sends.insert(0, SendButton("take", label_text("create-take"), "primary"))

        def read(draft: Values) -> tuple[Values, tuple[RulesError, ...]]:
            if picked is None:
                return draft, ()
            data, name = picked
            try:
                read_object(game, {**data, "name": name}, new=True)
            except Problems as error:
                return draft, error.problems
            taken = name_bearer(state, ctx.actor, name) is not None
            return draft, (Impossible("ready-name-taken", name=name),) if taken else ()

        return PanelForm(
            Form(fields if picked is not None else fields[:1] if ready else ()),
            FormContext(game, None, "", draft),
            phrase("create-new") if picked is None else name_text(picked[1]),
            tuple(sends),
            before=tuple(before),
            read=read,
        )

    async def send(
        self, ctx: Context, about: Mapping[str, Any], values: Values, option: str, /
    ) -> None:
        """Take the ready character, or open the draft of an own one.

        Taking a ready character leaves that draft as it is.
        """
        if option == "take":
            picked = _picked_character(read_only_game(ctx.table.state), values)
            if picked is None:
                raise Outdated("create-gone")
            await ctx.perform(ImportCharacter(**ctx.origin, data={**picked[0], "name": picked[1]}))
            return
        kept = (
            {} if option == "anew" else await self._forms.draft_values(ctx, SHEET, own_draft(ctx))
        )
        step = ""
        if option == "made":
            kept = _completion(ctx, read_only_game(ctx.table.state))(kept)
            step = REVIEW_STEP
        await self._forms.open(ctx, SHEET, {}, kept, own_draft(ctx), step)


class Approval:
    """Approval of new characters: `sg:appr:<table>:<character>:<verb>[:<sheet>]`.

    Sending a character back asks what to mend. Lines of its sheet are ruled on by
    `sg:appl:<table>:<character>:<allow|refuse>:<line>`, and by the menu
    `sg:appl:<table>:<character>:line`.
    """

    def __init__(self, forms: FormPanel, router: Router) -> None:
        self._forms = forms
        forms.add(BACK, self)
        forms.add(REFUSE, LineRefusal())
        router.add_table_route("appr", self.approve)
        router.add_table_route("appl", self.rule_line, update=True, gms=True)

    async def rule_line(self, ctx: Context, press: Press) -> None:
        """Allow a line of a new sheet, or ask why it is refused."""
        name, verb, token = press.text(1), press.text(2), ":".join(press.args[3:])
        if verb == "line":
            verb, _, token = press.choice.partition(":")
        line = _line_of(ctx, name, token)
        if verb == "allow":
            await _rule(ctx, name, line, accept=True)
        elif verb == "refuse":
            await self._forms.ask(ctx, REFUSE, {"character": name, "line": line})
        else:
            raise Outdated("unknown-control")

    async def approve(self, ctx: Context, press: Press) -> object:
        """Show a new character to a GM, approve it, or ask what to mend."""
        ctx.move_to_table()
        state, name, verb = ctx.table.state, press.text(1), press.text(2)
        ctx.require_gm()
        there = state.characters.get(name)
        waits = there is not None and not there.approved
        if verb == "ok":
            if waits and press.args[3:] not in ((), (option_token(repr(there)),)):
                raise Outdated("sheet-changed")
            return await ctx.perform(Approve(**ctx.origin, character=name))
        if there is None or not waits:
            # The same refusal as for the button that lets it in.
            raise Impossible("approved-already", name="" if there is None else there.name)
        if verb == "back":
            await self._forms.ask(ctx, BACK, {"character": name})
        elif verb == "show":
            await ctx.show(sheet_card(ctx.scene, there, own=False, gm=True))
        else:
            raise Outdated("unknown-control")

    def fill(self, ctx: Context, about: Mapping[str, Any], draft: Values, /) -> PanelForm:
        """Return the form for a note on what to mend before approval."""
        ctx.require_gm()
        send = SendButton("back", label_text("approve-back"), "primary")
        return PanelForm(
            _MEND, FormContext(values=draft), label_text("approve-back-title"), (send,), accent="gm"
        )

    async def send(
        self, ctx: Context, about: Mapping[str, Any], values: Values, option: str, /
    ) -> None:
        ctx.move_to_table()
        await ctx.perform(
            Approve(**ctx.origin, character=about["character"], accept=False, note=values["note"])
        )


class LineRefusal:
    """Form that refuses one line of a new sheet, with a note for its player.

    `about` names the `character` and the `line`.
    """

    def fill(self, ctx: Context, about: Mapping[str, Any], draft: Values, /) -> PanelForm:
        ctx.require_gm()
        send = SendButton("refuse", label_text("approval-refuse-line"), "primary")
        title = label_text("approval-refuse-title")
        return PanelForm(_WHY, FormContext(values=draft), title, (send,), accent="gm")

    async def send(
        self, ctx: Context, about: Mapping[str, Any], values: Values, option: str, /
    ) -> None:
        note = values.get("note", "")
        await _rule(ctx, about["character"], about["line"], accept=False, note=note)


def _line_of(ctx: Context, character: str, token: str) -> str:
    """Return the id of a line of a new sheet. Impossible("line-gone") if it isn't there."""
    there = ctx.table.state.characters.get(character)
    game = read_only_game(ctx.table.state)
    if there is not None and not there.approved:
        for line in game.sheets.approvals(game, there.sheet):
            if option_token(line.id) == token:
                return line.id
    raise Impossible("line-gone", name="" if there is None else there.name)


async def _rule(ctx: Context, character: str, line: str, *, accept: bool, note: str = "") -> None:
    """Rule on a line of a new sheet, and show the sheet as it is then."""

    def shown() -> Layout | None:
        there = ctx.table.state.characters.get(character)
        return None if there is None else sheet_card(ctx.scene, there, own=False, gm=True)

    ctx.move_to_table()
    action = Approve(**ctx.origin, character=character, accept=accept, note=note, line=line)
    await ctx.perform(action, instead=shown)


def _completion(ctx: Context, game: Game) -> Callable[[Values], Values]:
    """Return what fills the empty fields of a draft, with a name that is free at the table."""
    state = ctx.table.state

    def is_taken(name: str) -> bool:
        return name_bearer(state, ctx.actor, name) is not None

    return lambda draft: complete_draft(game, draft, is_taken)


def own_draft(ctx: Context) -> str:
    """Return the id of a user's draft of a new character at a table."""
    return f"new{ctx.table.id}.{ctx.interaction.user.id}"


def _pages(
    ctx: Context, game: Game, edited: AnyCharacter | None, draft: Values
) -> tuple[Page, ...]:
    """Return the steps with the fields that the actor may change.

    A step that the table's characters don't have is there for GMs who change a sheet.
    """
    if edited is not None and ctx.gm:
        return tuple(map(_page_in_play, game.creation)) if edited.approved else game.creation
    if edited is None or not edited.approved:
        return tuple(page for page in game.creation if is_step_shown(game, page, draft))
    # An approved character's free fields have no consequences, so the steps carry no `follows`.
    free = [
        Page(page.key, page.title, Form(tuple(field for field in page.form.fields if field.free)))
        for page in game.creation
    ]
    return tuple(page for page in free if page.form.fields)


def _page_in_play(page: Page) -> Page:
    """Return a step without the points of creation, for a character in play."""
    return Page(
        page.key,
        page.title,
        page.form,
        page.follows,
        about=page.about,
        steppers=page.steppers,
        stepper=page.stepper,
        starts=page.starts,
    )


def _options(roster: Iterable[Mapping[str, object]]) -> Iterable[Option]:
    for number, character in enumerate(roster):
        role = f" ({character['role']})" if character.get("role") else ""
        yield Option(str(number), Text("as-written", {"text": f"{character['name']}{role}"}))


def _picked_character(game: Game, draft: Values) -> tuple[Mapping[str, object], str] | None:
    """Return the chosen ready character, and the name to take it under."""
    ready = dict(
        zip(map(str, range(len(game.sheets.ready(game)))), game.sheets.ready(game), strict=True)
    )
    data = ready.get(str(draft.get("ready", "")))
    if data is None:
        return None
    return data, " ".join(str(draft.get("name") or "").split()) or str(data["name"])
