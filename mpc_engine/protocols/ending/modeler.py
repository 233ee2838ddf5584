"""The modeler's side of an end: checks before it tells, and commits before it sees.

1. Every label that it evaluated must keep the regulator's promise, or it stops: whatever was
   garbled, a label then tells one bit, its colour.
2. It commits to its proof (certification) and to its labels.
3. Certification: the regulator must know the proof beforehand, or it stops: then no correction
   could have put anything into it. Its own end is on disk when the proof is opened (in a
   verification, when the commitment leaves).
4. Certification: the decoding bits that the regulator had committed to come; the outcome must be
   one that honest parties can have, or it signs that it refuses. Whatever goes wrong while it looks
   is a refusal too. Its message is on disk before it leaves.

4 can be repeated on any line (`deliver_as_modeler`) with the same bytes, which are not made again.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import NoReturn

import numpy as np

from mpc_engine.crypto.commitments import (
    COMMITMENT_BYTES,
    SALT_BYTES,
    commitment_to,
    fresh_salt,
    require_opening,
)
from mpc_engine.crypto.signatures import SIGNATURE_BYTES
from mpc_engine.errors import BrokenPromiseError, CheckFailedError, DisputedError
from mpc_engine.garbling import colour_bits, require_promised
from mpc_engine.garbling.labels import BitArray, Labels
from mpc_engine.garbling.promises import PROMISE_BYTES, Promises
from mpc_engine.protocols.ending import purposes
from mpc_engine.protocols.ending.kept_ends import EndKind, ModelerEnd, label_bytes
from mpc_engine.protocols.ending.signed_line import SignedLine, first_digest
from mpc_engine.protocols.keeping import EndTerms
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import Role
from mpc_engine.secure_ops.bound_reentry import PROOF_BYTES
from mpc_engine.transport.channel import Channel

LookAt = Callable[[BitArray], None]
"""Raises DisputedError for values uint8 (n,) of the outputs that no honest run can have."""
_IMPLAUSIBLE = "OUTCOME_IMPLAUSIBLE"


def end_as_modeler(
    ctx: JobContext,
    kind: EndKind,
    labels: Labels,
    look_at: LookAt,
    *,
    proof: bytes = b"",
    private: bytes = b"",
) -> BitArray:
    """Run the end for the output ``labels`` uint64 (n, 2) that were evaluated.

    Returns the outputs' values uint8 (n,), in a verification none. ``proof``: of ``t' - t``;
    ``private``: kept beside the labels. Raises DisputedError where this side stops or refuses.
    """
    terms = ctx.end_terms
    signed = SignedLine(ctx.channel, ctx.role, terms.signatures, first_digest(kind, ctx.job_digest))
    promises, committed = _take_promises(ctx, kind, signed, len(labels))
    certifies = kind is EndKind.CERTIFICATION
    try:
        require_promised(labels, promises, ctx.job_digest)
    except BrokenPromiseError as error:
        size = (1 + certifies) * COMMITMENT_BYTES
        _stop(ctx, signed, ProtocolTag.END_COMMITMENTS, size, error)
    salt, proof_salt = fresh_salt(ctx.rng), b""
    content = label_bytes(labels)
    commitments = commitment_to(purposes.TO_LABELS, ctx.job_digest, ctx.role, content, salt)
    if certifies:
        proof_salt = fresh_salt(ctx.rng)
        to_proof = commitment_to(purposes.TO_PROOF, ctx.job_digest, ctx.role, proof, proof_salt)
        commitments = to_proof + commitments
    tag = ProtocolTag.END_COMMITMENTS
    message = signed.signed(tag, purposes.GOES_ON + commitments)
    if certifies:
        ctx.channel.send(tag, message)
        tag = ProtocolTag.PROOF_OPENING
        _expect_proof(ctx, signed, proof)
        message = signed.signed(tag, purposes.GOES_ON + proof + proof_salt)
    kept = ModelerEnd(kind, ctx.job_digest, signed.digest, committed, labels, salt, private)
    terms.store.keep(kept.encode())
    ctx.channel.send(tag, message)
    return deliver_as_modeler(ctx.channel, terms, kept, look_at)


def deliver_as_modeler(
    channel: Channel, terms: EndTerms, kept: ModelerEnd, look_at: LookAt, answer: bytes = b""
) -> BitArray:
    """Answer the regulator's last message: with ``answer`` if it was given before, as it is.

    Returns the outputs' values uint8 (n,), in a verification none. Raises DisputedError
    (``OUTCOME_IMPLAUSIBLE``) once the refusal is sent; BrokenCommitmentError for decoding bits that
    are not those committed to: they are no message of the end, and nothing is answered.
    """
    signed = SignedLine(channel, Role.MODELER, terms.signatures, kept.digest)
    n_outputs = len(kept.labels) if kept.kind is EndKind.CERTIFICATION else 0
    tag = kept.kind.last_tag
    size = n_outputs + (SALT_BYTES if n_outputs else 0) + SIGNATURE_BYTES
    opening = signed.received(tag, channel.recv(tag, size=size))
    values = np.zeros(0, dtype=np.uint8)
    refusal: DisputedError | None = None
    if n_outputs:
        decoding = _opened_decoding(channel, kept, opening)
        values = colour_bits(kept.labels) ^ decoding
        refusal = _look(look_at, decoding, values)
    if not answer:
        content = label_bytes(kept.labels) + kept.salt
        body = purposes.STOPS + bytes(len(content)) if refusal else purposes.GOES_ON + content
        answer = signed.signed(ProtocolTag.LABELS_OPENING, body)
        terms.store.note_answering(answer, refuses=refusal is not None)
    channel.send(ProtocolTag.LABELS_OPENING, answer)
    if refusal is None and answer[:1] == purposes.STOPS:
        refusal = DisputedError("This outcome was refused before.", code=_IMPLAUSIBLE)
    if refusal is not None:
        raise refusal
    return values


def _look(look_at: LookAt, decoding: BitArray, values: BitArray) -> DisputedError | None:
    """Return why the outcome is not let out, None if it is; silence would be no answer at all."""
    if np.any(decoding > 1):
        return DisputedError("A decoding bit is no bit.", code=_IMPLAUSIBLE)
    try:
        look_at(values)
    except DisputedError as error:
        return error
    except Exception:
        return DisputedError("The outcome could not be read as one.", code=_IMPLAUSIBLE)
    return None


def _take_promises(
    ctx: JobContext, kind: EndKind, signed: SignedLine, n_outputs: int
) -> tuple[Promises, bytes]:
    """Receive promises uint8 (n, 2, 32) and the commitment to decoding bits, if there is one."""
    n_bytes = 2 * PROMISE_BYTES * n_outputs
    size = n_bytes + (COMMITMENT_BYTES if kind is EndKind.CERTIFICATION else 0)
    message = ctx.channel.recv(ProtocolTag.OUTPUT_PROMISES, size=size + SIGNATURE_BYTES)
    body = signed.received(ProtocolTag.OUTPUT_PROMISES, message)
    promises = np.frombuffer(body[:n_bytes], dtype=np.uint8)
    return promises.reshape(n_outputs, 2, PROMISE_BYTES), body[n_bytes:]


def _expect_proof(ctx: JobContext, signed: SignedLine, proof: bytes) -> None:
    """Stop unless the regulator names the proof that this side committed to."""
    tag = ProtocolTag.EXPECTED_PROOF
    message = ctx.channel.recv(tag, size=PROOF_BYTES + SIGNATURE_BYTES)
    if not hmac.compare_digest(signed.received(tag, message), proof):
        error = DisputedError(
            "The regulator expected another proof than its messages give.", code="PROOF_DISPUTED"
        )
        _stop(ctx, signed, ProtocolTag.PROOF_OPENING, PROOF_BYTES + SALT_BYTES, error)


def _stop(
    ctx: JobContext, signed: SignedLine, tag: ProtocolTag, size: int, error: CheckFailedError
) -> NoReturn:
    """Tell, under this side's signature, that it stops, and nothing else; then raise."""
    ctx.channel.send(tag, signed.signed(tag, purposes.STOPS + bytes(size)))
    if isinstance(error, DisputedError):
        raise error
    raise DisputedError(error.sentence, code=error.code) from None


def _opened_decoding(channel: Channel, kept: ModelerEnd, opening: bytes) -> BitArray:
    """Return the decoding bits uint8 (n,) that the regulator had committed to."""
    bits, salt = opening[:-SALT_BYTES], opening[-SALT_BYTES:]
    try:
        require_opening(
            kept.commitment, purposes.TO_DECODING_BITS, kept.job_digest, Role.REGULATOR, bits, salt
        )
    except CheckFailedError:
        channel.close()
        raise
    return np.frombuffer(bits, dtype=np.uint8)
