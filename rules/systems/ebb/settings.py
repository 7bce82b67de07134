"""What a table that plays EBB agrees on besides what all do (EBB-INJURY, EBB-ROUND, EBB-FATE)."""

from __future__ import annotations

from typing import Final

from rules.table.events import Line
from rules.table.forms import Flag, Form, Option, Pick
from rules.table.settings import HIT_WINDOW, WINDOW, setting

_UNCHOSEN: Final = (
    Option("soften", Line("ebb-setting-soften")),
    Option("suffer", Line("ebb-setting-suffer")),
)
SETTINGS: Final = Form(
    (
        WINDOW,
        setting(Flag("house_initiative", usual=False)),
        setting(Pick("hit_default", among=_UNCHOSEN, usual="soften", needed=True)),
        HIT_WINDOW,
    )
)
