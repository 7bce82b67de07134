"""Growing at a price: at once, or with an explanation, which waits for the GM's yes and costs
nothing before.
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
from rules.table.forms import Form, Option, Typed
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
from rules.table.typed_texts import trimmed

#: The longest name of what is learned.
NAME_MAX: Final = 100
_SKILL: Final = Typed("skill", most=NAME_MAX, needed=True)
_DRAWBACK: Final = "drawback"
_WHY: Final = APPROACH_FIELD.replace(needed=True)
#: Class of the command that each kind of these checks stands for.
_SAID: Final = {"learn": Learn, "advance": Advance}


def grow(state: TableState, action: Learn | Advance, game: Game) -> Outcome:
    """Learn something new, such as EBB-FATE, or raise something by one step, such as EBB-TIER, as
    the system has it.

    Players for their own characters, GMs for any. What a player explains waits for the GM's yes.
    Impossible("no-price-for-growth") where these rules have it not.
    """
    character = find_own(
        state, action.who, action.character, growable_characters(state, action.who)
    )
    learns = isinstance(action, Learn)
    kind, what = ("learn", "character-learned") if learns else ("advance", "character-advanced")
    note = trimmed("explanation", action.explanation, NOTE_MAX)
    way = game.system.growth.get(kind)
    if way is None:
        raise Impossible("no-price-for-growth")
    done = way(game, character, action)
    if note and kind in game.system.procedures and not is_gm(state, action.who):
        said = {"skill": action.skill}
        if isinstance(action, Learn):
            said |= {"attribute": action.attribute, "drawback": action.drawback}
        values = {"approach": note, **{key: each for key, each in said.items() if each}}
        asks = Begin(
            who=action.who,
            place=action.place,
            at=action.at,
            kind=kind,
            as_=character.id,
            values=values,
        )
        return begin_check(state, asks, game)
    character = done.character
    state = state.with_character(character)
    if character.owner is None:
        lines = (*done.lines, *done.private)
        return Outcome(
            state, (character_event(what, character, action.who, GMS, lines, note=note),)
        )
    events = [character_event(what, character, action.who, EVERYONE, done.lines, note=note)]
    if done.private:
        theirs = owner_audience(character)
        events.append(
            character_event(
                "character-grown", character, action.who, theirs, done.private, quiet=True
            )
        )
    return Outcome(state, tuple(events))


# --- with an explanation --------------------------------------------------------------------------


class GrowthProposal(ProposalData):
    """What somebody wants to learn or to raise, as they `asked`; how it came about stands on the
    check.

    `came` is what everybody may read of what it did, `private` what only its player and the GMs.
    """

    came: tuple[Text, ...] = ()
    private: tuple[Text, ...] = ()


def _work_out_growth(game: Game, check: Check[GrowthProposal]) -> GrowthResult:
    """Return the result of a proposed growth, as if it were granted at once."""
    form: Form = game.system.procedures[check.kind].form
    said: dict[str, Any] = {
        key: check.data.asked.get(key, "") for key in form.keys if key != _WHY.key
    }
    said |= {"who": game.actor, "place": check.place, "at": game.at, "explanation": check.approach}
    action = _SAID[check.kind](**said)
    return game.system.growth[check.kind](game, game.character(check.actor), action)


class GrowthStage(ProposalStage[GrowthProposal]):
    """A GM says whether it may be. What could not be paid or written down is not asked for."""

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
    """Return the growth paid for and on the sheet."""
    if check.data.came:
        return None
    done = _work_out_growth(game, check)
    data = check.data.replace(came=done.lines, private=done.private)
    return StageResult(game.with_sheet(check.actor, done.character.sheet).state, data)


def _describe(game: Game, check: Check[GrowthProposal], title: Text) -> tuple[Block, ...]:
    data, mine = check.data, (check.actor,)
    found: list[Block] = []
    if data.answer:
        allowed = data.answer == FREE
        code = "growth-allowed" if allowed else "growth-forbidden"
        found.append(Verdict(Text(code), "good" if allowed else "bad", FOR_EVERYONE))
    said = cast("dict[str, str]", data.asked)
    found.append(Fact(title, said[_SKILL.key], FOR_EVERYONE))
    if _DRAWBACK in said and not data.came:
        found.append(Fact(Text("growth-drawback"), said[_DRAWBACK], mine))
    found += [Note(line, FOR_EVERYONE) for line in data.came]
    found += [Note(line, mine) for line in data.private]
    return (*found, *approach_blocks(check), *gm_quotes(check))


def _forget(check: Check[GrowthProposal], who: str, mine: Collection[str]) -> GrowthProposal:
    """Return the data of a check that is over, without the texts of a participant with
    characters `mine`.
    """
    data = without_typed_texts(check, who, mine)
    if not check.is_open and (check.by == who or check.actor in mine):
        data = data.replace(asked={_SKILL.key: data.asked[_SKILL.key]}, private=())
    return data


def growth_procedures(
    title: Text, *, needed: bool = False
) -> tuple[Procedure[GrowthProposal], ...]:
    """The kinds `learn` and `advance`, as the system grows; `title` is what it calls what grows.

    Of what is learned all has to be said where it is `needed`.
    """

    def made(kind: str, *more: Typed) -> Procedure[GrowthProposal]:
        form = Form((_SKILL, *more, _WHY))
        wanted = GrowthStage(form)
        return Procedure(
            kind,
            (wanted, grown),
            data=GrowthProposal,
            form=form,
            begin=wanted.propose,
            describe=partial(_describe, title=title),
            forget=_forget,
        )

    more = [Typed(key, most=NAME_MAX, needed=needed) for key in ("attribute", _DRAWBACK)]
    return made("learn", *more), made("advance")


# --- steps ----------------------------------------------------------------------------------------

#: From a number (`before`) to the next, by its `title`, for its `cost`; `why` it cannot be taken
#: now.
S = TypeVar("S", bound=Any)


def require_possible(step: S) -> S:
    """Return the step. Raises the reason why it cannot be taken."""
    if step.why is not None:
        raise step.why
    return step


def find_step(steps: Iterable[S], text: str) -> S:
    """Return the step that a text names.

    Raises NotFound("unknown-rise", "ambiguous-choice"), and as `require_possible`.
    """
    return require_possible(
        unique_match(steps, text, lambda each: each.title, field="skill", unknown="unknown-rise")
    )


def new_step(
    action: Learn, find: Callable[[str], S], own: Callable[[str, str], S], attributes: Sequence[str]
) -> S:
    """Return the first step of something new: a find of `find`, else a campaign skill for an
    attribute.

    Raises Impossible("known-already"), NotFound("unknown-choice") if there is no such attribute,
    and as `find`.
    """
    name, about = " ".join(action.skill.split()), action.attribute.strip()
    try:
        step = find(name)
    except NotFound as error:
        if not about or not name or error.code == "ambiguous-choice":
            raise
        step = own(name, unique_match(attributes, about, field="attribute"))
    if step.before:
        raise Impossible("known-already", name=step.title)
    return step


def with_row(rows: tuple[S, ...], new: S, *keys: str) -> tuple[S, ...]:
    """Return the rows with a new row in place of the one with the same fields, or at the end."""
    same = attrgetter(*keys)
    return replace_entry(
        rows, next((at for at, row in enumerate(rows) if same(row) == same(new)), len(rows)), new
    )


#: Function that names a number of points.
Price = Callable[[int], Text]


def step_choices(
    steps: Iterable[Any], have: int | Callable[[Any], int], price: Price
) -> tuple[Option, ...]:
    """Return the steps that may be taken now, each with its price and the points that lack.

    The affordable ones come first. *have* are the points there are: for all steps, or for a step.
    """
    found = [each for each in steps if each.why is None]

    def shortage(step: Any) -> int:
        return max(0, step.cost - (have(step) if callable(have) else have))

    found.sort(key=lambda each: (shortage(each) > 0, not each.before))

    def choice(step: Any) -> Option:
        cost = price(step.cost) if step.cost else None
        return Option(
            step.title,
            Text("rise-choice", {**_said(step), "price": cost, "short": shortage(step)}),
        )

    return tuple(map(choice, found))


def _said(step: Any) -> dict[str, str | int]:
    return {"name": step.title, "before": step.before, "now": step.before + 1}


def rise_line(step: Any, *, plain: bool = False) -> Text:
    """Return the line that a step was taken; `plain` if what is learned has no number."""
    return Text("rose", {**_said(step), "plain": plain})


def spent_line(step: Any, left: int, price: Price) -> Text:
    """Return the line on the price that was paid and the points that are left."""
    return Text("points-spent", {"price": price(step.cost), "left": left})
