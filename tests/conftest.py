"""For all tests: examples are counted, not timed. A busy machine must not fail a test."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile("counted", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("counted")
