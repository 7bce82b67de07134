"""The library of effects: lists, stat blocks and sharing.

MB-SFX-11, MB-SFX-15.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final, Literal

from rules.core.errors import Impossible
from rules.core.name_matching import name_key
from rules.core.record import Record
from rules.systems.masterbook.character.effect_io import library_effects
from rules.systems.masterbook.character.effect_rules import worksheet_rules
from rules.systems.masterbook.character.effect_sheet import stat_block, stat_groups, worksheet_lines
from rules.systems.masterbook.character.world_profile import MasterbookCampaign
from rules.systems.masterbook.checks.action_commands import command
from rules.systems.masterbook.checks.action_economy import ref
from rules.systems.masterbook.checks.sheet_view import effect_text
from rules.systems.masterbook.effects import consent
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
from rules.systems.masterbook.effects.running_list import running_line, steerable_effects
from rules.systems.masterbook.effects.state import steerer_of
from rules.systems.masterbook.formulas.effect_blueprint import (
    Blueprint,
)
from rules.systems.masterbook.formulas.effect_costs import effect_value_band
from rules.systems.masterbook.formulas.effect_worksheet import known_figures, work_out
from rules.table.actions import Action
from rules.table.blocks import FOR_EVERYONE, GMS, Block, Group, Note, Text
from rules.table.check import Values
from rules.table.commands import (
    ButtonQuestion,
    CommandResult,
    CommandView,
    PendingButton,
    PrintedSheet,
)
from rules.table.deeds import Deed
from rules.table.events import Reported
from rules.table.forms.fields import Number, Option, Pick, Typed
from rules.table.forms.form import Form
from rules.table.forms.typed_texts import one_line
from rules.table.lookup import acting_character, playable_characters, readable_characters
from rules.table.outcome import Outcome
from rules.table.permissions import is_gm, require_gm
from rules.table.settings.campaign_rows import MOST_ROWS
from rules.table.state import AnyCharacter
from rules.table.system import Game

#: Most effects that a list tells of one owner.
_MOST_LISTED: Final = 25
_FILTER_MOST: Final = 80
_NOTE_MOST: Final = 200
_STATE: Final = "effect-offers"
_OPEN: Final = f"{_STATE}:open"


# --- lists ----------------------------------------------------------------------------------------


def _list(game: Game, values: Values) -> CommandResult:
    """List the effects of own characters, the campaign and the ready-made ones; rule by a button.

    Running effects show the time left (MB-SFX-26). GMs also read the effects of all characters.
    Raises as `owner_of`; for a ruling as `consent.require_waiting`.
    """
    if consent.OWNER_FIELD.key in values:
        return consent.RULE_EFFECT.run(game, values)
    wanted = name_key(values.get("text") or "")
    if values.get("character"):
        owners = (owner_of(game, values["character"]),)
    else:
        owners = tuple(readable_characters(game.state, game.actor))
    blocks: list[Block] = []
    for who in owners:
        blocks += _sheet_group(game, who, wanted)
    blocks += _running_group(game, {who.id for who in owners}, wanted)
    if not values.get("character"):
        blocks += _library_groups(game, wanted)
    nothing = Note(Text("mb-effect-none-found"), FOR_EVERYONE)
    return CommandView(Text("mb-effect-list"), tuple(blocks) or (nothing,))


def _sheet_group(game: Game, who: AnyCharacter, wanted: str) -> Iterator[Block]:
    """Yield the effects on a character's sheet."""
    lines: list[Text] = []
    for effect in effects_on(who):
        if _fits(effect.known.blueprint, wanted):
            lines.append(effect_text(game, effect.known, who.id))
    yield from _group(Text("mb-effects-of", {"name": who.name}), lines)


def _fits(blueprint: Blueprint, wanted: str) -> bool:
    """Return whether an effect has a filter's key in its name, skill, focus or summary."""
    texts = (blueprint.name, blueprint.skill, blueprint.focus, blueprint.summary)
    return any(wanted in name_key(text) for text in texts)


def _running_group(game: Game, casters: Collection[str], wanted: str) -> Iterator[Block]:
    """Yield the effects that these characters steer, as `/effect running` has them."""
    lines: list[Text] = []
    for effect in steerable_effects(game):
        if steerer_of(game, effect) in casters and _fits(effect.known.blueprint, wanted):
            lines.append(running_line(game, effect))
    yield from _group(Text("mb-effect-running"), lines)


def _library_groups(game: Game, wanted: str) -> Iterator[Block]:
    """Yield the campaign's effects, then the ready-made ones."""
    campaign = game.campaign
    own: tuple[Blueprint, ...] = ()
    if isinstance(campaign, MasterbookCampaign):
        own = campaign.effects
    ready = tuple(effect for effect in library_effects(game.campaign) if effect not in own)
    for where, effects in (("campaign", own), ("ready", ready)):
        lines = [_library_line(game, effect) for effect in effects if _fits(effect, wanted)]
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
    """Yield a group of lines, the first ones of many; nothing without lines."""
    if not lines:
        return
    listed = lines[:_MOST_LISTED]
    if len(lines) > _MOST_LISTED:
        listed.append(Text("mb-effect-more", {"number": len(lines) - _MOST_LISTED}))
    yield Group(title, tuple((line,) for line in listed), FOR_EVERYONE)


# --- one effect -----------------------------------------------------------------------------------


def _show(game: Game, values: Values) -> CommandView:
    """Return an effect's stat block with its picture and its worksheet (MB-SFX-11).

    Players read own effects and the library's, GMs all. Raises as `find_effect` and `owner_of`.
    """
    pool: Iterable[FoundEffect] = readable_effects(game)
    if values.get("character"):
        pool = effects_on(owner_of(game, values["character"]))
    found = find_effect(pool, values["effect"])
    known, blueprint = found.known, found.known.blueprint
    if found.who is None:
        # An effect of the library shows the figures of a character that has learned it.
        known = known.replace(learned=True)
    rules = worksheet_rules(game, blueprint.skill)
    figures = known_figures(known, rules)
    lines = stat_block(blueprint, rules, figures)
    blocks: list[Block] = [*stat_groups(lines)]
    if found.who is not None:
        state = Note(effect_text(game, known, found.who.id), FOR_EVERYONE)
        blocks.insert(0, state)
    worksheet: tuple[Text, ...] = ()
    if blueprint.given is None:
        worksheet = worksheet_lines(blueprint, rules)
    printed = PrintedSheet(
        blueprint.name,
        (("DN", str(figures.dn)), ("FV", str(figures.fv)), ("EV", _value_text(blueprint))),
        lines,
        worksheet,
    )
    title = Text("as-written", {"text": blueprint.name})
    return CommandView(title, tuple(blocks), sheet=printed)


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
    offers: EffectOffers | None = game.state.own.get(_OPEN)
    return offers or EffectOffers()


def _with_offers(game: Game, offers: EffectOffers) -> Game:
    return game.with_state(game.state.with_own(_OPEN, offers))


def with_library_effect(game: Game, blueprint: Blueprint) -> Game:
    """Return the game with an effect in the campaign's library; one of the same name is replaced.

    Raises Impossible("mb-effect-library-full").
    """
    campaign: MasterbookCampaign = game.campaign
    wanted_key = name_key(blueprint.name)
    others = tuple(effect for effect in campaign.effects if name_key(effect.name) != wanted_key)
    if len(others) >= MOST_ROWS:
        raise Impossible("mb-effect-library-full", most=MOST_ROWS)
    changed = campaign.replace(effects=(*others, blueprint))
    return game.with_state(game.state.replace(campaign=changed))


class ShareEffect(Action, kw_only=True):
    """Put an effect into the campaign's library, ask the GM to, or answer a player who asks."""

    #: Name of the effect; empty for an answer.
    effect: str = ""
    #: Number of the offer that a GM answers.
    offer: int | None = None
    answer: Literal["", "allow", "refuse"] = ""
    #: Words of the GM.
    note: str = ""


def share_effect(game: Game, action: ShareEffect) -> Outcome:
    """Put an effect into the campaign's library, or ask the GM to; answer a player who asks.

    Raises:
        Impossible("mb-effect-shared"): the library has exactly this effect.
        Impossible("not-approved-yet"): the player's only character waits for the GM.
        As `find_effect` and `_offer_effect`, and `_answer_offer` for an answer.
    """
    if action.offer is not None:
        return _answer_offer(game, action, action.offer)
    leads = is_gm(game.state, game.actor)
    if not leads and not playable_characters(game.state, game.actor):
        acting_character(game.state, game.actor, None)  # says that the character waits for the GM
    pool = readable_effects(game) if leads else own_effects(game)
    shared = find_effect(pool, action.effect)
    blueprint = shared.known.blueprint
    if blueprint in getattr(game.campaign, "effects", ()):
        raise Impossible("mb-effect-shared", effect=blueprint.name)
    if leads:
        return share_report(with_library_effect(game, blueprint), blueprint)
    assert shared.who is not None, "own effects are on a sheet"
    return _offer_effect(game, shared.who.id, blueprint)


def _offer_effect(game: Game, who: str, blueprint: Blueprint) -> Outcome:
    """Ask the GM to put a player's effect into the campaign's library.

    Raises:
        Impossible("mb-effect-artifact"): a player can't copy a GM's artifact (MB-SFX-15).
        Impossible("mb-effect-offered"): the GM was asked already.
    """
    if blueprint.given is not None and blueprint.given.artifact:
        raise Impossible("mb-effect-artifact", effect=blueprint.name)
    offers = _offers(game)
    if any(offer.blueprint == blueprint for offer in offers.open):
        raise Impossible("mb-effect-offered", effect=blueprint.name)
    offer = EffectOffer(offers.last + 1, who, blueprint)
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
    return Outcome(game.state, (call, consent.asked_event(game, blueprint.name)))


def _offer_text(game: Game, offer: EffectOffer) -> Text:
    line = _library_line(game, offer.blueprint)
    return Text("mb-effect-offer", {"who": ref(game.character(offer.who)), "effect": line})


def share_report(game: Game, blueprint: Blueprint) -> Outcome:
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


def _answer_offer(game: Game, action: ShareEffect, number: int) -> Outcome:
    """Carry out a GM's answer to an offer, and tell the player. Raises as `_require_offer`."""
    offer = _require_offer(game, number)
    who, accept = game.character(offer.who), action.answer != "refuse"
    note = one_line("note", action.note, _NOTE_MOST)
    offers = _offers(game)
    others = tuple(other for other in offers.open if other.number != offer.number)
    game = _with_offers(game, offers.replace(open=others))
    if accept:
        game = with_library_effect(game, offer.blueprint)
    about = {"who": ref(who), "effect": offer.blueprint.name, "allowed": accept}
    title = Text("mb-effect-offer-answered", about)
    return Outcome(game.state, (consent.ruling_event(game, who, title, note),))


def _ask_offer(game: Game, pressed: Values) -> ButtonQuestion:
    """Return the question to a GM about an offer. Raises as `_require_offer`."""
    offer = _require_offer(game, pressed[_OFFER.key])
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
    choices=tuple(Option(answer, Text("mb-effect-ruling", {"how": answer})) for answer in _ANSWERS),
)
_NOTE: Final = Typed("note", most=_NOTE_MOST)
#: The effect is not needed for an answer.
_SHARED_EFFECT: Final = OWN_EFFECT_FIELD.replace(needed=False)
_SHARE_EFFECT: Final = Deed(
    _SHARE, ShareEffect, share_effect, (_SHARED_EFFECT, _OFFER, _ANSWER, _NOTE), openly=False
)


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
        _SHARE_EFFECT.run,
        OWN_EFFECT_FIELD,
        pressed=Form((_OFFER,)),
        asks=_ask_offer,
        waits=_open_offers,
    ),
)
DEEDS: Final = (consent.RULE_EFFECT, consent.CHOOSE_FEEDBACK, _SHARE_EFFECT)
