"""What a party checks, charges and keeps when a model is trained in a study."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_TESTS = "tests/engine/party/test_training_job.py"
_TRAINED = "tests/engine/party/test_trained_model.py"
_CHARGES = "tests/engine/party/test_training_charges.py"
_JOB = "mpc_engine/party/jobs/training.py"
_TAKEOVERS = "mpc_engine/party/services/takeovers.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "training-on-regulators-data",
        "a model is trained only where the modeler holds the data",
        "mpc_engine/control/studies/training_terms.py",
        "    if configuration.data_holder is not Role.MODELER:",
        "    if False:",
        f"{_TESTS}::test_both_refuse_what_cannot_be_trained",
    ),
    Mutant(
        "training-not-charged",
        "an opened model is charged every bit of its coefficients",
        _JOB,
        "            millibits=millibits(training_bits(configuration, terms)),",
        "            millibits=0,",
        f"{_CHARGES}::test_each_run_is_charged_until_the_limit",
    ),
    Mutant(
        "training-operator-limit",
        "an operator may allow less than the study, of training too",
        "mpc_engine/party/ledger/entries.py",
        "    return party.config.training_bits_limit if trains else "
        "party.config.question_bits_limit",
        "    return 100_000",
        f"{_CHARGES}::test_the_operators_own_limit_holds",
    ),
    Mutant(
        "invitation-beside-table",
        "where a table was committed to, nobody else is invited",
        "mpc_engine/party/services/invitations.py",
        "        and not invitations.credentials.keys() <= commitment.positions().keys()\n",
        "        and False\n",
        "tests/engine/party/test_committed_data.py::test_nobody_is_invited_beside_the_table",
    ),
    Mutant(
        "commitment-unchecked",
        "the modeler's party trains on rows that open the signed commitment only",
        "mpc_engine/party/services/committed_data.py",
        "    if commit(rows, configuration.encoding_digest) != commitment:",
        "    if False:",
        "tests/engine/party/test_committed_data.py"
        "::test_a_study_trains_on_the_rows_that_were_committed_to",
    ),
    Mutant(
        "commitment-not-held",
        "a party accepts no commitment to a table that it does not have",
        "mpc_engine/party/services/configurations.py",
        "        committed_rows(party, configuration)\n",
        "        pass\n",
        "tests/engine/party/test_committed_data.py"
        "::test_a_commitment_that_the_party_did_not_make_is_refused",
    ),
    Mutant(
        "row-salt-left-out",
        "the digest of a row cannot be found by trying rows",
        "mpc_engine/control/studies/data_commitment.py",
        "        return sha256(_ROW, self.salt, u32",
        "        return sha256(_ROW, u32",
        "tests/engine/control/test_data_commitment.py"
        "::test_the_same_row_has_another_digest_under_another_salt",
    ),
    Mutant(
        "opened-row-unchecked",
        "an opened row must lead to the signed root",
        "mpc_engine/control/studies/data_commitment.py",
        "    if path or (index, size) != (0, 1) or not hmac.compare_digest(root, commitment.root):",
        "    if False:",
        "tests/engine/control/test_data_commitment.py::test_every_row_opens_and_no_other",
    ),
    Mutant(
        "sealed-model-other-key",
        "the site keeps no model that was sealed to another key than both signed",
        "blindjustice_web/certificates/trainings.py",
        'engine_client.stored_body(job.spec)["recipient"] != message.content.recipient.hex()',
        "False",
        "tests/web/test_trainings.py::test_a_sealed_model_of_no_training_is_not_kept",
    ),
    Mutant(
        "sealed-model-to-everybody",
        "a sealed model is handed to the modeler's members alone",
        "blindjustice_web/api/models.py",
        "    require_role(access.role, Role.MODELER, ONLY_MODELER)\n    sealed =",
        "    sealed =",
        "tests/web/test_trainings.py::test_a_sealed_model_is_served_to_the_modeler_alone",
    ),
    Mutant(
        "trained-model-digest-unchecked",
        "an opened model is the one that its party named",
        "mpc_engine/control/files/trained_model.py",
        "    if not hmac.compare_digest(trained_model_digest(text), digest):",
        "    if False:",
        f"{_TRAINED}::test_the_digest_hides_the_model_and_names_it",
    ),
    Mutant(
        "trained-model-salt",
        "the digest of a sealed model cannot be found by trying coefficients",
        "mpc_engine/party/jobs/model_delivery.py",
        "party.rng.bytes(MODEL_SALT_BYTES)",
        "bytes(MODEL_SALT_BYTES)",
        f"{_TRAINED}::test_the_digest_hides_the_model_and_names_it",
    ),
    Mutant(
        "recipient-of-low-order",
        "a model is sealed to a usable key only",
        "mpc_engine/crypto/hpke.py",
        "        _ANY_KEY.exchange(curve)\n",
        "",
        "tests/engine/control/test_jobs.py::test_a_model_is_sealed_to_a_usable_key_only",
    ),
    Mutant(
        "training-few-people",
        "nobody trains on fewer people than the rule needs answers",
        _JOB,
        "        if self.run.study.n_records < self.configuration.policy.minimum_answers:",
        "        if False:",
        f"{_TESTS}::test_a_cohort_below_the_rules_answers_is_not_trained_on",
    ),
    Mutant(
        "training-end-before-stored",
        "the regulator's party reports no end of a training before the model is stored",
        _JOB,
        "            ctx.channel.recv(PartyTag.MODEL_STORED, size=0)\n",
        "",
        f"{_CHARGES}::test_the_regulator_reports_no_end_before_the_model_is_stored",
    ),
    Mutant(
        "training-overwrites-model",
        "a trained model takes no number of another model",
        _JOB,
        "                require_free_model_id(self.party, model_id, self._origin)\n",
        "                pass\n",
        f"{_CHARGES}::test_a_number_of_another_model_is_refused",
    ),
    Mutant(
        "training-any-bounds",
        "the regulator's party takes no bounds of the data that cannot be",
        _JOB,
        "    if not all(1 <= bound <= _MAX_BOUND for bound in bounds):",
        "    if False:",
        f"{_TESTS}::test_the_regulator_takes_no_bounds_that_cannot_be",
    ),
    Mutant(
        "sweep-charged-one-by-one",
        "a sweep whose points together pass the limit is refused whole",
        "mpc_engine/party/ledger/asking.py",
        "            ahead += asking.check(connection, ahead)",
        "            asking.check(connection, 0)",
        f"{_TESTS}::test_a_sweep_that_would_pass_the_limit_is_refused_whole",
    ),
    Mutant(
        "sweep-one-question",
        "every point of a sweep is a question of its own",
        _JOB,
        "        configuration, terms = self.configuration, self._terms.at(number)",
        "        configuration, terms = self.configuration, self._terms.at(0)",
        f"{_TESTS}::test_each_point_of_a_sweep_is_a_model_and_a_charge_of_its_own",
    ),
    Mutant(
        "sweep-overtaken-point-kept",
        "an attempt that was ended meanwhile keeps no further model",
        _JOB,
        "            self._require_running(connection)\n            yield connection",
        "            yield connection",
        f"{_TESTS}::test_an_attempt_that_was_ended_meanwhile_keeps_no_further_model",
    ),
    Mutant(
        "takeover-unsigned",
        "models go from one study into another by the modeler's signature alone",
        _TAKEOVERS,
        '        "takeover", order.text, [order.approval], party.trusted_approvers(), '
        "[Role.MODELER]",
        '        "takeover", order.text, [order.approval], party.trusted_approvers(), []',
        "tests/engine/party/test_takeovers.py::test_what_the_modeler_did_not_sign_is_refused",
    ),
    Mutant(
        "takeover-into-any-study",
        "a takeover names the study and its configuration",
        _TAKEOVERS,
        "    if (takeover.study_id, takeover.configuration) != "
        "(order.study_id, configuration.digest):",
        "    if False:",
        "tests/engine/party/test_takeovers.py::test_what_the_modeler_did_not_sign_is_refused",
    ),
    Mutant(
        "takeover-of-anybodys-model",
        "the site hands over models of the modeler's own organisation alone",
        "blindjustice_web/certificates/takeovers.py",
        "        study__in=studies_for(user),\n",
        "",
        "tests/web/test_takeovers.py::test_a_model_of_another_organisation_is_not_there",
    ),
    Mutant(
        "accuracy-told-to-everybody",
        "accuracy in training is told to the study's two organisations alone",
        "blindjustice_web/portals/public/certificate_page.py",
        "        study_for(request.user, certificate.study_id)\n",
        "        pass\n",
        "tests/web/test_curve.py::test_accuracy_is_told_to_the_two_organisations_alone",
    ),
    Mutant(
        "trained-model-by-the-regulator",
        "only the modeler's party has a word about a trained model",
        "mpc_engine/control/post/exchanges/about_models.py",
        'kind="model_trained", said_by=MODELER_ALONE',
        'kind="model_trained"',
        "tests/web/test_trainings.py::test_the_regulators_party_has_no_word_about_a_trained_model",
    ),
    Mutant(
        "exported-model-readable",
        "an exported model may be read by its owner alone",
        "mpc_engine/party/commands/cli.py",
        '    write_private(options.out, model_text(theta, configuration, target).encode("utf-8"))',
        '    options.out.write_text(model_text(theta, configuration, target), "utf-8")',
        f"{_TRAINED}::test_an_exported_model_is_private_and_reads_back_to_the_same_integers",
    ),
    Mutant(
        "material-randomness-shared",
        "the thread that makes material draws from a source of its own",
        "mpc_engine/party/jobs/runner.py",
        "OfflineLine(lines[1], self._party.offline_rng)",
        "OfflineLine(lines[1], self._party.rng)",
        "tests/engine/party/test_training_job.py"
        "::test_the_thread_of_material_has_a_source_and_a_line_of_its_own",
    ),
)
