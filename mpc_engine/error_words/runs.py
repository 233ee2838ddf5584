"""Words for the codes of one subject: runs of both parties, and the line between them."""

from __future__ import annotations

from mpc_engine.error_words.rows import CLOSING, RUN, UNCHARGED, Words
from mpc_engine.error_words.rows import marked as _

DISPUTED = _("Nothing was decoded. The question stays charged; the next attempt begins afresh.")
AUDIT = _(
    "Do not simply ask again: an audit of the regulator's party finds out whose machine or software"
    " was altered."
)
TITLE = _("Runs of both parties, and the line between them")
WORDS = {
    "PEER_TIMEOUT": Words(
        _("The other party did not answer in time."),
        RUN,
        _(
            "The site tries once more by itself. If that fails too, look at the page Health, "
            "and propose the run again when the line is in order."
        ),
    ),
    "CHANNEL_CLOSED": Words(
        _(
            "The line between the parties closed in the middle of a run, often because the "
            "other party stopped."
        ),
        RUN,
        _(
            "The site tries once more by itself. If that fails too, look at the page Health "
            "and at the other party's log."
        ),
    ),
    "TRANSPORT_FAILED": Words(
        _("The line between the parties failed."),
        RUN,
        _(
            "The site tries once more by itself. If that fails too, both operators check that"
            " the regulator's port is open to the modeler's host."
        ),
    ),
    "PEER_NOT_AUTHENTICATED": Words(
        _("Whoever is at the other end of the line did not prove to be the other party."),
        RUN,
        _(
            "If the other party has a new certificate, hand its public descriptor over again "
            "and compare the digests; if it has not, something else listens on its address."
        ),
    ),
    "OTHER_SESSION": Words(
        _("The other party opened the line for another job."),
        RUN,
        _(
            "Nothing by hand: each party waits for the job that it was given. If it stays so,"
            " see that both run with one site only."
        ),
    ),
    "OTHER_LINE": Words(
        _("The other party opened another line of the same job than was awaited."),
        RUN,
        _("Propose the run again. If it happens again, install the same version on both sides."),
    ),
    "OTHER_JOB": Words(
        _("The other party came for another job or attempt."),
        UNCHARGED,
        _(
            "The run can be proposed again. If it happens again, both operators check that "
            "only one site sends orders to them."
        ),
    ),
    "OTHER_VERSION": Words(
        _("The other party speaks another version of the protocol."),
        UNCHARGED,
        _(
            "Install the same version of Blind Justice on both sides, restart both workers, "
            "and propose the run again."
        ),
    ),
    "OTHER_CODE": Words(
        _("The other party runs another version of the code."),
        UNCHARGED,
        _(
            "Install the same version of Blind Justice on both sides, restart both workers, "
            "and propose the run again."
        ),
    ),
    "PEER_REFUSED": Words(
        _("The other party can't run this job; the sentence names that party's own code."),
        UNCHARGED,
        _("Look up the code in brackets and do what stands there; then propose the run again."),
    ),
    "PEER_MISBEHAVED": Words(
        _("The other party sent something that it must not send."),
        RUN,
        _(
            "Install the same version on both sides. If they are the same, the operators look"
            " at both logs before another run: one party may have been altered."
        ),
    ),
    "PROTOCOL_VIOLATION": Words(
        _("A message of the other party came out of order, or is of the wrong type or size."),
        RUN,
        _(
            "Install the same version on both sides. If they are the same, the operators look"
            " at both logs before another run: one party may have been altered."
        ),
    ),
    "OT_INCONSISTENT": Words(
        _("A check of the exchange of keys failed: the other party's part is not consistent."),
        _("Nothing was decoded. The question stays charged."),
        _(
            "Do not simply ask again: the operators find out first whether the other party's "
            "machine or software was altered."
        ),
    ),
    "FORGED_LABEL": Words(
        _("A result that the other party returned is not one that the computation can give."),
        _("Nothing was decoded. The question stays charged."),
        _(
            "Do not simply ask again: the operators find out first whether the other party's "
            "machine or software was altered."
        ),
    ),
    "SUMS_ALTERED": Words(
        _("The sums that the modeler's party entered are not the sums that it received."),
        _("Nothing was decoded. The question stays charged."),
        _(
            "Do not simply ask again: the regulator finds out first whether the modeler's "
            "machine or software was altered."
        ),
    ),
    "PROMISE_BROKEN": Words(
        _("An output of the regulator's circuit is not one that it had promised."),
        DISPUTED,
        AUDIT,
    ),
    "PROMISES_ALIKE": Words(
        _("The regulator's party promised the same for both values of an output."),
        DISPUTED,
        AUDIT,
    ),
    "PROMISE_DISPUTED": Words(
        _("The modeler's party stopped: it says that outputs are not as they were promised."),
        DISPUTED,
        AUDIT,
    ),
    "PROOF_DISPUTED": Words(
        _("The parties do not agree on the proof that the sums entered are those received."),
        DISPUTED,
        AUDIT,
    ),
    "DISPUTED": Words(
        _("The modeler's party stopped on what the regulator's party had sent."),
        DISPUTED,
        AUDIT,
    ),
    "COMMITMENT_BROKEN": Words(
        _("A party opened something else than it had committed to."),
        _("Nothing of it was taken. A question that was opened stays charged."),
        AUDIT,
    ),
    "OUTCOME_IMPLAUSIBLE": Words(
        _("The regulator's circuit gave an outcome that no cohort can have."),
        _("The modeler's party refused it and says so under its signature; the charge stays."),
        AUDIT,
    ),
    "REFUSED": Words(
        _("The modeler's party refused an outcome that it could see."),
        _("The question stays charged, and counts like one that did not pass."),
        _("Nothing more comes of this question. Ask the modeler for the reason."),
    ),
    "UNDELIVERED": Words(
        _("The answer to a question that was opened did not come in time."),
        _("The question stays charged, and counts like one that did not pass. Nobody is blamed."),
        _("Nothing more comes of this question. Both operators look at the line between them."),
    ),
    "END_UNDELIVERED": Words(
        _("Another question about the same is opened, and its answer has not come yet."),
        UNCHARGED,
        _("Run the job of that question again: it only delivers the answer. Then ask this one."),
    ),
    "END_MISSING": Words(
        _("The parties hold different ends of this question; one lost its part."),
        _("The question stays charged, and is not asked anew."),
        _("The operators compare their stores; one was set back or lost. Restore the newer one."),
    ),
    "CHECK_FAILED": Words(
        _("A cryptographic check failed."),
        _("Nothing was decoded. A question that had begun stays charged."),
        _(
            "Do not simply ask again: the operators find out first whether a machine or its "
            "software was altered."
        ),
    ),
    "PARTY_BUSY": Words(
        _("The party was at work on another job until this one's time limit had passed."),
        UNCHARGED,
        _(
            "The site tries once more by itself. If it fails again, propose the run when the "
            "other one has ended."
        ),
    ),
    "ADDRESS_IN_USE": Words(
        _(
            "The regulator's party can't listen on its address: another job runs, or another "
            "program uses the port."
        ),
        UNCHARGED,
        _(
            "The site tries once more by itself. If it stays so, the operator finds which "
            "program listens there, and stops it or changes the party's address."
        ),
    ),
    "WORKER_LOST": Words(
        _("A process of the party ended during the run."),
        RUN,
        _(
            "The site tries once more by itself. If that fails too, the operator looks in the"
            " party's log, for want of memory above all."
        ),
    ),
    "JOB_TIME_LIMIT": Words(
        _("The run's time limit passed before it was done."),
        RUN,
        _(
            "Propose the run again when the machines are idle, or have the operators raise "
            "the limit (BLINDJUSTICE_JOB_…_S and job_limit_s). A training goes on from its "
            "last epoch."
        ),
    ),
    "JOB_TIME_LIMIT_HIGH": Words(
        _("The run asks for more time than the party allows."),
        UNCHARGED,
        _(
            "The party's operator raises job_limit_s, or the site's lowers its own limit for "
            "this kind of run; then it is proposed again."
        ),
    ),
    "JOB_OTHER_CONFIGURATION": Words(
        _("The run names another configuration of the study than the party holds."),
        UNCHARGED,
        _(
            "Propose the run again from the study's page. If it stays so, a store is older "
            "than the other: restore the newer backup."
        ),
    ),
    "JOB_INVALID": Words(
        _("The text of the run is not as it should be, or lacks the settings of its kind."),
        UNCHARGED,
        _("Propose the run again from the study's page."),
    ),
    "JOB_ENDED": Words(
        _("This run has ended already, so nothing is left to stop."),
        _("The outcome of the run is kept."),
        _("Reload the page to see how it ended."),
    ),
    "NOT_CANCELLABLE": Words(
        _("Closings and verifications concern people; they go on."),
        _("The run goes on as it was."),
        _("Wait until it has ended; its time limit ends it at the latest."),
    ),
    "CANCELLED": Words(
        _("One side stopped this run for good."),
        _("Models that were opened before are kept; a question that had begun stays charged."),
        _("Propose the run anew if it is still wanted: that is signed by both sides again."),
    ),
    "ATTEMPT_REPEATED": Words(
        _("This attempt at the run, or a later one, was made before."),
        _("What the earlier attempt found is kept, and told again."),
        _("Nothing: the site follows the later attempt."),
    ),
    "ATTEMPT_LIMIT": Words(
        _("This run was attempted as often as the party allows (max_attempts)."),
        RUN,
        _("Find out by the earlier codes what failed, put it right, and propose the run anew."),
    ),
    "ATTEMPT_OVERTAKEN": Words(
        _(
            "This attempt was ended meanwhile, by its time limit or by a later attempt; what "
            "it found late does not count."
        ),
        RUN,
        _("Nothing: the later attempt says how the run goes on."),
    ),
    "STUDY_CLOSING": Words(
        _("The study is being closed already, by another run."),
        UNCHARGED,
        _("Wait until that run has ended."),
    ),
    "STUDY_NOT_CLOSED": Words(
        _("The study is not closed yet, so its list of people is not fixed."),
        UNCHARGED,
        _("Close the study first: then the records are fixed."),
    ),
    "RECORD_SET_DIFFERENT": Words(
        _("The run names another list of people than the one that was closed."),
        UNCHARGED,
        _("Propose the run again from the study's page."),
    ),
    "RECEIPT_WITHDRAWN": Words(
        _("The other party leaves out people for whom it had signed receipts."),
        CLOSING,
        _(
            "The other party's operator looks whether its store was set back to an older "
            "backup, and restores the newer one; then closing is proposed again."
        ),
    ),
    "SUM_TOO_WIDE": Words(
        _("The largest scores that the study allows are larger than can be checked."),
        UNCHARGED,
        _("Draft a study with fewer fractional bits or smaller ranges of features."),
    ),
    "CLOCKS_DIFFER": Words(
        _("The two parties' clocks are too far apart for the dates of a certificate."),
        _(
            "Nothing was charged where it shows before the run begins; a certification that "
            "ends with it stays charged."
        ),
        _(
            "Once both organisations' clocks are set by a time server (NTP), ask again; the "
            "page Health shows how far they are apart."
        ),
    ),
    "SIGNING_KEY_OTHER": Words(
        _("A party signs with another key than the study names, so what it signs does not count."),
        _(
            "Nothing was charged. What the party did is kept there, and it is asked again by "
            "and by."
        ),
        _("Once the operator of that party has put the former signing.key back, ask again."),
    ),
    "CERTIFICATE_REFUSED": Words(
        _(
            "The modeler's party did not sign the certificate; the sentence names that "
            "party's own code."
        ),
        _("The question stays charged; there is no certificate."),
        _(
            "Look up the code in brackets and do what stands there; then propose the "
            "certification again."
        ),
    ),
    "ODD_COEFFICIENT": Words(
        _("Coefficients have an odd number of bits, which the protocol can't cut into its parts."),
        UNCHARGED,
        _("This is a defect of the software: tell the operator which run it was."),
    ),
}
