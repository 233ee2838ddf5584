"""How a study comes to each of its states, told once, for every test to start from."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.conf import settings
from django.test import Client

from blindjustice_web.accounts.models import Organisation, User
from blindjustice_web.certificates.models import Certificate, CertificationResult
from blindjustice_web.engine.engine_client import (
    job_id_of,
    read_configuration,
    trained_models_of,
)
from blindjustice_web.jobs.models import Job
from blindjustice_web.studies.models import Configuration, Proposal, Study
from mpc_engine.control.policies.groups import GroupReport
from mpc_engine.control.studies.study_texts import invitations_text
from mpc_engine.control.studies.takeover import Takeover, takeover_text
from mpc_engine.roles import Role
from tests.web.broker import RecordingBroker
from tests.web.drafts import (
    API,
    AUDIT,
    PASSING,
    RECORD_SET,
    TRAINING,
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
class World:
    """Everybody in a test: people, their browsers, the parties, the broker."""

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
                hpke_key=hashlib.sha256(party.role.value.encode()).hexdigest(),
                key_id=some_id(party.role.value),
            )
        study.refresh_from_db()
        return study

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
        answer = self.post("anonymous", f"/studies/{study.id}/submissions", sent)
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

    @kept
    def trainable(self, **changes: Any) -> Study:
        """Return a closed study whose data the modeler holds, with as many people as it needs."""
        policy = {**draft()["policy"], "minimum_answers": 3}
        return self.closed(**{"data_holder": "modeler", "policy": policy, **changes})

    @kept
    def training_job(self, study: Study, **changes: Any) -> Job:
        """Return the job that trains a model, approved by both."""
        answer = self.post("mo", f"/studies/{study.id}/trainings", {**TRAINING, **changes})
        assert answer.status_code == 201, answer.content
        proposal = Proposal.objects.get(pk=answer.json()["id"])
        self.approve_both(proposal)
        return Job.objects.get(pk=job_id_of(proposal.text))

    def trained(self, job: Job, **changes: Any) -> None:
        """Let both parties report the end of a training."""
        self.parties.both_say(
            "job_result",
            job_id=job.id,
            attempt=job.attempt,
            job_kind="training",
            outcome={
                "model_ids": list(trained_models_of(job.spec)),
                "steps": TRAINING["steps"],
                **changes,
            },
            metrics=METRICS,
        )
        job.refresh_from_db()

    @kept
    def held_model(self, study: Study, name: str = "Model A") -> str:
        """Return the id of a model the modeler's party holds."""
        model_id = some_id(f"{name} {study.id}")
        body = {"model_id": model_id, "name": name, "envelope": envelope(name)}
        answer = self.post("mo", f"/studies/{study.id}/models", body)
        assert answer.status_code == 202, answer.content
        assert self.parties.modeler.says("model_accepted", study_id=study.id, model_id=model_id)
        return model_id

    @kept
    def certification_job(self, study: Study, model_id: str) -> Job:
        """Return the job that certifies a model, approved by both."""
        answer = self.post("mo", f"/studies/{study.id}/certifications", {"model_id": model_id})
        assert answer.status_code == 201, answer.content
        proposal = Proposal.objects.get(pk=answer.json()["id"])
        self.approve_both(proposal)
        return Job.objects.get(pk=job_id_of(proposal.text))

    def outcome(
        self,
        study: Study,
        model_id: str,
        verdicts: tuple[str, ...],
        told: Sequence[GroupReport] = (),
        **changes: Any,
    ) -> dict[str, Any]:
        """Return the outcome of a certification; the verdicts where the policy certifies decide."""
        policy = read_configuration(study.configuration.text).policy
        rows = list(zip(policy.questions, verdicts, strict=True))
        certifying = {(item.criterion, item.certify_at) for item in policy.criteria}
        decisive = {each for question, each in rows if question in certifying}
        verdict = decisive.pop() if len(decisive) == 1 else "FAIL"
        outcome: dict[str, Any] = {
            "verdict": verdict,
            "reason": "TOO_FEW_ANSWERS" if verdict == "UNDETERMINED" else "",
            "model_id": model_id,
            "thresholds": [
                {"criterion": criterion, "threshold": threshold, "verdict": each}
                for (criterion, threshold), each in rows
            ],
        }
        if verdict == "PASS":
            outcome |= self.parties.certificate(
                read_configuration(study.configuration.text),
                model_id=model_id,
                record_set=study.record_set,
                n_records=study.n_records,
                verdicts=list(verdicts),
                groups=told,
            )
        if told:
            outcome["groups"] = [report.to_json() for report in told]
        return outcome | changes

    @kept
    def audited(
        self,
        counts: list[list[int]],
        *,
        left_out: Sequence[int] = (),
        n_records: int = 0,
        verdict: str = "PASS",
        reason: str = "",
        policy: dict[str, Any] | None = None,
        **changes: Any,
    ) -> CertificationResult:
        """Return a verdict that opened these counts of all groups, some of them left out."""
        study = self.closed(policy=policy or AUDIT, question_bits_limit=10_000, **changes)
        study.n_records = n_records or sum(row[0] for row in counts)
        study.save(update_fields=["n_records"])
        configuration = read_configuration(study.configuration.text)
        names_small = configuration.policy.names_small_groups
        told = [
            GroupReport(group, number in left_out if names_small else None, tuple(row))
            for number, (group, row) in enumerate(zip(configuration.groups, counts, strict=True))
        ]
        more = {"reason": reason} if reason else {}
        verdicts = (verdict,) * len(configuration.policy.questions)
        self.judged(study, verdicts=verdicts, told=told, **more)
        return CertificationResult.objects.get(model__study=study)

    @kept
    def swept(self, study: Study, rights: dict[str, int]) -> dict[str, str]:
        """Train a model for each c, right for so many of a thousand; return their ids by c."""
        job = self.training_job(study, points=[[c] for c in rights])
        ids = dict(zip(rights, trained_models_of(job.spec), strict=True))
        for c, right in rights.items():
            said = {"study_id": study.id, "job_id": job.id, "model_id": ids[c], "n_rows": 1000}
            assert self.parties.modeler.says("model_trained", **said, right_per_mille=right)
        self.trained(job)
        return ids

    def takeover(self, study: Study, trained: list[str]) -> dict[str, str]:
        """Return the body that hands trained models to a study."""
        configuration = read_configuration(study.configuration.text)
        text = takeover_text(
            Takeover(
                configuration.study_id,
                configuration.digest,
                {
                    bytes.fromhex(some_id(f"{study.id} {old}")): bytes.fromhex(old)
                    for old in trained
                },
            )
        )
        return {"text": text, **self.parties.modeler.approves("takeover", text)}

    @kept
    def taken_over(self, study: Study, trained: list[str]) -> list[str]:
        """Return the ids under which a study has trained models of another one."""
        answer = self.post("mo", f"/studies/{study.id}/takeovers", self.takeover(study, trained))
        assert answer.status_code == 202, answer.content
        ids = [model["model_id"] for model in answer.json()]
        for model_id in ids:
            self.parties.modeler.says("model_accepted", study_id=study.id, model_id=model_id)
        return ids

    @kept
    def judged(
        self,
        study: Study,
        name: str = "Model A",
        verdicts: tuple[str, ...] = PASSING,
        **changes: Any,
    ) -> Job:
        """Return the finished job that gave a model its verdict."""
        return self.judged_model(study, self.held_model(study, name), verdicts, **changes)

    @kept
    def judged_model(
        self, study: Study, model_id: str, verdicts: tuple[str, ...] = PASSING, **changes: Any
    ) -> Job:
        """Return the finished job that gave a model of the study its verdict."""
        job = self.certification_job(study, model_id)
        self.parties.both_say(
            "job_result",
            job_id=job.id,
            attempt=job.attempt,
            job_kind="certification",
            outcome=self.outcome(study, model_id, verdicts, **changes),
            metrics=METRICS,
        )
        job.refresh_from_db()
        return job

    @kept
    def certified(self, **changes: Any) -> Certificate:
        """Return a certificate of a model that passed."""
        study = self.closed(**changes)
        self.judged(study)
        return Certificate.objects.get(study=study)

    def challenge(self, who: str, certificate: Certificate, tag: str = "", **changes: Any) -> str:
        """Open a case as somebody and return its id."""
        challenge_id = some_id(f"challenge {who} {tag} {certificate.id}")
        body = {
            "challenge_id": challenge_id,
            "certificate_id": certificate.id,
            "envelope": envelope(f"challenge {who} {tag}"),
            "source": "record",
            **changes,
        }
        answer = self.post(who, "/challenges", body)
        assert answer.status_code == 202, answer.content
        return challenge_id

    def challenge_read(self, certificate: Certificate, challenge_id: str, **changes: Any) -> bool:
        """Let the regulator's party accept a case."""
        return self.parties.regulator.says(
            "challenge_accepted",
            **{
                "challenge_id": challenge_id,
                "certificate_id": certificate.id,
                "source": "record",
                **changes,
            },
        )

    def verification_result(self, job: Job, outcomes: dict[str, str]) -> None:
        """Let both parties report a verification."""
        certificate_id = job.subject_id
        common: dict[str, Any] = {
            "job_id": job.id,
            "attempt": job.attempt,
            "job_kind": "verification",
            "metrics": METRICS,
        }
        rows = [{"challenge_id": c, "outcome": o} for c, o in outcomes.items()]
        self.parties.modeler.says(
            "job_result",
            **common,
            outcome={"certificate_id": certificate_id, "batch_size": len(outcomes)},
        )
        self.parties.regulator.says(
            "job_result", **common, outcome={"certificate_id": certificate_id, "challenges": rows}
        )


ONLY_COVARIANCE = ("FAIL", "FAIL", "FAIL", "PASS", "PASS")
