"""What was drawn from a system's own tables."""

from __future__ import annotations

from bot.presenters.layout import Accent, Layout, laid
from bot.presenters.names import gm_mentions
from bot.presenters.scene import Scene
from bot.presenters.systems import SYSTEM_WORDS
from bot.presenters.words import say
from rules.core.rng import Die
from rules.table.events import Produced


def _die(die: Die, names: dict[str, str]) -> str:
    return f"{names.get(die.name, die.name)} d{die.sides}: {die.face}"


def _mark(event: Produced, scene: Scene) -> str:
    """Who can see this card, where that is not everybody."""
    if event.visibility == "public":
        return ""
    if event.audience.gms and not event.audience.people:
        return "Only the GMs see this."
    if event.visibility == "private":
        return f"Private: only {scene.names.mention(event.by)} and the GMs see this."
    settings = scene.state.settings
    return f"Blind: only {gm_mentions(scene.names, settings.gms, settings.gm_roles).text} can see what it is."


def produced_card(event: Produced, scene: Scene) -> Layout:
    """The heading is the first line; the dice stand under the rest, each with its name."""
    title, *lines = map(say, event.lines)
    if event.dice:
        names = dict(SYSTEM_WORDS[scene.state.settings.system].die_names)
        lines += ["; ".join(_die(die, names) for die in event.dice)]
    accent: Accent = "waiting" if event.audience.everyone else "gm" if event.audience.gms else "own"
    below = [_mark(event, scene), f"Drawn by {scene.names.mention(event.by)}."]
    return laid(accent, title, *lines, small="\n".join(filter(None, below)))
