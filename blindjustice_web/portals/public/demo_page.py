"""The page of a demonstration: which log-in shows what. Passwords are not on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role, User
from blindjustice_web.accounts.selectors import first_users, membership_of
from blindjustice_web.certificates.trainings import studies_that_trained
from blindjustice_web.challenges.access import challenges_for
from blindjustice_web.lib.named import Named
from blindjustice_web.lib.problems import NotThere
from blindjustice_web.portals.pages import public_page
from blindjustice_web.presentation.cards.certificates import studies_with_figure, verdicts_by_study
from blindjustice_web.presentation.cards.challenges import challenge_cards
from blindjustice_web.presentation.cards.study_views import study_cards
from blindjustice_web.studies.access import studies_for

STUDIES_SHOWN = 20
FIGURE = "#tradeoff-title"
LOG_INS_SHOWN = 10


@dataclass(frozen=True)
class SightView:
    """Something to look at: a study or a challenge, and where it stands.

    ``figure_url``: where its page draws fairness against accuracy, "" without such a figure.
    """

    title: str
    url: str
    about: str
    badges: list[Named]
    figure_url: str = ""


@dataclass(frozen=True)
class LogInView:
    """Somebody of the cast, and what the log-in shows."""

    role: Named
    email: str
    organisation: str
    url: str
    sights: list[SightView]


@public_page
def demo(request: HttpRequest) -> HttpResponse:
    """Show who can log in and what there is to see; only a demonstration has this page."""
    if not settings.DEMO:
        raise NotThere
    log_ins = [_log_in(user) for user in first_users(LOG_INS_SHOWN)]
    return render(request, "public/demo.html", {"log_ins": log_ins})


def _log_in(user: User) -> LogInView:
    membership = membership_of(user)
    if membership is None:
        person = Named("person", _("A person who is decided about"))
        return LogInView(person, user.email, "", reverse("my_page"), _challenges(user))
    role = Role(membership.role)
    name = membership.organisation.name
    url = reverse(f"{role.value}_home")
    return LogInView(Named.of(role), user.email, name, url, _studies(user, role))


def _studies(user: User, role: Role) -> list[SightView]:
    found = studies_for(user).order_by("-created_at")[:STUDIES_SHOWN]
    cards = study_cards(list(found), role)
    verdicts = verdicts_by_study(card.id for card in cards)
    trained = studies_that_trained(card.id for card in cards)
    drawn = studies_with_figure(card.id for card in cards)
    done = [Named("DONE", _("Model trained"))]
    sights = [
        SightView(
            card.title,
            card.url,
            card.to_do,
            [
                card.state,
                *(done if card.id in trained else []),
                *_counted(verdicts.get(card.id, [])),
            ],
            f"{card.url}{FIGURE}" if card.id in drawn else "",
        )
        for card in cards
    ]
    return sorted(sights, key=lambda sight: not sight.figure_url)


def _counted(badges: Sequence[Named]) -> list[Named]:
    """Return each badge once, with its number where there are several."""
    return [
        badge if n == 1 else Named(badge.value, f"{badge.label}: {n}")
        for badge, n in Counter(badges).items()
    ]


def _challenges(user: User) -> list[SightView]:
    found = list(challenges_for(user)[:STUDIES_SHOWN])
    return [
        SightView(
            card.certificate.study_title, card.url, card.source.label, [card.outcome or card.state]
        )
        for card in challenge_cards(found, own=True)
    ]
