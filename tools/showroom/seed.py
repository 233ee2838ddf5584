"""Studies, cases and certificates in every state, and the pages that show them."""

from __future__ import annotations

import base64
import hashlib
import io
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path

from django.core.management import call_command
from django.urls import resolve
from django.utils import timezone

from blindjustice_web.certificates.models import Certificate
from blindjustice_web.engine.engine_client import read_configuration
from blindjustice_web.enrolment.models import Submission
from blindjustice_web.jobs.models import Job
from blindjustice_web.presentation.reports.catalogue import REPORTS
from blindjustice_web.studies.models import Study
from mpc_engine.control.files.decision_record import DecisionRecord
from mpc_engine.control.post.line_report import Point
from tests.builders.lab_report import write_lab_report
from tests.builders.policies import criterion, named_groups
from tests.web import tables
from tests.web.access_rows import pages
from tests.web.drafts import LOCAL_LAW_144, LOCAL_LAW_144_COUNTS, SEX_AND_RACE, draft
from tests.web.parties import asked_now, line_report
from tests.web.revocations import revocation, sign, tell_list
from tests.web.stories import World
from tools.showroom.page import ShownPage

FAILING = ("FAIL",) * 5
UNDETERMINED = ("UNDETERMINED",) * 5
LONG = "Donaudampfschifffahrtsgesellschaftskapitänsversicherungsantragsbearbeitung"


def seed(world: World) -> list[ShownPage]:
    """Bring everything about and return the pages on which it can be seen."""
    shown = [*_plain_pages(), *_account_pages()]
    _meet(world)
    shown += _policies(world)
    shown += _studies_before_answers(world)
    shown += _studies_with_answers(world)
    shown += _studies_with_models(world)
    shown += _reports(world)
    shown += _cases(world)
    shown += _at_work(world)
    shown += _lab()
    shown += _pages_of_the_matrix({page.path for page in shown})
    return shown


def _pages_of_the_matrix(shown: set[str]) -> Iterator[ShownPage]:
    """Show each other address that needs nothing but somebody who may see it, under its name."""
    for route, who in pages().items():
        path = f"/{route}"
        if "<" not in path and path not in shown:
            yield ShownPage(str(resolve(path).url_name).replace("_", "-"), path, who)


def _meet(world: World) -> None:
    """Let both parties tell of a meeting: one finds everything well, one another clock."""
    apart = line_report(Point.CLOCK, "CLOCKS_DIFFER", clock_ms=90_000)
    check = hashlib.sha256(b"check").hexdigest()[:32]
    meeting = {"check_id": check, "asked_at": asked_now()}
    world.parties.modeler.says("line_checked", **meeting, report=line_report())
    world.parties.regulator.says("line_checked", **meeting, report=apart)


def fragment_of(record_id: str) -> str:
    """Return the part of an invitation link that never leaves the browser."""
    code = hashlib.sha256(record_id.encode()).digest()[:16]
    return f"#{record_id}.{base64.urlsafe_b64encode(code).decode().rstrip('=')}"


def decision_of(world: World) -> DecisionRecord:
    """Return a decision about somebody, made with the model of a valid certificate."""
    certificate = Certificate.objects.get(study__title="Credit and age")
    configuration = read_configuration(certificate.study.configuration.text)
    x = [1000] * len(configuration.features)
    return world.parties.decision_record(configuration, certificate.id, x=x, decision=1)


def _both(name: str, study: Study) -> Iterator[ShownPage]:
    for who, role in (("mo", "modeler"), ("rae", "regulator")):
        yield ShownPage(f"{role}-study-{name}", f"/{role}/studies/{study.id}/", who)


def _plain_pages() -> list[ShownPage]:
    """Return what the access matrix alone doesn't tell: further states, viewers and addresses."""
    return [
        ShownPage("home-modeler", "/", "mo"),
        ShownPage("certificates", "/certificates/"),
        ShownPage("certificates-none", "/certificates/?q=nothing-has-this-name"),
        ShownPage("sample-size-wrong", "/sample-size/?base=0&ratio=many&significance=5&power=80"),
        ShownPage("demo", "/demo/"),
        ShownPage("error-404", "/nowhere/"),
        ShownPage("me", "/me/", "uma"),
        ShownPage("me-empty", "/me/", "umar"),
        ShownPage("me-modeler", "/me/", "mo"),
        ShownPage("modeler-home-empty", "/modeler/", "mia"),
        ShownPage("modeler-study-new", "/modeler/studies/new/", "mo"),
        ShownPage("regulator-audit-none", "/regulator/audit/?until=2020-01-01", "rae"),
        ShownPage("regulator-audit-wrong", "/regulator/audit/?study=1", "rae"),
    ]


def _policies(world: World) -> Iterator[ShownPage]:
    yield ShownPage("regulator-policy-new", "/regulator/policies/new/", "rae")
    yield ShownPage("regulator-policies", "/regulator/policies/", "rae")
    kept = world.published(title="Age in lending")
    withdrawn = world.published(title="Age in lending, 2025")
    answer = world.post("rae", f"/policies/{withdrawn}/withdrawal", {})
    assert answer.status_code == 200
    for name, policy in (("policy", kept), ("policy-withdrawn", withdrawn)):
        yield ShownPage(f"regulator-{name}", f"/regulator/policies/{policy}/", "rae")
    from_it = f"/regulator/policies/new/?start={kept}"
    yield ShownPage("regulator-policy-from", from_it, "rae")


def _lab() -> Iterator[ShownPage]:
    with tempfile.TemporaryDirectory() as folder:
        call_command("publish_lab_report", write_lab_report(Path(folder)), stdout=io.StringIO())
    yield ShownPage("lab", "/lab/")
    yield ShownPage("lab-figure", "/lab/accuracy/")
    yield ShownPage("lab-table", "/lab/sizes/")


def _account_pages() -> list[ShownPage]:
    public = {
        "login": "login/",
        "signup": "signup/",
        "inactive": "inactive/",
        "confirm-email": "confirm-email/",
        "confirm-email-key": "confirm-email/abc/",
        "password-reset": "password/reset/",
        "password-reset-done": "password/reset/done/",
        "password-reset-key": "password/reset/key/1-abc-def/",
        "password-reset-key-done": "password/reset/key/done/",
    }
    own = {
        "logout": "logout/",
        "email": "email/",
        "password-change": "password/change/",
        "reauthenticate": "reauthenticate/",
    }
    return [
        *(ShownPage(f"account-{name}", f"/accounts/{path}") for name, path in public.items()),
        *(ShownPage(f"account-{name}", f"/accounts/{path}", "uma") for name, path in own.items()),
    ]


def _studies_before_answers(world: World) -> Iterator[ShownPage]:
    yield from _both("draft", world.drafted(title="Credit cards and age"))
    requested = world.drafted(title="Overdrafts and age")
    assert world.post("mo", f"/studies/{requested.id}/submit", {}).status_code == 202
    yield from _both("keys-requested", requested)
    rates = named_groups(
        criterion("p_rule", "70", "80", certify_at="80"),
        criterion("true_positive_rate_difference", "5", "10", certify_at="10"),
        groups=[["age"]],
        small_groups="excluded_and_named",
    )
    yield from _both("to-approve", world.submitted(title="Car loans and gender", policy=rates))
    declined = world.submitted(title="Student loans and age")
    proposal = declined.proposals.get(kind="configuration")
    reason = {"reason": "Please ask about three age groups instead of two."}
    assert world.post("rae", f"/proposals/{proposal.id}/decline", reason).status_code == 200
    yield from _both("declined", declined)
    yield from _both("open", world.opened(title="Instalments and age"))
    by_file = world.opened(
        title="Tenancies and origin",
        data_source="file",
        data_holder="modeler",
        data_commitment={"root": hashlib.sha256(b"table").hexdigest(), "rows": 30},
    )
    yield from _both("open-by-file", by_file)
    terms = {"features": tables.features(), "label": tables.LABEL}
    to_upload = world.opened(title="Incomes and age", data_source="file", **terms)
    yield from _both("open-for-a-table", to_upload)
    to_fill = world.opened(title="Incomes and age, sent by tests", data_source="file", **terms)
    yield ShownPage("regulator-study-to-fill", f"/regulator/studies/{to_fill.id}/", "rae")


def _studies_with_answers(world: World) -> Iterator[ShownPage]:
    study, records = world.invited(40, title="Small loans and age")
    for record in records[:17]:
        world.answered(study, record)
    spread_answers(study)
    yield from _both("answering", study)
    invitation = fragment_of(records[-1])
    yield ShownPage("take-part", f"/take-part/{study.id}/{invitation}")
    yield ShownPage("take-part-no-link", f"/take-part/{study.id}/")
    quick = fragment_of(records[-2])
    yield ShownPage("take-part-quick", f"/take-part/{study.id}/{quick}")
    yield ShownPage("receipt", f"/take-part/{study.id}/receipts/{records[0]}/")
    yield ShownPage("receipt-none", f"/take-part/{study.id}/receipts/{records[-1]}/")
    words = [one for one in tables.features() if one.get("category", {}).get("column") == "region"]
    choices, invited = world.invited(
        2, title="Regions and age", features=[*draft()["features"], *words]
    )
    yield ShownPage("take-part-choices", f"/take-part/{choices.id}/{fragment_of(invited[0])}")
    yield ShownPage("take-part-elsewhere", f"/take-part/{study.id}/{fragment_of(records[0])}")
    wide, records = world.invited(3, title=f"{LONG} and {LONG.lower()}", purpose=f"Why {LONG}?")
    yield from _both("long-names", wide)
    yield ShownPage("take-part-long-names", f"/take-part/{wide.id}/{fragment_of(records[0])}")
    failed, records = world.invited(3, title="Guarantees and age")
    world.answered(failed, records[0])
    job = world.closing_job(failed)
    for party in world.parties:
        party.says("job_failed", job_id=job.id, attempt=1, code="OT_INCONSISTENT", sentence="No.")
    yield from _both("closing-failed", failed)
    closed = world.closed(title="Mortgages and age")
    yield from _both("closed", closed)
    yield ShownPage("take-part-closed", f"/take-part/{closed.id}/")
    yield ShownPage("modeler-model-new", f"/modeler/studies/{closed.id}/models/new/", "mo")


def spread_answers(study: Study) -> None:
    """Let the invitations and answers of a study have come over the last eight days."""
    now = timezone.now()
    study.invitation_batches.update(created_at=now - timedelta(days=8))
    for number, submission in enumerate(study.submissions.order_by("pk")):
        earlier = timedelta(days=(7, 6, 6, 5, 3, 3, 1)[number % 7], minutes=number)
        sent = Submission.objects.filter(pk=submission.pk)
        sent.update(created_at=now if number % 5 == 0 else now - earlier)


def spread_cases(certificate: Certificate) -> None:
    """Let the cases under a certificate have been answered over the last twenty days."""
    now = timezone.now()
    for number, case in enumerate(certificate.challenges.filter(answered_at__isnull=False)):
        answered = now - timedelta(days=(0, 3, 4, 9, 9, 12, 20)[number % 7])
        certificate.challenges.filter(pk=case.pk).update(answered_at=answered)


def _studies_with_models(world: World) -> Iterator[ShownPage]:
    trained = world.trainable(title="Farm loans and age")
    world.trained(world.training_job(trained))
    yield from _both("trained", trained)
    yield from _both("swept", _swept(world))
    judged = world.closed(title="Credit and age")
    world.judged(judged, "Plain", FAILING)
    world.judged(judged, "Too few people", UNDETERMINED)
    world.judged(judged, "Fair")
    yield from _both("judged", judged)
    to_revoke = world.certified(title="Deposits and age").study
    yield ShownPage("regulator-study-to-revoke", f"/regulator/studies/{to_revoke.id}/", "rae")
    for name, study, terms in (
        ("valid", judged, {}),
        ("expired", world.closed(title="Savings and age"), {"starts_in_days": -500}),
        ("not-yet", world.closed(title="Pensions and age"), {"starts_in_days": 20}),
        ("revoked", world.closed(title="Leases and age"), {"starts_in_days": -1}),
    ):
        if terms:
            _certify(world, study, terms)
        certificate = Certificate.objects.get(study=study)
        if name == "revoked":
            _revoke(world, certificate)
        yield ShownPage(f"certificate-{name}", f"/certificates/{certificate.id}/")
        if name == "valid":
            yield ShownPage(
                "certificate-valid-regulator", f"/certificates/{certificate.id}/", "rae"
            )


def _swept(world: World) -> Study:
    """Return a study that judged the models of a sweep: the stricter, the fairer."""
    roomy = {"question_bits_limit": 400}
    training = world.trainable(title="Car leases and age, training", **roomy)
    trained = world.swept(training, {"0.1": 842, "0.03": 817, "0.01": 803, "0.003": 741})
    study = world.closed(title="Car leases and age", **roomy)
    for passed, model_id in enumerate(world.taken_over(study, list(trained.values()))):
        rule = tuple("PASS" if limit < passed else "FAIL" for limit in range(3))
        world.judged_model(study, model_id, (*rule, "PASS", "PASS"))
    return study


def _reports(world: World) -> Iterator[ShownPage]:
    passed = world.audited(
        LOCAL_LAW_144_COUNTS,
        n_records=4100,
        left_out=(5,),
        title="Hiring, sex and ethnicity",
        policy={**LOCAL_LAW_144, "minimum_percent": "5"},
        attributes=SEX_AND_RACE,
    )
    certificate = Certificate.objects.get(result=passed)
    for name in REPORTS:
        path = f"/reports/{name}/"
        yield ShownPage(f"report-{name}", f"/certificates/{certificate.id}{path}")
    yield ShownPage("certificate-with-table", f"/certificates/{certificate.id}/")
    failed = world.audited(
        [[1000, 500], [900, 310]], title=f"Promotion and {LONG.lower()}", verdict="FAIL"
    )
    yield from _both("audited", failed.model.study)
    for who, role in (("mo", "modeler"), ("rae", "regulator")):
        path = f"/{role}/models/{failed.model_id}/reports/four-fifths/"
        yield ShownPage(f"report-{role}", path, who)
    plain = Certificate.objects.get(study__title="Credit and age")
    yield ShownPage("report-not-offered", f"/certificates/{plain.id}/reports/four-fifths/")


def _certify(world: World, study: Study, terms: dict[str, int]) -> None:
    make = world.parties.certificate
    world.parties.certificate = partial(make, **terms)  # type: ignore[method-assign,arg-type]
    world.judged(study)
    world.parties.certificate = make  # type: ignore[method-assign]


def _revoke(world: World, certificate: Certificate) -> None:
    reason = "The bank changed how it measures income after the model was certified."
    body = revocation(world, certificate, reason)
    assert world.post("rae", f"/certificates/{certificate.id}/revocation", body).status_code == 201
    assert sign(world, certificate)
    tell_list(world, 1, [certificate.id])


def _cases(world: World) -> Iterator[ShownPage]:
    study = Study.objects.get(title="Credit and age")
    certificate = Certificate.objects.get(study=study)
    yield ShownPage("challenge-new", "/me/challenges/new/", "uma")
    new = f"/me/challenges/new/?certificate={certificate.id}"
    yield ShownPage("challenge-new-typed", new, "umar")
    outcomes = ("CONFIRMED", "DIFFERENT_DECISION", "DIFFERENT_MODEL", "NOT_ANSWERED")
    for outcome in outcomes:
        case = world.challenge("uma", certificate, outcome)
        world.challenge_read(certificate, case)
        job = Job.objects.filter(kind="verification").latest("created_at")
        world.verification_result(job, {case: outcome})
        yield ShownPage(f"challenge-{outcome.lower()}", f"/me/challenges/{case}/", "uma")
    for number, outcome in enumerate(("CONFIRMED",) * 5 + ("DIFFERENT_DECISION",)):
        case = world.challenge("uma", certificate, f"earlier {number}")
        world.challenge_read(certificate, case)
        job = Job.objects.filter(kind="verification").latest("created_at")
        world.verification_result(job, {case: outcome})
    refused = world.challenge("uma", certificate, "refused")
    world.parties.regulator.says(
        "challenge_refused", challenge_id=refused, code="RECORD_NOT_SIGNED", sentence="No."
    )
    yield ShownPage("challenge-refused", f"/me/challenges/{refused}/", "uma")
    spread_cases(certificate)
    waiting = world.challenge("uma", certificate, "waiting")
    yield ShownPage("challenge-received", f"/me/challenges/{waiting}/", "uma")
    for number in range(2):
        world.challenge("uma", certificate, f"typed {number}", source="typed")
    yield ShownPage("challenge-new-used-up", new, "uma")


def _at_work(world: World) -> Iterator[ShownPage]:
    """One job runs and the others wait in line, as the site has it."""
    training = world.trainable(title="Micro-credit and age")
    certifying = world.closed(title="Business loans and age")
    model_id = world.held_model(certifying, "First try")
    closing, records = world.invited(3, title="Leasing and age")
    world.answered(closing, records[0])
    job = world.training_job(training)
    stage = {"stage": "epoch 2 of 5", "done": 120, "total": 300}
    world.parties.modeler.says("job_progress", job_id=job.id, attempt=1, **stage)
    yield from _both("training", training)
    world.certification_job(certifying, model_id)
    yield from _both("certifying", certifying)
    world.closing_job(closing)
    yield from _both("closing", closing)
    certificate = Certificate.objects.get(study__title="Credit and age")
    queued = world.challenge("uma", certificate, "queued")
    world.challenge_read(certificate, queued)
    yield ShownPage("challenge-queued", f"/me/challenges/{queued}/", "uma")
