"""`/barmore`: what only Barmore's dice pool has. Registered on servers where a table uses it."""

from __future__ import annotations

from typing import Literal

import discord
from discord import app_commands

from bot.app import Storyguide
from bot.presenters.systems.barmore_task import at_once_card, tasks_card
from bot.ui.panels.prompt import answer_by_name, game_of
from bot.ui.router import Press
from cogs import completion, options
from cogs.options import Name
from rules.core.errors import InvalidInput
from rules.registry import look
from rules.systems.barmore.acts import BeginAction, at_once
from rules.systems.barmore.proposal import require_joining
from rules.systems.barmore.system import SYSTEM
from rules.systems.barmore.tasks import (
    DropTask,
    RollTask,
    StartTask,
    find_task,
    openly,
    view_of,
    visible_tasks,
)
from rules.table.checks.access import is_open_to
from rules.table.checks.moves import moves
from rules.table.duration import parse_span
from rules.table.lookup import names_openly
from rules.table.state import TableState
from rules.table.system import Game

TeamMode = Literal["simple addition", "combining dice", "worst roller", "either or"]
ContestMode = Literal["direct", "indirect"]
Score = Literal["Reaction Time", "Speed", "Wits"]


async def tasks(
    interactions: completion.Interactions, interaction: discord.Interaction, typed: str
) -> completion.Choices:
    """The complex actions one may know of."""
    looked = await interactions.look(interaction)
    if looked is None:
        return []
    found = visible_tasks(looked[0].state, looked[1])
    return completion.matching(((task.id, f"{task.id} {task.name}") for task in found), typed)


async def teams(
    interactions: completion.Interactions, interaction: discord.Interaction, typed: str
) -> completion.Choices:
    """What several do together here and has not been rolled yet."""
    looked = await interactions.look(interaction)
    if looked is None:
        return []
    game = look(looked[0].state).but(actor=looked[1])
    found = [
        each
        for each in game.state.checks.values()
        if each.kind == "team"
        and (each.prompt("join") or each.prompt("ready"))
        and is_open_to(game, each, game.actor)
    ]
    return completion.matching(completion.check_pairs(found, game), typed)


def _rules(state: TableState) -> Game:
    """The table as its rules see it. InvalidInput("not-this-system") where it plays by others."""
    game = look(state)
    if game.system is not SYSTEM:
        raise InvalidInput("not-this-system", field="system", value=None, name=SYSTEM.name)
    return game


class Team(app_commands.Group):
    """Working together (BAR-TEAM)."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        super().__init__(name="team", description="Do something together")

    @app_commands.command(
        description="Begin something that others can join. No options but the mode: a panel",
        extras={"kind": "team"},
    )
    @app_commands.describe(
        mode="How you work together",
        skill=options.SKILL,
        attribute=options.ATTRIBUTE,
        difficulty=options.DIFFICULTY,
        approach="What you do together",
        with_=options.WITH,
        as_=options.AS,
    )
    @app_commands.rename(with_="with", as_="as")
    @completion.completes(
        skill=completion.skills,
        attribute=completion.attributes,
        difficulty=completion.difficulties,
        with_=completion.options,
        as_=completion.characters,
    )
    async def start(
        self,
        interaction: discord.Interaction,
        mode: TeamMode,
        skill: Name | None = None,
        attribute: Name | None = None,
        difficulty: Name | None = None,
        approach: options.Idea | None = None,
        with_: options.Words | None = None,
        as_: Name | None = None,
    ) -> None:
        async with self.bot.interactions.answering(interaction, public=as_ is None) as response:
            ctx = await self.bot.interactions.context(response)
            if as_ is not None and names_openly(ctx.table.state, ctx.actor, as_):
                response.go_public()
            given = {"mode": mode, "skill": skill, "attribute": attribute, "difficulty": difficulty}
            await self.bot.beginnings.begin(
                ctx,
                "team",
                given | {"approach": approach},
                words=completion.split_words(with_),
                as_=as_,
            )

    @app_commands.command(description="Join in, change what you bring, or step back", extras={"kind": "team"})
    @app_commands.describe(
        check="What you join: its id stands under it",
        skill=options.SKILL,
        attribute=options.ATTRIBUTE,
        approach="What you do for it",
        with_=options.WITH,
        as_=options.AS,
        leave="Step back from it",
    )
    @app_commands.rename(with_="with", as_="as")
    @completion.completes(
        check=teams,
        skill=completion.skills,
        attribute=completion.attributes,
        with_=completion.options,
        as_=completion.characters,
    )
    async def join(
        self,
        interaction: discord.Interaction,
        check: Name,
        skill: Name | None = None,
        attribute: Name | None = None,
        approach: options.Idea | None = None,
        with_: options.Words | None = None,
        as_: Name | None = None,
        leave: bool = False,
    ) -> None:
        async with self.bot.interactions.answering(interaction, public=as_ is None) as response:
            ctx = await self.bot.interactions.context(response)
            state = ctx.table.state
            if as_ is not None and names_openly(state, ctx.actor, as_):
                response.go_public()
            require_joining(game_of(ctx), check, as_, leave=leave)
            given = {} if leave else {"skill": skill, "attribute": attribute, "approach": approach}
            words = completion.split_words(with_)
            await answer_by_name(ctx, check, "join", "leave" if leave else "join", given, words, as_)

    @app_commands.command(description="Roll for all who take part")
    @app_commands.describe(check="What is rolled (default: your newest)")
    @completion.completes(check=teams)
    async def roll(self, interaction: discord.Interaction, check: Name | None = None) -> None:
        async with self.bot.interactions.answering(interaction, public=True) as response:
            ctx = await self.bot.interactions.context(response)
            ready = (each.check for each in reversed(moves(game_of(ctx))) if each.prompt == "ready")
            named = check or next(ready, None)
            if named is None:
                raise InvalidInput("which-team", field="check", value=None, allowed="what is rolled")
            await answer_by_name(ctx, named, "ready", "roll", {}, (), None)


class Task(app_commands.Group):
    """Complex actions (BAR-COMPLEX)."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        super().__init__(name="task", description="Work that takes many rolls")
        bot.router.add("task", self.press)

    @app_commands.command(description="GMs: set work that takes many rolls", extras={"kind": "check"})
    @app_commands.describe(
        name="What is to be done",
        who="Whose work it is",
        difficulty="The Difficulty of every roll",
        required="The levels that are needed in all",
        every="The time that one roll stands for, such as 1 hour",
        skill=options.SKILL,
        attribute=options.ATTRIBUTE,
        hidden="Players learn only whether a roll got them further",
    )
    @completion.completes(
        who=completion.targets,
        skill=completion.skills,
        attribute=completion.attributes,
        difficulty=completion.difficulties,
    )
    async def start(
        self,
        interaction: discord.Interaction,
        name: app_commands.Range[str, 1, 80],
        who: Name,
        difficulty: Name,
        required: app_commands.Range[int, 1, 10000],
        every: Name,
        skill: Name | None = None,
        attribute: Name | None = None,
        hidden: bool = False,
    ) -> None:
        # A hidden difficulty stands among the options, so that the answer is private; what is public follows.
        async with self.bot.interactions.answering(interaction) as response:
            ctx = await self.bot.interactions.context(response)
            await ctx.perform(
                StartTask(
                    **ctx.by,
                    name=name,
                    as_=who,
                    difficulty=difficulty,
                    required=required,
                    every=parse_span(every, "every"),
                    skill=skill,
                    attribute=attribute,
                    hidden=hidden,
                )
            )

    @app_commands.command(description="The next roll of a complex action", extras={"kind": "check"})
    @app_commands.describe(
        task="Which one (default: your only one)", with_=options.WITH, modifier=options.MODIFIER
    )
    @app_commands.rename(with_="with")
    @completion.completes(task=tasks, with_=completion.options)
    async def roll(
        self,
        interaction: discord.Interaction,
        task: Name | None = None,
        with_: options.Words | None = None,
        modifier: options.Modifier = 0,
    ) -> None:
        async with self.bot.interactions.answering(interaction) as response:
            ctx = await self.bot.interactions.context(response)
            found = find_task(ctx.table.state, ctx.actor, task)
            if openly(ctx.table.state, found):
                response.go_public()
            words = completion.split_words(with_)
            await ctx.perform(RollTask(**ctx.by, task=found.id, options=words, modifier=modifier))

    @app_commands.command(description="How far everything is")
    @app_commands.describe(task="Only this one")
    @completion.completes(task=tasks)
    async def show(self, interaction: discord.Interaction, task: Name | None = None) -> None:
        async with self.bot.interactions.answering(interaction) as response:
            ctx = await self.bot.interactions.context(response)
            state, rules = ctx.table.state, _rules(ctx.table.state)
            found = visible_tasks(state, ctx.actor) if task is None else (find_task(state, ctx.actor, task),)
            views = [view_of(rules, each, gm=ctx.gm) for each in found]
            await ctx.show(tasks_card(views, ctx.scene))

    @app_commands.command(description="Give a complex action up")
    @app_commands.describe(task="Which one (default: your only one)")
    @completion.completes(task=tasks)
    async def drop(self, interaction: discord.Interaction, task: Name | None = None) -> None:
        async with self.bot.interactions.answering(interaction) as response:
            ctx = await self.bot.interactions.context(response)
            found = find_task(ctx.table.state, ctx.actor, task)
            await ctx.perform(DropTask(**ctx.by, task=found.id))

    async def press(self, press: Press) -> None:
        """`sg:task:<table>:<task>:<rolls>`: the Roll button; the rolls are those that were shown."""
        async with self.bot.interactions.answering(press.interaction) as response:
            ctx = await self.bot.interactions.context(response, press.number(0))
            found = find_task(ctx.table.state, ctx.actor, press.text(1))
            if openly(ctx.table.state, found):
                response.go_public()
            await ctx.perform(RollTask(**ctx.by, task=found.id, rolls=press.number(2)))


class Barmore(app_commands.Group):
    """Working against (BAR-OPPOSED), phases (BAR-PHASE, BAR-MULTI), teams and complex actions."""

    def __init__(self, bot: Storyguide) -> None:
        self.bot = bot
        super().__init__(name="barmore", description="What only Barmore's dice pool has", guild_only=True)
        self.add_command(Team(bot))
        self.add_command(Task(bot))

    @app_commands.command(description="Against somebody: both choose in secret, and roll together")
    @app_commands.describe(
        target="Against whom",
        mode="Directly, or both against the same difficulty",
        skill=options.SKILL,
        attribute=options.ATTRIBUTE,
        difficulty="Indirectly, or against somebody who does not roll: what you have in mind",
        approach="What you try",
        with_=options.WITH,
        as_=options.AS,
        visibility="Who sees it: everyone, those who take part, or only the GM the result",
    )
    @app_commands.rename(with_="with", as_="as")
    @completion.completes(
        target=completion.targets,
        skill=completion.skills,
        attribute=completion.attributes,
        difficulty=completion.difficulties,
        with_=completion.options,
        as_=completion.characters,
    )
    async def contest(
        self,
        interaction: discord.Interaction,
        target: Name,
        mode: ContestMode = "direct",
        skill: Name | None = None,
        attribute: Name | None = None,
        difficulty: Name | None = None,
        approach: options.Idea | None = None,
        with_: options.Words | None = None,
        as_: Name | None = None,
        visibility: options.Visibility = "public",
    ) -> None:
        # What one chooses against somebody is secret, and the options of a public answer are not.
        async with self.bot.interactions.answering(interaction) as response:
            ctx = await self.bot.interactions.context(response)
            given = {"mode": mode, "skill": skill, "attribute": attribute, "difficulty": difficulty}
            await self.bot.beginnings.begin(
                ctx,
                "contest",
                given | {"approach": approach},
                words=completion.split_words(with_),
                target=target,
                as_=as_,
                visibility=visibility,
                aims=True,
            )

    @app_commands.command(description="Begin something in phases; several at once by their costs")
    @app_commands.describe(
        action="What you do; everybody sees it",
        cost="Its base cost in phases; of several at once all of them, separated by commas",
        score="The attribute that shortens it (default: Reaction Time)",
        as_="Who acts; GMs: anybody on the timeline",
    )
    @app_commands.rename(as_="as")
    @completion.completes(as_=completion.one_in_order)
    async def act(
        self,
        interaction: discord.Interaction,
        action: app_commands.Range[str, 1, 80],
        cost: options.Name,
        score: Score = "Reaction Time",
        as_: Name | None = None,
    ) -> None:
        await self._begin(interaction, action, cost, score, as_, switch=False)

    @app_commands.command(description="Break off what is under way, and begin something else")
    @app_commands.describe(
        action="What you do instead; everybody sees it",
        cost="Its base cost in phases; of several at once all of them, separated by commas",
        score="The attribute that shortens it (default: Reaction Time)",
        as_="Who acts; GMs: anybody on the timeline",
    )
    @app_commands.rename(as_="as")
    @completion.completes(as_=completion.one_in_order)
    async def switch(
        self,
        interaction: discord.Interaction,
        action: app_commands.Range[str, 1, 80],
        cost: options.Name,
        score: Score = "Reaction Time",
        as_: Name | None = None,
    ) -> None:
        await self._begin(interaction, action, cost, score, as_, switch=True)

    @app_commands.command(
        name="at-once", description="The least time for several things at once, out of a fight"
    )
    @app_commands.describe(
        times="What each takes by itself, with commas between, such as 2 hours, 45 minutes"
    )
    async def at_once(self, interaction: discord.Interaction, times: options.Words) -> None:
        async with self.bot.interactions.answering(interaction, public=True) as response:
            ctx = await self.bot.interactions.context(response)
            _rules(ctx.table.state)
            await ctx.show(at_once_card(*at_once(completion.split_words(times))))

    async def _begin(
        self,
        interaction: discord.Interaction,
        action: str,
        cost: str,
        score: str,
        as_: str | None,
        *,
        switch: bool,
    ) -> None:
        async with self.bot.interactions.answering(interaction) as response:
            ctx = await self.bot.interactions.context(response)
            costs = completion.split_words(cost)
            await ctx.perform(
                BeginAction(**ctx.by, doing=action, costs=costs, score=score, switch=switch, as_=as_)
            )


async def setup(bot: Storyguide) -> None:
    """Called by discord.py when the extension is loaded."""
    bot.hold_system("barmore", Barmore(bot))
