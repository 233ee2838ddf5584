"""The share of each group that is selected, on certificates whose policy opens the counts."""

from __future__ import annotations

import re

import pytest

from blindjustice_web.certificates.models import Certificate
from blindjustice_web.presentation.cards.groups import groups_told
from blindjustice_web.presentation.figures.rates import rates_by_group
from tests.web.drafts import AUDIT, THREE_AGES
from tests.web.stories import World

pytestmark = pytest.mark.django_db


def test_the_title_states_who_is_selected_most_and_least_often(world: World) -> None:
    figure = rates_by_group(world.audited([[1000, 500], [900, 310]]))
    assert figure is not None
    assert "50.0%" in figure.title
    assert "34.4%" in figure.title
    assert figure.summary.startswith("2 groups.")
    assert [row[1:] for row in figure.rows] == [["1000", "500", "50.0%"], ["900", "310", "34.4%"]]
    (bars,) = figure.drawing["data"]
    assert [round(share, 1) for share in bars["x"]] == [50.0, 34.4]


@pytest.mark.parametrize(
    ("counts", "title", "summary"),
    [
        ([[10, 5], [4, 2]], "Every group is selected at the same rate, 50.0%", "2 groups"),
        ([[10, 0], [4, 0]], "Every group is selected at the same rate, 0.0%", "selects nobody"),
    ],
)
@pytest.mark.database
def test_equal_rates_are_said_to_be_equal(
    world: World, counts: list[list[int]], title: str, summary: str
) -> None:
    figure = rates_by_group(world.audited(counts))
    assert figure is not None
    assert figure.title == title
    assert summary in figure.summary


@pytest.mark.parametrize(
    ("counts", "left_out"), [([[10, 5], [0, 0]], ()), ([[10, 5], [9, 4]], (1,))]
)
def test_one_group_alone_is_no_comparison(
    world: World, counts: list[list[int]], left_out: tuple[int, ...]
) -> None:
    assert rates_by_group(world.audited(counts, left_out=left_out)) is None


HIDDEN = [[1000, 500], [900, 310], [0, 0]]
CELLS = re.compile(
    r"<tr>\s*<th scope=\"row\"><bdi>([^<]+)</bdi></th>((?:<td>[^<]*</td>)+)\s*<td>([^<]*)</td>"
)


@pytest.mark.parametrize(
    ("who", "path"),
    [("anonymous", "/certificates/{0.id}/"), ("mo", "/modeler/studies/{0.study_id}/")],
)
def test_the_numbers_of_a_hidden_group_are_dashes_and_no_zero(
    world: World, who: str, path: str
) -> None:
    result = world.audited(HIDDEN, attributes=THREE_AGES, n_records=2119)
    page = world.clients[who].get(path.format(Certificate.objects.get(result=result)))
    told = {
        group: (counts, compared)
        for group, counts, compared in CELLS.findall(page.content.decode())
    }
    assert told["Under 25"] == ("<td>—</td><td>—</td>", "yes")
    assert told["25 to 60"] == ("<td>900</td><td>310</td>", "yes")
    assert "nobody belongs to" not in page.content.decode()
    assert "A dash is a number that nobody is told, not a zero." in page.content.decode()
    figure = rates_by_group(result)
    assert figure is not None
    assert [row[0] for row in figure.rows] == ["Over 60", "25 to 60"]
    assert "whose numbers are not told" in figure.note


def test_a_group_is_not_said_to_be_compared_where_nobody_is_told(world: World) -> None:
    policy = {**AUDIT, "small_groups": "excluded", "minimum_percent": "5"}
    counts = [[1000, 500], [40, 20], [0, 0]]
    result = world.audited(counts, attributes=THREE_AGES, policy=policy, n_records=1100)
    _headings, groups = groups_told(result)
    assert [group.compared for group in groups] == ["yes", "no: too small", "not told"]


def test_without_a_verdict_nothing_was_compared_and_no_number_is_told(world: World) -> None:
    counts = [[0, 0], [0, 0], [0, 0]]
    result = world.audited(
        counts,
        attributes=THREE_AGES,
        n_records=100,
        verdict="UNDETERMINED",
        reason="TOO_FEW_DECIDED",
    )
    _headings, groups = groups_told(result)
    assert {group.compared for group in groups} == {"no: there is no verdict"}
    assert not any(group.is_told for group in groups)


def test_nothing_is_drawn_where_the_policy_opens_nothing(world: World) -> None:
    certificate = world.certified()
    assert rates_by_group(certificate.result) is None
    page = world.page("anonymous", f"/certificates/{certificate.id}/")
    assert "figure-rates" not in page


def test_the_certificate_shows_the_figure_and_its_table_to_everyone(world: World) -> None:
    result = world.audited([[1000, 500], [900, 310]])
    certificate = Certificate.objects.get(result=result)
    page = world.page("anonymous", f"/certificates/{certificate.id}/")
    assert 'data-testid="figure-rates"' in page
    assert 'data-testid="rates-table"' in page
