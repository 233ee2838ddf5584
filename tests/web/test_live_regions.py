"""Live regions are on the page from the start, empty or not: a page exchanges what it has."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from blindjustice_web.certificates.models import Certificate
from blindjustice_web.studies.models import Study
from tests.web.stories import World

STATES: dict[str, Callable[[World], Study]] = {
    "draft": lambda world: world.drafted(),
    "to approve": lambda world: world.submitted(),
    "open": lambda world: world.opened(),
    "closed": lambda world: world.closed(),
    "trained": lambda world: world.trainable(),
}
REGION = re.compile(r"<[a-z]+ id=\"([a-z-]+)\" data-region")


def _regions(world: World, who: str, path: str) -> list[str]:
    answer = world.clients[who].get(path)
    assert answer.status_code == 200
    return REGION.findall(answer.content.decode())


@pytest.mark.slow
@pytest.mark.parametrize(("who", "role"), [("mo", "modeler"), ("rae", "regulator")])
def test_a_study_has_the_same_regions_in_every_state(world: World, who: str, role: str) -> None:
    found = {}
    for state, make in STATES.items():
        path = f"/{role}/studies/{make(world).id}/"
        found[state] = _regions(world, who, path)
        assert found[state] == _regions(world, who, f"{path}?partial=1"), state
    assert len(found["draft"]) == len(set(found["draft"])) > 8
    assert all(regions == found["draft"] for regions in found.values()), found


def test_a_case_has_the_same_regions_before_and_after_its_answer(world: World) -> None:
    study = world.closed()
    world.judged(study)
    certificate = Certificate.objects.get(study=study)
    waiting = world.challenge("uma", certificate, "waiting")
    before = _regions(world, "uma", f"/me/challenges/{waiting}/")
    world.parties.regulator.says(
        "challenge_refused", challenge_id=waiting, code="RECORD_NOT_SIGNED", sentence="No."
    )
    after = _regions(world, "uma", f"/me/challenges/{waiting}/")
    assert before == after == _regions(world, "uma", f"/me/challenges/{waiting}/?partial=1")
    assert "challenge-receipt" in before


def test_an_empty_region_says_nothing(world: World) -> None:
    path = f"/modeler/studies/{world.drafted().id}/"
    content = world.page("mo", path)
    for name in ("questions", "training"):
        assert f'<section id="region-{name}" data-region class="stack"></section>' in content
