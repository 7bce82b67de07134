"""Ends of characters in a check: who is dead, unconscious or hurt, and who still may be."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, Final

from rules.core.record import Record
from rules.systems.ego.character.combat_values import BADLY_HURT
from rules.systems.ego.checks.group_rolls import STAY
from rules.systems.ego.checks.roll_stages import DOWN, HURT, Trials
from rules.systems.ego.checks.view import for_audiences, is_unknown
from rules.systems.ego.formulas import damage
from rules.table.blocks import FOR_EVERYONE, Ref, Text, Tone, Verdict
from rules.table.check import Check
from rules.table.system import Game, is_npc

#: Ends besides those of `Body.down`: still unconscious, awake again, and out of control.
ASLEEP, AWAKE, NO_CONTROL = "asleep", "awake", "control"
#: End of a character who takes no damage, however hurt before.
NO_DAMAGE: Final = "no damage"
#: Rank of each end, the worst first; all others are wounds.
_RANKS: Final = {
    damage.DEAD: 0,
    damage.KNOCKED_OUT: 1,
    damage.PASSED_OUT: 1,
    ASLEEP: 1,
    BADLY_HURT: 2,
    NO_DAMAGE: 4,
}
_HURT_RANK: Final = 3
#: Ranks of characters who are dead or unconscious.
_DOWN_RANKS: Final = (0, 1)


class Casualty(Record):
    """A character, and the effect of an attack, a crash, a fall or a failed roll."""

    who: str
    #: Damage that came through; None if the reader may not know it.
    points: int | None = None
    #: Damage that armor stopped.
    stopped: int = 0
    #: The end, as `Body.down` has it, or the word for the character's health.
    end: str = ""
    #: Whether the end happened now, and is not an earlier state.
    fell: bool = False

    @property
    def rank(self) -> int:
        """Place in a list of ends, the worst first."""
        return _RANKS.get(self.end, _HURT_RANK)

    @property
    def is_down(self) -> bool:
        """Whether the character is dead or unconscious."""
        return self.rank in _DOWN_RANKS


def casualties(consequences: Iterable[Text]) -> tuple[Casualty, ...]:
    """Return the characters in these lines of damage, the worst ends first."""
    by_character: dict[str, Casualty] = {}
    for line in consequences:
        who = line.params.get("who")
        if not isinstance(who, Ref):
            continue
        if line.code == HURT:
            points: Any = line.params["points"]
            stopped: Any = line.params["stopped"]
            health = str(line.params.get("health") or "")
            end = ASLEEP if health in (damage.KNOCKED_OUT, damage.PASSED_OUT) else health
            end = end if points else NO_DAMAGE
            by_character[who.id] = Casualty(who.id, points, stopped, end)
        elif line.code == DOWN and line.params["how"]:
            fallen = by_character.get(who.id, Casualty(who.id))
            by_character[who.id] = fallen.replace(end=str(line.params["how"]), fell=True)
    return tuple(sorted(by_character.values(), key=lambda casualty: casualty.rank))


def worst(found: Sequence[Casualty]) -> tuple[Casualty, ...]:
    """Return all who are dead or unconscious; without any, the characters who fare worst."""
    down = tuple(casualty for casualty in found if casualty.is_down)
    if down or not found:
        return down
    least = min(casualty.rank for casualty in found)
    return tuple(casualty for casualty in found if casualty.rank == least)


def end_lines(found: Iterable[Casualty], *, would: bool = False) -> tuple[Text, ...]:
    """Return a line for each end, with all who share it.

    With *would*, the lines say what still can change, with the damage.
    """

    def kind(casualty: Casualty) -> tuple[int, str, int]:
        points = casualty.points or 0
        return casualty.rank, casualty.end, -points if would else 0

    lines: list[Text] = []
    for (_, end, _), group in groupby(sorted(found, key=kind), kind):
        alike = tuple(group)
        about: dict[str, Any] = {"who": tuple(Ref(casualty.who) for casualty in alike)}
        about |= {"count": len(alike), "how": end}
        if would:
            about["points"] = alike[0].points
            lines.append(Text("ego-would", about))
        else:
            lines.append(Text("ego-end", about))
    return tuple(lines)


def known_to_players(game: Game, found: Iterable[Casualty]) -> tuple[Casualty, ...]:
    """Return the casualties without characters that players know nothing of."""
    return tuple(casualty for casualty in found if not is_unknown(game, casualty.who))


def without_npcs(game: Game, found: Iterable[Casualty]) -> tuple[Casualty, ...]:
    """Return the casualties without NPCs: only GMs read what an NPC would suffer."""
    return tuple(casualty for casualty in found if not is_npc(game, casualty.who))


# --- what still can change ------------------------------------------------------------------------

#: Stakes of a check: casualties by the dice rolled so far, and by rolls to come.
Stakes = tuple[tuple[Casualty, ...], tuple[Casualty, ...]]


def failed_rolls(data: Trials, ends: dict[str, str]) -> Stakes:
    """Return the ends of failed rolls, and of rolls to come if they fail.

    `ends` has the end for each kind of roll. Leave out a roll that has had its effect already.
    """
    thrown = {(throw.who, throw.what): throw.pool.successes for throw in data.throws}
    failed: list[Casualty] = []
    due: list[Casualty] = []
    for trial in data.trials:
        if trial.what not in ends:
            continue
        casualty = Casualty(trial.who, end=ends[trial.what])
        successes = thrown.get((trial.who, trial.what))
        if successes is None:
            due.append(casualty)
        elif not 0 < successes >= trial.needed:
            failed.append(casualty)
    return tuple(failed), tuple(due)


def stake_lines(stakes: Stakes, *, inside: bool = False, braces: bool = False) -> tuple[Text, ...]:
    """Return the sentences of what happens unless something changes.

    They are *inside* a longer sentence, or by themselves. With *braces*, the rolls to come are for
    bracing.
    """
    lines: list[Text] = []
    for found, due in ((stakes[0], ""), (stakes[1], "brace" if braces else "roll")):
        if found:
            ends = end_lines(found, would=True)
            lines.append(Text("ego-unless", {"ends": ends, "due": due, "inside": inside}))
            inside = True
    return tuple(lines)


def consciousness_stakes(check: Check[Any]) -> Stakes:
    """Return who passes out after damage unless something changes."""
    if not check.is_open:
        return (), ()
    return failed_rolls(check.data, {STAY: damage.PASSED_OUT})


def stake_verdicts(game: Game, stakes: Stakes, *, braces: bool = False) -> tuple[Verdict, ...]:
    """Return the verdicts of rolls that still can change.

    Players read nothing of NPCs: what an NPC can take isn't theirs to know.
    """
    seen = without_npcs(game, stakes[0]), without_npcs(game, stakes[1])
    full = _verdict(game, stake_lines(stakes, braces=braces), stakes)
    plain = _verdict(game, stake_lines(seen, braces=braces), seen)
    return for_audiences(full, plain)


def harm_verdicts(
    game: Game, check: Check[Any], where: str, otherwise: Verdict
) -> tuple[Verdict, ...]:
    """Return the verdicts of a crash or a fall (*where*).

    They tell the worst ends, and which characters pass out unless something changes. A reader who
    knows of no end gets the verdict *otherwise*.
    """
    found, stakes = casualties(check.data.consequences), consciousness_stakes(check)

    def verdict(ends: tuple[Casualty, ...], risks: Stakes) -> Verdict:
        headed = worst(ends)
        if any(risks):
            headed = tuple(casualty for casualty in headed if casualty.is_down)
        lines: tuple[Text, ...] = ()
        if headed:
            lines = (Text("ego-ends-in", {"ends": end_lines(headed), "where": where}),)
        lines += stake_lines(risks, inside=bool(lines))
        return _verdict(game, lines, (headed, *risks), conditional=any(risks)) or otherwise

    risks_seen = known_to_players(game, stakes[0]), without_npcs(game, stakes[1])
    plain = verdict(known_to_players(game, found), risks_seen)
    return for_audiences(verdict(found, stakes), plain)


def _verdict(
    game: Game,
    lines: tuple[Text, ...],
    found: Iterable[Iterable[Casualty]],
    *,
    conditional: bool = True,
) -> Verdict | None:
    """Return a verdict of these sentences: bad if it is about a player's character."""
    if not lines:
        return None
    tone: Tone = "neutral"
    for part in found:
        for casualty in part:
            if casualty.rank < _HURT_RANK and not is_npc(game, casualty.who):
                tone = "bad"
    text = Text("ego-stakes", {"lines": lines})
    return Verdict(text, tone, FOR_EVERYONE, bare=True, conditional=conditional)
