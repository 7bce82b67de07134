"""Making a character: a ready one to take, or step by step; changing one; and letting a new one in."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bot.presenters.character import back_modal, character_card
from bot.presenters.create import (
    Drafted,
    dropped_card,
    home_card,
    pick_card,
    rename_modal,
    review_card,
    step_card,
    step_modal,
)
from bot.presenters.forms import problem_texts
from bot.ui.context import Context
from bot.ui.drafts import Draft, Drafts
from bot.ui.interactions import Interactions
from bot.ui.response import Response
from bot.ui.retry import Retries
from bot.ui.router import Press, Router
from rules.core.errors import Impossible, Outdated, Problems, RulesError
from rules.registry import look
from rules.table.actions import Action, Approve, Edit, ImportCharacter
from rules.table.events import Line
from rules.table.forms import Form
from rules.table.lookup import bearer, find_character
from rules.table.people.characters import editable, find_own
from rules.table.people.sheets import (
    drafted,
    following,
    newly_made,
    read_object,
    read_texts,
    text_fields,
    texts_of,
    updated,
)
from rules.table.permissions import is_gm, require_gm
from rules.table.state import AnyCharacter, Character
from rules.table.system import Game, Page

KIND = "create"
HOME, PICK, REVIEW = "home", "pick", "review"


class CreatePanel:
    """Lives as `sg:cr:<draft>:<control>`; dialogues come back as `sg:crm:<draft>:<step>` and `sg:crn:<draft>`.

    Approval is `sg:appr:<table>:<character>:<verb>` and `sg:apprm:<table>:<character>`.
    """

    def __init__(self, interactions: Interactions, drafts: Drafts, router: Router, retries: Retries) -> None:
        self._interactions = interactions
        self._retries = retries
        self._drafts = drafts
        self._sending: set[str] = set()
        router.add("cr", self.press)
        router.add("crm", self.typed)
        router.add("crn", self.renamed)
        router.add("appr", self.approve)
        router.add("apprm", self.send_back)

    # --- opening ------------------------------------------------------------------------------------------

    async def open(self, ctx: Context) -> None:
        """A new character: the ready ones, and one's own draft, which is kept from one time to the next."""
        user = ctx.interaction.user.id
        # One draft for each person and table: whoever comes back finds it by that.
        draft_id = f"new{ctx.table.id}.{user}"
        try:
            draft = await self._drafts.load(draft_id, KIND, user)
        except Outdated:
            draft = await self._drafts.new(KIND, ctx.table.id, user, _blank(), draft_id)
        if draft.values["sent"]:
            draft.values = _blank()
        draft.values["page"] = HOME
        await self._drafts.save(draft)
        await self._show(ctx, draft)

    async def edit(self, ctx: Context, character: str | None) -> None:
        """The texts of a character: what is free for its player, everything for GMs and until it is let in."""
        state = ctx.table.state
        found = find_own(state, ctx.actor, character, editable(state, ctx.actor))
        game = look(state)
        texts = texts_of(game, found)
        steps = _steps(ctx, game, found)
        values = _blank() | {
            "character": found.id,
            "page": steps[0].key if steps else REVIEW,
            "texts": texts,
            "base": texts,
        }
        draft = await self._drafts.new(KIND, ctx.table.id, ctx.interaction.user.id, values)
        await self._show(ctx, draft)

    # --- pressing -----------------------------------------------------------------------------------------

    async def press(self, press: Press) -> None:
        """Any control of the panel."""
        draft = await self._load(press)
        if draft is None:
            return
        control = press.text(1)
        if control in ("write", "rename"):
            await self._dialogue(press, draft, control)
            return
        if control in ("take", "send"):
            await self._send(press, draft, control)
            return
        async with self._interactions.answering(press.interaction, update=True) as response:
            ctx = await self._interactions.context(response, draft.table_id)
            if control == "drop":
                draft.values["sent"] = True
                await self._drafts.save(draft)
                await ctx.show(dropped_card(edits=draft.values["character"] is not None))
                return
            self._turn(press, ctx, draft, control)
            await self._drafts.save(draft)
            await self._show(ctx, draft)

    def _turn(self, press: Press, ctx: Context, draft: Draft, control: str) -> None:
        """Go to another page of the panel."""
        values = draft.values
        game = look(ctx.table.state)
        keys = [step.key for step in _steps(ctx, game, _edited(ctx, draft))]
        if control == "pick" and press.values and press.values[0].isdigit():
            values |= {"page": PICK, "pick": int(press.values[0]), "name": ""}
        elif control == "step" and press.values and press.values[0] in keys:
            values["page"] = press.values[0]
        elif control == "next" and values["page"] in keys:
            values["page"] = keys[min(keys.index(values["page"]) + 1, len(keys) - 1)]
        elif control == "anew":
            values |= {"page": keys[0], "texts": {}}
        elif control in ("begin", "back"):
            values["page"] = keys[0]
        elif control in (HOME, REVIEW):
            values["page"] = control
        else:
            raise Outdated("unknown-control")

    async def _dialogue(self, press: Press, draft: Draft, control: str) -> None:
        async with self._interactions.answering(press.interaction) as response:
            ctx = await self._interactions.context(response, draft.table_id)
            if control == "rename":
                await ctx.dialogue(rename_modal(draft.id, draft.values["name"]))
                return
            modal = step_modal(self._form(ctx, draft)[0], press.text(2))
            if modal is None:
                raise Impossible("too-long-for-dialogue")
            await ctx.dialogue(modal)

    async def typed(self, press: Press) -> None:
        """The texts of one step."""
        draft = await self._load(press)
        if draft is None:
            return
        async with self._interactions.answering(press.interaction, update=True) as response:
            ctx = await self._interactions.context(response, draft.table_id)
            game = look(ctx.table.state)
            steps = _steps(ctx, game, _edited(ctx, draft))
            allowed = {field.key for step in steps for field in step.form.fields}
            texts = {key: text for key, text in press.inputs.items() if key in allowed}
            draft.values["texts"] = {**draft.values["texts"], **texts}
            draft.values["page"] = press.text(1)
            await self._drafts.save(draft)
            await self._show(ctx, draft)

    async def renamed(self, press: Press) -> None:
        """Another name for a ready character."""
        draft = await self._load(press)
        if draft is None:
            return
        async with self._interactions.answering(press.interaction, update=True) as response:
            ctx = await self._interactions.context(response, draft.table_id)
            draft.values["name"] = " ".join(press.inputs.get("name", "").split())
            await self._drafts.save(draft)
            await self._show(ctx, draft)

    # --- sending ------------------------------------------------------------------------------------------

    async def _send(self, press: Press, draft: Draft, control: str) -> None:
        """Send the character or the changes, once."""
        if draft.id in self._sending:
            raise Outdated("create-sent")
        self._sending.add(draft.id)
        try:
            async with self._interactions.answering(press.interaction, update=True) as response:
                ctx = await self._interactions.context(response, draft.table_id)
                await ctx.perform(self._taken(ctx, draft) if control == "take" else self._made(ctx, draft))
                if control == "take":
                    # The draft of one's own character stays for another time.
                    draft.values |= {"page": HOME, "pick": None, "name": ""}
                else:
                    draft.values["sent"] = True
                await self._drafts.save(draft)
        finally:
            self._sending.discard(draft.id)

    def _taken(self, ctx: Context, draft: Draft) -> Action:
        data, name = _picked(look(ctx.table.state), draft)
        return ImportCharacter(**ctx.by, data={**data, "name": name})

    def _made(self, ctx: Context, draft: Draft) -> Action:
        game = look(ctx.table.state)
        texts, base = draft.values["texts"], draft.values["base"]
        if draft.values["character"] is not None:
            changed = {key: text for key, text in texts.items() if text != base.get(key, "")}
            return Edit(**ctx.by, character=draft.values["character"], fields=changed)
        read_texts(game, texts, new=True)
        return ImportCharacter(**ctx.by, data=drafted(game, texts)[0])

    # --- approval -----------------------------------------------------------------------------------------

    async def approve(self, press: Press) -> None:
        """A GM looks at a new character, lets it in, or is asked what to mend."""
        async with self._interactions.answering(press.interaction) as response:
            ctx = await self._heard(response, press.number(0))
            state, name, verb = ctx.table.state, press.text(1), press.text(2)
            require_gm(state, ctx.actor)
            if verb == "ok":
                await ctx.perform(Approve(**ctx.by, character=name))
                return
            there = state.characters.get(name)
            if there is None or there.approved:
                # The same refusal as for the button that lets it in.
                raise Impossible("approved-already", name="" if there is None else there.name)
            if verb == "back":
                await ctx.dialogue(back_modal(ctx.table.id, name))
            elif verb == "show":
                lines = look(state).sheets.describe(look(state), there)
                await ctx.show(character_card(there, lines, ctx.scene.names, table_id=ctx.table.id))
            else:
                raise Outdated("unknown-control")

    async def _heard(self, response: Response, table_id: int) -> Context:
        """A context for whoever decides, also in the GM channel: what comes of it is said where the table plays."""
        ctx = await self._interactions.context(response, table_id)
        if ctx.place == ctx.table.state.settings.gm_place:
            ctx.place = next(iter(self._interactions.tables.places.of(table_id)), ctx.place)
        return ctx

    async def send_back(self, press: Press) -> None:
        """What is to be mended."""
        async with self._interactions.answering(press.interaction) as response:
            ctx = await self._heard(response, press.number(0))
            note, name = press.inputs.get("note", ""), press.text(1)
            async with self._retries.keeping(ctx, back_modal(ctx.table.id, name), press.inputs):
                await ctx.perform(Approve(**ctx.by, character=name, accept=False, note=note))

    # --- showing ------------------------------------------------------------------------------------------

    async def _load(self, press: Press) -> Draft | None:
        async with self._interactions.answering(press.interaction):
            try:
                draft = await self._drafts.load(press.text(0), KIND, press.interaction.user.id)
            except Outdated:
                raise Outdated("create-gone") from None
            if draft.values["sent"]:
                raise Outdated("create-sent")
            return draft
        return None

    def _form(self, ctx: Context, draft: Draft) -> tuple[Drafted, AnyCharacter | None]:
        """The draft as it is shown, and the character it makes when nothing is wrong with it."""
        state = ctx.table.state
        game = look(state)
        edited = _edited(ctx, draft)
        texts: dict[str, str] = draft.values["texts"]
        changed = texts
        new = True
        send = "Send"
        if edited is not None:
            changed = {key: text for key, text in texts.items() if text != draft.values["base"].get(key, "")}
            new = not edited.approved and not is_gm(state, ctx.actor) and newly_made(game, edited)
            send = "Send again" if not edited.approved and not is_gm(state, ctx.actor) else "Save"
        problems: tuple[RulesError, ...] = ()
        made: AnyCharacter | None = None
        try:
            read = read_texts(game, changed, new=new, character=edited)
        except Problems as error:
            problems = error.problems
        else:
            own = () if edited is None else (edited.id,)
            if bearer(state, ctx.actor, read.name, own) is not None:
                problems = (Impossible("name-is-taken", field="name", value=read.name),)
            made = updated(edited or Character("", read.name, ctx.actor.id, read.sheet), read)
        steps = _steps(ctx, game, edited)
        form = Drafted(
            draft.id,
            steps,
            texts,
            problem_texts(problems, tuple(text_fields(game).values()), texts),
            _lines(game, texts, draft.values["page"]),
            None if edited is None else edited.name,
            send,
        )
        return form, made

    async def _show(self, ctx: Context, draft: Draft) -> None:
        state, values = ctx.table.state, draft.values
        game = look(state)
        page = values["page"]
        if page == HOME:
            begun = values["texts"].get("name", "").strip() if any(values["texts"].values()) else None
            await ctx.show(home_card(draft.id, game.roster, begun))
        elif page == PICK:
            data, name = _picked(game, draft)
            read = read_object(game, {**data, "name": name}, new=True)
            made: AnyCharacter = Character("", name, ctx.actor.id, read.sheet)
            taken = bearer(state, ctx.actor, name) is not None
            lines = game.sheets.describe(game, made)
            portrait = read.portrait or ""
            await ctx.show(
                pick_card(draft.id, game.roster, values["pick"], name, lines, portrait, taken=taken)
            )
        else:
            form, character = self._form(ctx, draft)
            if page != REVIEW:
                await ctx.show(step_card(form, page))
                return
            lines = () if character is None else game.sheets.describe(game, character)
            await ctx.show(review_card(form, lines, "" if character is None else character.portrait))


def _blank() -> dict[str, Any]:
    return {
        "page": HOME,
        "pick": None,
        "name": "",
        "character": None,
        "texts": {},
        "base": {},
        "sent": False,
    }


def _edited(ctx: Context, draft: Draft) -> AnyCharacter | None:
    """The character who is changed, None for a new one. NotFound when it is not there any more."""
    name = draft.values["character"]
    if name is None:
        return None
    return find_character(editable(ctx.table.state, ctx.actor), name)


def _steps(ctx: Context, game: Game, edited: AnyCharacter | None) -> tuple[Page, ...]:
    """The steps with the fields that the actor may change."""
    steps = game.creation
    if edited is None or not edited.approved or ctx.gm:
        return steps
    free = (
        replace(step, form=Form(tuple(field for field in step.form.fields if field.free))) for step in steps
    )
    return tuple(step for step in free if step.form.fields)


def _lines(game: Game, texts: dict[str, str], page: str) -> tuple[Line, ...]:
    """What follows from the texts of a step: only what that step's own fields say."""
    step = next((step for step in game.creation if step.key == page), None)
    return () if step is None else following(step, texts)


def _picked(game: Game, draft: Draft) -> tuple[dict[str, object], str]:
    """The ready character that was chosen, and the name to take it under."""
    roster = game.roster
    pick = draft.values["pick"]
    if not isinstance(pick, int) or not 0 <= pick < len(roster):
        raise Outdated("create-gone")
    return roster[pick], draft.values["name"] or str(roster[pick]["name"])
