"""Messages between the starting process and a party's: a JSON object and named arrays.

They travel through the pipes of standard input and output, so that nothing of them shows in a list
of processes. Format: lengths of both parts, two little-endian uint64; the JSON; an npz archive.
"""

from __future__ import annotations

import io
import json
import struct
from dataclasses import asdict
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from mpc_engine.errors import DecodeError
from mpc_engine.protocols.training.row_sets import RowSet
from mpc_engine.protocols.training.spec import Multiplier, Phase, TrainingSpec
from mpc_engine.sharing.records import HeldRecords
from mpc_engine.vocabulary.constraints import ConstraintScope

MessageFields = dict[str, Any]
Arrays = dict[str, NDArray[Any]]
_LENGTHS = struct.Struct("<QQ")
_RECORD_ARRAYS = ("low_bits", "sender_keys", "chosen_keys")


def write_process_message(
    stream: BinaryIO, fields: MessageFields, arrays: Arrays | None = None
) -> None:
    """Write one message and flush; ``BrokenPipeError`` if the reader is gone."""
    text = json.dumps(fields).encode("utf-8")
    packed = io.BytesIO()
    if arrays:
        np.savez(packed, allow_pickle=False, **arrays)  # type: ignore[arg-type]
    stream.write(_LENGTHS.pack(len(text), packed.tell()))
    stream.write(text)
    stream.write(packed.getbuffer())
    stream.flush()


def read_process_message(stream: BinaryIO) -> tuple[MessageFields, Arrays]:
    """Read one message; ``EOFError`` if the writer is gone."""
    text_bytes, packed_bytes = _LENGTHS.unpack(_read(stream, _LENGTHS.size))
    fields = json.loads(_read(stream, text_bytes))
    if not packed_bytes:
        return fields, {}
    with np.load(io.BytesIO(_read(stream, packed_bytes)), allow_pickle=False) as archive:
        return fields, dict(archive)


def _read(stream: BinaryIO, size: int) -> bytes:
    data = stream.read(size)
    if len(data) != size:
        raise EOFError
    return data


def spec_fields(spec: TrainingSpec) -> MessageFields:
    """Return a run's public description as JSON values."""
    return {**asdict(spec), "order_seed": spec.order_seed.hex()}


def spec_of(fields: MessageFields) -> TrainingSpec:
    """Read what `spec_fields` gives; DecodeError for anything else."""
    try:
        return TrainingSpec(
            **{
                **fields,
                "entry_counts": tuple(fields["entry_counts"]),
                "bounds": tuple(fields["bounds"]),
                "phases": tuple(Phase(**phase) for phase in fields["phases"]),
                "multiplier": Multiplier(**fields["multiplier"]),
                "order_seed": bytes.fromhex(fields["order_seed"]),
                "row_sets": tuple(RowSet(name) for name in fields["row_sets"]),
                "scope": ConstraintScope(fields["scope"]),
            }
        )
    except (KeyError, TypeError, ValueError) as error:
        raise DecodeError("The description of the run is not readable.") from error


def record_arrays(records: HeldRecords) -> Arrays:
    """Return a party's shares as arrays; its features and labels travel apart."""
    arrays = {name: getattr(records, name) for name in _RECORD_ARRAYS}
    return {**arrays, "record_ids": np.frombuffer(b"".join(records.record_ids), dtype=np.uint8)}


def records_of(arrays: Arrays) -> HeldRecords:
    """Read what `record_arrays` gives."""
    n_records = len(arrays["low_bits"])
    ids = arrays["record_ids"].reshape(n_records, -1)
    return HeldRecords(
        record_ids=tuple(row.tobytes() for row in ids),
        features=None,
        labels=None,
        **{name: arrays[name] for name in _RECORD_ARRAYS},
    )
