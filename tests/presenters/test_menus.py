"""Menus of panels: they say what they are for, and what is chosen in one can be read on a phone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pytest

from bot.presenters.control_limits import menu as menu_of
from bot.presenters.forms import PanelForm, menus
from bot.presenters.forms.menus import Menu
from bot.presenters.language.limits import clip_label, utf16_length
from rules.registry import SYSTEMS
from rules.systems.barmore.campaign import DEFAULT_CAMPAIGN
from rules.table.blocks import Text
from rules.table.forms.fields import (
    Flag,
    FormContext,
    Many,
    Number,
    Option,
    PartialGame,
    Pick,
    never_hidden,
)
from rules.table.forms.form import Field, Form

#: So many letters a phone shows of what is chosen, and of what a menu is called.
_PHONE = 36
#: Whoever fills it in, at a table whose campaign forbids nothing.
ANYBODY = FormContext(PartialGame(DEFAULT_CAMPAIGN))


def _panel(fields: Iterable[Field], **draft: object) -> tuple[Menu, ...]:
    return menus(PanelForm(Form(tuple(fields)), ANYBODY, "Head", ()), "b", draft, {})


def _static(form: Form) -> Iterator[Field]:
    """What offers the same to everybody."""
    for field in form.fields:
        if isinstance(field, Flag | Number) or (
            isinstance(field, Pick) and not callable(field.choices)
        ):
            yield field.replace(hidden_if=never_hidden)


def _forms() -> Iterator[tuple[str, Form]]:
    for system in SYSTEMS.values():
        yield f"{system.key}, settings", system.settings
        for kind, procedure in system.procedures.items():
            if isinstance(procedure.form, Form):
                yield f"{system.key}, {kind}", procedure.form


@pytest.mark.parametrize(("name", "form"), [pytest.param(*each, id=each[0]) for each in _forms()])
def test_what_is_chosen_fits_a_phone(name: str, form: Form) -> None:
    for field in _static(form):
        for value, _ in field.choices_for(ANYBODY):
            for menu in _panel((field,), **{field.key: value}):
                chosen = [option for option, _ in menu.entries if option.default]
                assert menu.several or all(utf16_length(each.label) <= _PHONE for each in chosen), (
                    chosen
                )
    for menu in _panel(_static(form)):
        assert utf16_length(menu.title) <= _PHONE and not menu.title[:1].islower(), menu.title


def _said(text: str) -> Text:
    return Text("as-written", {"text": text})


def test_a_menu_that_several_fields_share_is_called_by_what_they_are_about() -> None:
    careful, timed = (
        Flag("careful", label=_said("x")),
        Flag("timed", label=_said("y"), topic=_said("time")),
    )
    late = Flag("late", label=_said("z"), topic=_said("time"))
    assert [each.title for each in _panel((careful,))] == ["Careful"]
    assert [each.title for each in _panel((careful, timed, late))] == ["Careful, time"], "each once"
    many = [Flag(f"quite a long word {at}", label=_said("x")) for at in range(4)]
    assert [each.title for each in _panel(many)] == ["Quite a long word 0…"], (
        "as far as a phone shows it"
    )


def test_what_a_phone_would_cut_off_stands_below() -> None:
    usual = _said("as usual: yes, unless bare-handed (or so)")
    pick = Pick("lethal damage", choices=(Option("no", _said("Not lethal")),), nothing=usual)
    (menu,) = _panel((pick,))
    option = menu.entries[0][0]
    assert (option.label, option.description) == (
        "Lethal damage: as usual",
        "Yes, unless bare-handed; or so",
    )
    (chosen,) = menu_of(
        "id", "Place", [("a", "The old mill, by the river, up north")], "a", "Place"
    ).options
    assert (chosen.label, chosen.description) == (
        "Place: The old mill",
        "By the river, up north",
    ), "of any menu"
    (deed,) = menu_of("id", "Add", [("a", "Vesna: Attack: parry, keeping 1 Action Point")]).options
    assert (deed.label, deed.description) == ("Vesna: Attack: parry", "Keeping 1 Action Point"), (
        "which begin alike"
    )
    several = Many("packages", choices=(Option("a", _said("short (and good)")),))
    assert _panel((several,))[0].entries[0][0].label == "short (and good)", (
        "nothing is cut that fits"
    )


def test_a_label_is_never_torn_inside_brackets() -> None:
    label = "Melee Weapon (Sword, Short) 1 → 2, 2 EXP"
    (option,) = menu_of("m", "Raise", [("a", label)]).options
    assert (option.label, option.description) == ("Melee Weapon (Sword, Short) 1 → 2", "2 EXP")
    (option,) = menu_of(
        "m", "Raise", [("a", "Melee Weapon (Med Cal, automatic; heavy: old)")]
    ).options
    assert option.label == "Melee Weapon"


def test_words_without_a_separator_are_cut_between_words_and_stand_below() -> None:
    label = "The GM says how far each of them has come by now"
    (option,) = menu_of("m", "Say", [("a", label)]).options
    assert (option.label, option.description) == ("The GM says how far each of them…", label)


@pytest.mark.parametrize(
    ("label", "cut"),
    [
        ("Approach, range", "Approach, range"),
        ("Melee Weapon (Sword, Short) and a shield", "Melee Weapon…"),
        ("Two words (one, two) and some more words", "Two words (one, two)…"),
        ("NPCs in the group, together", "NPCs in the group…"),
        ("Supercalifragilisticexpialidocious", "Supercalifragilisticexp…"),
    ],
)
def test_a_label_is_cut_at_a_separator(label: str, cut: str) -> None:
    assert clip_label(label, 24) == cut
