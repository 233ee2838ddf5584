"""The one Celery task of the site: take a message of a party."""

from __future__ import annotations

from celery import shared_task
from django.db.utils import InterfaceError, OperationalError

from blindjustice_web.conduct.inbox import receive_message
from blindjustice_web.engine import engine_client


@shared_task(
    name=engine_client.RECEIVE_TASK,
    ignore_result=True,
    acks_late=True,
    reject_on_worker_lost=True,
    autoretry_for=(OperationalError, InterfaceError),
    retry_backoff=True,
    retry_backoff_max=60,
    max_retries=20,
)
def take_message(body: str, signature: str) -> None:
    """Take a message; a database that is away for a while delays it and loses nothing."""
    receive_message(body, signature)
