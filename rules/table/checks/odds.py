"""Odds before the roll: of a check that a player considers, and of one that waits for its roll."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from fractions import Fraction
from itertools import islice

from rules.core.errors import Impossible, InvalidInput, RulesError
from rules.core.record import Record
from rules.table.actions import Actor
from rules.table.blocks import Text
from rules.table.check import AnyCheck, Values
from rules.table.checks.access import find_check, may_answer, may_see_check
from rules.table.checks.engine import draft_check
from rules.table.checks.procedure import CheckOdds, kind_with_role, procedure_of
from rules.table.checks.stages import ProposalStage
from rules.table.forms.fields import FormContext
from rules.table.forms.form import Form
from rules.table.lookup import acting_character
from rules.table.permissions import is_gm, require_owner
from rules.table.state import AnyCharacter
from rules.table.system import Game, OddsTable

#: Most levels of difficulty that are compared side by side.
MAX_LEVELS = 7
#: The field of a form that says against what it is rolled.
DIFFICULTY_KEY = "difficulty"
#: Most numbers above a level that are tried, to find the hardest with better than even odds.
_PROBED = 40


class OddsReport(Record):
    """Odds with what they are of: who acts, with what, and what makes it easier or harder.

    One table for each difficulty. `check` is the check's id, None for something that was only asked
    about.
    """

    character: AnyCharacter
    traits: tuple[Text, ...]
    shifts: tuple[Text, ...]
    tables: tuple[OddsTable, ...]
    check: str | None = None
    notes: tuple[Text, ...] = ()
    #: Highest number with better than even odds, also between levels; None if unknown.
    hardest: int | None = None


class _Supposition(Record):
    """Something that a character could begin, for its odds with various values."""

    game: Game
    kind: str
    place: str
    actor: str
    target: str | None = None

    def compared(self, values: Values) -> list[CheckOdds]:
        """Return the odds against each level of difficulty, from the lowest number up.

        A form may offer the levels of a skill first. What takes no roll, or a number that a GM has
        to say, has no odds.
        """
        form = procedure_of(self.game, self.kind).form or Form()
        asking = FormContext(self.game, None, self.actor, values)
        found: list[CheckOdds] = []
        field = form.by_key.get(DIFFICULTY_KEY)
        for level, _ in () if field is None else field.choices_for(asking):
            with suppress(Impossible, InvalidInput):
                found.append(self.odds({**values, DIFFICULTY_KEY: level}))
        return sorted(found, key=lambda each: each.table[0][1].needed or 0)

    def odds(self, values: Values) -> CheckOdds:
        """Return the odds as if it were answered as proposed, like a check of the GMs' own."""
        game = self.game
        course = procedure_of(game, self.kind)
        check = draft_check(
            game,
            self.kind,
            self.place,
            values,
            actor=self.actor,
            target=self.target,
            gm_only=self.target is None,
        )
        # A check of the GMs' own is answered as it is proposed.
        check = check.replace(gm_only=True)
        first = course.stages[course.first]
        answered = (
            first.with_automatic_answer(game, check) if isinstance(first, ProposalStage) else None
        )
        if course.odds is None or answered is None:
            raise Impossible("odds-unmeasured", check="")
        return course.odds(game, answered)


def proposal_odds(
    game: Game,
    values: Values,
    place: str,
    *,
    as_: str | None = None,
    kind: str | None = None,
    target: str | None = None,
) -> OddsReport:
    """Return the odds of a check with these values, as it would be proposed.

    `kind` is by default that of a plain check. `target` is the target's id. The odds are against
    the check's difficulty; without one, against each of the first levels whose odds differ. Raises
    what beginning the check would, or Impossible("odds-unmeasured") where there are no odds.
    """
    character = acting_character(game.state, game.actor, as_, place)
    if kind is None:
        kind = kind_with_role(game.system, "check")
    supposed = _Supposition(game, kind, place, character.id, target)
    found = [] if values.get(DIFFICULTY_KEY) else supposed.compared(values)
    found = found or [supposed.odds(values)]
    tables: list[OddsTable] = []
    for each in found:
        if each.table not in tables:  # levels may come to the same once they are shifted
            tables.append(each.table)
    hardest = _hardest_number(supposed, values, tables) if len(tables) > 1 else None
    shown = tuple(tables[:MAX_LEVELS])
    first = found[0]
    return OddsReport(
        character, first.traits, first.shifts, shown, notes=first.notes, hardest=hardest
    )


def _hardest_number(
    supposed: _Supposition, values: Values, tables: Sequence[OddsTable]
) -> int | None:
    """Return the highest number with better than even odds; *tables* ascend by level.

    None if no level has better than even odds, or if levels have no numbers. In rules whose
    difficulties are levels only, the number is that of a level.
    """
    numbers = [each[0][1].needed for each in tables if _is_likely(each)]
    hardest = max((number for number in numbers if number is not None), default=None)
    if hardest is None:
        return None

    def odds_against(said: int) -> OddsTable | None:
        try:
            return supposed.odds({**values, DIFFICULTY_KEY: str(said)}).table
        except (Impossible, InvalidInput):
            return None

    first = odds_against(hardest)
    shifted = None if first is None else first[0][1].needed
    if shifted is None:
        return hardest
    # Circumstances may move the difficulty that is named, so it differs from the number to reach.
    said = hardest - (shifted - hardest)
    for _ in range(_PROBED):
        said += 1
        table = odds_against(said)
        if table is None or not _is_likely(table) or table[0][1].needed is None:
            break
        hardest = max(hardest, table[0][1].needed)
    return hardest


def _is_likely(table: OddsTable) -> bool:
    """Return whether the first row of a table has better than even odds."""
    return 2 * table[0][1].success > 1


def neighboring_odds(
    game: Game, values: Values, place: str, chances: OddsReport
) -> tuple[OddsTable, ...]:
    """Return the odds against the next easier and the next harder level; empty without a named
    level.
    """
    needed = chances.tables[0][0][1].needed
    if needed is None or values.get(DIFFICULTY_KEY) is None:
        return ()
    below, above = None, None
    kind = kind_with_role(game.system, "check")
    for each in _Supposition(game, kind, place, chances.character.id).compared(values):
        table = each.table
        number = table[0][1].needed
        if number is not None and number < needed:
            below = table
        elif number is not None and number > needed:
            above = table
            break  # they ascend
    return tuple(each for each in (below, above) if each is not None)


def checks_awaiting_roll(game: Game, most: int) -> tuple[AnyCheck, ...]:
    """Return the newest checks, at most `most`, that wait for a roll whose odds the actor may
    ask for.
    """
    seen = (
        check
        for check in reversed([*game.state.checks.values()])
        if may_see_check(game, check, game.actor)
    )
    return tuple(
        islice((each for each in seen if check_success_odds(game, each) is not None), most)
    )


def odds_of_check(game: Game, text: str) -> OddsReport:
    """Return the odds of a check exactly as the GM has ruled it.

    Raises:
        NotFound("unknown-check"): there is no such check.
        NotPermitted("owner-only"): the actor is no GM, and can't answer for the check's actor.
        Impossible("hidden-odds"): the difficulty is hidden, and the actor is no GM.
        Impossible("odds-unmeasured"): there are no odds.

    Raises as its procedure's `odds` too.
    """
    check = find_check(game, text)
    found = _odds_of(game, check)
    return OddsReport(
        game.character(check.actor),
        found.traits,
        found.shifts,
        (found.table,),
        check.id,
        found.notes,
    )


def check_success_odds(game: Game, check: AnyCheck) -> Fraction | None:
    """Return the chance of a check as it stands; None if there is none that the actor may know."""
    try:
        return _odds_of(game, check).table[0][1].success
    except RulesError:
        return None


def public_chance(game: Game, check: AnyCheck) -> Fraction | None:
    """Return the chance of a check, as far as a reader without a character may know."""
    odds = procedure_of(game, check.kind).odds
    if odds is None or check.hidden:
        return None
    try:
        return odds(game.replace(actor=Actor("")), check).table[0][1].success
    except RulesError:
        return None


def _odds_of(game: Game, check: AnyCheck) -> CheckOdds:
    gm = is_gm(game.state, game.actor)
    if not gm and not may_answer(game.state, game.actor, check.actor, game.at):
        require_owner(game.state, game.actor, game.character(check.actor))
    odds = procedure_of(game, check.kind).odds
    if odds is None:
        raise Impossible("odds-unmeasured")
    found = odds(game, check)
    if check.hidden and not gm:
        raise Impossible("hidden-odds", check=check.id)
    return found
