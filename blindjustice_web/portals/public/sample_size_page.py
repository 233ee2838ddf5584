"""The sample-size calculator: how many people a study needs, from expectations alone, no data."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from blindjustice_web.portals.pages import public_page
from blindjustice_web.presentation.reports.sample_size import (
    SampleDesign,
    people_needed,
    quantile,
    two_sided_quantile,
)

SIGNIFICANCES = [("10", "10\u00a0%"), ("5", "5\u00a0%"), ("1", "1\u00a0%")]
POWERS = [("80", "80\u00a0%"), ("90", "90\u00a0%"), ("95", "95\u00a0%")]
STARTS_WITH = {"base": "50", "ratio": "80", "significance": "5", "power": "80"}


class SampleSizeForm(forms.Form):
    """What is expected and how sure one wants to be, in percent."""

    base = forms.DecimalField(
        label=_("Expected selection rate of the most selected group, in percent"),
        min_value=Decimal("0.1"),
        max_value=Decimal("99.9"),
        max_digits=5,
        decimal_places=2,
        widget=forms.TextInput(attrs={"inputmode": "decimal"}),
    )
    ratio = forms.DecimalField(
        label=_("Ratio to notice, in percent"),
        help_text=_("80 asks whether another group is selected four fifths as often."),
        min_value=Decimal(1),
        max_value=Decimal(99),
        max_digits=5,
        decimal_places=2,
        widget=forms.TextInput(attrs={"inputmode": "decimal"}),
    )
    significance = forms.ChoiceField(
        label=_("Significance: how often equal rates may look different"), choices=SIGNIFICANCES
    )
    power = forms.ChoiceField(
        label=_("Power: how often a real difference should be noticed"), choices=POWERS
    )

    def question(self) -> SampleDesign:
        """Return the question that valid fields ask, in exact numbers."""
        base, ratio, significance, power = (
            Fraction(self.cleaned_data[name]) / 100 for name in STARTS_WITH
        )
        return SampleDesign(base, ratio, two_sided_quantile(significance), quantile(power))


@public_page
def sample_size(request: HttpRequest) -> HttpResponse:
    """Show the calculator, filled with what its address says."""
    form = SampleSizeForm(request.GET if request.GET else STARTS_WITH)
    context: dict[str, Any] = {"form": form, "n_people": None}
    if form.is_valid():
        context["n_people"] = people_needed(form.question())
    return render(request, "public/sample_size.html", context)
