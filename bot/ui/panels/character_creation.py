"""Making a character: a ready one to take, or step by step; changing one; and letting a new
one in.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from bot.presenters.character import sheet_card, sheet_preview
from bot.presenters.control_ids import option_token
from bot.presenters.forms import REVIEW_STEP, PanelForm, SendButton
from bot.presenters.language.text import name_text
from bot.presenters.language.words import label_text, phrase
from bot.presenters.layout import Body, Piece
from bot.ui.context import Context
from bot.ui.panels.form import FormPanel
from bot.ui.router import Press, Router
from rules.core.errors import Impossible, Outdated, Problems, RulesError
from rules.registry import read_only_game
from rules.table.actions import Approve, Edit, ImportCharacter
from rules.table.blocks import Text
from rules.table.forms import Form, FormContext, Option, Pick, Typed, Values
from rules.table.lookup import find_character, name_bearer
from rules.table.people.characters import NOTE_MAX, editable_characters, find_own
from rules.table.people.sample_characters import complete_draft
from rules.table.people.sheets import draft_object, is_newly_made, read_object, read_texts, texts_of
from rules.table.permissions import is_gm
from rules.table.state import AnyCharacter, Character
from rules.table.system import Game, Page

READY: Final = "ready"
SHEET: Final = "sheet"
BACK: Final = "back"
_MEND: Final = Form(
    (Typed("note", title=Text("field-mend"), long=True, most=NOTE_MAX, needed=True),)
)


class SheetForm:
    """A sheet that is written. `about` has the `character` who is changed and the texts as they
    were (`base`).
    """

    def fill(self, ctx: Context, about: Mapping[str, Any], draft: Values, /) -> PanelForm:
        """The steps of creation, of a character in play those fields that whoever asks may
        change.
        """
        state = ctx.table.state
        game = read_only_game(state)
        edited = (
            find_character(editable_characters(state, ctx.actor), about["character"])
            if about
            else None
        )
        pages = _pages(ctx, game, edited)
        form = Form(tuple(field for page in pages for field in page.form.fields))
        again = edited is not None and not edited.approved and not is_gm(state, ctx.actor)
        new = edited is None or (again and is_newly_made(game, edited))

        def read(draft: Values) -> tuple[Values, tuple[RulesError, ...]]:
            base = about.get("base", {})
            texts = {key: text for key, text in draft.items() if text != base.get(key)}
            try:
                name = read_texts(game, texts, new=new, character=edited)["name"]
            except Problems as error:
                return texts, error.problems
            own = () if edited is None else (edited.id,)
            taken = name_bearer(state, ctx.actor, name, own) is not None
            return texts, (Impossible("name-is-taken", field="name", value=name),) if taken else ()

        def preview(texts: Values) -> tuple[Piece, ...]:
            found = read_texts(game, texts, new=new, character=edited)
            made = (
                Character("", owner=ctx.actor.id, **found)
                if edited is None
                else edited.replace(**found)
            )
            return sheet_preview(game, made)

        if edited is None:
            name, left = draft.get("name"), phrase("create-discarded")
            shown = name_text(name) if name else phrase("create-new")
        else:
            shown, left = name_text(edited.name), phrase("create-left")
        asks_gm = state.settings.approve and not is_gm(state, ctx.actor)
        fresh = edited is None or again
        label = label_text("create-send", fresh=fresh, asks_gm=asks_gm)
        head, _, body = left.partition("\n")
        return PanelForm(
            form,
            FormContext(game, None, "", draft),
            shown,
            (SendButton("send", label, "primary"),),
            preview=preview,
            small=phrase("create-kept"),
            cancel=label_text("create-discard"),
            steps=pages,
            read=read,
            left=(head, body),
            complete=_completion(ctx, game) if edited is None else None,
        )

    async def send(
        self, ctx: Context, about: Mapping[str, Any], values: Values, option: str, /
    ) -> None:
        """Bring the character in, or change what is not as it was."""
        if about:
            await ctx.perform(Edit(**ctx.origin, character=about["character"], fields=dict(values)))
        else:
            await ctx.perform(
                ImportCharacter(
                    **ctx.origin, data=draft_object(read_only_game(ctx.table.state), values)[0]
                )
            )


class CreatePanel:
    """The ready characters, and the way to one's own, of which a draft is kept from one time to the
    next.
    """

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
        """The texts of a character: what is free for its player, everything for GMs and until it is
        let in.
        """
        state = ctx.table.state
        found = find_own(state, ctx.actor, character, editable_characters(state, ctx.actor))
        texts = texts_of(read_only_game(state), found)
        await self._forms.open(ctx, SHEET, {"character": found.id, "base": texts}, texts)

    def fill(self, ctx: Context, about: Mapping[str, Any], draft: Values, /) -> PanelForm:
        """A menu of them and the sheet of the one that is looked at; `about` has the name in the
        draft (`begun`).
        """
        state = ctx.table.state
        game = read_only_game(state)
        ready = tuple(_options(game.sheets.ready(game)))
        fields = (
            Pick("ready", title=Text("field-ready"), choices=ready, needed=True),
            Typed("name", title=Text("field-other-name"), most=80),
        )
        found, begun = _picked(game, draft), about["begun"]
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
        if found is not None:
            data, name = found
            shown = read_object(game, data, new=True)
            made: AnyCharacter = Character("", owner=ctx.actor.id, **shown).replace(name=name)
            before = [*sheet_preview(game, made, whole=False)]
            sends.insert(0, SendButton("take", label_text("create-take"), "primary"))

        def read(draft: Values) -> tuple[Values, tuple[RulesError, ...]]:
            if found is None:
                return draft, ()
            data, name = found
            try:
                read_object(game, {**data, "name": name}, new=True)
            except Problems as error:
                return draft, error.problems
            taken = name_bearer(state, ctx.actor, name) is not None
            return draft, (Impossible("ready-name-taken", name=name),) if taken else ()

        return PanelForm(
            Form(fields if found is not None else fields[:1] if ready else ()),
            FormContext(game, None, "", draft),
            phrase("create-new") if found is None else name_text(found[1]),
            tuple(sends),
            before=tuple(before),
            read=read,
        )

    async def send(
        self, ctx: Context, about: Mapping[str, Any], values: Values, option: str, /
    ) -> None:
        """Take the ready character; or open the draft of one's own, which taking another leaves as
        it is.
        """
        if option == "take":
            found = _picked(read_only_game(ctx.table.state), values)
            if found is None:
                raise Outdated("create-gone")
            await ctx.perform(ImportCharacter(**ctx.origin, data={**found[0], "name": found[1]}))
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
    """Letting a new character in: `sg:appr:<table>:<character>:<verb>[:<sheet>]`; sending back asks
    what to mend.
    """

    def __init__(self, forms: FormPanel, router: Router) -> None:
        self._forms = forms
        forms.add(BACK, self)
        router.add_table_route("appr", self.approve)

    async def approve(self, ctx: Context, press: Press) -> object:
        """A GM looks at a new character, lets it in, or is asked what to mend."""
        _tell_at_table(ctx)
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
        """What is to be mended before a character comes in."""
        ctx.require_gm()
        send = SendButton("back", label_text("approve-back"), "primary")
        return PanelForm(
            _MEND, FormContext(values=draft), label_text("approve-back-title"), (send,), accent="gm"
        )

    async def send(
        self, ctx: Context, about: Mapping[str, Any], values: Values, option: str, /
    ) -> None:
        _tell_at_table(ctx)
        await ctx.perform(
            Approve(**ctx.origin, character=about["character"], accept=False, note=values["note"])
        )


def _tell_at_table(ctx: Context) -> None:
    """For whoever decides in the GM channel: what comes of it is said where the table plays."""
    if ctx.place == ctx.table.state.settings.gm_place:
        ctx.place = next(iter(ctx.interactions.tables.places.places_of(ctx.table.id)), ctx.place)


def _completion(ctx: Context, game: Game) -> Callable[[Values], Values]:
    """Return what fills the empty fields of a draft, with a name that is free at the table."""
    state = ctx.table.state

    def is_taken(name: str) -> bool:
        return name_bearer(state, ctx.actor, name) is not None

    return lambda draft: complete_draft(game, draft, is_taken)


def own_draft(ctx: Context) -> str:
    """One draft for each person and table: whoever comes back finds it by that."""
    return f"new{ctx.table.id}.{ctx.interaction.user.id}"


def _pages(ctx: Context, game: Game, edited: AnyCharacter | None) -> tuple[Page, ...]:
    """The steps with the fields that the actor may change."""
    if edited is None or not edited.approved or ctx.gm:
        return game.creation
    # Nothing is made of these any more, so nothing follows from them.
    free = [
        Page(page.key, page.title, Form(tuple(field for field in page.form.fields if field.free)))
        for page in game.creation
    ]
    return tuple(page for page in free if page.form.fields)


def _options(roster: Iterable[Mapping[str, object]]) -> Iterable[Option]:
    for number, each in enumerate(roster):
        role = f" ({each['role']})" if each.get("role") else ""
        yield Option(str(number), Text("as-written", {"text": f"{each['name']}{role}"}))


def _picked(game: Game, draft: Values) -> tuple[Mapping[str, object], str] | None:
    """The ready character that was chosen, and the name to take it under."""
    ready = dict(
        zip(map(str, range(len(game.sheets.ready(game)))), game.sheets.ready(game), strict=True)
    )
    data = ready.get(str(draft.get("ready", "")))
    if data is None:
        return None
    return data, " ".join(str(draft.get("name") or "").split()) or str(data["name"])
