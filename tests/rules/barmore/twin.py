"""The same deeds by the procedures, beside the course they have had so far: everything has to come out alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from rules.core.errors import Outdated, RulesError
from rules.core.rng import Streams
from rules.registry import look
from rules.systems.barmore.options import gm_form, player_form
from rules.systems.barmore.procedures import PROCEDURES
from rules.systems.barmore.system import SYSTEM
from rules.systems.barmore.trial import measured
from rules.table.actions import (
    Action,
    Actor,
    Answer,
    AskBack,
    Defend,
    Due,
    Join,
    OnChallenge,
    Propose,
    Revise,
    Roll,
    Spend,
    Withdraw,
)
from rules.table.blocks import EVERYONE, GMS, Audience, Fact, Note, Quote, Ref, Text, Verdict, for_audience
from rules.table.blocks import Roll as Dice
from rules.table.checks import access, machine
from rules.table.checks.check import GMS as THE_GMS
from rules.table.checks.check import Check
from rules.table.checks.moves import check_moves
from rules.table.checks.views import check_view, helpers_of, may_see
from rules.table.checks.waits import waits_for
from rules.table.events import ChallengeChanged, CheckView, Event, Line, OtherSide
from rules.table.forms import Asking
from rules.table.game import NO_DICE, looking
from rules.table.lookup import TableNames, acting_as, find_character, find_known
from rules.table.moves import challenge_moves
from rules.table.permissions import is_gm, owns
from rules.table.state import AnyChallenge, TableState
from rules.table.system import Game

#: Barmore's rules with their checks as procedures.
RULES = replace(SYSTEM, procedures=PROCEDURES)
_TOOLS = {"attack": "weapon", "treat": "injury", "contest": "mode", "team": "mode"}
_STAGES = {"proposed": "proposed", "answered": "ready"}
_VERBS = {
    "margin-only": "answer",
    "free": "answer",
    "impossible": "answer",
    "reply": "revise",
    "face": "defend",
    "choose": "spend",
}
#: What is said of a check besides what it says by itself.
_BESIDES = (
    "check-free",
    "check-cannot",
    "check-time-to-rest",
    "check-no-time-to-rest",
    "answer-margin-only",
)
Found = Counter[tuple[Any, ...]]


class Twin:
    """The checks of a table by the procedures. `state` is given anew with every deed: only its checks are kept."""

    def __init__(self) -> None:
        self.checks: dict[str, Check[Any]] = {}
        self._came: dict[tuple[str, str], tuple[Line, ...]] = {}

    def game(self, state: TableState, actor: Actor, at: int, streams: Streams = NO_DICE) -> Game:
        """The table as the procedures see it."""
        return Game(state.with_checks(self.checks, state.counters), RULES, streams, at, actor)

    def knows(self, action: Action) -> bool:
        """Whether it is about a check."""
        if isinstance(action, Due):
            return action.wait.partition(".")[0] in self.checks
        if isinstance(action, OnChallenge):
            return action.challenge in self.checks
        return isinstance(action, Propose)

    def does(
        self, before: TableState, after: TableState, action: Action, streams: Streams, events: Iterable[Event]
    ) -> None:
        """The deed is done here too, with the same outcome."""
        if self.knows(action):
            made = self._carry_out(self.game(before, action.who, action.at, streams), action)
            self.checks = dict(made.state.checks)
            assert made.state.characters == after.characters
        self._hear(after, events)
        self.alike(after, action.at)

    def refuses(self, before: TableState, action: Action, streams: Streams) -> None:
        """The deed is refused here too."""
        if not self.knows(action):
            return
        try:
            self._carry_out(self.game(before, action.who, action.at, streams), action)
        except RulesError:
            return
        raise AssertionError(f"not refused: {action}")

    # --- what is done ---------------------------------------------------------------------------------------

    def _carry_out(self, game: Game, action: Action) -> machine.Made:
        if isinstance(action, Propose):
            return _begin(game, action)
        if isinstance(action, Due):
            return self._lapse(game, action)
        assert isinstance(action, OnChallenge)
        check = self.checks[action.challenge]
        prompt, option, who, values = _choice(game, check, action)
        asked = check.prompt(prompt)
        if asked is None:
            raise Outdated("check-moved-on", check=check.id)
        return machine.choose(game, check.id, prompt, asked.number, option, (who,), values)

    def _lapse(self, game: Game, action: Due) -> machine.Made:
        check = self.checks[action.wait.partition(".")[0]]
        found = machine.waiting(check)
        if not found:
            raise Outdated("wait-over", wait=action.wait)
        return machine.lapse(game, found[0].id)

    # --- what there is to compare -----------------------------------------------------------------------------

    def _hear(self, state: TableState, events: Iterable[Event]) -> None:
        for event in events:
            if not isinstance(event, ChallengeChanged) or event.step == "left" or not event.lines:
                continue
            key = event.view.challenge
            for audience in ("", "gm", *event.audience.people):
                heard = event.audience.everyone or (
                    event.audience.gms if audience == "gm" else bool(audience)
                )
                if heard:
                    self._came[key, audience] = event.lines

    def alike(self, state: TableState, at: int) -> None:
        """Every check is as its twin, for whoever may know of it."""
        for key, check in self.checks.items():
            challenge = state.challenges.get(key)
            if challenge is None:
                continue
            self._stands(state, challenge, check)
            people = (*state.settings.gms, *[each.owner for each in state.characters.values() if each.owner])
            for person in dict.fromkeys(people):
                actor = Actor(person)
                game = self.game(state, actor, at)
                seen = may_see(state, challenge, actor)
                assert access.may_see(game, check, actor) == seen
                if seen:
                    _drafts(game, check)
                    assert _verbs(state, challenge, actor) == _options(game, check), (key, person)
                    self._told(state, challenge, check, person)
            if challenge.visibility == "public" and not challenge.gm_only:
                self._told(state, challenge, check, "")

    def _stands(self, state: TableState, challenge: AnyChallenge, check: Check[Any]) -> None:
        assert check.open == challenge.open
        if check.open:
            assert check.stage == _STAGES[challenge.status]
        dues = [(each.due, _whom(challenge, each.by)) for each in waits_for(state, challenge) if each.due]
        assert [(each.due, each.who[0]) for each in machine.waiting(check)] == dues
        assert (check.hidden, check.reveal) == (challenge.hidden, challenge.reveal)

    def _told(self, state: TableState, challenge: AnyChallenge, check: Check[Any], person: str) -> None:
        gm = person in state.settings.gms
        view = check_view(state, look(state), challenge, gm=gm, who=person or None)
        came = self._came.get((challenge.id, "gm" if gm else person)) or self._came.get(
            (challenge.id, ""), ()
        )
        audience = EVERYONE if not person else GMS if gm else Audience(people=(person,))
        game = looking(RULES, state, Actor(person), 0)
        blocks = for_audience(PROCEDURES[check.kind].describe(game, check), audience, TableNames(state))
        old, new = _of_view(view, came), _of_blocks(blocks, view.character)
        assert new == old, f"{person or 'all'}: new {new - old}, old {old - new}"


def _whom(challenge: AnyChallenge, by: str) -> str | None:
    return {"gm": THE_GMS, "owner": challenge.character, "target": challenge.target}[by]


def _verbs(state: TableState, challenge: AnyChallenge, actor: Actor) -> set[str]:
    return {move.verb for move in challenge_moves(look(state), challenge, actor)}


def _drafts(game: Game, check: Check[Any]) -> None:
    """What a form starts from is read as it stands."""
    for move in check_moves(game, check):
        for option in move.options:
            if option.form is not None and option.values:
                read = option.form.read_json(option.values, Asking(game, check, move.who))
                assert read == option.values


def _options(game: Game, check: Check[Any]) -> set[str]:
    found: set[str] = set()
    for move in check_moves(game, check):
        for option in move.options:
            answers = move.prompt == "rule" and option.value == "roll"
            found.add("answer" if answers else _VERBS.get(option.value, option.value))
    return found


# --- old actions in new words --------------------------------------------------------------------------------


def _begin(game: Game, action: Propose) -> machine.Made:
    state, who = game.state, action.who
    gm, kind = is_gm(state, who), action.kind
    named = action.target or action.as_
    if action.gm_only and action.as_ is not None:
        actor = find_character(state.characters.values(), action.as_, "as")
    elif kind != "rest":
        actor = acting_as(state, who, action.as_, action.place)
    else:
        actor = find_known(state, who, named, "target") if gm and named else acting_as(state, who, named)
    target = None
    if action.target is not None and kind not in ("check", "team"):
        target = find_known(state, who, action.target, "target").id
    words = player_form(kind).read_words(action.options, _asking(game, actor.id))
    values = {
        "skill": action.skill,
        "attribute": action.attribute,
        "difficulty": action.difficulty,
        "modifier": action.modifier or None,
        "approach": action.approach.strip() or None,
    }
    if kind in _TOOLS:
        values[_TOOLS[kind]] = action.tool.strip() or None
    if kind == "rest":
        values = {"approach": values["approach"]}
    given = {key: value for key, value in values.items() if value is not None} | words
    return machine.begin(
        game,
        kind,
        action.place,
        given,
        actor=actor.id,
        target=target,
        visibility=action.visibility,
        gm_only=action.gm_only,
    )


def _asking(game: Game, who: str) -> Any:
    return Asking(game, None, who)


def _choice(game: Game, check: Check[Any], action: OnChallenge) -> tuple[str, str, str, dict[str, Any]]:
    """Prompt, option, for whom, and values."""
    state, who = game.state, action.who
    match action:
        case Answer():
            option = "impossible" if action.kind == "cannot" else action.kind
            return "rule", option, THE_GMS, _ruling(check, action)
        case AskBack():
            return "rule", "ask", THE_GMS, {"question": action.question}
        case Withdraw():
            own = owns(state, who, state.characters[check.actor])
            return "own", "withdraw", check.actor if own else THE_GMS, {}
        case Revise():
            prompt, option = ("reply", "reply") if check.data.question else ("own", "revise")
            return prompt, option, check.actor, _revised(game, check, prompt, action)
        case Defend():
            target = check.target or ""
            mine = target in state.characters and owns(state, who, state.characters[target])
            return "face" if mine else "faced", "face", target if mine else THE_GMS, _side(game, action)
        case Join(leave=True):
            mine = helpers_of(state, state.challenges[check.id], who)
            named = [each for each in mine if action.as_ in (None, each.id, each.name)]
            return "join", "leave", named[0].id if named else "", {}
        case Join():
            return "join", "join", acting_as(state, who, action.as_, action.place).id, _side(game, action)
        case Roll():
            return "ready", "roll", check.actor, {}
        case Spend():
            value: dict[str, Any] = {"convert": int(action.choice or 0)} if action.what == "convert" else {}
            if action.what == "die":
                value = {"no dice": True} if action.choice == "no dice" else {"die": action.choice}
            return "ready", "choose", check.actor, value
        case _:
            raise Outdated("check-moved-on", check=check.id)


def _ruling(check: Check[Any], action: Answer) -> dict[str, Any]:
    note = {"note": action.note} if action.note.strip() else {}
    if action.kind in ("free", "cannot"):
        return note
    found: dict[str, Any] = {
        "difficulty": action.difficulty if measured(check) else None,
        "modifier": action.modifier or None,
        "against": (action.against or None) if check.data.opposed else None,
        "hidden": (action.hidden or None) if measured(check) else None,
        "disallow": list(action.disallow) or None,
    }
    kind: Any = check.kind
    words = gm_form(kind, check.data.mode).read_words(action.options)
    return {key: value for key, value in found.items() if value is not None} | note | words


def _revised(game: Game, check: Check[Any], prompt: str, action: Revise) -> dict[str, Any]:
    """The whole proposal with the changes in it."""
    kind: Any = check.kind
    move = next((each for each in check_moves(game, check) if each.prompt == prompt), None)
    if move is None:
        raise Outdated("check-moved-on", check=check.id)
    values = dict(move.options[0].values)
    if action.skill is not None or action.attribute is not None:
        values.pop("use", None)
    if action.options is not None:
        words = player_form(kind).read_words(action.options, _asking(game, check.actor))
        kept = {each.key for each in player_form(kind).fields}
        values = {key: value for key, value in values.items() if key not in kept} | words
    for key in ("skill", "attribute", "difficulty", "approach", "modifier"):
        value = getattr(action, key)
        if value is None:
            continue
        values.pop(key, None)
        if value not in ("", 0, "none"):
            values[key] = value
    return values


def _side(game: Game, action: Join | Defend) -> dict[str, Any]:
    named = {"skill": action.skill, "attribute": action.attribute, "approach": action.approach.strip()}
    words = player_form("team").read_words(action.options, _asking(game, ""))
    return {key: value for key, value in named.items() if value} | words


# --- what is told, in one form -------------------------------------------------------------------------------


def _frozen(value: Any) -> Any:
    if isinstance(value, Ref):
        return value.name
    if isinstance(value, tuple):
        return tuple(_frozen(each) for each in value)
    return _line(value) if isinstance(value, Text) else value


def _line(line: Line) -> tuple[Any, ...]:
    """A member of a team was told by the real name."""
    params = {key: _frozen(value) for key, value in line.params.items()}
    if line.code == "bar-part-member":
        params.pop("name")
    return (line.code, *sorted(params.items(), key=lambda each: each[0]))


def _of_view(view: CheckView, came: tuple[Line, ...]) -> Found:
    found: Found = Counter()
    name = view.character

    def tell(section: str, who: str, *lines: Line | None) -> None:
        found.update((section, who, *_line(line)) for line in lines if line is not None)

    def quote(text: str) -> None:
        if text.strip():
            found["quote", text] += 1

    tell("of", name, *view.traits)
    tell("adjusted", name, *view.shifts)
    for section, line in (("difficulty", view.target), ("in-mind", view.asked)):
        if line is not None and (section == "difficulty" or view.status == "proposed"):
            found[(section, line.params["value"]) if line.params else (section, "", line.code)] += 1
    tell("verdict", "", view.verdict, view.degree)
    notes = [each for each in view.notes if not (view.veiled and each.code == "bar-note-unsaid")]
    tell("note", "", *notes)
    if view.total is not None:
        found["roll", name, view.dice, view.total] += 1
    quote(view.approach)
    for section, text in (("question", view.question), ("note", view.note)):
        if text.strip():
            found[section, text] += 1
    if view.tool and view.kind in ("attack", "treat"):
        found["tool", view.tool] += 1
    sides: tuple[OtherSide, ...] = (() if view.other is None else (view.other,)) + view.helpers
    for side in sides:
        tell("of", side.name, *side.traits, side.verdict)
        tell("adjusted", side.name, *side.shifts)
        quote(side.approach)
        if side.total is not None:
            found["roll", side.name, side.dice, side.total] += 1
    tell("of", name if view.other is None else view.other.name, *came)
    return found


_SECTIONS = {
    "check-with": "of",
    "check-defends": "of",
    "check-weapon": "tool",
    "check-injury": "tool",
    "check-claimed": "adjusted",
    "check-adjustments": "adjusted",
    "check-defence-adjustments": "adjusted",
}


def _of_blocks(blocks: Iterable[Any], actor: str) -> Found:
    found: Found = Counter()
    for block in blocks:
        match block:
            case Verdict():
                if block.text.code not in _BESIDES:
                    texts = (block.text, *(() if block.degree is None else (block.degree,)))
                    found.update(("verdict", "", *_line(each)) for each in texts)
            case Fact():
                code = block.what.code
                section = _SECTIONS.get(code, code.removeprefix("check-"))
                named = block.what.params.get("who")
                who = named.name if isinstance(named, Ref) else actor if section in ("of", "adjusted") else ""
                for value in block.value if isinstance(block.value, tuple) else (block.value,):
                    if isinstance(value, Text):
                        found[section, who, *_line(value)] += 1
                    else:
                        found[section, value] += 1
            case Note():
                if block.text.code not in _BESIDES:
                    found["note", "", *_line(block.text)] += 1
            case Dice():
                assert block.who is not None
                found["roll", block.who.name, block.dice, block.result] += 1
            case Quote():
                label = "quote" if block.label is None else block.label.code.removeprefix("check-")
                found[label, block.text] += 1
            case _:
                raise AssertionError(block)
    return found
