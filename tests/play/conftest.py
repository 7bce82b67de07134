"""Tests of the local page in a browser are left out on a machine that has none."""

from __future__ import annotations

from tests.play.browser import CHROMIUM

collect_ignore = ["test_phone_page.py"] if CHROMIUM is None else []
