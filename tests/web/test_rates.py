"""The share of each group that is selected, on certificates whose policy opens the counts."""

from __future__ import annotations

import pytest

from blindjustice_web.certificates.models import Certificate
from blindjustice_web.certificates.rates import rates_by_group
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


def test_nothing_is_drawn_where_the_policy_opens_nothing(world: World) -> None:
    certificate = world.certified()
    assert rates_by_group(certificate.result) is None
    page = world.clients["anonymous"].get(f"/certificates/{certificate.id}/").content.decode()
    assert "figure-rates" not in page


def test_the_certificate_shows_the_figure_and_its_table_to_everyone(world: World) -> None:
    result = world.audited([[1000, 500], [900, 310]])
    certificate = Certificate.objects.get(result=result)
    page = world.clients["anonymous"].get(f"/certificates/{certificate.id}/").content.decode()
    assert 'data-testid="figure-rates"' in page
    assert 'data-testid="rates-table"' in page
