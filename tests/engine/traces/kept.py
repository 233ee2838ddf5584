"""The runs, and the digests that are kept of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.engine.ot.fixed_kem import use_fixed_kem
from tests.engine.traces.party_runs import PARTY_RUNS
from tests.engine.traces.protocol_runs import PROTOCOL_RUNS, Run
from tests.engine.traces.recording import Digest, Recorder

_FILE = Path(__file__).with_name("digests.json")
RUNS: dict[str, Run] = {**PROTOCOL_RUNS, **PARTY_RUNS}
DIGESTS: dict[str, dict[str, Digest]] = json.loads(_FILE.read_text(encoding="ascii"))


def recorded(name: str) -> Recorder:
    """Return what a run sent; what the library encapsulates in base OTs is fixed."""
    recorder = Recorder()
    with pytest.MonkeyPatch.context() as patch:
        use_fixed_kem(patch)
        RUNS[name](recorder)
    return recorder


def write(digests: dict[str, dict[str, Digest]]) -> None:
    """Keep digests in place of those that were kept, in the order of the runs."""
    ordered = {name: digests[name] for name in RUNS if name in digests}
    _FILE.write_text(json.dumps(ordered, indent=1) + "\n", encoding="ascii")
