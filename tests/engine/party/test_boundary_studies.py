"""Whole studies on the edge of a verdict: real envelopes, real closing, real certification."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from mpc_engine.control.files.certificate import check_against_configuration, parse_certificate
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.errors import InvalidCertificateError
from mpc_engine.party.jobs.protocol_table import PRODUCTION
from mpc_engine.roles import Role
from tests.builders.policies import criterion, each_pair, named_groups
from tests.builders.study_drafts import by_age
from tests.engine.party.stories import MODEL_ID, certify, close, hand_in
from tests.engine.party.world import World
from tests.engine.protocols.reference import Policy, judge

pytestmark = pytest.mark.usefixtures("ideal_base_ots")

_SELECTED, _NOT_SELECTED = (0, 512), (0, 0)
_SILENT = 2
_HOSTILE_ROWS = ((0, 0, 0), (1, 1, 0), (1, 0, 1), (1, 1, 1))
_DRAFT: dict[str, Any] = {
    "attributes": [by_age()],
    "policy": each_pair(
        criterion("p_rule", "80"), groups=[["age"]], minimum_group=5, minimum_answers=10
    ),
}


def _people(*groups: tuple[int, int], silent: int = 0) -> list[tuple[int, tuple[int, int]]]:
    """Return (category, features) of groups of (selected, people) and of silent people."""
    people = [
        (category, _SELECTED if number < selected else _NOT_SELECTED)
        for category, (selected, size) in enumerate(groups)
        for number in range(size)
    ]
    return people + [(_SILENT, _SELECTED)] * silent


@pytest.mark.slow
@pytest.mark.parametrize(
    ("people", "n_hostile", "verdict", "reason"),
    [
        (_people((8, 20), (10, 20)), 8, "PASS", ""),
        (_people((8, 20), (11, 20)), 8, "FAIL", ""),
        (_people((10, 20), (8, 20)), 0, "PASS", ""),
        (_people((4, 12), (6, 12)), 0, "UNDETERMINED", "TOO_FEW_DECIDED"),
        (_people((0, 10), (0, 10)), 0, "UNDETERMINED", "TOO_FEW_DECIDED"),
        (_people((0, 3), (5, 10)), 0, "UNDETERMINED", "GROUP_UNDER_FLOOR"),
        (_people(silent=12), 0, "UNDETERMINED", "TOO_FEW_ANSWERS"),
        (_people((1, 1)), 0, "UNDETERMINED", "TOO_FEW_ANSWERS"),
    ],
    ids=["equality", "below", "exchanged", "few of one", "nobody", "small", "silent", "alone"],
)
def test_a_study_on_the_edge_is_judged_as_the_reference_says(
    world: World,
    people: list[tuple[int, tuple[int, int]]],
    n_hostile: int,
    verdict: str,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A fifth of some cohorts are people whose rows are not one-hot; closing drops them."""
    study = world.open_study(n_invited=len(people) + n_hostile, **_DRAFT)
    for number, (category, features) in enumerate(people):
        sent = world.answer(study, number, answers=(category,), features=features)
        world.submit(study, sent)
    for number in range(n_hostile):
        row = _HOSTILE_ROWS[number % len(_HOSTILE_ROWS)]
        with monkeypatch.context() as patched:
            layout = "mpc_engine.sharing.layout.EnvelopeLayout.one_hot"
            patched.setattr(layout, lambda self, answers, row=row: row)
            sent = world.answer(study, len(people) + number, answers=(0,), features=_SELECTED)
        world.submit(study, sent)
    closed = close(world, study, PRODUCTION)[Role.REGULATOR].object("outcome")
    assert (closed["n_records"], closed["n_invalid"]) == (len(people), n_hostile)
    hand_in(world, study, MODEL_ID, "0", "0.001", intercept="-1")
    reports = certify(world, study, bytes.fromhex(str(closed["record_set"])), PRODUCTION)
    policy = Policy((2,), (Fraction(80),), floor=5, fewest_answers=10, unit=256)
    choices = [[category] for category, _ in people]
    reference = judge(policy, choices, [features for _, features in people], [-1, 0, 1])
    assert (reference.verdict, reference.reason or "") == (verdict, reason)
    for report in reports.values():
        outcome: Any = report.object("outcome")
        assert (outcome["verdict"], outcome["reason"]) == (verdict, reason)
        assert ("certificate" in outcome) == (verdict == "PASS")


def _tell_all(n_groups: int, **changes: Any) -> dict[str, Any]:
    policy = named_groups(
        criterion("p_rule", "70", "90"),
        criterion("true_positive_rate_difference", "30"),
        groups=[["age"]],
        disclosure="table",
        **changes,
    )
    ages = {name: name for name in ("over_25", "up_to_25", "untold")[:n_groups]}
    return {
        "attributes": [by_age(**ages)],
        "policy": policy,
        "question_bits_limit": 10_000,
    }


def _told(
    world: World,
    draft: dict[str, Any],
    others: list[tuple[int, tuple[int, ...]]],
    outcome_of_others: int | None = None,
) -> tuple[Configuration, list[Any]]:
    """Certify with two groups alike, 15 of 20 selected, and others; return what both report."""
    alike = [_SELECTED] * 15 + [_NOT_SELECTED] * 5
    people = [(age, features) for age in (0, 1) for features in alike] + others
    study = world.open_study(n_invited=len(people), **draft)
    for number, (category, features) in enumerate(people):
        label = 1 if number < 2 * len(alike) else outcome_of_others
        sent = world.answer(study, number, answers=(category,), features=features, label=label)
        world.submit(study, sent)
    closed = close(world, study, PRODUCTION)[Role.REGULATOR].object("outcome")
    hand_in(world, study, MODEL_ID, "0", "0.001", intercept="-1")
    reports = certify(world, study, bytes.fromhex(str(closed["record_set"])), PRODUCTION)
    return study, [report.object("outcome") for report in reports.values()]


@pytest.mark.slow
def test_both_parties_report_the_groups_that_a_policy_discloses_and_no_more(world: World) -> None:
    """A group of a single person is left out, named and not counted."""
    draft = _tell_all(3, minimum_percent="20", small_groups="excluded_and_named")
    study, outcomes = _told(world, draft, [(2, _NOT_SELECTED)], outcome_of_others=1)
    for outcome in outcomes:
        assert outcome["verdict"] == "PASS"
        assert [(row["left_out"], row["counts"]) for row in outcome["groups"]] == [
            ("no", [20, 15, 15, 5]),
            ("no", [20, 15, 15, 5]),
            ("yes", [0, 0, 0, 0]),
        ]
        certificate = parse_certificate(outcome["certificate"])
        check_against_configuration(certificate, study)
        assert [row.to_json() for row in certificate.groups] == outcome["groups"]
        other = replace(certificate, groups=certificate.groups[:2])
        with pytest.raises(InvalidCertificateError, match="groups"):
            check_against_configuration(other, study)


@pytest.mark.slow
@pytest.mark.parametrize(("n_silent", "verdict"), [(0, "PASS"), (10, "FAIL")])
def test_both_parties_report_what_silent_people_could_change(
    world: World, n_silent: int, verdict: str
) -> None:
    draft = _tell_all(2, missing_answers="worst_case_certifies")
    _, outcomes = _told(world, draft, [(2, _NOT_SELECTED)] * n_silent)
    for outcome in outcomes:
        assert outcome["verdict"] == verdict
        assert [row["worst_case"] for row in outcome["thresholds"]] == (
            ["PASS"] * 3 if n_silent == 0 else ["FAIL", "FAIL", "PASS"]
        )
        assert {row["best_case"] for row in outcome["thresholds"]} == {"PASS"}
