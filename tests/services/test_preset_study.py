"""On a running installation as `./run up` makes it: a study under the preset that opens a table."""

from __future__ import annotations

import itertools
import json
from contextlib import ExitStack
from functools import partial
from typing import Any

from demo.stack import read_stack
from mpc_engine.client.checks import drafted_configuration, job_of
from mpc_engine.client.http import Session
from mpc_engine.client.jobs import wait_for_job
from mpc_engine.client.member import Member
from mpc_engine.client.person import accept_invitation
from mpc_engine.client.study import PublicStudy, fetch_parties, fetch_study, wait_for_renewed_keys
from mpc_engine.control.policies.presets import PRESETS
from mpc_engine.control.post.jobs import parse_job
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind
from tests.browser.small_study import DRAFT
from tests.builders.study_drafts import attribute
from tests.running_stack import RunningStack
from tests.services.crash_study import wait_for

CATEGORIES = {"race": ("first", "second", "third"), "sex": ("female", "male")}
PATIENCE_S = 120
DECIDED = 5
"""People of each decision in a group, as few as a policy may ask for."""


def _draft() -> dict[str, Any]:
    (preset,) = (preset for preset in PRESETS if preset.name == "nyc_ll144")
    attributes = [
        attribute(name, name, f"What is your {name}?", **{one: one.title() for one in categories})
        for name, categories in CATEGORIES.items()
    ]
    return {
        **DRAFT,
        "title": "Stops by race and sex",
        "attributes": attributes,
        "policy": {**preset.policy(list(CATEGORIES), 2, 6), "minimum_decided": DECIDED},
        "question_bits_limit": preset.question_bits,
    }


def _approved(
    members: list[Member], study: PublicStudy, proposal: str, kind: JobKind, **of: str
) -> str:
    """Let both sign a job's proposal; return the job's id."""
    check = job_of(study, kind, **of)
    texts = [
        wait_for("an approval", partial(member.approve, proposal, kind.value, check), PATIENCE_S)
        for member in members
    ]
    return parse_job(texts[0]).job_id.hex()


def _opened(members: list[Member], site: Session) -> PublicStudy:
    draft = _draft()
    mo = members[0]
    study_id = mo.draft_study(draft)
    mo.submit_study(study_id)
    proposal = mo.wait_for_proposal(study_id, "configuration")
    check = drafted_configuration(draft, study_id, fetch_parties(site))
    for member in members:
        member.approve(proposal, "configuration", check)
    mo.wait_for_state(study_id, "OPEN")
    return fetch_study(site, study_id)


def _share(stack: RunningStack, mo: Member, study: PublicStudy) -> None:
    """Let as many people of each race and sex answer as are needed, half of them with an income."""
    cells = list(itertools.product(*(range(len(names)) for names in CATEGORIES.values())))
    people = [(cell, income) for cell in cells for income in (0, 512) * DECIDED]
    for (answers, income), invitation in zip(people, mo.invite(study, len(people)), strict=True):
        with Session(stack.base_url) as session:
            person = accept_invitation(
                session, invitation.link(session, study.configuration.study_id)
            )

            def shared(
                person: Any = person,
                answers: Any = answers,
                income: int = income,
                session: Any = session,
            ) -> bool:
                sent = person.share(session, list(answers), features=[256, income], label=1)
                person.wait_for_receipts(session, sent)
                return True

            wait_for("a share", shared, PATIENCE_S)


def test_the_preset_that_opens_a_table_gets_a_certificate(stack: RunningStack) -> None:
    told = read_stack(stack.description_path)
    with ExitStack() as kept:
        sessions = [kept.enter_context(Session(told.base_url)) for _ in range(3)]
        for session, role in zip(sessions, ("modeler", "regulator"), strict=False):
            session.log_in(told.log_ins[role].email, told.log_ins[role].password)
        members = [
            Member.with_key_file(session, told.approver_keys[role])
            for session, role in zip(sessions, Role, strict=False)
        ]
        mo, site = members[0], sessions[2]
        study = _opened(members, site)
        _share(stack, mo, study)
        closing = _approved(members, study, mo.propose_closing(study), JobKind.CLOSING)
        closed = wait_for_job(mo.session, study, closing).outcome(Role.MODELER)
        record_set = str(closed["record_set"])
        study = wait_for_renewed_keys(site, study)
        text = json.dumps(
            {
                "format": "bj1 model",
                "configuration": study.configuration.digest.hex(),
                "intercept": "-1",
                "coefficients": {"months": "0", "income": "1"},
            }
        )
        model_id = wait_for("a model", lambda: mo.hand_in_model(study, "Half of them", text), 60)
        mo.wait_for_model(model_id)
        proposal = wait_for(
            "a proposal", lambda: mo.propose_certification(study, model_id), PATIENCE_S
        )
        of = {"model_id": model_id, "record_set": record_set}
        job = _approved(members, study, proposal, JobKind.CERTIFICATION, **of)
        outcome: Any = wait_for_job(mo.session, study, job).outcome(Role.REGULATOR)
    assert outcome["verdict"] == "PASS"
    assert len(outcome["groups"]) == 3 + 2 + 6
