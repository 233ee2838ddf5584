"""Every address × everybody × every method: what they get. An address without a row fails.

The study is Mo's and Rae's, closed, with a certificate that opens a table; the case is Uma's.
Anything from 200 to 303, 409, 422 and 429 means "let in"; 302 to the log-in, 401, 403 and 404 mean
"kept out".
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import transaction
from django.urls import URLPattern, URLResolver, get_resolver

from blindjustice_web.certificates.models import SealedModel
from blindjustice_web.lab.services import publish
from blindjustice_web.studies.models import Proposal
from tests.builders.lab_report import lab_report
from tests.web.access_rows import (
    CAST,
    METHODS,
    ROWS,
)
from tests.web.drafts import TRAINING, announced, envelope, some_id, submission, terms
from tests.web.revocations import tell_list
from tests.web.stories import World


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


@pytest.mark.slow
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


OTHERS = {"number": "0", "report": "four-fifths", "name": "accuracy"}


def _path(route: str, ids: dict[str, str]) -> str:
    path = "/" + route.replace("^", "").replace("$", "")
    for name, value in {**ids, **OTHERS}.items():
        for pattern in (f"<id:{name}>", f"<report:{name}>", f"<slug:{name}>", f"<{name}>"):
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
    publish(json.dumps(lab_report()).encode())
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


@pytest.mark.slow
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


@pytest.mark.slow
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
