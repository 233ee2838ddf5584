"""What both reports say in the same words: where the numbers are from, and what they can't say."""

from __future__ import annotations

from django.utils.translation import gettext as _

from blindjustice_web.certificates.models import Certificate
from blindjustice_web.certificates.validity import revocation_of, status_of
from blindjustice_web.engine.engine_texts import isolated
from blindjustice_web.lib.labels import StudyKind, title_of
from blindjustice_web.lib.moments import day_text, moment_text
from blindjustice_web.presentation.reports.document import Fact, ratio_text
from blindjustice_web.presentation.reports.impact_ratios import Compared, RatioComparison
from blindjustice_web.presentation.reports.opened import Grouping, OpenedTable


def origin(opened: OpenedTable) -> tuple[Fact, ...]:
    """Return what was audited, by whom, when, and on which data."""
    study, label = opened.study, opened.configuration.label
    return (
        Fact(_("Question"), study.purpose or study.title),
        Fact(_("Model"), opened.model_name),
        Fact(_("Model of"), study.modeler.name),
        Fact(_("Audited by"), study.regulator.name),
        Fact(_("Date of this audit"), day_text(opened.audited_at)),
        *_certificate(opened.certificate),
        Fact(_("Kind of study"), title_of(StudyKind(opened.configuration.policy.kind))),
        Fact(_("Models that may be asked about"), str(opened.configuration.policy.questions)),
        Fact(_("Selected means"), label.favourable),
        Fact(_("Source of the data"), _source(opened)),
        Fact(_("People assessed"), str(study.n_records)),
        Fact(_("Left out for unusable answers"), str(study.n_invalid + study.n_disagreed)),
    )


def ratio_cell(row: Compared, comparison: RatioComparison, left_out: str) -> str:
    """Return the impact ratio of a group with numbers, or why it has none."""
    if row.group.left_out is None:
        return _("not told whether compared")
    if row.group.left_out:
        return left_out
    if row.impact_ratio is None:
        return _("none: nobody is selected")
    text = ratio_text(row.impact_ratio)
    return _("at most %(ratio)s") % {"ratio": text} if comparison.is_bound else text


def bound_note(comparison: RatioComparison) -> tuple[str, ...]:
    """Return why impact ratios are upper bounds, if they are."""
    unseen = [row.group for row in comparison.rows if row.group.may_be_higher]
    if not unseen or not comparison.n_ratios:
        return ()
    if any(group.left_out is False for group in unseen):
        why = _("A group without numbers was compared too and may have a higher rate.")
    else:
        why = _("Another group may have been compared too and have a higher rate.")
    return (
        _(
            "“At most”: the highest rate told of a group known to be compared stands for the "
            "highest of all. %(why)s So true ratios can be lower."
        )
        % {"why": why},
    )


def unknown_note(grouping: Grouping) -> str:
    """Return how many people are in none of the groups because they preferred not to say."""
    if grouping.n_unknown is None:
        return _(
            "Groups without numbers (%(dash)s) have too few people, or too few of one decision or "
            "of one outcome, to be told of; %(rest)s people are in them or preferred not to say."
        ) % {"dash": "\N{EM DASH}", "rest": grouping.n_people - grouping.n_counted}
    return _("Unknown (preferred not to say): %(n)s people, in none of these groups.") % {
        "n": grouping.n_unknown
    }


def privacy_limit(opened: OpenedTable) -> str:
    """Return what the policy's floor on decisions does to small numbers."""
    policy = opened.configuration.policy
    if policy.minimum_decided == 1:
        return _(
            "The policy hides the numbers of a group in which one of the counts it opens is zero, "
            "or everybody is selected."
        )
    return _(
        "The policy hides the numbers of a group in which fewer than %(n)s people are selected, or "
        "fewer than %(n)s are not, or fewer are in any other count it opens."
    ) % {"n": policy.minimum_decided}


def _source(opened: OpenedTable) -> str:
    if opened.configuration.data_source == "person":
        cases = _("entered by the people themselves")
    elif opened.configuration.data_holder.value == "regulator":
        cases = _("a file that the auditor holds; who else has seen it, this site cannot tell")
    else:
        cases = _("a file that the modeler holds; who else has seen it, this site cannot tell")
    return _(
        "Groups: people's own answers, given for this study. Cases: %(cases)s. In the computation "
        "the answers about groups stayed secret from both sides, and the model and the cases from "
        "the side that does not hold them. Opened were the verdicts and the counts%(where)s; of "
        "the counts this report shows people and selected."
    ) % {"cases": cases, "where": _(" in the certificate") if opened.certificate else ""}


def _certificate(certificate: Certificate | None) -> tuple[Fact, ...]:
    """Return the certificate and whether it is valid now."""
    if certificate is None:
        return (Fact(_("Certificate"), _("none: the model did not pass")),)
    return (
        Fact(_("Certificate"), certificate.id),
        Fact(_("Status of the certificate"), _validity(certificate)),
    )


def _validity(certificate: Certificate) -> str:
    revocation = revocation_of(certificate)
    if revocation is not None:
        return _("Revoked by %(regulator)s on %(day)s: %(reason)s") % {
            "regulator": isolated(certificate.study.regulator.name),
            "day": day_text(revocation.revoked_at),
            "reason": isolated(revocation.reason),
        }
    return _("%(status)s (valid from %(first)s until %(last)s)") % {
        "status": status_of(certificate).label,
        "first": moment_text(certificate.valid_from),
        "last": moment_text(certificate.valid_until),
    }
