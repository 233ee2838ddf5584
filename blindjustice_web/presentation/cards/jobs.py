"""What pages and the API show of a job."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.jobs.cancellation import can_go_on, why_not_cancellable
from blindjustice_web.jobs.models import Job
from blindjustice_web.jobs.sequencer import RETRIED_CODES
from blindjustice_web.lib.error_words import RUN, UNCHARGED, site_words_of
from blindjustice_web.lib.labels import Epoch, JobKind, JobState, Stage, sentence_of, title_of
from blindjustice_web.lib.named import Named

ASKED_AGAIN = (RETRIED_CODES | {"JOB_TIME_LIMIT"}) - {"CLOSING_WAITS"}
"""Asking again, by itself, may go well; the words of any other code say what helps first."""


@dataclass(frozen=True)
class Failure:
    """Why a job failed, what that means, and what to do."""

    code: str
    sentence: str
    kept: str
    next: str


@dataclass(frozen=True)
class JobView:
    """A job as its people see it."""

    id: str
    kind: Named
    state: Named
    attempt: int
    stage: str
    stage_label: str
    done: int
    total: int
    percent: int
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    seconds: float | None
    expected_seconds: int | None
    step: int
    remaining_seconds: int | None
    waits_for: str
    model_id: str
    model_name: str
    failure: Failure | None
    is_live: bool
    cancelled_by: Named | None
    can_cancel: bool
    can_go_on: bool
    epoch: int


def job_view(job: Job, model_name: str = "") -> JobView:
    """Return a job with its progress in words."""
    state = JobState(job.state)
    is_live = state in {JobState.QUEUED, JobState.RUNNING}
    has_model = job.kind in {JobKind.CERTIFICATION, JobKind.TRAINING}
    has_steps = job.kind == JobKind.TRAINING and state == JobState.RUNNING and job.total > 1
    waits_for = _waits_for(job) if state == JobState.QUEUED else ""
    return JobView(
        id=job.id,
        kind=Named.of(JobKind(job.kind)),
        state=Named.of(state),
        attempt=job.attempt,
        stage=job.stage,
        stage_label=stage_label(job.stage, state),
        done=job.done,
        total=job.total,
        percent=_percent(job, state),
        created_at=job.created_at,
        started_at=job.started_at,
        finished_at=None if is_live else job.finished_at,
        seconds=_seconds(job),
        expected_seconds=None if has_steps or waits_for or not is_live else expected_seconds(job),
        step=job.done if has_steps else 0,
        remaining_seconds=_remaining(job) if has_steps else None,
        waits_for=waits_for,
        model_id=job.subject_id if has_model else "",
        model_name=model_name,
        failure=_failure(job) if state == JobState.FAILED else None,
        is_live=is_live,
        cancelled_by=Named.of(Role(job.cancelled_by)) if job.cancelled_by else None,
        can_cancel=not job.cancelled_by and why_not_cancellable(job) is None,
        can_go_on=can_go_on(job),
        epoch=_epoch(job),
    )


def _epoch(job: Job) -> int:
    """Return the epoch that the last word of progress named: what was done before it is kept."""
    named = Epoch.read(job.stage)
    return named.number if named else 0


def stage_label(told: str, state: JobState) -> str:
    """Return what happens now, in words; of a stage without words, that the run goes on."""
    if state == JobState.QUEUED:
        return title_of(state)
    if state != JobState.RUNNING:
        return ""
    epoch = Epoch.read(told)
    if epoch is None:
        stage = next((stage for stage in Stage if stage == told), Stage.OTHER)
        return sentence_of(stage if told else Stage.SET_UP)
    values = {"number": epoch.number, "all": epoch.n_epochs}
    if epoch.n_points == 1:
        return _("Epoch %(number)s of %(all)s") % values
    return _("Model %(point)s of %(points)s, epoch %(number)s of %(all)s") % {
        "point": epoch.point,
        "points": epoch.n_points,
        **values,
    }


def expected_seconds(job: Job) -> int | None:
    """Return how long the last successful job of this kind took, on the study first."""
    done = Job.objects.filter(kind=job.kind, state=JobState.DONE, started_at__isnull=False)
    last = done.filter(study=job.study_id).order_by("-finished_at").first()
    last = last or done.order_by("-finished_at").first()
    seconds = _seconds(last) if last else None
    return None if seconds is None else max(1, round(seconds))


def _seconds(job: Job) -> float | None:
    if job.started_at is None:
        return None
    end = job.finished_at or timezone.now()
    return round(max(0.0, (end - job.started_at).total_seconds()), 1)


def _remaining(job: Job) -> int | None:
    """Return how long the rest takes at this attempt's pace; None where that is not known."""
    n_steps = job.done - job.paced_from
    if job.paced_at is None or n_steps <= 0 or job.done >= job.total:
        return None
    seconds = (timezone.now() - job.paced_at).total_seconds()
    return max(1, round(seconds * (job.total - job.done) / n_steps))


def _waits_for(job: Job) -> str:
    """Return what a queued job waits for, in words; of other studies only the kind of run."""
    running = Job.objects.filter(state=JobState.RUNNING).first()
    if running is None:
        return ""
    queued = Job.objects.filter(state=JobState.QUEUED, cancelled_by="")
    earlier = Q(created_at__lt=job.created_at) | Q(created_at=job.created_at, pk__lt=job.pk)
    values = {"kind": title_of(JobKind(running.kind)), "n": queued.filter(earlier).count()}
    if not values["n"]:
        return _("It begins when the run that goes on now has ended: %(kind)s.") % values
    return (
        _("It begins when the run that goes on now (%(kind)s) and %(n)s more have ended.") % values
    )


def _percent(job: Job, state: JobState) -> int:
    if state == JobState.DONE:
        return 100
    return min(100, 100 * job.done // job.total) if job.total else 0


def _failure(job: Job) -> Failure:
    next_steps = {
        JobKind.CLOSING: _(
            "Propose closing once more. The study's state says if it takes answers."
        ),
        JobKind.CERTIFICATION: _("Propose the certification of the model once more."),
        JobKind.TRAINING: _(
            "Go on with those that are not listed: what was done up to the last epoch is kept, and "
            "charged again only if it may have been opened."
        ),
        JobKind.VERIFICATION: _("The cases are answered “no answer”. People may open new ones."),
    }
    anew = _("Propose the training of the models that are not listed anew.")
    for_good = job.kind == JobKind.TRAINING and not can_go_on(job)
    asked_again = anew if for_good else next_steps[JobKind(job.kind)]
    said = site_words_of(job.failure_code)
    # An attempt before this one may have been charged; an unknown code is a newer party's.
    kept = RUN if said is None or (job.attempt > 1 and said.kept == UNCHARGED) else said.kept
    listed = _("Models that are listed were opened and are kept.")
    return Failure(
        code=job.failure_code,
        sentence=job.failure_sentence,
        kept=f"{_(kept)} {listed}" if job.kind == JobKind.TRAINING else _(kept),
        next=asked_again if said is None or job.failure_code in ASKED_AGAIN else _(said.next),
    )
