"""Writes on challenges; an outcome comes from a signed message of the regulator's party only."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from blindjustice_web.accounts.models import Role, User
from blindjustice_web.audit.acting import Actor
from blindjustice_web.audit.models import ActorKind, EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.certificates.models import Certificate
from blindjustice_web.challenges.models import Challenge, ChallengeState, Source
from blindjustice_web.engine import engine_client
from blindjustice_web.engine.engine_post import Message, about_challenges
from blindjustice_web.jobs import sequencer
from blindjustice_web.jobs.models import Job, JobReport
from blindjustice_web.lib import push
from blindjustice_web.lib.ids import fresh_id
from blindjustice_web.lib.labels import JobKind, JobState, VerificationResult
from blindjustice_web.lib.problems import NotThere, Refused, TooMany
from blindjustice_web.post.clocks import site_clock_is_off
from blindjustice_web.post.hearing import hears
from blindjustice_web.post.outbox import send_to_party

BATCH_LIMIT = 64
WAITING = (ChallengeState.RECEIVED, ChallengeState.QUEUED)
OVER_THE_LIMIT = "CHALLENGE_LIMIT"
"""The modeler's party answered as many cases as it signed records, and the study's number."""


@transaction.atomic
def open_challenge(
    user: User, challenge_id: str, certificate_id: str, envelope: bytes, source: Source
) -> Challenge:
    """Open a person's case and forward her sealed claim to the regulator's party."""
    certificate = Certificate.objects.filter(pk=certificate_id).first()
    if certificate is None:
        raise NotThere
    known = Challenge.objects.filter(pk=challenge_id).first()
    if known is not None:
        return _same_case(known, user, certificate)
    if not certificate.valid_from <= timezone.now() < certificate.valid_until:
        raise _not_current()
    if source == Source.TYPED:
        User.objects.select_for_update().get(pk=user.pk)  # two at once are counted one by one
        problem = why_not_typed(user, certificate)
        if problem is not None:
            raise problem
    try:
        with transaction.atomic():
            challenge = Challenge.objects.create(
                id=challenge_id,
                certificate=certificate,
                owner=user,
                source=source,
                deadline=timezone.now() + timedelta(hours=settings.CHALLENGE_DEADLINE_H),
            )
    except IntegrityError:
        raise Refused("CHALLENGE_ID_TAKEN", _("This case was opened already.")) from None
    send_to_party(
        Role.REGULATOR,
        about_challenges.TakeChallenge(
            study_id=bytes.fromhex(certificate.study_id),
            challenge_id=bytes.fromhex(challenge_id),
            certificate_id=bytes.fromhex(certificate_id),
            envelope=envelope,
        ),
    )
    _note(EntryKind.CHALLENGE_OPENED, challenge, actor=Actor(ActorKind.PERSON))
    _announce(challenge)
    return challenge


@hears(about_challenges.ChallengeAccepted, about_challenges.ChallengeRefused)
@transaction.atomic
def note_challenge_answer(
    message: Message[about_challenges.ChallengeAccepted | about_challenges.ChallengeRefused],
) -> None:
    """Queue a case the regulator's party could read; close one it couldn't, with its reason."""
    told = message.content
    challenge = Challenge.objects.select_for_update().filter(pk=told.challenge_id.hex()).first()
    if challenge is None:
        raise NotThere
    if challenge.state != ChallengeState.RECEIVED:
        return
    if isinstance(told, about_challenges.ChallengeRefused):
        challenge.state = ChallengeState.REFUSED
        challenge.refusal_code = told.code[:60]
        challenge.refusal_sentence = told.sentence
        challenge.answer_body = message.body
        challenge.answer_signature = message.signature.hex()
        challenge.answered_at = timezone.now()
        _note(EntryKind.CHALLENGE_REFUSED, challenge, challenge.refusal_code)
    elif told.certificate_id.hex() == challenge.certificate_id:
        _take_into_job(challenge, Source(told.source.value))
    challenge.save()
    _announce(challenge)


@transaction.atomic
def record_verification(job: Job, report: JobReport | None) -> None:
    """Answer a concluded job's cases from the regulator's report.

    Without one they stay queued: they are asked again (`ask_again`) until their deadline.
    """
    if report is None or not report.succeeded:
        return
    rows: list[dict[str, Any]] = sequencer.reported_outcome(report)["challenges"]
    outcomes = {row["challenge_id"]: row["outcome"] for row in rows}
    for challenge in job.challenges.select_for_update().filter(state=ChallengeState.QUEUED):
        outcome = VerificationResult(outcomes.get(challenge.id, VerificationResult.NOT_ANSWERED))
        _answer(challenge, outcome, report)


@transaction.atomic
def ask_again() -> int:
    """Ask batches whose job failed a while ago again, each in a new one; return how many cases.

    A batch stays as it was, cases included that are closed here: the parties may hold its answer,
    which they deliver to this batch only.
    """
    before = timezone.now() - timedelta(seconds=settings.CHALLENGE_RETRY_S)
    failed = Challenge.objects.select_for_update(of=("self",)).filter(
        state=ChallengeState.QUEUED, job__state=JobState.FAILED, job__finished_at__lt=before
    )
    found = list(failed.select_related("job").order_by("job__created_at", "pk"))
    batches: dict[str, list[Challenge]] = {}
    for challenge in found:
        batches.setdefault(str(challenge.job_id), []).append(challenge)
    for cases in batches.values():
        job = _repeated(cases[0])
        for challenge in cases:
            challenge.job = job
            challenge.save(update_fields=["job"])
    return len(found)


@transaction.atomic
def answer_overdue_challenges() -> int:
    """Answer NOT_ANSWERED to cases whose deadline passed; return how many.

    Those that the modeler's party may not answer, since as many were asked as may be, are closed
    with that reason: it is not silent.
    """
    overdue = Challenge.objects.select_for_update().filter(
        state__in=WAITING, deadline__lt=timezone.now()
    )
    found = list(overdue)
    for challenge in found:
        report = _over_the_limit(challenge)
        if report is None:
            _answer(challenge, VerificationResult.NOT_ANSWERED, None)
        else:
            _close_with(challenge, report.code, report.sentence)
            _announce(challenge)
    return len(found)


def typed_challenges_left(user: User, certificate: Certificate) -> int:
    """Return how many decisions a person may still type in under a certificate."""
    return min(_left_under(certificate), _left_for(user))


def why_not_typed(user: User, certificate: Certificate) -> TooMany | None:
    """Return why a person can't challenge a typed-in decision under a certificate, or None."""
    ask_for_record = _("Ask the modeler for the signed record of your decision and use that.")
    if _left_under(certificate) <= 0:
        return TooMany(
            "TYPED_CHALLENGE_LIMIT",
            _("No more decisions without a signed record can be challenged under this study."),
            next_step=ask_for_record,
        )
    if _left_for(user) <= 0:
        return TooMany(
            "TYPED_CHALLENGE_LIMIT_PERSON",
            _(
                "You have challenged %(n)d decisions without a signed record in the last "
                "%(days)d days, which is as many as one person may."
            )
            % {
                "n": settings.TYPED_CHALLENGES_PER_PERSON,
                "days": settings.TYPED_CHALLENGES_DAYS,
            },
            next_step=ask_for_record,
        )
    return None


def _typed() -> Q:
    return Q(source=Source.TYPED) & ~Q(state=ChallengeState.REFUSED)


def _left_under(certificate: Certificate) -> int:
    configuration = engine_client.read_configuration(certificate.study.configuration.text)
    used = certificate.challenges.filter(_typed()).count()
    return max(0, configuration.typed_challenge_limit - used)


def _left_for(user: User) -> int:
    since = timezone.now() - timedelta(days=settings.TYPED_CHALLENGES_DAYS)
    used = Challenge.objects.filter(_typed(), owner=user, created_at__gte=since).count()
    return max(0, settings.TYPED_CHALLENGES_PER_PERSON - used)


def _take_into_job(challenge: Challenge, source: Source) -> None:
    """Queue a readable case; what turned out to be typed in counts like what was said to be."""
    if source == Source.TYPED and challenge.source == Source.RECORD:
        User.objects.select_for_update().get(pk=challenge.owner_id)
        problem = why_not_typed(challenge.owner, challenge.certificate)
        if problem is not None:
            challenge.source = source
            _close_with(challenge, problem.code, str(problem.detail))
            return
    challenge.state = ChallengeState.QUEUED
    challenge.source = source
    challenge.save()
    challenge.job = _verification_with(challenge)


def _not_current() -> Refused:
    """Return why no case is opened, without blaming a certificate where the site's clock is off."""
    next_step = _("Ask the modeler which certificate your decision was made under.")
    if site_clock_is_off():
        next_step = _(
            "This site's clock is off, so that may be wrong. Tell whoever operates this site, and "
            "try again when the clock is set."
        )
    return Refused(
        "CERTIFICATE_NOT_CURRENT", _("This certificate is not valid today."), next_step=next_step
    )


def _same_case(known: Challenge, user: User, certificate: Certificate) -> Challenge:
    if known.owner_id == user.pk and known.certificate_id == certificate.id:
        return known
    raise Refused("CHALLENGE_ID_TAKEN", _("This case was opened already."))


def _verification_with(challenge: Challenge) -> Job:
    """Return a waiting verification job that now includes the case, or a new one."""
    certificate = challenge.certificate
    configuration = engine_client.read_configuration(certificate.study.configuration.text)
    waiting = Job.objects.select_for_update().filter(
        kind=JobKind.VERIFICATION,
        state=JobState.QUEUED,
        attempt=0,
        repeats=False,
        subject_id=certificate.id,
    )
    for job in waiting.order_by("created_at"):
        challenges = engine_client.challenges_of(job.spec)
        if len(challenges) < BATCH_LIMIT:
            job.spec = engine_client.verification_spec(
                job.id, configuration, certificate.id, [*challenges, challenge.id], timezone.now()
            )
            job.save(update_fields=["spec"])
            return job
    job_id = fresh_id()
    spec = engine_client.verification_spec(
        job_id, configuration, certificate.id, [challenge.id], timezone.now()
    )
    return sequencer.queue_job(
        job_id, JobKind.VERIFICATION, certificate.study, spec, subject_id=certificate.id
    )


def _repeated(challenge: Challenge) -> Job:
    """Return a new job with the batch of the one that the case was in."""
    certificate = challenge.certificate
    configuration = engine_client.read_configuration(certificate.study.configuration.text)
    batch = [] if challenge.job is None else engine_client.challenges_of(challenge.job.spec)
    job_id = fresh_id()
    spec = engine_client.verification_spec(
        job_id, configuration, certificate.id, batch, timezone.now()
    )
    return sequencer.queue_job(
        job_id,
        JobKind.VERIFICATION,
        certificate.study,
        spec,
        subject_id=certificate.id,
        repeats=True,
    )


def _over_the_limit(challenge: Challenge) -> JobReport | None:
    """Return the modeler's signed word that it may answer no more cases, None without one."""
    return JobReport.objects.filter(
        job=challenge.job_id, role=Role.MODELER, code=OVER_THE_LIMIT
    ).first()


def _close_with(challenge: Challenge, code: str, sentence: str) -> None:
    challenge.state = ChallengeState.REFUSED
    challenge.refusal_code = code
    challenge.refusal_sentence = sentence
    challenge.answered_at = timezone.now()
    challenge.save()
    _note(EntryKind.CHALLENGE_REFUSED, challenge, code)


def _answer(challenge: Challenge, outcome: VerificationResult, report: JobReport | None) -> None:
    challenge.state = ChallengeState.ANSWERED
    challenge.outcome = outcome
    challenge.answered_at = timezone.now()
    if report is not None:
        challenge.answer_body = report.body
        challenge.answer_signature = report.signature
    challenge.save()
    expired = report is None
    kind = EntryKind.CHALLENGE_EXPIRED if expired else EntryKind.CHALLENGE_ANSWERED
    _note(kind, challenge, outcome.value)
    _announce(challenge)


def _note(
    kind: EntryKind, challenge: Challenge, detail: str = "", actor: Actor | None = None
) -> None:
    """Write down what happened to a case: its number, never whose it is or what it says."""
    study = challenge.certificate.study
    record(kind, study=study, subject=challenge.id, detail=detail, actor=actor)


def _announce(challenge: Challenge) -> None:
    push.push_change(push.challenge_group(challenge.id), "challenge")
    push.push_change(push.study_group(challenge.certificate.study_id), "challenges")
