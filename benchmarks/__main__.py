"""`python -m benchmarks`: measure, print a table, exit with 1 when a limit is missed.

--json FILE   also write all figures
--kills N     also kill the bot N times at random (tests/survival) and look whether anything is lost
--quick       a small run without the long table, to see that it works: its figures mean nothing
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import discord

from benchmarks import (
    agendas,
    amendments,
    cards,
    core,
    crowd,
    dice,
    drawn_pictures,
    effects,
    engines,
    fights,
    messages,
    peers,
    pools,
    randomness,
    size,
    slow_disk,
    start,
    waits,
)
from benchmarks.commands import Figures, Pair, Plan, live_check, pair, proposals
from benchmarks.tables import folder
from tests.attack.campaign import HELD, Years, years
from tests.attack.siege import LATE

#: The burst is large enough for the bot to announce its answers first.
QUICK = Plan(rounds=1, commands=60, warm_up=20, seconds=0.5, burst=300, bursts=1)
#: The machine for which limits a second, or in seconds, are meant: the CPU time of a bare command
#: there, in milliseconds. Another machine's are held against it by what a bare command takes in the
#: same run.
REFERENCE_MS = 0.46
#: Discord waits so long for an acknowledgment, in seconds.
PATIENCE_S = 3.0
#: What the bot's process may take, in MiB.
MEMORY_MB = 150
#: How many times as late others may be answered while a GM amends an old entry: the median and the
#: p99.
AMEND_P50, AMEND_P99 = 1.5, 2.0
#: How many times as late others may be answered while somebody asks for what reads a journal of so
#: many entries.
LONGER = 1.5
LONG = 10_000
#: How often others roll meanwhile, a second: of a hundred rolls the p99 would be the one that was
#: latest.
OFTEN = 50
#: Times as much as a live check of EBB's by the rules alone; as a plain check, for something done
#: with cards; as the picture of five dice, for one of five cards; as the first systems alone.
RESOLVE, CARD, HAND, SYSTEMS = 2.5, 1.3, 3.0, 1.2
#: How many systems those are.
BEFORE = 3
#: How long exact odds of a check may take, in milliseconds, and a picture that was drawn before, in
#: microseconds.
ODDS_MS, AGAIN_US = 2.0, 100.0
#: Limit for the agenda of a table with many open checks, in milliseconds.
AGENDA_MS = 1.0
#: Limit for a wake-up of the scheduler among many tables, as times one at a single table.
WAKE = 2.0
#: Aims for a live check on a server: times the CPU of one on a file, and milliseconds more.
ENGINE_CPU, ENGINE_P50_MS = 1.1, 1.0
ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Line:
    """One row of the table.

    `limit` is "≤ 2.0 ×", or "aim 1.0 ×" for what is reported and not enforced. `kept` is None
    without a limit.
    """

    what: str
    ours: str
    bare: str
    result: str
    limit: str = ""
    kept: bool | None = None


@dataclass(frozen=True)
class Report:
    """Everything measured in one run."""

    check: Figures
    proposal: Pair
    peers: list[peers.PeerFigures]
    core: core.Core
    fights: fights.Fights
    agendas: agendas.Agendas
    effects: list[effects.Beside]
    cards: list[cards.Deed]
    drawn: drawn_pictures.Drawn
    start: list[start.Start]
    dice: dice.Dice
    pools: pools.Pools
    chance: list[randomness.Trial]
    size: size.Size
    flush: list[slow_disk.Flush]
    beside: crowd.Beside
    amended: amendments.Amended
    engines: engines.Engines
    messages: list[messages.Walk]
    waits: waits.Waits
    #: None in a small run: the long table takes longer than all the rest of it.
    years: Years | None
    kills: int
    survived: bool | None
    plan: Plan

    def lines(self) -> list[Line]:
        """The table, row by row."""
        check, rules = self.check, self.core
        return [
            *self._peers(),
            _ratio("live /check, CPU a command, beside a constant answer (ms)", check.cpu_ms, None),
            _ratio("proposal, CPU a command, beside a constant answer (ms)", self.proposal, None),
            _ratio(f"live /check, p50 at {self.plan.rate:.0f}/s (ms)", check.p50_ms, None),
            _ratio(f"live /check, p99 at {self.plan.rate:.0f}/s (ms)", check.p99_ms, None),
            Line(
                "… the disk alone, as much and as often: p50, p99 (ms)",
                f"{check.disk_ms[0]:.2f}, {check.disk_ms[1]:.2f}",
                "",
                "",
            ),
            _ratio("live /check, commands a second", check.per_second, None),
            Line(
                f"burst of {self.plan.burst}, last acknowledged (s)",
                f"{check.last_s:.2f}",
                f"{check.bare_last_s:.2f}",
                f"{check.late} late",
                f"≤ {self._slower * PATIENCE_S:.1f} s",
                check.last_s <= self._slower * PATIENCE_S and check.unanswered == 0,
            ),
            Line("… last told (s)", f"{check.told_s:.2f}", f"{check.bare_told_s:.2f}", ""),
            _speed("resolve of a Roll, a second", rules.resolve_roll, 30_000, self._slower),
            _speed("dice and judgment, a second", rules.roll_and_judge, None),
            _speed("live check in one resolve, a second", rules.live_check, None),
            *[_ratio(f"{each.what} (µs)", each.us, RESOLVE) for each in self.fights.resolves],
            *self._agendas(),
            *self._odds(),
            *[_ratio(f"MasterBook, {each.what} (µs)", each.us, each.most) for each in self.effects],
            *[
                _ratio(f"MasterBook's cards, {each.what} (ms)", each.cpu_ms, CARD)
                for each in self.cards
            ],
            *self._pictures(),
            *self._start(),
            _times("dice notation, seen before (µs)", self.dice.repeated, 3.0, "d20"),
            _times("dice notation, never seen (µs)", self.dice.unseen, 3.0, "d20"),
            _times("odds of a pool of 20, seen before (µs)", self.pools.repeated, 1.0, "icepool"),
            _times("odds of a pool of 20, never seen (µs)", self.pools.unseen, 1.0, "icepool"),
            _speed("a Roll of such a pool through resolve, a second", self.pools.resolved, None),
            _speed("a pool of 8 dice resolved, a second", self.pools.rolled, 30_000, self._slower),
            *map(_chance, self.chance),
            *self._size(),
            *map(_flush, self.flush),
            *self._years(),
            *self._beside(),
            *self._amended(),
            *self._engines(),
            *self._waits(),
            *map(_walk, self.messages),
            *self._survival(),
        ]

    @property
    def _slower(self) -> float:
        """How many times as long as on the machine that limits are meant for things take here; 1
        where they do not.
        """
        return max(1.0, self.check.cpu_ms.bare / REFERENCE_MS)

    def _peers(self) -> list[Line]:
        """Return two rows per workload: against the typical bot as most are written, and against
        the locked one.
        """
        lines: list[Line] = []
        for figures in self.peers:
            what = f"{figures.workload}, CPU a command, beside a typical bot (ms)"
            line = _ratio(what, figures.unlocked, None)
            lines.append(
                line if figures.aim is None else replace(line, limit=f"aim {figures.aim:.1f} ×")
            )
            lines.append(
                _ratio(
                    "… beside one that makes each command atomic, too (ms)", figures.locked, None
                )
            )
        return lines

    def _agendas(self) -> list[Line]:
        busy, most = self.agendas.busy_ms, self._slower * AGENDA_MS
        return [
            Line(
                f"agenda of a table with {agendas.CHECKS} open checks (ms)",
                f"{busy:.2f}",
                "",
                "",
                f"≤ {most:.1f}",
                busy <= most,
            ),
            _ratio("a board's update, beside the proposal (µs)", self.agendas.board_us, None),
        ]

    def _odds(self) -> list[Line]:
        found, most = self.fights, self._slower * ODDS_MS
        return [
            Line(
                "exact odds of a check of MasterBook's, never asked (ms)",
                f"{found.odds_ms:.2f}",
                "",
                "",
                f"≤ {most:.1f} ms",
                found.odds_ms <= most,
            ),
            Line("… of seven levels side by side (ms)", f"{found.compared_ms:.2f}", "", ""),
        ]

    def _pictures(self) -> list[Line]:
        found = self.drawn
        again = f"{found.again_us:.1f}"
        return [
            _ratio("picture of five cards (ms)", found.hand_ms, HAND),
            Line(
                "… drawn before (µs)",
                again,
                "",
                f"{found.kept} kept",
                f"≤ {AGAIN_US:.0f} µs",
                found.again_us <= AGAIN_US,
            ),
        ]

    def _start(self) -> list[Line]:
        found: list[Line] = []
        for each in self.start:
            limit = SYSTEMS if each.systems == BEFORE else None
            what = f"beside the first {each.systems} rule systems alone"
            found.append(_ratio(f"{what}: CPU until the first answer (s)", each.cpu_s, limit))
            found.append(_ratio(f"{what}: memory then (MiB)", each.memory_mb, limit))
        return found

    def _size(self) -> list[Line]:
        found = self.size
        what = f"{found.tables:,} tables, {found.entries:,} entries"
        return [
            _ratio(f"{what}: p50 (ms)", found.p50_ms, 1.1),
            _ratio("… CPU a command (ms)", found.cpu_ms, None),
            _ratio("… p50 where no table is (ms)", found.nowhere_ms, None),
            Line("… first command at a table, p50 (ms)", f"{found.cold_ms:.2f}", "", ""),
            Line(
                "… memory at the start, at most (MiB)",
                f"{found.idle_mb:.0f}, {found.peak_mb:.0f}",
                "",
                "",
                f"≤ {MEMORY_MB}",
                found.peak_mb <= MEMORY_MB and found.unanswered == 0,
            ),
        ]

    def _beside(self) -> list[Line]:
        found = self.beside
        return [
            _ratio("a roll beside six of the worst odds, p50 (ms)", found.p50_ms, None),
            Line(
                f"… the latest, beside {found.asked} of them (s)",
                f"{found.worst_s:.2f}",
                "",
                "",
                f"≤ {self._slower * LATE:.1f} s",
                found.worst_s <= self._slower * LATE,
            ),
        ]

    def _engines(self) -> list[Line]:
        """Return rows with PostgreSQL's figures as ours and SQLite's as the peer's."""
        found, live = self.engines, self.engines.commands
        away = f"… {found.round_trip_ms:.1f} ms away"
        p50 = _ratio(f"… p50 at {found.rate:.0f}/s (ms)", live.p50_ms, None)
        last = max(live.last_s.ours, live.last_s.bare)
        in_time = last <= self._slower * PATIENCE_S and live.unanswered == 0
        return [
            _ratio("PostgreSQL beside SQLite: an entry alone, CPU (ms)", found.alone.cpu_ms, None),
            _server("… CPU of the server", found.alone.server_ms),
            _ratio("… p50 (ms)", found.alone.p50_ms, None),
            _ratio(f"… {engines.ABREAST} abreast, CPU an entry (ms)", found.abreast.cpu_ms, None),
            _server("… CPU of the server", found.abreast.server_ms),
            _ratio("… entries a second", found.abreast.per_second, None),
            _ratio(f"{away}: an entry alone, CPU (ms)", found.far_alone.cpu_ms, None),
            _ratio("… p50 (ms)", found.far_alone.p50_ms, None),
            _ratio(
                f"… {engines.ABREAST} abreast, entries a second", found.far_abreast.per_second, None
            ),
            replace(
                _ratio("PostgreSQL beside SQLite: live /check, CPU (ms)", live.cpu_ms, None),
                limit=f"aim {ENGINE_CPU:.1f} ×",
            ),
            _server("… CPU of the server", live.server_ms),
            replace(p50, limit=f"aim + {ENGINE_P50_MS:.0f} ms"),
            _ratio(f"… p99 at {found.rate:.0f}/s (ms)", live.p99_ms, None),
            Line(
                f"… burst of {found.burst}, last acknowledged (s)",
                f"{live.last_s.ours:.2f}",
                f"{live.last_s.bare:.2f}",
                f"{live.late[0]}, {live.late[1]} late",
                f"≤ {self._slower * PATIENCE_S:.1f} s",
                in_time,
            ),
        ]

    def _waits(self) -> list[Line]:
        found = self.waits
        what = f"{found.tables:,} tables with {found.waits} open waits each: an idle wake-up (ms)"
        in_time = found.unanswered == 0
        return [
            _ratio(what, found.wake_ms, WAKE),
            Line(f"… {found.crowd:,} due at once, found (ms)", f"{found.found_ms:.2f}", "", ""),
            _ratio(
                f"… rolls beside them, {waits.RATE:.0f} a second: p50 (ms)", found.roll_ms, None
            ),
            Line(
                "… the last of them carried out (s)",
                f"{found.acted_s:.2f}",
                "",
                f"{found.unanswered} rolls unanswered",
                "0 unanswered",
                in_time,
            ),
        ]

    def _amended(self) -> list[Line]:
        found = self.amended
        what = f"{found.entries} entries amended beside others' rolls"
        return [
            _ratio(f"{what}: their p50 (ms)", found.p50_ms, AMEND_P50),
            _ratio("… their p99 (ms)", found.p99_ms, AMEND_P99),
            Line("… preview, for each entry (ms)", f"{found.preview_ms:.2f}", "", ""),
            Line("… commit, for each entry (ms)", f"{found.commit_ms:.2f}", "", ""),
        ]

    def _years(self) -> list[Line]:
        years = self.years
        if years is None:
            return []
        held = max(each.held for each in years.found)
        acknowledged = max(each.acknowledged for each in years.found)
        what = f"{years.entries:,} entries in one table: p99 of others beside"
        return [
            *(
                _ratio(
                    f"{what} {each.what} (ms)",
                    pair([each.beside * 1000], [each.alone * 1000]),
                    LONGER,
                )
                for each in years.found
            ),
            Line(
                "… longest hold of everybody, processor (ms)",
                f"{held:.0f}",
                "",
                "",
                f"≤ {HELD}",
                held <= HELD,
            ),
            Line(
                "… acknowledged, at most (s)",
                f"{acknowledged:.2f}",
                "",
                "",
                f"≤ {PATIENCE_S:.0f} s",
                acknowledged <= PATIENCE_S,
            ),
            Line(
                "… memory, at most (MiB)",
                f"{years.memory_mb:.0f}",
                "",
                "",
                f"≤ {MEMORY_MB}",
                years.memory_mb <= MEMORY_MB,
            ),
        ]

    def _survival(self) -> list[Line]:
        if self.survived is None:
            return []
        outcome = "nothing lost" if self.survived else "FAILED"
        return [
            Line("kill -9 at random", str(self.kills), "", outcome, "nothing lost", self.survived)
        ]


def _ratio(what: str, pair: Pair, limit: float | None) -> Line:
    kept = None if limit is None else pair.ratio <= limit
    shown = "" if limit is None else f"≤ {limit:.1f} ×"
    return Line(what, f"{pair.ours:.2f}", f"{pair.bare:.2f}", f"{pair.ratio:.2f} ×", shown, kept)


def _server(what: str, milliseconds: float) -> Line:
    return Line(f"{what} (ms)", f"{milliseconds:.2f}", "", "")


def _chance(trial: randomness.Trial) -> Line:
    what = f"keyed dice, {trial.what} ({trial.draws:,} draws)"
    return Line(what, f"{trial.score:+.2f} σ", "", "", f"± {randomness.LIMIT:.0f} σ", trial.kept)


def _flush(found: slow_disk.Flush) -> Line:
    """Without shared commits there could be no more commands a second than flushes."""
    shown = f"p50 {found.p50_ms:.1f}, p99 {found.p99_ms:.1f} ms"
    what = f"flush of {found.flush_ms} ms more: commands a second"
    if not found.flush_ms:
        return Line(what, f"{found.per_second:.0f}", "", shown)
    if found.asked is None:
        return Line(what, f"{found.per_second:.0f}", f"{found.alone:.0f}", shown)
    kept = found.per_second >= found.asked and found.unanswered == 0
    return Line(
        what, f"{found.per_second:.0f}", f"{found.alone:.0f}", shown, f"≥ {found.asked:.0f}", kept
    )


def _walk(found: messages.Walk) -> Line:
    seen = found.figures
    what = f"messages, {found.what} {'live' if found.live else 'by post'}: sent, edits, deletions"
    at_once = f"calls {seen.calls}; at once: cards {seen.cards_at_once}, calls {seen.calls_at_once}"
    kept = seen.cards_at_once <= 1 and seen.calls_at_once <= 1
    return Line(what, f"{seen.sent}, {seen.edits}, {seen.deletions}", "", at_once, "≤ 1, ≤ 1", kept)


def _times(what: str, pace: dice.Pace, limit: float, peer: str) -> Line:
    shown = f"{pace.ratio:.2f} × as fast as {peer}"
    return Line(
        what,
        f"{pace.ours:.1f}",
        f"{pace.theirs:.1f}",
        shown,
        f"≥ {limit:.1f} ×",
        pace.ratio >= limit,
    )


def _speed(what: str, speed: float, limit: float | None, slower: float = 1.0) -> Line:
    if limit is None:
        return Line(what, f"{speed:,.0f}", "", "")
    return Line(what, f"{speed:,.0f}", "", "", f"≥ {limit / slower:,.0f}", speed >= limit / slower)


def table(lines: Sequence[Line]) -> str:
    """Markdown, readable as it is."""
    rows = [("", "Storyguide", "peer", "ratio", "limit", "kept")]
    marks = {True: "yes", False: "NO", None: ""}
    rows += [
        (line.what, line.ours, line.bare, line.result, line.limit, marks[line.kept])
        for line in lines
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    texts = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |"
        for row in rows
    ]
    texts.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    return "\n".join(texts)


async def measure(plan: Plan, kills: int, *, quick: bool = False) -> Report:
    """Everything, one after the other."""
    with folder() as path:
        rules = await (core.measure(path, seconds=0.05, rounds=1) if quick else core.measure(path))
        notation = dice.measure(times=5, rounds=1) if quick else dice.measure()
        pool = pools.measure(seconds=0.05, rounds=1) if quick else pools.measure()
        fought = fights.measure(rounds=1) if quick else fights.measure()
        listed = agendas.measure(rounds=1, times=5) if quick else agendas.measure()
        built = effects.measure(rounds=1) if quick else effects.measure()
        pictures = drawn_pictures.measure(times=1, rounds=1) if quick else drawn_pictures.measure()
        check = await live_check(path, plan)
        proposal = await proposals(path, plan)
        beside_peers = await peers.measure(path, peers.QUICK if quick else peers.PeerPlan())
        dealt = await (cards.measure(path, tables=1, rounds=1) if quick else cards.measure(path))
        started = await (start.measure(path, rounds=1) if quick else start.measure(path))
        flushed = await slow_disk.measure(path, slow_disk.QUICK if quick else slow_disk.FlushPlan())
        odds = await (crowd.measure(path, seconds=0.3, rounds=1) if quick else crowd.measure(path))
        amended = await _measure_amendments(path, quick=quick)
        both = await engines.measure(path, engines.QUICK if quick else engines.EnginePlan())
        walked = await messages.measure(path)
        waited = await waits.measure(path, waits.QUICK if quick else waits.WaitsPlan())
        long_table = None if quick else await _measure_long_table(path)
        large = await size.measure(path, size.QUICK if quick else size.SizePlan())
    trials = randomness.measure(seeds=1, draws=2_000) if quick else randomness.measure()
    return Report(
        check,
        proposal,
        beside_peers,
        rules,
        fought,
        listed,
        built,
        dealt,
        pictures,
        started,
        notation,
        pool,
        trials,
        large,
        flushed,
        odds,
        amended,
        both,
        walked,
        waited,
        long_table,
        kills,
        survive(kills) if kills else None,
        plan,
    )


async def _measure_amendments(path: Path, *, quick: bool) -> amendments.Amended:
    if quick:
        return await amendments.measure(path, entries=20, seconds=0.5, rounds=1)
    return await amendments.measure(path)


async def _measure_long_table(path: Path) -> Years:
    """Measure others beside readers of a long journal. tests/attack runs it with a short one."""
    long = path / "long"
    long.mkdir()
    return await years(long, LONG, 10.0, rate=OFTEN)


def survive(kills: int) -> bool:
    """Whether the bot came through so many random kills."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-n",
        "2",
        "-k",
        "killed_at_random",
        "tests/survival/test_kills.py",
    ]
    return (
        subprocess.run(
            command, cwd=ROOT, env=os.environ | {"SURVIVAL_KILLS": str(kills)}
        ).returncode
        == 0
    )


def machine() -> dict[str, Any]:
    """What it ran on, without names."""
    return {
        "python": platform.python_version(),
        "discord.py": discord.__version__,
        "system": f"{platform.system()} {platform.machine()}",
        "cpus": os.cpu_count(),
        "at": time.strftime("%Y-%m-%d", time.gmtime()),
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and tell; 1 when a limit is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure the bot.")
    parser.add_argument(
        "--json", type=Path, default=None, help="also write all figures to this file"
    )
    parser.add_argument(
        "--kills", type=int, default=0, help="also kill the bot so many times at random"
    )
    parser.add_argument(
        "--quick", action="store_true", help="a small run whose figures mean nothing"
    )
    options = parser.parse_args(arguments)
    report = asyncio.run(
        measure(QUICK if options.quick else Plan(), options.kills, quick=options.quick)
    )
    lines = report.lines()
    print(table(lines))
    if options.json is not None:
        figures = asdict(report) | {"machine": machine(), "lines": [asdict(line) for line in lines]}
        options.json.write_text(json.dumps(figures, indent=2, ensure_ascii=False) + "\n")
    return 0 if options.quick or all(line.kept is not False for line in lines) else 1


if __name__ == "__main__":
    sys.exit(main())
