"""Signed and sealed texts, and their one byte form."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_CANONICAL = "tests/engine/control/test_canonical.py"
_APPROVALS = "tests/engine/control/test_approvals.py"
_CERTIFICATE = "tests/engine/control/test_certificate.py"
_MESSAGES = "tests/engine/control/test_messages.py"
_NAMES = "tests/engine/control/test_names.py"
_NAMES_FILE = "mpc_engine/control/texts/names.py"
_TERMS_FILE = "mpc_engine/control/policies/study_terms.py"
_CANONICAL_FILE = "mpc_engine/control/texts/canonical.py"
_APPROVALS_FILE = "mpc_engine/control/texts/approvals.py"
_CERTIFICATE_FILE = "mpc_engine/control/files/certificate.py"

_TABLES = "tests/engine/party/test_table_vectors.py"
_TABLE_FILE = "mpc_engine/sharing/data_table.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "table-comma-guessed",
        "a number with a comma is read only where its table says that it writes decimals so",
        _TABLE_FILE,
        "        if not decimal_comma:",
        "        if False:",
        f"{_TABLES}::test_a_fault_is_named_by_code_and_row[DECIMAL_COMMA0]",
    ),
    Mutant(
        "table-broken-text-read",
        "a cell whose bytes are no UTF-8 is refused",
        _TABLE_FILE,
        '            if "\\ufffd" in cell:',
        "            if False:",
        f"{_TABLES}::test_a_fault_is_named_by_code_and_row[TEXT_BROKEN]",
    ),
    Mutant(
        "canonical-form-unchecked",
        "a signed text has one byte form: no white space, no doubled name, no other order",
        _CANONICAL_FILE,
        "    if not same:",
        "    if False:",
        f"{_CANONICAL}::test_every_other_way_to_write_a_value_is_refused",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "canonical-depth-unchecked",
        "a text that is nested too deeply is refused",
        _CANONICAL_FILE,
        "    if depth > MAX_DEPTH:",
        "    if False:",
        f"{_CANONICAL}::test_long_and_deep_texts_are_refused",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "canonical-length-unchecked",
        "a text that is too long is refused before it is read",
        _CANONICAL_FILE,
        "        if len(raw) > limit:",
        "        if False:",
        f"{_CANONICAL}::test_long_and_deep_texts_are_refused",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "unicode-forms-differ",
        "two ways to write one character give one text",
        _CANONICAL_FILE,
        '        return unicodedata.normalize("NFC", value)',
        "        return value",
        f"{_CANONICAL}::test_strings_are_brought_to_one_unicode_form",
    ),
    Mutant(
        "name-may-turn-text",
        "no name or title hides characters or turns the sentence that it stands in",
        _NAMES_FILE,
        "        unicodedata.category(character) in _REFUSED and character not in _JOINERS",
        "        False",
        f"{_NAMES}::test_a_study_does_not_take_a_name_that_reads_as_something_else",
        shows="assert [] == [",
    ),
    Mutant(
        "name-unseen-characters-count",
        "two answers that look the same are one: unseen characters tell nothing apart",
        _NAMES_FILE,
        'unicodedata.normalize("NFKC", _UNSEEN.sub("", text))',
        'unicodedata.normalize("NFKC", text)',
        f"{_NAMES}::test_names_that_look_the_same_are_one",
    ),
    Mutant(
        "answer-doublet-accepted",
        "no two answers look the same, nor one like \u201cprefer not to say\u201d",
        _TERMS_FILE,
        "        _check_answers(fields, attribute.categories)",
        "        pass",
        f"{_NAMES}::test_a_study_does_not_take_a_name_that_reads_as_something_else",
        shows="assert [] == [",
    ),
    Mutant(
        "approval-signature-skipped",
        "an approval is a signature of this very text by an approver",
        _APPROVALS_FILE,
        "        verify_p256(public_key, approval_message(kind, text), approval.signature)",
        "        approval_message(kind, text)",
        f"{_APPROVALS}::test_an_approval_of_another_text_or_kind_does_not_count",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "approval-without-kind",
        "an approval of one kind of text is none of another",
        _APPROVALS_FILE,
        ' + kind.encode("ascii") + ',
        " + ",
        f"{_APPROVALS}::test_an_approval_of_another_text_or_kind_does_not_count",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "approver-of-any-role",
        "the approver of one organisation does not approve for the other",
        _APPROVALS_FILE,
        "    public_key = trusted.get(approval.role, {}).get(approval.key_id)",
        "    everybody = {key: value for own in trusted.values() for key, value in own.items()}\n"
        "    public_key = everybody.get(approval.key_id)",
        f"{_APPROVALS}::test_the_key_of_one_role_cannot_approve_for_the_other",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "one-approval-enough",
        "nothing is computed that both organisations did not approve",
        _APPROVALS_FILE,
        "        if role not in approved:",
        "        if not approved:",
        "tests/engine/party/test_closing_job.py"
        "::test_a_job_needs_both_approvals_and_the_right_configuration",
    ),
    Mutant(
        "message-signature-skipped",
        "what a party says is believed under its own signature only",
        "mpc_engine/control/post/messages.py",
        "    verify_ed25519(key, _signed_bytes(claimed.body), signature)",
        "    _signed_bytes(claimed.body)",
        f"{_MESSAGES}::test_the_signature_must_be_the_stated_partys",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "pass-without-certificate",
        "a reported PASS carries its certificate and both signatures",
        "mpc_engine/control/post/exchanges/job_results.py",
        "    if verdict == Verdict.PASS:",
        '    if verdict == "PASS" and fields.has("certificate"):',
        f"{_MESSAGES}::test_a_pass_without_its_certificate_is_refused",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "reason-without-undetermined",
        "a verdict has a reason if, and only if, it is undetermined",
        "mpc_engine/control/post/exchanges/job_results.py",
        'tuple(NoVerdict) if verdict == Verdict.UNDETERMINED else ("",)',
        '(*NoVerdict, "")',
        f"{_MESSAGES}::test_a_verdict_names_criterion_and_reason",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "certificate-signature-skipped",
        "a certificate has both parties' signatures over its exact bytes",
        _CERTIFICATE_FILE,
        "        verify_ed25519(signing_key, _signed_bytes(text), signature)",
        "        _signed_bytes(text)",
        f"{_CERTIFICATE}::test_the_party_whose_signature_is_wrong_is_named",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "certificate-key-unpublished",
        "a certificate names the keys that the parties published",
        _CERTIFICATE_FILE,
        "        if signing_keys[role] not in (stated[role], key_id(stated[role])):",
        "        if False:",
        f"{_CERTIFICATE}::test_an_unpublished_key_is_named",
    ),
    Mutant(
        "signed-file-of-two-texts",
        "a file that names its text twice is not judged by one of them",
        "mpc_engine/control/texts/signed_file.py",
        "    if len(value) < len(pairs):",
        "    if False:",
        "tests/engine/party/test_check_certificate.py::test_a_file_that_names_a_text_twice_is_refused",
    ),
    Mutant(
        "certificate-never-expires",
        "a certificate is valid between its dates only",
        _CERTIFICATE_FILE,
        "    if not certificate.valid_from <= at < certificate.valid_until:",
        "    if False:",
        f"{_CERTIFICATE}::test_dates_are_checked",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "certificate-of-another-study",
        "every field of a certificate that the study fixes is compared with it",
        _CERTIFICATE_FILE,
        "        if found != wanted:",
        "        if False:",
        f"{_CERTIFICATE}::test_a_field_that_differs_from_the_study_is_named",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "decision-signature-skipped",
        "a decision record is the modeler's word, signed",
        "mpc_engine/control/files/decision_record.py",
        "        verify_ed25519(signing_key, _signed_bytes(body), signature)",
        "        _signed_bytes(body)",
        "tests/engine/control/test_decision_record.py"
        "::test_another_signer_or_an_altered_decision_is_refused",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "covariance-asked",
        "no policy names the covariance, from which a model reads one person",
        "mpc_engine/control/policies/policy.py",
        "    if CriterionName.COVARIANCE in names:",
        "    if False:",
        "tests/engine/control/test_policy.py"
        "::test_a_policy_that_certifies_nothing_is_refused_by_name",
    ),
    Mutant(
        "numbers-in-a-study-of-verdicts",
        "a policy that calls its study one of verdicts opens nothing beside them",
        "mpc_engine/control/policies/policy.py",
        "    if policy.kind == StudyKind.VERDICT and opened:",
        "    if False:",
        "tests/engine/control/test_policy.py::test_a_study_of_verdicts_opens_nothing_else",
    ),
    Mutant(
        "job-of-another-kind",
        "an approved text of one kind is not read as another",
        "mpc_engine/control/post/jobs.py",
        "    fields.end()\n",
        "",
        "tests/engine/hostile/test_fuzz_texts.py::test_a_job_replayed_as_another_kind_is_refused",
    ),
    Mutant(
        "unread-bytes-accepted",
        "bytes that no field accounts for are refused",
        "mpc_engine/wire/codec.py",
        "        if self.remaining:",
        "        if False:",
        "tests/engine/wire/test_codec.py"
        "::test_a_reader_refuses_to_read_past_the_end_and_to_leave_bytes",
    ),
)
