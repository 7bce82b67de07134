"""The library of effects: lists, stat blocks, sharing, quick effects and artifacts.

MB-SFX-11, MB-SFX-15, MB-SFX-90.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from functools import partial
from typing import Any, Final

from rules.core.errors import Impossible, InvalidInput, Problems
from rules.core.name_matching import clean_name, name_key
from rules.core.record import Record
from rules.systems.masterbook.character.effect_forms import finding_error
from rules.systems.masterbook.character.effect_io import EFFECTS_MOST, TEXTS_MOST, library_effects
from rules.systems.masterbook.character.effect_measures import Measure
from rules.systems.masterbook.character.effect_sheet import stat_block, stat_groups, worksheet_lines
from rules.systems.masterbook.character.sheet import MasterbookSheet
from rules.systems.masterbook.character.world_profile import MasterbookCampaign
from rules.systems.masterbook.checks.action_commands import ActionRunner, acts_by, command
from rules.systems.masterbook.checks.action_economy import ref
from rules.systems.masterbook.checks.sheet_view import effect_text
from rules.systems.masterbook.effects import consent
from rules.systems.masterbook.effects.effect_settings import worksheet_rules
from rules.systems.masterbook.effects.known_effects import (
    EFFECT_FIELD,
    OWN_EFFECT_FIELD,
    WHO_FIELD,
    FoundEffect,
    effects_on,
    find_effect,
    own_effects,
    owner_of,
    readable_effects,
)
from rules.systems.masterbook.effects.state import steerer_of
from rules.systems.masterbook.effects.steering import running_line, steerable_effects
from rules.systems.masterbook.formulas.effect_blueprint import (
    BLUEPRINT_BOUNDS,
    Blueprint,
    GivenFigures,
    KnownEffect,
)
from rules.systems.masterbook.formulas.effect_costs import effect_value_band
from rules.systems.masterbook.formulas.effect_findings import quick_totals
from rules.systems.masterbook.formulas.effect_rows import SKILLS
from rules.systems.masterbook.formulas.effect_worksheet import Figures, known_figures, work_out
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, GMS, Audience, Block, Group, Note, Quote, Text
from rules.table.campaign_rows import MOST_ROWS
from rules.table.commands import (
    ButtonQuestion,
    CommandAction,
    CommandForm,
    CommandResult,
    CommandView,
    PendingButton,
    PrintedSheet,
)
from rules.table.events import Reported
from rules.table.forms import Flag, Form, Number, Option, Pick, Typed, Values, plain_options
from rules.table.lookup import acting_character, playable_characters, readable_characters
from rules.table.outcome import Outcome
from rules.table.people.characters import owner_audience
from rules.table.permissions import is_gm, require_gm
from rules.table.state import AnyCharacter
from rules.table.system import Game
from rules.table.typed_texts import one_line

#: Most effects that a list tells of one owner.
_MOST_LISTED: Final = 25
_FILTER_MOST: Final = 80
_NOTE_MOST: Final = 200
_STATE: Final = "effect-offers"
_OPEN: Final = f"{_STATE}:open"


# --- lists ----------------------------------------------------------------------------------------


def _list(game: Game, given: Values) -> CommandResult:
    """List the effects of own characters, the campaign and the ready-made ones; rule by a button.

    Those that run say how long they still last (MB-SFX-26). GMs also read the effects of all
    characters. Raises as `owner_of`; for a ruling as
    `consent.require_waiting`.
    """
    if consent.OWNER_FIELD.key in given:
        return consent.RULES(game, given)
    wanted = name_key(given.get("text") or "")
    blocks: list[Block] = []
    if given.get("character"):
        owners: Iterable[AnyCharacter] = (owner_of(game, given["character"]),)
    else:
        owners = readable_characters(game.state, game.actor)
    owners = tuple(owners)
    for who in owners:
        lines = [
            effect_text(game, found.known, who.id)
            for found in effects_on(who)
            if _fits(found.known.blueprint, wanted)
        ]
        blocks += _group(Text("mb-effects-of", {"name": who.name}), lines)
    blocks += _running_group(game, {who.id for who in owners}, wanted)
    if not given.get("character"):
        blocks += _library_groups(game, wanted)
    nothing = Note(Text("mb-effect-none-found"), FOR_EVERYONE)
    return CommandView(Text("mb-effect-list"), tuple(blocks) or (nothing,))


def _fits(blueprint: Blueprint, wanted: str) -> bool:
    texts = (blueprint.name, blueprint.skill, blueprint.focus, blueprint.summary)
    return any(wanted in name_key(text) for text in texts)


def _running_group(game: Game, casters: Collection[str], wanted: str) -> Iterator[Block]:
    """Yield the effects that these characters steer, as `/effect running` has them."""
    lines = [
        running_line(game, effect)
        for effect in steerable_effects(game)
        if steerer_of(game, effect) in casters and _fits(effect.known.blueprint, wanted)
    ]
    yield from _group(Text("mb-effect-running"), lines)


def _library_groups(game: Game, wanted: str) -> Iterator[Block]:
    """Yield the campaign's effects, then the ready-made ones."""
    campaign = game.campaign
    own = campaign.effects if isinstance(campaign, MasterbookCampaign) else ()
    ready = tuple(each for each in library_effects(game.campaign) if each not in own)
    for where, effects in (("campaign", own), ("ready", ready)):
        lines = [_library_line(game, each) for each in effects if _fits(each, wanted)]
        yield from _group(Text("mb-effect-library", {"where": where}), lines)


def _library_line(game: Game, blueprint: Blueprint) -> Text:
    sheet = work_out(blueprint, worksheet_rules(game, blueprint.skill))
    about = {
        "name": blueprint.name,
        "skill": blueprint.skill,
        "dn": sheet.dn,
        "fv": sheet.fv,
        "value": blueprint.effect_value,
        "summary": blueprint.summary or None,
    }
    return Text("mb-effect-library-line", about)


def _group(title: Text, lines: list[Text]) -> Iterator[Block]:
    if not lines:
        return
    shown = lines[:_MOST_LISTED]
    if len(lines) > _MOST_LISTED:
        shown.append(Text("mb-effect-more", {"number": len(lines) - _MOST_LISTED}))
    yield Group(title, tuple((line,) for line in shown), FOR_EVERYONE)


# --- one effect -----------------------------------------------------------------------------------


def _show(game: Game, given: Values) -> CommandView:
    """Return an effect's stat block with its picture and its worksheet (MB-SFX-11).

    Players read own effects and the library's, GMs all. Raises as `find_effect` and `owner_of`.
    """
    pool: Iterable[FoundEffect] = readable_effects(game)
    if given.get("character"):
        pool = effects_on(owner_of(game, given["character"]))
    found = find_effect(pool, given["effect"])
    known, blueprint = found.known, found.known.blueprint
    rules = worksheet_rules(game, blueprint.skill)
    figures = known_figures(known, rules) if found.who is not None else _learned(known, game)
    lines = stat_block(blueprint, rules, figures)
    blocks: list[Block] = [*stat_groups(lines)]
    if found.who is not None:
        state = Note(effect_text(game, known, found.who.id), FOR_EVERYONE)
        blocks.insert(0, state)
    worksheet = () if blueprint.given is not None else worksheet_lines(blueprint, rules)
    printed = PrintedSheet(
        blueprint.name,
        (("DN", str(figures.dn)), ("FV", str(figures.fv)), ("EV", _value_text(blueprint))),
        lines,
        worksheet,
    )
    title = Text("as-written", {"text": blueprint.name})
    return CommandView(title, tuple(blocks), sheet=printed)


def _learned(known: KnownEffect, game: Game) -> Figures:
    """Return the figures of an effect of the library: those of a character that has learned it."""
    rules = worksheet_rules(game, known.blueprint.skill)
    return known_figures(known.replace(learned=True), rules)


def _value_text(blueprint: Blueprint) -> str:
    """Return an effect value with its lower bound, if one was bought: `20 (15)` (MB-SFX-11)."""
    low, _ = effect_value_band(blueprint)
    value = blueprint.effect_value
    return f"{value} ({low})" if low < value else str(value)


# --- the campaign's library -----------------------------------------------------------------------


class EffectOffer(Record):
    """An effect that a player would share, until a GM answers."""

    number: int
    who: str
    blueprint: Blueprint


class EffectOffers(Record):
    """All effects that players would share, the oldest first."""

    last: int = 0
    open: tuple[EffectOffer, ...] = ()


#: Classes of these parts of a table's state.
PARTS: Final[dict[str, type]] = {_STATE: EffectOffers}


def _offers(game: Game) -> EffectOffers:
    found: EffectOffers | None = game.state.own.get(_OPEN)
    return found or EffectOffers()


def _with_offers(game: Game, offers: EffectOffers) -> Game:
    return game.with_state(game.state.with_own(_OPEN, offers))


def with_library_effect(game: Game, blueprint: Blueprint) -> Game:
    """Return the game with an effect in the campaign's library; one of the same name is replaced.

    Raises Impossible("mb-effect-library-full").
    """
    campaign: MasterbookCampaign = game.campaign
    wanted = name_key(blueprint.name)
    others = tuple(each for each in campaign.effects if name_key(each.name) != wanted)
    if len(others) >= MOST_ROWS:
        raise Impossible("mb-effect-library-full", most=MOST_ROWS)
    changed = campaign.replace(effects=(*others, blueprint))
    return game.with_state(game.state.replace(campaign=changed))


def share_effect(game: Game, action: Any) -> Outcome:
    """Put an effect into the campaign's library, or ask the GM to; answer a player who asks.

    Raises:
        Impossible("mb-effect-shared"): the library has exactly this effect.
        Impossible("mb-effect-artifact"): a player can't copy a GM's artifact (MB-SFX-15).
        Impossible("mb-effect-offered"): the GM was asked already.
        Impossible("not-approved-yet"): the player's only character waits for the GM.
        As `find_effect`, and `_answer_offer` for an answer.
    """
    if action.offer is not None:
        return _answer_offer(game, action)
    leads = is_gm(game.state, game.actor)
    if not leads and not playable_characters(game.state, game.actor):
        acting_character(game.state, game.actor, None)  # says that the character waits for the GM
    found = find_effect(readable_effects(game) if leads else own_effects(game), action.effect)
    blueprint = found.known.blueprint
    if blueprint in getattr(game.campaign, "effects", ()):
        raise Impossible("mb-effect-shared", effect=blueprint.name)
    if leads:
        return _share_report(with_library_effect(game, blueprint), blueprint)
    if blueprint.given is not None and blueprint.given.artifact:
        raise Impossible("mb-effect-artifact", effect=blueprint.name)
    assert found.who is not None, "own effects are on a sheet"
    offers = _offers(game)
    if any(each.blueprint == blueprint for each in offers.open):
        raise Impossible("mb-effect-offered", effect=blueprint.name)
    offer = EffectOffer(offers.last + 1, found.who.id, blueprint)
    game = _with_offers(game, EffectOffers(offer.number, (*offers.open, offer)))
    call = Reported(
        audience=GMS,
        title=_offer_text(game, offer),
        blocks=(),
        by=game.actor.id,
        ping_gms=True,
        button=Text("mb-effect-rule", {"effect": None}),
        command=_SHARE,
        values={_OFFER.key: offer.number},
    )
    title = Text("mb-effect-consent-asked", {"effect": blueprint.name})
    own = Reported(
        audience=Audience(people=(game.actor.id,)), title=title, blocks=(), by=game.actor.id
    )
    return Outcome(game.state, (call, own))


def _offer_text(game: Game, offer: EffectOffer) -> Text:
    line = _library_line(game, offer.blueprint)
    return Text("mb-effect-offer", {"who": ref(game.character(offer.who)), "effect": line})


def _share_report(game: Game, blueprint: Blueprint) -> Outcome:
    title = Text("mb-effect-in-library", {"effect": blueprint.name})
    note = Note(_library_line(game, blueprint), FOR_EVERYONE)
    event = Reported(audience=GMS, title=title, blocks=(note,), by=game.actor.id)
    return Outcome(game.state, (event,))


def _require_offer(game: Game, number: int) -> EffectOffer:
    """Return an open offer.

    Raises NotPermitted("gm-only"), Impossible("mb-effect-ruled") if the offer is answered.
    """
    require_gm(game.state, game.actor)
    for offer in _offers(game).open:
        if offer.number == number and offer.who in game.state.characters:
            return offer
    raise Impossible("mb-effect-ruled")


def _answer_offer(game: Game, action: Any) -> Outcome:
    """Carry out a GM's answer to an offer, and tell the player. Raises as `_require_offer`."""
    offer = _require_offer(game, action.offer)
    who, accept = game.character(offer.who), action.answer != "refuse"
    note = one_line("note", action.note, _NOTE_MOST)
    offers = _offers(game)
    left = tuple(each for each in offers.open if each.number != offer.number)
    game = _with_offers(game, offers.replace(open=left))
    if accept:
        game = with_library_effect(game, offer.blueprint)
    about = {"who": ref(who), "effect": offer.blueprint.name, "allowed": accept}
    event = Reported(
        audience=owner_audience(who),
        title=Text("mb-effect-offer-answered", about),
        blocks=(Quote(note, game.actor.id, FOR_EVERYONE),) if note else (),
        by=game.actor.id,
    )
    return Outcome(game.state, (event,))


def _ask_offer(game: Game, given: Values) -> ButtonQuestion:
    """Return the question to a GM about an offer. Raises as `_require_offer`."""
    offer = _require_offer(game, given[_OFFER.key])
    return ButtonQuestion(
        Form((_ANSWER.replace(needed=True), _NOTE)),
        offer.who,
        _offer_text(game, offer),
        lambda values: Text("mb-effect-ruling", {"how": values.get("answer") or _ANSWERS[0]}),
    )


def _open_offers(game: Game) -> Iterator[PendingButton]:
    """Yield the offers that wait for a GM; nothing else is held up by them."""
    if not is_gm(game.state, game.actor):
        return
    for offer in _offers(game).open:
        if offer.who in game.state.characters:
            values = {_OFFER.key: offer.number}
            label = Text("mb-effect-rule", {"effect": offer.blueprint.name})
            yield PendingButton(_offer_text(game, offer), label, values, offer=True)


_SHARE: Final = "effect share"
_OFFER: Final = Number("offer", low=1, high=1_000_000)
_ANSWERS: Final = ("allow", "refuse")
_ANSWER: Final = Pick(
    "answer",
    choices=tuple(Option(each, Text("mb-effect-ruling", {"how": each})) for each in _ANSWERS),
)
_NOTE: Final = Typed("note", most=_NOTE_MOST)
#: The effect is not needed for an answer.
_SHARED_EFFECT: Final = OWN_EFFECT_FIELD.replace(needed=False)
_SHARES: Final = acts_by(
    "ShareEffect", share_effect, _SHARED_EFFECT, _OFFER, _ANSWER, _NOTE, openly=False
).replace(carries=share_effect)


# --- quick effects and artifacts ------------------------------------------------------------------


class GiveEffect(Action, kw_only=True):
    """Put an effect with a GM's own figures on a sheet, or into the campaign's library."""

    blueprint: Blueprint
    #: Character who gets it; empty: the library.
    character: str = ""


def give_effect(game: Game, action: GiveEffect) -> Outcome:
    """Give a GM's effect to a character, who has learned it, or to the campaign (MB-SFX-15, -90).

    Raises NotPermitted("gm-only"), and as `_after_giving`.
    """
    require_gm(game.state, action.who)
    blueprint = action.blueprint
    after = _after_giving(game, blueprint, action.character)
    if not action.character:
        return _share_report(after, blueprint)
    who = game.character(action.character)
    known = KnownEffect(blueprint, learned=True, approved=True)
    title = Text("mb-effect-given-to", {"who": ref(who), "effect": blueprint.name})
    note = Note(effect_text(after, known, who.id), FOR_EVERYONE)
    event = Reported(audience=owner_audience(who), title=title, blocks=(note,), by=game.actor.id)
    return Outcome(after.state, (event,))


def _after_giving(game: Game, blueprint: Blueprint, character: str) -> Game:
    """Return the game after an effect was given to a character, or to the library.

    Raises:
        Problems("bad-form"): the figures of a quick effect are out of bounds (MB-SFX-90).
        InvalidInput("mb-effect-name-taken"): a learned effect of the sheet has this name.
        InvalidInput("mb-effect-full"): the sheet holds no more.
        Impossible("mb-effect-library-full").
    """
    rules = worksheet_rules(game, blueprint.skill)
    errors = [finding_error(finding) for finding in work_out(blueprint, rules).errors]
    if errors:
        raise Problems("bad-form", errors, count=len(errors))
    if not character:
        return with_library_effect(game, blueprint)
    return game.with_sheet(character, _with_given(game.character(character), blueprint))


def _with_given(who: AnyCharacter, blueprint: Blueprint) -> MasterbookSheet:
    """Return the sheet with a GM's quick effect; an unlearned or quick one of its name goes.

    Raises:
        InvalidInput("mb-effect-name-taken"): a learned effect of the sheet has this name.
        InvalidInput("mb-effect-full"): the sheet holds no more.
    """
    sheet: MasterbookSheet = who.sheet
    wanted = name_key(blueprint.name)
    named = [each for each in sheet.effects if name_key(each.name) == wanted]
    if any(each.learned and each.blueprint.given is None for each in named):
        shown = {"name": who.name, "value": blueprint.name}
        raise InvalidInput("mb-effect-name-taken", field="name", **shown)
    others = tuple(each for each in sheet.effects if each not in named)
    if len(others) >= EFFECTS_MOST:
        raise InvalidInput("mb-effect-full", field="name", value=None, most=EFFECTS_MOST)
    known = KnownEffect(blueprint, learned=True, approved=True)
    return sheet.replace(effects=(*others, known))


def _label(what: str) -> Text:
    return Text("mb-effect-quick-form", {"what": what})


def _value(key: str, kind: Any, **more: Any) -> Measure:
    low, high = BLUEPRINT_BOUNDS[key]
    title = _label(key)
    return Measure(key, title=title, low=low, high=high, measures=kind, **more)


def _figure(key: str) -> Number:
    low, high = BLUEPRINT_BOUNDS[key]
    return Number(key, title=_label(key), low=low, high=high, needed=True)


def _long(key: str) -> Typed:
    most = TEXTS_MOST[key]
    return Typed(key, title=_label(key), most=most, blank=True, long=key == "description")


_QUICK: Final = Form(
    (
        Typed("name", title=_label("name"), most=TEXTS_MOST["name"], needed=True, read=clean_name),
        Pick("skill", title=_label("skill"), choices=plain_options(SKILLS), needed=True),
        Number(
            "effect_value",
            title=_label("effect_value"),
            high=BLUEPRINT_BOUNDS["effect_value"][1],
            needed=True,
        ),
        _figure("dn"),
        _figure("fv"),
        _long("summary"),
        _value("range_value", "distance"),
        _value("speed_value", "speed"),
        _value("duration_value", "time"),
        _value("cast_time_value", "time", mode="down"),
        Flag("artifact", title=_label("artifact"), label=_label("artifact-on")),
        _long("description"),
    )
)


def _quick_blueprint(values: Values) -> Blueprint:
    """Return the blueprint of the form's values."""
    plain: dict[str, Any] = {
        key: value for key, value in values.items() if key in Blueprint.__struct_fields__
    }
    plain["given"] = GivenFigures(values["dn"], values["fv"], bool(values.get("artifact")))
    return Blueprint(**plain)


def _quick(game: Game, given: Values) -> CommandResult:
    """Open the form of a quick effect or an artifact; by a button settle how feedback is read.

    Raises NotPermitted("gm-only"), and as `find_known`.
    """
    require_gm(game.state, game.actor)
    if consent.FEEDBACK_FIELD.key in given:
        return consent.CHOOSES(game, given)
    who = owner_of(game, given["character"]) if given.get("character") else None

    def action(values: Values) -> CommandAction:
        blueprint = _quick_blueprint(values)
        character = "" if who is None else who.id
        _after_giving(game, blueprint, character)
        return CommandAction(GiveEffect, {"blueprint": blueprint, "character": character})

    name = None if who is None else who.name
    return CommandForm(
        lambda draft: _QUICK,
        Text("mb-effect-quick", {"name": name}),
        Text("mb-effect-quick-give", {"name": name}),
        action,
        shows=partial(_quick_lines, game),
    )


def _quick_lines(game: Game, values: Values) -> Iterator[Text]:
    """Yield the bounds of a quick effect's figures, and its stat block (MB-SFX-90)."""
    blueprint = _quick_blueprint(values)
    if not values.get("artifact"):
        low, high = quick_totals(blueprint)
        yield Text("mb-effect-quick-bounds", {"low": low, "high": high})
    yield from stat_block(blueprint, worksheet_rules(game, blueprint.skill))


_TEXT: Final = Typed("text", most=_FILTER_MOST)
COMMANDS: Final = (
    command(
        consent.RULING_COMMAND,
        _list,
        _TEXT,
        WHO_FIELD,
        pressed=Form((consent.OWNER_FIELD, consent.DIGEST_FIELD)),
        asks=consent.ask_ruling,
        waits=consent.rulings,
    ),
    command("effect show", _show, EFFECT_FIELD, WHO_FIELD),
    command(
        _SHARE,
        _SHARES,
        OWN_EFFECT_FIELD,
        pressed=Form((_OFFER,)),
        asks=_ask_offer,
        waits=_open_offers,
    ),
    command(
        consent.FEEDBACK_COMMAND,
        _quick,
        WHO_FIELD,
        pressed=Form((consent.FEEDBACK_FIELD,)),
        waits=consent.feedback_choices,
    ),
)
ACTS: Final = (
    consent.RULES,
    consent.CHOOSES,
    _SHARES,
    ActionRunner(GiveEffect, give_effect),
)
