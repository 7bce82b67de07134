"""Pages of settings: each is about one topic and fits a panel."""

from __future__ import annotations

import pytest

from rules.registry import SYSTEMS
from rules.table.forms.fields import Flag
from rules.table.settings.table_settings import settings_form, settings_pages
from rules.table.system import System

#: Settings that a page has room for: switches, and others.
SWITCHES = 5
OTHERS = 3


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=lambda system: system.name)
def test_each_setting_stands_on_one_page_with_room_for_it(system: System) -> None:
    form = settings_form(system)
    pages = settings_pages(form)
    assert sorted(key for page in pages for key in page.form.keys) == sorted(form.keys)
    for page in pages:
        switches = [field for field in page.form.fields if isinstance(field, Flag)]
        assert len(switches) <= SWITCHES, page.key
        assert len(page.form.fields) - len(switches) <= OTHERS, page.key


@pytest.mark.parametrize("system", SYSTEMS.values(), ids=lambda system: system.name)
def test_pages_have_keys_and_names_of_their_own(system: System) -> None:
    form = settings_form(system)
    pages = settings_pages(form)
    assert len({page.key for page in pages}) == len(pages)
    assert len({page.title.code for page in pages}) == len(pages)
    assert not {page.key for page in pages} & set(form.keys)
