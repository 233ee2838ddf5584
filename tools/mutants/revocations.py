"""Certificates that are taken back: by whom, which, and that both parties and checks obey."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_REVOCATIONS = "tests/engine/party/test_revocations.py"
_CHECK = "tests/engine/party/test_check_certificate.py"
_DELIVERY = "tests/web/test_revocation_delivery.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "anybody-revokes",
        "only an approver of the regulator takes a certificate back",
        "blindjustice_web/certificates/revocations.py",
        '    engine_client.check_approval("revocation", text, Role.REGULATOR, key_id, signature)',
        "    assert text",
        "tests/web/test_revocations.py::test_only_an_approver_of_the_regulator_revokes",
    ),
    Mutant(
        "revocation-of-another",
        "a signed revocation takes back the certificate that it names, no other",
        "blindjustice_web/certificates/revocations.py",
        "    if revocation.certificate_id.hex() != certificate.id:",
        "    if False:",
        "tests/web/test_revocations.py"
        "::test_a_text_about_another_certificate_or_without_reason_is_refused",
    ),
    Mutant(
        "unsigned-revocation-passed-on",
        "the site passes on only what the certificate's regulator signed",
        "blindjustice_web/certificates/revocations.py",
        "        engine_revocations.check_statement(text, signature, key)",
        "        assert key and text",
        f"{_DELIVERY}::test_a_statement_that_does_not_verify_is_not_passed_on",
    ),
    Mutant(
        "older-list-handed-out",
        "an older list of revocations does not replace a newer one",
        "blindjustice_web/certificates/revocations.py",
        "    if newest is not None and newest.number >= revoked.number:",
        "    if False:",
        f"{_DELIVERY}::test_the_newest_list_is_handed_out_and_an_older_one_is_not_taken",
    ),
    Mutant(
        "acknowledgement-of-another-text",
        "a party acknowledges the text that it was sent",
        "blindjustice_web/certificates/revocations.py",
        "message.content.revocation.hex() != engine_client.text_digest(delivery.revocation.text)",
        "False",
        f"{_DELIVERY}::test_an_acknowledgement_of_another_text_does_not_count",
    ),
    Mutant(
        "revocation-by-anybody",
        "the regulator's party signs only what its own approver signed",
        "mpc_engine/party/services/revocations.py",
        "                [Role.REGULATOR],\n",
        "                [],\n",
        f"{_REVOCATIONS}::test_a_revocation_without_the_regulators_approver_is_not_signed",
    ),
    Mutant(
        "revocation-unsigned",
        "the modeler's party obeys only the regulator's zone",
        "mpc_engine/control/files/revocation.py",
        "        verify_ed25519(regulator_key, _signed_bytes(REVOCATION_LABEL, text), signature)",
        "        assert regulator_key",
        f"{_REVOCATIONS}::test_a_revocation_by_another_key_is_not_taken",
    ),
    Mutant(
        "revocation-of-the-wrong-certificate",
        "a revocation takes back the certificate that it names, no other",
        "mpc_engine/control/files/revocation.py",
        "    if revocation.certificate_id != certificate_id:",
        "    if False:",
        f"{_REVOCATIONS}::test_a_wrong_or_unknown_certificate_is_named_and_a_later_order_is_taken",
    ),
    Mutant(
        "revocation-replaced",
        "the first revocation of a certificate stays",
        "mpc_engine/party/services/revocations.py",
        '    if row is not None and row["text"] != order.text:',
        "    if False:",
        f"{_REVOCATIONS}::test_another_text_about_a_revoked_certificate_changes_nothing",
    ),
    Mutant(
        "revocation-of-tomorrow",
        "a revocation is dated between the certificate and now",
        "mpc_engine/party/services/revocations.py",
        "    if not earliest <= revocation.revoked_at <= latest:",
        "    if False:",
        f"{_REVOCATIONS}::test_a_date_before_the_certificate_or_in_the_future_is_not_signed",
    ),
    Mutant(
        "decisions-under-a-revoked-certificate",
        "nothing new is decided under a revoked certificate",
        "mpc_engine/party/services/decisions.py",
        "    require_not_revoked(connection, certificate_id)\n",
        "    assert require_not_revoked\n",
        f"{_REVOCATIONS}::test_nothing_new_is_decided_under_a_revoked_certificate",
    ),
    Mutant(
        "revoked-model-in-use",
        "a model whose certificate was revoked is not put into use",
        "mpc_engine/party/services/models.py",
        "            require_usable_model(connection, study_id, model_id)\n",
        "            assert require_usable_model\n",
        f"{_REVOCATIONS}::test_a_model_whose_certificate_was_revoked_is_not_put_into_use",
    ),
    Mutant(
        "old-list-of-revocations",
        "a list of revocations that is out of date proves nothing",
        "mpc_engine/control/files/revocation.py",
        "    if at >= revocations.next_update:",
        "    if False:",
        f"{_CHECK}::test_a_list_that_is_out_of_date_is_no_proof",
    ),
    Mutant(
        "list-of-tomorrow",
        "a list of revocations that is dated in the future proves nothing",
        "mpc_engine/control/files/revocation.py",
        "    if revocations.issued_at > at + CLOCKS_DIFFER:",
        "    if False:",
        "tests/engine/control/test_revocation.py::test_a_list_of_the_future_is_refused",
    ),
    Mutant(
        "list-by-anybody",
        "a list of revocations is signed by the certificate's regulator",
        "mpc_engine/control/files/revocation.py",
        "        verify_ed25519(regulator_key, _signed_bytes(LIST_LABEL, text), signature)",
        "        assert regulator_key",
        f"{_CHECK}::test_a_forged_or_foreign_revocation_is_an_error_and_no_finding",
    ),
    Mutant(
        "revocation-not-read",
        "a revoked certificate is never said to be valid",
        "mpc_engine/party/commands/certificate_check.py",
        "    if listed is not None and certificate.certificate_id in listed.revoked:",
        "    if False:",
        f"{_CHECK}::test_a_revoked_certificate_is_told_from_a_valid_one",
    ),
)
