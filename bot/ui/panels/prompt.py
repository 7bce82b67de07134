"""Answering what a check asks: the buttons of its card and of calls, the private panel behind
React, and forms.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from types import MappingProxyType
from typing import Any, Final

from bot.delivery.response import is_private
from bot.presenters.blocks import block_pieces
from bot.presenters.board import private_turn_card
from bot.presenters.checks import (
    GMS_ID,
    deed_text,
    option_id,
    option_text,
    react_panel,
    say_buttons,
    with_effect_apart,
)
from bot.presenters.control_ids import option_token
from bot.presenters.controls import Button, more_time_button
from bot.presenters.forms import PanelForm, SendButton, field_title
from bot.presenters.language.limits import BUTTON_LABEL, clip
from bot.presenters.language.text import name_text, user_text
from bot.presenters.language.words import label_text, say, say_bare, value_text
from bot.presenters.layout import Body, Gap, Layout, Piece
from bot.presenters.npc import bare_name
from bot.presenters.odds import ways_by_size
from bot.presenters.roll_calls import seal_button
from bot.presenters.standing_orders import away_notes
from bot.ui.context import Context
from bot.ui.panels.form import FormPanel
from bot.ui.panels.step_in import amend_buttons, offer_step_in
from bot.ui.router import Press, Router, parse_number
from rules.core.errors import Impossible, NotPermitted, Outdated, RulesError
from rules.core.name_matching import split_words
from rules.table.actions import AnswerAlike, Choose, HoldCheck, MoreTime
from rules.table.blocks import Fact, Note, Quote, Text, Verdict
from rules.table.check import ANY_GM, PASS, AnyCheck, OpenPrompt, Values
from rules.table.checks import engine
from rules.table.checks.access import find_check, is_open_to, may_answer, may_see_prompt
from rules.table.checks.alike_answers import RULE, alike_proposals, last_answer
from rules.table.checks.audience_views import view_for_actor
from rules.table.checks.available_moves import Move, check_moves
from rules.table.checks.deaths import stage_of
from rules.table.checks.holds import held_characters, holding_characters
from rules.table.checks.odds import DIFFICULTY_KEY, OddsReport, check_success_odds
from rules.table.checks.procedure import CheckOption
from rules.table.checks.prompt_times import can_take_more_time
from rules.table.checks.stages import APPROACH_FIELD, LET_STAND, ROLL
from rules.table.commands import PromptAnswer
from rules.table.events import CheckChanged
from rules.table.forms.fields import FormContext, Typed
from rules.table.initiative import block_of, encounter_in
from rules.table.lookup import find_known
from rules.table.permissions import owns
from rules.table.roll_calls.roll_call import RollCall, roll_call_key, unread_checks
from rules.table.system import Game
from rules.table.turns.turn_calls import call_events

KEY = "pr"
#: Buttons of a GM's panel that answer as the last time, and all that is asked alike.
_SAME: Final = "same"
_ALIKE: Final = "alike"
#: Options that roll the dice.
_ROLLS: Final = (ROLL, "face")
#: Label of the GM's answer that calls for a roll.
_LET_ROLL: Final = "answer-let-roll"


async def answer_by_name(ctx: Context, said: PromptAnswer) -> None:
    """Answer an open prompt by a command: its values and words fill in the option's form.

    Raises NotFound("unknown-check"), Outdated("check-moved-on"), Impossible("not-offered"), and as
    the form does.
    """
    game, state, as_ = ctx.game, ctx.table.state, said.as_
    check = find_check(game, said.check)
    if check.prompt(said.prompt) is None:
        raise engine.moved_on_error(game, check, said.prompt)
    who = (
        state.person(ctx.actor.id).active
        if as_ is None
        else find_known(state, ctx.actor, as_, "as").id
    )
    moves = [move for move in check_moves(game, check) if move.prompt == said.prompt]
    of_character = [move for move in moves if move.who == who]
    if not of_character and as_ is None:
        of_character = moves
    if not of_character:
        raise Impossible("not-offered", check=check.id)
    move = of_character[0]
    meant = _offered_option(check, move, lambda option: option.value == said.option)
    values = {key: value for key, value in said.values.items() if value is not None}
    words = split_words(said.words)
    if words and meant.form is not None:
        values |= meant.form.read_words(words, FormContext(game, check, move.who, values))
    ctx.response.go_private()
    await answer_prompt(ctx, move, said.option, values)


async def answer_prompt(
    ctx: Context,
    move: Move,
    option: str,
    values: Values = MappingProxyType({}),
    *,
    instead: Callable[[], Layout | None] | None = None,
) -> None:
    """Answer a prompt with one of its options, for the move's character or GM."""
    action = Choose(
        **ctx.origin, **_prompt_reference(move), option=option, as_=(move.who,), values=dict(values)
    )
    await ctx.perform(action, instead=instead)


def _prompt_reference(move: Move) -> dict[str, Any]:
    """Return check, prompt and number of a move, as the panel showed them."""
    return {"check": move.check, "prompt": move.prompt, "number": move.number}


def roll_buttons(ctx: Context, report: OddsReport) -> tuple[Button, ...]:
    """Return a button for each way of rolling a check, if the user may roll it."""
    if report.check is None:
        return ()
    game = ctx.game
    moves = check_moves(game, find_check(game, report.check))
    offered = [(move, option) for move in moves for option in move.options]
    buttons: list[Button] = []
    for move, option in offered:
        form, says = option.form, option.says
        if option.value != ROLL or form is None or says is None:
            continue
        for _, odds in ways_by_size(report.tables[0]):
            if odds.values and odds.values.keys() <= {*form.keys}:
                words = ";".join(form.write_words(odds.values)).replace(": ", "=")
                id = f"{option_id(ctx.table.id, move, option.value, 'chw')}:{words}"
                buttons.append(Button(id, clip(say_bare(says(odds.values)), BUTTON_LABEL)))
    return tuple(buttons)


def _panel_layout(ctx: Context, game: Game, check: AnyCheck, moves: Sequence[Move]) -> Layout:
    away = away_notes(ctx.scene, game, [move.who for move in moves])
    view = view_for_actor(game, check)
    able, held = holding_characters(game, check), held_characters(game, check)
    panel = react_panel(
        view,
        ctx.scene,
        moves,
        gm=ctx.gm,
        onward=ctx.onward_button,
        more=(
            *_seal_buttons(ctx, game, check),
            *say_buttons(view, ctx.scene, able, held, gm=ctx.gm),
            *_more_time_buttons(ctx, check, moves),
        ),
        below=amend_buttons(ctx, check),
    )
    head, *rest = panel.pieces
    return panel.replace(pieces=(head, *away, *rest))


def _seal_buttons(ctx: Context, game: Game, check: AnyCheck) -> tuple[Button, ...]:
    """Return the button of the sealed text that a check has revealed, until the user reads it."""
    call = game.state.own.get(roll_call_key(check.group)) if check.group else None
    if not isinstance(call, RollCall):
        return ()
    unread = {other.id for other in unread_checks(game, call, game.actor.id)}
    return (seal_button(ctx.scene, call.id),) if check.id in unread else ()


def _more_time_buttons(ctx: Context, check: AnyCheck, moves: Sequence[Move]) -> tuple[Button, ...]:
    """Return the button for more time, for the first prompt that waits for the user.

    It is there once half of the time is over.
    """
    for asked in check.asked:
        waits = any(move.prompt == asked.prompt.key and move.waited_for for move in moves)
        if not waits or asked.due is None or 2 * ctx.game.at < asked.since + asked.due:
            continue
        if can_take_more_time(ctx.table.state, asked):
            return (more_time_button(ctx.table.id, check.id, asked.number, asked.prompt.key),)
    return ()


async def _take_more_time(ctx: Context, press: Press) -> None:
    """Handle *More time* in the private panel and on reminders."""
    check, number, key = _read_press(ctx.game, press)
    await ctx.perform(MoreTime(**ctx.origin, check=check.id, prompt=key, number=number))


def _own_roll_prompt(ctx: Context, check_id: str) -> tuple[OpenPrompt, tuple[Move, ...]] | None:
    """Return the prompt about the user's own roll against a hidden number, and their moves in it.

    None if no such prompt waits for the user.
    """
    game = ctx.game
    check = game.state.checks.get(check_id)
    if check is None or not check.is_open or check.rolled_by != ctx.actor.id:
        return None
    if not stage_of(game, check).has_secret_number(game, check):
        return None
    moves = check_moves(game, check)
    for asked in check.asked:
        if asked.due is None or asked.prompt.wait == "answer":
            continue
        in_prompt = [move for move in moves if move.prompt == asked.prompt.key and move.options]
        if any(move.who in asked.waiting_for for move in in_prompt):
            return asked, tuple(in_prompt)
    return None


def _own_roll_panel(ctx: Context, check_id: str) -> Layout | None:
    """Return the choices about the user's own roll against a hidden number, and their time."""
    prompt_and_moves = _own_roll_prompt(ctx, check_id)
    if prompt_and_moves is None:
        return None
    asked, moves = prompt_and_moves
    assert asked.due is not None
    time = Body(say(Text("own-roll-stands", {"length": asked.due - asked.since})))
    game = ctx.game
    panel = _panel_layout(ctx, game, game.state.checks[check_id], moves)
    head, *rest = panel.pieces
    return panel.replace(pieces=(head, time, *rest))


async def _offer_own_roll(ctx: Context, check_id: str) -> None:
    """Show the choices about the user's own roll against a hidden number, if it waits for them."""
    panel = _own_roll_panel(ctx, check_id)
    if panel is not None:
        await ctx.whisper(panel)


def _roll_of_call_panel(
    ctx: Context, check: AnyCheck, option: str
) -> Callable[[], Layout | None] | None:
    """Return what draws the answer to a roll of a call: its choices in place of its news.

    The message of the call has one line about the check, so the private answer has both.
    """
    if option not in _ROLLS or not check.group:
        return None
    return partial(_own_roll_panel, ctx, check.id)


def _panel_again(ctx: Context, move: Move, option: str) -> Layout | None:
    """Return the panel after a choice; None if there is nothing more to choose in it.

    It goes on with the same prompt, or with the next one that waits for the same character.
    """
    game = ctx.game
    check = game.state.checks.get(move.check)
    if check is None or not check.is_open:
        return None
    own = _own_roll_panel(ctx, check.id) if option in _ROLLS else None
    if own is not None:
        return own
    moves = check_moves(game, check)
    open_prompts = [later.prompt for later in moves if later.options and later.who == move.who]
    waiting = [asked.prompt.key for asked in check.asked if move.who in asked.waiting_for]
    now = next((key for key in (move.prompt, *waiting) if key in open_prompts), None)
    if now is None:
        return None
    return _panel_layout(ctx, game, check, [later for later in moves if later.prompt == now])


async def _say(ctx: Context, press: Press) -> None:
    """Handle *Wait for me*, *Don't wait for me*, and a GM's *Let it stand*."""
    who, verb = press.text(2), press.text(3)
    if verb not in ("on", "off"):
        raise Outdated("unknown-control")
    character = None if who == GMS_ID else who
    action = HoldCheck(**ctx.origin, check=press.text(1), character=character, back=verb == "off")

    def again() -> Layout | None:
        game = ctx.game
        check = game.state.checks.get(press.text(1))
        if check is None or not check.is_open:
            return None
        return _panel_layout(ctx, game, check, check_moves(game, check))

    await ctx.perform(action, instead=again)


class PromptPanel:
    """Handler of the buttons with which users answer prompts.

    `sg:chk:<table>:<check>` opens the private panel, `sg:chq:<table>:<check>.<number>:<prompt>` a
    prompt of it; with `:<option>` it answers with the option on the card.
    `sg:cha:<table>:<check>.<number>:<prompt>` accepts a result. `sg:cho:…:<character>:<option>`
    answers, `sg:chm:…:<character>:<page>` by a menu, `sg:chw:…:<character>:<option>:<words>` with a
    form filled in. `sg:say:…` has the check wait for a player, `sg:more:…` takes more time.
    """

    def __init__(self, router: Router, forms: FormPanel) -> None:
        self._forms = forms
        router.add_table_route("chk", self.react)
        router.add_table_route("cha", self.accept, update=True)
        router.add_table_route("chq", self.prompt, update=True)
        router.add_table_route("cho", self.option, update=True)
        router.add_table_route("chm", self.option, update=True)
        router.add_table_route("chw", self.with_words, update=True)
        router.add_table_route("say", _say, update=True)
        router.add_table_route("more", _take_more_time)
        forms.add(KEY, self)

    # --- buttons ----------------------------------------------------------------------------------

    async def react(self, ctx: Context, press: Press) -> None:
        """Show the private panel of everything that the user may answer, even if it is empty."""
        game = ctx.game
        check = find_check(game, press.text(1))
        await self._panel(ctx, game, check, check_moves(game, check))

    async def accept(self, ctx: Context, press: Press) -> None:
        """Pass for the user's awaited character, else let the result stand as a GM."""
        game, ctx.response.passing = ctx.game, True
        check, number, key = _read_press(game, press)
        asked = check.prompt(key)
        if asked is not None and asked.number == number:
            moves = {move.prompt: move for move in reversed(check_moves(game, check))}
            for prompt, option in ((key, PASS), (LET_STAND, LET_STAND)):
                if prompt in moves:
                    await self._choose(press, ctx, check, moves[prompt], option)
                    return await _show_next_turn(ctx, check)
        # Raises the reason why not.
        self._own_moves(game, check, number, key)

    async def prompt(self, ctx: Context, press: Press) -> None:
        """Act on the button of one prompt.

        A button that names its option does it at once. Any other opens the form or the options,
        even a single one.
        """
        game, ctx.response.passing = ctx.game, True
        check, number, key = _read_press(game, press)
        moves = _substitute_moves(game, check, number, key)
        if not moves:
            moves = self._own_moves(game, check, number, key)
        move, *others = moves
        if len(press.args) > 3:
            chosen = _offered_option(
                check, move, lambda offered: option_token(offered.value) == press.text(3)
            )
            return await self._take(press, ctx, check, move, chosen)
        asked = check.prompt(move.prompt)
        button = None if asked is None else asked.prompt.button
        option = next((shown for shown in move.options if shown.label.code == button), None)
        if option is None and len(move.options) == 1 and not move.passes:
            only = move.options[0]
            # The player can't know what a single option is before reading its name.
            option = only if only.cost is None and only.form is not None else None
        if option is None and not move.passes:
            option = next((shown for shown in move.options if shown.form is not None), None)
        # The card of a reaction has the button to pass by itself.
        passes = move.passes and asked is not None and asked.prompt.wait != "react"
        if others or option is None or (option.form is not None and passes):
            await self._panel(ctx, game, check, moves)
        else:
            await self._take(press, ctx, check, move, option)

    async def option(self, ctx: Context, press: Press) -> None:
        """Choose an option in the private panel, by a button or in a menu."""
        game, ctx.response.passing = ctx.game, True
        token = press.choice or press.text(4)
        check, number, key = _read_press(game, press)
        who = press.text(3) if press.text(3) != GMS_ID else ANY_GM
        moves = self._own_moves(game, check, number, key)
        move = next((move for move in moves if move.who == who), None)
        if move is None:
            raise NotPermitted("not-asked", check=check.id)
        if token == PASS and move.passes:
            await self._choose(press, ctx, check, move, PASS)
            await _show_next_turn(ctx, check)
        else:
            option = _offered_option(
                check, move, lambda offered: option_token(offered.value) == token
            )
            await self._take(press, ctx, check, move, option)

    async def _take(
        self, press: Press, ctx: Context, check: AnyCheck, move: Move, option: CheckOption
    ) -> None:
        if option.form is None:
            await self._choose(press, ctx, check, move, option.value)
        else:
            await self._fill_in(ctx, move, option)

    def _own_moves(self, game: Game, check: AnyCheck, number: int, key: str) -> tuple[Move, ...]:
        """Return the user's moves in a prompt.

        Raises:
            Outdated("check-moved-on"): the prompt is not open with that number.
            NotPermitted("not-asked"): the prompt asks another participant.
            Impossible("already-answered"): the user has answered already.
        """
        asked = check.prompt(key)
        if asked is None or asked.number != number or not may_see_prompt(game, asked, game.actor):
            raise engine.moved_on_error(game, check, key)
        moves = tuple(move for move in check_moves(game, check) if move.prompt == key)
        if not moves:
            leader = game.state.characters.get(check.actor)
            if (
                asked.prompt.who is None
                and leader is not None
                and owns(game.state, game.actor, leader)
            ):
                raise Impossible("already-yours", check=check.id)
            # The rules raise the reason: answered already, or another participant is asked.
            theirs = [
                who for who in asked.named if may_answer(game.state, game.actor, who, game.at)
            ]
            # Which of several participants has answered a secret prompt is secret.
            waited = asked.named if asked.prompt.secret else asked.waiting_for
            engine.choose(
                game, check.id, key, number, PASS, (*theirs, *waited, *asked.named, ANY_GM)[:1]
            )
            raise Impossible("not-offered", check=check.id)
        return moves

    async def _panel(
        self, ctx: Context, game: Game, check: AnyCheck, moves: Sequence[Move]
    ) -> None:
        await ctx.show(_panel_layout(ctx, game, check, moves))

    async def with_words(self, ctx: Context, press: Press) -> None:
        """Choose an option with the values that the button names."""
        game, ctx.response.passing = ctx.game, True
        check, number, key = _read_press(game, press)
        who = press.text(3) if press.text(3) != GMS_ID else ANY_GM
        moves = self._own_moves(game, check, number, key)
        move = next((move for move in moves if move.who == who), None)
        if move is None:
            raise NotPermitted("not-asked", check=check.id)
        option = _offered_option(
            check,
            move,
            lambda offered: option_token(offered.value) == press.text(4) and offered.form,
        )
        words = press.text(5).replace("=", ": ").split(";")
        asking = FormContext(game, check, move.who)
        values = {} if option.form is None else option.form.read_words(words, asking)
        await self._choose(press, ctx, check, move, option.value, values)
        await _show_next_turn(ctx, check)

    async def _choose(
        self,
        press: Press,
        ctx: Context,
        check: AnyCheck,
        move: Move,
        option: str,
        values: Values = MappingProxyType({}),
    ) -> None:
        asked = check.prompt(move.prompt)
        openly = asked is not None and not asked.prompt.secret and asked.prompt.visible_to is None
        # The message of a roll call has only a line about the check.
        public = check.is_public and not check.group
        private = is_private(press.interaction)
        if not private and openly and public and ctx.place == check.place:
            # The public card of the check shows the answer.
            ctx.response.go_silent()
        instead = _roll_of_call_panel(ctx, check, option)
        if private:
            instead = partial(_panel_again, ctx, move, option)
        await answer_prompt(ctx, move, option, values, instead=instead)
        if option in _ROLLS:
            if instead is None:
                await _offer_own_roll(ctx, check.id)
            await offer_step_in(ctx, check.id)

    # --- forms ------------------------------------------------------------------------------------

    async def _fill_in(self, ctx: Context, move: Move, option: CheckOption) -> None:
        about = _prompt_reference(move) | {"who": move.who, "option": option.value}
        show = self._forms.ask if option.written else self._forms.open
        await show(ctx, KEY, about, option.values)

    def _find_option(
        self, ctx: Context, about: Mapping[str, Any]
    ) -> tuple[Game, AnyCheck, Move, CheckOption]:
        game = ctx.game
        check = find_check(game, about["check"])
        moves = self._own_moves(game, check, about["number"], about["prompt"])
        move = next((move for move in moves if move.who == about["who"]), None)
        if move is None:
            raise Impossible("already-answered", check=check.id)
        option = _offered_option(
            check, move, lambda offered: offered.value == about["option"] and offered.form
        )
        return game, check, move, option

    def fill(self, ctx: Context, about: Mapping[str, Any], draft: Values, /) -> PanelForm:
        """Return the form of an option.

        Options that share the form are buttons that send it; the other buttons lead elsewhere.
        """
        game, check, move, option = self._find_option(ctx, about)
        form = option.form
        assert form is not None
        # None takes back a start value of the option that the draft no longer has.
        back = dict.fromkeys(
            [field.key for field in form.fields if field.null and field.key in option.values]
        )
        asking = FormContext(game, check, move.who, {**back, **draft})

        def whole(draft: Values) -> tuple[Mapping[str, Any], Sequence[RulesError]]:
            values, wrong = form.read_draft(draft, asking)
            return back | values, wrong

        read, faults = whole(draft)

        # Some options that share the form would roll dice at once, and have no preview.
        sharing = [
            option,
            *(other for other in move.options if other.form == option.form and other != option),
        ]

        def works(value: str) -> bool:
            """Return whether an option can be chosen with the present values."""
            with suppress(RulesError):
                if not faults:
                    engine.preview(game, check, move.prompt, value, move.who, read)
                    return True
            return False

        def rolls_now(value: str) -> bool:
            """Return whether the dice of this option fall at once, with what is filled in."""
            with suppress(RulesError):
                if not faults:
                    return engine.rolls_at_once(game, check, move.prompt, value, move.who, read)
            return False

        sends: list[SendButton] = []
        # Options that share the form stand first.
        for offered in sorted(move.options, key=lambda known: known.form != option.form):
            shares, expected = offered.form == option.form, not sends and works(offered.value)
            named = offered.label if offered.says is None else offered.says(read)
            if named.code == _LET_ROLL and shares and rolls_now(offered.value):
                named = Text("answer-roll-now")
            label = say_bare(named) + ("…" if offered.form is not None and not shares else "")
            always = not shares or (offered != option and works(offered.value))
            style = "primary" if expected else "secondary"
            sends.append(
                SendButton(option_token(offered.value), clip(label, BUTTON_LABEL), style, always)
            )

        sends += _repeated_answers(game, check, move)

        def preview(values: Values) -> tuple[Piece, ...]:
            seen = engine.preview(game, check, move.prompt, option.value, move.who, values)
            if seen is None:
                return () if idea else notes
            shown = view_for_actor(seen[0], seen[1])
            # A typed number stands above already.
            above = {
                (field_title(field), str(draft[field.key]).strip())
                for field in form.fields
                if isinstance(field, Typed) and draft.get(field.key)
            }
            blocks = [
                block
                for block in shown.blocks
                # A verdict would read as if it were given.
                if not isinstance(block, Verdict)
                and not (isinstance(block, Fact) and _fact_text(block) in above)
            ]
            return (Gap(), *_check_pieces(shown.replace(blocks=blocks)))

        def preview_so_far() -> tuple[Piece, ...]:
            """Return what comes of the rest while the idea is still to be typed."""
            if not faults and APPROACH_FIELD.key in form.keys and not read.get(APPROACH_FIELD.key):
                with suppress(RulesError):
                    return preview({**read, APPROACH_FIELD.key: "…"})
            return (Gap(), *_check_pieces(view_for_actor(game, check)))

        def success_odds(key: str, value: Any) -> Fraction | None:
            """Return the odds against that difficulty, with the other choices.

            None if the user may not know them.
            """
            if key != DIFFICULTY_KEY:
                return None
            values, wrong = whole({**draft, key: value})
            with suppress(RulesError):
                for shared in () if wrong else sharing:
                    seen = engine.preview(game, check, move.prompt, shared.value, move.who, values)
                    if seen is not None:
                        return check_success_odds(*seen)
            return None

        now = view_for_actor(game, check)
        # A panel with a field for the idea shows it there, as it is typed.
        typed = APPROACH_FIELD.key in form.keys and bool(draft.get(APPROACH_FIELD.key))
        quotes = [block for block in now.blocks if isinstance(block, Quote)]
        idea = tuple(
            block_pieces([quote for quote in quotes if not typed or quote.text != check.approach])
        )
        # The notes stand in the preview, if there is one.
        notes = tuple(block_pieces(block for block in now.blocks if isinstance(block, Note)))
        aimed = () if check.target is None else (Body(deed_text(now)),)
        asked = [
            block.text
            for block in now.blocks
            if isinstance(block, Quote) and block.label is not None
        ]
        odds = [] if option.odds is None else [Body(user_text(option_text(option)))]
        return PanelForm(
            form,
            asking,
            _head(ctx, game, check, move, option),
            tuple(sends),
            before=(*aimed, *idea, *away_notes(ctx.scene, game, (move.who,)), *odds),
            preview=preview,
            read=whole,
            otherwise=preview_so_far(),
            odds=success_odds,
            accent="gm" if ctx.gm and move.who == ANY_GM else "own",
            small=f"check {check.id}",
            question=asked[0] if asked and option.written and move.who != ANY_GM else "",
        )

    async def send(
        self, ctx: Context, about: Mapping[str, Any], values: Values, option: str, /
    ) -> None:
        """Answer with an option, or open the option's own form."""
        game, check, move, filled = self._find_option(ctx, about)
        if option in (_SAME, _ALIKE):
            await _repeat_answer(ctx, game, check, move, option, about["option"], values)
            return
        meant = _offered_option(check, move, lambda offered: option_token(offered.value) == option)
        if meant.form == filled.form or meant.form is None:
            given = {} if meant.form is None else values
            instead = _roll_of_call_panel(ctx, check, meant.value)
            await answer_prompt(ctx, move, meant.value, given, instead=instead)
            if meant.value in _ROLLS and instead is None:
                await _offer_own_roll(ctx, check.id)
        else:
            # A field of both forms, such as a note, is not typed twice.
            kept = {key: value for key, value in values.items() if key in meant.form.keys}
            await self._fill_in(ctx, move, meant.replace(values={**meant.values, **kept}))


async def _show_next_turn(ctx: Context, check: AnyCheck) -> None:
    """Show the turn's options once a check is over, if its character is still on turn."""
    game = ctx.game
    encounter = encounter_in(game.state, check.place)
    block = [slot.character for slot in block_of(game.state, encounter)]
    now = game.state.checks.get(check.id)
    over = now is None or not is_open_to(game, now, ctx.actor)
    if not over or encounter is None or check.actor not in block:
        return
    if check.place == ctx.place and owns(game.state, ctx.actor, game.character(check.actor)):
        calls = call_events(game, encounter)
        await ctx.whisper(*[private_turn_card(call, ctx.scene, still=True) for call in calls])


def _repeated_answers(game: Game, check: AnyCheck, move: Move) -> list[SendButton]:
    """Return the buttons that answer as the last time, or all that is asked alike."""
    sends: list[SendButton] = []
    if move.prompt != RULE or move.who != ANY_GM:
        return sends
    if last_answer(game, check) is not None:
        sends.append(SendButton(_SAME, label_text("answer-same"), "secondary", True))
    alike = len(alike_proposals(game, check))
    if alike:
        sends.append(SendButton(_ALIKE, label_text("answer-alike", count=alike + 1)))
    return sends


async def _repeat_answer(
    ctx: Context, game: Game, check: AnyCheck, move: Move, how: str, option: str, values: Values
) -> None:
    """Answer a proposal as the last one, or all that are alike with what is filled in.

    Raises Outdated("no-last-answer").
    """
    if how == _SAME:
        last = last_answer(game, check)
        if last is None:
            raise Outdated("no-last-answer", check=check.id)
        await answer_prompt(ctx, move, *last)
        return
    asked = [(check.id, move.number)]
    for other in alike_proposals(game, check):
        prompt = other.prompt(RULE)
        if prompt is not None:
            asked.append((other.id, prompt.number))
    await ctx.perform(
        AnswerAlike(**ctx.origin, checks=tuple(asked), option=option, values=dict(values))
    )


def _offered_option(
    check: AnyCheck, move: Move, meant: Callable[[CheckOption], object]
) -> CheckOption:
    """Return the option for which `meant` is true. Raises Impossible("not-offered")."""
    option = next(filter(meant, move.options), None)
    if option is None:
        raise Impossible("not-offered", check=check.id)
    return option


def _substitute_moves(game: Game, check: AnyCheck, number: int, key: str) -> tuple[Move, ...]:
    """Return the GMs' moves that stand in for an awaited participant's.

    Empty if a move in the prompt itself is open to the GM.
    """
    asked = check.prompt(key)
    if (
        asked is None
        or asked.number != number
        or not asked.waiting_for
        or not may_see_prompt(game, asked, game.actor)
    ):
        return ()
    moves = check_moves(game, check)
    if any(move.prompt == key for move in moves):
        return ()
    stage = stage_of(game, check)
    awaited: set[str] = set()
    for who in asked.waiting_for:
        awaited |= {option.value for option in stage.options(game, check, key, who)}
    if not awaited:
        return ()
    of_gms = [move for move in moves if move.who == ANY_GM]
    return tuple(move for move in of_gms if {option.value for option in move.options} == awaited)


def _head(ctx: Context, game: Game, check: AnyCheck, move: Move, option: CheckOption) -> str:
    """Return the title of a form: the character that a GM answers, or the answering character."""
    asked = check.prompt(move.prompt)
    about = (asked.prompt.about if asked is not None else "") or check.actor
    who = game.state.characters.get(about if move.who == ANY_GM else move.who)
    name = "it" if who is None else name_text(bare_name(who, gm=ctx.gm))
    return f"Answer {name}" if move.who == ANY_GM else f"{name}: {say_bare(option.label)}"


def _check_pieces(event: CheckChanged) -> tuple[Piece, ...]:
    """Return a check's blocks as part of a panel, without quotes."""
    blocks = with_effect_apart(event)
    return tuple(block_pieces(block for block in blocks if not isinstance(block, Quote)))


def _read_press(game: Game, press: Press) -> tuple[AnyCheck, int, str]:
    """Return the check, the number and the prompt of a button.

    Raises Outdated("unknown-control"), NotFound("unknown-check").
    """
    name, _, number = press.text(1).partition(".")
    count = parse_number(number)
    return find_check(game, name), count, press.text(2)


def _fact_text(fact: Fact) -> tuple[str, str]:
    """Return a fact's label and value, as a panel's form shows them."""
    return say_bare(fact.what), value_text(fact.value)
