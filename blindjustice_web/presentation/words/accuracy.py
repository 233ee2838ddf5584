"""How often a trained model is right: in training as told, held out as far as the policy opens."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from django.utils.translation import gettext as _

from blindjustice_web.certificates.models import CandidateModel, CertificationResult
from blindjustice_web.engine import engine_client
from blindjustice_web.lib.labels import Count

_FAVOURABLE = {Count.TRUE_POSITIVES, Count.FALSE_NEGATIVES}
_RIGHT = {Count.TRUE_POSITIVES, Count.TRUE_NEGATIVES}
_OUTCOMES = {*_FAVOURABLE, *_RIGHT, Count.FALSE_POSITIVES}


@dataclass(frozen=True)
class HeldOut:
    """Right decisions on people a model was certified on: those in groups whose counts are told.

    ``n_favourable`` of the ``n`` people had the favourable outcome, whatever was decided.
    """

    n: int
    n_right: int
    n_favourable: int

    @property
    def share(self) -> Fraction:
        """Return the share of right decisions."""
        return Fraction(self.n_right, self.n)

    @property
    def constant(self) -> Fraction:
        """Return the share that the better of the two constant answers has right."""
        return Fraction(max(self.n_favourable, self.n - self.n_favourable), self.n)


def held_out_of(result: CertificationResult) -> HeldOut | None:
    """Return right decisions by the opened counts; None where they are not told.

    The outcomes are added up over the groups of the policy's first grouping, which share nobody.
    """
    policy = engine_client.read_configuration(result.model.study.configuration.text).policy
    if result.reason or not policy.opens_table or not set(policy.counts) >= _OUTCOMES:
        return None
    first = {name for row in result.groups[:1] for name, _title in row["group"]}
    told = [
        dict(zip(policy.counts, row["counts"], strict=True))
        for row in result.groups
        if {name for name, _title in row["group"]} == first
    ]

    def total(names: set[Count]) -> int:
        return sum(counts[name] for counts in told for name in names)

    n = total(_OUTCOMES)
    return HeldOut(n, total(_RIGHT), total(_FAVOURABLE)) if n else None


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

    Beside it stand what a constant answer has right there, and what the modeler's party told of
    training.
    """
    found = held_out_of(result)
    if found is None:
        return _unknown(_why_unknown(result))
    said = _(
        "Right for %(right).1f %% of the %(n)d people it was certified on whose group’s numbers "
        "are told, by its opened counts; a constant answer would be right for %(constant).1f %% of "
        "them."
    ) % {
        "right": float(100 * found.share),
        "n": found.n,
        "constant": float(100 * found.constant),
    }
    trained = result.model.trained_as or result.model
    if trained.right_per_mille is None:
        return said
    points = float(100 * (found.share - Fraction(trained.right_per_mille, 1000)))
    gap = _("That is %(points)+.1f points against training.") % {"points": points}
    return f"{said} {gap}"


def _why_unknown(result: CertificationResult) -> str:
    policy = engine_client.read_configuration(result.model.study.configuration.text).policy
    if not policy.opens_table or not set(policy.counts) >= _OUTCOMES:
        return _("the policy opens no table of right decisions.")
    if result.reason:
        return _("without a verdict no count is opened.")
    return _(
        "the policy opens right decisions, but some group has so few people, or so few of one "
        "decision or of one outcome, that no number is told."
    )


def _unknown(why: str) -> str:
    return _("On the people it was certified on nobody can tell: %(why)s") % {"why": why}
