"""Both sides of a protocol on a line between them: what each ended with, modeler first.

Options are those of `running.run_protocol`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mpc_engine.protocols.certification.protocol import (
    certify_as_modeler,
    certify_as_regulator,
)
from mpc_engine.protocols.certification.spec import CertificationOutcome, CertificationSpec
from mpc_engine.protocols.closing.protocol import ClosingOutcome, run_closing
from mpc_engine.protocols.closing.record_list import ListedShare, ListEntry
from mpc_engine.protocols.verification.preparation import (
    EvaluatorItem,
    GarblerItem,
    prepare_as_modeler,
    prepare_as_regulator,
)
from mpc_engine.protocols.verification.protocol import verify_as_modeler, verify_as_regulator
from mpc_engine.protocols.verification.spec import VerificationSpec
from mpc_engine.roles import Role
from mpc_engine.sharing.layout import EnvelopeLayout
from mpc_engine.sharing.records import RecordSource
from mpc_engine.testing.ends import MemoryPart, closing_terms
from mpc_engine.vocabulary.verdicts import VerificationResult
from tests.engine.protocols.running import run_protocol

NONCE = bytes(range(32))


def close_on_both_sides(
    layout: EnvelopeLayout,
    modeler: list[ListedShare],
    regulator: list[ListedShare],
    receipts: tuple[set[ListEntry], set[ListEntry]] = (set(), set()),
    parts: tuple[MemoryPart | None, MemoryPart | None] = (None, None),
    **options: Any,
) -> tuple[ClosingOutcome, ClosingOutcome]:
    """Close a cohort.

    ``receipts`` are what each side knows the other one to have signed, ``parts`` where it keeps
    its part.
    """
    terms = [closing_terms(role, part) for role, part in zip(Role, parts, strict=True)]
    return run_protocol(
        lambda ctx: run_closing(ctx, layout, modeler, receipts[0], terms[0]),
        lambda ctx: run_closing(ctx, layout, regulator, receipts[1], terms[1]),
        **options,
    )


def certify_on_both_sides(
    spec: CertificationSpec,
    modeler: RecordSource,
    regulator: RecordSource,
    theta: Sequence[int],
    nonce: bytes = NONCE,
    **options: Any,
) -> tuple[CertificationOutcome, CertificationOutcome]:
    """Certify a model on a cohort's records."""
    return run_protocol(
        lambda ctx: certify_as_modeler(ctx, spec, modeler, theta, nonce),
        lambda ctx: certify_as_regulator(ctx, spec, regulator),
        **options,
    )


def prepare_on_both_sides(
    spec: VerificationSpec, signature: bytes, **options: Any
) -> tuple[EvaluatorItem, GarblerItem]:
    """Prepare the verification of one batch against a certified model."""
    return run_protocol(
        lambda ctx: prepare_as_modeler(ctx, spec),
        lambda ctx: prepare_as_regulator(ctx, spec, signature),
        **options,
    )


def verify_on_both_sides(
    spec: VerificationSpec,
    signature: bytes,
    theta: Sequence[int],
    cases: Sequence[tuple[Sequence[int], int]],
    nonce: bytes = NONCE,
    items: tuple[EvaluatorItem, GarblerItem] | tuple[None, None] = (None, None),
    **options: Any,
) -> list[VerificationResult]:
    """Verify decisions, from prepared ``items`` where given; return what the regulator learns."""
    _, results = run_protocol(
        lambda ctx: verify_as_modeler(ctx, spec, theta, nonce, len(cases), items[0]),
        lambda ctx: verify_as_regulator(ctx, spec, signature, cases, items[1]),
        **options,
    )
    return results
