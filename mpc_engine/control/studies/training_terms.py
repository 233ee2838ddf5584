"""What both parties approve of a training run, and what its answer is charged.

Learning rates and multipliers follow from the preset (``docs/protocols/training.md``).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mpc_engine.control.policies.study_terms import check_decimal
from mpc_engine.control.studies.configuration import Attribute, Category, Configuration
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.control.texts.fields import Fields
from mpc_engine.errors import UsageError
from mpc_engine.ring.decimal_encoding import parse_decimal
from mpc_engine.roles import Role
from mpc_engine.vocabulary.constraints import Constraint

MAX_STEPS = 1_000_000
BATCH_SIZES = (8, 16, 32, 64, 128, 256, 512, 1024)
MAX_CONSTRAINTS = 128
MAX_POINTS = 12
MAX_BOUND = 1 << 16
MAX_OUTPUT_FRAC_BITS = 22
OUTPUT_INT_BITS = {"recommended": 3, "paper": 6}
"""For each preset, sign and integer bits of an opened coefficient (of standardised features)."""
ORDER_SEED_BYTES = 16


@dataclass(frozen=True)
class TrainingTerms:
    """The settings of a run.

    ``points``: each trains a model of its own. A point holds the largest ``abs(A theta)`` of every
    constraint (`constrained_categories`), plain decimals. ``constraint``: what is kept alike
    between groups; under equalised odds a bound holds for both rates.
    ``output_frac_bits``: fractional bits of the coefficients that the modeler learns.
    ``order_seed``: 16 public bytes for the order of rows.
    """

    preset: str
    steps: int
    batch_size: int
    points: tuple[tuple[str, ...], ...]
    output_frac_bits: int
    order_seed: bytes
    constraint: Constraint = Constraint.ACCEPTANCE_RATE

    def to_json(self) -> JsonObject:
        """Return the JSON form used in job specifications."""
        return {
            "preset": self.preset,
            "steps": self.steps,
            "batch_size": self.batch_size,
            "points": [list(bounds) for bounds in self.points],
            "output_frac_bits": self.output_frac_bits,
            "order_seed": self.order_seed.hex(),
            "constraint": self.constraint.value,
        }

    def at(self, number: int) -> TrainingTerms:
        """Return the terms of one point alone: what its answer is on record for."""
        return replace(self, points=self.points[number : number + 1])


def read_training_terms(fields: Fields) -> TrainingTerms:
    """Read the settings of a run; UsageError names the first fault."""
    terms = TrainingTerms(
        preset=fields.choice("preset", OUTPUT_INT_BITS),
        steps=fields.integer("steps", 1, MAX_STEPS),
        batch_size=fields.integer("batch_size", BATCH_SIZES[0], BATCH_SIZES[-1]),
        points=tuple(
            _read_point(value, f"{fields.where}.points[{position}]", fields.code)
            for position, value in enumerate(fields.items("points", 1, MAX_POINTS))
        ),
        output_frac_bits=fields.integer("output_frac_bits", 1, MAX_OUTPUT_FRAC_BITS),
        order_seed=fields.hex("order_seed", ORDER_SEED_BYTES),
        constraint=Constraint(fields.choice("constraint", list(Constraint))),
    )
    if terms.batch_size not in BATCH_SIZES:
        raise UsageError(f"{fields.where}.batch_size must be a power of two.", code=fields.code)
    if len(set(terms.points)) < len(terms.points):
        raise UsageError(f"{fields.where}.points must not name a point twice.", code=fields.code)
    fields.end()
    return terms


def constrained_categories(configuration: Configuration) -> tuple[tuple[Attribute, Category], ...]:
    """Return what the constraints of a run are about, in the order of their bounds.

    Of an attribute with two categories the first one only: the other's is its negative.
    """
    return tuple(
        (attribute, category)
        for attribute in configuration.attributes
        for category in _constrained(attribute.categories)
    )


def recommended_steps(n_people: int) -> int:
    """Return how many steps of 64 rows suffice: 40 passes, at least 2,560, at most 15,000.

    Fewer leave small cohorts short of their constraint; more fit the clamp's loss closer, which
    decides no better (``docs/protocols/training.md``).
    """
    return min(max(-(-40 * n_people // 64), 2_560), 15_000)


def training_bits(configuration: Configuration, terms: TrainingTerms) -> int:
    """Return what the opened models can tell at most, in bits.

    All bits of all coefficients of the model of every point.
    """
    n_coefficients = len(configuration.features) + 1
    bits = n_coefficients * (OUTPUT_INT_BITS[terms.preset] + terms.output_frac_bits)
    return len(terms.points) * bits


def least_training_bits(configuration: Configuration) -> int:
    """Return what the cheapest model of a study tells at most, in bits."""
    return (len(configuration.features) + 1) * (min(OUTPUT_INT_BITS.values()) + 1)


def check_training(configuration: Configuration, terms: TrainingTerms) -> None:
    """Raise UsageError unless a study can be trained on with these terms.

    Codes: ``TRAINING_NEEDS_MODELER_DATA``, ``TRAINING_BOUND_COUNT``.
    """
    if configuration.data_holder is not Role.MODELER:
        raise UsageError(
            "A model is trained where the modeler holds the data; in this study it is the "
            "regulator, so that models can be certified on it.",
            code="TRAINING_NEEDS_MODELER_DATA",
        )
    n_constraints = len(constrained_categories(configuration))
    if any(len(bounds) != n_constraints for bounds in terms.points):
        raise UsageError(
            f"This study has {n_constraints} constraints; each needs one bound at every point.",
            code="TRAINING_BOUND_COUNT",
        )


def _constrained(categories: Sequence[Category]) -> Sequence[Category]:
    return categories[:1] if len(categories) == 2 else categories


def _read_point(value: object, where: str, code: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not 1 <= len(value) <= MAX_CONSTRAINTS:
        raise UsageError(f"{where} must be a list of 1 to {MAX_CONSTRAINTS} bounds.", code=code)
    return tuple(
        _read_bound(bound, f"{where}[{position}]", code) for position, bound in enumerate(value)
    )


def _read_bound(value: object, where: str, code: str) -> str:
    text = check_decimal(value, where, code=code)
    if not 0 <= parse_decimal(text) < MAX_BOUND:
        raise UsageError(f"{where} must be 0 or more, and below {MAX_BOUND}.", code=code)
    return text
