"""How many random examples are tried: with every change, while working, or at night (see tests/conftest.py)."""

from __future__ import annotations

from typing import Any, Final

from hypothesis import Phase, settings

#: What the profile of CI tries by default; the others are told by their ratio to it.
USUAL = 100


def nightly() -> bool:
    """Whether there is an hour for it."""
    return settings.get_current_profile_name() == "nightly"


def examples(count: int, **more: Any) -> settings:
    """So many examples in CI, and as many fewer or more elsewhere as the profile says."""
    profile = settings.get_profile(settings.get_current_profile_name())
    return settings(max_examples=max(1, count * profile.max_examples // USUAL), **more)


#: How many flows (tests/flows) are played for each system by profile.
FLOWS: Final = {"quick": 5, "ci": 25, "nightly": 2000}


def flows(parts: int = 1) -> settings:
    """So many flows as the profile says for a whole system, shared out to so many tests.

    One that fails tells its story; to look for a shorter one would take minutes.
    """
    profile = settings.get_current_profile_name()
    phases = [each for each in Phase if each not in (Phase.shrink, Phase.explain)]
    return settings(max_examples=-(-FLOWS[profile] // parts), phases=phases)
