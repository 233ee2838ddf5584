"""Every preset, for one to three attributes, crossed or not: from the draft to both verdicts.

Real envelopes, real closing, real certification (from ideal base OTs), and the limits that
operators have unless they set others. What a draft of a preset promises must hold once people have
answered.
"""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from mpc_engine.control.policies.charge import certification_bits
from mpc_engine.control.policies.presets import PRESETS, PolicyPreset, divisions
from mpc_engine.control.post.party_limits import check_limits
from mpc_engine.control.studies.configuration import check_draft
from mpc_engine.party.jobs.protocol_table import PRODUCTION
from mpc_engine.roles import Role
from mpc_engine.vocabulary.policies import Disclosure
from tests.builders.study_drafts import make_draft
from tests.engine.party.stories import certify, closing_spec, hand_in
from tests.engine.party.world import World

pytestmark = [pytest.mark.usefixtures("ideal_base_ots"), pytest.mark.slow]

_CATEGORIES = {"sex": 2, "race": 3, "age": 2}
_CELLS = list(itertools.product(*(range(n) for n in _CATEGORIES.values())))
_COPIES = 15
"""People of each cell: five of each decision by either model, as few as a policy may ask for."""
_PEOPLE = [(cell, number % 3) for number in range(_COPIES) for cell in _CELLS]
_PATIENCE_S = 160
"""The first of these tests compiles kernels, which a busy machine takes a minute for."""
_FAIR, _UNFAIR = b"f" * 16, b"u" * 16


def _attribute(name: str) -> dict[str, Any]:
    return {
        "name": name,
        "title": name.title(),
        "question": f"What is your {name}?",
        "categories": [
            {"name": f"{name}_{n}", "title": f"{name} {n}"} for n in range(_CATEGORIES[name])
        ],
    }


def _draft(preset: PolicyPreset, names: list[str], *, crossed: bool) -> dict[str, Any]:
    """Return the draft that the form makes of a preset, for small groups and two models."""
    policy: dict[str, Any] = dict(preset.policy(names, 2, 20))
    policy["questions"] = 2
    policy["groups"] = divisions(names, crossed=crossed)
    policy["minimum_decided"] = _COPIES // 3
    return make_draft(
        attributes=[_attribute(name) for name in names],
        policy=policy,
        question_bits_limit=preset.question_bits,
    )


_CASES = [
    (preset, n_attributes, crossed)
    for preset in PRESETS
    for n_attributes in (1, 2, 3)
    for crossed in (False, True)
    if n_attributes > 1 or not crossed
]


@pytest.mark.parametrize(
    ("preset", "n_attributes", "crossed"),
    _CASES,
    ids=[f"{one.name}-{n}-{'crossed' if crossed else 'single'}" for one, n, crossed in _CASES],
)
def test_a_preset_gets_from_its_draft_to_both_verdicts(
    world: World, preset: PolicyPreset, n_attributes: int, crossed: bool
) -> None:
    """In each cell two of three are selected by amount; by duration one or two, by their sex."""
    for role in Role:
        world.allow(role, receive_limit_s=_PATIENCE_S)
    names = list(_CATEGORIES)[:n_attributes]
    draft = _draft(preset, names, crossed=crossed)
    check_limits(check_draft(draft), [party.descriptor() for party in world.parties.values()])
    study = world.open_study(n_invited=len(_PEOPLE), **draft)
    for number, (cell, copy) in enumerate(_PEOPLE):
        features = (256 * (copy + cell[0] >= 2), 512 * (copy >= 1))
        answers = cell[:n_attributes]
        sent = world.answer(study, number, answers=answers, features=features, label=1)
        world.submit(study, sent)
    spec = closing_spec(world, study, time_limit_s=_PATIENCE_S)
    told = world.run_job(spec, kind="closing", table=PRODUCTION, with_receipts=True)
    record_set = bytes.fromhex(str(told[Role.REGULATOR].object("outcome")["record_set"]))
    hand_in(world, study, _FAIR, "0", "0.001", intercept="-1")
    hand_in(world, study, _UNFAIR, "1", "0", intercept="-6")
    for model_id, verdict in ((_FAIR, "PASS"), (_UNFAIR, "FAIL")):
        job: dict[str, Any] = {"job_id": model_id, "model_id": model_id}
        job["time_limit_s"] = _PATIENCE_S
        reports = certify(world, study, record_set, PRODUCTION, **job)
        for report in reports.values():
            assert report.kind == "job_result", report.text("sentence")
            outcome: Any = report.object("outcome")
            assert (outcome["verdict"], outcome["reason"]) == (verdict, "")
            n_told = len(study.groups) if preset.disclosure is Disclosure.TABLE else 0
            assert len(outcome.get("groups", [])) == n_told
    bits = 2 * certification_bits(study.policy, len(study.groups), len(_PEOPLE))
    for role in Role:
        spent = world.messages(role, "question")[-1].integer("spent_millibits")
        assert 0 <= spent - 1000 * bits < 2
        assert spent <= 1000 * preset.question_bits
