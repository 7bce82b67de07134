"""Advancement of characters at the system's price.

With an explanation it waits for the GM's answer, and costs nothing before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final, TypeVar, cast

from rules.core.errors import Impossible, NotFound
from rules.core.name_matching import unique_match
from rules.table.actions import Advance, Begin, Learn
from rules.table.blocks import FOR_EVERYONE, Block, Fact, Note, Text, Verdict
from rules.table.check import Check, Values
from rules.table.checks.check_actions import begin_check
from rules.table.checks.procedure import Procedure, StageResult
from rules.table.checks.shared_blocks import approach_blocks, gm_quotes
from rules.table.checks.stages import (
    APPROACH_FIELD,
    FREE,
    IMPOSSIBLE,
    ProposalData,
    ProposalStage,
    without_typed_texts,
)
from rules.table.events import EVERYONE, GMS
from rules.table.forms.fields import Option, Typed
from rules.table.forms.form import Form
from rules.table.forms.typed_texts import trimmed_text
from rules.table.gm_values import replace_entry
from rules.table.outcome import Outcome
from rules.table.people.characters import (
    NOTE_MAX,
    character_event,
    find_own,
    growable_characters,
    owner_audience,
)
from rules.table.permissions import is_gm
from rules.table.state import TableState
from rules.table.system import Game, GrowthResult

#: Longest name of a new skill or trait, in characters.
NAME_MAX: Final = 100
_SKILL: Final = Typed("skill", most=NAME_MAX, needed=True)
_DRAWBACK: Final = "drawback"
_WHY: Final = APPROACH_FIELD.replace(needed=True)
#: Class of the action that each kind of these checks stands for.
_ACTIONS: Final = {"learn": Learn, "advance": Advance}


def grow(state: TableState, action: Learn | Advance, game: Game) -> Outcome:
    """Learn a new skill or trait, such as EBB-FATE, or raise one by a step, such as EBB-TIER.

    Players do it for their own characters, GMs for any. A player's action with an explanation waits
    for the GM's answer.

    Raises Impossible("no-price-for-growth") if the system has no price, and as its `Grow`.
    """
    character = find_own(
        state, action.who, action.character, growable_characters(state, action.who)
    )
    learns = isinstance(action, Learn)
    kind, what = ("learn", "character-learned") if learns else ("advance", "character-advanced")
    note = trimmed_text("explanation", action.explanation, NOTE_MAX)
    advance = game.system.growth.get(kind)
    if advance is None:
        raise Impossible("no-price-for-growth")
    result = advance(game, character, action)
    if note and kind in game.system.procedures and not is_gm(state, action.who):
        return begin_check(state, _proposal(action, kind, character.id, note), game)
    character = result.character
    state = state.with_character(character)
    if character.owner is None:
        lines = (*result.lines, *result.private)
        event = character_event(what, character, action.who, GMS, lines, note=note)
        return Outcome(state, (event,))
    events = [character_event(what, character, action.who, EVERYONE, result.lines, note=note)]
    if result.private:
        audience = owner_audience(character)
        private = character_event(
            "character-grown", character, action.who, audience, result.private, quiet=True
        )
        events.append(private)
    return Outcome(state, tuple(events))


def _proposal(action: Learn | Advance, kind: str, character: str, note: str) -> Begin:
    """Return the action that proposes an advancement to the GM."""
    values = {"approach": note}
    for key in ("skill", "attribute", "drawback"):
        value = getattr(action, key, "")
        if value:
            values[key] = value
    return Begin(
        who=action.who,
        place=action.place,
        at=action.at,
        kind=kind,
        as_=character,
        values=values,
    )


# --- with an explanation --------------------------------------------------------------------------


class GrowthProposal(ProposalData):
    """Data of a check that proposes an advancement. The explanation is the check's approach."""

    #: Lines on the result for all participants; empty before the GM has allowed it.
    consequences: tuple[Text, ...] = ()
    #: Lines on the result for the player and the GMs.
    private: tuple[Text, ...] = ()


def _work_out_growth(game: Game, check: Check[GrowthProposal]) -> GrowthResult:
    """Return the result of a proposed advancement, as if it were allowed at once."""
    form: Form = game.system.procedures[check.kind].form
    fields: dict[str, Any] = {
        "who": game.actor,
        "place": check.place,
        "at": game.at,
        "explanation": check.approach,
    }
    for key in form.keys:
        if key != _WHY.key:
            fields[key] = check.data.asked.get(key, "")
    action = _ACTIONS[check.kind](**fields)
    return game.system.growth[check.kind](game, game.character(check.actor), action)


class GrowthStage(ProposalStage[GrowthProposal]):
    """Proposal of an advancement, which a GM allows or forbids.

    An advancement that can't be paid or written down is refused before a GM is asked.
    """

    free = "grown"
    labels: Mapping[str, Text] = MappingProxyType(
        {FREE: Text("answer-allow"), IMPOSSIBLE: Text("answer-forbid")}
    )

    def __init__(self, form: Form) -> None:
        super().__init__(form, Form(), (FREE, IMPOSSIBLE))

    def read_request(
        self, game: Game, check: Check[GrowthProposal], values: Values
    ) -> Check[GrowthProposal]:
        _work_out_growth(game, check)
        return check


def grown(game: Game, check: Check[GrowthProposal]) -> StageResult[GrowthProposal] | None:
    """Pay for an allowed advancement and write it on the sheet."""
    if check.data.consequences:
        return None
    result = _work_out_growth(game, check)
    data = check.data.replace(consequences=result.lines, private=result.private)
    return StageResult(game.with_sheet(check.actor, result.character.sheet).state, data)


def _describe(game: Game, check: Check[GrowthProposal], title: Text) -> tuple[Block, ...]:
    data, player = check.data, (check.actor,)
    blocks: list[Block] = []
    if data.answer:
        allowed = data.answer == FREE
        code = "growth-allowed" if allowed else "growth-forbidden"
        blocks.append(Verdict(Text(code), "good" if allowed else "bad", FOR_EVERYONE))
    asked = cast("dict[str, str]", data.asked)
    blocks.append(Fact(title, asked[_SKILL.key], FOR_EVERYONE))
    if _DRAWBACK in asked and not data.consequences:
        blocks.append(Fact(Text("growth-drawback"), asked[_DRAWBACK], player))
    blocks += [Note(line, FOR_EVERYONE) for line in data.consequences]
    blocks += [Note(line, player) for line in data.private]
    return (*blocks, *approach_blocks(check), *gm_quotes(check))


def _forget(check: Check[GrowthProposal], who: str, mine: Collection[str]) -> GrowthProposal:
    """Return the data of a check that is over without the texts of a participant.

    *mine* are the participant's characters.
    """
    data = without_typed_texts(check, who, mine)
    if not check.is_open and (check.by == who or check.actor in mine):
        data = data.replace(asked={_SKILL.key: data.asked[_SKILL.key]}, private=())
    return data


def growth_procedures(
    title: Text, *, needed: bool = False
) -> tuple[Procedure[GrowthProposal], ...]:
    """Return the procedures `learn` and `advance` of a system.

    *title* is the system's word for what is learned. With *needed*, a new skill needs its attribute
    and drawback.
    """

    def procedure(kind: str, *fields: Typed) -> Procedure[GrowthProposal]:
        form = Form((_SKILL, *fields, _WHY))
        proposal = GrowthStage(form)
        return Procedure(
            kind,
            (proposal, grown),
            data=GrowthProposal,
            form=form,
            begin=proposal.propose,
            describe=partial(_describe, title=title),
            forget=_forget,
        )

    details = [Typed(key, most=NAME_MAX, needed=needed) for key in ("attribute", _DRAWBACK)]
    return procedure("learn", *details), procedure("advance")


# --- steps ----------------------------------------------------------------------------------------

#: A step of a trait: its `title`, the number `before` it, its `cost`, and the error `why` it can't
#: be taken now.
S = TypeVar("S", bound=Any)


def require_possible(step: S) -> S:
    """Return a step. Raises the reason why it can't be taken."""
    if step.why is not None:
        raise step.why
    return step


def find_step(steps: Iterable[S], text: str) -> S:
    """Return the step that a text names.

    Raises NotFound("unknown-rise", "ambiguous-choice"), and as `require_possible`.
    """
    return require_possible(
        unique_match(steps, text, lambda step: step.title, field="skill", unknown="unknown-rise")
    )


def new_step(
    action: Learn, find: Callable[[str], S], own: Callable[[str, str], S], attributes: Sequence[str]
) -> S:
    """Return the first step of a new skill or trait.

    *find* returns that of a known name. For another name with an attribute, *own* returns the step
    of a skill of the campaign.

    Raises Impossible("known-already"), NotFound("unknown-choice") for an unknown attribute, and as
    *find*.
    """
    name, attribute = " ".join(action.skill.split()), action.attribute.strip()
    try:
        step = find(name)
    except NotFound as error:
        if not attribute or not name or error.code == "ambiguous-choice":
            raise
        step = own(name, unique_match(attributes, attribute, field="attribute"))
    if step.before:
        raise Impossible("known-already", name=step.title)
    return step


def with_row(rows: tuple[S, ...], new: S, *keys: str) -> tuple[S, ...]:
    """Return the rows with a new row in place of the one with the same *keys*, or at the end."""
    identity = attrgetter(*keys)
    for index, row in enumerate(rows):
        if identity(row) == identity(new):
            return replace_entry(rows, index, new)
    return (*rows, new)


#: Function from a number of points to their words.
Price = Callable[[int], Text]


def step_choices(
    steps: Iterable[Any], have: int | Callable[[Any], int], price: Price
) -> tuple[Option, ...]:
    """Return the steps that may be taken now, each with its price and the missing points.

    The affordable ones come first. *have* are the points that the character has, or a function from
    a step to those.
    """
    possible = [step for step in steps if step.why is None]

    def shortage(step: Any) -> int:
        return max(0, step.cost - (have(step) if callable(have) else have))

    def option(step: Any) -> Option:
        cost = price(step.cost) if step.cost else None
        params = {**_step_params(step), "price": cost, "short": shortage(step)}
        return Option(step.title, Text("rise-choice", params))

    possible.sort(key=lambda step: (shortage(step) > 0, not step.before))
    return tuple(map(option, possible))


def _step_params(step: Any) -> dict[str, str | int]:
    return {"name": step.title, "before": step.before, "now": step.before + 1}


def rise_line(step: Any, *, plain: bool = False) -> Text:
    """Return the line on a step that was taken; *plain* for a trait without a number."""
    return Text("rose", {**_step_params(step), "plain": plain})


def spent_line(step: Any, left: int, price: Price) -> Text:
    """Return the line on the price of a step and the points that are left."""
    return Text("points-spent", {"price": price(step.cost), "left": left})
