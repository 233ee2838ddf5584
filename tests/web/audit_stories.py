"""The audit log as rows tell it, and as the site tells it to a member."""

from __future__ import annotations

from typing import Any

from blindjustice_web.audit.models import AuditEntry
from tests.web.stories import World

PAGES = {"mo": "/modeler/audit/", "mia": "/modeler/audit/", "rae": "/regulator/audit/"}


def kinds_of(**only: Any) -> list[str]:
    return list(AuditEntry.objects.filter(**only).order_by("pk").values_list("kind", flat=True))


def read_entries(world: World, who: str, query: str = "") -> list[dict[str, Any]]:
    answer = world.get(who, f"/audit{query}")
    assert answer.status_code == 200, answer.content
    entries: list[dict[str, Any]] = answer.json()
    return entries
