"""Base OTs from a curve and a lattice."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_BASE_OT = "tests/engine/ot/test_base_ot.py"
_ANY_PART = f"{_BASE_OT}::test_a_change_of_any_part_of_the_batch_changes_every_key"
_LATTICE = "tests/engine/ot/test_lattice.py"
_CODE = "mpc_engine/ot/base_ot.py"
_LATTICE_CODE = "mpc_engine/ot/lattice.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "base-ot-points-unchecked",
        "points outside the prime-order subgroup are refused",
        "mpc_engine/ot/group.py",
        "    if not bindings.crypto_core_ed25519_is_valid_point(point):",
        "    if False:",
        "tests/engine/ot/test_group.py::test_a_good_point_shifted_by_a_small_one_is_refused",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "base-ot-session-unbound",
        "base OT keys depend on the session",
        _CODE,
        'b"".join([_BATCH_LABEL, prefix, length,',
        'b"".join([_BATCH_LABEL, length,',
        f"{_BASE_OT}::test_a_batch_is_hashed_with_its_session",
    ),
    Mutant(
        "base-ot-curve-session-unbound",
        "a public key of the curve depends on the session",
        _CODE,
        "group.hash_to_point(prefix + index",
        "group.hash_to_point(index",
        f"{_BASE_OT}::test_offers_of_one_session_give_other_points_in_another",
    ),
    Mutant(
        "base-ot-lattice-session-unbound",
        "a public key of the lattice depends on the session",
        _LATTICE_CODE,
        "_sample(prefix + row.tobytes() for row in rows)",
        "_sample(_HASH_LABEL + row.tobytes() for row in rows)",
        f"{_LATTICE}::test_offers_of_one_session_give_other_public_keys_in_another",
    ),
    Mutant(
        "base-ot-lattice-index-unbound",
        "a public key of the lattice depends on the transfer's number",
        _LATTICE_CODE,
        "np.concatenate([numbers, branches",
        "np.concatenate([0 * numbers, branches",
        f"{_LATTICE}::test_a_hash_depends_on_the_number_of_the_transfer",
    ),
    Mutant(
        "base-ot-lattice-branch-unbound",
        "the two branches of a transfer have oracles of their own",
        _LATTICE_CODE,
        "branches[:, None], rhos",
        "0 * branches[:, None], rhos",
        f"{_LATTICE}::test_a_hash_depends_on_session_branch_rho_and_vector",
    ),
    Mutant(
        "base-ot-lattice-rho-unbound",
        "the matrix is fixed before a vector is hashed to",
        _LATTICE_CODE,
        "branches[:, None], rhos, vectors]",
        "branches[:, None], vectors]",
        f"{_LATTICE}::test_a_hash_depends_on_session_branch_rho_and_vector",
    ),
    Mutant(
        "base-ot-lattice-vector-unbound",
        "a public key of the lattice depends on the other vector",
        _LATTICE_CODE,
        "branches[:, None], rhos, vectors]",
        "branches[:, None], rhos]",
        f"{_LATTICE}::test_a_hash_depends_on_session_branch_rho_and_vector",
    ),
    Mutant(
        "base-ot-coefficients-unchecked",
        "coefficients that are not reduced are refused",
        _LATTICE_CODE,
        "    if np.any(vectors >= Q):",
        "    if False:",
        f"{_BASE_OT}::test_the_sender_refuses_a_coefficient_that_is_not_reduced",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "base-ot-offered-points-unhashed",
        "keys depend on every point of the receiver's",
        _CODE,
        "length, offers, answers]",
        "length, offers[64 * count :], answers]",
        f"{_ANY_PART}[offer, point 0]",
    ),
    Mutant(
        "base-ot-offered-vectors-unhashed",
        "keys depend on every vector of the receiver's, and on rho",
        _CODE,
        "length, offers, answers]",
        "length, offers[: 64 * count], answers]",
        f"{_ANY_PART}[offer, rho]",
    ),
    Mutant(
        "base-ot-answered-points-unhashed",
        "keys depend on every point of the sender's",
        _CODE,
        "length, offers, answers]",
        "length, offers, answers[32 * count :]]",
        f"{_ANY_PART}[answer, point]",
    ),
    Mutant(
        "base-ot-ciphertexts-unhashed",
        "keys depend on every ciphertext",
        _CODE,
        "length, offers, answers]",
        "length, offers, answers[: 32 * count]]",
        f"{_ANY_PART}[answer, ciphertext 1]",
    ),
    Mutant(
        "base-ot-curve-left-out",
        "a key takes the secret of the curve",
        _CODE,
        "_KEY_LABEL + batch + position + point + secret",
        "_KEY_LABEL + batch + position + secret",
        f"{_BASE_OT}::test_a_key_takes_the_secrets_of_both_halves[curve]",
    ),
    Mutant(
        "base-ot-lattice-left-out",
        "a key takes the secret of the lattice",
        _CODE,
        "_KEY_LABEL + batch + position + point + secret",
        "_KEY_LABEL + batch + position + point",
        f"{_BASE_OT}::test_a_key_takes_the_secrets_of_both_halves[lattice]",
    ),
)
