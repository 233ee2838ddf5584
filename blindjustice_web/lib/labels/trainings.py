"""Labels of what a training keeps alike between groups."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from blindjustice_web.lib.labels.label import Label
from mpc_engine.vocabulary.constraints import Constraint

CONSTRAINTS = {
    Constraint.ACCEPTANCE_RATE: Label(_("Acceptance rates")),
    Constraint.TRUE_POSITIVE_RATE: Label(_("True positive rates (equal opportunity)")),
    Constraint.TRUE_NEGATIVE_RATE: Label(_("True negative rates")),
    Constraint.EQUALISED_ODDS: Label(_("True positive and negative rates (equalised odds)")),
    Constraint.ACCURACY: Label(_("Accuracy")),
}
