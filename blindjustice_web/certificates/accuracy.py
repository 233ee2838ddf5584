"""How often a trained model is right: in training as told, held out as far as the policy opens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from blindjustice_web.certificates.models import CandidateModel, CertificationResult
from blindjustice_web.jobs import engine_client

_RIGHT = {"true_positives", "true_negatives"}
_WRONG = {"false_positives", "false_negatives"}


def accuracy_sentence(model: CandidateModel) -> str:
    """Return how often a trained model is right on its training rows, and who says so; or ""."""
    trained = model.trained_as or model
    if trained.right_per_mille is None:
        return ""
    return _(
        "Right for %(right).1f %% of the %(n)d people it was trained on, as the modeler's party "
        "computed on its own rows."
    ) % {"right": trained.right_per_mille / 10, "n": trained.n_rows or 0}


def holdout_sentence(result: CertificationResult) -> str:
    """Return how often a model was right on the people it was certified on, or why nobody knows.

    Where the policy opens the table with all four outcomes, they are added up over the groups of
    its first grouping, which share nobody, and held against what the modeler's party told of
    training.
    """
    policy = engine_client.read_configuration(result.model.study.configuration.text).policy
    if not policy.opens_table or not set(policy.counts) >= _RIGHT | _WRONG:
        return _unknown(_("the policy opens no table of right decisions."))
    if result.reason:
        return _unknown(_("without a verdict no count is opened."))
    right, n = _right_and_all(policy.counts, result.groups)
    if not n:
        return _unknown(
            _(
                "the policy opens right decisions, but some group has so few people, or so few of "
                "one decision or of one outcome, that no number is told."
            )
        )
    share = Fraction(right, n)
    said = _(
        "Right for %(right).1f %% of the %(n)d people it was certified on whose group’s numbers "
        "are told, by its opened counts."
    ) % {"right": float(100 * share), "n": n}
    trained = result.model.trained_as or result.model
    if trained.right_per_mille is None:
        return said
    points = float(100 * (share - Fraction(trained.right_per_mille, 1000)))
    gap = _("That is %(points)+.1f points against training.") % {"points": points}
    return f"{said} {gap}"


def _unknown(why: str) -> str:
    return _("On the people it was certified on nobody can tell: %(why)s") % {"why": why}


def _right_and_all(names: Sequence[str], groups: Sequence[Mapping[str, Any]]) -> tuple[int, int]:
    """Return right decisions and all in the groups of the first grouping that have numbers."""
    first = {name for row in groups[:1] for name, _title in row["group"]}
    right = n = 0
    for row in groups:
        if {name for name, _title in row["group"]} == first:
            counts = dict(zip(names, row["counts"], strict=True))
            right += sum(counts[name] for name in _RIGHT)
            n += sum(counts[name] for name in _RIGHT | _WRONG)
    return right, n
