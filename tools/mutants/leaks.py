"""Masks, nonces and keys that keep each party's view free of the other's inputs."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_MASKS = "tests/engine/leakage/test_masks.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "entered-bits-open",
        "what the modeler enters late is masked: the regulator learns no sum",
        "mpc_engine/protocols/certification/protocol.py",
        "    random_bits = session.rng.bits(sizes.sum_wires)",
        "    random_bits = np.zeros(sizes.sum_wires, dtype=np.uint8)",
        f"{_MASKS}::test_bits_that_the_modeler_enters_late_are_masked",
    ),
    Mutant(
        "ot-mask-block-zero",
        "the answer to an OT challenge tells nothing about the choices",
        "mpc_engine/ot/extension.py",
        "        bits[len(choices) :] = self._rng.bits(len(bits) - len(choices))",
        "        bits[len(choices) :] = 0",
        f"{_MASKS}::test_the_answer_to_an_ot_challenge_is_masked",
    ),
    Mutant(
        "delta-fixed",
        "every job has a delta of its own",
        "mpc_engine/protocols/session.py",
        "        delta = ctx.rng.words(2)",
        "        delta = np.array([3, 5], dtype=np.uint64)",
        f"{_MASKS}::test_every_session_has_keys_of_its_own",
    ),
    Mutant(
        "session-without-nonces",
        "a session's keys depend on a fresh nonce of each party",
        "mpc_engine/protocols/session.py",
        "        _SESSION_TAG + ctx.job_digest + nonces[Role.MODELER] + nonces[Role.REGULATOR]",
        "        _SESSION_TAG + ctx.job_digest",
        f"{_MASKS}::test_every_session_has_keys_of_its_own",
    ),
    Mutant(
        "model-hash-without-nonce",
        "the signature of a model hides it: its nonce is fresh and secret",
        "mpc_engine/party/jobs/certification.py",
        "        nonce = ctx.rng.bytes(NONCE_BYTES)",
        "        nonce = bytes(range(NONCE_BYTES))",
        "tests/engine/party/test_certification_job.py"
        "::test_one_model_certified_twice_has_two_nonces",
    ),
    Mutant(
        "storage-nonce-fixed",
        "no two stored rows are sealed under one nonce",
        "mpc_engine/party/zone/storage_cipher.py",
        "        nonce = self._rng.bytes(_NONCE_BYTES)",
        "        nonce = bytes(_NONCE_BYTES)",
        "tests/engine/party/test_store.py::test_the_system_source_seals_with_fresh_nonces",
    ),
    Mutant(
        "leak-search-blind-to-alignment",
        "the leak search finds a secret wherever it begins",
        "tests/leak_search.py",
        "        for shift in range(MIN_BYTES):",
        "        for shift in range(1):",
        "tests/engine/leakage/test_leak_search.py::test_each_form_is_found_at_every_alignment",
    ),
    Mutant(
        "leak-search-blind-to-wrappings",
        "the leak search finds a secret inside base64, hex, escapes and deflate",
        "tests/leak_search.py",
        "    if depth == 0:",
        "    if True:",
        "tests/engine/leakage/test_leak_search.py"
        "::test_what_programs_write_is_found_plain_and_wrapped",
    ),
    Mutant(
        "leak-search-blind-to-rows",
        "the leak search reads databases row by row, their logs too",
        "tests/leak_search.py",
        "                if is_sqlite(path):",
        "                if False:",
        "tests/engine/leakage/test_leak_search.py"
        "::test_rows_of_a_database_are_found_in_its_log_and_across_pages",
    ),
)
