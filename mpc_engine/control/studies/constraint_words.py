"""What a training keeps alike, in words, and what that tells.

``translate`` is gettext where a page shows them.
"""

from __future__ import annotations

from mpc_engine.control.policies.sentence_parts import Translate
from mpc_engine.vocabulary.constraints import Constraint


def constraint_sentence(constraint: Constraint, translate: Translate) -> str:
    """Return what a constraint of a training asks for, in one sentence."""
    _ = translate
    return {
        Constraint.ACCEPTANCE_RATE: _("Every group is to be accepted about equally often."),
        Constraint.TRUE_POSITIVE_RATE: _(
            "Of the people who turned out favourably, about the same share of every group is to be "
            "accepted."
        ),
        Constraint.TRUE_NEGATIVE_RATE: _(
            "Of the people who turned out unfavourably, about the same share of every group is to "
            "be turned down."
        ),
        Constraint.EQUALISED_ODDS: _(
            "Of the people who turned out favourably, and of those who did not, about the same "
            "share of every group is to be accepted. Each c holds for both."
        ),
        Constraint.ACCURACY: _("Decisions are to be right about equally often in every group."),
    }[constraint]


def constraint_caveat(constraint: Constraint, minimum_answers: int, translate: Translate) -> str:
    """Return what a constraint does not promise, in a few sentences.

    ``minimum_answers``: of the study's policy, the fewest answers that a constraint is about.
    """
    _ = translate
    sentences = [
        _(
            "The training bounds a stand-in, how the score moves together with the group; whether "
            "decisions keep it, only a certification tells."
        )
    ]
    if constraint.depends_on_outcomes:
        sentences.append(
            _("How people turned out is the modeler's party's word, which nobody else sees.")
        )
    if constraint.is_about_outcomes_apart:
        sentences.append(
            _(
                "An attribute whose answers among people of one outcome number fewer than %(n)s "
                "is left free there, and nobody is told."
            )
            % {"n": minimum_answers}
        )
    return " ".join(sentences)


def outcomes_told(minimum_answers: int, translate: Translate) -> str:
    """Return what asking for a constraint that depends on outcomes tells of them."""
    _ = translate
    return _(
        "The regulator's party and the site also learn whether the people of each outcome number "
        "at least %(n)s; if not, nothing is trained. This is not counted."
    ) % {"n": minimum_answers}
