"""What runs took: seconds and bytes by stage, as the reader's own party counted them."""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.test.utils import CaptureQueriesContext

from blindjustice_web.accounts.models import Role
from blindjustice_web.jobs.models import Job
from blindjustice_web.presentation.figures.costs import RUNS_SHOWN, costs_of
from blindjustice_web.studies.models import Study
from mpc_engine.control.post.run_stages import StageCost
from mpc_engine.vocabulary.runs import Stage
from tests.web.parties import METRICS
from tests.web.stories import World

OWN = [StageCost("set-up", 250, 10, 20), StageCost("decisions", 4000, 1_500_000, 2_500)]
OTHERS = [StageCost("decisions", 9000, 2_500, 1_500_000)]


def _verified(world: World, stages: dict[str, list[StageCost]]) -> Study:
    """Return a study in which a verification ran last, with what each party says it took."""
    certificate = world.certified()
    case = world.challenge("uma", certificate)
    world.challenge_read(certificate, case)
    job = Job.objects.get(kind="verification")
    for party in world.parties:
        costs = [cost.to_json() for cost in stages[party.role.value]]
        outcome: dict[str, Any] = {"certificate_id": certificate.id, "batch_size": 1}
        if party.role.value == "regulator":
            rows = [{"challenge_id": case, "outcome": "CONFIRMED"}]
            outcome = {"certificate_id": certificate.id, "challenges": rows}
        party.says(
            "job_result",
            job_id=job.id,
            attempt=1,
            job_kind="verification",
            outcome=outcome,
            metrics={**METRICS, "stages": costs},
        )
    return certificate.study


def test_each_side_reads_what_its_own_party_counted(world: World) -> None:
    study = _verified(world, {"modeler": OWN, "regulator": OTHERS})
    seconds, sent = costs_of(study, Role.MODELER)
    assert seconds.title == (
        "The last run took 4.2\u00a0s; the longest stage was checking decisions: 4.0\u00a0s"
    )
    assert sent.title == "In the last run your party sent 1.5\u00a0MB and received 2.5\u00a0kB"
    assert [row[1:] for row in seconds.rows[:2]] == [
        ["getting ready", "250\u00a0ms"],
        ["checking decisions", "4.0\u00a0s"],
    ]
    assert [row[1:] for row in sent.rows[:2]] == [
        ["getting ready", "10\u00a0B", "20\u00a0B"],
        ["checking decisions", "1.5\u00a0MB", "2.5\u00a0kB"],
    ]
    traces = {trace["name"]: trace["x"] for trace in seconds.drawing["data"]}
    assert (traces["getting ready"][0], traces["checking decisions"][0]) == (0.25, 4)
    for role, part in (("modeler", "4.0\u00a0s"), ("regulator", "9.0\u00a0s")):
        who = "mo" if role == "modeler" else "rae"
        page = world.study_page(who, study, live=True)
        region = page.split('id="region-costs"')[1].split('id="region-terms"')[0]
        assert f"the longest stage was checking decisions: {part}" in region
        assert 'id="figure-run-seconds"' in region
        assert 'id="figure-run-bytes"' in region


def test_a_party_that_tells_no_stages_has_no_figure(world: World) -> None:
    study = world.drafted()
    assert costs_of(study, Role.MODELER) == []
    page = world.study_page("mo", study)
    assert '<section id="region-costs" data-region class="stack stack--l"></section>' in page
    silent: dict[str, list[StageCost]] = {"modeler": [], "regulator": []}
    judged = _verified(world, silent)
    seconds, _sent = costs_of(judged, Role.MODELER)
    assert not any("Verification" in row[0] for row in seconds.rows)


def test_every_stage_that_a_report_may_name_has_words(world: World) -> None:
    whole = [StageCost(stage, 1000, 1, 1) for stage in Stage]
    study = _verified(world, {"modeler": whole, "regulator": whole})
    seconds, _sent = costs_of(study, Role.REGULATOR)
    words = [row[1] for row in seconds.rows if "Verification" in row[0]]
    assert len(words) == len(set(words)) == len(Stage)
    assert words.count("other") == 1


def test_stages_of_a_later_version_count_together_as_other(world: World) -> None:
    names = ("decisions", "other", "a later stage", "<b>another</b>")
    later = [StageCost(name, 1000, 10, 20) for name in names]
    study = _verified(world, {"modeler": later, "regulator": later})
    seconds, sent = costs_of(study, Role.MODELER)
    assert seconds.title == "The last run took 4.0\u00a0s; the longest stage was other: 3.0\u00a0s"
    assert [row[1:] for row in sent.rows if "Verification" in row[0]] == [
        ["checking decisions", "10\u00a0B", "20\u00a0B"],
        ["other", "30\u00a0B", "60\u00a0B"],
    ]
    traces = {trace["name"]: trace["x"] for trace in seconds.drawing["data"]}
    assert traces["other"][0] == 3


def test_only_the_last_runs_are_read_in_two_queries(world: World) -> None:
    study = world.closed()
    for number in range(RUNS_SHOWN + 2):
        world.judged(study, f"Model {number}", ("FAIL",) * 5)
    with CaptureQueriesContext(connection) as captured:
        seconds, _sent = costs_of(study, Role.MODELER)
    assert len(captured) == 2
    axis = seconds.drawing["layout"]["yaxis"]
    assert len(set(axis["tickvals"])) == RUNS_SHOWN, "runs of one minute are told apart"
    assert len(seconds.rows) == RUNS_SHOWN * len(METRICS["stages"])
