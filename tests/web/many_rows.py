"""A site with many rows in every list, made in bulk: for tests of pages and for their benchmark."""

from __future__ import annotations

import hashlib
from datetime import timedelta

from django.db import connection
from django.utils import timezone

from blindjustice_web.audit.chain import link_entries
from blindjustice_web.audit.models import AuditEntry
from blindjustice_web.certificates.models import CandidateModel, Certificate, CertificationResult
from blindjustice_web.challenges.models import Challenge
from blindjustice_web.enrolment.models import Invitation, InvitationBatch
from blindjustice_web.jobs.models import Job
from blindjustice_web.studies.models import PartyRefusal, Proposal, PublishedPolicy, Study
from mpc_engine.control.texts.canonical import canonical_text
from tests.web.drafts import terms
from tests.web.stories import World

BATCH = 1000
JUDGED = 3


def base(world: World) -> Certificate:
    """Return a certificate under which rows are added; its study is Mo's and Rae's."""
    return world.certified(title="The base of many rows")


def add_rows(world: World, certificate: Certificate, name: str, n: int) -> None:
    """Add ``n`` rows to every list of the site."""
    ids = [hashlib.sha256(f"{name} {number}".encode()).hexdigest()[:32] for number in range(n)]
    _add_studies(world, ids)
    _add_certificates(certificate, ids)
    _add_cases(world, certificate, ids)
    _add_to_study(certificate.study, ids)
    _add_models(certificate, [key[::-1] for key in ids])
    _add_entries(world, certificate.study, n)
    _add_policies(world, ids)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # as a database does by itself once rows are committed


def _add_studies(world: World, ids: list[str]) -> None:
    """Add drafts, each with a proposal that waits for Rae and Mo."""
    mo, organisations = world.users["mo"], world.organisations
    draft = world.drafted().draft
    Study.objects.bulk_create(
        (
            Study(
                id=key,
                title=f"Study {key[:6]}",
                draft=draft,
                modeler=organisations["bank"],
                regulator=organisations["authority"],
                created_by=mo,
            )
            for key in ids
        ),
        batch_size=BATCH,
    )
    Proposal.objects.bulk_create(
        (
            Proposal(id=key, kind="configuration", study_id=key, text="{}", digest=key * 2)
            for key in ids
        ),
        batch_size=BATCH,
    )


def _add_policies(world: World, ids: list[str]) -> None:
    """Add published policies of Rae's."""
    text, rae = canonical_text(terms()), world.organisations["authority"]
    PublishedPolicy.objects.bulk_create(
        (PublishedPolicy(id=k, title=f"Policy {k[:6]}", regulator=rae, terms=text) for k in ids),
        batch_size=BATCH,
    )


def _add_certificates(certificate: Certificate, ids: list[str]) -> None:
    """Add models, each judged and certified in a draft study of its own."""
    now = timezone.now()
    CandidateModel.objects.bulk_create(
        (CandidateModel(id=k, study_id=k, name=f"Model {k[:6]}", envelope_digest=k) for k in ids),
        batch_size=BATCH,
    )
    Job.objects.bulk_create(
        (
            Job(id=k, kind="certification", study_id=k, subject_id=k, spec="{}", state="DONE")
            for k in ids
        ),
        batch_size=BATCH,
    )
    results = CertificationResult.objects.bulk_create(
        (CertificationResult(job_id=k, model_id=k, verdict="PASS") for k in ids), batch_size=BATCH
    )
    Certificate.objects.bulk_create(
        (
            Certificate(
                id=result.model_id,
                study_id=result.model_id,
                model_id=result.model_id,
                result=result,
                text=certificate.text,
                modeler_signature=certificate.modeler_signature,
                regulator_signature=certificate.regulator_signature,
                valid_from=now,
                valid_until=now + timedelta(days=300),
            )
            for result in results
        ),
        batch_size=BATCH,
    )


def _add_cases(world: World, certificate: Certificate, ids: list[str]) -> None:
    """Add Uma's cases; every other one is an alarm."""
    now = timezone.now()
    Challenge.objects.bulk_create(
        (
            Challenge(
                id=key,
                certificate=certificate,
                owner=world.users["uma"],
                source="record",
                state="ANSWERED",
                outcome="NOT_ANSWERED" if number % 2 else "CONFIRMED",
                deadline=now,
                answered_at=now,
            )
            for number, key in enumerate(ids)
        ),
        batch_size=BATCH,
    )


def _add_to_study(study: Study, ids: list[str]) -> None:
    """Add runs, approved proposals and invitations to one study."""
    Job.objects.bulk_create(
        (Job(id=key[::-1], kind="closing", study=study, spec="{}", state="FAILED") for key in ids),
        batch_size=BATCH,
    )
    Proposal.objects.bulk_create(
        (
            Proposal(
                id=key[::-1], kind="closing", study=study, text="{}", digest=key, state="DECLINED"
            )
            for key in ids
        ),
        batch_size=BATCH,
    )
    batch = InvitationBatch.objects.create(study=study, count=len(ids))
    Invitation.objects.bulk_create(
        (Invitation(batch=batch, study=study, record_id=key) for key in ids), batch_size=BATCH
    )


def _add_models(certificate: Certificate, ids: list[str]) -> None:
    """Add models to the certificate's study, in turn refused by the party and held by it.

    The newest few are judged: what people agreed to bounds how many verdicts a study can have.
    """
    study, known = certificate.study, certificate.result
    refused, judged = ids[::3], ids[1::3][-JUDGED:]
    CandidateModel.objects.bulk_create(
        (
            CandidateModel(
                id=key,
                study=study,
                name=f"Model {key[:6]}",
                envelope_digest=key,
                state="REFUSED" if number % 3 == 0 else "ACCEPTED",
            )
            for number, key in enumerate(ids)
        ),
        batch_size=BATCH,
    )
    PartyRefusal.objects.bulk_create(
        (
            PartyRefusal(
                study=study,
                role="modeler",
                about="model",
                object_id=key,
                code="NOT_A_MODEL",
                sentence="This file is not a model.",
            )
            for key in refused
        ),
        batch_size=BATCH,
    )
    CertificationResult.objects.bulk_create(
        (
            CertificationResult(
                job_id=key,
                model_id=key,
                verdict="FAIL",
                thresholds=known.thresholds,
                groups=known.groups,
            )
            for key in judged
        ),
        batch_size=BATCH,
    )


def _add_entries(world: World, study: Study, n: int) -> None:
    AuditEntry.objects.bulk_create(
        (
            AuditEntry(
                kind="STUDY_CHANGED",
                actor="modeler",
                organisation=world.organisations["bank"],
                member=world.users["mo"].pk,
                study_id=study.id,
                modeler=world.organisations["bank"],
                regulator=world.organisations["authority"],
            )
            for _ in range(n)
        ),
        batch_size=BATCH,
    )
    while link_entries(everything=True):
        pass


def pages_of(certificate: Certificate) -> dict[str, tuple[str, str]]:
    """Return every page that lists such rows: its name, who reads it, and its address."""
    study = certificate.study_id
    api = "/api/v1"
    return {
        "register": ("anonymous", "/certificates/"),
        "register, searched": ("anonymous", "/certificates/?q=Model&status=VALID"),
        "register, last page": ("anonymous", "/certificates/?page=999999"),
        "certificate": ("anonymous", f"/certificates/{certificate.id}/"),
        "my page": ("uma", "/me/"),
        "new challenge": ("uma", "/me/challenges/new/"),
        "inbox of the regulator": ("rae", "/regulator/"),
        "challenges of the regulator": ("rae", "/regulator/challenges/"),
        "policies of the regulator": ("rae", "/regulator/policies/"),
        "API: policies": ("anonymous", f"{api}/policies"),
        "audit log of the regulator": ("rae", "/regulator/audit/"),
        "audit log, narrowed": ("rae", f"/regulator/audit/?study={study}&actor=modeler"),
        "audit log of the modeler": ("mo", "/modeler/audit/"),
        "studies of the modeler": ("mo", "/modeler/"),
        "study of the modeler": ("mo", f"/modeler/studies/{study}/"),
        "study of the regulator": ("rae", f"/regulator/studies/{study}/"),
        "API: certificates": ("anonymous", f"{api}/certificates"),
        "API: challenges": ("rae", f"{api}/challenges"),
        "API: studies": ("mo", f"{api}/studies"),
        "API: proposals": ("rae", f"{api}/proposals"),
        "API: proposals of a study": ("rae", f"{api}/proposals?study={study}"),
        "API: audit log": ("rae", f"{api}/audit"),
    }
