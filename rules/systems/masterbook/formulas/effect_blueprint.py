"""Blueprints of special effects: everything that is chosen when one is built (MB-SFX-40).

A blueprint holds choices alone. `effect_worksheet` computes its totals, difficulty and feedback.
"""

from __future__ import annotations

from typing import Final, Literal, get_args

from rules.core.record import Record

#: Kinds of special effects (MB-SFX-10).
EffectKindId = Literal["magic", "miracles", "psionics", "super_science"]
#: The two figures that a condition can lower.
Figure = Literal["dn", "fv"]
#: Shapes of an area: a circle or sphere, one other, any at each casting, one that changes at will
#: (MB-SFX-S06).
Shape = Literal["none", "one", "any", "fluid"]
#: Ways to end an effect early: none, for good, or off and on again (MB-SFX-S11).
Switch = Literal["none", "off", "on_off"]
#: Class of what holds charges (MB-SFX-S15).
Holder = Literal["object", "mind", "person"]
#: Kinds of conditions, in the order in which they lower the figures (MB-SFX-41).
ConditionKind = Literal[
    "community",
    "component",
    "concentration",
    "gesture",
    "incantation",
    "related_skill",
    "other",
]
CONDITION_KINDS: Final[tuple[ConditionKind, ...]] = get_args(ConditionKind)
#: What each helper of a community does (MB-SFX-S17).
Participation = Literal["simple", "dn8", "dn10", "dn12", "dn14", "dn18"]
#: What makes an incantation harder, one point each (MB-SFX-S21).
IncantationAddon = Literal["foreign_tongue", "very_loud", "offensive"]
#: How an effect takes hold: damage against Toughness; a result of an interaction column; an
#: Attribute, skill or other value raised or lowered; in the place of a skill's total; against a
#: difficulty, read as a success level; result points read as a value; something that moves; or in
#: the GM's words alone (MB-SFX-23 to -25, -33).
Action = Literal[
    "damage",
    "taunt_trick",
    "maneuver",
    "intimidation",
    "raise",
    "lower",
    "skill",
    "general",
    "points",
    "movement",
    "words",
]
ACTIONS: Final[tuple[Action, ...]] = get_args(Action)
#: Actions that change a value until the effect ends (MB-SFX-24).
CHANGES: Final[frozenset[Action]] = frozenset({"raise", "lower"})


class EffectArea(Record):
    """An area around the effect's center (MB-SFX-S06)."""

    #: 2 for a flat area, 3 for a cubic one.
    dims: Literal[2, 3] = 3
    #: Diameter in whole meters.
    diameter: int = 1
    shape: Shape = "none"

    @property
    def kind(self) -> Literal["circle", "sphere"]:
        return "circle" if self.dims == 2 else "sphere"


class Condition(Record):
    """A condition that every casting must meet; it lowers one of the two figures (MB-SFX-41).

    Which fields count follows from `kind`; the others keep their defaults.
    """

    kind: ConditionKind
    on: Figure = "dn"
    #: What has to be there, done or said, in the builder's words.
    text: str = ""
    #: Row of the kind's table: rarity of a component, 1 to 7; complexity of a gesture, an
    #: incantation or a related skill's total, 1 to 6; points of another condition, 1 to 6.
    level: int = 1
    #: Whether the casting uses the component up (MB-SFX-S18).
    destroyed: bool = False
    #: Points that the GM gives for an inventive component or gesture.
    bonus: int = 0
    #: Levels that the GM takes off because it ill fits the kind of effect (MB-SFX-41).
    lowered: int = 0
    #: Number of helpers, and what each of them does (MB-SFX-S17).
    helpers: int = 1
    participation: Participation = "simple"
    #: Time value of the concentration (MB-SFX-S19).
    time_value: int = 0
    addons: tuple[IncantationAddon, ...] = ()
    #: Skill of the total, or of what every helper does; the language of a foreign tongue.
    skill: str = ""
    #: Whether it is met when a charge is released instead of at the casting (MB-SFX-29).
    at_release: bool = False


class Unreal(Record):
    """An illusion (MB-SFX-S24)."""

    #: Difficulty to disbelieve it.
    disbelief_dn: Literal[0, 6, 10] = 10
    #: Points that lower the difficulty and the feedback.
    to_dn: int = 0
    to_fv: int = 0


class ExtraElement(Record):
    """An element that the world defines, with its cost (MB-SFX-S15)."""

    name: str
    cost: int


class Rush(Record):
    """Time saved while an effect was designed (MB-SFX-92)."""

    #: Steps of the time value.
    steps: int = 0
    #: Steps that raise the difficulty and the feedback.
    to_dn: int = 0
    to_fv: int = 0


class GivenFigures(Record):
    """Figures that a GM gives without a worksheet: an artifact's, or a quick effect's.

    (MB-SFX-15, MB-SFX-90)
    """

    dn: int
    fv: int
    #: Whether nothing about them is checked (MB-SFX-15).
    artifact: bool = False


class Blueprint(Record):
    """An effect as it is built (MB-SFX-40). All values are values of the Value Chart."""

    name: str
    #: Skill of the casting, as the skill list writes it, and its focus if it needs one.
    skill: str
    focus: str = ""
    #: What the effect does, in one line, and in full.
    summary: str = ""
    description: str = ""
    # Steps 1 to 5
    effect_value: int = 15
    #: Value of meters.
    range_value: int = 0
    #: Value of meters a second; None: that of the range.
    speed_value: int | None = None
    #: Values of seconds.
    duration_value: int = 0
    cast_time_value: int = 0
    # Steps 6 to 15
    area: EffectArea | None = None
    #: Targets at once; 0: the element is not bought, and there is one.
    targets: int = 0
    #: Attributes, skills and other values that it meets, in the order of their ranks (MB-SFX-S08).
    traits: tuple[str, ...] = ()
    #: Targets that it visits in turn, the first one included (MB-SFX-S09).
    target_changes: int = 0
    #: Points paid so that the effect value may be chosen at casting, up and down: two for each step
    #: (MB-SFX-S10).
    points_up: int = 0
    points_down: int = 0
    switch: Switch = "none"
    extension: int = 0
    accuracy: int = 0
    movement: bool = False
    maintenance: bool = False
    focus_targets: int = 0
    charges: int = 0
    holder: Holder = "object"
    #: Event or time that sets a charge off by itself; empty: no ward (MB-SFX-29).
    ward: str = ""
    extras: tuple[ExtraElement, ...] = ()
    # Step 16: the difficulty's share of the subtotal; None: an even split, the odd point to the
    # feedback.
    dn_share: int | None = None
    # Steps 17 to 24
    conditions: tuple[Condition, ...] = ()
    unreal: Unreal | None = None
    # In play
    action: Action = "words"
    #: What resists: an Attribute, a skill, `Toughness`; what a `skill` effect stands in for; empty
    #: where a number resists.
    resisted_by: str = ""
    #: Number that resists; None: `resisted_by` does, or the GM says.
    resisting_number: int | None = None
    #: Skill of the roll to hit; `casting`: the casting's own total; empty: none is needed.
    to_hit: str = ""
    #: Whether only the caster can be its target.
    on_self: bool = False
    #: Whether it strikes every round while it lasts (MB-SFX-26).
    every_round: bool = False
    #: Figures from a GM instead of the worksheet.
    given: GivenFigures | None = None


#: Bounds of numbers in rows of campaigns and in sheets, by field.
BLUEPRINT_BOUNDS: Final = {
    "effect_value": (0, 100),
    "range_value": (0, 100),
    "speed_value": (0, 100),
    "duration_value": (0, 100),
    "cast_time_value": (0, 100),
    "diameter": (1, 1000),
    "targets": (0, 100),
    "target_changes": (0, 100),
    "points_up": (0, 100),
    "points_down": (0, 100),
    "extension": (0, 60),
    "accuracy": (0, 1000),
    "focus_targets": (0, 100),
    "charges": (0, 100),
    "cost": (0, 100),
    "dn_share": (0, 10_000),
    "level": (1, 7),
    "bonus": (0, 20),
    "lowered": (0, 7),
    "helpers": (1, 1_000_000_000),
    "time_value": (0, 100),
    "to_dn": (0, 1000),
    "to_fv": (0, 1000),
    "steps": (0, 100),
    "dn": (0, 10_000),
    "fv": (0, 10_000),
    "resisting_number": (0, 1000),
}
#: Most conditions, traits and extra elements of one blueprint.
ENTRIES_MOST: Final = 25


class KnownEffect(Record):
    """An effect on a character's sheet: learned, or a blueprint that is cast unlearned."""

    blueprint: Blueprint
    #: Whether it was learned; else a third is added to both figures (MB-SFX-13, MB-SFX-93).
    learned: bool = False
    #: Whether it came with Special Effects, without a Life Point (MB-BG-31).
    free: bool = False
    #: Time saved when it was designed in play; learning does not take it away (MB-SFX-92).
    rush: Rush = Rush()
    #: Whether the design time is still to be spent before the first casting (MB-SFX-91).
    undesigned: bool = False
    #: Whether the GM has agreed to it, or refused it, and what the GM said.
    approved: bool = False
    refused: bool = False
    ruling: str = ""

    @property
    def name(self) -> str:
        return self.blueprint.name
