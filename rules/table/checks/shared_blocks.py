"""Blocks that checks of all systems share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, Protocol, TypeVar

from rules.core.record import Record
from rules.table import blocks
from rules.table.blocks import (
    FOR_EVERYONE,
    GMS_ONLY,
    Block,
    Change,
    Fact,
    Quote,
    Ref,
    Text,
    Tone,
    Value,
    Verdict,
    Viewers,
    blocks_only_for,
)
from rules.table.check import AnyCheck, Check
from rules.table.checks.procedure import Thrown
from rules.table.checks.stages import FREE, ProposalData
from rules.table.system import Game, is_npc


class Request(Protocol):
    """What the owner of a check asks for, with the difficulty that the owner has in mind."""

    @property
    def difficulty(self) -> str: ...


class RequestedData(Protocol):
    """Data of a check that its owner has asked for and a GM answers."""

    @property
    def answer(self) -> str: ...

    @property
    def request(self) -> Request: ...


B = TypeVar("B", bound=Block)
P = TypeVar("P", bound=ProposalData)
R = TypeVar("R", bound=RequestedData)
T = TypeVar("T", bound=Thrown)

#: Code of the fact about the roll that a check waits for. It stands in calls and on the button.
NEXT_ROLL: Final = "check-next-roll"
#: Buttons of prompts that ask for a roll.
ROLL_BUTTONS: Final = ("answer-roll", "answer-evade")
WITH_LABEL: Final = Text("check-with")
DIFFICULTY_LABEL: Final = Text("check-difficulty")
HIDDEN_DIFFICULTY: Final = Text("hidden-difficulty")
HIDDEN_DIFFICULTY_FACT: Final = Fact(DIFFICULTY_LABEL, HIDDEN_DIFFICULTY, FOR_EVERYONE)
_QUESTION: Final = Text("check-question")
_NOTE: Final = Text("check-note")


def result_tone(game: Game, check: AnyCheck, *, good: bool, rivals: bool = True) -> Tone:
    """Return the tone of a result from the players' side; neutral between `rivals` of theirs."""
    ours = not is_npc(game, check.actor)
    if rivals and ours and not is_npc(game, check.target):
        return "neutral"
    return "good" if good == ours else "bad"


def no_roll_verdict(answer: str, tone: Tone, *, rest: bool = False) -> Verdict:
    """Return the verdict of a check that succeeds, or is impossible, by the GM's word."""
    free = answer == FREE
    code = ("check-time-to-rest" if free else "check-no-time-to-rest") if rest else "check-free"
    return Verdict(Text(code if free or rest else "check-cannot"), tone, FOR_EVERYONE, worked=free)


def health_change(before: Text, after: Text) -> dict[str, Value]:
    """Return the parameters of a text that say how a character is now and, if changed, was."""
    changed = before != after
    return {"health": after, "was": before if changed else None, "well": after.code == "unhurt"}


def health_line(who: str, told: Mapping[str, Value]) -> Text | None:
    """Return how a character is after an effect, as `told` has it; None if it doesn't say."""
    if told.get("health") is None:
        return None
    about = {key: told.get(key) for key in ("health", "was", "well", "treated")}
    return Text("health-now", {"who": Ref(who), **about})


def gm_quotes(check: Check[P], seen: Viewers = FOR_EVERYONE) -> tuple[Quote, ...]:
    """Return the quotes of a GM: the question, and the note with the answer."""
    data = check.data
    asked = data.question, data.asked_by, _QUESTION
    noted = check.note, data.answered_by, _NOTE
    return tuple([Quote(text, by, seen, label=label) for text, by, label in (asked, noted) if text])


def dice_viewers(check: Check[T]) -> Viewers:
    """Return who may read the dice. Once blind dice have fallen, the GMs alone may."""
    return GMS_ONLY if check.visibility == "blind" and check.data.throws else FOR_EVERYONE


def dice_result_blocks(check: Check[T], told: Iterable[Block]) -> tuple[Block, ...]:
    """Return the blocks of the dice for those who may read them."""
    return blocks_only_for(dice_viewers(check), told)


def hidden_difficulty_blocks(known: Iterable[Block]) -> tuple[Block, ...]:
    """Return the blocks of a hidden difficulty and its modifiers; only the GMs read `known`."""
    return (HIDDEN_DIFFICULTY_FACT.replace(hidden_from=GMS_ONLY), *blocks_only_for(GMS_ONLY, known))


def approach_blocks(check: AnyCheck, seen: Viewers = FOR_EVERYONE) -> list[Block]:
    """Return the blocks of the idea in its owner's words."""
    return [Quote(check.approach, check.by, seen)] if check.approach else []


def idea_blocks(
    check: Check[R], seen: Viewers, level: Callable[[str], blocks.Value]
) -> list[Block]:
    """Return the idea and, until a GM answers, the difficulty that its owner proposes."""
    found = approach_blocks(check, seen)
    if check.is_open and not check.data.answer and (wished := check.data.request.difficulty):
        found.append(Fact(Text("check-in-mind"), level(wished), GMS_ONLY if check.hidden else seen))
    return found


def full_and_plain(block: B, **plain: Any) -> tuple[B, B]:
    """Return a block in full for the GMs, and with the `plain` fields for all others."""
    return block.replace(visible_to=GMS_ONLY), block.replace(hidden_from=GMS_ONLY, **plain)


class NumberChange(Record):
    """Change of one number of a character. `name` tells several numbers apart."""

    who: str
    what: str
    before: int
    after: int
    name: str = ""


def number_change_blocks(
    game: Game, shifts: Iterable[NumberChange], words: Callable[[str, str | None], Text]
) -> list[Block]:
    """Return the blocks of numbers that have changed, each once; those of NPCs are for the GMs."""
    shown: dict[tuple[str, str, str], tuple[int, int]] = {}
    for shift in shifts:
        key = shift.who, shift.what, shift.name
        shown[key] = shown.get(key, (shift.before, 0))[0], shift.after
    found: list[Block] = []
    for (who, what, name), (before, after) in shown.items():
        if before != after:
            seen = GMS_ONLY if is_npc(game, who) else FOR_EVERYONE
            found.append(Change(Ref(who), words(what, name or None), before, after, seen))
    return found
