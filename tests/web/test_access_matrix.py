"""Every address × everybody × every method: what they get. An address without a row fails.

The study is Mo's and Rae's, closed, with a certificate that opens a table; the case is Uma's.
Anything from 200 to 303, 409, 422 and 429 means "let in"; 302 to the log-in, 401, 403 and 404 mean
"kept out".
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.urls import URLPattern, URLResolver, get_resolver

from blindjustice_web.certificates.models import SealedModel
from blindjustice_web.studies.models import Proposal
from tests.web.revocations import tell_list
from tests.web.stories import TRAINING, World, announced, envelope, some_id, submission, terms

CAST = ("anonymous", "uma", "umar", "mo", "mia", "rae")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")

PUBLIC = "200 200 200 200 200 200"
LOGGED_IN = "302 200 200 200 200 200"
MODELERS = "302 404 404 200 200 404"
MODELER = "302 404 404 200 404 404"
REGULATOR = "302 404 404 404 404 200"
MEMBERS = "401 404 404 200 404 200"
NOBODY = "404 404 404 404 404 404"
SENT_TO_LOG_IN = "302 200 200 200 200 200"
SENT_HOME = "200 302 302 302 302 302"

API = "api/v1/"

ROWS: dict[str, dict[str, str]] = {
    "": {"GET": PUBLIC},
    "certificates/": {"GET": PUBLIC},
    "certificates/<id:certificate_id>/": {"GET": PUBLIC},
    "certificates/<id:certificate_id>/download": {"GET": PUBLIC},
    "certificates/<id:certificate_id>/revocation": {"GET": NOBODY},  # but of a revoked one
    "certificates/revocation-list": {"GET": PUBLIC},
    "certificates/<id:certificate_id>/reports/<report:report>/": {"GET": PUBLIC},
    "certificates/<id:certificate_id>/reports/<report:report>.csv": {"GET": PUBLIC},
    "certificates/<id:certificate_id>/reports/<report:report>.pdf": {"GET": PUBLIC},
    "sample-size/": {"GET": PUBLIC},
    "errors/": {"GET": PUBLIC},
    "demo/": {"GET": NOBODY},  # but in a demonstration
    "health/": {"GET": PUBLIC},
    "design/": {"GET": PUBLIC},
    "theme/": {"POST": "302 302 302 302 302 302"},
    "take-part/<id:study_id>/": {"GET": PUBLIC},
    "take-part/<id:study_id>/receipts/<id:record_id>/": {"GET": PUBLIC},
    "take-part/<id:study_id>/receipts/<id:record_id>/qr.svg": {"GET": PUBLIC},
    "me/": {"GET": LOGGED_IN},
    "me/mail/": {"POST": "302 302 302 302 302 302"},
    "me/challenges/new/": {"GET": LOGGED_IN},
    "me/challenges/<id:challenge_id>/": {"GET": "302 200 404 404 404 404"},
    "me/challenges/<id:challenge_id>/qr.svg": {"GET": "302 404 404 404 404 404"},
    "modeler/": {"GET": MODELERS},
    "modeler/audit/": {"GET": MODELERS},
    "modeler/audit/export/": {"POST": "302 404 404 422 422 404"},
    "modeler/health/": {"GET": MODELERS},
    "modeler/health/check/": {"POST": "302 404 404 302 302 404"},
    "modeler/key/": {"GET": MODELERS},
    "modeler/policy/": {"POST": MODELERS},
    "modeler/studies/new/": {"GET": MODELERS},
    "modeler/studies/<id:study_id>/": {"GET": MODELER},
    "modeler/studies/<id:study_id>/models/new/": {"GET": MODELER},
    "modeler/studies/<id:study_id>/send-again/": {"POST": "302 404 404 409 404 404"},
    "modeler/models/<id:model_id>/reports/<report:report>/": {"GET": MODELER},
    "modeler/models/<id:model_id>/reports/<report:report>.csv": {"GET": MODELER},
    "modeler/models/<id:model_id>/reports/<report:report>.pdf": {"GET": MODELER},
    "modeler/jobs/<id:job_id>/cancel/": {"POST": "302 404 404 409 404 404"},
    "modeler/jobs/<id:job_id>/go-on/": {"POST": "302 404 404 409 404 404"},
    "regulator/": {"GET": REGULATOR},
    "regulator/models/<id:model_id>/reports/<report:report>/": {"GET": REGULATOR},
    "regulator/models/<id:model_id>/reports/<report:report>.csv": {"GET": REGULATOR},
    "regulator/models/<id:model_id>/reports/<report:report>.pdf": {"GET": REGULATOR},
    "regulator/jobs/<id:job_id>/cancel/": {"POST": "302 404 404 404 404 409"},
    "regulator/jobs/<id:job_id>/go-on/": {"POST": "302 404 404 404 404 409"},
    "regulator/audit/": {"GET": REGULATOR},
    "regulator/audit/export/": {"POST": "302 404 404 404 404 422"},
    "regulator/health/": {"GET": REGULATOR},
    "regulator/health/check/": {"POST": "302 404 404 404 404 302"},
    "regulator/key/": {"GET": REGULATOR},
    "regulator/studies/<id:study_id>/": {"GET": REGULATOR},
    "regulator/studies/<id:study_id>/send-again/": {"POST": "302 404 404 404 404 409"},
    "regulator/policies/": {"GET": REGULATOR},
    "regulator/policies/new/": {"GET": REGULATOR},
    "regulator/policies/publish/": {"POST": REGULATOR},
    "regulator/policies/editor/": {"POST": REGULATOR},
    "regulator/policies/<id:policy_id>/": {"GET": REGULATOR},
    "regulator/policies/<id:policy_id>/withdraw/": {"POST": "302 404 404 404 404 302"},
    "regulator/challenges/": {"GET": REGULATOR},
    API: dict.fromkeys(METHODS, NOBODY),
    API + "clock": {"GET": PUBLIC},
    API + "openapi.json": dict.fromkeys(METHODS, PUBLIC),
    API + "policies": {"GET": PUBLIC, "POST": "401 403 403 403 403 201"},
    API + "policy-readings": {"POST": "401 200 200 200 200 200"},
    API + "policies/<policy_id>": {"GET": PUBLIC},
    API + "policies/<policy_id>/withdrawal": {"POST": "401 403 403 403 403 200"},
    API + "studies": {"GET": "401 200 200 200 200 200", "POST": "401 403 403 422 422 403"},
    API + "studies/<study_id>": {"GET": MEMBERS, "PUT": "401 404 404 409 404 403"},
    API + "studies/<study_id>/submit": {"POST": "401 404 404 409 404 403"},
    API + "studies/<study_id>/configuration": {"GET": PUBLIC},
    API + "studies/<study_id>/questions": {"GET": PUBLIC},
    API + "studies/<study_id>/invitations": {"POST": "401 404 404 409 404 403"},
    API + "studies/<study_id>/data": {"POST": "401 404 404 403 404 409"},
    API + "studies/<study_id>/data/<upload_id>/parts/<number>": {"PUT": "401 404 404 403 404 409"},
    API + "studies/<study_id>/closing": {"POST": "401 404 404 409 404 409"},
    API + "studies/<study_id>/certifications": {"POST": "401 404 404 409 404 403"},
    API + "studies/<study_id>/trainings": {"POST": "401 404 404 409 404 403"},
    API + "studies/<study_id>/submissions": {"POST": "409 409 409 409 409 409"},
    API + "studies/<study_id>/records/<record_id>": {"GET": PUBLIC},
    API + "studies/<study_id>/models": {"POST": "401 404 404 202 404 403"},
    API + "studies/<study_id>/takeovers": {"POST": "401 404 404 422 404 403"},
    API + "models/<model_id>": {"GET": MEMBERS},
    API + "models/<model_id>/sealed": {"GET": "401 404 404 200 404 403"},
    API + "models/<model_id>/deployment": {"POST": "401 404 404 422 404 403"},
    API + "proposals": {"GET": "401 200 200 200 200 200"},
    API + "proposals/<proposal_id>": {"GET": MEMBERS},
    API + "proposals/<proposal_id>/approvals": {"POST": "401 404 404 422 404 422"},
    API + "proposals/<proposal_id>/decline": {"POST": "401 404 404 409 404 409"},
    API + "jobs/<job_id>": {"GET": MEMBERS},
    API + "jobs/<job_id>/cancel": {"POST": "401 404 404 409 404 409"},
    API + "jobs/<job_id>/go-on": {"POST": "401 404 404 409 404 409"},
    API + "challenges": {
        "GET": "401 200 200 200 200 200",
        "POST": "401 202 202 202 202 202",
    },
    API + "challenges/<challenge_id>": {"GET": "401 200 404 404 404 200"},
    API + "certificates": {"GET": PUBLIC},
    API + "certificates/<certificate_id>": {"GET": PUBLIC},
    API + "certificates/<certificate_id>/revocation": {
        "GET": NOBODY,  # but of a revoked one
        "POST": "401 404 404 403 404 422",
    },
    API + "revocations": {"GET": PUBLIC},
    API + "certificates/<certificate_id>/reports/<report>": {"GET": PUBLIC},
    API + "models/<model_id>/reports/<report>": {"GET": MEMBERS},
    API + "parties": {"GET": PUBLIC},
    API + "health": {"GET": "401 404 404 200 200 200"},
    API + "health/check": {"POST": "401 404 404 202 202 202"},
    API + "audit": {"GET": "401 404 404 200 200 200"},
    # allauth's own addresses: its rules, our rows.
    "accounts/login/": {"GET": SENT_HOME},
    "accounts/signup/": {"GET": SENT_HOME},
    "accounts/logout/": {"GET": SENT_TO_LOG_IN},
    "accounts/inactive/": {"GET": PUBLIC},
    "accounts/reauthenticate/": {"GET": SENT_TO_LOG_IN},
    "accounts/reauthenticate/code/": {"GET": "302 302 302 302 302 302"},
    "accounts/reauthenticate/code/confirm/": {"GET": "302 302 302 302 302 302"},
    "accounts/email/": {"GET": SENT_TO_LOG_IN},
    "accounts/confirm-email/": {"GET": PUBLIC},
    "accounts/^confirm-email/(?P<key>[-:\\w]+)/$": {"GET": PUBLIC},
    "accounts/password/change/": {"GET": SENT_TO_LOG_IN},
    "accounts/password/set/": {"GET": "302 302 302 302 302 302"},
    "accounts/password/reset/": {"GET": PUBLIC},
    "accounts/password/reset/done/": {"GET": PUBLIC},
    "accounts/password/reset/key/done/": {"GET": PUBLIC},
    "accounts/^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$": {"GET": PUBLIC},
    "accounts/login/code/confirm/": {"GET": "302 302 302 302 302 302"},
}


def _routes(resolver: Any, prefix: str = "") -> Iterator[str]:
    for entry in resolver.url_patterns:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _routes(entry, route)
        else:
            assert isinstance(entry, URLPattern)
            yield route


def test_every_address_has_a_row() -> None:
    assert set(_routes(get_resolver())) == set(ROWS)


@pytest.mark.parametrize("route", sorted(route for route in ROWS if "accounts/" not in route))
def test_what_has_no_row_is_no_method(world: World, route: str) -> None:
    path = _path(route, dict.fromkeys(NAMES, some_id("any")))
    for method in METHODS:
        if method not in ROWS[route]:
            answer = world.clients["mo"].generic(method, path)
            assert answer.status_code == 405, (method, path)


NAMES = (
    "study_id",
    "certificate_id",
    "challenge_id",
    "model_id",
    "proposal_id",
    "job_id",
    "record_id",
    "upload_id",
    "policy_id",
)


def _path(route: str, ids: dict[str, str]) -> str:
    path = "/" + route.replace("^", "").replace("$", "")
    for name, value in {**ids, "number": "0", "report": "four-fifths"}.items():
        for pattern in (f"<id:{name}>", f"<report:{name}>", f"<{name}>"):
            path = path.replace(pattern, value)
    path = path.replace("(?P<key>[-:\\w]+)", "abc").replace("(?P<uidb36>[0-9A-Za-z]+)", "1")
    return path.replace("(?P<key>.+)", "abc-def")


def _bodies(world: World, ids: dict[str, str], who: str) -> dict[str, dict[str, Any]]:
    """Return for each address that takes one a body without fault."""
    signed = world.parties.modeler.approves("configuration", "another text")
    return {
        "/invitations": {
            "modeler_text": "{}",
            "regulator_text": "{}",
            "key_id": signed["key_id"],
            "modeler_signature": signed["signature"],
            "regulator_signature": signed["signature"],
        },
        "/data": announced(envelope("data"), "upload"),
        "/parts/0": {"content": envelope("data")},
        "/certifications": {"model_id": ids["model_id"]},
        "/trainings": TRAINING,
        "/submissions": submission(ids["record_id"], 9),
        "/models": {"model_id": some_id(f"m {who}"), "name": "M", "envelope": envelope("m")},
        "/takeovers": {"text": "{}", **signed},
        "/deployment": {"text": "{}", **signed},
        "/revocation": {"text": "{}", **signed},
        "/approvals": signed,
        "/decline": {"reason": "No."},
        "/policies": {"title": "Another", "terms": terms()},
        "/policy-readings": terms(),
        "/challenges": {
            "challenge_id": some_id(f"case of {who}"),
            "certificate_id": ids["certificate_id"],
            "envelope": envelope("case"),
            "source": "record",
        },
    }


@pytest.fixture
def scene(world: World) -> tuple[World, dict[str, str]]:
    """Return the world and the ids of what is in it."""
    certificate = world.audited([[1000, 500], [900, 420]]).certificate
    study, job = certificate.study, certificate.result.job
    assert job is not None
    SealedModel.objects.create(model_id=certificate.model_id, job=job, body="{}", signature="00")
    assert tell_list(world, 1)
    return world, {
        "study_id": study.id,
        "certificate_id": certificate.id,
        "model_id": certificate.model_id,
        "challenge_id": world.challenge("uma", certificate),
        "proposal_id": Proposal.objects.get(study=study, kind="closing").id,
        "job_id": job.id,
        "record_id": study.invitations.all()[0].record_id,
        "upload_id": some_id("upload"),
        "policy_id": world.published(),
    }


@pytest.mark.database
@pytest.mark.parametrize("who", CAST)
def test_everybody_gets_what_the_matrix_says(scene: tuple[World, dict[str, str]], who: str) -> None:
    world, ids = scene
    wrong = []
    bodies = _bodies(world, ids, who)
    for route, row in ROWS.items():
        path = _path(route, ids)
        body = next((body for end, body in bodies.items() if path.endswith(end)), {})
        for method, statuses in row.items():
            expected = int(statuses.split()[CAST.index(who)])
            with transaction.atomic():
                if method == "GET":
                    answer = world.clients[who].get(path)
                else:
                    send = getattr(world.clients[who], method.lower())
                    answer = send(path, body, content_type="application/json")
                transaction.set_rollback(True)
            if answer.status_code != expected:
                wrong.append((method, path, answer.status_code, expected, answer.content[:200]))
    assert not wrong, "\n".join(map(str, wrong))


@pytest.mark.parametrize("who", CAST)
def test_live_regions_follow_the_same_rules(scene: tuple[World, dict[str, str]], who: str) -> None:
    world, ids = scene
    for route in (
        "modeler/studies/<id:study_id>/",
        "regulator/studies/<id:study_id>/",
        "regulator/challenges/",
        "me/challenges/<id:challenge_id>/",
    ):
        expected = int(ROWS[route]["GET"].split()[CAST.index(who)])
        answer = world.clients[who].get(_path(route, ids) + "?partial=1")
        assert answer.status_code == expected, route
        if expected == 200:
            assert b"<html" not in answer.content
