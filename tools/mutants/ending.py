"""What keeps either party from learning more at the end than the outcome, and from learning first.

With each of these taken out an attacker of the tests wins: it reads people, the model, or an
outcome that it chose.
"""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_REGULATOR = "tests/engine/hostile/test_ending_regulator.py"
_MODELER = "tests/engine/hostile/test_ending_modeler.py"
_CUTS = "tests/engine/hostile/test_ending_cuts.py"
_PLAUSIBLE = "tests/engine/protocols/test_plausible.py"
_CHEATING = "tests/engine/hostile/test_cheating_modeler.py"
_PROMISES = "mpc_engine/garbling/promises.py"
_COMMITMENTS = "mpc_engine/crypto/commitments.py"
_RS_END = "mpc_engine/protocols/ending/regulator.py"
_MS_END = "mpc_engine/protocols/ending/modeler.py"
_LOOK = "mpc_engine/protocols/certification/plausible.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "labels-returned-unpromised",
        "the modeler returns no label that the regulator had not promised",
        _MS_END,
        "        require_promised(labels, promises, ctx.job_digest)",
        "        pass",
        f"{_REGULATOR}::test_labels_under_random_offsets_are_not_returned[verification]",
    ),
    Mutant(
        "last-label-unpromised",
        "every label is held against its promise, the last one too",
        _PROMISES,
        "    return hmac.compare_digest(promised.tobytes(), hashes.tobytes())",
        "    return hmac.compare_digest(promised[:-1].tobytes(), hashes[:-1].tobytes())",
        f"{_MODELER}::test_a_forged_last_label_is_a_refusal",
    ),
    Mutant(
        "promises-alike",
        "two promises of one wire are refused by name where they are equal",
        _PROMISES,
        "    if _any_alike(promises):",
        "    if False:",
        f"{_REGULATOR}::test_two_labels_that_are_promised_alike_are_refused_by_name[verification]",
    ),
    Mutant(
        "promises-of-any-wire",
        "a promise is of one wire",
        _PROMISES,
        "        hashed.update(u32(wire) + octets",
        "        hashed.update(u32(0 * wire) + octets",
        f"{_REGULATOR}::test_promises_of_another_wire_job_or_garbler_are_other_promises",
    ),
    Mutant(
        "proof-opened-to-anybody",
        "the modeler opens its proof only to a regulator that knows it: corrections carry nothing",
        _MS_END,
        "    if not hmac.compare_digest(signed.received(tag, message), proof):",
        "    if not signed.received(tag, message):",
        f"{_REGULATOR}::test_people_put_into_the_proof_by_corrections_do_not_get_out",
        shows="the regulator read 24 of 24 bits",
    ),
    Mutant(
        "proof-opened-with-the-model",
        "the same, of theta",
        _MS_END,
        "        _expect_proof(ctx, signed, proof)",
        "        signed.received(\n"
        "            ProtocolTag.EXPECTED_PROOF,\n"
        "            ctx.channel.recv(ProtocolTag.EXPECTED_PROOF, size=72),\n"
        "        )",
        f"{_REGULATOR}::test_a_model_put_into_the_proof_by_corrections_does_not_get_out",
        shows="the regulator read 60 bits of theta",
    ),
    Mutant(
        "labels-unsalted",
        "the commitment to labels is salted: the regulator can't try all outcomes",
        _MS_END,
        '    salt, proof_salt = fresh_salt(ctx.rng), b""',
        '    salt, proof_salt = bytes(SALT_BYTES), b""',
        f"{_REGULATOR}::test_a_commitment_to_labels_cannot_be_searched",
        shows="the regulator found the outcome",
    ),
    Mutant(
        "salt-not-hashed",
        "a commitment hides what it is to by its salt",
        _COMMITMENTS,
        "job_digest, salt, content)",
        "job_digest, content)",
        f"{_REGULATOR}::test_a_commitment_to_labels_cannot_be_searched",
        shows="the regulator found the outcome",
    ),
    Mutant(
        "commitment-without-role",
        "a commitment is of one party: a copied one opens for nobody",
        _COMMITMENTS,
        '    own = sha256(role.value.encode("ascii"))',
        '    own = sha256(b"either")',
        f"{_REGULATOR}::test_a_copied_commitment_opens_for_nobody_but_who_made_it[modeler]",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "commitment-without-job",
        "a commitment is of one attempt at one job",
        _COMMITMENTS,
        "own, job_digest, salt",
        "own, own, salt",
        f"{_REGULATOR}::test_a_copied_commitment_opens_for_nobody_but_who_made_it[modeler]",
    ),
    Mutant(
        "decoded-before-proof",
        "nothing is decoded by anybody before the proof of the sums is known to be right",
        _RS_END,
        "    if not hmac.compare_digest(opened, proof):",
        "    if not opened:",
        f"{_MODELER}::test_a_modeler_that_shifts_scores_decodes_nothing",
        shows="the modeler decoded",
    ),
    Mutant(
        "proof-copied",
        "the modeler commits to its proof before it hears which is expected",
        _RS_END,
        "    require_opening(to_proof, purposes.TO_PROOF, "
        "ctx.job_digest, Role.MODELER, opened, salt)",
        "    hmac.compare_digest(to_proof, salt)",
        f"{_MODELER}::test_a_modeler_that_hears_the_proof_first_cannot_open_it_as_its_own",
        shows="the modeler decoded",
    ),
    Mutant(
        "decoding-bits-changed",
        "the regulator opens the decoding bits that it had committed to",
        _MS_END,
        "    bits, salt = opening[:-SALT_BYTES], opening[-SALT_BYTES:]\n    try:\n",
        "    bits, salt = opening[:-SALT_BYTES], opening[-SALT_BYTES:]\n"
        "    return np.frombuffer(bits, dtype=np.uint8)\n    try:\n",
        f"{_REGULATOR}::test_other_decoding_bits_than_were_committed_to_are_no_message_of_the_end",
    ),
    Mutant(
        "any-outcome-let-out",
        "the modeler returns labels only of an outcome that a cohort can have",
        _MS_END,
        "        look_at(values)",
        "        with contextlib.suppress(DisputedError):\n            look_at(values)",
        f"{_REGULATOR}"
        "::test_an_outcome_that_no_cohort_has_is_refused_and_no_label_returned[a signature bit]",
        also=(("import hmac\n", "import contextlib\nimport hmac\n"),),
    ),
    Mutant(
        "decoding-bits-of-any-value",
        "a decoding bit is 0 or 1",
        _MS_END,
        "    if np.any(decoding > 1):",
        "    values &= 1\n    if np.any(decoding > 255):",
        f"{_REGULATOR}::test_an_outcome_that_no_cohort_has_is_refused_and_no_label_returned"
        "[a bit that is two]",
    ),
    Mutant(
        "signature-wires-unseen",
        "signature wires hold the model's own signature, or zeros, as the verdict says",
        _LOOK,
        "        hmac.compare_digest(signature, expected),",
        "        len(signature) == len(expected),",
        f"{_PLAUSIBLE}::test_no_other_signature_than_the_models_own_is_let_out[0]",
    ),
    Mutant(
        "two-reasons-let-out",
        "there is at most one reason for no verdict",
        _LOOK,
        "        n_reasons <= 1,\n",
        "        n_reasons <= 9,\n",
        f"{_PLAUSIBLE}::test_of_a_ladder_only_the_place_of_the_value_is_let_out",
    ),
    Mutant(
        "thresholds-in-any-order",
        "who keeps a threshold keeps every gentler one",
        _LOOK,
        "    return all(stricter <= gentler for stricter, gentler in pairwise(rising))",
        "    return all(0 <= gentler for stricter, gentler in pairwise(rising))",
        f"{_PLAUSIBLE}::test_of_a_ladder_only_the_place_of_the_value_is_let_out",
    ),
    Mutant(
        "worst-above-best",
        "the worst case is no better than the point, and that no better than the best case",
        _LOOK,
        "        worst <= point <= best\n",
        "        worst <= 1 >= best >= (point & 0)\n",
        f"{_PLAUSIBLE}"
        "::test_the_worst_case_is_let_out_only_below_the_point_and_that_below_the_best",
    ),
    Mutant(
        "table-of-anything",
        "a table is of no more people than there are",
        _LOOK,
        "        <= n_records\n",
        "        <= 1 << 60\n",
        f"{_PLAUSIBLE}::test_no_table_of_more_people_than_there_are_is_let_out",
    ),
    Mutant(
        "label-forged",
        "an answer that keeps no promise is a refusal, and decoded in no part",
        _RS_END,
        "        colours = promised_colours(labels_of(content), kept.promises, kept.job_digest)",
        "        colours = colour_bits(labels_of(content))",
        f"{_CHEATING}::test_a_forged_output_label_is_caught",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "verification-label-changed",
        "an answer that was not committed to is a refusal",
        _RS_END,
        "    try:\n        require_opening(\n            kept.commitment,",
        "    try:\n        commitment_to(\n",
        f"{_MODELER}::test_labels_changed_after_the_modeler_saw_are_a_refusal",
    ),
    Mutant(
        "charged-after-the-bits-left",
        "the regulator's kept end is on disk before its last message leaves",
        _RS_END,
        "    terms.store.keep(kept.encode())\n    line.drop_delta()\n"
        "    return deliver_as_regulator(ctx.channel, terms, kept)",
        "    line.drop_delta()\n"
        "    values = deliver_as_regulator(ctx.channel, terms, kept)\n"
        "    terms.store.keep(kept.encode())\n    return values",
        f"{_CUTS}::test_nothing_leaves_that_could_not_be_kept",
    ),
    Mutant(
        "labels-not-kept",
        "the modeler's labels and salt are on disk before it can be held to them",
        _MS_END,
        "    terms.store.keep(kept.encode())\n    ctx.channel.send(tag, message)",
        "    ctx.channel.send(tag, message)\n    terms.store.keep(kept.encode())",
        f"{_CUTS}::test_nothing_leaves_that_could_not_be_kept",
    ),
    Mutant(
        "answer-not-noted",
        "the modeler notes that it answers before the answer leaves",
        _MS_END,
        "        terms.store.note_answering(answer, refuses=refusal is not None)\n"
        "    channel.send(ProtocolTag.LABELS_OPENING, answer)",
        "        channel.send(ProtocolTag.LABELS_OPENING, answer)\n"
        "        terms.store.note_answering(answer, refuses=refusal is not None)",
        f"{_CUTS}::test_nothing_leaves_that_could_not_be_kept",
    ),
    Mutant(
        "answer-made-again",
        "what was answered once goes again as it was, and is not made again",
        _MS_END,
        "    if not answer:\n",
        "    if True:\n",
        f"{_CUTS}::test_an_answer_that_was_given_goes_again_as_it_was",
    ),
    Mutant(
        "silent-where-it-cannot-read",
        "an outcome that the modeler can't read is refused, not met with silence",
        _MS_END,
        "    except Exception:",
        "    except DisputedError:",
        f"{_MODELER}::test_an_outcome_that_cannot_be_read_is_a_refusal",
    ),
    Mutant(
        "delta-kept",
        "delta is gone when the decoding bits leave",
        _RS_END,
        "    line.drop_delta()\n",
        "",
        f"{_REGULATOR}::test_the_regulator_holds_no_delta_when_decoding_bits_leave",
    ),
    Mutant(
        "end-unsigned",
        "what carries no signature of the modeler is no word of it",
        "mpc_engine/protocols/ending/signed_line.py",
        "            self._signatures.verify(_SIGNED + self.digest, signature)",
        "            self._signatures.sign(_SIGNED + self.digest + signature)",
        f"{_MODELER}::test_an_unsigned_answer_is_no_refusal",
        shows="DID NOT RAISE",
    ),
)
