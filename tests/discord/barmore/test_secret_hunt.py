"""The hunt of `test_secret_hunt` with all that Barmore's dice pool has; then the journal makes the
same table.
"""

from __future__ import annotations

import random
from typing import Any

import pytest

from bot.presenters.errors import FAULT
from bot.services.replay import replay
from rules.systems.barmore.pool import DIE_TYPES
from tests.discord.barmore import bar_table, bring
from tests.discord.test_secret_hunt import (
    ALIAS,
    ANAS,
    BENS,
    GANG,
    GUESSES,
    HIDDEN,
    MASKED,
    NOTES,
    PLAN,
    PORTRAIT,
    WEAPON,
    Hunt,
    around,
)
from tests.discord.world import World

#: A difficulty that is never open, as it is written in texts.
LEVEL, SHOWN = "-83", "−83"
SECRETS = (
    HIDDEN,
    MASKED,
    GANG,
    NOTES,
    PLAN,
    WEAPON,
    PORTRAIT,
    SHOWN,
    "27 Add",
    "Firearms 27",
    "Firearms: 27",
)
SCORES = {"abilities": {"Firearms": 27}, "attributes": {"Speed": 3}, "weapons": [{"name": WEAPON}]}


class BarHunt(Hunt):
    """Three people who do whatever they like at a table of Barmore's dice pool."""

    async def begin(self, **settings: Any) -> None:
        world, gina = self.world, self.world.gina
        await bar_table(world, **settings)
        address = f"https://example.org/{PORTRAIT}.png"
        hidden = {"name": HIDDEN, "notes": NOTES, "portrait": address, **SCORES}
        await bring(world, gina, hidden, npc=True)
        await self.slash(
            gina, "gm npc add", name=MASKED, alias=ALIAS, notes=NOTES, portrait=address
        )
        await self.slash(gina, "gm npc add", name=GANG, count=2, notes=NOTES, stage="off")
        await self.slash(gina, "gm adjust", character=HIDDEN, what="new wound", value="physical 4")
        await self.slash(gina, "initiative start")
        await self.slash(gina, "gm npc list")
        # Kept from the players from the first moment, so that there is something to find.
        mine = {"as": HIDDEN}
        await self.slash(
            gina, "check", approach=PLAN, visibility="private", difficulty=LEVEL, **mine
        )

    async def _write(self, who: Any, result: Any) -> None:
        level = LEVEL if who is self.world.gina else "5"
        words = {"difficulty": level, "modifier": "0", "against": "0"}
        inputs = [label["component"]["custom_id"] for label in result.modal["components"]]
        self._keep(
            who, await who.submit_modal(result, {key: words.get(key, "aloud") for key in inputs})
        )

    async def lead(self) -> None:
        pick = self.chance.choice
        whom = pick((HIDDEN, MASKED, f"{GANG} 1"))
        mine: dict[str, Any] = {"as": whom}
        seen = pick(("public", "private", "blind"))
        idea = "quietly" if seen == "public" else PLAN
        work = {"difficulty": LEVEL, "required": 40, "every": "1 hour", "hidden": True}
        deeds: tuple[tuple[str, dict[str, Any]], ...] = (
            ("gm roll", {**mine, "note": PLAN, "difficulty": LEVEL}),
            ("check", {**mine, "skill": "Firearms", "approach": idea, "visibility": seen}),
            ("check", {**mine, "approach": PLAN, "visibility": "private", "difficulty": LEVEL}),
            (
                "attack",
                {
                    **mine,
                    "target": pick(("Marek", "Ilka")),
                    "skill": "Firearms",
                    "visibility": seen,
                },
            ),
            ("contest", {**mine, "target": pick(("Marek", "Ilka")), "approach": "aloud"}),
            ("barmore team start", {**mine, "mode": "either or", "approach": "aloud"}),
            ("barmore task start", {"name": "aloud", "who": pick(("Marek", "Ilka")), **work}),
            ("barmore task start", {"name": PLAN, "who": HIDDEN, **work}),
            ("barmore task roll", {}),
            ("barmore act", {**mine, "action": "aloud", "cost": "3"}),
            ("initiative add", {"name": pick((whom, GANG))}),
            ("initiative next", {}),
            (
                "gm adjust",
                {"character": whom, "what": "new wound", "value": "mental 3", "reason": NOTES},
            ),
            (
                "gm adjust",
                {
                    "character": "Ilka",
                    "what": "new wound",
                    "value": "physical 2",
                    "reason": "a fall",
                },
            ),
            ("gm time", {"advance": "3 days"}),
            ("gm undo", {}),
            ("character show", {"character": whom}),
            ("character retire", {"character": whom, "back": pick((True, False))}),
            ("gm settings", {"reveal": pick(("verdict", "degree"))}),
            ("gm settings", {"live": pick((True, False))}),
        )
        command, options = pick(deeds)
        await self.slash(self.world.gina, command, **options)

    async def play(self) -> None:
        pick = self.chance.choice
        who = pick(self.players)
        seen = pick(("public", "private", "blind"))
        mark = "aloud" if seen == "public" else self._own(who)
        other = "Ilka" if who is self.world.ana else "Marek"
        name = pick([*(await self.world.state()).checks, "c999"])
        options = {"with": pick([f"die: {die}" for die in DIE_TYPES] + ["no dice", "halvings: 1"])}
        traits = {
            "skill": pick(("Athletics", "Blades", "Medicine")),
            "attribute": pick(("Speed", "Mind")),
        }
        deeds: tuple[tuple[str, dict[str, Any]], ...] = (
            ("check", {**traits, **options, "approach": mark, "visibility": seen}),
            ("attack", {**traits, "target": pick((ALIAS, other)), "approach": "aloud"}),
            ("attack", {"target": pick(GUESSES), "approach": "aloud"}),
            (
                "heal",
                {**traits, "method": "treat", "target": pick((other, ALIAS)), "approach": "aloud"},
            ),
            ("heal", {"method": "rest"}),
            ("contest", {**traits, **options, "target": pick((ALIAS, other)), "approach": "aloud"}),
            ("contest", {"target": pick(GUESSES), "mode": "indirect"}),
            ("barmore team start", {**traits, "mode": pick(("simple addition", "either or"))}),
            ("barmore team join", {**traits, **options, "check": name}),
            ("barmore team join", {"check": name, "leave": True}),
            ("barmore team roll", {}),
            ("barmore task roll", options),
            ("barmore task drop", {}),
            ("initiative join", {}),
            ("barmore act", {"action": "aloud", "cost": pick(("1", "2, 3", "x"))}),
            ("barmore switch", {"action": "aloud", "cost": "2", "as": pick(GUESSES)}),
            ("spend", {"what": pick(("die", "convert"))}),
            ("table undo", {}),
        )
        command, options = pick(deeds)
        await self.slash(who, command, **options)

    async def ask(self) -> None:
        await super().ask()
        pick, who = self.chance.choice, self.chance.choice(self.players)
        task = f"t{self.chance.randint(1, 9)}"
        await self.slash(who, "barmore task show", **pick(({}, {"task": task})))
        await self.slash(who, "barmore task roll", task=task)
        self.world.emit(who, f"sg:task:1:{task}:{self.chance.randint(0, 3)}")
        check = f"c{self.chance.randint(1, 9)}"
        self.world.emit(who, f"sg:chk:1:{check}")
        for prompt in ("join", "face", "ready"):
            self.world.emit(who, f"sg:chq:1:{check}.{self.chance.randint(0, 9)}:{prompt}")
        await self.world.env.settle()
        for command, option, given in (
            ("attack", "difficulty", {"target": ALIAS}),
            ("contest", "difficulty", {"target": ALIAS}),
            ("contest", "target", {}),
            ("barmore team join", "check", {}),
            ("barmore task roll", "task", {}),
            ("barmore act", "as", {}),
            ("spend", "choice", {}),
        ):
            await who.autocomplete(self.world.zone, command, option, "", **given)


@pytest.mark.parametrize(("seed", "gm_channel"), [(1, False), (2, True)])
@pytest.mark.slow
async def test_players_never_read_what_is_hidden(world: World, seed: int, gm_channel: bool) -> None:
    hunt = BarHunt(world, random.Random(seed))
    await hunt.begin(gm_channel=gm_channel)
    for _ in range(150):
        await hunt.step()
    await hunt.slash(world.gina, "character show", character=HIDDEN)
    gina = world.told(world.gina)
    missing = [
        secret for secret in (HIDDEN, MASKED, GANG, NOTES, PLAN, SHOWN) if secret not in gina
    ]
    assert missing == [], "the hunt would find them"
    for who, others in ((world.ana, BENS), (world.ben, ANAS)):
        told = world.told(who)
        for secret in (*SECRETS, others):
            assert secret not in told, f"{who.name}: …{around(told, secret)}…"
        assert FAULT not in told
    assert await replay(world.bot.tables.store, 1) == await world.state()
