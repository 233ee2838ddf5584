"""A study of two features and one question, small enough to fill in by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mpc_engine.client.checks import drafted_configuration
from mpc_engine.client.http import Session
from mpc_engine.client.member import Invitation, Member
from mpc_engine.client.person import Participation, accept_invitation
from mpc_engine.client.study import PublicStudy, fetch_parties, fetch_study
from mpc_engine.errors import SiteRefusalError
from mpc_engine.ring.decimal_encoding import encode_decimal
from tests.builders.policies import criterion, each_pair
from tests.builders.study_drafts import by_age, feature, label, make_draft

OVER_25, UP_TO_25, DECLINES = 0, 1, 2

DRAFT = make_draft(
    format="bj2 configuration",
    title="Loans and age",
    purpose="To find out whether young and old are treated alike.",
    retention_days=30,
    features=[
        feature("months", "Months", "12", "0", "120"),
        feature("income", "Income", "10", "0", "100.5"),
    ],
    label=label("loan", "The loan", "repaid", "lost"),
    attributes=[by_age("age group")],
    policy=each_pair(
        criterion("p_rule", "50", "80", "100", certify_at="80"),
        criterion("acceptance_rate_difference", "1", "10"),
        groups=[["age"]],
        minimum_answers=4,
    ),
    typed_challenge_limit=10,
)


@dataclass(frozen=True)
class OpenStudy:
    """A study that takes answers, and an invitation link for each person."""

    study: PublicStudy
    invitations: list[Invitation]
    links: list[str]

    @property
    def hex(self) -> str:
        """The study's id as addresses have it."""
        return self.study.configuration.study_id.hex()


def open_small_study(
    base_url: str, modeler: Member, regulator: Member, n_people: int = 3, **changes: Any
) -> OpenStudy:
    """Draft, approve and open the study, with some terms changed, and invite people."""
    draft = {**DRAFT, **changes}
    with Session(base_url) as session:
        study_id = modeler.draft_study(draft)
        modeler.submit_study(study_id)
        proposal = modeler.wait_for_proposal(study_id, "configuration")
        check = drafted_configuration(draft, study_id, fetch_parties(session))
        for member in (modeler, regulator):
            member.approve(proposal, "configuration", check)
        modeler.wait_for_state(study_id, "OPEN")
        study = fetch_study(session, study_id)
        invitations = modeler.invite(study, n_people)
        links = [invitation.link(session, study_id) for invitation in invitations]
    return OpenStudy(study, invitations, links)


def share_by_client(
    base_url: str, link: str, *, months: str, income: str, answer: int, label: int
) -> Participation:
    """Share one person's answer as her browser does, and wait for both receipts."""
    with Session(base_url) as session:
        person = accept_invitation(session, link)
        study = person.study.configuration
        features = [
            encode_decimal(text, feature.unit, study.x_frac_bits)
            for text, feature in zip((months, income), study.features, strict=True)
        ]
        for last in (False, True):
            submission = person.share(session, [answer], features=features, label=label)
            try:
                person.wait_for_receipts(session, submission)
            except SiteRefusalError:
                if last:
                    raise
            else:
                break
    return person


PEOPLE = [
    ("36", "10", OVER_25, 0),
    ("12", "30.5", OVER_25, 1),
    ("12", "30.5", UP_TO_25, 0),
    ("24", "50", OVER_25, 1),
    ("24", "50", UP_TO_25, 1),
    ("120", "100.5", UP_TO_25, 1),
]
