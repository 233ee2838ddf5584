"""What a training keeps alike between groups, and over which rows a step looks at it."""

from __future__ import annotations

from enum import StrEnum

from mpc_engine.vocabulary.rates import RateName


class Constraint(StrEnum):
    """What a training keeps alike between groups, by bounding covariances."""

    ACCEPTANCE_RATE = RateName.ACCEPTANCE.value
    TRUE_POSITIVE_RATE = RateName.TRUE_POSITIVE.value
    """Equal opportunity."""
    TRUE_NEGATIVE_RATE = RateName.TRUE_NEGATIVE.value
    EQUALISED_ODDS = "equalised_odds"
    """True positive and true negative rates, each under the same bound."""
    ACCURACY = RateName.ACCURACY.value

    @property
    def depends_on_outcomes(self) -> bool:
        """Return whether it takes people's outcomes to say what is kept alike."""
        return self is not Constraint.ACCEPTANCE_RATE

    @property
    def is_about_outcomes_apart(self) -> bool:
        """Return whether it looks at the people of one outcome, or of each, by themselves."""
        return self.depends_on_outcomes and self is not Constraint.ACCURACY


class ConstraintScope(StrEnum):
    """The rows over which a step of training takes the covariances that are bounded."""

    WHOLE_SET = "whole_set"
    MINIBATCH = "minibatch"
    """The rows of the step alone."""
