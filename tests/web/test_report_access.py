"""Where there is no report, and who may read one."""

from __future__ import annotations

import pytest

from blindjustice_web.certificates.models import Certificate, CertificationResult
from blindjustice_web.presentation.reports.catalogue import REPORTS
from tests.builders.policies import kind_of
from tests.web.drafts import AUDIT, draft
from tests.web.report_stories import (
    cells_of,
    public_report,
    read_report,
)
from tests.web.stories import World


@pytest.mark.slow
@pytest.mark.parametrize("disclosure", ["verdict", "bracket"])
def test_without_a_table_in_the_policy_there_is_no_report(world: World, disclosure: str) -> None:
    ladder = [str(step) for step in range(5, 101, 5)]
    thresholds = ladder if disclosure == "bracket" else ["80"]
    policy = {
        **AUDIT,
        "disclosure": disclosure,
        "small_groups": "undetermined",
        "criteria": [{"criterion": "p_rule", "thresholds": thresholds, "certify_at": "80"}],
    }
    study = world.closed(policy={**policy, "kind": kind_of(policy)}, question_bits_limit=1000)
    world.judged(study, verdicts=("PASS",) * len(thresholds))
    _refused_everywhere(world, CertificationResult.objects.get(), "no number about a group")


@pytest.mark.slow
def test_counts_that_stand_where_the_policy_opens_none_are_not_shown(world: World) -> None:
    """Whatever a row of the database says: the configuration that people agreed to decides."""
    result = world.certified().result
    result.groups = [
        {"group": [["age", name]], "left_out": "not_told", "counts": [1000, 500]}
        for name in ("over_25", "up_to_25")
    ]
    result.save()
    _refused_everywhere(world, result, "no number about a group")


def test_without_a_verdict_there_is_no_report(world: World) -> None:
    result = world.audited([[0, 0], [0, 0]], verdict="UNDETERMINED", reason="TOO_FEW_DECIDED")
    page = read_report(world, "mo", f"/modeler/models/{result.model_id}/reports/four-fifths/")
    assert "too few people" in page.content.decode()
    assert "report-facts" not in page.content.decode()


def test_with_every_group_hidden_there_is_no_report(world: World) -> None:
    result = world.audited([[0, 0], [0, 0]], n_records=50)
    _refused_everywhere(world, result, "of one decision or of one outcome")


def _refused_everywhere(world: World, result: CertificationResult, why: str) -> None:
    certificate = Certificate.objects.get(result=result)
    assert (
        why in read_report(world, "anonymous", f"/certificates/{certificate.id}/").content.decode()
    )
    bases = {
        "anonymous": f"/certificates/{certificate.id}",
        "mo": f"/modeler/models/{result.model_id}",
        "rae": f"/regulator/models/{result.model_id}",
    }
    for who, base in bases.items():
        for report in REPORTS:
            page = read_report(world, who, f"{base}/reports/{report}/")
            assert page.status_code == 200
            assert why in page.content.decode()
            assert "report-facts" not in page.content.decode()
            for ending in (".csv", ".pdf"):
                assert (
                    read_report(world, who, f"{base}/reports/{report}{ending}").status_code == 404
                )
    for path in (f"/certificates/{certificate.id}", f"/models/{result.model_id}"):
        answer = world.get("mo", f"{path}/reports/four-fifths")
        assert (answer.status_code, answer.json()["code"]) == (409, "REPORT_NOT_OFFERED")


def test_a_verdict_that_did_not_pass_is_for_the_two_sides_alone(world: World) -> None:
    result = world.audited([[1000, 500], [900, 310]], verdict="FAIL")
    for who, role, status in (
        ("mo", "modeler", 200),
        ("rae", "regulator", 200),
        ("mia", "modeler", 404),
        ("uma", "modeler", 404),
        ("rae", "modeler", 404),
        ("mo", "regulator", 404),
        ("anonymous", "regulator", 302),
    ):
        for ending in ("/", ".csv", ".pdf"):
            path = f"/{role}/models/{result.model_id}/reports/four-fifths{ending}"
            assert read_report(world, who, path).status_code == status, (who, path)
    shown = world.get("mo", f"/models/{result.model_id}/reports/four-fifths").json()
    assert shown["tables"][0]["rows"][1][5] == "yes"
    assert world.get("mia", f"/models/{result.model_id}/reports/four-fifths").status_code == 404


@pytest.mark.parametrize("report", ["", "nothing", "four-fifths.exe", "%00", "four-fifths" * 200])
def test_there_are_no_other_reports(world: World, report: str) -> None:
    result = world.audited([[1000, 500], [900, 420]])
    certificate = Certificate.objects.get(result=result)
    assert (
        read_report(world, "mo", f"/certificates/{certificate.id}/reports/{report}/").status_code
        == 404
    )
    assert world.get("mo", f"/certificates/{certificate.id}/reports/{report}").status_code == 404


def test_a_model_without_a_verdict_has_no_report(world: World) -> None:
    study = world.closed(policy=AUDIT, question_bits_limit=10_000)
    path = f"/modeler/models/{world.held_model(study)}/reports/four-fifths/"
    assert read_report(world, "mo", path).status_code == 404


def test_the_public_report_is_made_of_the_signed_text_alone(world: World) -> None:
    result = world.audited([[1000, 500], [900, 420]])
    path = public_report(result, "four-fifths", ".csv")
    before = cells_of(world, path)
    CertificationResult.objects.update(
        groups=[{**row, "counts": [1000, 999]} for row in result.groups]
    )
    assert cells_of(world, path) == before
    certificate = Certificate.objects.get(result=result)
    Certificate.objects.update(text=certificate.text.replace("420", "421"))
    for ending in ("/", ".csv", ".pdf"):
        answer = read_report(world, "anonymous", public_report(result, "four-fifths", ending))
        assert answer.status_code == 404


@pytest.mark.slow
def test_pages_that_show_the_table_lead_to_the_reports(world: World) -> None:
    result = world.audited([[1000, 500], [900, 420]])
    certificate = Certificate.objects.get(result=result)
    for who, page, base in (
        ("anonymous", f"/certificates/{certificate.id}/", f"/certificates/{certificate.id}"),
        ("mo", f"/modeler/studies/{certificate.study_id}/", f"/modeler/models/{result.model_id}"),
        (
            "rae",
            f"/regulator/studies/{certificate.study_id}/",
            f"/regulator/models/{result.model_id}",
        ),
    ):
        shown = read_report(world, who, page).content.decode()
        for report in REPORTS:
            assert f'href="{base}/reports/{report}/"' in shown


def test_the_same_report_is_the_same_bytes(world: World) -> None:
    path = public_report(world.audited([[1000, 500], [900, 420]]), "four-fifths", ".pdf")
    assert read_report(world, "mo", path).content == read_report(world, "rae", path).content


def test_the_draft_s_own_policy_offers_no_report(world: World) -> None:
    assert draft()["policy"]["disclosure"] == "verdict"
    page = read_report(
        world, "anonymous", f"/certificates/{world.certified().id}/"
    ).content.decode()
    assert "why-no-report" in page
