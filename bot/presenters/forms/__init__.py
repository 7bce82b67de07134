"""Forms as panels: menus, dialogs and buttons for the values, and what would come of them."""

from __future__ import annotations

from bot.presenters.forms.dialogs import (
    dialog,
    field_input,
    typed_fields,
)
from bot.presenters.forms.menus import (
    ENTRY_MENU,
    ENTRY_START,
    FOLD_MENU,
    MORE_CHOICES,
    NO_CHOICE,
    is_foldable,
    menus,
)
from bot.presenters.forms.panel import (
    discarding_card,
    form_card,
)
from bot.presenters.forms.panel_form import (
    REVIEW_STEP,
    PanelForm,
    SendButton,
    closed_texts,
    draft_value,
    entry_fields,
    field_text,
    field_title,
)
from bot.presenters.forms.problems import (
    draft_problems,
    missing_dialog,
    panel_error,
)
from bot.presenters.forms.steps import (
    FINDING_MENU,
    STEPPER_BUTTON,
    STEPPER_MENU,
    stepped_fields,
    stepped_number,
)
from bot.presenters.forms.value_texts import changed_values, labeled_values, titled_values

__all__ = [
    "ENTRY_MENU",
    "ENTRY_START",
    "FINDING_MENU",
    "FOLD_MENU",
    "MORE_CHOICES",
    "NO_CHOICE",
    "REVIEW_STEP",
    "STEPPER_BUTTON",
    "STEPPER_MENU",
    "PanelForm",
    "SendButton",
    "changed_values",
    "closed_texts",
    "dialog",
    "discarding_card",
    "draft_problems",
    "draft_value",
    "entry_fields",
    "field_input",
    "field_text",
    "field_title",
    "form_card",
    "is_foldable",
    "labeled_values",
    "menus",
    "missing_dialog",
    "panel_error",
    "stepped_fields",
    "stepped_number",
    "titled_values",
    "typed_fields",
]
