"""What keeps a cheating modeler from a verdict its model does not deserve."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_CHEATING = "tests/engine/hostile/test_cheating_modeler.py"
_KERNELS = "tests/engine/kernels/test_sums.py"
_LOCKS = "mpc_engine/secure_ops/person_locks.py"
_PLAN = "mpc_engine/crypto/tweak_plan.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "person-key-alone",
        "a person's key alone opens no label: the OT of the job is needed too",
        _LOCKS,
        "= random_ot_keys[:, :, bit] ^ locked.reshape(n_records, n_entries, 2)",
        "= locked.reshape(n_records, n_entries, 2)",
        f"{_CHEATING}::test_colluding_people_open_one_of_two_item_keys_and_never_both",
        also=(("    return random_ot_keys ^ locked", "    return locked"),),
    ),
    Mutant(
        "ot-key-alone",
        "the OT alone opens no label: the key that the person dealt is needed too",
        _LOCKS,
        "= random_ot_keys[:, :, bit] ^ locked.reshape(n_records, n_entries, 2)",
        "= random_ot_keys[:, :, bit]",
        f"{_CHEATING}::test_replaced_peoples_bits_are_caught[1]",
        shows="DID NOT RAISE",
        also=(
            (
                "    return random_ot_keys ^ locked.reshape(n_records, n_entries, 2)",
                "    return random_ot_keys",
            ),
        ),
    ),
    Mutant(
        "person-lock-entry-untweaked",
        "equal keys of a person's entries give different item keys",
        _PLAN,
        "    return np.tile((entries << np.uint64(_BLOCK_BITS)) | np.uint64(block), n_records)",
        "    return np.tile((entries << np.uint64(60)) | np.uint64(block), n_records)"
        " & np.uint64(1)",
        f"{_CHEATING}::test_people_who_chose_equal_keys_get_unequal_item_keys_from_the_person_lock",
    ),
    Mutant(
        "person-lock-direction-untweaked",
        "the two directions of a person's keys give different item keys",
        _PLAN,
        " | np.uint64(int(direction) << _DIRECTION_SHIFT)",
        "",
        f"{_CHEATING}::test_people_who_chose_equal_keys_get_unequal_item_keys_from_the_person_lock",
    ),
    Mutant(
        "sums-mac-key-known",
        "the MAC that binds the sums has a key that the modeler does not know",
        "mpc_engine/protocols/certification/sums.py",
        "        self._alpha = block_residues(session.rng.words(_n_sums(spec), 2))",
        "        self._alpha = np.zeros(_n_sums(spec), dtype=np.uint64)",
        f"{_CHEATING}::test_altered_sums_are_caught_before_anything_is_decoded[top bit]",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "scores-mac-key-known",
        "the MAC that binds the scores has a key that the modeler does not know",
        "mpc_engine/protocols/certification/scores.py",
        "        alpha = block_residues(session.rng.words(m, 2))",
        "        alpha = np.zeros(m, dtype=np.uint64)",
        f"{_CHEATING}::test_altered_scores_are_caught_before_anything_is_decoded"
        "[everybody selected]",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "scores-under-one-mac-key",
        "alterations of two parts' scores do not cancel: each part has a MAC key of its own",
        "mpc_engine/protocols/certification/scores.py",
        "        alpha = block_residues(session.rng.words(m, 2))",
        "        alpha = self.__dict__.setdefault(\n"
        '            "_kept", block_residues(session.rng.words(m, 2))\n'
        "        )",
        "tests/engine/protocols/test_parts_ahead.py"
        "::test_alterations_that_cancel_between_two_parts_are_caught",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "scores-without-mac",
        "the modeler enters the scores that it received",
        "mpc_engine/protocols/certification/scores.py",
        "        self.mac_difference += entered - sent.beta",
        "        self.mac_difference += 0 * (entered - sent.beta)",
        f"{_CHEATING}::test_altered_scores_are_caught_before_anything_is_decoded[by one]",
        also=(
            (
                "        self.mac_difference += entered - received.t\n",
                "        self.mac_difference += 0 * (entered - received.t)\n",
            ),
        ),
    ),
    Mutant(
        "mac-pads-without-value",
        "the four MAC pads of a chunk share no block, so that their sum tells nothing of alpha",
        _PLAN,
        "LEAVES) + values) << np.uint64(1)",
        "LEAVES)) << np.uint64(1)",
        "tests/engine/secure_ops/test_keyed_product.py"
        "::test_the_pads_of_a_chunks_values_share_no_block",
    ),
    Mutant(
        "seed-of-own-value-opened",
        "the modeler opens every seed but that of its value",
        "mpc_engine/secure_ops/keyed_product.py",
        "        lock = _seed_hash(hash_, label, SEED_LOCK + bottom)",
        "        lock = np.zeros_like(low)",
        "tests/engine/secure_ops/test_keyed_product.py"
        "::test_no_label_of_the_modeler_opens_the_seed_of_its_own_value",
        also=(
            (
                "    locks = np.stack("
                "[_seed_hash(hash_, low, SEED_LOCK + bit) for bit in (0, 1)], axis=1)",
                "    locks = np.zeros((n, 2, 2), dtype=np.uint64)",
            ),
        ),
    ),
    Mutant(
        "person-lock-record-untweaked",
        "equal keys of two people give different item keys",
        _PLAN,
        "    records = places | ",
        "    records = np.zeros(n_records, dtype=np.uint64) | ",
        f"{_CHEATING}::test_people_who_chose_equal_keys_get_unequal_item_keys_from_the_person_lock",
    ),
    Mutant(
        "block-place-untweaked",
        "no hash tweak serves people of two blocks",
        "mpc_engine/protocols/session.py",
        "item_instances(self.sends, n_records, n_entries, first_record)",
        "item_instances(self.sends, n_records, n_entries, 0)",
        "tests/engine/leakage/test_tweaks.py"
        "::test_no_tweak_is_used_for_more_than_two_blocks[certification]",
        also=(
            (
                "item_instances(self.takes, n_records, n_entries, first_record)",
                "item_instances(self.takes, n_records, n_entries, 0)",
            ),
        ),
    ),
    Mutant(
        "check-instance-reused",
        "no hash tweak serves the re-entry of two blocks of scores",
        "mpc_engine/protocols/certification/scores.py",
        "sent.alpha, shape.entered, sent.block)",
        "sent.alpha, shape.entered, 1)",
        "tests/engine/leakage/test_tweaks.py"
        "::test_no_tweak_is_used_for_more_than_two_blocks[certification]",
        also=(
            (
                "session.bind(labels, bits, received.block)",
                "session.bind(labels, bits, 1)",
            ),
        ),
    ),
    Mutant(
        "entered-under-a-later-number",
        "a part's scores are entered under its own number, whatever was sent meanwhile",
        "mpc_engine/protocols/certification/scores.py",
        "tweak_plan.score_labels(sent.block)",
        "tweak_plan.score_labels(self._block)",
        "tests/engine/leakage/test_tweaks.py"
        "::test_no_tweak_is_used_for_more_than_two_blocks[certification]",
        also=(
            (
                "tweak_plan.score_labels(received.block)",
                "tweak_plan.score_labels(self._block)",
            ),
        ),
    ),
    Mutant(
        "scores-among-people",
        "labels of scores share no tweak with those of people's answers",
        _PLAN,
        "_ENTERED_SCORES = 1 << 55\n",
        "_ENTERED_SCORES = 0\n",
        "tests/engine/crypto/test_tweak_plan.py::test_no_two_steps_of_a_protocol_share_a_tweak",
    ),
    Mutant(
        "model-entered-twice",
        "the model enters once, for the decisions and for the signature",
        "mpc_engine/protocols/certification/tally.py",
        "        self._scores = RegulatorScores(session, spec, theta_zero)\n",
        "        theta_zero = session.enter(len(theta_zero), 1 << 54)\n"
        "        self._scores = RegulatorScores(session, spec, theta_zero)\n",
        f"{_CHEATING}::test_another_model_for_the_decisions_than_for_the_signature_is_caught",
        shows="DID NOT RAISE",
        also=(
            (
                "        self._scores = ModelerScores(",
                "        theta_labels = session.enter(bits, 1 << 54)\n"
                "        self._scores = ModelerScores(",
            ),
        ),
    ),
    Mutant(
        "signature-without-pass",
        "the signature of a model that fails is not an output of the circuit",
        "mpc_engine/protocols/certification/circuit.py",
        "[builder.and_(passed, bit) for bit in digest]",
        "[builder.or_(bit, builder.and_(passed, bit)) for bit in digest]",
        f"{_CHEATING}::test_the_regulator_decodes_no_signature_of_a_model_that_fails",
    ),
    Mutant(
        "row-mac-pad-reused",
        "what hides a row's MAC hides nothing else",
        "mpc_engine/kernels/row_sums.py",
        "        mac_up = mac_high + record",
        "        mac_up = pad_high + record",
        f"{_KERNELS}::test_rows_equal_their_twin_in_both_directions[24-4-portable]",
    ),
    Mutant(
        "leaf-stream-untweaked",
        "a chunk's streams have tweaks of their own for each leaf",
        "mpc_engine/kernels/keyed_product.py",
        "i10 ^ (_U(1) << _U(LEAF_SHIFT)),",
        "i10,",
        f"{_KERNELS}::test_sent_chunks_equal_their_twin[widths0-7-portable]",
    ),
    Mutant(
        "two-categories-counted",
        "a person opened in two categories of an attribute counts in none",
        "mpc_engine/protocols/certification/tally_circuit.py",
        "            kept += [builder.and_(bit, builder.not_(twice)) for bit in attribute]",
        "            kept += attribute",
        f"{_CHEATING}::test_a_person_opened_in_two_categories_counts_in_none[category_counts1-4]",
    ),
)
