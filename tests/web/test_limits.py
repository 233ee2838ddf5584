"""Limits: who tries too often must wait, and a whole office behind one address need not."""

from __future__ import annotations

import logging
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.account.signals import password_reset
from allauth.core.internal import ratelimit as allauth_ratelimit
from django.conf import settings as live
from django.test import Client, RequestFactory
from django_ratelimit import core as ratelimit
from redis.exceptions import ConnectionError as RedisAway

from blindjustice_web.accounts.models import User
from blindjustice_web.challenges.models import Challenge
from blindjustice_web.config.limits import RequestRate
from blindjustice_web.enrolment.models import Submission
from blindjustice_web.lib.problems import TooMany
from blindjustice_web.lib.throttle import spend_attempt
from tests.web.drafts import API, draft, envelope, some_id, submission
from tests.web.stories import World

ACCOUNT = live.LIMITS["LOG_IN_ACCOUNT"]
OFFICE = 50


@pytest.fixture(autouse=True)
def one_moment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no period of a limit end while a test runs."""
    now = time.time()
    monkeypatch.setattr(ratelimit, "time", SimpleNamespace(time=lambda: now))


@pytest.fixture
def limited(settings: Any) -> Any:
    """Return what sets one limit for this test."""

    def limit(name: str, count: int) -> None:
        settings.LIMITS = {**settings.LIMITS, name: RequestRate(count, 3600)}

    return limit


def _log_in(email: str, password: str, address: str = "192.0.2.7") -> Any:
    form = {"login": email, "password": password}
    return Client(REMOTE_ADDR=address).post("/accounts/login/", form)


def _refused(answer: Any) -> None:
    assert answer.status_code == 429, answer.content
    assert answer["Content-Type"] == "application/problem+json"
    assert answer.json()["code"] == "TOO_MANY_REQUESTS"
    assert 0 < int(answer["Retry-After"]) <= 3600
    assert "minute" in answer.json()["next"]


# Logging in


def test_a_log_in_that_fails_too_often_is_locked_and_says_for_how_long(world: World) -> None:
    for _ in range(ACCOUNT.count):
        assert _log_in("mo@example.org", "wrong").status_code == 200
    locked = _log_in("mo@example.org", "mo's password")
    assert locked.status_code == 429
    wait_s = int(locked["Retry-After"])
    assert 0 < wait_s <= ACCOUNT.period_s
    page = locked.content.decode()
    assert f"Wait {-(-wait_s // 60)} minute" in page
    assert "too many failed log-ins" in page
    assert "sessionid" not in locked.cookies


def test_the_lock_follows_the_account_to_another_address(world: World) -> None:
    for number in range(ACCOUNT.count):
        _log_in("mo@example.org", "wrong", f"192.0.2.{number}")
    assert _log_in("mo@example.org", "mo's password", "198.51.100.1").status_code == 429


def test_an_account_that_does_not_exist_is_locked_like_one_that_does(world: World) -> None:
    for _ in range(ACCOUNT.count):
        assert _log_in("nobody@example.org", "wrong").status_code == 200
    assert _log_in("Nobody@example.org", "wrong").status_code == 429


def test_log_ins_that_succeed_are_not_counted(world: World) -> None:
    for _ in range(ACCOUNT.count + 2):
        assert _log_in("mo@example.org", "mo's password").status_code == 302


def test_a_locked_account_locks_nobody_else_out(world: World) -> None:
    for _ in range(ACCOUNT.count + 1):
        _log_in("mo@example.org", "wrong")
    assert _log_in("rae@example.org", "rae's password").status_code == 302


def test_a_refused_log_in_counts_neither_by_account_nor_by_address(
    world: World, limited: Any
) -> None:
    limited("LOG_IN_ADDRESS", ACCOUNT.count + 1)
    for _ in range(ACCOUNT.count):
        _log_in("mo@example.org", "wrong")
    for _ in range(3):
        assert _log_in("mo@example.org", "wrong").status_code == 429
    assert _log_in("rae@example.org", "rae's password").status_code == 302
    assert _log_in("rae@example.org", "wrong").status_code == 200
    for _ in range(ACCOUNT.count):
        assert _log_in("rae@example.org", "wrong").status_code == 429
    assert _log_in("rae@example.org", "rae's password", "198.51.100.1").status_code == 302


def test_many_accounts_from_one_address_are_locked_too(world: World, limited: Any) -> None:
    limited("LOG_IN_ADDRESS", 4)
    for number in range(4):
        _log_in(f"nobody{number}@example.org", "wrong")
    assert _log_in("mo@example.org", "mo's password").status_code == 429
    assert _log_in("mo@example.org", "mo's password", "198.51.100.1").status_code == 302


def test_an_office_logs_in_at_once_though_each_mistypes_once(world: World) -> None:
    for number in range(OFFICE):
        email = f"person{number}@example.org"
        User.objects.create_user(email, "a long enough secret")
        assert _log_in(email, "mistyped").status_code == 200
        assert _log_in(email, "a long enough secret").status_code == 302


@pytest.fixture
def nobody_gets_a_lock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every lock on a count be held by somebody else, as when an office comes at once."""

    @contextmanager
    def held(cache_key: str) -> Any:
        yield False

    monkeypatch.setattr(allauth_ratelimit, "cache_lock", held)


@pytest.mark.usefixtures("nobody_gets_a_lock")
def test_right_log_ins_and_new_accounts_wait_for_no_lock(world: World) -> None:
    assert _log_in("mo@example.org", "mo's password").status_code == 302
    form = {"password1": "a long enough secret", "password2": "a long enough secret"}
    made = Client().post("/accounts/signup/", {"email": "new@example.org", **form})
    assert made.status_code == 302


@pytest.mark.database
def test_attempts_at_once_are_each_counted(limited: Any) -> None:
    limited("LOG_IN_ADDRESS", 5)
    request = RequestFactory().post("/accounts/login/")

    def attempt(_number: int) -> bool:
        try:
            spend_attempt(request, "LOG_IN_ADDRESS", "192.0.2.7")
        except TooMany:
            return False
        return True

    with ThreadPoolExecutor(16) as pool:
        passed = list(pool.map(attempt, range(64)))
    assert sum(passed) == 5


@pytest.mark.database
def test_a_new_password_lifts_the_lock(world: World) -> None:
    for _ in range(ACCOUNT.count + 3):
        _log_in("mo@example.org", "wrong")
    assert _log_in("mo@example.org", "mo's password").status_code == 429
    user = world.users["mo"]
    EmailAddress.objects.get_or_create(user=user, email=user.email, verified=True)
    password_reset.send(User, request=RequestFactory().post("/"), user=user)
    assert _log_in("mo@example.org", "mo's password").status_code == 302


def test_a_typed_forwarded_address_does_not_help(world: World) -> None:
    for number in range(ACCOUNT.count):
        client = Client(REMOTE_ADDR="192.0.2.7", HTTP_X_FORWARDED_FOR=f"203.0.113.{number}")
        client.post("/accounts/login/", {"login": "mo@example.org", "password": "wrong"})
    assert _log_in("mo@example.org", "mo's password").status_code == 429


def test_signing_up_too_often_shows_a_page(world: World, limited: Any) -> None:
    limited("SIGN_UP_ADDRESS", 1)
    form = {"password1": "a long enough secret", "password2": "a long enough secret"}
    first = Client().post("/accounts/signup/", {"email": "a@example.org", **form})
    second = Client().post("/accounts/signup/", {"email": "b@example.org", **form})
    assert (first.status_code, second.status_code) == (302, 429)
    assert 0 < int(second["Retry-After"]) <= 3600
    assert b'data-testid="error-page"' in second.content
    assert not User.objects.filter(email="b@example.org").exists()


def test_an_office_signs_up_at_once(world: World) -> None:
    for number in range(OFFICE):
        form = {
            "email": f"person{number}@example.org",
            "password1": "a long enough secret",
            "password2": "a long enough secret",
        }
        assert Client().post("/accounts/signup/", form).status_code == 302


# Answers


def test_an_office_shares_at_once(world: World, limited: Any) -> None:
    limited("GUESSES_ADDRESS", 1)
    study, records = world.invited(OFFICE)
    for record in records:
        path = f"{API}/studies/{study.id}/submissions"
        answer = Client().post(path, submission(record), content_type="application/json")
        assert answer.status_code == 202, answer.content
        assert world.get("anonymous", f"/studies/{study.id}/records/{record}").status_code == 200
    assert Submission.objects.count() == OFFICE


def test_answers_of_one_record_are_limited_and_of_others_not(world: World, limited: Any) -> None:
    limited("SUBMISSIONS_RECORD", 2)
    study, (first, second, _third) = world.invited()
    path = f"/studies/{study.id}/submissions"
    for sequence in (1, 2):
        assert world.post("anonymous", path, submission(first, sequence)).status_code == 202
    _refused(world.post("anonymous", path, submission(first, 3)))
    assert Submission.objects.count() == 2
    assert world.post("anonymous", path, submission(second)).status_code == 202


def test_a_repeated_answer_is_counted_too(world: World, limited: Any) -> None:
    limited("SUBMISSIONS_RECORD", 2)
    study, records = world.invited()
    path = f"/studies/{study.id}/submissions"
    for _ in range(2):
        assert world.post("anonymous", path, submission(records[0])).status_code == 202
    _refused(world.post("anonymous", path, submission(records[0])))


@pytest.mark.parametrize("by", ["looking", "sending"])
def test_guessing_records_ends_for_the_address(world: World, limited: Any, by: str) -> None:
    limited("GUESSES_ADDRESS", 3)
    study, records = world.invited()
    path = f"{API}/studies/{study.id}"
    guesser, other = Client(REMOTE_ADDR="192.0.2.7"), Client(REMOTE_ADDR="192.0.2.8")
    for number in range(3):
        record = some_id(f"guess {number}")
        if by == "looking":
            assert guesser.get(f"{path}/records/{record}").status_code == 404
        else:
            body = submission(record)
            answer = guesser.post(f"{path}/submissions", body, content_type="application/json")
            assert answer.json()["code"] == "RECORD_NOT_INVITED"
    _refused(guesser.get(f"{path}/records/{records[0]}"))
    body = submission(records[0])
    _refused(guesser.post(f"{path}/submissions", body, content_type="application/json"))
    assert other.get(f"{path}/records/{records[0]}").status_code == 200


def test_neighbours_in_one_ipv6_network_share_a_count(world: World, limited: Any) -> None:
    limited("GUESSES_ADDRESS", 1)
    study, records = world.invited()
    path = f"{API}/studies/{study.id}/records"
    Client(REMOTE_ADDR="2001:db8::1").get(f"{path}/{some_id('guess')}")
    _refused(Client(REMOTE_ADDR="2001:db8::2").get(f"{path}/{records[0]}"))
    assert Client(REMOTE_ADDR="2001:db8:0:1::1").get(f"{path}/{records[0]}").status_code == 200


def test_looking_at_one_record_all_the_time_is_limited(world: World, limited: Any) -> None:
    limited("LOOKUPS_RECORD", 2)
    study, (first, second, _third) = world.invited()
    for _ in range(2):
        assert world.get("anonymous", f"/studies/{study.id}/records/{first}").status_code == 200
    _refused(world.get("anonymous", f"/studies/{study.id}/records/{first}"))
    assert world.get("anonymous", f"/studies/{study.id}/records/{second}").status_code == 200


# Challenges and uploads


def _case(world: World, who: str, certificate_id: str, tag: str) -> Any:
    body = {
        "challenge_id": some_id(f"{who} {tag}"),
        "certificate_id": certificate_id,
        "envelope": envelope(f"{who} {tag}"),
        "source": "record",
    }
    return world.post(who, "/challenges", body)


@pytest.mark.parametrize(
    ("limit", "other_is_limited"), [("CHALLENGES_ACCOUNT", False), ("CHALLENGES_ADDRESS", True)]
)
def test_challenges_are_limited(
    world: World, limited: Any, limit: str, other_is_limited: bool
) -> None:
    certificate = world.certified()
    limited(limit, 2)
    for tag in ("one", "two"):
        assert _case(world, "uma", certificate.id, tag).status_code == 202
    _refused(_case(world, "uma", certificate.id, "three"))
    assert Challenge.objects.count() == 2
    other = _case(world, "umar", certificate.id, "one")
    assert other.status_code == (429 if other_is_limited else 202)


@pytest.mark.parametrize("limit", ["UPLOADS_ACCOUNT", "UPLOADS_ADDRESS"])
@pytest.mark.parametrize("what", ["", "models", "data", "invitations", "replaced"])
def test_uploads_are_limited(world: World, limited: Any, limit: str, what: str) -> None:
    study, records = world.invited()
    limited(limit, 0)
    body: dict[str, Any] = {"model_id": some_id("m"), "name": "M", "envelope": envelope("m")}
    if what == "data":
        answer = world.upload("rae", study)
    elif what == "invitations":
        body = world.invitations(study, records)
        answer = world.post("mo", f"/studies/{study.id}/invitations", body)
    elif what == "replaced":
        path = f"{API}/studies/{study.id}"
        answer = world.clients["mo"].put(path, draft(), content_type="application/json")
    elif what == "models":
        answer = world.post("mo", f"/studies/{study.id}/models", body)
    else:
        answer = world.post("mo", "/studies", draft())
    _refused(answer)


# The counts themselves


def test_while_the_counts_are_away_answers_pass_and_log_ins_wait(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    from django.core.cache import caches

    study, records = world.invited()

    def away(*_: Any, **__: Any) -> None:
        raise RedisAway("no broker")

    monkeypatch.setattr(caches["default"], "add", away)
    with caplog.at_level(logging.WARNING):
        answer = world.submit(study, submission(records[0]))
    assert answer.status_code == 202
    assert "could not be counted" in caplog.text
    page = _log_in("mo@example.org", "mo's password")
    assert page.status_code == 503
    assert b"try again" in page.content


@pytest.mark.parametrize("text", ["", "10", "0/1m", "10/0m", "10/m", "10/15", "-1/1m", "1e3/1m"])
def test_a_limit_that_is_none_is_refused(text: str) -> None:
    from django.core.exceptions import ImproperlyConfigured

    with pytest.raises(ImproperlyConfigured, match="BLINDJUSTICE_LIMIT_X"):
        RequestRate.read(text, "BLINDJUSTICE_LIMIT_X")


def test_the_site_counts_in_redis_for_all_its_processes() -> None:
    from importlib import import_module

    cache = import_module("blindjustice_web.config.settings").CACHES["default"]
    assert cache["BACKEND"] == "django.core.cache.backends.redis.RedisCache"
    assert cache["KEY_PREFIX"].startswith("bj.")
