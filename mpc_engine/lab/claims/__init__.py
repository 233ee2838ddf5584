"""The paper's claims, one by one, judged by code from the results."""

from mpc_engine.control.files.lab_report import Claim
from mpc_engine.lab.claims.accuracy import (
    as_accurate,
    bank_rises,
    clamp_beats_pieces,
    clamp_no_worse,
    ours_closer,
)
from mpc_engine.lab.claims.methods import (
    barrier_fails,
    compas_collapses,
    fewest_failures,
    projected_fails,
)
from mpc_engine.lab.claims.protocol import blocks, fairer, fast, fixed_alike
from mpc_engine.lab.results import Results
from mpc_engine.lab.scope import Scope

_JUDGES = (
    as_accurate,
    ours_closer,
    projected_fails,
    barrier_fails,
    fewest_failures,
    clamp_no_worse,
    clamp_beats_pieces,
    compas_collapses,
    bank_rises,
    fixed_alike,
    fairer,
    blocks,
    fast,
)


def judged(results: Results, scope: Scope) -> list[Claim]:
    """Return every claim with its verdict; "not judged" where its points are missing."""
    return [judge(results, scope) for judge in _JUDGES]
