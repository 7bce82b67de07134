"""Beginning something that takes its course: by the options of a command, or in a panel of the same
form.
"""

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
from bot.presenters.table import odds_line
from bot.ui.context import Context
from bot.ui.panels.form import FormPanel
from rules.core.errors import Impossible, InvalidInput, RulesError
from rules.table.actions import Begin
from rules.table.blocks import Fact, Quote, Text
from rules.table.check import ANY_GM, AnyCheck, Visibility
from rules.table.checks import engine
from rules.table.checks.audience_views import view_for_actor
from rules.table.checks.check_actions import character_for_check
from rules.table.checks.odds import DIFFICULTY_KEY, proposal_odds
from rules.table.checks.procedure import procedure_of
from rules.table.checks.stages import HIDDEN_FIELD
from rules.table.forms import Form, FormContext, Option, Pick, Typed, Values
from rules.table.lookup import (
    acting_character,
    find_known,
    is_named_openly,
    known_characters,
    may_target_openly,
    playable_characters,
)
from rules.table.read_only_game import NO_DICE, DiceNeeded
from rules.table.state import AnyCharacter
from rules.table.system import Game, OddsTable

KEY = "bg"
#: What a panel asks besides the procedure's own form; rules never read it.
_AS: Final = "as"
_TARGET: Final = "target"
_VISIBILITY: Final = "visibility"
_PANEL_FIELDS: Final = (_AS, _TARGET, _VISIBILITY)
#: What is rolled with, where that is for the player to say.
_TRAITS: Final = {"skill", "attribute"}
#: What may be said before that.
_WEAPON: Final = "weapon"
_TOOL_FIELDS: Final = {"mode", _WEAPON}
_SEEN_BY: Final = (
    Option("public", Text("seen-public")),
    Option("private", Text("seen-private")),
    Option("blind", Text("seen-blind")),
)


def check_start_form(game: Game, kind: str) -> Form:
    """What may be said on beginning a kind of check. Impossible("not-in-these-rules")."""
    return procedure_of(game, kind).form or Form()


def command_values(
    game: Game, kind: str, options: Mapping[str, Any], words: Sequence[str], who: str
) -> dict[str, Any]:
    """The options of a command as values of the form; `words` are those of `with`.

    InvalidInput("option-not-here") for an option that the form has not, and what reading the words
    raises.
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
    """`open` shows the panel; `begin` does it at once where anything was said."""

    def __init__(self, forms: FormPanel) -> None:
        self._forms = forms
        forms.add(KEY, self)

    async def begin(
        self,
        ctx: Context,
        kind: str,
        options: Mapping[str, Any],
        *,
        words: Sequence[str] = (),
        target: str | None = None,
        as_: str | None = None,
        visibility: Visibility = "public",
        aims: bool = False,
        openly: bool | None = None,
        asks: bool = False,
        gm_only: bool = False,
    ) -> None:
        """Begin a check of this kind with the options of a command.

        A panel opens if there are no options, if a needed one is missing, or if none of them says
        what the check is rolled with.

        `aims`: the check has a target. `openly`: everybody may read the options; None: as for
        an act against an enemy. `asks`: the panel shows the values first.
        """
        game = ctx.game
        anybody = procedure_of(game, kind).anybody
        character = character_for_check(
            game.state, ctx.actor, as_, ctx.place, anybody=anybody, gm_only=gm_only
        )
        values = command_values(game, kind, options, words, character.id)
        form = check_start_form(game, kind)
        keys = form.keys
        # How it is done, and with which tool, does not say yet what it is rolled with.
        begun = values.keys() <= (_TOOL_FIELDS if {*keys} >= _TRAITS else set())
        missing = not form.is_complete(values)
        if missing or (begun and keys and (target is None or (aims and {*keys} >= _TRAITS))):
            said, problems = form.read_draft(values, FormContext(game, None, character.id))
            # The panel asks for what is missing.
            for problem in problems:
                if problem.code != "missing-field":
                    raise problem
            _require_start(ctx, kind, character.id, target, values, named=as_ is not None)
            _require_stated(ctx, kind, values, character.id, target)
            said |= {} if visibility == "public" else {_VISIBILITY: visibility}
            said |= _named_target(ctx, character.id, target)
            await self._show(ctx, kind, character.id, said, aims=aims)
            return
        if asks or (not ctx.gm and _is_out_of_turn(ctx, kind, values, character.id, target)):
            # The panel says whose turn it is; a player who sends it from there means it.
            await self._ask(ctx, kind, character.id, values, target, visibility, aims=aims)
            return
        action = Begin(
            **ctx.origin,
            kind=kind,
            as_=as_,
            target=target,
            values=values,
            visibility=visibility,
            gm_only=gm_only,
        )
        public = visibility == "public" and (
            _may_answer_openly(ctx, character, as_, target) if openly is None else openly
        )
        # What a GM hides is not to be read off the options.
        if (
            public
            and not values.get(HIDDEN_FIELD.key)
            and not self._answers(ctx, character, action)
        ):
            ctx.response.go_public()
        await ctx.perform(action)

    async def _ask(
        self,
        ctx: Context,
        kind: str,
        who: str,
        values: Mapping[str, Any],
        target: str | None,
        visibility: Visibility,
        *,
        aims: bool,
    ) -> None:
        """Show the panel with everything that was said in a command."""
        said = check_start_form(ctx.game, kind).read_json(values, FormContext(ctx.game, None, who))
        said[_VISIBILITY] = visibility
        said |= _named_target(ctx, who, target)
        await self._show(ctx, kind, who, said, aims=aims or target is not None)

    async def open(
        self,
        ctx: Context,
        kind: str,
        draft: Mapping[str, Any] = MappingProxyType({}),
        *,
        as_: str | None = None,
        aims: bool = False,
    ) -> None:
        """The panel, with some of it filled in already; `aims` as for `begin`."""
        who = character_for_check(
            ctx.table.state, ctx.actor, as_, ctx.place, anybody=False, gm_only=False
        ).id
        _require_start(ctx, kind, who, None, {}, named=as_ is not None)
        await self._show(ctx, kind, who, draft, aims=aims)

    async def draft_button_id(
        self, ctx: Context, kind: str, values: Mapping[str, Any], who: str
    ) -> str:
        """The id of a button that opens the panel with these values filled in. Problems for those
        the form refuses.
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
        """Whether a GM asks themselves, of an NPC of theirs: then they get what they answer with,
        as nobody else.
        """
        if who.owner is not None or not ctx.gm:
            return False
        with suppress(RulesError):
            made = _preview_check(ctx, action, who.id)
            return made is not None and any(ANY_GM in each.waiting_for for each in made.check.asked)
        return False

    def fill(self, ctx: Context, about: Mapping[str, Any], draft: Values, /) -> PanelForm:
        """The procedure's form, with who acts, whom it is done to and who sees it."""
        # The panel may be opened from another channel, such as the GMs'.
        ctx.move_to(str(about["place"]))
        game = ctx.game
        form, who = check_start_form(game, about["kind"]), self._actor_id(ctx, about, draft)
        acting = playable_characters(game.state, ctx.actor)
        mine = [Option(each.id, Text("named", {"name": each.name})) for each in acting]
        fields: list[Any] = []
        if len(mine) > 1:
            fields.append(Pick(_AS, choices=tuple(mine), title=Text("field-as"), needed=True))
        if about["aims"]:
            there = [each for each in known_characters(game.state, ctx.actor) if each.id != who]
            targets = [Option(each.id, target_label(game, each, gm=ctx.gm)) for each in there]
            fields.append(Pick(_TARGET, choices=tuple(targets), title=Text("field-target")))
        fields += form.fields
        fields.append(
            Pick(_VISIBILITY, choices=_SEEN_BY, title=Text("field-visibility"), needed=True)
        )
        character = game.state.characters[who]
        # What an ordinary attack needs stands on the first page, with its target.
        leading = (_TARGET, *form.leading) if form.leading else ()
        whole = form.replace(fields=tuple(fields), leading=leading)
        asking = FormContext(game, None, who, draft)
        read, faults = whole.read_draft(draft, asking)
        rolls = False
        if not faults:
            try:
                made = _preview_check(ctx, self._action(ctx, about, read), who)
                rolls = made is None
                if made is not None:
                    whole = _without_unused_difficulty(whole, FormContext(game, made.check, who))
            except RulesError as error:
                if error.params.get("field") == _TARGET:
                    whole = _without_unused_difficulty(whole, asking, aimless=error)

        def preview(values: Values) -> tuple[Piece, ...]:
            action = self._action(ctx, about, values)
            # Before anything is chosen odds would only push the buttons off the screen.
            odds = (
                self._odds(ctx, action)
                if draft.get(_TARGET) or any(draft.get(each.key) for each in form.fields)
                else ()
            )
            found = _preview_check(ctx, action, who)
            # If dice would fall at once, the preview shows the check before them.
            seen = (game, _draft(ctx, action, who)) if found is None else (found.game, found.check)
            # What was typed, or picked as it is called, stands above.
            # A menu of weapons may be on a further page, and a makeshift one in no menu.
            typed = {each.key for each in whole.fields if isinstance(each, Typed)}
            stands = [each for key, each in draft.items() if key != _WEAPON or key in typed]
            above = [value_text(each) for each in stands if isinstance(each, str | int)]
            shown = view_for_actor(*seen).blocks
            blocks = [each for each in shown if not isinstance(each, Quote)]
            new = [
                each
                for each in blocks
                if not (isinstance(each, Fact) and value_text(each.value) in above)
            ]
            return (Gap(), *block_pieces(new), *odds)

        def odds(key: str, value: Any) -> Fraction | None:
            """Against that difficulty, with all else that is chosen."""
            if key != DIFFICULTY_KEY:
                return None
            values, wrong = whole.read_draft({**draft, key: value}, asking)
            found = [] if wrong else self._odds_tables(ctx, self._action(ctx, about, values))
            return found[0][0][1].success if len(found) == 1 else None

        head = _head(about["kind"], bare_name(character, gm=ctx.gm), aimed=bool(draft.get(_TARGET)))
        sends = (SendButton("send", label_text("check-start", rolls=rolls), "primary"),)
        return PanelForm(whole, asking, head, sends, preview=preview, odds=odds)

    def _odds(self, ctx: Context, action: Begin) -> tuple[Piece, ...]:
        found = self._odds_tables(ctx, action)
        return (
            (Heading(say(Text("odds-title"))), Body("\n".join(map(odds_line, found))))
            if found
            else ()
        )

    def _odds_tables(self, ctx: Context, action: Begin) -> Sequence[OddsTable]:
        try:
            game, target = ctx.game, action.target
            if target is not None:
                target = find_known(game.state, ctx.actor, target, "target").id
            found = proposal_odds(
                game, action.values, ctx.place, as_=action.as_, kind=action.kind, target=target
            )
            return found.tables
        except RulesError:
            return ()

    async def send(
        self, ctx: Context, about: Mapping[str, Any], values: Values, option: str, /
    ) -> None:
        """Begin it. Impossible("describe-first") without an idea."""
        ctx.move_to(str(about["place"]))
        game, kind = ctx.game, about["kind"]
        asked = [field.key for field in check_start_form(game, kind).fields]
        # Rest takes nothing but time: where there is nothing to choose, nothing is missing.
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
            target=values.get(_TARGET),
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


def _require_start(
    ctx: Context,
    kind: str,
    who: str,
    target: str | None,
    values: Mapping[str, Any],
    *,
    named: bool,
) -> None:
    """Refuse a panel that could never be sent. Raises as `Procedure.require_start`.

    Unless the character was `named`, another one of the reader's may be chosen in the panel.
    """
    game = ctx.game
    aim = None if target is None else find_known(game.state, ctx.actor, target, "target").id
    require = procedure_of(game, kind).require_start
    try:
        require(game, who, aim, values)
    except RulesError:
        if named:
            raise
        for other in playable_characters(game.state, ctx.actor):
            with suppress(RulesError):
                require(game, other.id, aim, values)
                return
        raise


def _named_target(ctx: Context, who: str, target: str | None) -> dict[str, str]:
    """Return the panel's target; none where the actor is meant, as the panel then assumes."""
    if target is None:
        return {}
    found = find_known(ctx.game.state, ctx.actor, target, "target").id
    return {} if found == who else {_TARGET: found}


def _require_stated(
    ctx: Context, kind: str, values: Mapping[str, Any], who: str, target: str | None
) -> None:
    """Refuse what a command states wrongly before the panel asks for the rest. Raises as `begin`.

    What is still missing stays for the panel.
    """
    action = Begin(**ctx.origin, kind=kind, target=target, values=dict(values))
    stated = {*values} if target is None else {*values, _TARGET}
    try:
        _preview_check(ctx, action, who)
    except RulesError as error:
        if error.params.get("field") in stated:
            raise


def _head(kind: str, name: str, *, aimed: bool) -> str:
    who = {"who": Markdown(name_text(name)), "aimed": aimed}
    return say(
        Text(f"begins-{kind}", who) if f"begins-{kind}" in TEMPLATES else Text("begins", who)
    )


def _without_unused_difficulty(
    form: Form, asking: FormContext, aimless: RulesError | None = None
) -> Form:
    """The form without a number for what is measured against the other side's total, or before it
    is clear whom it is done to; all fields keep their places.
    """
    field = form.by_key.get(DIFFICULTY_KEY)
    if field is None or (aimless or field.hidden_if(asking, DIFFICULTY_KEY)) is None:
        return form
    never = field.replace(hidden_if=lambda _, word: aimless or field.hidden_if(asking, word))
    return form.replace(fields=tuple([never if each is field else each for each in form.fields]))


def _may_answer_openly(
    ctx: Context, character: AnyCharacter, as_: str | None, target: str | None
) -> bool:
    """Whether the options name nobody whom not everybody may know: those of a public answer can be
    read by all.
    """
    if as_ is not None and not is_named_openly(character, as_):
        return False
    return target is None or may_target_openly(ctx.table.state, ctx.actor, target)


def _draft(ctx: Context, action: Begin, who: str) -> AnyCheck:
    """Return the check that an action begins, before anything happens in it."""
    target = action.target
    if target is not None:
        target = find_known(ctx.game.state, ctx.actor, target, "target").id
    check = engine.draft_check(
        ctx.game,
        action.kind,
        ctx.place,
        action.values,
        actor=who,
        target=target,
        visibility=action.visibility,
    )
    return check.replace(out_of_turn=engine.turn_problem(ctx.game, check))


def _is_out_of_turn(
    ctx: Context, kind: str, values: Mapping[str, Any], who: str, target: str | None
) -> bool:
    """Return whether a check would begin out of turn; False if it would be refused anyway."""
    with suppress(RulesError):
        action = Begin(**ctx.origin, kind=kind, target=target, values=dict(values))
        if _draft(ctx, action, who).out_of_turn is not None:
            _preview_check(ctx, action, who)
            return True
    return False


def _preview_check(ctx: Context, action: Begin, who: str) -> engine.CheckAdvance | None:
    """What an action comes to for whoever acts; None where dice fall at once. Raises as it does
    itself.
    """
    game, target = ctx.game, action.target
    if target is not None:
        target = find_known(game.state, ctx.actor, target, "target").id
    game, kind, values = game.replace(rng=NO_DICE), action.kind, action.values
    try:
        return engine.begin(
            game, kind, ctx.place, values, actor=who, target=target, visibility=action.visibility
        )
    except DiceNeeded:
        return None
