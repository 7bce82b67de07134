"""How many random examples are tried: with every change, while working, or at night (see
tests/conftest.py).
"""

from __future__ import annotations

import functools
import inspect
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from hypothesis import Phase, settings
from hypothesis.control import current_build_context, currently_in_test_context
from hypothesis.errors import UnsatisfiedAssumption

#: What the profile of CI tries by default; the others are told by their ratio to it.
USUAL = 100


def nightly() -> bool:
    """Whether there is an hour for it."""
    return settings.get_current_profile_name() == "nightly"


def examples(count: int, *, by_day: int | None = None, **more: Any) -> settings:
    """Return settings for *count* examples in CI, scaled elsewhere by the profile's ratio.

    With *by_day*, that many count by day instead and *count* at night: for tests with many
    parameters, of which each would otherwise take seconds.
    """
    usual = count if by_day is None or nightly() else by_day
    profile = settings.get_profile(settings.get_current_profile_name())
    return settings(max_examples=max(1, usual * profile.max_examples // USUAL), **more)


#: For how many seconds a test goes on with new examples at night, and one of flows. What is left of
#: its examples then passes unplayed.
NIGHT: Final = 60.0
NIGHT_OF_FLOWS: Final = 150.0
#: After so many seconds of all tests each goes on for a tenth as long: a night is an hour on a slow
#: machine, too.
LATE: Final = 2400.0
_started = _began = time.monotonic()


def begin() -> None:
    """A test begins now."""
    global _began
    _began = time.monotonic()


def within(seconds: float, example: Callable[..., Any]) -> Callable[..., Any]:
    """The same example, played only as long as its test has not gone on for so long at night, or
    one has failed.
    """
    failed = False

    def over() -> bool:
        share = 1.0 if _began - _started < LATE else 0.1
        return not failed and nightly() and time.monotonic() - _began > seconds * share

    @contextmanager
    def noting() -> Iterator[None]:
        nonlocal failed
        try:
            yield
        except UnsatisfiedAssumption:
            raise
        except Exception:
            failed = True
            raise

    if inspect.iscoroutinefunction(example):

        @functools.wraps(example)
        async def later(*args: Any, **more: Any) -> None:
            if over():
                return _unplayed()
            with noting():
                await example(*args, **more)

        return later

    @functools.wraps(example)
    def now(*args: Any, **more: Any) -> None:
        if over():
            return _unplayed()
        with noting():
            example(*args, **more)

    return now


def _unplayed() -> None:
    """Count for nothing, as an example that grows too long does: one that just stops drawing would
    seem flaky.
    """
    if currently_in_test_context():
        current_build_context().data.mark_overrun()


#: How many flows (tests/flows) are played for each system by profile.
FLOWS: Final = {"quick": 5, "ci": 15, "nightly": 2000}


def flows(parts: int = 1) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """As many flows as the profile says for a whole system, shared out to so many tests, while
    there is time.

    One that fails tells its story; to look for a shorter one would take minutes.
    """
    profile = settings.get_current_profile_name()
    phases = [each for each in Phase if each not in (Phase.shrink, Phase.explain)]
    played = settings(max_examples=-(-FLOWS[profile] // parts), phases=phases)
    return lambda flow: played(within(NIGHT_OF_FLOWS, flow))
