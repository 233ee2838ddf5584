"""What a certification tells about each group, and what its policy hides."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.translation import gettext as _

from blindjustice_web.certificates.models import CertificationResult
from blindjustice_web.engine import engine_client
from blindjustice_web.lib.labels import title_of
from blindjustice_web.presentation.reports.opened import groups_left_out


@dataclass(frozen=True)
class GroupView:
    """What the policy discloses about a group: whether it is compared, and its counts.

    ``left_out``: None where nobody is told. ``compared``: the same in words. ``counts``: in the
    policy's order, None for each that is not told; empty where the policy opens no table.
    """

    title: str
    left_out: bool | None
    compared: str
    counts: list[int | None]

    @property
    def is_told(self) -> bool:
        """Return whether the policy opened the group's numbers."""
        return bool(self.counts) and None not in self.counts


def groups_told(result: CertificationResult) -> tuple[list[str], list[GroupView]]:
    """Return the headings of the counts and what was disclosed about each group, if anything.

    A party writes 0 for every count of a group that the policy hides. Nobody knows such a group's
    numbers, and none that is told is 0 throughout, so these read as not told.
    """
    if not result.groups:
        return [], []
    study = result.model.study
    configuration = engine_client.read_configuration(study.configuration.text)
    titles = {
        (attribute.name, category.name): category.title
        for attribute in configuration.attributes
        for category in attribute.categories
    }
    policy = configuration.policy
    names = policy.counts if policy.opens_table else ()
    left_out = groups_left_out(configuration, result.groups, study.n_records)
    rows = [
        GroupView(
            " · ".join(titles[attribute, category] for attribute, category in row["group"]),
            is_left_out,
            _compared(is_left_out, is_decided=not result.reason),
            list(row["counts"]) if any(row["counts"]) else [None for _count in row["counts"]],
        )
        for row, is_left_out in zip(result.groups, left_out, strict=True)
    ]
    return [title_of(name) for name in names], rows


def _compared(left_out: bool | None, *, is_decided: bool) -> str:
    if left_out:
        return _("no: too small")
    if not is_decided:
        return _("no: there is no verdict")
    return _("not told") if left_out is None else _("yes")
