"""Options that several commands have: what they take, and what Discord says of them."""

from __future__ import annotations

from typing import Final, Literal

from discord import app_commands

#: A name, a level, or whatever else is found by a few words.
Name = app_commands.Range[str, 1, 100]
#: What somebody does, in their own words.
Idea = app_commands.Range[str, 1, 1000]
#: Words separated by commas, a reason, dice.
Words = app_commands.Range[str, 1, 200]
Modifier = app_commands.Range[int, -20, 20]
Visibility = Literal["public", "private", "blind"]

SKILL: Final = "The skill or ability that is used"
ATTRIBUTE: Final = "The attribute that goes with it"
DIFFICULTY: Final = "A level or a number you have in mind"
APPROACH: Final = "How you go about it, in words: there is no roll without an idea"
WITH: Final = "What makes it easier or harder, separated by commas"
MODIFIER: Final = "A bonus or penalty the GM has granted"
AS: Final = "The character who acts"
VISIBILITY: Final = "Who sees it: everyone, you and the GM, or only the GM the result"
