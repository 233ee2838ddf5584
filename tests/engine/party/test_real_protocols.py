"""The whole job with the real protocols: what the runner tests leave out."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mpc_engine.party.commands.self_test import self_test
from mpc_engine.party.jobs.protocol_table import PRODUCTION
from mpc_engine.party.services.decisions import DecisionCase, decide_cases
from mpc_engine.party.zone.party import utc_now
from tests.engine.party.stories import (
    HALF,
    MODEL_ID,
    N_HALF,
    certify,
    challenge,
    close,
    closed_study,
    hand_in,
    outcomes,
    verify,
)
from tests.engine.party.world import M, R, World


def test_a_study_closes_is_certified_and_answers_challenges(world: World) -> None:
    study, record_set = closed_study(world, N_HALF, PRODUCTION, policy=HALF)
    hand_in(world, study, MODEL_ID, "0", "0.001", intercept="-1")
    reports = certify(world, study, record_set, PRODUCTION)
    outcome: Any = reports[R].object("outcome")
    assert outcome == reports[M].object("outcome")
    assert outcome["verdict"] == "PASS"
    assert int(str(reports[R].object("metrics")["and_gates"])) > 1000
    certificate = bytes.fromhex(json.loads(outcome["certificate"])["certificate_id"])

    cases = [DecisionCase("A", (256, 512)), DecisionCase("B", (0, 0))]
    records = decide_cases(world.parties[M], study.study_id, certificate, cases)
    assert [record.decision for record in records] == [1, 0]
    for number, record in enumerate(records):
        challenge(
            world,
            study,
            certificate,
            bytes([number]) * 16,
            x=record.x,
            decision=record.decision,
            record=record.to_json(),
        )
    challenge(world, study, certificate, b"t" * 16, x=(0, 0), decision=1)
    asked = [bytes([0]) * 16, bytes([1]) * 16, b"t" * 16]
    answers = verify(world, study, certificate, asked, PRODUCTION)
    assert outcomes(answers[R]) == ["CONFIRMED", "CONFIRMED", "DIFFERENT_DECISION"]


def test_an_invalid_answer_leaves_the_cohort_and_is_counted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = world.open_study(n_invited=3)
    for number in range(2):
        world.submit(study, world.answer(study, number))
    layout = "mpc_engine.sharing.layout.EnvelopeLayout.one_hot"
    with monkeypatch.context() as patched:
        patched.setattr(layout, lambda self, answers: (1, 1, 0, 1, 0, 0, 0))
        sent = world.answer(study, 2)
    assert [message.kind for message in world.submit(study, sent)] == ["receipt", "receipt"]
    for report in close(world, study, PRODUCTION).values():
        outcome = report.object("outcome")
        assert (outcome["n_records"], outcome["n_invalid"]) == (2, 1)


@pytest.mark.slow
def test_the_self_test_finds_nothing_wrong(world: World) -> None:
    world.now = utc_now()
    findings = self_test(world.parties[M])
    assert [finding for finding in findings if not finding.passed] == []
    assert {finding.name for finding in findings} >= {"keys", "clock", "aes", "rehearsal"}
