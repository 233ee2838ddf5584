"""How a study comes to each of its states, told once, for every test to start from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from blindjustice_web.certificates.models import Certificate, CertificationResult
from blindjustice_web.engine.engine_client import (
    job_id_of,
    read_configuration,
    trained_models_of,
)
from blindjustice_web.jobs.models import Job
from blindjustice_web.studies.models import Proposal, Study
from mpc_engine.control.policies.compared_groups import GroupReport
from mpc_engine.control.studies.takeover import Takeover, takeover_text
from tests.web.drafts import (
    AUDIT,
    PASSING,
    TRAINING,
    draft,
    envelope,
    some_id,
)
from tests.web.memory import kept
from tests.web.parties import METRICS
from tests.web.study_stories import StudyStories


class World(StudyStories):
    """Everybody in a test: people, their browsers, the parties, the broker."""

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

    def training(self, **changes: Any) -> tuple[Study, Job]:
        """Return a study that trains, of `trainable` with changes, and the job."""
        study = self.trainable(**changes)
        return study, self.training_job(study)

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
        rows = list(zip(policy.limits, verdicts, strict=True))
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
        verdicts = (verdict,) * len(configuration.policy.limits)
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


ONLY_DIFFERENCE = ("FAIL", "FAIL", "FAIL", "PASS", "PASS")
