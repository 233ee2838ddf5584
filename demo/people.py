"""A thousand people take part, each through the endpoint that the page uses."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from demo.plan import Plan
from demo.scoring import CATEGORIES
from mpc_engine.client.http import Session
from mpc_engine.client.person import Participation, accept_invitation
from mpc_engine.errors import SiteRefusalError
from mpc_engine.sharing.submission import PreparedSubmission

N_THREADS = 4
ATTEMPTS, PAUSE_S = 5, 1.0


@dataclass(frozen=True)
class Shared:
    """What one person keeps: her place in the study and what she sent last."""

    participation: Participation
    submission: PreparedSubmission


def share_first(base_url: str, plan: Plan, link: str, index: int, answer: int) -> Shared:
    """Let one person share an answer before anybody else, and wait for both receipts.

    She may come before a party has taken over the list of invitations; its refusal tells her to
    send again, and she does.
    """
    with Session(base_url) as session:
        participation = accept_invitation(session, link)
        for attempts_left in reversed(range(ATTEMPTS)):
            shared = share(session, participation, plan, index, answer)
            try:
                participation.wait_for_receipts(session, shared.submission)
            except SiteRefusalError as refusal:
                if refusal.code != "RECORD_NOT_INVITED" or not attempts_left:
                    raise
                time.sleep(PAUSE_S)
            else:
                break
    return shared


def share_everything(base_url: str, plan: Plan, links: Mapping[int, str]) -> list[Shared]:
    """Let each person (by index) open her link and share, a few at a time."""

    def share_some(start: int) -> list[Shared]:
        with Session(base_url) as session:
            return [
                share(session, accept_invitation(session, link), plan, index, plan.answers[index])
                for index, link in list(links.items())[start::N_THREADS]
            ]

    with ThreadPoolExecutor(N_THREADS) as pool:
        return [shared for part in pool.map(share_some, range(N_THREADS)) for shared in part]


def share(
    session: Session,
    participation: Participation,
    plan: Plan,
    index: int,
    answer: int,
) -> Shared:
    """Share one person's answer with her features and outcome."""
    submission = participation.share(
        session,
        [answer],
        features=plan.rows_fixed[index],
        label=plan.good[index],
    )
    return Shared(participation, submission)


def another_answer(plan: Plan, index: int) -> int:
    """Return an answer that isn't the planned one: what somebody corrects later."""
    return (plan.answers[index] + 1) % (CATEGORIES + 1)


def await_all_receipts(base_url: str, people: Sequence[Shared], timeout_s: float) -> None:
    """Wait until both parties' receipts verify for everybody's last submission."""

    def check_some(start: int) -> None:
        with Session(base_url) as session:
            for shared in people[start::N_THREADS]:
                shared.participation.wait_for_receipts(
                    session, shared.submission, timeout_s=timeout_s
                )

    with ThreadPoolExecutor(N_THREADS) as pool:
        list(pool.map(check_some, range(N_THREADS)))
