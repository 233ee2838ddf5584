"""Parties: the public descriptors everybody checks signatures with."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest
from ninja import Router

from blindjustice_web.engine import engine_client

router = Router(tags=["parties"], auth=None)


@router.get("parties", response=list[dict[str, Any]])
def party_list(request: HttpRequest) -> list[dict[str, Any]]:
    """Return the descriptors the parties published to this site."""
    found = engine_client.find_parties()
    return [json.loads(found[role].to_text()) for role in sorted(found)]
