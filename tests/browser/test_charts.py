"""Figures are drawn where Plotly is there."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from tests.showroom.visit import Showroom, visit


@pytest.mark.parametrize("name", ["certificate-valid", "modeler-study-judged"])
def test_a_page_draws_every_figure_it_carries(chromium: Browser, room: Showroom, name: str) -> None:
    shown = room.page(name)
    with visit(chromium, room, shown.who) as found:
        found.open(shown.path)
        figures = found.page.locator("[data-figure]")
        for figure in figures.all():
            expect(figure.locator("svg").first).to_be_visible()
        assert found.faults == []
        assert figures.count() or name != "certificate-valid"
