"""Findings of `doctor`, and their lines of text."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Findings:
    """Facts, hints and problems of an examination."""

    facts: list[str] = field(default_factory=list[str])
    hints: list[str] = field(default_factory=list[str])
    problems: list[str] = field(default_factory=list[str])
    #: Checks that were left out, each with the option that includes it.
    skipped: list[str] = field(default_factory=list[str])

    def lines(self) -> list[str]:
        """Return all findings as lines, the verdict last."""
        lines = [*self.facts, *(f"Note: {hint}" for hint in self.hints)]
        lines += [f"PROBLEM: {problem}" for problem in self.problems]
        if self.problems:
            lines.append("Fix the problems above.")
        elif self.skipped:
            lines.append(f"All is well here. I didn't {'; or '.join(self.skipped)}.")
        else:
            lines.append("All is well here.")
        return lines

    @property
    def status(self) -> int:
        """Exit status: 0 without problems."""
        return 1 if self.problems else 0
