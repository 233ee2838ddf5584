"""The site's clock: what a signer dates a text with, whose own clock may be wrong."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpRequest
from django.utils import timezone
from ninja import Router, Schema

router = Router(tags=["parties"], auth=None)


class ClockOut(Schema):
    """The present moment, in UTC."""

    now: datetime


@router.get("clock", response=ClockOut)
def clock_read(request: HttpRequest) -> dict[str, datetime]:
    """Return the site's present moment in whole seconds: date what you sign now with it."""
    return {"now": timezone.now().replace(microsecond=0)}
