"""Messages about tables as files: exports, imports and campaigns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from bot.presenters.catalog_cards import as_json, card, json_file
from bot.presenters.controls import Attachment, Button, Control, Option, Select
from bot.presenters.language.limits import OPTION_TEXT, SELECT_OPTIONS, clip
from bot.presenters.language.systems import system_words
from bot.presenters.language.text import (
    Markdown,
    bare_text,
    name_text,
    plural,
    some_names,
    user_text,
)
from bot.presenters.language.words import label_text, say
from bot.presenters.layout import Layout
from bot.presenters.settings_panel import change_button
from bot.services.imports import ImportPreview
from rules.registry import get_system
from rules.table.blocks import Text
from rules.table.state import TableState


def export_name(state: TableState, what: str) -> str:
    """Return the name of a table's file, without its extension."""
    return json_file(state.settings.name, "table", f"-{what}", b"").name.removesuffix(".json")


def export_table_card(
    state: TableState, what: str, content: bytes, parts: int, *, whole: bool = True
) -> Layout:
    """Return the card of a table's file; a full export also lists what an import leaves out.

    `parts` is the number of files for the journal. Unless `whole`, the journal leaves out what was
    told in places that not every player can view.
    """
    file = Attachment(f"{export_name(state, what)}.json", content)
    unexported, count = _unexported_texts(state) if what == "full" else ([], 0)
    return card(
        "gm",
        "table-file",
        None,
        attachment=file,
        name=state.settings.name,
        what=what,
        left=tuple(map(Markdown, unexported)),
        several=count > 1,
        parts=parts,
        shut=not whole,
    )


def export_part_card(file: Attachment, number: int, count: int) -> Layout:
    """Return the card of a part of the journal."""
    return card("own", "export-part", None, attachment=file, number=number, count=count)


def chronicle_part_card(file: Attachment, number: int, count: int) -> Layout:
    """Return the card of a chronicle's file behind the first; `count` is without the first."""
    return card("own", "chronicle-part", None, attachment=file, number=number + 1, count=count + 1)


def chronicle_card(
    table: str, format: str, file: str, content: bytes, parts: int, *, own: bool, whole: bool
) -> Layout:
    """Return the card of a chronicle's first file, of which `parts` more follow.

    `own` is the reader's own edition. Unless `whole`, it leaves out what was told in places that
    not every player can view.
    """
    return card(
        "own",
        "chronicle",
        None,
        attachment=Attachment(file, content),
        name=table,
        format=format,
        own=own,
        shut=not whole,
        parts=parts,
    )


def _unexported_texts(state: TableState) -> tuple[list[str], int]:
    """Return in words what stays behind when a table is moved, and the number of those things."""
    open_checks = [check.id for check in state.checks.values() if check.is_open]
    exported = get_system(state.settings.system).part_files
    kinds = (key.partition(":")[0] for key in state.own)
    own = Counter(kind for kind in kinds if kind not in exported)
    counts: list[tuple[int, str, str | None]] = [
        (len(open_checks), "open check", "open checks"),
        (len(state.encounters), "initiative board", None),
    ]
    for key, noun in system_words(state.settings.system).parts.items():
        if noun:
            counts.append((own[key], noun, None))
    counts += [
        (sum(len(person.rolls) for person in state.people.values()), "saved roll", None),
        (len(state.decks), "deck in use with its hands", "decks in use with their hands"),
    ]
    texts = [plural(count, one, many) for count, one, many in counts if count]
    if open_checks:
        texts[0] += f" ({', '.join(open_checks)})"
    return texts, sum(count for count, _, _ in counts)


def no_campaign_card(table_id: int, plays: str) -> Layout:
    """Return that a system has no campaign rows, with a button for the table's settings."""
    return card("gm", "campaign-none", None, rows=((change_button(table_id),),), plays=plays)


def campaign_sample_card(name: str, plays: str, data: Mapping[str, object]) -> Layout:
    """Return that a table adds nothing to its rules yet, with a sample file."""
    file = json_file(name, "table", "-campaign", as_json(data))
    return card("gm", "campaign-sample", None, attachment=file, plays=plays)


def campaign_file_card(name: str, lines: Sequence[Text], data: Mapping[str, object]) -> Layout:
    """Return what a table adds to its rules, with the file that `/gm campaign` reads."""
    file = json_file(name, "table", "-campaign", as_json(data))
    texts = [f"- {say(line)}" for line in lines] or [say(Text("campaign-unchanged"))]
    return card("gm", "campaign-file", None, *texts, attachment=file, name=name)


def import_card(
    draft: str,
    preview: ImportPreview,
    people: Mapping[str, str],
    matches: Mapping[str, str],
    chosen: Sequence[str],
    *,
    new: bool = False,
) -> Layout:
    """Return what a file would bring, and who would own the characters.

    `people` has the names of the owners in the file, `matches` the mentions of users of the same
    name here. `chosen` are the owners that the GM has confirmed. `new` if a table is opened for the
    file.
    """
    lines: list[str] = []
    for owner in preview.owners:
        characters = [name for whose, name in preview.characters if whose == owner]
        who = name_text(people.get(owner, owner))
        user = Markdown(matches[owner]) if owner in chosen else None
        to = say(Text("import-to", {"who": user}))
        lines.append(f"**{who}'s:** {some_names(characters)} · {to}")
    rows: tuple[tuple[Control, ...], ...] = ()
    if matches:
        rows = ((_owner_menu(draft, preview, people, list(matches)[:SELECT_OPTIONS], chosen),),)
    buttons = (
        Button(f"sg:imp:{draft}:go", label_text("import-go", new=new), "primary"),
        Button(f"sg:imp:{draft}:drop", label_text("form-cancel")),
    )
    return card(
        "gm",
        "import",
        None,
        *lines,
        rows=(*rows, buttons),
        name=preview.name,
        new=new,
        system=get_system(preview.system).name,
        npcs=sum(owner is None for owner, _ in preview.characters),
        decks=tuple(Markdown(user_text(deck)) for deck in preview.decks),
        parts=tuple(map(Markdown, _part_texts(preview))),
        matches=len(matches),
    )


def _part_texts(preview: ImportPreview) -> list[str]:
    """Return the counts of the system's own parts that come along, such as `2 vehicles`."""
    nouns = system_words(preview.system).parts
    counts = Counter(preview.parts)
    return [plural(count, nouns.get(kind) or kind) for kind, count in counts.items()]


def _owner_menu(
    draft: str,
    preview: ImportPreview,
    people: Mapping[str, str],
    owners: Sequence[str],
    chosen: Sequence[str],
) -> Select:
    """Return the menu of the owners who have a namesake here."""
    options: list[Option] = []
    for owner in owners:
        who = clip(bare_text(people.get(owner, owner)), OPTION_TEXT) or owner
        characters = [bare_text(name) for whose, name in preview.characters if whose == owner]
        about = clip(", ".join(characters), OPTION_TEXT)
        options.append(Option(owner, who, about, owner in chosen))
    return Select(
        f"sg:imp:{draft}:who", label_text("import-owners"), tuple(options), 0, len(options)
    )
