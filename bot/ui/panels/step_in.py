"""Step in: the private panel behind the button of a final result, and the GM's answer."""

from __future__ import annotations

from typing import Any

from bot.presenters.checks import GMS_ID
from bot.presenters.control_ids import option_token
from bot.presenters.controls import Button
from bot.presenters.corrections import result_button
from bot.presenters.step_in import (
    STAGE_MARK,
    numbers_token,
    present_question,
    step_in_panel,
    step_in_question,
)
from bot.services.history import visible_events
from bot.services.late_questions import late_step, undone_by_letting_in
from bot.services.perform import perform
from bot.services.stepping_in import StepInView, view_step_in
from bot.ui.context import Context
from bot.ui.panels.amendment import AmendPanel
from bot.ui.router import Press, Router, parse_number
from rules.core.errors import Impossible, Outdated, RulesError
from rules.table.actions import AskToStepIn, RefuseStepIn, StepIn, Undo
from rules.table.blocks import first_verdict
from rules.table.check import ANY_GM, AnyCheck
from rules.table.checks.audience_views import view_for_actor
from rules.table.checks.available_moves import is_losing
from rules.table.events import StepInAsked
from rules.table.journal.step_in import require_question

#: Most undo steps before a choice that the GM lets in.
_MAX_UNDOS = 20


class StepInPanel:
    """Handler of the step-in buttons.

    `sg:sip:<table>:<check>` opens the panel.
    `sg:sic:<table>:<check>.<revision>:<stage>+<prompt>:<who>:<option>` makes a choice, `sg:sim:…`
    does so by a menu, and `sg:sia:…` asks the GMs for it. `sg:sil:<table>:<entry>` lets the choice
    of that question in, `sg:sit:<table>:<entry>` refuses it, and `sg:siq:<table>:<entry>` shows it.
    `sg:sil:<table>:<entry>:<token>` does so where the GM was told of other entries than those of
    the question itself; the token stands for them.
    """

    def __init__(self, router: Router, amendments: AmendPanel) -> None:
        self._amendments = amendments
        router.add_table_route("sip", self.open)
        router.add_table_route("sic", self.choose, update=True)
        router.add_table_route("sim", self.choose, update=True)
        router.add_table_route("sia", self.ask, update=True)
        router.add_table_route("sil", self.let_in, update=True, gms=True)
        router.add_table_route("sit", self.refuse, update=True, gms=True)
        router.add_table_route("siq", self.show_question, gms=True)

    async def open(self, ctx: Context, press: Press) -> None:
        """Show the user's options in a check that is over."""
        view = await _view(ctx, press.text(1))
        await _show(ctx, view)

    async def choose(self, ctx: Context, press: Press) -> None:
        """Make a choice. If it comes too late, offer to ask the GMs."""
        said = await _read(ctx, press)
        try:
            await ctx.perform(StepIn(**ctx.origin, **said))
        except Outdated as error:
            if error.code != "step-in-changed":
                raise
            await _show(ctx, await _view(ctx, said["check"]), changed=True)
        except Impossible as error:
            if error.code != "step-in-too-late":
                raise
            at = ":".join(press.args[1:4])
            token = option_token(said["option"])
            await ctx.show(step_in_question(ctx.table.id, at, token))

    async def ask(self, ctx: Context, press: Press) -> None:
        """Ask the GMs to let a choice in."""
        await ctx.perform(AskToStepIn(**ctx.origin, **await _read(ctx, press)))

    async def let_in(self, ctx: Context, press: Press) -> None:
        """Make the choice. If later entries build on the result, preview it as an amendment.

        If that can't be amended, those entries are undone, as /gm undo does. If they are more than
        the GM was told of, the GM is asked again.
        """
        asked = await _question(ctx, press.number(1))
        ctx.move_to(asked.place)
        origin, tables = ctx.origin, ctx.interactions.tables
        action = _let_in_action(ctx, asked)
        request = ctx.interactions.request_id(press.interaction)
        known = {*asked.undoes}
        for number in range(_MAX_UNDOS):
            await ctx.table.wait_until_written()
            undoes = await undone_by_letting_in(tables.store, ctx.table, action)
            if press.args[2:] == (numbers_token(undoes),):
                known.update(undoes)
            if not known.issuperset(undoes):
                await ctx.show(present_question(asked, ctx.scene, undoes, changed=True))
                return
            if not undoes:
                break
            if number == 0 and await self._amended(ctx, action):
                return
            undo = Undo(**origin, entry=undoes[0], all_dependents=True, entries=undoes)
            try:
                done = await perform(tables, ctx.table.id, undo, f"{request}.{number}")
            except Impossible as error:
                if error.code != "undo-others-first":
                    raise
                continue  # an entry that was made meanwhile depends on them, too
            ctx.interactions.outbox.dispatch(done)
        await ctx.perform(action)

    async def _amended(self, ctx: Context, action: StepIn) -> bool:
        """Preview the choice as an amendment that keeps what can stand; False if it can't be one.

        Then what builds on the result is undone, as `/gm undo` does.
        """
        store = ctx.interactions.tables.store
        try:
            entry, late = await late_step(store, ctx.table, action)
            await self._amendments.let_in(ctx, entry, late)
        except RulesError:
            return False
        return True

    async def refuse(self, ctx: Context, press: Press) -> None:
        """Tell the player that the choice comes too late."""
        asked = await _question(ctx, press.number(1))
        ctx.move_to(asked.place)
        said = {"asked_by": asked.by, "question": asked.question}
        await ctx.perform(RefuseStepIn(**ctx.origin, check=asked.check, **said))

    async def show_question(self, ctx: Context, press: Press) -> None:
        """Show a player's question with its answers, and the entries that would be undone now."""
        asked = await _question(ctx, press.number(1))
        await ctx.table.wait_until_written()
        action = _let_in_action(ctx, asked)
        undoes = await undone_by_letting_in(ctx.interactions.tables.store, ctx.table, action)
        await ctx.show(present_question(asked, ctx.scene, undoes))


async def offer_step_in(ctx: Context, check_id: str) -> None:
    """Show the panel to a player whose own roll has just failed and who has an option."""
    state = ctx.table.state
    check = state.checks.get(check_id)
    if check is None or check.is_open or check.rolled_by != ctx.actor.id:
        return
    try:
        view = await _view(ctx, check_id)
    except Impossible:
        return
    event = view_for_actor(ctx.game, view.check)
    verdict = first_verdict(event.blocks)
    saving = [
        past
        for past in view.moves
        if past.move.who != ANY_GM and is_losing(ctx.game, view.check, past.move.who, verdict)
    ]
    if saving:
        await ctx.whisper(step_in_panel(event, ctx.scene, saving, gm=ctx.gm))


async def _view(ctx: Context, check: str) -> StepInView:
    return await view_step_in(ctx.interactions.tables.store, ctx.reader, check)


async def _show(ctx: Context, view: StepInView, *, changed: bool = False) -> None:
    event = view_for_actor(ctx.game, view.check)
    below = amend_buttons(ctx, view.check)
    panel = step_in_panel(event, ctx.scene, view.moves, gm=ctx.gm, changed=changed, below=below)
    await ctx.show(panel)


def amend_buttons(ctx: Context, check: AnyCheck) -> tuple[Button, ...]:
    """Return the button with which a GM corrects the result of a check that is over."""
    if not ctx.gm or check.is_open:
        return ()
    return (result_button(ctx.table.id, check.id),)


async def _question(ctx: Context, entry: int) -> StepInAsked:
    """Return the question of an entry.

    Raises:
        Outdated("unknown-control"): the entry has no question that the user may see.
        Impossible("step-in-decided"): a GM has answered the question already.
    """
    require_question(ctx.table.state, entry)
    for event in await visible_events(ctx.interactions.tables, ctx.reader, entry):
        if isinstance(event, StepInAsked):
            return event
    raise Outdated("unknown-control")


def _let_in_action(ctx: Context, asked: StepInAsked) -> StepIn:
    """Return the action with which a GM lets the choice of a question in."""
    return StepIn(
        **ctx.origin,
        check=asked.check,
        stage=asked.stage,
        prompt=asked.prompt,
        option=asked.option,
        revision=asked.revision,
        as_=asked.who,
        asked_by=asked.by,
        question=asked.question,
    )


async def _read(ctx: Context, press: Press) -> dict[str, Any]:
    """Return the fields of the action that a button or a menu stands for.

    An option that isn't offered any more stays a token, which the action refuses.
    """
    check, _, revision = press.text(1).rpartition(".")
    stage, _, prompt = press.text(2).partition(STAGE_MARK)
    who = press.text(3) if press.text(3) != GMS_ID else ANY_GM
    option = token = press.choice or press.text(4)
    for past in (await _view(ctx, check)).moves:
        if (past.stage, past.move.prompt, past.move.who) == (stage, prompt, who):
            values = [offered.value for offered in past.move.options]
            option = next((value for value in values if option_token(value) == token), option)
    return {
        "check": check,
        "stage": stage,
        "prompt": prompt,
        "option": option,
        "revision": parse_number(revision),
        "as_": who,
    }
