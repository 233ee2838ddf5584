"""What a training keeps alike, in words. ``translate`` is gettext where a page shows them."""

from __future__ import annotations

from mpc_engine.control.policies.policy_sentence import Translate
from mpc_engine.vocabulary.constraints import Constraint


def constraint_sentence(constraint: Constraint, translate: Translate) -> str:
    """Return what a constraint of a training asks for, in one sentence."""
    _ = translate
    return {
        Constraint.ACCEPTANCE_RATE: _("Every group is to be accepted about equally often."),
        Constraint.TRUE_POSITIVE_RATE: _(
            "Of the people who turned out favourably, about as many of every group are to be "
            "accepted."
        ),
        Constraint.TRUE_NEGATIVE_RATE: _(
            "Of the people who turned out unfavourably, about as many of every group are to be "
            "turned down."
        ),
        Constraint.EQUALISED_ODDS: _(
            "Both: whichever way people turned out, their group is to make no difference to the "
            "decision. Each c holds for both."
        ),
        Constraint.ACCURACY: _("Decisions are to be right about equally often in every group."),
    }[constraint]
