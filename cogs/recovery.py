"""Ways to recover, as the options of `/heal` name them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Final

from bot.presenters.language.limits import CHOICE_TEXT
from bot.presenters.language.words import say_bare
from bot.ui.panels.check_start import check_start_form
from cogs.completions import completer, field_pairs
from rules.core.errors import NotFound
from rules.table.blocks import Text
from rules.table.checks.procedure import kind_with_role, kinds_with_role, procedure_of
from rules.table.forms.fields import FormContext, Pick
from rules.table.forms.form import Field
from rules.table.system import Game

#: Key of the field with the methods of a way to recover.
METHOD: Final = "method"


def _ways(game: Game) -> list[tuple[str, Field | None]]:
    """Return the kinds of check for recovery in this game, each with the field of its methods."""
    kinds = kinds_with_role(game.system, "heal")
    # Rest comes first: it needs nobody's help.
    kinds = sorted(kinds, key=lambda kind: not procedure_of(game, kind).anybody)
    return [(kind, check_start_form(game, kind).by_key.get(METHOD)) for kind in kinds]


def _heal_methods(game: Game) -> Iterator[tuple[str, str]]:
    for kind, ways in _ways(game):
        if ways is None:
            yield kind, say_bare(Text(f"kind-{kind}"))
        else:
            yield from field_pairs(ways.choices_for(FormContext(game)))


#: The ways to recover that are open to the asker.
heal_methods = completer(lambda asked: _heal_methods(asked.game))


def _names_way(kind: str, wanted: str) -> bool:
    """Return whether typed words name a way to recover, such as `treat a wound`."""
    words = say_bare(Text("heal-words", {"kind": kind})).split(", ")
    return any(word in wanted for word in words if word)


def find_heal_method(game: Game, method: str) -> tuple[str, dict[str, str]]:
    """Return the kind of check for a way to recover, and its values.

    A way is found by its name, or a part of it.

    Raises NotFound("unknown-heal-method"), Impossible("not-in-these-rules").
    """
    ways_of_kinds, wanted = _ways(game), method.strip().casefold()
    if not ways_of_kinds:
        procedure_of(game, kind_with_role(game.system, "heal"))
    keys = {label: key for key, label in _heal_methods(game)}
    same = [label for label in keys if label.casefold() == wanted]
    near = same or [label for label in keys if wanted and wanted in label.casefold()]
    # "First aid" means "First aid: wounds"; the first of several is the usual one.
    near = [label for label in near if label.casefold().startswith(f"{wanted}: ")][:1] or near
    name = keys[near[0]] if len(near) == 1 else method.strip()
    for kind, ways in ways_of_kinds:
        if isinstance(ways, Pick):
            with suppress(NotFound):
                return kind, {METHOD: str(ways.find_value(FormContext(game), name))}
        elif name and (kind.startswith(name.casefold()) or _names_way(kind, wanted)):
            return kind, {}
    raise NotFound(
        "unknown-heal-method",
        field="method",
        value=method[:CHOICE_TEXT],
        nearest=tuple(near or keys),
    )
