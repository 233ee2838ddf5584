"""What both reports say in the same words: where the numbers are from, and what they can't say."""

from __future__ import annotations

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from blindjustice_web.certificates.reports.document import Fact
from blindjustice_web.certificates.reports.opened import Grouping, OpenedTable


def origin(opened: OpenedTable) -> tuple[Fact, ...]:
    """Return what was audited, by whom, when, and on which data."""
    study, label = opened.study, opened.configuration.label
    certificate = opened.certificate_id or _("none: the model did not pass")
    return (
        Fact(_("Question"), study.purpose or study.title),
        Fact(_("Model"), opened.model_name),
        Fact(_("Model of"), study.modeler.name),
        Fact(_("Audited by"), study.regulator.name),
        Fact(_("Date of this audit"), date_format(opened.audited_at, "DATE_FORMAT")),
        Fact(_("Certificate"), certificate),
        Fact(_("Selected means"), label.favourable),
        Fact(_("Source of the data"), _source(opened)),
        Fact(_("People assessed"), str(study.n_records)),
        Fact(_("Left out for unusable answers"), str(study.n_invalid + study.n_disagreed)),
    )


def unknown_note(grouping: Grouping) -> str:
    """Return how many people are in none of the groups because they preferred not to say."""
    if grouping.n_unknown is None:
        return _(
            "Groups without numbers (%(dash)s) have too few people, or too few of one decision, to "
            "be told of; %(rest)s people are in them or preferred not to say."
        ) % {"dash": "\N{EM DASH}", "rest": grouping.n_people - grouping.n_counted}
    return _("Unknown (preferred not to say): %(n)s people, in none of these groups.") % {
        "n": grouping.n_unknown
    }


def privacy_limit(opened: OpenedTable) -> str:
    """Return what the smallest group of the policy does to small numbers."""
    policy = opened.configuration.policy
    if policy.minimum_group == 1:
        return _(
            "The policy hides the numbers of a group in which one of the counts it opens is zero, "
            "or everybody is selected."
        )
    return _(
        "The policy hides the numbers of a group in which fewer than %(n)s people are selected, or "
        "fewer than %(n)s are not, or fewer are in any other count it opens."
    ) % {"n": policy.minimum_group}


def _source(opened: OpenedTable) -> str:
    if opened.configuration.data_source == "person":
        cases = _("entered by the people themselves")
    elif opened.configuration.data_holder.value == "regulator":
        cases = _("a file that the auditor holds")
    else:
        cases = _("a file that the modeler holds")
    return _(
        "Groups: people's own answers, given for this study. Cases: %(cases)s. Everything stayed "
        "encrypted; only the counts below were opened."
    ) % {"cases": cases}
