"""The panel in which somebody chooses what they bring: against an attack, in a contest, or to help."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.presenters.answer import menu_options
from bot.presenters.card import Button, Card, Field, Input, Modal, Rows, Select
from bot.presenters.check import whom_text
from bot.presenters.limits import BUTTON_LABEL, SELECT_OPTIONS, clip
from bot.presenters.propose import with_none
from bot.presenters.text import user_text, who_text
from bot.presenters.words import say
from rules.core.record import record
from rules.table.checks.challenges import APPROACH_MAX
from rules.table.events import CheckView
from rules.table.state import AnyCharacter
from rules.table.system import Choice, Game


@record
class SideWords:
    """What a panel says of a side: its title and what it is about, the field and the question for the idea.

    `fits` heads the menu of `with`, `send` stands on the button that decides.
    """

    title: str
    text: str
    idea: str
    question: str
    fits: str
    send: str


def defence_words(view: CheckView) -> SideWords:
    """For whoever is attacked, or whom a contest is with."""
    weapon = f" with {user_text(view.tool)}" if view.tool and view.kind == "attack" else ""
    secret = "Nobody but you and the GMs sees what you choose until the dice are thrown; you can change it until then."
    if view.kind != "contest":
        return SideWords(
            f"{whom_text(view)} defends",
            f"{who_text(view.character)} attacks {whom_text(view)}{weapon}. {secret}",
            "What you do against it",
            "How do you defend yourself?",
            "What makes it harder",
            "Lock it in",
        )
    against = f" against {say(view.target)}" if view.target is not None else ""
    notes = "".join(f"\n{say(line)}" for line in view.notes)
    return SideWords(
        f"{whom_text(view)} takes it up",
        f"{who_text(view.character)} against {whom_text(view)}: both roll{against}. {secret}{notes}",
        "What you do against it",
        "How do you go about it?",
        "What makes it easier or harder",
        "Lock it in",
    )


def help_words(view: CheckView, character: AnyCharacter, *, there: bool) -> SideWords:
    """For whoever joins in; `there` tells that they are in it already."""
    against = f", against {say(view.target)}" if view.target is not None else ""
    idea = f"\n{who_text(view.character)}: “{user_text(clip(view.approach, 300))}”" if view.approach else ""
    notes = "".join(f"\n{say(line)}" for line in view.notes)
    return SideWords(
        f"{who_text(character.name)} joins in",
        f"Together with {who_text(view.character)}{against}. Everybody sees what you bring; you can change it, or "
        f"step back, until the dice are thrown.{idea}{notes}",
        "What you do to help",
        "How do you help?",
        "What makes it easier or harder",
        "Change it" if there else "Join in",
    )


def side_card(
    route: str,
    draft: str,
    values: Mapping[str, Any],
    words: SideWords,
    view: CheckView,
    game: Game,
    character: AnyCharacter,
    options: tuple[Choice, ...],
    *,
    several: bool = False,
    problem: str = "",
) -> Card:
    """What is chosen so far. `several`: others could be chosen instead; `problem` says what does not fit."""
    approach = values["approach"]
    blank = "say how." if game.course.needs_approach else "say how, if you like."
    fields = [Field(words.idea, clip(user_text(approach), 1000) or f"Press **Describe…** and {blank}")]
    if problem:
        fields.append(Field("That does not fit", clip(problem, 1000)))
    if len(options) > SELECT_OPTIONS:
        fields.append(
            Field("More to choose", f"The last menu shows the first {SELECT_OPTIONS} of {len(options)}.")
        )
    at = f"sg:{route}:{draft}"
    buttons = [Button(f"{at}:describe", "Describe…")]
    if several:
        buttons.append(Button(f"{at}:as", clip(f"As {character.name}", BUTTON_LABEL)))
    buttons.append(Button(f"{at}:send", words.send, "primary", disabled=bool(problem)))
    skills = with_none(game.sheets.skills(game, character), values["skill"], "No ability")
    attributes = with_none(game.sheets.attributes(game, character), values["attribute"], "No attribute")
    rows: Rows = (
        (Select(f"{at}:skill", "Ability", skills),),
        (Select(f"{at}:attribute", "Attribute", attributes),),
    )
    if options:
        offered = menu_options(options, tuple(values["options"]))
        rows += ((Select(f"{at}:options", words.fits, offered, 0, len(offered)),),)
    return Card(words.title, words.text, tuple(fields), view.challenge, "secret", (*rows, tuple(buttons)))


def side_modal(route: str, draft: str, words: SideWords, approach: str, *, needed: bool) -> Modal:
    """What they do, in words."""
    return Modal(
        f"sg:{route}m:{draft}",
        words.question,
        (
            Input(
                "approach",
                "What you do",
                approach,
                "What you do, and with what",
                True,
                needed,
                APPROACH_MAX,
            ),
        ),
    )
