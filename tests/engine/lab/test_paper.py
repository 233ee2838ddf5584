"""The lab's own runs beside independent fits, and the paper's claims as they come out of them.

The scope is small (two sets, three bounds, 1,000 steps), the runs are real: German's and COMPAS's
files come from the folder of shared data. The reference has unconstrained fits; SLSQP's models,
which it does not have, are shown to be optimal in `test_reference`.
"""

from __future__ import annotations

import pytest

from mpc_engine.lab.catalogue import EXPERIMENTS
from mpc_engine.lab.claims import judged
from mpc_engine.lab.data_sets import SHARED_FOLDER
from mpc_engine.lab.experiment import baseline, unconstrained
from mpc_engine.lab.results import Results
from mpc_engine.lab.scope import Scope
from mpc_engine.lab.tasks import carry_out
from mpc_engine.vocabulary.claims import ClaimVerdict
from tests.engine.lab.reference import problem_of, reference

pytestmark = pytest.mark.slow
NAMES = ("COMPAS", "German")
SCOPE = Scope(NAMES, ("SQF",), (1e-4, 1e-2, 1.0), 1_000, quick=True)
EXPERIMENTS_OF_CLAIMS = ("accuracy", "sigmoids", "fractions", "other-methods", "settings")
HOLDS, DOES_NOT = ClaimVerdict.HOLDS, ClaimVerdict.DOES_NOT
VERDICTS = {
    "as-accurate": HOLDS,
    "ours-closer": ClaimVerdict.OURS_ONLY,
    "projected-fails": DOES_NOT,
    "barrier-fails": HOLDS,
    "fewest-failures": HOLDS,
    "clamp-no-worse": HOLDS,
    "clamp-beats-pieces": HOLDS,
    "compas-collapses": DOES_NOT,
    "fixed-alike": HOLDS,
    "fairer": ClaimVerdict.OURS_ONLY,
    "blocks": HOLDS,
}
"""Of the claims that points alone decide, on these sets."""


@pytest.fixture(scope="module")
def results() -> Results:
    for name in NAMES:
        problem_of(name)
    experiments = [EXPERIMENTS[name] for name in (*EXPERIMENTS_OF_CLAIMS, "blocked")]
    tasks = {task.key: task for each in experiments for task in each.tasks(SCOPE)}
    return Results({key: carry_out(task, SHARED_FOLDER) for key, task in tasks.items()})


@pytest.mark.parametrize("name", NAMES)
def test_unconstrained_rows_have_the_accuracy_and_p_of_the_reference(
    results: Results, name: str
) -> None:
    row, expected = results.row(unconstrained(name)), reference(name)
    assert row is not None
    assert row["accuracy"] == pytest.approx(expected["test"]["accuracy"], abs=1e-3)
    assert row["training_accuracy"] == pytest.approx(expected["train"]["accuracy"], abs=1e-3)
    for part, found in (
        ("test", [group["p_percent"] for group in row["groups"]]),
        ("train", row["training_p_percent"]),
    ):
        known = [100 * group["p_ratio"] for group in expected[part]["per_attribute"]]
        assert found == pytest.approx(known, abs=0.5)


@pytest.mark.parametrize("name", NAMES)
def test_slsqp_keeps_its_bound_and_pays_for_it_in_loss(results: Results, name: str) -> None:
    rows = [results.row(baseline(name, c)) for c in SCOPE.constraints]
    free = reference(name)["train"]["nll"]
    losses = []
    for c, row in zip(SCOPE.constraints, rows, strict=True):
        assert row is not None
        assert row["abs_a_theta"] <= c + 1e-8
        losses.append(row["loss"])
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] == pytest.approx(free, abs=1e-6)
    assert losses[0] > free + 1e-3


@pytest.mark.parametrize("name", VERDICTS)
def test_each_claim_comes_out_as_it_is_told(results: Results, name: str) -> None:
    (claim,) = (claim for claim in judged(results, SCOPE) if claim.name == name)
    assert claim.verdict is VERDICTS[name], claim.evidence


def test_no_claim_is_left_out(results: Results) -> None:
    left = {claim.name for claim in judged(results, SCOPE)} - set(VERDICTS)
    assert left == {"bank-rises", "fast"}  # Bank's file, and the parties' times
