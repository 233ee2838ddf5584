"""Words for the codes of one subject: the count of what answers tell."""

from __future__ import annotations

from mpc_engine.error_words.rows import UNCHARGED, Words
from mpc_engine.error_words.rows import marked as _

TITLE = _("The count of what answers tell")
WORDS = {
    "QUESTION_BITS_SPENT": Words(
        _("The answers about these people would tell more bits than the study allows."),
        _("Asking again would fail the same way, and nothing was charged for it."),
        _(
            "Ask in a study whose configuration names a higher limit; for a training, ask for"
            " fewer bits of the output."
        ),
    ),
    "QUESTIONS_SPENT": Words(
        _(
            "As many models were asked about these people as this study, or another one of exactly "
            "these people, allows: people read that number before they answered."
        ),
        _("Asking again would fail the same way, and nothing was charged for it."),
        _(
            "A model that was asked about before can be put up again. Ask about others in a study "
            "of other people."
        ),
    ),
    "PARTY_BITS_SPENT": Words(
        _("The answers about these people would tell more bits than a party's own limit allows."),
        _("Nothing was charged."),
        _("Once the operator of that party has raised its limit and restarted it, ask again."),
    ),
    "COHORT_TOO_SIMILAR": Words(
        _(
            "These people differ from people who were asked about before by fewer than the "
            "smallest group of the policy. Both answers together would tell about those few."
        ),
        UNCHARGED,
        _(
            "Ask about the same people as before, or about people who differ from them by at "
            "least the smallest group."
        ),
    ),
    "LEDGER_DIFFERENT": Words(
        _(
            "The two parties counted different questions about this study: a store was set "
            "back to an older one, or altered."
        ),
        UNCHARGED,
        _(
            "The party whose count is lower restores its newer store (party.sqlite3) from a "
            "backup; until then the study asks nothing."
        ),
    ),
    "LEDGER_MOVED": Words(
        _("Another job asked about these people at the same moment."),
        UNCHARGED,
        _("Propose the run again."),
    ),
    "ANSWERS_DIFFERENT": Words(
        _("The two parties have different answers to the same question on record."),
        _("Both answers are kept as they are; nothing more was charged."),
        _(
            "The operators compare their stores and restore the one that was set back or "
            "altered; until then the answer is not used."
        ),
    ),
    "QUESTION_INVALID": Words(
        _("An entry of the list of questions is not as it should be."),
        UNCHARGED,
        _(
            "Install the same version on both sides; if they are the same, restore the "
            "party's store from a backup."
        ),
    ),
}
