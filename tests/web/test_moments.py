"""Days and moments are written in one way, and the zone is said."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template

from tests.web.stories import World

MORNING = datetime(2026, 6, 5, 6, 34, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("{{ at|moment }}", "5 June 2026, 06:34 UTC"),
        ('{{ at|moment:"seconds" }}', "5 June 2026, 06:34:07 UTC"),
        ("{{ at|day }}", "5 June 2026 (UTC)"),
        ("{{ none|moment }}{{ none|day }}", ""),
    ],
)
def test_a_moment_is_written_with_its_zone(written: str, shown: str) -> None:
    template = Template("{% load blindjustice %}" + written)
    for zone in (UTC, timezone(timedelta(hours=9))):
        assert template.render(Context({"at": MORNING.astimezone(zone), "none": None})) == shown


def test_no_template_writes_a_time_in_a_form_of_its_own() -> None:
    templates = Path(settings.BASE_DIR) / "templates"
    own = re.compile(r"\|(?:date:(?!'c')|time:|naturaltime|timesince)")
    found = [
        f"{path.name}: {match.group()}"
        for path in templates.rglob("*.html")
        for match in own.finditer(path.read_text("utf-8"))
    ]
    assert found == []


def test_two_studies_of_one_title_can_be_told_apart(world: World) -> None:
    one, other = world.drafted(), world.drafted()
    page = world.page("mo", "/modeler/")
    for study in (one, other):
        assert f"number {study.id[:8]}" in page
        shown = world.study_page("mo", study)
        assert study.id in shown
