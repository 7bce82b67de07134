"""Steps of tests of `/gm amend`: correct an entry, look at what is said of it, and undo that."""

from __future__ import annotations

from simcord.results import ResponseMessage

from rules.table.check import AnyCheck, Check
from rules.table.state import Encounter, TableState
from tests.discord.world import World, head, labels, message_of, private, texts


async def entry_of(world: World, kind: str, at: int = -1) -> int:
    """Return the number of an entry by the kind of its action; the newest unless told otherwise."""
    table_id = world.bot.tables.places.table_id(str(world.zone.id))
    assert table_id is not None
    rows = await world.bot.tables.store.entries(table_id)
    return [row.seq for row, _ in rows if row.kind == kind][at]


async def preview(world: World, entry: int, change: str | None = None) -> ResponseMessage:
    """Return Gina's preview of other values of an entry, or of its undo; nothing changes by it."""
    before, said = await world.state(), _everything(world)
    if change is None:
        panel = message_of(await world.gina.slash(world.zone, "gm amend", entry=entry))
        if "Undo it alone" in labels(panel):
            panel = message_of(await world.press(world.gina, panel, "Undo it alone"))
    else:
        answer = await world.gina.slash(world.zone, "gm amend", entry=entry, change=change)
        private(answer)
        panel = message_of(answer)
    assert "Nothing has changed yet." in texts(panel), texts(panel)
    assert await world.state() == before and _everything(world) == said
    return panel


async def carry_out(world: World, panel: ResponseMessage) -> str:
    """Carry a previewed amendment out; return the line that everybody reads of it."""
    revision = await world.revision()
    label = "Undo it" if "Undo it" in labels(panel) else "Change it"
    done = await world.press(world.gina, panel, label)
    assert await world.revision() == revision + 1, private(done)
    return correction(world)


async def correct(world: World, entry: int, change: str | None = None) -> str:
    """Correct an entry, or undo it alone; return the line that everybody reads of it."""
    return await carry_out(world, await preview(world, entry, change))


def correction(world: World) -> str:
    """Return what the newest message about a correction says."""
    for message in reversed(world.messages()):
        if head(message).startswith("Corrected by"):
            return texts(message)
    return ""


async def undo_exactly(world: World, before: TableState) -> None:
    """Undo the newest amendment: the table is as *before* it, and no message is marked for it."""
    number = await world.revision()
    private(await world.gina.slash(world.zone, "gm undo", entry=number))
    now = await world.state()
    assert plain_parts(now) == plain_parts(before)
    marked = [message for message in world.messages() if f"Undone (#{number})" in texts(message)]
    assert not marked, [texts(message) for message in marked]


def plain_parts(state: TableState) -> dict[str, object]:
    """Return the parts of a table, without numbers and times of open prompts and present turns.

    A prompt or turn that an undo gives back begins anew.
    """
    parts: dict[str, object] = {}
    for key, part in state.parts():
        if isinstance(part, Check):
            parts[key] = _plain_check(part)
        elif isinstance(part, Encounter):
            parts[key] = part.replace(since=0)
        elif key != "counters":
            parts[key] = part
    return parts


def _plain_check(check: AnyCheck) -> tuple[object, ...]:
    asked = [(prompt.prompt, prompt.passed, prompt.named) for prompt in check.asked]
    return (check.stage, check.data, check.actor, check.target, check.step_ins, asked)


def _everything(world: World) -> list[str]:
    return [texts(message) for message in world.messages()]
