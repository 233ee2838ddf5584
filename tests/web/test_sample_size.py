"""The sample-size calculator: anyone may compute, and nothing but four numbers goes in."""

from __future__ import annotations

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db

QUESTION = {"base": "50", "ratio": "80", "significance": "5", "power": "80"}


def test_it_starts_with_the_usual_question_answered() -> None:
    answer = Client().get("/sample-size/")
    assert answer.context["n_people"] == 388
    assert "<strong>388</strong> people in each of the two groups." in answer.content.decode()


@pytest.mark.parametrize(
    ("changes", "n_people"),
    [
        ({"power": "90"}, 519),
        ({"significance": "1"}, 577),
        ({"base": "10"}, 3213),
        ({"base": "99.9", "ratio": "1"}, 3),
    ],
)
def test_it_answers_what_is_asked(changes: dict[str, str], n_people: int) -> None:
    answer = Client().get("/sample-size/", {**QUESTION, **changes})
    assert answer.context["n_people"] == n_people


@pytest.mark.parametrize(
    "changes",
    [
        {"base": "0"},
        {"base": "100"},
        {"base": "NaN"},
        {"base": "1e400"},
        {"base": "9" * 5000},
        {"base": "\x00"},
        {"ratio": "100"},
        {"ratio": "0.5"},
        {"ratio": "many"},
        {"ratio": ""},
        {"significance": "3"},
        {"power": "<script>"},
    ],
)
def test_other_input_is_refused_with_a_reason(changes: dict[str, str]) -> None:
    answer = Client().get("/sample-size/", {**QUESTION, **changes})
    assert answer.status_code == 200
    assert answer.context["n_people"] is None
    assert answer.context["form"].errors
    assert "sample-size-result" not in answer.content.decode()
    assert "<script>" not in answer.content.decode().split("<form", 1)[1].split("</form>")[0]


def test_the_farthest_question_is_answered_at_once() -> None:
    answer = Client().get("/sample-size/", {**QUESTION, "base": "0.1", "ratio": "99"})
    assert answer.context["n_people"] > 100_000_000
