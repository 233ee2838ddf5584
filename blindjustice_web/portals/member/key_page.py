"""The page where an approver brings her key into her browser; both organisations have one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from blindjustice_web.accounts.models import Role
from blindjustice_web.engine import engine_client
from blindjustice_web.portals.pages import View, member_page, page_data


@dataclass(frozen=True)
class ApproverView:
    """A key whose signatures the party accepts."""

    key_id: str


def key(role: Role) -> View:
    """Return the view that shows which keys the party accepts, and lets one into this browser."""

    @member_page(role)
    def view(request: HttpRequest) -> HttpResponse:
        return render(request, "member/key.html", _context(request, role))

    return view


def _context(request: HttpRequest, role: Role) -> dict[str, Any]:
    party = engine_client.find_parties().get(role)
    approvers = party.approvers if party else {}
    return {
        "approvers": [ApproverView(key_id.hex()) for key_id in approvers],
        "party_name": party.name if party else "",
        "page_data": page_data(
            request,
            role=role.value,
            approvers=[
                {"key_id": key_id.hex(), "public_key": key.hex()}
                for key_id, key in approvers.items()
            ],
        ),
    }


def approver_ready(role: Role) -> bool:
    """Return whether a party publishes at least one approver key."""
    party = engine_client.find_parties().get(role)
    return bool(party and party.approvers)
