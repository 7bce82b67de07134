"""Causes that options bring to a roll: by themselves, and by situations that GMs are asked about.

MB-BG-15, MB-BG-25, MB-BG-40 to MB-BG-42, MB-BG-46, MB-BG-50, MB-BG-51, MB-BG-55, MB-BG-57.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from rules.core.errors import InvalidInput
from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.systems.masterbook.character.option_effects import ActiveSituation, Cause
from rules.systems.masterbook.character.sheet import option_effects
from rules.systems.masterbook.checks.background_memory import (
    recognitions_by,
    situation_answer,
    with_situation_answer,
)
from rules.systems.masterbook.checks.roll_sources import RollSource
from rules.systems.masterbook.formulas.interaction import interaction_for_skill
from rules.systems.masterbook.formulas.option_kinds import Situation
from rules.table.blocks import Text
from rules.table.check import AnyCheck
from rules.table.checks.procedure import CheckOption
from rules.table.checks.stages import ROLL
from rules.table.forms.fields import FormContext, Many, Option
from rules.table.system import Game

Causes = tuple[Cause, ...]
#: Prefix of the names of a target's situations.
AGAINST: Final = "target-"


class RollSubject(Record):
    """Subject of a roll: actor, skill, target and circumstances that options ask about."""

    who: str
    source: RollSource
    #: Attribute that is rolled, which may stand in the place of the skill's own.
    attribute: str
    #: Character that it is tried on; empty without one.
    target: str = ""
    #: Rows of the skill's charts that were said.
    rows: tuple[str, ...] = ()
    #: Use of the weapon of an attack; empty if it is none.
    use: str = ""
    #: Round in which it is tried; None outside rounds.
    round: int | None = None

    @property
    def is_interaction(self) -> bool:
        """Whether it is one of the interactions, or a skill that serves for one."""
        return interaction_for_skill(self.source.skill, self.source.focus.casefold()) is not None


class RollCauses(Record):
    """Causes of options on one roll, by what they are added to (MB-BG-15)."""

    #: On the difficulty, for the GMs alone.
    difficulty: Causes = ()
    #: On the bonus number after the chart, and on the total.
    bonus: Causes = ()
    total: Causes = ()
    #: On the target's bonus number, if it resists actively.
    target_bonus: Causes = ()


class OfferedSituation(Record):
    """A situation that may apply to a roll, and the number that is proposed for it."""

    #: Name in a GM's answer.
    token: str
    #: Id of the character whose option it is, and of the other character; empty without one.
    owner: str
    other: str
    active: ActiveSituation
    proposed: int

    @property
    def memory_key(self) -> str:
        """Key under which the answer about it is kept."""
        return f"{self.active.situation.key}: {self.active.cause}"

    def cause(self, number: int) -> Cause:
        return self.active.cause, number


# --- which situations may apply -------------------------------------------------------------------


def situation_numbers(situation: Situation) -> tuple[int, ...]:
    """Return the numbers that a GM may choose for a situation that counts."""
    return tuple(number for number in range(situation.low, situation.high + 1) if number)


def is_named(active: ActiveSituation, subject: RollSubject) -> bool:
    """Return whether a situation names this kind of roll."""
    situation, source = active.situation, subject.source
    if situation.first_round_of:
        return subject.use in situation.first_round_of
    if active.targets:
        key = (source.skill, source.focus, source.special)
        return any(target.covers(*key) for target in active.targets)
    if situation.skills:
        return source.skill in situation.skills
    if situation.attributes:
        return subject.attribute in situation.attributes
    return bool(situation.group) and subject.is_interaction


def _is_open_to_all(active: ActiveSituation) -> bool:
    """Return whether a GM may count a situation for any roll."""
    situation = active.situation
    if situation.first_round_of:
        return False
    return bool(active.targets) or not (situation.skills or situation.attributes or situation.group)


def _proposed_number(active: ActiveSituation, subject: RollSubject) -> int:
    """Return the number that is proposed for a roll; 0 for one that a situation doesn't name."""
    situation = active.situation
    if not is_named(active, subject):
        return 0
    if situation.first_round_of and subject.round != 1:
        return 0
    if situation.rows and not set(situation.rows) & set(subject.rows):
        return 0
    if not situation.likely and not situation.likely_attacks:
        return situation.proposed
    is_likely_attack = situation.likely_attacks and bool(subject.use)
    if is_likely_attack or subject.source.skill in situation.likely:
        return situation.proposed
    return 0


def offered_situations(game: Game, subject: RollSubject) -> Iterator[OfferedSituation]:
    """Yield the situations that may apply: the actor's own, then those of its target."""
    for owner, against in ((subject.who, False), (subject.target, True)):
        if not owner or owner not in game.state.characters:
            continue
        other = subject.who if against else subject.target
        counted: dict[str, int] = {}
        for active in option_effects(game.sheet(owner)).situations:
            situation = active.situation
            if situation.against != against:
                continue
            if not (is_named(active, subject) or _is_open_to_all(active)):
                continue
            key = f"{AGAINST}{situation.key}" if against else situation.key
            counted[key] = counted.get(key, 0) + 1
            token = key if counted[key] == 1 else f"{key}-{counted[key]}"
            offered = OfferedSituation(
                token, owner, other, active, _proposed_number(active, subject)
            )
            remembered = _remembered_number(game, offered)
            yield offered if remembered is None else offered.replace(proposed=remembered)


def _remembered_number(game: Game, offered: OfferedSituation) -> int | None:
    """Return the GM's earlier answer about the same two characters; None without one."""
    if not offered.active.situation.remembered or not offered.other:
        return None
    return situation_answer(game, offered.owner, offered.memory_key, offered.other)


# --- a GM's answer --------------------------------------------------------------------------------


def situation_word(token: str, number: int) -> str:
    """Return a situation with its number, as a GM's answer has it."""
    return f"{token} {number}"


def proposed_words(game: Game, subject: RollSubject) -> tuple[str, ...]:
    """Return the situations that are proposed, as a GM's answer has them."""
    return tuple(
        situation_word(offered.token, offered.proposed)
        for offered in offered_situations(game, subject)
        if offered.proposed
    )


def _options(game: Game, subject: RollSubject) -> Iterator[Option]:
    """Yield each situation that may apply, with each number that it may have."""
    for offered in offered_situations(game, subject):
        situation = offered.active.situation
        about = {"what": situation.key, "why": offered.active.cause, "to": situation.to}
        if situation.rules_out:
            yield Option(situation_word(offered.token, 0), Text("mb-situation-bars", about))
            continue
        for number in situation_numbers(situation):
            label = Text("mb-situation", {**about, "number": number})
            yield Option(situation_word(offered.token, number), label)


#: Function that returns the subject of a form's check; None while it isn't known.
FindSubject = Callable[[Game, AnyCheck], RollSubject | None]


def situations_field(find_subject: FindSubject) -> Many:
    """Return the field with which a GM says which situations count for a check."""

    def choices(asking: FormContext) -> tuple[Option, ...]:
        if asking.game is None or asking.check is None:
            return ()
        subject = find_subject(asking.game, asking.check)
        return () if subject is None else tuple(_options(asking.game, subject))

    return Many(SITUATIONS, title=Text("mb-situations"), choices=choices, most=10)


#: Key of that field.
SITUATIONS: Final = "situations"


def _split(words: Iterable[str]) -> dict[str, int]:
    """Return the number of each situation. Raises InvalidInput("mb-situation-twice")."""
    numbers: dict[str, int] = {}
    for word in words:
        token, _, number = word.rpartition(" ")
        if token in numbers:
            raise InvalidInput("mb-situation-twice", field=SITUATIONS, value=word)
        numbers[token] = int(number)
    return numbers


def is_ruled_out(game: Game, subject: RollSubject, words: Iterable[str]) -> bool:
    """Return whether a GM's answer makes the attempt impossible (MB-BG-50)."""
    chosen = _split(words)
    return any(
        offered.token in chosen and offered.active.situation.rules_out
        for offered in offered_situations(game, subject)
    )


def with_remembered_answers(game: Game, subject: RollSubject, words: Iterable[str]) -> Game:
    """Return the game with a GM's answers about these two characters."""
    chosen = _split(words)
    for offered in tuple(offered_situations(game, subject)):
        if offered.active.situation.remembered and offered.other:
            number = chosen.get(offered.token, 0)
            game = with_situation_answer(
                game, offered.owner, offered.memory_key, offered.other, number
            )
    return game


# --- what counts ----------------------------------------------------------------------------------


def counted_situations(
    game: Game, subject: RollSubject, words: Iterable[str], *, answered: bool
) -> Iterator[tuple[OfferedSituation, int]]:
    """Yield the situations that count, each with its number.

    Without a GM's answer, the proposals count.
    """
    chosen = _split(words)
    for offered in offered_situations(game, subject):
        number = chosen.get(offered.token, 0) if answered else offered.proposed
        if number:
            yield offered, number


def roll_causes(
    game: Game, subject: RollSubject, words: Iterable[str], *, answered: bool
) -> RollCauses:
    """Return what options bring to a roll besides its rating (MB-BG-15)."""
    difficulty = [*own_difficulties(game, subject), *_recognitions(game, subject)]
    bonus: list[Cause] = []
    total: list[Cause] = []
    target_bonus: list[Cause] = []
    for offered, number in counted_situations(game, subject, words, answered=answered):
        situation = offered.active.situation
        if situation.to == "bonus":
            causes = target_bonus if situation.against else bonus
            causes.append(offered.cause(number))
        elif situation.to == "total":
            total.append(offered.cause(number))
        else:
            # What makes resisting harder makes the attempt easier.
            difficulty.append(offered.cause(-number if situation.against else number))
    return RollCauses(tuple(difficulty), tuple(bonus), tuple(total), tuple(target_bonus))


def own_difficulties(game: Game, subject: RollSubject) -> Causes:
    """Return what the actor's options add to its difficulty (MB-BG-41, MB-BG-46, MB-BG-50)."""
    effects = option_effects(game.sheet(subject.who))
    source = subject.source
    return effects.cause_total(
        effects.difficulties, source.skill, source.focus, source.special, subject.attribute
    )


def resistance_difficulties(
    game: Game, who: str, source: RollSource, key: str = "", *, raising: bool = False
) -> Causes:
    """Return what a defender's own difficulties change for the character who acts against it.

    They lower that character's difficulty. A Handicap with a skill that defends raises the
    attacker's total instead (MB-BG-50): with *raising* the numbers are positive.
    """
    effects = option_effects(game.sheet(who))
    causes = effects.cause_total(
        effects.difficulties,
        source.skill,
        source.focus,
        source.special,
        name_key(key or source.attribute),
    )
    return causes if raising else tuple((cause, -number) for cause, number in causes)


def _recognitions(game: Game, subject: RollSubject) -> Iterator[Cause]:
    """Yield what being recognized adds to the difficulty of talk with the target."""
    if not subject.target or not subject.is_interaction:
        return
    for active in recognitions_by(game, subject.who, subject.target):
        recognition = active.recognition
        counts = not recognition.skills or subject.source.skill in recognition.skills
        if counts and recognition.difficulty:
            yield active.cause, recognition.difficulty


def with_proposed_situations(
    game: Game,
    check: AnyCheck,
    prompt: str,
    options: Iterable[CheckOption],
    find_subject: FindSubject,
) -> Iterable[CheckOption]:
    """Return the options of a prompt; a GM's first answer carries the situations to be proposed."""
    if prompt != "rule" or check.data.answered_by:
        return options
    subject = find_subject(game, check)
    if subject is None:
        return options
    return with_proposals(options, ROLL, proposed_words(game, subject))


def with_proposals(options: Iterable[Any], answer: str, words: tuple[str, ...]) -> list[Any]:
    """Return a GM's options; that of *answer* carries the situations proposed for the roll."""
    changed: list[Any] = []
    for option in options:
        if words and option.value == answer:
            option = option.replace(values={**option.values, SITUATIONS: words})
        changed.append(option)
    return changed
