"""How studies of the site's tests come to be: drafted, signed, open, answered, closed."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.test import Client

from blindjustice_web.accounts.models import Organisation, User
from blindjustice_web.engine.engine_client import (
    job_id_of,
    read_configuration,
)
from blindjustice_web.jobs.models import Job
from blindjustice_web.studies.models import Configuration, Proposal, Study
from mpc_engine.control.studies.study_texts import invitations_text
from mpc_engine.roles import Role
from tests.builders.sealing_keys import sealing_key
from tests.web.broker import RecordingBroker
from tests.web.drafts import (
    API,
    RECORD_SET,
    announced,
    draft,
    envelope,
    some_id,
    submission,
    terms,
)
from tests.web.memory import Memory, kept
from tests.web.parties import METRICS, Pair


@dataclass
class StudyStories:
    """Everybody in a test, and how a study comes to be, is answered and is closed."""

    users: dict[str, User]
    clients: dict[str, Client]
    parties: Pair
    broker: RecordingBroker
    organisations: dict[str, Organisation] = field(default_factory=dict)
    memory: Memory | None = None
    """What tells stories again that were told; without one each is told anew."""

    def post(self, who: str, path: str, body: dict[str, Any]) -> Any:
        """Post JSON as somebody."""
        return self.clients[who].post(API + path, json.dumps(body), content_type="application/json")

    def get(self, who: str, path: str) -> Any:
        """Fetch an API address as somebody."""
        return self.clients[who].get(API + path)

    def session(self, who: str) -> str:
        """Return the id of somebody's session, empty for whoever is not logged in."""
        cookie = self.clients[who].cookies.get("sessionid")
        return cookie.value if cookie else ""

    def page(self, who: str, path: str) -> str:
        """Return a page as somebody gets it; it must be there."""
        answer = self.clients[who].get(path)
        assert answer.status_code == 200, path
        return str(answer.content.decode())

    def study_page(self, who: str, study: Study, *, live: bool = False) -> str:
        """Return a member's page of a study, or only its live region."""
        portal = "regulator" if who == "rae" else "modeler"
        return self.page(who, f"/{portal}/studies/{study.id}/" + "?partial=1" * live)

    def submit(self, study: Study, sent: dict[str, Any]) -> Any:
        """Send what a person sends for a study; return the answer."""
        return self.post("anonymous", f"/studies/{study.id}/submissions", sent)

    def limits(self, **limits: int) -> None:
        """Let the regulator's party publish other limits of its own, in bits."""
        for name, bits in limits.items():
            setattr(self.parties.regulator, name, bits)
        self.parties.regulator.publish(Path(settings.PUBLIC_DIR))

    @kept
    def published(self, title: str = "Age in lending", **changes: Any) -> str:
        """Return the id of a policy that Rae published."""
        answer = self.post("rae", "/policies", {"title": title, "terms": terms(**changes)})
        assert answer.status_code == 201, answer.content
        return str(answer.json()["policy_id"])

    @kept
    def drafted(self, **changes: Any) -> Study:
        """Return a study Mo has drafted."""
        answer = self.post("mo", "/studies", draft(**changes))
        assert answer.status_code == 201, answer.content
        return Study.objects.get(pk=answer.json()["study_id"])

    @kept
    def submitted(self, **changes: Any) -> Study:
        """Return a study both parties made their keys for."""
        study = self.drafted(**changes)
        assert self.post("mo", f"/studies/{study.id}/submit", {}).status_code == 202
        for party in self.parties:
            party.says(
                "study_key",
                study_id=study.id,
                number=1,
                hpke_key=sealing_key(len(party.role.value)).hex(),
                key_id=some_id(party.role.value),
            )
        study.refresh_from_db()
        return study

    def proposed(self, **changes: Any) -> tuple[Study, Proposal]:
        """Return a study both parties made their keys for, and its configuration to be signed."""
        study = self.submitted(**changes)
        return study, study.proposals.get()

    def approve(self, who: str, proposal: Proposal) -> Any:
        """Approve a proposal as Mo or Rae."""
        party = self.parties.modeler if who == "mo" else self.parties.regulator
        return self.post(
            who, f"/proposals/{proposal.id}/approvals", party.approves(proposal.kind, proposal.text)
        )

    def approve_both(self, proposal: Proposal) -> None:
        """Approve a proposal as both."""
        for who in ("mo", "rae"):
            answer = self.approve(who, proposal)
            assert answer.status_code == 200, answer.content

    @kept
    def opened(self, **changes: Any) -> Study:
        """Return a study that is open for answers."""
        study = self.submitted(**changes)
        self.approve_both(study.proposals.get(kind="configuration"))
        self.parties.both_say(
            "configuration_accepted",
            study_id=study.id,
            attempt_id=Configuration.objects.get(study=study).attempt_id,
            configuration=study.configuration.digest,
        )
        study.refresh_from_db()
        assert study.state == "OPEN"
        return study

    def invitations(self, study: Study, records: list[str]) -> dict[str, str]:
        """Return the body that invites these records."""
        configuration = read_configuration(study.configuration.text)
        body = {"key_id": self.parties.modeler.approver.key_id.hex()}
        for role in Role:
            credentials = {
                bytes.fromhex(r): hashlib.sha256(f"{r}{role}".encode()).digest() for r in records
            }
            text = invitations_text(configuration.study_id, configuration.digest, role, credentials)
            signed = self.parties.modeler.approves("invitations", text)
            body[f"{role.value}_text"] = text
            body[f"{role.value}_signature"] = signed["signature"]
        return body

    @kept
    def invited(self, n: int = 3, **changes: Any) -> tuple[Study, list[str]]:
        """Return an open study with invited records that both parties know."""
        study = self.opened(**changes)
        records = [some_id(f"record {number} of {study.id}") for number in range(n)]
        answer = self.post(
            "mo", f"/studies/{study.id}/invitations", self.invitations(study, records)
        )
        assert answer.status_code == 202, answer.content
        self.parties.both_say("invitations_accepted", study_id=study.id, count=n)
        return study, records

    @kept
    def answered(self, study: Study, record: str, sequence: int = 1) -> dict[str, Any]:
        """Let a person send an answer that both parties accept; return what she sent."""
        sent = submission(record, sequence)
        answer = self.submit(study, sent)
        assert answer.status_code == 202, answer.content
        self.parties.both_say(
            "receipt",
            study_id=study.id,
            record_id=record,
            submission_id=sent["submission_id"],
            sequence=sequence,
            common_digest=hashlib.sha256(sent["submission_id"].encode()).hexdigest(),
        )
        return sent

    def upload(self, who: str, study: Study, name: str = "upload") -> Any:
        """Send a small sealed data file; return the answer to its one part, or the refusal."""
        content = envelope(name)
        body = announced(content, name)
        answer = self.post(who, f"/studies/{study.id}/data", body)
        if answer.status_code != 202:
            return answer
        path = f"{API}/studies/{study.id}/data/{body['upload_id']}/parts/0"
        sent = {"content": content}
        return self.clients[who].put(path, sent, content_type="application/json")

    @kept
    def closing_job(self, study: Study) -> Job:
        """Return the running closing job of an open study."""
        proposed = self.post("mo", f"/studies/{study.id}/closing", {})
        assert proposed.status_code == 201, proposed.content
        proposal = Proposal.objects.get(pk=proposed.json()["id"])
        self.approve_both(proposal)
        return Job.objects.get(pk=job_id_of(proposal.text))

    @kept
    def closed(self, **changes: Any) -> Study:
        """Return a closed study with three records."""
        study, records = self.invited(**changes)
        for record in records:
            self.answered(study, record)
        job = self.closing_job(study)
        self.parties.both_say(
            "job_result",
            job_id=job.id,
            attempt=job.attempt,
            job_kind="closing",
            outcome={"record_set": RECORD_SET, "n_records": 3, "n_invalid": 0, "n_disagreed": 0},
            metrics=METRICS,
        )
        study.refresh_from_db()
        assert study.state == "CLOSED"
        return study
