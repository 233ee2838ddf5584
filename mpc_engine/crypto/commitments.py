"""Salted commitments that say by whom and in which job they were made.

Binding by collision resistance; hiding, for content however easy to guess, by 32 bytes of salt, in
the random-oracle model. The role keeps a party from handing the other's commitment back and
replaying its opening.
"""

from __future__ import annotations

import hmac

from mpc_engine.crypto.digests import DIGEST_BYTES, sha256
from mpc_engine.crypto.rng import Randomness
from mpc_engine.errors import BrokenCommitmentError, UsageError
from mpc_engine.roles import Role

SALT_BYTES = 32
COMMITMENT_BYTES = DIGEST_BYTES


def fresh_salt(rng: Randomness) -> bytes:
    """Draw a salt; one salt serves one commitment."""
    return rng.bytes(SALT_BYTES)


def commitment_to(
    label: bytes, job_digest: bytes, role: Role, content: bytes, salt: bytes
) -> bytes:
    """Return the 32-byte commitment to ``content`` by ``role`` in one attempt at a job.

    SHA-256 over the digests of label and role, the job's digest, the salt, and the content: every
    part but the last has 32 bytes. UsageError if job digest or salt have another length.
    """
    if len(job_digest) != DIGEST_BYTES or len(salt) != SALT_BYTES:
        raise UsageError("A commitment is of one job, and has a salt of 32 bytes.")
    own = sha256(role.value.encode("ascii"))
    return sha256(sha256(label), own, job_digest, salt, content)


def require_opening(
    commitment: bytes, label: bytes, job_digest: bytes, role: Role, content: bytes, salt: bytes
) -> None:
    """Raise BrokenCommitmentError unless ``content`` and ``salt`` are what ``role`` committed to.

    The time taken does not depend on where they differ.
    """
    if not hmac.compare_digest(commitment_to(label, job_digest, role, content, salt), commitment):
        raise BrokenCommitmentError(
            "The other party opened something else than it had committed to."
        )
