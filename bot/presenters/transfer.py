"""Cards for tables as files: going out, what a file would bring, and what it has brought."""

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
    return json_file(state.settings.name, "table", f"-{what}", b"").name.removesuffix(".json")


def export_table_card(
    state: TableState, what: str, content: bytes, parts: int, *, whole: bool = True
) -> Layout:
    """Return the card of a table's file; a full export also lists what an import leaves out.

    `parts` is the number of files for the journal. Unless `whole`, the journal leaves out what was
    told in places that not every player can view.
    """
    file = Attachment(f"{export_name(state, what)}.json", content)
    found, total = _unexported_texts(state) if what == "full" else ([], 0)
    return card(
        "gm",
        "table-file",
        None,
        attachment=file,
        name=state.settings.name,
        what=what,
        left=tuple(map(Markdown, found)),
        several=total > 1,
        parts=parts,
        shut=not whole,
    )


def _unexported_texts(state: TableState) -> tuple[list[str], int]:
    """Return in words what stays behind when a table is moved, and the number of those things."""
    named = [each.id for each in state.checks.values() if each.is_open]
    moves = get_system(state.settings.system).part_files
    kinds = (key.partition(":")[0] for key in state.own)
    own = Counter(kind for kind in kinds if kind not in moves)
    rolls = sum(len(person.rolls) for person in state.people.values())
    counted = (
        (len(named), "open check", "open checks"),
        (len(state.encounters), "initiative board", None),
        *(
            (own[key], noun, None)
            for key, noun in system_words(state.settings.system).parts.items()
            if noun
        ),
        (rolls, "saved roll", None),
        (len(state.decks), "deck in use with its hands", "decks in use with their hands"),
    )
    found = [plural(count, one, many) for count, one, many in counted if count]
    if named:
        found[0] += f" ({', '.join(named)})"
    return found, sum(count for count, _, _ in counted)


def no_campaign_card(table_id: int, plays: str) -> Layout:
    """That a table's system has no campaign of its own, and where its table has a say."""
    return card("gm", "campaign-none", None, rows=((change_button(table_id),),), plays=plays)


def campaign_sample_card(name: str, plays: str, data: Mapping[str, object]) -> Layout:
    """That a table adds nothing to its rules yet, and a file to begin with."""
    file = json_file(name, "table", "-campaign", as_json(data))
    return card("gm", "campaign-sample", None, attachment=file, plays=plays)


def campaign_file_card(name: str, lines: Sequence[Text], data: Mapping[str, object]) -> Layout:
    """What a table agreed on in the terms of its system, and the file that `/gm campaign` reads."""
    file = json_file(name, "table", "-campaign", as_json(data))
    told = [f"- {say(line)}" for line in lines] or [say(Text("campaign-unchanged"))]
    return card("gm", "campaign-file", None, *told, attachment=file, name=name)


def import_card(
    draft: str,
    found: ImportPreview,
    people: Mapping[str, str],
    matches: Mapping[str, str],
    chosen: Sequence[str],
    *,
    new: bool = False,
) -> Layout:
    """What a file would bring, and whose the characters would be; `new` where a table is opened for
    it.

    `people` names the owners of the file, `matches` those of them who have a namesake here (as a
    mention), `chosen` are the owners who were confirmed.
    """
    lines: list[str] = []
    for owner in found.owners:
        theirs = [name for whose, name in found.characters if whose == owner]
        who = name_text(people.get(owner, owner))
        to = say(Text("import-to", {"who": Markdown(matches[owner]) if owner in chosen else None}))
        lines.append(f"**{who}'s:** {some_names(theirs)} · {to}")
    rows: tuple[tuple[Control, ...], ...] = ()
    if matches:
        rows = ((_menu(draft, found, people, list(matches)[:SELECT_OPTIONS], chosen),),)
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
        name=found.name,
        new=new,
        system=get_system(found.system).name,
        npcs=sum(owner is None for owner, _ in found.characters),
        decks=tuple([Markdown(user_text(deck)) for deck in found.decks]),
        parts=tuple([Markdown(each) for each in _part_texts(found)]),
        matches=len(matches),
    )


def _part_texts(found: ImportPreview) -> list[str]:
    """Return the counts of the system's own parts that come along, such as `2 vehicles`."""
    nouns = system_words(found.system).parts
    counts = Counter(found.parts)
    return [plural(count, nouns.get(kind) or kind) for kind, count in counts.items()]


def _menu(
    draft: str,
    found: ImportPreview,
    people: Mapping[str, str],
    owners: Sequence[str],
    chosen: Sequence[str],
) -> Select:
    options: list[Option] = []
    for owner in owners:
        who = clip(bare_text(people.get(owner, owner)), OPTION_TEXT) or owner
        theirs = ", ".join(bare_text(name) for whose, name in found.characters if whose == owner)
        options.append(Option(owner, who, clip(theirs, OPTION_TEXT), owner in chosen))
    return Select(
        f"sg:imp:{draft}:who", label_text("import-owners"), tuple(options), 0, len(options)
    )
