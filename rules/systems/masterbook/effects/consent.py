"""The GM's consent to players' effects, and how the table reads feedback (MB-SFX-12, MB-SFX-21)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, Literal

from rules.core.errors import Impossible
from rules.systems.masterbook.character.effect_approvals import (
    approval_text,
    line_id,
    with_ruling,
)
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.checks.action_economy import ref
from rules.systems.masterbook.effects.access import waits_for_consent
from rules.systems.masterbook.effects.effect_settings import FEEDBACK_SETTING
from rules.systems.masterbook.formulas.effect_blueprint import KnownEffect
from rules.systems.masterbook.formulas.effect_rows import READY_MADE
from rules.systems.masterbook.formulas.effect_values import FeedbackResist, feedback_damage
from rules.systems.masterbook.formulas.effect_worksheet import work_out
from rules.table.actions import Action
from rules.table.blocks import EVERYONE, FOR_EVERYONE, GMS, Audience, Note, Quote, Text
from rules.table.check import Values
from rules.table.commands import ButtonQuestion, PendingButton
from rules.table.deeds import Deed
from rules.table.events import Event, Reported
from rules.table.forms.fields import Option, Pick, Typed
from rules.table.forms.form import Form
from rules.table.forms.typed_texts import one_line
from rules.table.outcome import Outcome
from rules.table.people.characters import owner_audience
from rules.table.permissions import is_gm, require_gm
from rules.table.settings.table_settings import with_settings
from rules.table.state import AnyCharacter
from rules.table.system import Game

#: Command whose buttons rule on effects, and the one whose buttons set how feedback is read.
RULING_COMMAND: Final = "effect list"
FEEDBACK_COMMAND: Final = "effect quick"
_ANSWERS: Final = ("allow", "refuse")
_NOTE_MOST: Final = 200
#: Mind of the caster in the question about feedback.
_SAMPLE_MIND: Final = 9
_WAYS: Final[tuple[FeedbackResist, ...]] = ("none", "mind")

OWNER_FIELD: Final = Typed("owner", most=40)
#: Last word of the id of an effect in rulings.
DIGEST_FIELD: Final = Typed("blueprint", most=40)
_ANSWER: Final = Pick(
    "answer",
    choices=tuple(Option(answer, Text("mb-effect-ruling", {"how": answer})) for answer in _ANSWERS),
)
_NOTE: Final = Typed("note", most=_NOTE_MOST)
FEEDBACK_FIELD: Final = Pick(
    "feedback",
    choices=tuple(Option(way, Text("mb-effect-feedback-choice", {"way": way})) for way in _WAYS),
)


# --- consent --------------------------------------------------------------------------------------


def waiting_effects(game: Game) -> Iterator[tuple[AnyCharacter, KnownEffect]]:
    """Yield the effects of characters in play to which the GM has yet to agree."""
    for character in game.state.characters.values():
        if character.owner is None or not character.in_play:
            continue
        sheet: MasterbookSheet = character.sheet
        for known in sheet.effects:
            if waits_for_consent(game, character.id, known):
                yield character, known


def consent_events(game: Game, who: AnyCharacter, known: KnownEffect) -> tuple[Event, ...]:
    """Return the call to the GMs for consent, and what the player hears; none if none is needed."""
    if not waits_for_consent(game, who.id, known):
        return ()
    about = {"who": ref(who), "effect": approval_text(game, known)}
    call = Reported(
        audience=GMS,
        title=Text("mb-effect-asks-consent", about),
        blocks=(),
        by=game.actor.id,
        ping_gms=True,
        button=Text("mb-effect-rule", {"effect": None}),
        command=RULING_COMMAND,
        values=_ruling_values(who, known),
    )
    return (call, asked_event(game, known.name))


def asked_event(game: Game, effect: str) -> Reported:
    """Return the message to a player that the GM was asked about an effect."""
    return Reported(
        audience=Audience(people=(game.actor.id,)),
        title=Text("mb-effect-consent-asked", {"effect": effect}),
        blocks=(),
        by=game.actor.id,
    )


def ruling_event(game: Game, who: AnyCharacter, title: Text, note: str) -> Reported:
    """Return the message to a character's owner about a GM's answer, with the GM's note."""
    return Reported(
        audience=owner_audience(who),
        title=title,
        blocks=(Quote(note, game.actor.id, FOR_EVERYONE),) if note else (),
        by=game.actor.id,
    )


def _ruling_values(who: AnyCharacter, known: KnownEffect) -> dict[str, str]:
    digest = line_id(known).rpartition(" ")[2]
    return {OWNER_FIELD.key: who.id, DIGEST_FIELD.key: digest}


def require_waiting(game: Game, values: Values) -> tuple[AnyCharacter, KnownEffect]:
    """Return the effect that a button is about, and whose it is.

    Raises NotPermitted("gm-only"); Impossible("mb-effect-ruled") if it waits no more.
    """
    require_gm(game.state, game.actor)
    wanted = {key: values.get(key) for key in (OWNER_FIELD.key, DIGEST_FIELD.key)}
    for who, known in waiting_effects(game):
        if _ruling_values(who, known) == wanted:
            return who, known
    raise Impossible("mb-effect-ruled")


class RuleEffect(Action, kw_only=True):
    """Allow or refuse a player's effect, for a GM."""

    #: Id of the character.
    owner: str = ""
    #: Last word of the id of the effect.
    blueprint: str = ""
    answer: Literal["", "allow", "refuse"] = ""
    #: Words of the GM.
    note: str = ""


def rule_effect(game: Game, action: RuleEffect) -> Outcome:
    """Allow or refuse a player's effect; the player hears of it. Raises as `require_waiting`."""
    values = {OWNER_FIELD.key: action.owner, DIGEST_FIELD.key: action.blueprint}
    who, known = require_waiting(game, values)
    accept = action.answer != "refuse"
    note = one_line("note", action.note, _NOTE_MOST)
    sheet: MasterbookSheet = who.sheet
    effects = with_ruling(sheet.effects, line_id(known), accept, note)
    game = game.with_sheet(who.id, sheet.replace(effects=effects))
    about = {"who": ref(who), "effect": known.name, "allowed": accept}
    event = ruling_event(game, who, Text("mb-effect-ruled-on", about), note)
    return Outcome(game.state, (event,))


RULE_EFFECT: Final = Deed(
    RULING_COMMAND,
    RuleEffect,
    rule_effect,
    (OWNER_FIELD, DIGEST_FIELD, _ANSWER, _NOTE),
    openly=False,
)


def ask_ruling(game: Game, pressed: Values) -> ButtonQuestion:
    """Return the question to a GM about one effect. Raises as `require_waiting`."""
    who, known = require_waiting(game, pressed)
    return ButtonQuestion(
        Form((_ANSWER.replace(needed=True), _NOTE)),
        who.id,
        Text("mb-effect-asks-consent", {"who": ref(who), "effect": approval_text(game, known)}),
        lambda values: Text("mb-effect-ruling", {"how": values.get("answer") or _ANSWERS[0]}),
    )


def rulings(game: Game) -> Iterator[PendingButton]:
    """Yield the effects that wait for a GM; nothing else is held up by them."""
    if not is_gm(game.state, game.actor):
        return
    for who, known in waiting_effects(game):
        about = {"who": ref(who), "effect": approval_text(game, known)}
        text = Text("mb-effect-asks-consent", about)
        label = Text("mb-effect-rule", {"effect": known.name})
        yield PendingButton(text, label, _ruling_values(who, known), offer=True)


# --- how feedback is read -------------------------------------------------------------------------


def has_effects(game: Game) -> bool:
    """Return whether any character has an effect."""
    return any(character.sheet.effects for character in game.state.characters.values())


def is_feedback_agreed(game: Game) -> bool:
    """Return whether the table has said how it reads feedback."""
    return FEEDBACK_SETTING in game.state.settings.own


def feedback_wounds(way: FeedbackResist) -> int:
    """Return the wounds of a caster whose first ready-made effect is just made (MB-SFX-21)."""
    feedback = work_out(READY_MADE[0]).fv
    return feedback_damage(feedback, way, _SAMPLE_MIND).wounds


def feedback_line(way: FeedbackResist) -> Text:
    """Return the wounds of a way to read feedback, with its example."""
    about = {"effect": READY_MADE[0].name, "wounds": feedback_wounds(way), "mind": _SAMPLE_MIND}
    return Text("mb-effect-feedback-way", {"way": way, **about})


def feedback_events(before: Game, after: Game) -> tuple[Event, ...]:
    """Return the question to the GMs when the table's first effect is there (MB-SFX-21)."""
    if is_feedback_agreed(after) or has_effects(before) or not has_effects(after):
        return ()
    first, second = _WAYS
    event = Reported(
        audience=GMS,
        title=Text("mb-effect-feedback-asked"),
        blocks=tuple(Note(feedback_line(way), FOR_EVERYONE) for way in _WAYS),
        by=after.actor.id,
        button=Text("mb-effect-feedback-choice", {"way": first}),
        command=FEEDBACK_COMMAND,
        values={FEEDBACK_FIELD.key: first},
        others=(
            (
                Text("mb-effect-feedback-choice", {"way": second}),
                {FEEDBACK_FIELD.key: second},
            ),
        ),
    )
    return (event,)


def ask_about_feedback(game: Game, outcome: Outcome) -> Outcome:
    """Ask the GMs about feedback once an action has brought the table's first effect."""
    events = feedback_events(game, game.with_state(outcome.state))
    return Outcome(outcome.state, (*outcome.events, *events)) if events else outcome


def feedback_choices(game: Game) -> Iterator[PendingButton]:
    """Yield both ways to read feedback, as long as a table with effects has chosen none."""
    if not is_gm(game.state, game.actor) or is_feedback_agreed(game) or not has_effects(game):
        return
    for way in _WAYS:
        label = Text("mb-effect-feedback-choice", {"way": way})
        text = Text("mb-effect-feedback-waits", {"line": feedback_line(way)})
        yield PendingButton(text, label, {FEEDBACK_FIELD.key: way}, offer=True)


class ChooseFeedback(Action, kw_only=True):
    """Choose how the table reads feedback, for a GM."""

    feedback: FeedbackResist


def choose_feedback(game: Game, action: ChooseFeedback) -> Outcome:
    """Keep how the table reads feedback as its setting, also where that is the default.

    Raises NotPermitted("gm-only").
    """
    require_gm(game.state, action.who)
    state, way = game.state, action.feedback
    settings = with_settings(state.settings, {FEEDBACK_SETTING: way})
    title = Text("mb-effect-feedback-chosen", {"way": way})
    event = Reported(
        audience=EVERYONE,
        title=title,
        blocks=(Note(feedback_line(way), FOR_EVERYONE),),
        by=game.actor.id,
    )
    return Outcome(state.replace(settings=settings), (event,))


CHOOSE_FEEDBACK: Final = Deed(
    FEEDBACK_COMMAND, ChooseFeedback, choose_feedback, (FEEDBACK_FIELD.replace(needed=True),)
)
