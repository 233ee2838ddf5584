"""The regulator's side of an end: promises, the proof that it expects, and what it then opens.

1. Promises of all output labels and, in a certification, a commitment to the decoding bits.
2. The modeler's commitments come: to its proof (certification) and to its labels.
3. Certification: the proof that this side expects goes out, the modeler's is opened, and is it.
4. This side's end is kept, which charges the question, and delta dropped; then the last message
   leaves: the decoding bits, or a call for the labels. The modeler opens them, or refuses.

4 can be repeated on any line (`deliver_as_regulator`), byte for byte; nothing else can after it.
"""

from __future__ import annotations

import hmac

from mpc_engine.crypto.commitments import (
    COMMITMENT_BYTES,
    SALT_BYTES,
    commitment_to,
    fresh_salt,
    require_opening,
)
from mpc_engine.crypto.signatures import SIGNATURE_BYTES
from mpc_engine.errors import (
    BrokenCommitmentError,
    DisputedError,
    ForgedLabelError,
    RefusedError,
    SumMismatchError,
)
from mpc_engine.garbling import colour_bits, make_promises, promised_colours
from mpc_engine.garbling.labels import BitArray, Labels
from mpc_engine.protocols.ending import purposes
from mpc_engine.protocols.ending.kept_ends import EndKind, RegulatorEnd, labels_of
from mpc_engine.protocols.ending.signed_line import SignedLine, first_digest
from mpc_engine.protocols.keeping import EndTerms
from mpc_engine.protocols.session import GarblerLine, JobContext
from mpc_engine.protocols.tags import ProtocolTag
from mpc_engine.roles import Role
from mpc_engine.secure_ops.bound_reentry import PROOF_BYTES
from mpc_engine.transport.channel import Channel


def end_as_regulator(
    ctx: JobContext, kind: EndKind, line: GarblerLine, zero_labels: Labels, proof: bytes = b""
) -> BitArray:
    """Run the end for outputs of ``zero_labels`` uint64 (n, 2); return their values uint8 (n,).

    ``proof``: what `bound_reentry.make_proof` gives of ``beta' - beta``, in a certification.
    Takes ``line``'s delta away. Raises DisputedError if the modeler stopped, SumMismatchError if
    its proof is another one, RefusedError; in each case nothing was decoded here.
    Source: the protocols page of the promise, section "Order of a certification's end".
    """
    terms = ctx.end_terms
    signed = SignedLine(ctx.channel, ctx.role, terms.signatures, first_digest(kind, ctx.job_digest))
    promises = make_promises(zero_labels, line.delta, ctx.job_digest)
    decoding = colour_bits(zero_labels)
    opening = _send_promises(ctx, kind, signed, promises.tobytes(), decoding)
    commitment = _exchange_proofs(ctx, kind, signed, proof)
    kept = RegulatorEnd(
        kind=kind,
        job_digest=ctx.job_digest,
        digest=signed.digest,
        message=signed.signed(kind.last_tag, opening),
        promises=promises,
        decoding=decoding,
        commitment=commitment,
        proof=proof,
    )
    terms.store.keep(kept.encode())
    line.drop_delta()
    return deliver_as_regulator(ctx.channel, terms, kept)


def deliver_as_regulator(channel: Channel, terms: EndTerms, kept: RegulatorEnd) -> BitArray:
    """Send the last message, for the first time or again; return the outputs' values uint8 (n,).

    Raises RefusedError if the modeler signed that it refuses, or opened what it had not promised
    or committed to: that is its word, and final. What carries no signature of it is none.
    """
    signed = SignedLine(channel, Role.REGULATOR, terms.signatures, kept.digest)
    tag = kept.kind.last_tag
    signed.signed(tag, kept.message[:-SIGNATURE_BYTES])
    channel.send(tag, kept.message)
    n_bytes = 16 * len(kept.decoding)
    size = 1 + n_bytes + SALT_BYTES + SIGNATURE_BYTES
    answer = channel.recv(ProtocolTag.LABELS_OPENING, size=size)
    body = signed.received(ProtocolTag.LABELS_OPENING, answer)
    if body[:1] != purposes.GOES_ON:
        raise RefusedError("The modeler refused the outcome that it could see.")
    content, salt = body[1 : 1 + n_bytes], body[1 + n_bytes :]
    try:
        require_opening(
            kept.commitment, purposes.TO_LABELS, kept.job_digest, Role.MODELER, content, salt
        )
        colours = promised_colours(labels_of(content), kept.promises, kept.job_digest)
    except (BrokenCommitmentError, ForgedLabelError):
        raise RefusedError(
            "The modeler answered with outputs that the circuit cannot give, or that it had not "
            "committed to. Nothing was decoded."
        ) from None
    values: BitArray = colours ^ kept.decoding
    return values


def _send_promises(
    ctx: JobContext, kind: EndKind, signed: SignedLine, promises: bytes, decoding: BitArray
) -> bytes:
    """Send the first message; return the body of the last one."""
    committed = opening = b""
    if kind is EndKind.CERTIFICATION:
        bits, salt = decoding.tobytes(), fresh_salt(ctx.rng)
        committed = commitment_to(purposes.TO_DECODING_BITS, ctx.job_digest, ctx.role, bits, salt)
        opening = bits + salt
    message = signed.signed(ProtocolTag.OUTPUT_PROMISES, promises + committed)
    ctx.channel.send(ProtocolTag.OUTPUT_PROMISES, message)
    return opening


def _exchange_proofs(ctx: JobContext, kind: EndKind, signed: SignedLine, proof: bytes) -> bytes:
    """Compare proofs, where there are any; return the modeler's commitment to its labels."""
    certifies = kind is EndKind.CERTIFICATION
    size = 1 + (1 + certifies) * COMMITMENT_BYTES + SIGNATURE_BYTES
    message = ctx.channel.recv(ProtocolTag.END_COMMITMENTS, size=size)
    body = signed.received(ProtocolTag.END_COMMITMENTS, message)
    if body[:1] != purposes.GOES_ON:
        raise DisputedError(
            "The modeler stopped: it says that outputs are not as they were promised.",
            code="PROMISE_DISPUTED",
        )
    to_proof, to_labels = body[1:-COMMITMENT_BYTES], body[-COMMITMENT_BYTES:]
    if not certifies:
        return to_labels
    ctx.channel.send(ProtocolTag.EXPECTED_PROOF, signed.signed(ProtocolTag.EXPECTED_PROOF, proof))
    size = 1 + PROOF_BYTES + SALT_BYTES + SIGNATURE_BYTES
    message = ctx.channel.recv(ProtocolTag.PROOF_OPENING, size=size)
    body = signed.received(ProtocolTag.PROOF_OPENING, message)
    if body[:1] != purposes.GOES_ON:
        raise DisputedError(
            "The modeler stopped: it says that its proof is another one.", code="PROOF_DISPUTED"
        )
    opened, salt = body[1 : 1 + PROOF_BYTES], body[1 + PROOF_BYTES :]
    require_opening(to_proof, purposes.TO_PROOF, ctx.job_digest, Role.MODELER, opened, salt)
    if not hmac.compare_digest(opened, proof):
        raise SumMismatchError(
            "The modeler entered other sums than it received. Nothing was decoded."
        )
    return to_labels
