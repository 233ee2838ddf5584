"""Words for the codes of one subject: studies, policies, invitations and data."""

from __future__ import annotations

from mpc_engine.error_words.rows import CLOSING, NOTHING, UNCHARGED, Words
from mpc_engine.error_words.rows import marked as _

TITLE = _("Studies, policies, invitations and data")
OVER = _(
    "That is final: the party that says so has deleted these answers, and nothing is asked about"
    " them. If the other one has not, it does when closing is proposed once more, or at its"
    " deadline."
)
ANEW = _(
    "People can be asked anew in another study, and must be told why. Before that both operators"
    " find out whether a machine or its software was altered."
)
WORDS = {
    "CONFIGURATION_INVALID": Words(
        _(
            "A field of a study's draft or configuration is not as it should be; the sentence"
            " names it."
        ),
        _("The draft is kept as it was saved last; nothing was signed."),
        _("Correct the field that is named and save the draft again."),
    ),
    "CONFIGURATION_OTHER_STUDY": Words(
        _("The configuration that both sides signed belongs to another study."),
        _("The party took nothing of it; the text is kept."),
        _("Decline the proposal and submit the draft anew."),
    ),
    "CONFIGURATION_FIXED": Words(
        _(
            "The party holds another configuration of this study, and something rests on it "
            "already."
        ),
        _("The configuration that the party holds stays as it is, with all answers."),
        _("Go on with that one. For other terms, draft another study."),
    ),
    "CONFIGURATION_OTHER_STUDY_KEY": Words(
        _("The configuration names a sealing key that this party did not make for the study."),
        _("The party took nothing of it; nobody can answer under it."),
        _("Decline the proposal and submit the draft again: the parties' keys are asked for anew."),
    ),
    "CONFIGURATION_OTHER_SIGNING_KEY": Words(
        _("The configuration names another signing key than the party's."),
        _("The text is kept; nothing was opened with it."),
        _(
            "If a party's key was replaced by mistake, its operator puts the earlier "
            "signing.key back. Else decline the proposal and submit the draft anew."
        ),
    ),
    "QUESTION_LIMIT_ABOVE_PARTY": Words(
        _("The study allows its answers to tell more bits than a party's own limit does."),
        _("The draft is kept; nothing was signed."),
        _(
            "Name a limit of at most the party's, or have its operator raise "
            "question_bits_limit (training_bits_limit where a model is trained), run init and"
            " restart the worker."
        ),
    ),
    "TRAINING_ABOVE_QUESTION_LIMIT": Words(
        _(
            "Even the cheapest training of a model with these features opens more bits than "
            "the study allows."
        ),
        _("The draft is kept; nothing was signed."),
        _("Raise the study's limit of bits in the draft, or use fewer features."),
    ),
    "POLICY_ABOVE_QUESTION_LIMIT": Words(
        _("One certification under this policy can tell more bits than the study allows at all."),
        _("The draft is kept; nothing was signed."),
        _(
            "Raise the study's limit of bits in the draft, or choose a policy with fewer "
            "groups, fewer criteria or less that is opened."
        ),
    ),
    "POLICY_GROUP_UNKNOWN": Words(
        _("The policy compares groups by an attribute that the study does not ask for."),
        _("The draft is kept; nothing was signed."),
        _(
            "Add the attribute to the study's questions, or choose a policy that names its "
            "attributes."
        ),
    ),
    "POLICY_TOO_MANY_GROUPS": Words(
        _("The policy compares more groups than can be compared."),
        _("The draft is kept; nothing was signed."),
        _("Leave out an intersection or merge categories of an attribute."),
    ),
    "POLICY_COVARIANCE": Words(
        _(
            "The policy asks for the covariance of score and group, from which a model made for "
            "it would read one person's answer, and which certifies nothing."
        ),
        _("The policy or draft is kept unpublished; nothing was signed."),
        _("Ask for a criterion on the decisions, such as the p%-rule."),
    ),
    "POLICY_NO_BOUND_ON_RATES": Words(
        _("No criterion of the policy bounds a rate, a ratio or a difference of decisions."),
        _("The policy or draft is kept unpublished; nothing was signed."),
        _("Add a ratio or a difference beside the test."),
    ),
    "POLICY_NO_WORST_CASE": Words(
        _(
            "The policy asks for the worst case of missing answers, which a criterion or "
            "setting of it does not have."
        ),
        _("The policy or draft is kept unpublished; nothing was signed."),
        _("Choose criteria that have a worst case, or leave missing answers out."),
    ),
    "POLICY_KIND_UNFIT": Words(
        _(
            "The policy opens something that its kind of study does not open, or names itself a "
            "study of published numbers and opens nothing but a verdict."
        ),
        _("The policy or draft is kept unpublished; nothing was signed."),
        _(
            "Leave out what the message names, with one limit a criterion, or choose the other "
            "kind of study."
        ),
    ),
    "POLICY_NO_LADDER": Words(
        _(
            "The policy is to open the bracket of a criterion that has only one limit, or "
            "none that rise."
        ),
        _("The policy or draft is kept unpublished; nothing was signed."),
        _("Give the criterion a rising list of limits, or open the verdict alone."),
    ),
    "POLICY_GROUPS_CROSSED_IN_PART": Words(
        _(
            "Comparisons of the policy have attributes in common, and none crosses all of these, "
            "so that two counts could tell one person's answer."
        ),
        _("The policy or draft is kept unpublished; nothing was signed."),
        _(
            "Add the comparison that crosses all of them, or leave out crossed ones until no two "
            "have an attribute in common."
        ),
    ),
    "INVITATIONS_INVALID": Words(
        _("A list of invitations is not as it should be, or invites a record twice."),
        _("The party took none of the list; invitations made before stay valid."),
        _("Make the list again on the study's page, each record once."),
    ),
    "INVITATIONS_OTHER_STUDY": Words(
        _("A list of invitations is for another study, configuration or party."),
        _("The party took none of the list; invitations made before stay valid."),
        _("Open the page of the right study and make the invitations there."),
    ),
    "INVITATION_NOT_COMMITTED": Words(
        _("A list invites a record that belongs to no row of the table that was committed to."),
        _("The party took none of the list; invitations made before stay valid."),
        _(
            "Make the invitations on the study's page: there, links are made for the records "
            "of the committed rows."
        ),
    ),
    "INVITATION_CHANGED": Words(
        _("A record was invited before with another code."),
        _("The earlier invitation and its link stay valid; none of this list was taken."),
        _(
            "Use the link that was made first. For a new link, invite the person under a new "
            "record."
        ),
    ),
    "STUDY_UNKNOWN": Words(
        _("The party does not know this study."),
        NOTHING,
        _(
            "Check the number. If the party was restored from an older backup, have the site "
            "send everything anew (docs/operations.md, backups)."
        ),
    ),
    "NOT_FOR_THIS_PARTY": Words(
        _("The order is one that only the other side's party takes."),
        NOTHING,
        _("Give the order to the other party; on the site, its own people see the button."),
    ),
    "DATA_INVALID": Words(
        _(
            "The data file's sealed content is not as it should be; the sentence names the "
            "row or field."
        ),
        _("Nothing of the file was taken; what the party held before it still holds."),
        _("Choose the table on the study's page once more and upload it from there."),
    ),
    "DATA_OTHER_CONFIGURATION": Words(
        _("The data were prepared for another study or another version of its configuration."),
        _("Nothing of the file was taken; what the party held before it still holds."),
        _("Upload the table from the page of this study."),
    ),
    "DATA_ROW_DOUBLED": Words(
        _("A record stands in two rows of the data."),
        _("Nothing of the file was taken; what the party held before it still holds."),
        _("Leave one row for each record and upload the table again."),
    ),
    "DATA_VALUE_OUT_OF_RANGE": Words(
        _("A value in the data lies outside the range of its feature."),
        _("Nothing of the table was taken; what the party held before it still holds."),
        _("Correct the value or its unit in the row that is named, and hand the table in again."),
    ),
    "DATA_NOT_BY_FILE": Words(
        _("In this study the data come from the people, not from a file."),
        NOTHING,
        _("Nothing need be uploaded: people enter their values with their answers."),
    ),
    "DATA_COMMITTED": Words(
        _("The study's table was committed to before people were asked; no other is taken."),
        _("The committed table is kept and counts."),
        _("Go on with it. For other data, draft another study."),
    ),
    "DATA_FIXED": Words(
        _("The study is closed, or this upload was used before; its data stay as they are."),
        _("The data that the party holds are kept."),
        _("Go on with them. For other data, draft another study."),
    ),
    "DATA_RECORD_UNKNOWN": Words(
        _("A row of the data belongs to a record that nobody was invited under."),
        _("Nothing of the file was taken; what the party held before it still holds."),
        _("Correct the record's number, or take the row out, and upload the table again."),
    ),
    "DATA_COMMITMENT_UNKNOWN": Words(
        _("The study names a commitment to a table that this party did not make."),
        _("The party took nothing; the table on its machine is as it was."),
        _(
            "Make the commitment with the party's command commit-data, and put what it writes"
            " into the draft."
        ),
    ),
    "DATA_COMMITMENT_BROKEN": Words(
        _(
            "The rows that the party stored, or how the study reads them, are not what was "
            "committed to."
        ),
        _("Nothing was sent; the commitment that people read stands."),
        _(
            "Restore the party's store from a backup made after the commitment. Without one, "
            "draft another study with a new commitment."
        ),
    ),
    "DATA_NOT_COMMITTED": Words(
        _("No table was committed to in this study, or not by this party."),
        NOTHING,
        _(
            "Only a study whose configuration holds a commitment of the modeler has committed"
            " rows; look at the study's number."
        ),
    ),
    "OPENING_INVALID": Words(
        _("The file is not a list of opened rows of a commitment."),
        NOTHING,
        _("Use the file that the modeler's party wrote, unchanged."),
    ),
    "OPENING_OTHER_STUDY": Words(
        _("The opened rows are of another study."),
        NOTHING,
        _("Ask the modeler for the rows of this study."),
    ),
    "ROW_NOT_COMMITTED": Words(
        _("A row is not one of those that were committed to."),
        NOTHING,
        _(
            "Check the row's number. If the modeler handed this row over as a committed one, "
            "it is not: say so to the regulator."
        ),
    ),
    "RECORDS_WITHOUT_DATA": Words(
        _("Some people who answered have no row in the data file."),
        UNCHARGED,
        _(
            "Upload a table with a row for every record that was invited, before the study "
            "closes; afterwards no run is possible with these people."
        ),
    ),
    "NO_FEATURES": Words(
        _("The party that should hold the data holds no features or outcomes for these people."),
        UNCHARGED,
        _("Check in the study's terms who holds the data, and that the upload was accepted."),
    ),
    "NO_RECORDS": Words(
        _("No record is left: nobody's answer was accepted by both parties."),
        CLOSING,
        _("Wait until people have answered and hold both receipts, then propose closing again."),
    ),
    "CLOSED_DIFFERENTLY": Words(
        _("The two parties hold different runs of the study's closing, or one of them holds none."),
        _("What each holds is kept; no fresh run begins, and nothing is asked about the people."),
        _(
            "The operators compare their backups: one store was set back. The party with the "
            "older one restores the newer, and closing is proposed again."
        ),
    ),
    "LISTS_DIFFER": Words(
        _("The parties do not agree which records are to be closed, or under which terms."),
        CLOSING,
        _("Both operators install the same version and compare their stores; then close again."),
    ),
    "CLOSING_DISAGREED": Words(
        _("The two runs of the closing disagree: one party's software did not do what it must."),
        OVER,
        ANEW,
    ),
    "CLOSING_UNFINISHED": Words(
        _("A part of this study's closing did not reach a party in time."),
        _(
            "That is final at the party that says so, which has deleted its part and these answers,"
            " and nothing is asked about them. If the other one has not, it does when closing is"
            " proposed once more, or, where it waits for a part itself, at its deadline."
        ),
        ANEW,
    ),
    "NO_VALID_RECORDS": Words(
        _("Both parties agree that nobody's answer is valid."),
        OVER,
        ANEW,
    ),
    "CLOSING_WAITS": Words(
        _("A run of the closing may be settled still: a party has committed to it, or opened it."),
        _("What a party opened is sent again, the same bytes. No answers are taken meanwhile."),
        _(
            "Both operators look at the line between the parties; then closing is proposed once "
            "more. A party that a part does not reach in seven days ends the closing for good."
        ),
    ),
}
