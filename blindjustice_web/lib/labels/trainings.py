"""Labels of what a training keeps alike between groups."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from blindjustice_web.lib.labels.label import WordLabel
from mpc_engine.vocabulary.constraints import Constraint

CONSTRAINTS = {
    Constraint.ACCEPTANCE_RATE: WordLabel(_("Acceptance rates")),
    Constraint.TRUE_POSITIVE_RATE: WordLabel(_("True positive rates (equal opportunity)")),
    Constraint.TRUE_NEGATIVE_RATE: WordLabel(_("True negative rates")),
    Constraint.EQUALISED_ODDS: WordLabel(_("True positive and negative rates (equalised odds)")),
    Constraint.ACCURACY: WordLabel(_("Accuracy")),
}
