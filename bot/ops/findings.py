"""Findings of `doctor`, and their lines of text."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Findings:
    """Facts that were looked at, hints worth knowing, and problems."""

    facts: list[str] = field(default_factory=list[str])
    hints: list[str] = field(default_factory=list[str])
    problems: list[str] = field(default_factory=list[str])
    #: What was not looked at, and the option that has it looked at.
    skipped: list[str] = field(default_factory=list[str])

    def lines(self) -> list[str]:
        """Everything found, the verdict last."""
        found = [*self.facts, *(f"Note: {hint}" for hint in self.hints)]
        found += [f"PROBLEM: {problem}" for problem in self.problems]
        if self.problems:
            return [*found, "Fix the problems above."]
        if self.skipped:
            return [
                *found,
                f"All is well here. I didn't {'; or '.join(self.skipped)}.",
            ]
        return [*found, "All is well here."]

    @property
    def status(self) -> int:
        """The exit status: 0 when nothing is wrong."""
        return 1 if self.problems else 0
