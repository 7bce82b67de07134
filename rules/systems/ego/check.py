"""A check under EGO, as far as it has come, and what its dice say (EGO-DIE-02 to EGO-DIE-04)."""

from __future__ import annotations

from typing import Final, Literal

from rules.core.errors import InvalidInput, RulesError
from rules.core.names import meant
from rules.core.record import Record, record
from rules.systems.ego.dice import Pool, Throw
from rules.systems.ego.tables import RATINGS
from rules.table.checks.check import Check
from rules.table.checks.stages import FREE, ROLL, Idea
from rules.table.system import Game

#: The most successes that a task may need.
NEEDED_MOST: Final = 50
AUTOMATIC: Final = "Automatic"
#: What is thrown, by whom: whoever acts, the other side, what is known of another culture.
MINE, THEIRS, KNOWLEDGE = "check", "answer", "knowledge"
#: How a tie may end.
BOTH, NOBODY, AGAIN = "both", "nobody", "reroll"
_TOPICS: Final = ("attraction", "persuading")

Winner = Literal["a", "b"] | None


@record
class Plan(Record):
    """How somebody tries, as it was said; `karma` dice are bought, `modifier` are dice, `harder` successes.

    `attraction` and `persuading` tell what the roll deals with, `toward` with whom. `knowledge` is rolled first.
    `seconds` are what it takes in a round.
    """

    skill: str = ""
    attribute: str = ""
    difficulty: str = ""
    approach: str = ""
    karma: int = 0
    modifier: int = 0
    harder: int = 0
    attraction: bool = False
    persuading: bool = False
    untrained: bool = False
    knowledge: str = ""
    toward: str = ""
    seconds: int = 0


@record
class Attempt(Idea):
    """What somebody tries, and how far it has come.

    `terms` are what the pool consists of, by name, `needed` how many successes it takes and `shifts` what makes it
    harder or easier, as the sheet was when it was looked at last. `tie` is how a tie ended, `paid` whether Karma and
    Action Points were spent, `penalty` the dice that over-spending takes.
    """

    request: Plan = Plan()
    ruling: Plan | None = None
    defence: Plan | None = None
    defence_by: str = ""
    terms: tuple[tuple[str, int], ...] = ()
    against: tuple[tuple[str, int], ...] = ()
    needed: int = 0
    shifts: tuple[tuple[str, int], ...] = ()
    throws: tuple[Throw, ...] = ()
    tie: str = ""
    paid: bool = False
    penalty: int = 0


AnyAttempt = Check[Attempt]


def topics(*plans: Plan | None) -> tuple[str, ...]:
    """What a roll deals with, as it was said and as its GM has it (EGO-ADV-02)."""
    return tuple([key for key in _TOPICS if any(each and getattr(each, key) for each in plans)])


@record
class Result:
    """What successes come to against a number of them: by how many more, or fewer (EGO-DIE-03)."""

    successes: int
    needed: int

    @property
    def margin(self) -> int:
        """Negative on a failure."""
        return self.successes - self.needed

    @property
    def success(self) -> bool:
        """Without any success nothing succeeds."""
        return self.successes > 0 and self.margin >= 0


@record
class Opposition:
    """Two pools against each other: who wins, by how many, and whether it is a tie above 0 (EGO-DIE-04)."""

    winner: Winner = None
    margin: int | None = None
    tie: bool = False


def oppose(mine: int, theirs: int) -> Opposition:
    """More successes win; with none on both sides nobody does, and that is no tie (EGO-DIE-04)."""
    if mine == theirs:
        return Opposition(tie=mine > 0)
    return Opposition("a" if mine > theirs else "b", abs(mine - theirs))


def rating(text: str, *, near_impossible: int = 0) -> int | None:
    """How many successes a difficulty takes, 0 for what needs no roll; None where the GM has to say (EGO-DIE-02)."""
    if text.isdigit():
        return int(text)
    found = RATINGS[text].successes
    return found if found is not None else near_impossible or None


def unsaid(what: str) -> RulesError:
    """That this is still to be said."""
    # A panel calls fields by their titles.
    return InvalidInput("ego-say", field=what, value=None, what=what)


def too_much(what: str, name: str = "", value: str | int | None = None) -> RulesError:
    """That this was said where it means nothing."""
    return InvalidInput("ego-leave-out", field=what, value=value, what=what, name=name)


def successes_for(game: Game, difficulty: str) -> int:
    """As `rating`, as the table plays it. InvalidInput("ego-how-many") where the GM has to say."""
    found = rating(difficulty, near_impossible=game.setting("near_impossible_successes"))
    if found is None:
        raise InvalidInput("ego-how-many", field="difficulty", value=difficulty, highest=NEEDED_MOST)
    return found


def read_difficulty(text: str) -> str:
    """A rating's name, or a number of successes. InvalidInput("ego-bad-difficulty")."""
    typed = text.strip()
    if typed.isascii() and typed.isdigit() and 1 <= int(typed) <= NEEDED_MOST:
        return str(int(typed))
    found = meant(tuple(RATINGS), typed, str)
    if len(found) != 1:
        known = {"allowed": tuple(RATINGS), "highest": NEEDED_MOST}
        raise InvalidInput("ego-bad-difficulty", field="difficulty", value=text[:100], **known)
    return found[0]


def needed(base: int, shifts: tuple[int, ...]) -> int:
    """With everything that makes it harder or easier, never below 1; what is automatic stays so (EGO-DIE-02)."""
    return max(1, base + sum(shifts)) if base else 0


def pool_of(data: Attempt, what: str = MINE) -> Pool | None:
    """The dice thrown for it; None before."""
    return next((each.pool for each in data.throws if each.what == what), None)


def result_of(data: Attempt) -> Result | None:
    """What the dice come to against a difficulty; None before they fall, and against somebody."""
    pool = pool_of(data)
    return None if pool is None or data.opposed else Result(pool.successes, data.needed)


def opposition_of(data: Attempt) -> Opposition | None:
    """Who wins, once both sides have thrown."""
    mine, theirs = pool_of(data), pool_of(data, THEIRS)
    return None if mine is None or theirs is None else oppose(mine.successes, theirs.successes)


def is_automatic(data: Attempt) -> bool:
    """Whether it takes no roll (EGO-DIE-02)."""
    return data.answer == ROLL and data.ruling is not None and data.ruling.difficulty == AUTOMATIC


def succeeded(data: Attempt) -> bool:
    """Whether whoever acts has reached what they wanted."""
    if data.answer == FREE or is_automatic(data) or data.tie == BOTH:
        return True
    if data.opposed:
        both = opposition_of(data)
        return both is not None and both.winner == "a"
    result = result_of(data)
    return result is not None and result.success
