"""The protocols a party runs, as one value, so that the runner is tested apart from them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mpc_engine.protocols.certification import protocol as certification
from mpc_engine.protocols.certification.spec import CertificationOutcome, CertificationSpec
from mpc_engine.protocols.closing.protocol import ClosingOutcome, run_closing
from mpc_engine.protocols.closing.record_list import ListedShare, ListEntry
from mpc_engine.protocols.keeping import ClosingTerms
from mpc_engine.protocols.session import JobContext
from mpc_engine.protocols.training.checkpoint import Checkpointing
from mpc_engine.protocols.training.protocol import train_as_modeler, train_as_regulator
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.protocols.verification import protocol as verification
from mpc_engine.protocols.verification.preparation import EvaluatorItem, GarblerItem
from mpc_engine.protocols.verification.spec import VerificationSpec
from mpc_engine.sharing.layout import EnvelopeLayout
from mpc_engine.sharing.records import HeldRecords, RecordSource
from mpc_engine.vocabulary.verdicts import VerificationResult


@dataclass(frozen=True)
class ProtocolTable:
    """One entry for each protocol and part."""

    run_closing: Callable[
        [
            JobContext,
            EnvelopeLayout,
            list[ListedShare],
            set[ListEntry],
            ClosingTerms,
        ],
        ClosingOutcome,
    ]
    certify_as_modeler: Callable[
        [JobContext, CertificationSpec, RecordSource, Sequence[int], bytes], CertificationOutcome
    ]
    certify_as_regulator: Callable[
        [JobContext, CertificationSpec, RecordSource], CertificationOutcome
    ]
    train_as_modeler: Callable[
        [
            JobContext,
            Iterable[TrainingSpec],
            HeldRecords,
            NDArray[np.int64],
            NDArray[np.uint8],
            Checkpointing,
        ],
        Iterator[NDArray[np.int64]],
    ]
    train_as_regulator: Callable[
        [JobContext, Iterable[TrainingSpec], HeldRecords, Checkpointing], Iterator[None]
    ]
    verify_as_modeler: Callable[
        [JobContext, VerificationSpec, Sequence[int], bytes, int, EvaluatorItem | None], None
    ]
    verify_as_regulator: Callable[
        [
            JobContext,
            VerificationSpec,
            bytes,
            Sequence[tuple[Sequence[int], int]],
            GarblerItem | None,
        ],
        list[VerificationResult],
    ]


PRODUCTION = ProtocolTable(
    run_closing=run_closing,
    certify_as_modeler=certification.certify_as_modeler,
    certify_as_regulator=certification.certify_as_regulator,
    train_as_modeler=train_as_modeler,
    train_as_regulator=train_as_regulator,
    verify_as_modeler=verification.verify_as_modeler,
    verify_as_regulator=verification.verify_as_regulator,
)
