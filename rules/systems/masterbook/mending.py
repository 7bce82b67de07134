"""First aid, stabilising, medicine and healing rolls (MB-HEAL-01 to MB-HEAL-07, MB-DMO-04)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from rules.core.errors import Impossible
from rules.systems.masterbook import chart
from rules.systems.masterbook.harm import DAY, DEAD, MORTAL, TOO_LATE, Facts, Harm, awoken, row

#: What first aid is given for: wounds (a death that is just over too), shock with K and O, bleeding, or to stop the
#: clock of somebody mortally wounded.
Aid = Literal["wounds", "shock", "bleeding", "steady"]
#: Difficulties against shock, against bleeding for each bleeder past the first, and to stabilise.
SHOCK, EACH_BLEEDER, STEADY = 8, 2, 22
#: Seconds between two tries to stabilise.
UNSTEADY: Final = 60


def _of_wounds(harm: Harm, helper: str) -> int:
    if harm.dead and harm.wounds > DEAD:
        raise Impossible("mb-beyond-aid", wounds=harm.wounds)
    if harm.dead_for is not None and harm.dead_for >= TOO_LATE:
        raise Impossible("mb-too-late")
    if not harm.wounds:
        raise Impossible("mb-no-wounds")
    if harm.aided:
        raise Impossible("mb-already-aided")
    if helper in harm.tries:
        raise Impossible("mb-already-tried")
    return row(DEAD if harm.dead else harm.wounds).aid or 0


def _living(harm: Harm) -> None:
    if harm.dead:
        raise Impossible("mb-dead")


def _of_shock(harm: Harm, helper: str) -> int:
    _living(harm)
    if not (harm.shock or harm.k or harm.o or harm.out_for or harm.fainted):
        raise Impossible("mb-no-shock")
    return SHOCK


def _of_bleeding(harm: Harm, helper: str) -> int:
    _living(harm)
    if not harm.bleeders:
        raise Impossible("mb-not-bleeding")
    return SHOCK + EACH_BLEEDER * (harm.bleeders - 1)


def _of_dying(harm: Harm, helper: str) -> int:
    if not harm.dying:
        raise Impossible("mb-not-mortal")
    if harm.unsteady:
        raise Impossible("mb-too-soon", minutes=-(-harm.unsteady // 60))
    return STEADY


_NUMBERS: Final[dict[Aid, Callable[[Harm, str], int]]] = {
    "wounds": _of_wounds,
    "shock": _of_shock,
    "bleeding": _of_bleeding,
    "steady": _of_dying,
}


def aid_number(harm: Harm, what: Aid, helper: str = "") -> int:
    """The difficulty of first aid for this, by this helper (MB-HEAL-02 to MB-HEAL-05, MB-HEAL-07, MB-DMO-04).

    Impossible("mb-no-wounds", "mb-already-aided", "mb-already-tried", "mb-beyond-aid", "mb-too-late", "mb-dead",
    "mb-no-shock", "mb-not-bleeding", "mb-not-mortal", "mb-too-soon").
    """
    return _NUMBERS[what](harm, helper)


def aided(harm: Harm, what: Aid, total: int, helper: str = "") -> tuple[Harm, Facts]:
    """After first aid with this total, of a helper known by an id. Errors of `aid_number`.

    Facts: `failed` (by how much), `aided` (wounds as they count now), `revived`, `cleared` (shock), `stanched`
    (bleeders), `steady`, `awake`.
    """
    number = aid_number(harm, what, helper)
    if what == "wounds" and helper:
        harm = harm.but(tries=(*harm.tries, helper))
    if what == "steady":
        harm = harm.but(unsteady=UNSTEADY)
    if total < number:
        return harm, (("failed", number - total),)
    if what == "steady":
        return harm.but(stable=True), (("steady", 0),)
    if what == "bleeding":
        now, facts = harm.but(bleeders=0), (("stanched", harm.bleeders),)
    else:
        now = harm.but(shock=0, k=0, o=False, out_for=0, fainted=False, step=0)
        facts = (("cleared", harm.shock),)
    if what == "wounds" and harm.dead:
        return now.but(wounds=MORTAL, dead_for=None, stable=False, waited=0), (("revived", MORTAL), *facts)
    if what == "wounds":
        now = now.but(aided=True)
        facts = (("aided", now.level), *facts)
    if harm.out and not now.out:
        now, woken = awoken(now)
        facts = (*facts, *woken)
    return now, facts


# --- healing -------------------------------------------------------------------------------------------------


def due(harm: Harm) -> int:
    """Seconds until wounds may heal; 0 when they may (MB-HEAL-01)."""
    return max(0, row(harm.wounds).days * DAY - harm.waited)


def healing_number(harm: Harm) -> int:
    """The difficulty of a healing roll. Impossible("mb-dead", "mb-no-wounds", "mb-not-yet")."""
    _living(harm)
    found = row(harm.wounds).healing
    if found is None:
        raise Impossible("mb-no-wounds")
    if due(harm):
        raise Impossible("mb-not-yet", minutes=-(-due(harm) // 60))
    return found


def medicine_number(harm: Harm) -> int:
    """The difficulty of helping at it with medicine (MB-HEAL-06). Errors of `healing_number`."""
    healing_number(harm)
    return row(harm.wounds).medicine or 0


def assisted(points: int) -> int:
    """What a medic's result points add to the healing total (MB-HEAL-06)."""
    return chart.push(points).push


def healed(harm: Harm, total: int) -> tuple[Harm, Facts]:
    """After a healing roll; it ends first aid where it succeeds (MB-HEAL-01, MB-HEAL-02). Errors of `healing_number`.

    Facts: `healed` or `unhealed` (wounds now), `awake`.
    """
    if total < healing_number(harm):
        return harm.but(waited=0), (("unhealed", harm.wounds),)
    now = harm.but(wounds=harm.wounds - 1, aided=False, stable=False, waited=0)
    if not now.wounds:
        now = now.but(tries=())
    facts = (("healed", now.wounds),)
    if harm.out and not now.out:
        now, woken = awoken(now)
        return now, (*facts, *woken)
    return now, facts
