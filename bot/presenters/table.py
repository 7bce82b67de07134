"""Cards for everything about a table that is not a check: its settings and people, characters,
lists.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from bot.presenters.catalog_cards import card
from bot.presenters.character import character_lines
from bot.presenters.control_limits import menu
from bot.presenters.controls import (
    CREATE_LABEL,
    TRY_LABEL,
    Button,
    Input,
    Modal,
    Option,
    Rows,
    Select,
    Style,
    create_button,
    gm_channel_rows,
)
from bot.presenters.fair_dice import STREAMS
from bot.presenters.forms import PanelForm, field_input, field_title, menus
from bot.presenters.language.limits import HEAD, MODAL_TITLE, SELECT_OPTIONS, clip
from bot.presenters.language.systems import SYSTEM_WORDS
from bot.presenters.language.text import (
    Markdown,
    code_text,
    percent,
    sentence,
    some_names,
    unescape,
    user_text,
)
from bot.presenters.language.words import TEMPLATES, label_text, phrase, say, say_bare
from bot.presenters.layout import (
    Body,
    Gap,
    Head,
    Heading,
    Layout,
    Piece,
    QuotedText,
    Row,
    Section,
    SmallPrint,
)
from bot.presenters.scene import Scene
from bot.presenters.setting_search import find_settings, page_titles
from rules.registry import SYSTEMS
from rules.table import forms
from rules.table.actions import Actor
from rules.table.blocks import Text, Value
from rules.table.events import Notice
from rules.table.pace import (
    BY_POST,
    PACE_LABELS,
    PACES,
    STEP_IN_TIME,
    pace_meaning,
    pace_of,
    pace_text,
)
from rules.table.settings import setting_value, settings_form, settings_pages, value_text
from rules.table.state import Settings, TableState
from rules.table.system import OddsTable, Page, System

#: How much of what somebody wrote is told of a result in a list.
_SHORT = 60

#: What is published of the seeds: stream ("public", "secret") -> fingerprint.
Commitments = Mapping[str, str]


def setting_meaning(field: str, value: Value) -> str:
    """What a setting with this value does, empty where there are no words for it."""
    code = f"setting-does-{field.replace('_', '-')}"
    return say(Text(code, {"value": value})) if code in TEMPLATES else ""


def _settings_lines(settings: Settings) -> list[str]:
    form = settings_form(SYSTEMS[settings.system])
    used = [each for each in form.fields if each.key != "name"]
    lines = [say(pace_text(settings, form))]
    lines += [f"- {setting_meaning(each.key, setting_value(settings, each))}" for each in used]
    return [*lines, f"- {setting_meaning('gm_place', settings.gm_place)}"]


def _commitment_lines(commitments: Commitments) -> list[str]:
    if not commitments:
        return []
    each = [
        f"- {STREAMS.get(key, user_text(key))}: {code_text(value)}"
        for key, value in commitments.items()
    ]
    return [phrase("fingerprints"), *each]


def new_table_parts(event: Notice, commitments: Commitments) -> list[str | Piece]:
    """Of a new table: where its GMs are told, and the fingerprints of its seeds."""
    gm_place = event.params["gm_place"]
    place = [] if gm_place is None else [setting_meaning("gm_place", gm_place)]
    # Apart from the list above, which would take the next line for its own.
    return [*place, Gap(), *_commitment_lines(commitments)]


def table_card(
    scene: Scene,
    places: Sequence[str],
    *,
    who: Actor,
    gm: bool,
    now: Sequence[str] = (),
    checks: Sequence[str | Piece] = (),
) -> Layout:
    """The table for /table show: who leads it, who and what is there; `sg:table:<table>:settings`
    shows the rest.

    `now` says where the story stands, `checks` which are open. NPCs are for GMs only.
    """
    state, names, settings = scene.state, scene.names, scene.state.settings
    there: list[str | Piece] = [*character_lines(state, names, who=who.id, gm=gm, active=None)]
    there += [Heading(say(Text("table-open-checks"))), *checks] if checks else []
    if now:
        there += [Heading(say(Text("table-story"))), *now]
    mine = gm or any(each.owner == who.id for each in state.characters.values())
    create = () if mine else (create_button(scene.table_id),)
    rows = ((*create, Button(f"sg:table:{scene.table_id}:settings", label_text("table-settings"))),)
    system = SYSTEMS[settings.system]
    told = {
        "plays": system.name,
        "places": tuple(places),
        "pace": pace_text(settings, settings_form(system)),
    }
    return card("own", "table", names, *there, about=settings, rows=rows, **told)


def settings_card(scene: Scene, *, gm: bool) -> Layout:
    """What a table agreed on, for everybody, and the fingerprints of its seeds; a GM can go on to
    change it.
    """
    settings = scene.state.settings
    agreed = [*_settings_lines(settings), Gap(), *_commitment_lines(scene.commitments)]
    change = (change_button(scene.table_id),) if gm else ()
    rows = ((*change, Button(f"sg:table:{scene.table_id}:there", label_text("turn-back"))),)
    return card("own", "table-agreed", None, *agreed, about=settings, rows=rows)


def change_button(table_id: int) -> Button:
    """What opens the panel of settings."""
    return Button(f"sg:set:{table_id}:-:p", label_text("settings-change"))


#: Key of the page about waiting.
WAITING_PAGE: Final = "waiting"
#: The entry of a menu behind which any other time is typed.
OTHER_VALUE: Final = ":another"
_NO_ASKER: Final = forms.FormContext()
#: Most that is typed to find settings.
_WORDS_MOST: Final = 50


def settings_panel(scene: Scene, page_key: str | None = None) -> Layout:
    """Return a page of the table's settings, or one setting by its key.

    Switches and typed values have a button.

    The ids are `sg:set:<table>:<page>:<control>`. The control is `p` for the menu of pages,
    `t<n>:<0|1>` for a switch, `f<n>` for a menu and `w<n>` for a dialog, each for the n-th field
    of the form. Dialogs are `sg:setm:<table>:<page>:<n>`. The page about waiting has the paces
    (`pace:<key>`) and opens one setting alone (`one`). The last page leads to the GM channel
    (`channel`) and to the GMs (`gms`).
    """
    state, table_id = scene.state, scene.table_id
    form = settings_form(SYSTEMS[state.settings.system])
    pages = settings_pages(form)
    alone = next((each for each in form.fields if each.key == page_key), None)
    page = next((each for each in pages if each.key == page_key), pages[0])
    if alone is not None:
        page = Page(alone.key, Text("named", {"name": field_title(alone)}), forms.Form((alone,)))
    base = f"sg:set:{table_id}:{page.key}"
    now = {field.key: setting_value(state.settings, field) for field in form.fields}
    filling = PanelForm(
        form, _NO_ASKER, say(Text("settings-title")), (), switches=True, steps=pages, step=page
    )
    choices = {each.id: each.select for each in menus(filling, base, now, {})}
    waits = alone is None and page.key == WAITING_PAGE
    lines: list[Piece] = _pace_pieces(state.settings, page, base) if waits else []
    below: list[Piece] = []
    for place, field in filling.fields:
        value, title, select = now[field.key], field_title(field), choices.get(f"{base}:f{place}")
        meaning = setting_meaning(field.key, value)
        if waits and isinstance(field, forms.Flag):
            meaning = say(Text(f"setting-says-{field.key.replace('_', '-')}", {"value": value}))
        if waits and isinstance(field, forms.Number):
            continue  # its button stands with the pace
        if select is not None:
            if isinstance(field, forms.Number):
                options = (*select.options, Option(OTHER_VALUE, label_text("setting-another")))
                select = select.replace(options=options)
            below += [SmallPrint(meaning), Row((select,))]
        elif isinstance(field, forms.Flag):
            press = Button(
                f"{base}:t{place}:{int(not value)}", label_text("setting-turn", on=bool(value))
            )
            lines.append(Section(f"**{title}: {'on' if value else 'off'}**\n-# {meaning}", press))
        else:
            press = Button(f"{base}:w{place}", label_text("setting-edit", title=title.lower()))
            lines.append(Section(f"**{title}:** {user_text(str(value))}", press))
    if page is pages[-1]:
        secrets = setting_meaning("gm_place", state.settings.gm_place)
        lines.append(Section(secrets, Button(f"{base}:channel", label_text("settings-gm-channel"))))
        gms = phrase("gms-now", scene.names, about=state.settings)
        lines.append(Section(gms, Button(f"{base}:gms", "GMs")))
    small = SmallPrint(say(Text("settings-undo")))
    if alone is not None:
        head = clip(field_title(alone), HEAD)
        about: list[Piece] = [Body(sentence(say(alone.help)))] if alone.help else []
        if alone.default not in (None, now[alone.key]):
            about.append(SmallPrint(f"Default: {setting_meaning(alone.key, alone.default)}"))
        every = Row((Button(f"sg:set:{table_id}:-:p", label_text("settings-all")),))
        return Layout("gm", (Head(head), *about, *lines, *below, every, small))
    named = [(each, ", ".join(map(field_title, each.form.fields))) for each in pages]
    titles = [(each.key, f"{say_bare(each.title)}: {on}") for each, on in named]
    turn = menu(f"{base}:p", label_text("sheet-page"), titles, page.key, label_text("sheet-page"))
    find = Row((find_button(table_id),))
    return Layout(
        "gm",
        (Head(say(Text("settings-title"))), Row((turn,)), *lines, *below, Gap(), find, small),
    )


def find_button(table_id: int) -> Button:
    """Return the button behind which words are typed that find settings."""
    return Button(f"sg:set:{table_id}:-:find", label_text("settings-find"))


def find_dialog(table_id: int) -> Modal:
    """Return the dialog for words that find settings."""
    asked = Input(
        "words",
        label_text("settings-find-words"),
        placeholder=label_text("settings-find-example"),
        most=_WORDS_MOST,
    )
    return Modal(f"sg:setm:{table_id}:-:find", label_text("settings-find-title"), (asked,))


def found_settings_card(scene: Scene, words: str) -> Layout:
    """Return the settings that these words find, each with its value, and a menu that opens one."""
    form = settings_form(SYSTEMS[scene.state.settings.system])
    found = find_settings(form, words)[:SELECT_OPTIONS]
    pages = page_titles(form)
    lines: list[str | Piece] = []
    for field in found:
        value = value_text(field, setting_value(scene.state.settings, field))
        told = {"setting": field.title, "value": value, "page": pages[field.key]}
        lines.append(say(Text("settings-found-line", told)))
    base = f"sg:set:{scene.table_id}:-:p"
    buttons = (
        find_button(scene.table_id),
        Button(f"{base}:all", label_text("settings-all")),
    )
    rows: Rows = (buttons,)
    if found:
        entries = [(field.key, field_title(field)) for field in found]
        rows = ((menu(base, label_text("settings-open"), entries),), buttons)
    return card(
        "gm", "settings-found", None, *lines, rows=rows, words=clip(words, 50), none=not found
    )


def _pace_pieces(settings: Settings, page: Page, base: str) -> list[Piece]:
    """Return the paces with their buttons, and a button for each time."""
    form = settings_form(SYSTEMS[settings.system])
    steps = STEP_IN_TIME in form.by_key
    paces = _pace_buttons(f"{base}:pace", pace_of(settings, form))
    base = base.rpartition(":")[0]
    times = [
        Button(f"{base}:{each.key}:one", field_title(each))
        for each in page.form.fields
        if isinstance(each, forms.Number)
    ]
    says = "\n".join(_pace_meanings(steps=steps))
    return [
        Body(say(Text("pace-question"))),
        Row(paces),
        Body(f"{says}\n{say(pace_text(settings, form))}"),
        Body(say(Text("pace-change"))),
        Row(tuple(times)),
        Gap(),
    ]


def setting_dialog(settings: Settings, field: forms.Field, id: str) -> Modal:
    """What a setting is typed into."""
    typed = field_input(field, field.format_text(setting_value(settings, field)))
    return Modal(id, clip(field_title(field), MODAL_TITLE), (typed,))


def members_card(scene: Scene, *, gm: bool) -> Layout:
    """Who leads the table; GMs add and remove with `sg:gms:<table>:<add|add_role|remove>`."""
    settings, names = scene.state.settings, scene.names
    lines = [f"- {names.mention(each)}" for each in settings.gms]
    lines += [say(Text("gms-role", {"role": str(role)})) for role in settings.gm_roles]
    if not gm:
        return card("own", "members", names, *lines)
    base = f"sg:gms:{scene.table_id}"
    there = [(each, unescape(names.name(each))) for each in settings.gms]
    there += [
        (f"@{role}", label_text("gms-role-number", number=number))
        for number, role in enumerate(settings.gm_roles, 1)
    ]
    rows = (
        (Select(f"{base}:add", label_text("gms-add"), kind="user"),),
        (Select(f"{base}:add_role", label_text("gms-add-role"), kind="role"),),
        (menu(f"{base}:remove", label_text("gms-remove"), there),),
    )
    return card("gm", "members", names, *lines, rows=rows)


def gm_channel_card(table_id: int, now: str | None = None, *, declined: bool = False) -> Layout:
    """Where secrets are to go; `now` is where they go."""
    if declined:
        return card(
            "gm", "no-gm-channel", None, meaning=Markdown(setting_meaning("gm_place", None))
        )
    rows = gm_channel_rows(table_id)
    return card(
        "gm", "gm-channel", None, rows=rows, now=now and Markdown(setting_meaning("gm_place", now))
    )


def system_choice_card(playable: Mapping[str, System], pace: str = BY_POST) -> Layout:
    """Return the menu that asks for a new table's pace and rules.

    `sg:setup:<system>:<pace>` opens the table, `sg:setup:-:<pace>` chooses the pace.
    """
    buttons = tuple(
        Button(f"sg:setup:{key}:{pace}", system.name) for key, system in playable.items()
    )
    paces = _pace_buttons("sg:setup:-", pace)
    says = Markdown("\n".join([say(Text("pace-question")), *_pace_meanings(steps=True)]))
    return card("own", "which-system", None, rows=(paces, buttons), says=says)


def _pace_buttons(base: str, chosen: str | None) -> tuple[Button, ...]:
    """Return a button for each pace; `chosen` is the present one."""
    found: list[Button] = []
    for key in PACES:
        style: Style = "primary" if key == chosen else "secondary"
        found.append(Button(f"{base}:{key}", say_bare(PACE_LABELS[key]), style))
    return tuple(found)


def _pace_meanings(*, steps: bool) -> list[str]:
    """Return a description of each pace; `steps` if the table's rules have step-ins."""
    return [say(pace_meaning(pace, steps=steps)) for pace in PACES]


#: What a GM does first at a new table, and what its button says.
FIRST_STEPS: Mapping[str, str] = {
    "channel": label_text("settings-gm-channel"),
    "players": label_text("first-step-players"),
    "character": label_text("first-step-character"),
    "check": label_text("first-step-check"),
}
#: So many players and characters are named there: it is one message.
_FIRST: Final = 10
#: Those that call the players in the channel, and what the button there says.
STEP_CALL_LABELS: Mapping[str, str] = {"players": CREATE_LABEL, "check": TRY_LABEL}


def done_first_steps(state: TableState, noted: frozenset[str]) -> frozenset[str]:
    """The first steps that have been taken; `noted` are those that cannot be seen by the table
    itself.
    """
    mine = {
        character.owner for character in state.characters.values() if character.owner is not None
    }
    there = {
        "channel": state.settings.gm_place is not None or "channel" in noted,
        "players": "players" in noted or bool(mine - set(state.settings.gms)),
        "character": bool(mine),
        "check": state.counters.begun > 0,
        # No step of its own: how the last one reads.
        "played": state.counters.begun > 0
        and not any(each.is_open for each in state.checks.values()),
    }
    return frozenset(key for key, done in there.items() if done)


def first_steps_card(scene: Scene, done: frozenset[str]) -> Layout:
    """The guide after /setup: each step with its button; the next one stands out."""
    state = scene.state
    owned = [each for each in state.characters.values() if each.owner is not None]
    characters = [each.name for each in owned]
    owners = dict.fromkeys(each.owner or "" for each in owned)
    players = [each for each in owners if each not in state.settings.gms]
    told = {
        "place": state.settings.gm_place,
        "players": Markdown(
            some_names([unescape(scene.names.name(each)) for each in players], _FIRST)
        ),
        "characters": Markdown(some_names(characters, _FIRST)),
        "played": "played" in done,
    }
    following = next((key for key in FIRST_STEPS if key not in done), None)
    lines: list[str] = []
    buttons: list[Button] = []
    for key, label in FIRST_STEPS.items():
        # In words too: plain text leaves signs out.
        mark = "✓ Done:" if key in done else "→ Next:" if key == following else "· Later:"
        lines.append(f"{mark} {phrase(f'first-{key}', scene.names, done=key in done, **told)}")
        style: Style = "primary" if key == following else "secondary"
        buttons.append(Button(f"sg:first:{scene.table_id}:{key}", label, style))
    about, rows = state.settings, (tuple(buttons),)
    return card("gm", "first-steps", None, *lines, rows=rows, about=about, ready=following is None)


def step_call_card(step: str, scene: Scene) -> Layout:
    """What the players are called with in the channel, with the button for it."""
    button = Button(f"sg:join:{scene.table_id}:{step}", STEP_CALL_LABELS[step], "primary")
    return card("waiting", f"wanted-{step}", None, rows=((button,),), about=scene.state.settings)


def invited_card(table_id: int) -> Layout:
    """The players are invited already, with a button that does it once more."""
    again = Button(f"sg:first:{table_id}:players:again", label_text("first-step-again"))
    return card("gm", "invited", None, rows=((again,),))


def last_results_card(table_id: int, results: Sequence[tuple[int, Sequence[Layout]]]) -> Layout:
    """The last results, each in a few lines with the button that shows all of it: number of the
    entry, its cards.
    """
    rows = _result_sections(table_id, results)
    return card("own", "last-results", None, *rows, count=len(rows))


def absence_card(
    table_id: int, results: Sequence[tuple[int, Sequence[Layout]]], since: int
) -> Layout:
    """Return the card of what happened to a player's characters during an absence.

    `results` are the numbers of entries with their cards. `since` is in seconds since 1970.
    """
    rows = _result_sections(table_id, results)
    return card("own", "absence-told", None, *rows, count=len(rows), since=since)


def _result_sections(
    table_id: int, results: Sequence[tuple[int, Sequence[Layout]]]
) -> list[Section]:
    return [
        Section(
            "\n".join(map(_result_summary, cards)),
            Button(f"sg:last:{table_id}:{seq}", f"Show #{seq}"),
        )
        for seq, cards in results
    ]


def _result_summary(result: Layout) -> str:
    """A result in a few lines: how it came out, whose it is and what they wrote, what was
    thrown.
    """
    heads = [f"**{each.text}**" for each in result.pieces if isinstance(each, Head)]
    bodies = [each.text for each in result.pieces if isinstance(each, Body) and each.text.strip()]
    lines = [line for text in bodies for line in text.split("\n")]
    ideas = [
        f"“{clip(each.text, _SHORT)}”" for each in result.pieces if isinstance(each, QuotedText)
    ][:1]
    thrown = [line for line in lines if " = **" in line]
    first = [line for line in lines[:1] if line not in thrown]
    return "\n".join([*heads, *([": ".join([*first, *ideas])] if first or ideas else []), *thrown])


def odds_line(table: OddsTable) -> str:
    """`Tricky (10): 63% · 1+ extra 33% · automatic failure 10%`: what is chosen now; of several
    dice the die too.
    """
    label, odds = table[0]
    choice = sum(each.totals is not None for _, each in table) > 1
    brief = {code for words in SYSTEM_WORDS.values() for code in words.brief_odds}
    target = f"{say(label)} against {say(odds.target)}" if choice else say(odds.target)
    parts = [f"{target}: {percent(odds.success)}"]
    for line, chance in odds.outcomes:
        if line.code in brief:
            parts.append(f"{say(line)} {percent(chance)}")
            brief.discard(line.code)
    return " · ".join(parts)
