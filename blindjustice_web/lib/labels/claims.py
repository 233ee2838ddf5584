"""Labels of what the lab's results say of a claim."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from blindjustice_web.lib.labels.label import WordLabel
from mpc_engine.vocabulary.claims import ClaimVerdict

CLAIM_VERDICTS = {
    ClaimVerdict.HOLDS: WordLabel(_("Holds")),
    ClaimVerdict.OURS_ONLY: WordLabel(_("Holds with our settings only")),
    ClaimVerdict.DOES_NOT: WordLabel(_("Does not hold")),
    ClaimVerdict.NOT_JUDGED: WordLabel(_("Not judged")),
}
