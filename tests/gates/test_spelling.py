"""American spelling in everything that people read: texts, docs, names and comments.

A game's own term stays as its book has it, such as EBB's artefact.
"""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.gates.test_repository import ROOT, project_files

#: British stem -> American stem; a word that begins or goes on otherwise is found as well.
SPELLINGS: Final = {
    "acknowledgement": "acknowledgment",
    "aeroplane": "airplane",
    "aluminium": "aluminum",
    "analyse": "analyze",
    "armour": "armor",
    "behaviour": "behavior",
    "bonnet": "hood",
    "burnt": "burned",
    "calibre": "caliber",
    "cancelled": "canceled",
    "cancelling": "canceling",
    "catalogue": "catalog",
    "centre": "center",
    "colour": "color",
    "customis": "customiz",
    "defence": "defense",
    "dialogue": "dialog",
    "draught": "draft",
    "favour": "favor",
    "fulfil ": "fulfill ",
    "grey": "gray",
    "harbour": "harbor",
    "honour": "honor",
    "humour": "humor",
    "initialis": "initializ",
    "jewellery": "jewelry",
    "jeweller": "jeweler",
    "judgement": "judgment",
    "kerb": "curb",
    "labelled": "labeled",
    "labour": "labor",
    "learnt": "learned",
    "licence": "license",
    "litre": "liter",
    "manoeuvr": "maneuver",
    "memois": "memoiz",
    "metre": "meter",
    "misspelt": "misspelled",
    "modelled": "modeled",
    "mould": "mold",
    "neighbour": "neighbor",
    "normalis": "normaliz",
    "offence": "offense",
    "organis": "organiz",
    "paralyse": "paralyze",
    "plough": "plow",
    "practise": "practice",
    "programme ": "program ",
    "realis": "realiz",
    "recognis": "recogniz",
    "rumour": "rumor",
    "sceptic": "skeptic",
    "serialis": "serializ",
    "skilful": "skillful",
    "specialis": "specializ",
    "stabilis": "stabiliz",
    "sulphur": "sulfur",
    "summaris": "summariz",
    "theatre": "theater",
    "totalled": "totaled",
    "towards": "toward",
    "travelled": "traveled",
    "travelling": "traveling",
    "tyre": "tire",
    "vapour": "vapor",
    "whilst": "while",
}
BRITISH: Final = re.compile("|".join(SPELLINGS), re.IGNORECASE)
#: Words that hold such letters by chance.
OTHER_WORDS: Final = re.compile(
    r"specialist|realist(ic)?\w*|realism|organism|greyhound", re.IGNORECASE
)
#: Keys of files that people keep, and what reads them: a format isn't prose.
FILE_KEYS: Final = re.compile(
    r"""
    ["'`\[(]?\b(?:spare_)?armour(?:\[\d+\])?(?:\.\w+)?["'`]      # a key, a field of one
    |\.(?:spare_)?armour\b|\b(?:spare_)?armour\s*[=:]          # of sheets and rows
    |=(?:spare_)?armour\}|ego-armour\b|armour\w*\}              # of the texts about them
    |["'`.]stabilised["'`]?|\bstabilised\s*[=:]|\{\?!?stabilised\}
    |["'.]defence\b["']?|\bdefence:                             # of EGO's rows of enemies
    |["']defence_\w+["']|["'_]cancelled["']|["']recognised["']  # of examples
    |["']attacker_total_for_defence["']
    |["'](?:range_|free_movement_)?metres(?:_per_round)?["']
    |["']neighbours["']|f["']metres_per_|["']metre["']:
    """,
    re.VERBOSE,
)
#: Names of libraries.
NAMES: Final = re.compile(r"CancelledError|\.cancelled\(|\baccent_colour\b")
#: Copied, or a record of what was.
EXCEPT: Final = re.compile(
    r"LICENSE$|tests/conformance/examples/|tests/gates/(test_spelling\.py|stored_form\.txt)$"
    r"|requirements/|\.git-blame-ignore-revs$"
)
#: Lines that are about a British spelling: what is typed so is read as well.
ABOUT_SPELLING: Final = (
    ("docs/glossary.md", "| armour, takes off, absorbs |"),
    ("rules/systems/masterbook/reference_commands.py", '.replace("metres", "meters")'),
    ("rules/systems/masterbook/formulas/measures.py", "dict.fromkeys(("),
    ("tests/conformance/masterbook_characters.py", "metres"),
    ("tests/rules/ego/test_enemies.py", '["defense", "defence"]'),
)


def british(name: str, text: str) -> list[str]:
    """Return `file:line: word` for each British spelling in a text."""
    found: list[str] = []
    whole = text.casefold()
    if not any(stem in whole for stem in SPELLINGS):
        return found
    for number, line in enumerate(text.splitlines(), 1):
        if not BRITISH.search(line) or any(
            name == place and words in line for place, words in ABOUT_SPELLING
        ):
            continue
        left = line
        for allowed in (OTHER_WORDS, FILE_KEYS, NAMES):
            left = allowed.sub("", left)
        found += [f"{name}:{number}: {each[0]}" for each in BRITISH.finditer(left)]
    return found


def test_everything_is_spelled_in_american_english() -> None:
    found: list[str] = []
    for name in project_files(ROOT):
        if EXCEPT.search(name):
            continue
        try:
            text = (ROOT / name).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # pictures and the like
        found += british(name, f"{name}\n{text}" if BRITISH.search(name) else text)
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The armour stops it.", ["armour"]),
        ("Armoured, and grey", ["Armour", "grey"]),
        ("def unarmoured(self) -> int:", ["armour"]),
        ('"armour": [], "stabilised": false', []),
        ("sheet.armour, `spare_armour`, armour=None, {?of=armour}", []),
        ("except asyncio.CancelledError: task.cancelled()", []),
        ("a specialist, more realistic", []),
        ("Specialised, realised", ["Specialis", "realis"]),
    ],
)
def test_what_is_british(text: str, words: list[str]) -> None:
    assert [each.rpartition(" ")[2] for each in british("x", text)] == words
