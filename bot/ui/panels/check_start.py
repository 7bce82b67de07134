"""Beginning of checks: by the options of a command, or in a panel with the same form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

from bot.presenters.blocks import block_pieces
from bot.presenters.forms import PanelForm, SendButton
from bot.presenters.language.text import Markdown, name_text
from bot.presenters.language.words import TEMPLATES, label_text, say, value_text
from bot.presenters.layout import Body, Gap, Heading, Piece
from bot.presenters.npc import bare_name, target_label
from bot.presenters.odds import odds_line
from bot.ui.check_previews import (
    TARGET_KEY,
    draft_check,
    is_out_of_turn,
    preview_check,
    require_start,
    require_stated,
)
from bot.ui.context import Context
from bot.ui.panels.form import FormPanel
from rules.core.errors import Impossible, InvalidInput, RulesError
from rules.core.name_matching import split_words
from rules.table.actions import Begin
from rules.table.blocks import Fact, Quote, Text
from rules.table.check import ANY_GM, Values
from rules.table.checks.audience_views import view_for_actor
from rules.table.checks.check_actions import character_for_check
from rules.table.checks.odds import DIFFICULTY_KEY, proposal_odds
from rules.table.checks.procedure import AnyProcedure, procedure_of
from rules.table.checks.stages import HIDDEN_FIELD
from rules.table.commands import CheckStart
from rules.table.forms.fields import FormContext, Option, Pick, Typed
from rules.table.forms.form import Form
from rules.table.lookup import (
    acting_character,
    find_known,
    is_named_openly,
    known_characters,
    may_target_openly,
    playable_characters,
)
from rules.table.state import AnyCharacter
from rules.table.system import Game, OddsTable

KEY = "bg"
#: Fields of a panel besides the procedure's own form; the rules never read them.
_AS: Final = "as"
_VISIBILITY: Final = "visibility"
_PANEL_FIELDS: Final = (_AS, TARGET_KEY, _VISIBILITY)
#: Fields for the trait to roll with, if the player chooses it.
_TRAITS: Final = {"skill", "attribute"}
#: Fields that leave the trait open.
_WEAPON: Final = "weapon"
_TOOL_FIELDS: Final = {"mode", _WEAPON}
_SEEN_BY: Final = (
    Option("public", Text("seen-public")),
    Option("private", Text("seen-private")),
    Option("blind", Text("seen-blind")),
)


def check_start_form(game: Game, kind: str) -> Form:
    """Return the form for beginning a kind of check.

    Raises Impossible("not-in-these-rules").
    """
    return procedure_of(game, kind).form or Form()


def command_values(
    game: Game, kind: str, options: Mapping[str, Any], words: Sequence[str], who: str
) -> dict[str, Any]:
    """Return the options of a command as values of the form; `words` are those of `with`.

    Raises InvalidInput("option-not-here") for an option that the form doesn't have, and as reading
    the words does.
    """
    form = check_start_form(game, kind)
    given = {key: value for key, value in options.items() if value is not None}
    for key, value in given.items():
        if key not in form.keys:
            shown = value if isinstance(value, int) else str(value)[:60]
            raise InvalidInput("option-not-here", field=key, value=shown, name=game.system.name)
    if words:
        given |= form.read_words(words, FormContext(game, None, who, given))
    return given


class CheckStartPanel:
    """Panel that begins a check. `begin` begins it at once if the command has options."""

    def __init__(self, forms: FormPanel) -> None:
        self._forms = forms
        forms.add(KEY, self)

    async def begin(self, ctx: Context, start: CheckStart) -> None:
        """Begin a check as a command stated it.

        A panel opens instead if something is missing, if the command asks for it, or if it is not
        the character's turn. Raises as `Procedure.begin` and the forms.
        """
        game = ctx.game
        procedure = procedure_of(game, start.kind)
        as_, target = procedure.actor_and_target(start.as_, start.target)
        character = character_for_check(
            game.state,
            ctx.actor,
            as_,
            ctx.place,
            anybody=procedure.anybody,
            gm_only=start.gm_only,
        )
        words = split_words(start.words)
        values = command_values(game, start.kind, start.values, words, character.id)
        start = start.replace(values=values, as_=as_, target=target)
        if _is_incomplete(procedure, start):
            await self._ask_missing(ctx, start, character.id)
        elif start.asks or (not ctx.gm and is_out_of_turn(ctx, start, character.id)):
            # The panel says whose turn it is, and the player can confirm there.
            await self._ask(ctx, start, character.id)
        else:
            await self._begin_at_once(ctx, start, character)

    async def _ask_missing(self, ctx: Context, start: CheckStart, who: str) -> None:
        """Show the panel that asks for what a command left out."""
        procedure = procedure_of(ctx.game, start.kind)
        form = check_start_form(ctx.game, start.kind)
        said, problems = form.read_draft(start.values, FormContext(ctx.game, None, who))
        # The panel asks for what is missing.
        for problem in problems:
            if problem.code != "missing-field":
                raise problem
        require_start(ctx, start, who)
        require_stated(ctx, start, who)
        if start.visibility != "public":
            said[_VISIBILITY] = start.visibility
        said |= _named_target(ctx, who, start.target)
        await self._show(ctx, start.kind, who, said, aims=procedure.aims)

    async def _ask(self, ctx: Context, start: CheckStart, who: str) -> None:
        """Show the panel with everything that a command stated."""
        form = check_start_form(ctx.game, start.kind)
        said = form.read_json(start.values, FormContext(ctx.game, None, who))
        said[_VISIBILITY] = start.visibility
        said |= _named_target(ctx, who, start.target)
        aims = procedure_of(ctx.game, start.kind).aims or start.target is not None
        await self._show(ctx, start.kind, who, said, aims=aims)

    async def _begin_at_once(
        self, ctx: Context, start: CheckStart, character: AnyCharacter
    ) -> None:
        """Begin the check, in public if every player may read the options of the command."""
        action = Begin(
            **ctx.origin,
            kind=start.kind,
            as_=start.as_,
            target=start.target,
            values=dict(start.values),
            visibility=start.visibility,
            gm_only=start.gm_only,
        )
        if self._is_answered_in_public(ctx, start, character, action):
            ctx.response.go_public()
        await ctx.perform(action)

    def _is_answered_in_public(
        self, ctx: Context, start: CheckStart, character: AnyCharacter, action: Begin
    ) -> bool:
        """Return whether every player may read the options of a command."""
        if start.visibility != "public":
            return False
        openly = start.openly
        if openly is None:
            openly = _may_answer_openly(ctx, character, start.as_, start.target)
        # The options of a public command would show what a GM hides.
        hides = bool(start.values.get(HIDDEN_FIELD.key))
        return openly and not hides and not self._answers(ctx, character, action)

    async def open(
        self,
        ctx: Context,
        kind: str,
        draft: Mapping[str, Any] = MappingProxyType({}),
        *,
        as_: str | None = None,
    ) -> None:
        """Show the panel, with some values filled in."""
        who = character_for_check(
            ctx.table.state, ctx.actor, as_, ctx.place, anybody=False, gm_only=False
        ).id
        require_start(ctx, CheckStart(kind, {}, as_=as_), who)
        await self._show(ctx, kind, who, draft, aims=procedure_of(ctx.game, kind).aims)

    async def draft_button_id(
        self, ctx: Context, kind: str, values: Mapping[str, Any], who: str
    ) -> str:
        """Return the id of a button that opens the panel with these values filled in.

        Raises Problems for values that the form refuses.
        """
        read = check_start_form(ctx.game, kind).read_json(values, FormContext(ctx.game, None, who))
        about = {"kind": kind, "as": who, "aims": False, "place": ctx.place}
        return await self._forms.draft_button_id(
            ctx, KEY, about, {_AS: who, _VISIBILITY: "public", **read}
        )

    async def _show(
        self, ctx: Context, kind: str, who: str, draft: Mapping[str, Any], *, aims: bool
    ) -> None:
        about = {"kind": kind, "as": who, "aims": aims, "place": ctx.place}
        await self._forms.open(ctx, KEY, about, {_AS: who, _VISIBILITY: "public", **draft})

    def _answers(self, ctx: Context, who: AnyCharacter, action: Begin) -> bool:
        """Return whether a GM begins a check of an own NPC that GMs answer.

        The GM then gets the answer's controls, in private.
        """
        if who.owner is not None or not ctx.gm:
            return False
        with suppress(RulesError):
            begun = preview_check(ctx, action, who.id)
            if begun is None:
                return False
            return any(ANY_GM in prompt.waiting_for for prompt in begun.check.asked)
        return False

    def fill(self, ctx: Context, about: Mapping[str, Any], draft: Values, /) -> PanelForm:
        """Return the procedure's form, with the character, the target and the visibility."""
        # The panel may be opened from another channel, such as the GMs'.
        ctx.move_to(str(about["place"]))
        game = ctx.game
        form, who = check_start_form(game, about["kind"]), self._actor_id(ctx, about, draft)
        acting = _acting_characters(ctx, about["as"])
        mine = [Option(own.id, Text("named", {"name": own.name})) for own in acting]
        fields: list[Any] = []
        if len(mine) > 1:
            fields.append(Pick(_AS, choices=tuple(mine), title=Text("field-as"), needed=True))
        if about["aims"]:
            known = known_characters(game.state, ctx.actor)
            others = [other for other in known if other.id != who]
            targets = [Option(other.id, target_label(game, other, gm=ctx.gm)) for other in others]
            fields.append(Pick(TARGET_KEY, choices=tuple(targets), title=Text("field-target")))
        fields += form.fields
        fields.append(
            Pick(_VISIBILITY, choices=_SEEN_BY, title=Text("field-visibility"), needed=True)
        )
        character = game.state.characters[who]
        # The fields of an ordinary attack stand on the first page, with its target.
        leading = (TARGET_KEY, *form.leading) if form.leading else ()
        whole = form.replace(fields=tuple(fields), leading=leading)
        asking = FormContext(game, None, who, draft)
        read, faults = whole.read_draft(draft, asking)
        rolls = False
        if not faults:
            try:
                begun = preview_check(ctx, self._action(ctx, about, read), who)
                rolls = begun is None
                if begun is not None:
                    whole = _without_unused_difficulty(whole, FormContext(game, begun.check, who))
            except RulesError as error:
                if error.params.get("field") == TARGET_KEY:
                    whole = _without_unused_difficulty(whole, asking, aimless=error)

        def preview(values: Values) -> tuple[Piece, ...]:
            action = self._action(ctx, about, values)
            # Before any choice the odds would only push the buttons off the screen.
            has_choice = draft.get(TARGET_KEY) or any(draft.get(field.key) for field in form.fields)
            odds = self._odds(ctx, action) if has_choice else ()
            begun = preview_check(ctx, action, who)
            # If dice would fall at once, the preview shows the check before them.
            if begun is None:
                seen = (game, draft_check(ctx, action, who))
            else:
                seen = (begun.game, begun.check)
            # Typed texts, and choices shown by their names, stand above already.
            # A menu of weapons may be on a further page, and a makeshift one in no menu.
            typed = {field.key for field in whole.fields if isinstance(field, Typed)}
            shown_values = [value for key, value in draft.items() if key != _WEAPON or key in typed]
            above = [value_text(value) for value in shown_values if isinstance(value, str | int)]
            blocks = [
                block for block in view_for_actor(*seen).blocks if not isinstance(block, Quote)
            ]
            new = [
                block
                for block in blocks
                if not (isinstance(block, Fact) and value_text(block.value) in above)
            ]
            return (Gap(), *block_pieces(new), *odds)

        def odds(key: str, value: Any) -> Fraction | None:
            """Return the odds against that difficulty, with the other choices."""
            if key != DIFFICULTY_KEY:
                return None
            values, wrong = whole.read_draft({**draft, key: value}, asking)
            tables = [] if wrong else self._odds_tables(ctx, self._action(ctx, about, values))
            return tables[0][0][1].success if len(tables) == 1 else None

        is_aimed = bool(draft.get(TARGET_KEY))
        head = _head(about["kind"], bare_name(character, gm=ctx.gm), aimed=is_aimed)
        sends = (SendButton("send", label_text("check-start", rolls=rolls), "primary"),)
        return PanelForm(whole, asking, head, sends, preview=preview, odds=odds)

    def _odds(self, ctx: Context, action: Begin) -> tuple[Piece, ...]:
        tables = self._odds_tables(ctx, action)
        if not tables:
            return ()
        return Heading(say(Text("odds-title"))), Body("\n".join(map(odds_line, tables)))

    def _odds_tables(self, ctx: Context, action: Begin) -> Sequence[OddsTable]:
        try:
            game, target = ctx.game, action.target
            if target is not None:
                target = find_known(game.state, ctx.actor, target, "target").id
            report = proposal_odds(
                game, action.values, ctx.place, as_=action.as_, kind=action.kind, target=target
            )
            return report.tables
        except RulesError:
            return ()

    async def send(
        self, ctx: Context, about: Mapping[str, Any], values: Values, option: str, /
    ) -> None:
        """Begin the check. Raises Impossible("describe-first") without an approach."""
        ctx.move_to(str(about["place"]))
        game, kind = ctx.game, about["kind"]
        asked = [field.key for field in check_start_form(game, kind).fields]
        # Resting takes nothing but time: a form without a skill misses nothing.
        blank = "skill" in asked and all(key in _PANEL_FIELDS for key in values)
        needed = "approach" in asked and (blank or procedure_of(game, kind).in_words)
        if needed and not str(values.get("approach") or "").strip():
            raise Impossible("describe-first", field="approach")
        await ctx.perform(self._action(ctx, about, values))

    def _action(self, ctx: Context, about: Mapping[str, Any], values: Values) -> Begin:
        return Begin(
            **ctx.origin,
            kind=about["kind"],
            as_=self._actor_id(ctx, about, values),
            target=values.get(TARGET_KEY),
            values={key: value for key, value in values.items() if key not in _PANEL_FIELDS},
            visibility=values.get(_VISIBILITY, "public"),
        )

    def _actor_id(self, ctx: Context, about: Mapping[str, Any], values: Values) -> str:
        """Return who acts: the one chosen, else as the panel was opened.

        Raises as `acting_character`.
        """
        try:
            return acting_character(
                ctx.table.state, ctx.actor, values.get(_AS) or about["as"], ctx.place
            ).id
        except RulesError:
            return acting_character(ctx.table.state, ctx.actor, about["as"], ctx.place).id


def _acting_characters(ctx: Context, opened: str) -> tuple[AnyCharacter, ...]:
    """Return the characters that a panel offers to act as.

    Those are the user's own, and the one that the panel was *opened* for, which may be an absent
    player's, if the user may still act as it.
    """
    state = ctx.table.state
    acting = playable_characters(state, ctx.actor)
    with suppress(RulesError):
        character = acting_character(state, ctx.actor, opened, ctx.place)
        if character not in acting:
            acting = (character, *acting)
    return acting


def _is_incomplete(procedure: AnyProcedure, start: CheckStart) -> bool:
    """Return whether a panel has to ask for something.

    A needed value is missing, nothing is stated, or nothing that tells what is rolled: mode and
    weapon alone don't. A named target suffices where the form has no trait to choose.
    """
    form = procedure.form or Form()
    if not form.is_complete(start.values):
        return True
    has_traits = {*form.keys} >= _TRAITS
    tools = _TOOL_FIELDS if has_traits else set[str]()
    if not form.keys or not start.values.keys() <= tools:
        return False
    return start.target is None or (procedure.aims and has_traits)


def _named_target(ctx: Context, who: str, target: str | None) -> dict[str, str]:
    """Return the panel's target; none where the actor is meant, as the panel then assumes."""
    if target is None:
        return {}
    named = find_known(ctx.game.state, ctx.actor, target, "target").id
    return {} if named == who else {TARGET_KEY: named}


def _head(kind: str, name: str, *, aimed: bool) -> str:
    who = {"who": Markdown(name_text(name)), "aimed": aimed}
    return say(
        Text(f"begins-{kind}", who) if f"begins-{kind}" in TEMPLATES else Text("begins", who)
    )


def _without_unused_difficulty(
    form: Form, asking: FormContext, aimless: RulesError | None = None
) -> Form:
    """Return the form without a difficulty that has no use; all fields keep their places.

    That is so for a check against the other side's total, and before the target is known.
    """
    field = form.by_key.get(DIFFICULTY_KEY)
    if field is None or (aimless or field.hidden_if(asking, DIFFICULTY_KEY)) is None:
        return form
    never = field.replace(hidden_if=lambda _, word: aimless or field.hidden_if(asking, word))
    return form.replace(fields=tuple([never if known is field else known for known in form.fields]))


def _may_answer_openly(
    ctx: Context, character: AnyCharacter, as_: str | None, target: str | None
) -> bool:
    """Return whether the options name only characters that every player may know.

    Every reader of a public answer can read the command's options.
    """
    if as_ is not None and not is_named_openly(character, as_):
        return False
    return target is None or may_target_openly(ctx.table.state, ctx.actor, target)
