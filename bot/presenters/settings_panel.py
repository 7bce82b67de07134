"""The panel of a table's settings: its pages, one setting alone, and the search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.presenters.catalog_cards import card
from bot.presenters.control_limits import menu
from bot.presenters.controls import Button, Input, Modal, Option, Rows, Select, Style
from bot.presenters.forms import PanelForm, field_input, field_title, menus
from bot.presenters.language.limits import HEAD, MODAL_TITLE, SELECT_OPTIONS, clip
from bot.presenters.language.text import sentence, user_text
from bot.presenters.language.words import TEMPLATES, label_text, phrase, say, say_bare
from bot.presenters.layout import Body, Gap, Head, Layout, Piece, Row, Section, SmallPrint
from bot.presenters.scene import Scene
from bot.presenters.setting_search import find_settings, page_titles
from rules.registry import SYSTEMS
from rules.table.blocks import Text, Value
from rules.table.forms.fields import Flag, FormContext, Number
from rules.table.forms.form import Field, Form
from rules.table.settings.pace import (
    PACE_LABELS,
    PACES,
    STEP_IN_TIME,
    pace_meaning,
    pace_of,
    pace_text,
)
from rules.table.settings.table_settings import (
    setting_value,
    settings_form,
    settings_pages,
    value_text,
)
from rules.table.state import Settings
from rules.table.system import Page

#: Key of the page about waiting.
WAITING_PAGE: Final = "waiting"
#: Entry of a menu behind which any other time is typed.
OTHER_VALUE: Final = ":another"
_NO_ASKER: Final = FormContext()
#: Most letters of the words that find settings.
_SEARCH_LENGTH: Final = 50


def setting_meaning(field: str, value: Value) -> str:
    """Return what a setting with this value does; empty where there is no text for it."""
    code = f"setting-does-{field.replace('_', '-')}"
    return say(Text(code, {"value": value})) if code in TEMPLATES else ""


def change_button(table_id: int) -> Button:
    """Return the button that opens the panel of settings."""
    return Button(f"sg:set:{table_id}:-:p", label_text("settings-change"))


# --- the panel ------------------------------------------------------------------------------------


def settings_panel(scene: Scene, page_key: str | None = None) -> Layout:
    """Return a page of the table's settings, or one setting by its key.

    Switches and typed values have a button.

    The ids are `sg:set:<table>:<page>:<control>`. The control is `p` for the menu of pages,
    `t<n>:<0|1>` for a switch, `f<n>` for a menu and `w<n>` for a dialog, each for the n-th field
    of the form. Dialogs are `sg:setm:<table>:<page>:<n>`. The page about waiting has the paces
    (`pace:<key>`) and opens one setting alone (`one`). The last page leads to the GM channel
    (`channel`) and to the GMs (`gms`).
    """
    form = settings_form(SYSTEMS[scene.state.settings.system])
    pages = settings_pages(form)
    alone = next((field for field in form.fields if field.key == page_key), None)
    if alone is not None:
        page = Page(alone.key, Text("named", {"name": field_title(alone)}), Form((alone,)))
        lines, below = _setting_pieces(scene, form, pages, page)
        return _lone_setting_layout(scene, alone, [*lines, *below])
    page = next((page for page in pages if page.key == page_key), pages[0])
    lines, below = _setting_pieces(scene, form, pages, page)
    base = f"sg:set:{scene.table_id}:{page.key}"
    if page.key == WAITING_PAGE:
        lines = [*_pace_pieces(scene.state.settings, page, base), *lines]
    if page is pages[-1]:
        lines += _gm_pieces(scene, base)
    title = Head(say(Text("settings-title")))
    find = Row((find_button(scene.table_id),))
    small = SmallPrint(say(Text("settings-undo")))
    turn = Row((_page_menu(pages, page, base),))
    return Layout("gm", (title, turn, *lines, *below, Gap(), find, small))


def _page_menu(pages: Sequence[Page], page: Page, base: str) -> Select:
    """Return the menu of pages, each with its settings."""
    titles: list[tuple[str, str]] = []
    for other in pages:
        settings = ", ".join(map(field_title, other.form.fields))
        titles.append((other.key, f"{say_bare(other.title)}: {settings}"))
    label = label_text("sheet-page")
    return menu(f"{base}:p", label, titles, page.key, label)


def _lone_setting_layout(scene: Scene, field: Field, pieces: Sequence[Piece]) -> Layout:
    """Return the panel of one setting, with its help and its default."""
    about: list[Piece] = [Body(sentence(say(field.help)))] if field.help else []
    if field.default not in (None, setting_value(scene.state.settings, field)):
        about.append(SmallPrint(f"Default: {setting_meaning(field.key, field.default)}"))
    every = Row((Button(f"sg:set:{scene.table_id}:-:p", label_text("settings-all")),))
    small = SmallPrint(say(Text("settings-undo")))
    return Layout("gm", (Head(clip(field_title(field), HEAD)), *about, *pieces, every, small))


def _setting_pieces(
    scene: Scene, form: Form, pages: tuple[Page, ...], page: Page
) -> tuple[list[Piece], list[Piece]]:
    """Return the switches and typed settings of a page, and the menus below them."""
    base = f"sg:set:{scene.table_id}:{page.key}"
    now = {field.key: setting_value(scene.state.settings, field) for field in form.fields}
    filling = PanelForm(
        form, _NO_ASKER, say(Text("settings-title")), (), switches=True, steps=pages, step=page
    )
    choices = {menu.id: menu.select for menu in menus(filling, base, now, {})}
    waits = page.key == WAITING_PAGE
    lines: list[Piece] = []
    below: list[Piece] = []
    for place, field in filling.fields:
        if waits and isinstance(field, Number):
            continue  # its button stands with the pace
        value = now[field.key]
        select = choices.get(f"{base}:f{place}")
        if select is not None:
            below += _menu_pieces(field, value, select)
        elif isinstance(field, Flag):
            lines.append(_switch(field, value, f"{base}:t{place}", waits=waits))
        else:
            title = field_title(field)
            press = Button(f"{base}:w{place}", label_text("setting-edit", title=title.lower()))
            lines.append(Section(f"**{title}:** {user_text(str(value))}", press))
    return lines, below


def _menu_pieces(field: Field, value: Value, select: Select) -> list[Piece]:
    """Return the menu of a setting below its meaning; any other number is typed."""
    if isinstance(field, Number):
        options = (*select.options, Option(OTHER_VALUE, label_text("setting-another")))
        select = select.replace(options=options)
    return [SmallPrint(setting_meaning(field.key, value)), Row((select,))]


def _switch(field: Flag, value: Value, id: str, *, waits: bool) -> Section:
    """Return a switch with its meaning; the page about waiting words it for itself."""
    if waits:
        meaning = say(Text(f"setting-says-{field.key.replace('_', '-')}", {"value": value}))
    else:
        meaning = setting_meaning(field.key, value)
    press = Button(f"{id}:{int(not value)}", label_text("setting-turn", on=bool(value)))
    state = "on" if value else "off"
    return Section(f"**{field_title(field)}: {state}**\n-# {meaning}", press)


def _gm_pieces(scene: Scene, base: str) -> list[Piece]:
    """Return the GM channel and the GMs, each with the button that leads there."""
    settings = scene.state.settings
    secrets = setting_meaning("gm_place", settings.gm_place)
    gms = phrase("gms-now", scene.names, about=settings)
    return [
        Section(secrets, Button(f"{base}:channel", label_text("settings-gm-channel"))),
        Section(gms, Button(f"{base}:gms", "GMs")),
    ]


def setting_dialog(settings: Settings, field: Field, id: str) -> Modal:
    """Return the dialog in which a setting is typed."""
    typed = field_input(field, field.format_text(setting_value(settings, field)))
    return Modal(id, clip(field_title(field), MODAL_TITLE), (typed,))


# --- the pace -------------------------------------------------------------------------------------


def _pace_pieces(settings: Settings, page: Page, base: str) -> list[Piece]:
    """Return the paces with their buttons, and a button for each time."""
    form = settings_form(SYSTEMS[settings.system])
    steps = STEP_IN_TIME in form.by_key
    paces = pace_buttons(f"{base}:pace", pace_of(settings, form))
    of_table = base.rpartition(":")[0]
    times: list[Button] = []
    for field in page.form.fields:
        if isinstance(field, Number):
            times.append(Button(f"{of_table}:{field.key}:one", field_title(field)))
    meanings = "\n".join(pace_meanings(steps=steps, blocks="block_turns" in form.by_key))
    return [
        Body(say(Text("pace-question"))),
        Row(paces),
        Body(f"{meanings}\n{say(pace_text(settings, form))}"),
        Body(say(Text("pace-change"))),
        Row(tuple(times)),
        Gap(),
    ]


def pace_buttons(base: str, chosen: str | None) -> tuple[Button, ...]:
    """Return a button for each pace; `chosen` is the present one."""
    buttons: list[Button] = []
    for key in PACES:
        style: Style = "primary" if key == chosen else "secondary"
        buttons.append(Button(f"{base}:{key}", say_bare(PACE_LABELS[key]), style))
    return tuple(buttons)


def pace_meanings(*, steps: bool, blocks: bool = True) -> list[str]:
    """Return a description of each pace.

    *steps* and *blocks* as `pace_meaning` has them.
    """
    return [say(pace_meaning(pace, steps=steps, blocks=blocks)) for pace in PACES]


# --- the search -----------------------------------------------------------------------------------


def find_button(table_id: int) -> Button:
    """Return the button behind which words are typed that find settings."""
    return Button(f"sg:set:{table_id}:-:find", label_text("settings-find"))


def find_dialog(table_id: int) -> Modal:
    """Return the dialog for words that find settings."""
    words = Input(
        "words",
        label_text("settings-find-words"),
        placeholder=label_text("settings-find-example"),
        most=_SEARCH_LENGTH,
    )
    return Modal(f"sg:setm:{table_id}:-:find", label_text("settings-find-title"), (words,))


def found_settings_card(scene: Scene, words: str) -> Layout:
    """Return the settings that these words find, each with its value, and a menu that opens one."""
    form = settings_form(SYSTEMS[scene.state.settings.system])
    fields = find_settings(form, words)[:SELECT_OPTIONS]
    pages = page_titles(form)
    lines: list[str | Piece] = []
    for field in fields:
        value = value_text(field, setting_value(scene.state.settings, field))
        about = {"setting": field.title, "value": value, "page": pages[field.key]}
        lines.append(say(Text("settings-found-line", about)))
    base = f"sg:set:{scene.table_id}:-:p"
    buttons = (
        find_button(scene.table_id),
        Button(f"{base}:all", label_text("settings-all")),
    )
    rows: Rows = (buttons,)
    if fields:
        entries = [(field.key, field_title(field)) for field in fields]
        rows = ((menu(base, label_text("settings-open"), entries),), buttons)
    return card(
        "gm",
        "settings-found",
        None,
        *lines,
        rows=rows,
        words=clip(words, _SEARCH_LENGTH),
        none=not fields,
    )
