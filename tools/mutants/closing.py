"""Submissions, receipts and the closed cohort."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_INTAKE = "tests/engine/sharing/test_intake.py::test_a_dishonest_submission_is_refused"
_SUCCESSION = (
    "tests/engine/sharing/test_intake.py"
    "::test_a_later_submission_needs_the_first_ones_owner_and_its_own_sequence"
)
_SEALED = (
    "tests/engine/sharing/test_sealed.py::test_what_is_sealed_here_opens_in_the_same_context_only"
)
_PARTY_INTAKE = "tests/engine/party/test_intake.py"
_CLOSING = "tests/engine/protocols/test_closing.py"
_CLOSING_JOB = "tests/engine/party/test_closing_job.py"

_INTAKE_FILE = "mpc_engine/sharing/intake.py"
_PARTY_INTAKE_FILE = "mpc_engine/party/services/intake.py"
_SEALED_FILE = "mpc_engine/sharing/sealed.py"
_LIST_FILE = "mpc_engine/protocols/closing/record_list.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "seal-without-configuration",
        "an envelope opens under the configuration it was sealed for, and no other",
        _SEALED_FILE,
        "            self.config_digest,\n",
        '            b"",\n',
        _SEALED,
        shows="DID NOT RAISE",
    ),
    Mutant(
        "seal-without-study",
        "an envelope opens in the study it was sealed for, and no other",
        _SEALED_FILE,
        "            self.study_id,\n",
        '            b"",\n',
        _SEALED,
        shows="DID NOT RAISE",
    ),
    Mutant(
        "seal-without-record",
        "an envelope opens for the record, model or challenge it was sealed for, and no other",
        _SEALED_FILE,
        "            self.record_id,\n",
        '            b"",\n',
        _SEALED,
        shows="DID NOT RAISE",
    ),
    Mutant(
        "seal-without-purpose",
        "an envelope opens for the purpose it was sealed for, and no other",
        _SEALED_FILE,
        '            self.purpose.value.encode("ascii"),\n',
        '            b"",\n',
        _SEALED,
        shows="DID NOT RAISE",
    ),
    Mutant(
        "padding-unread",
        "a padded message is read back exactly or refused",
        _SEALED_FILE,
        "    if len(data) != length or not intact:",
        "    if len(data) != length:",
        "tests/engine/sharing/test_sealed.py::test_other_paddings_are_refused",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "submission-signature-skipped",
        "a submission is signed by its owner over both shares: half a replacement is refused",
        _INTAKE_FILE,
        "        verify_p256(owner_public_key, submission_message(common_digest, *digests), "
        "signature)",
        "        submission_message(common_digest, *digests)",
        f"{_INTAKE}[modeler: half a replacement: the other share is an earlier one]",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "credential-ignored",
        "a submission needs the code of its record's invitation",
        _INTAKE_FILE,
        "    if not hmac.compare_digest(reader.take(len(common.owner_key_hash)), credential):",
        '    if reader.take(len(common.owner_key_hash)) == b"":',
        f"{_PARTY_INTAKE}::test_the_code_of_another_record_is_refused",
    ),
    Mutant(
        "sender-keys-unchecked",
        "the keys that a party sends with are those of the common block",
        _INTAKE_FILE,
        "        if hash_key(entry, sends, side, key) != hashes[2 * sends + side]:",
        "        if False:",
        f"{_INTAKE}[regulator: sent keys are swapped, entry 0]",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "chosen-key-unchecked",
        "the key that a party chose is that of its bit in the common block",
        _INTAKE_FILE,
        "    if hash_key(entry, chooses, bit, chosen) != hashes[2 * chooses + bit]:",
        "    if False:",
        f"{_INTAKE}[modeler: share's low bit is flipped, entry 0]",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "equal-keys-accepted",
        "the two keys of an entry differ",
        _INTAKE_FILE,
        "    if hashes[0] == hashes[1] or hashes[2] == hashes[3] or hmac.compare_digest(*pair):",
        "    if False:",
        f"{_INTAKE}[regulator: sent keys are equal, entry 0]",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "data-uncommitted",
        "a person's data are those she committed to before both parties",
        _INTAKE_FILE,
        "    if not hmac.compare_digest(data_commitment(blind, data), commitment):",
        "    if False:",
        f"{_INTAKE}[regulator: outcome differs from the commitment]",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "sequence-of-block-ignored",
        "a common block belongs to the submission and the sequence it arrives under",
        _INTAKE_FILE,
        "    if common.sequence != sequence:",
        "    if False:",
        f"{_INTAKE}[modeler: common block has another sequence]",
    ),
    Mutant(
        "owner-may-change",
        "an answer is replaced by the owner of the first one only",
        _INTAKE_FILE,
        "    if any(known.owner_public_key != owner_public_key for known in earlier):",
        "    if False:",
        f"{_PARTY_INTAKE}::test_an_answer_may_be_replaced_by_its_owner_only",
    ),
    Mutant(
        "sequence-replayed",
        "a sequence belongs to one submission of a record",
        _INTAKE_FILE,
        "        if (known.sequence == sequence) != (known.submission_id == submission_id):",
        "        if False:",
        _SUCCESSION,
    ),
    Mutant(
        "envelope-replayed",
        "an envelope is taken once in a study, whatever cover it arrives under",
        _PARTY_INTAKE_FILE,
        "    if repeated is not None:",
        "    if False:",
        f"{_PARTY_INTAKE}::test_an_encapsulated_key_is_taken_once_in_a_study",
    ),
    Mutant(
        "closed-study-open",
        "a study that closes takes no more answers",
        _PARTY_INTAKE_FILE,
        "    if state is not StudyState.OPEN:",
        "    if False:",
        f"{_CLOSING_JOB}::test_after_closing_shares_and_their_key_are_gone",
    ),
    Mutant(
        "receipt-withdrawn",
        "a party that signed a receipt cannot leave that record out",
        _LIST_FILE,
        "    if peer_receipts - peer:",
        "    if False:",
        f"{_CLOSING}::test_a_party_cannot_leave_out_a_record_it_signed_a_receipt_for",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "half-replacement-counts",
        "an answer that only one party holds does not replace the one that both hold",
        _LIST_FILE,
        "    for entry in own & peer:",
        "    for entry in own:",
        f"{_CLOSING}::test_half_a_replacement_does_not_kill_the_earlier_answer",
    ),
    Mutant(
        "earlier-answer-counts",
        "the latest answer that both parties hold is the current one",
        _LIST_FILE,
        "        if known is None or entry[1] > known[1]:",
        "        if known is None or entry[1] < known[1]:",
        f"{_CLOSING}::test_the_highest_sequence_both_hold_is_the_current_answer",
    ),
    Mutant(
        "record-list-unordered",
        "a record list is sorted and names no record and sequence twice",
        _LIST_FILE,
        "        (first[0], first[1]) >= (second[0], second[1])",
        "        False",
        f"{_CLOSING}::test_a_record_list_that_is_unsorted_broken_or_repeats_is_refused",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "two-answers-valid",
        "a row with two answers to one question leaves the cohort",
        "mpc_engine/protocols/closing/circuit.py",
        "builder.and_(parity, builder.not_(overlap))",
        "parity",
        f"{_CLOSING}::test_the_validity_circuit_equals_its_oracle_on_every_row",
    ),
    Mutant(
        "receipt-of-another-study",
        "receipts handed over with a closing are the other party's for this study",
        "mpc_engine/party/jobs/closing.py",
        "        if not isinstance(told, Receipt) or told.study_id != self.spec.study_id:",
        "        if not isinstance(told, Receipt):",
        f"{_CLOSING_JOB}::test_a_receipt_that_binds_nobody_is_counted_and_blocks_no_closing",
    ),
    Mutant(
        "receipts-passed-over",
        "receipts that do not count are passed over, and none besides",
        "mpc_engine/party/jobs/closing.py",
        "        return set(entries)",
        "        return set() if n_skipped else set(entries)",
        f"{_CLOSING_JOB}::test_receipts_passed_over_excuse_no_record_that_is_left_out",
    ),
    Mutant(
        "receipt-by-published-key",
        "the site counts a receipt by the key that the study's configuration names",
        "blindjustice_web/conduct/message_keys.py",
        "    if opened is None:",
        "    if opened:",
        "tests/web/test_messages.py::"
        "test_a_receipt_by_another_key_than_the_study_names_does_not_count",
    ),
    Mutant(
        "shares-kept",
        "people's shares are deleted when the study closes",
        "mpc_engine/party/jobs/closing_parts.py",
        '        connection.execute("DELETE FROM shares WHERE study_id = ?", (study_id,))\n',
        "",
        f"{_CLOSING_JOB}::test_after_closing_shares_and_their_key_are_gone",
    ),
    Mutant(
        "study-key-kept",
        "the key that opened people's shares is destroyed when the study closes",
        "mpc_engine/party/services/study_keys.py",
        "    party.keys.destroy_study_key(study_id, key_id)\n    with",
        "    with",
        f"{_CLOSING_JOB}::test_after_closing_shares_and_their_key_are_gone",
    ),
    Mutant(
        "study-key-not-retired",
        "nothing is taken that was sealed for a key of before the closing",
        "mpc_engine/party/studies/known_study.py",
        '    if row["state"] != "CURRENT":',
        "    if False:",
        f"{_CLOSING_JOB}::test_after_closing_shares_and_their_key_are_gone",
    ),
)
