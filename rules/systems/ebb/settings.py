"""What a table that plays EBB agrees on besides what all do (EBB-INJURY, EBB-ROUND, EBB-FATE)."""

from __future__ import annotations

from typing import Final

from rules.table.events import Line
from rules.table.forms import Flag, Form, Option, Pick
from rules.table.settings import SOME

SETTINGS: Final = Form(
    (
        SOME["window"],
        Flag(
            "house_initiative",
            title=Line("ebb-setting-house-initiative"),
            help=Line("ebb-setting-house-initiative"),
            usual=False,
        ),
        Pick(
            "hit_default",
            title=Line("ebb-setting-hit-default"),
            help=Line("ebb-setting-hit-default-help"),
            among=(
                Option("soften", Line("ebb-setting-soften")),
                Option("suffer", Line("ebb-setting-suffer")),
            ),
            usual="soften",
            needed=True,
        ),
        SOME["hit_window"],
    )
)
