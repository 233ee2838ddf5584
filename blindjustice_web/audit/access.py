"""Who may read which entries, and how they are narrowed down."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.db.models import Q, QuerySet
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.accounts.selectors import Viewer, membership_of
from blindjustice_web.audit.models import ActorKind, AuditEntry, EntryKind
from blindjustice_web.lib.ids import ID_PATTERN
from blindjustice_web.lib.problems import Unusable


def _day() -> forms.DateInput:
    return forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})


class AuditFilter(forms.Form):
    """What to show: days, who, what, and of which study."""

    since = forms.DateField(label=_("From"), required=False, widget=_day())
    until = forms.DateField(label=_("To"), required=False, widget=_day())
    actor = forms.ChoiceField(
        label=_("Who"), required=False, choices=[("", _("Everybody")), *ActorKind.choices]
    )
    kind = forms.ChoiceField(
        label=_("What"), required=False, choices=[("", _("Everything")), *EntryKind.choices]
    )
    study = forms.RegexField(
        rf"^{ID_PATTERN}$",
        label=_("Number of the study"),
        required=False,
        max_length=32,
        error_messages={
            "invalid": _("The number of a study has 32 characters, 0 to 9 and a to f.")
        },
    )

    def clean(self) -> dict[str, Any]:
        """Refuse a span that ends before it begins."""
        values: dict[str, Any] = super().clean() or {}
        since, until = values.get("since"), values.get("until")
        if since and until and until < since:
            self.add_error("until", _("The last day comes before the first."))
        return values


@dataclass(frozen=True)
class Wanted:
    """Which entries are asked for; what is empty does not narrow them down."""

    since: date | None = None
    until: date | None = None
    actor: str = ""
    kind: str = ""
    study: str = ""


def entries_for(user: Viewer) -> QuerySet[AuditEntry]:
    """Return what a user may read, newest first; nothing for a person or a visitor."""
    membership = membership_of(user)
    if membership is None:
        return AuditEntry.objects.none()
    role = Role(membership.role)
    mine = Q(**{role.value: membership.organisation_id}) | Q(for_all=True)
    return AuditEntry.objects.filter(mine).order_by("-pk")


def narrowed(entries: QuerySet[AuditEntry], wanted: Wanted) -> QuerySet[AuditEntry]:
    """Return the entries that are asked for."""
    exact = {"actor": wanted.actor, "kind": wanted.kind, "study_id": wanted.study}
    entries = entries.filter(**{name: value for name, value in exact.items() if value})
    if wanted.since:
        entries = entries.filter(at__gte=_midnight(wanted.since))
    if wanted.until and wanted.until < date.max:
        entries = entries.filter(at__lt=_midnight(wanted.until + timedelta(days=1)))
    return entries


def wanted_of(values: QueryDict) -> Wanted:
    """Return what a query or a form asks for; Unusable says which field is wrong."""
    form = AuditFilter(values)
    if not form.is_valid():
        sentences = [f"{form.fields[n].label}: {e[0]}" for n, e in form.errors.items()]
        raise Unusable("AUDIT_FILTER_INVALID", " ".join(sentences))
    return Wanted(**form.cleaned_data)


def _midnight(day: date) -> datetime:
    return timezone.make_aware(datetime.combine(day, time.min))
