"""The panel in which a proposal is put together by selects, with live odds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bot.presenters.answer import menu_options
from bot.presenters.card import Button, Card, Field, Input, Modal, Option, Select
from bot.presenters.limits import BUTTON_LABEL, ROWS, SELECT_OPTIONS, clip
from bot.presenters.table import odds_line
from bot.presenters.words import say_bare, user_text
from rules.core.record import record
from rules.table.checks.challenges import APPROACH_MAX
from rules.table.state import AnyCharacter
from rules.table.system import Choice, Game, OddsTable

VISIBILITY = {
    "public": "Seen by everyone",
    "private": "Only you and the GM",
    "blind": "Only the GM sees the result",
}
#: How many menus stand below one another, over a row of buttons.
_SELECTS: Final = ROWS - 1
_TITLES: Final[dict[str, str]] = {
    "attack": "{name} attacks",
    "contest": "{name} against somebody",
    "team": "{name} begins something together with others",
}
#: Where no odds can be told yet.
_UNKNOWN_ODDS: Final[dict[str, str]] = {"team": "They depend on who joins in."}
#: The value of the entry that takes a trait away.
NOTHING = "none"


def with_none(choices: Sequence[Choice], chosen: str | None, nothing: str) -> tuple[Option, ...]:
    """Choices as the entries of a select, after one that takes the choice back."""
    first = Option(NOTHING, nothing, default=chosen is None)
    return (first, *menu_options(tuple(choices), () if chosen is None else (chosen,), SELECT_OPTIONS - 1))


@record
class Offer:
    """What may be chosen for a proposal besides the character's own traits.

    `targets` are those it may be done to, with the names the asker knows, empty where it is done to nobody; `modes`
    the ways to do it with or against others; `levels` the difficulties, None where the GM has none to set or the
    panel does not ask for it. `several` tells that there are other characters to act as.
    """

    targets: Select | None = None
    modes: tuple[Choice, ...] = ()
    levels: tuple[Choice, ...] | None = None
    several: bool = False
    rolls_at_once: bool = False


def propose_card(
    draft: str,
    values: Mapping[str, Any],
    game: Game,
    character: AnyCharacter,
    odds: Sequence[OddsTable],
    offer: Offer,
    *,
    problem: str = "",
) -> Card:
    """The proposal so far and its odds. `problem` says why what is chosen has no odds.

    What does not fit below one another goes on a second page.
    """
    selects = _selects(draft, values, game, character, offer)
    pages = [selects[start : start + _SELECTS] for start in range(0, len(selects), _SELECTS)]
    page = min(int(values.get("page", 0)), len(pages) - 1)
    buttons = _buttons(draft, values, character, offer, page=page, pages=len(pages))
    unknown = _UNKNOWN_ODDS.get(values.get("kind", "check"), "None.")
    told = "\n".join(odds_line(item) for item in odds) or problem or unknown
    return Card(
        _TITLES.get(values.get("kind", "check"), "{name} tries something").format(
            name=user_text(character.name)
        ),
        "Only you see this panel.",
        _fields(values, game, character, told),
        tone="neutral",
        rows=(*((select,) for select in pages[page]), buttons),
    )


def _fields(values: Mapping[str, Any], game: Game, character: AnyCharacter, odds: str) -> tuple[Field, ...]:
    """What has been said and chosen so far."""
    approach = values["approach"]
    needed = (
        "say how. Without an idea there is no roll."
        if game.course.needs_approach
        else "say how, if you like."
    )
    idea = user_text(approach) or f"Press **Describe…** and {needed}"
    fields = [Field("What you try", clip(idea, 1000)), Field("Odds", clip(odds, 1000))]
    if values["question"]:
        fields.insert(0, Field("The GM asks", clip(user_text(values["question"], lines=True), 1000)))
    if len(game.sheets.skills(game, character)) >= SELECT_OPTIONS:
        fields.append(
            Field("More abilities", "The list shows the first 24; `/check skill:` completes all of them.")
        )
    options = len(_offered(values, game, character))
    if options > SELECT_OPTIONS:
        more = f"The list shows the first {SELECT_OPTIONS} of {options}; the option `with` completes all of them."
        fields.append(Field("More that makes it easier or harder", more))
    return tuple(fields)


def _offered(values: Mapping[str, Any], game: Game, character: AnyCharacter) -> tuple[Choice, ...]:
    """What may make it easier or harder."""
    return game.course.options(gm=False, character=character, kind=values.get("kind") or "check")


def _selects(
    draft: str, values: Mapping[str, Any], game: Game, character: AnyCharacter, offer: Offer
) -> list[Select]:
    skills = with_none(game.sheets.skills(game, character), values["skill"], "No ability")
    attributes = with_none(game.sheets.attributes(game, character), values["attribute"], "No attribute")
    found = [
        Select(f"sg:pp:{draft}:skill", "Ability", skills),
        Select(f"sg:pp:{draft}:attribute", "Attribute", attributes),
    ]
    if values.get("kind") == "attack":
        found += [] if offer.targets is None else [offer.targets]
    elif offer.targets is not None:
        found.insert(0, offer.targets)
    if offer.modes:
        modes = menu_options(offer.modes, (values.get("tool", ""),))
        found.insert(len(found) - 2, Select(f"sg:pp:{draft}:mode", "In which way", modes))
    if offer.levels is not None:
        levels = with_none(offer.levels, values["difficulty"], "The GM decides")
        found.append(Select(f"sg:pp:{draft}:difficulty", "Difficulty you have in mind", levels))
    options = menu_options(_offered(values, game, character), tuple(values["options"]))
    if options:
        found.append(
            Select(f"sg:pp:{draft}:options", "What makes it easier or harder", options, 0, len(options))
        )
    return found


def _buttons(
    draft: str, values: Mapping[str, Any], character: AnyCharacter, offer: Offer, *, page: int, pages: int
) -> tuple[Button, ...]:
    """Who acts and who sees it are settled once a proposal was made, and who sees it with a team from the start."""
    buttons = [Button(f"sg:pp:{draft}:describe", "Describe…")]
    if pages > 1:
        buttons.append(Button(f"sg:pp:{draft}:page", "More…" if page == 0 else "Back"))
    if values.get("challenge") is not None:
        return (*buttons, Button(f"sg:pp:{draft}:send", "Save changes", "primary"))
    seen = VISIBILITY[values["visibility"]]
    if values.get("kind") in ("attack", "contest") and values["visibility"] == "private":
        seen = "Only those who take part"
    if values.get("kind") != "team":
        buttons.append(Button(f"sg:pp:{draft}:visibility", seen))
    if offer.several:
        buttons.append(Button(f"sg:pp:{draft}:as", clip(f"As {character.name}", BUTTON_LABEL)))
    send = "Roll" if offer.rolls_at_once else "Propose to the GM"
    return (*buttons, Button(f"sg:pp:{draft}:send", send, "primary"))


def describe_modal(draft: str, approach: str, question: str, *, needed: bool = True) -> Modal:
    """The idea in words, and what the GM asked about it."""
    return Modal(
        f"sg:ppm:{draft}",
        "How do you go about it?",
        (
            Input(
                "approach",
                clip(question, 45) if question else "Your approach",
                approach,
                "What you do, and with what",
                True,
                needed,
                APPROACH_MAX,
            ),
        ),
    )


def choice_texts(choices: Sequence[Choice]) -> list[tuple[str, str]]:
    """Value and label of each choice, for autocompletion."""
    return [(choice.value, clip(say_bare(choice.label), 100)) for choice in choices]
