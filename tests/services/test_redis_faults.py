"""Redis fails over, fills up, hangs or can't save while a person answers and a certification runs.

The person is answered within seconds, `/health/` names the fault, and when Redis is itself again
the answer is receipted and the certification done, without anybody's help. Nothing is measured but
limits: a wrong alarm takes a machine on which a step of a second takes a minute.
"""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import pytest

from mpc_engine.client.http import Session
from mpc_engine.client.person import Participation, accept_invitation
from mpc_engine.party.zone.config import load_config
from mpc_engine.roles import Role
from tests.relay import Relay
from tests.running_stack import running_stack
from tests.services.crash_study import VARIABLES, CrashStudy, wait_for
from tests.services.leak_study import N_FEATURES
from tests.services.redis_server import FAULTS, OwnRedis, own_redis

SHORT_S, LONG_S = 3, 30
ROUNDS = [
    *((fault, SHORT_S) for fault in FAULTS),
    ("REDIS_HANGS", LONG_S),
    *(
        pytest.param(fault, LONG_S, marks=pytest.mark.thorough)
        for fault in FAULTS
        if fault != "REDIS_HANGS"
    ),
]
"""A server that hangs ends lines by their time limits, so of this the long round always comes."""
POST_LIMIT_S = 30
"""Far above what an answer takes while Redis hangs (2 s), and below the 60 s it took once."""
HEALTH_LIMIT_S = 60
END_LIMIT_S = 180
JOB_LIMIT_S = "120"


@dataclass
class Site:
    """An installation on a Redis of the test's own, with a closed study and one that is open."""

    redis: OwnRedis
    closed: CrashStudy
    links: Iterator[str]
    anybody: Session


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """Return the installation all rounds are played on."""
    with ExitStack() as kept:
        server = kept.enter_context(own_redis(tmp_path_factory.mktemp("redis")))
        limits = {"BLINDJUSTICE_JOB_CERTIFICATION_S": JOB_LIMIT_S, "REDIS_URL": server.url}
        stack = kept.enter_context(running_stack({**VARIABLES, **limits}))
        told = load_config(stack.state / "regulator" / "party.toml")
        relay = Relay((told.host, told.port))
        kept.callback(relay.close)
        closed, opened = CrashStudy(stack, relay), CrashStudy(stack, relay)
        closed.begin(kept, {"question_bits_limit": 60})
        opened.open(kept, {"title": "Loans and age, again", "question_bits_limit": 60})
        anybody = kept.enter_context(Session(stack.base_url))
        links = [
            invitation.link(anybody, opened.study.configuration.study_id)
            for invitation in opened.mo.invite(opened.study, len(ROUNDS))
        ]
        yield Site(server, closed, iter(links), anybody)


def _says(site: Site, status: int, faults: list[str]) -> bool:
    try:
        reply = urllib.request.urlopen(f"{site.anybody.origin}/health/", timeout=HEALTH_LIMIT_S)
    except urllib.error.HTTPError as refusal:
        reply = refusal
    with reply:
        told = json.load(reply)
        found = [fault["code"] for fault in told.get("faults", [])]
        return (reply.status, found) == (status, faults)


def _invited(site: Site, session: Session) -> Participation:
    """Return a person whose invitation both parties know."""
    link = next(site.links)
    return wait_for("an invitation", lambda: accept_invitation(session, link), END_LIMIT_S)


@pytest.mark.parametrize(("fault", "seconds"), ROUNDS)
def test_a_fault_of_redis_delays_and_loses_nothing(site: Site, fault: str, seconds: int) -> None:
    model_id = site.closed.hand_in()
    with Session(site.closed.stack.base_url) as session:
        person = _invited(site, session)
        job_id = site.closed.certify(model_id)
        with FAULTS[fault](site.redis):
            over_at = time.monotonic() + seconds
            began = time.monotonic()
            sent = person.share(session, [1], features=[256] * N_FEATURES, label=1)
            assert time.monotonic() - began < POST_LIMIT_S
            wait_for("the fault is named", lambda: _says(site, 503, [fault]), HEALTH_LIMIT_S)
            assert site.anybody.get("/").status == 200
            time.sleep(max(0.0, over_at - time.monotonic()))
        wait_for("all is well", lambda: _says(site, 200, []), HEALTH_LIMIT_S)
        assert site.closed.wait_until_ended(job_id, END_LIMIT_S) == ("DONE", "")
        person.wait_for_receipts(session, sent, timeout_s=END_LIMIT_S)
    assert site.closed.stack.supervisor.poll() is None


def test_nothing_had_to_be_started_again(site: Site) -> None:
    told = site.closed.stack.printed.read_text(encoding="utf-8")
    assert "is started again" not in told
    for role in Role:
        assert site.closed.worker(role)
