"""Messages of checks: the message of each, calls, answers and lists."""

from __future__ import annotations

from bot.presenters.checks.answers import (
    GMS_ID,
    done_card,
    helpful_option,
    move_pieces,
    option_id,
    option_text,
    owner_name,
    react_panel,
    resource_text,
    say_buttons,
)
from bot.presenters.checks.calls import call_card, with_call
from bot.presenters.checks.headlines import deed_line, deed_text, with_effect_apart
from bot.presenters.checks.lists import (
    MOST_STEP_INS,
    check_choice_text,
    first_check_event,
    move_lists,
    open_lines,
    spendings_card,
    step_in_lines,
)
from bot.presenters.checks.messages import ANSWER_LABEL, check_card, moved_card

__all__ = [
    "ANSWER_LABEL",
    "GMS_ID",
    "MOST_STEP_INS",
    "call_card",
    "check_card",
    "check_choice_text",
    "deed_line",
    "deed_text",
    "done_card",
    "first_check_event",
    "helpful_option",
    "move_lists",
    "move_pieces",
    "moved_card",
    "open_lines",
    "option_id",
    "option_text",
    "owner_name",
    "react_panel",
    "resource_text",
    "say_buttons",
    "spendings_card",
    "step_in_lines",
    "with_call",
    "with_effect_apart",
]
