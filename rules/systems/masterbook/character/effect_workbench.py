"""Rules, skills and rights that the form of a special effect depends on (MB-SFX-40)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rules.core.record import Record
from rules.systems.masterbook.formulas.effect_blueprint import Blueprint
from rules.systems.masterbook.formulas.effect_costs import BOOK, WorksheetRules
from rules.systems.masterbook.formulas.effect_findings import Worksheet
from rules.systems.masterbook.formulas.effect_rows import EFFECT_SKILLS
from rules.systems.masterbook.formulas.effect_worksheet import work_out


class Workbench(Record):
    """Rules, skills and rights that the form of an effect depends on, beside its draft."""

    #: Rules of worksheets, by skill.
    rules: Callable[[str], WorksheetRules] = lambda skill: BOOK
    #: Skills that may cast it, with the character's value; the first is meant if none is chosen.
    skills: tuple[tuple[str, int], ...] = tuple((name, 0) for name in EFFECT_SKILLS)
    #: Skills of the character, for rolls to hit and conditions.
    known: tuple[str, ...] = ()
    #: Whether the GM's own points can be entered (MB-SFX-S18).
    gives_bonus: bool = True
    #: Whether it is designed in a hurry, and can be rushed (MB-SFX-92).
    rushes: bool = False

    def rules_of(self, blueprint: Blueprint) -> WorksheetRules:
        return self.rules(blueprint.skill)

    def work_out(self, blueprint: Blueprint) -> Worksheet:
        return work_out(blueprint, self.rules_of(blueprint))


#: The book's rules, for a character without skills.
BARE: Final = Workbench()
