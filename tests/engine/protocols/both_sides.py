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
from mpc_engine.sharing.layout import EnvelopeLayout
from mpc_engine.sharing.records import RecordSource
from tests.engine.protocols.running import run_protocol

NONCE = bytes(range(32))


def close_on_both_sides(
    layout: EnvelopeLayout,
    modeler: list[ListedShare],
    regulator: list[ListedShare],
    receipts: tuple[set[ListEntry], set[ListEntry]] = (set(), set()),
    **options: Any,
) -> tuple[ClosingOutcome, ClosingOutcome]:
    """Close a cohort; ``receipts`` are what each side knows the other one to have signed."""
    return run_protocol(
        lambda ctx: run_closing(ctx, layout, modeler, receipts[0]),
        lambda ctx: run_closing(ctx, layout, regulator, receipts[1]),
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
