"""What a certification opened under its policy: the only thing that reports are made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from typing import Any

from django.utils.translation import gettext as _

from blindjustice_web.certificates.models import Certificate, CertificationResult
from blindjustice_web.engine import engine_client
from blindjustice_web.engine.engine_client import Configuration
from blindjustice_web.lib.labels import NoVerdict, sentence_of
from blindjustice_web.presentation.reports.impact_ratios import GroupSelection
from blindjustice_web.studies.models import Study

GroupRows = Sequence[Mapping[str, Any]]
"""What is told of each group, as certificates and results hold it."""


@dataclass(frozen=True)
class Grouping:
    """The groups of one attribute, or of several crossed, by machine name and by title."""

    attributes: tuple[str, ...]
    title: str
    groups: tuple[GroupSelection, ...]
    n_people: int

    @property
    def is_complete(self) -> bool:
        """Return whether the numbers of every group are told."""
        return all(group.is_told for group in self.groups)

    @property
    def n_counted(self) -> int:
        """Return the people in groups whose numbers are told."""
        return sum(group.size for group in self.groups)

    @property
    def n_unknown(self) -> int | None:
        """Return the people in no group of these; None where groups without numbers hide it."""
        return self.n_people - self.n_counted if self.is_complete else None


@dataclass(frozen=True)
class OpenedTable:
    """The counts that a certification opened, and what is public about where they come from."""

    study: Study
    configuration: Configuration
    model_name: str
    certificate: Certificate | None
    audited_at: datetime
    in_use_since: datetime | None
    groupings: tuple[Grouping, ...]


def why_not_offered(result: CertificationResult, groups: GroupRows) -> str:
    """Return why no report can be made of a verdict, or "" where its policy opened the counts."""
    policy = _configuration(result).policy
    if not policy.opens_table:
        return _(
            "People agreed to a policy that tells verdicts and no number about a group. So no "
            "count was opened, nobody knows one, and none is worked out from anything else."
        )
    if result.reason:
        return _("Without a verdict no count is opened. %(why)s") % {
            "why": sentence_of(NoVerdict(result.reason))
        }
    if not any(any(row["counts"]) for row in groups):
        return _(
            "Some group has so few people, or so few of one decision or of one outcome, that its "
            "numbers would tell of single people. The policy then opens no number at all."
        )
    return ""


def opened_table(result: CertificationResult, groups: GroupRows) -> OpenedTable:
    """Return the opened counts of a verdict for which `why_not_offered` has no reason."""
    model = result.model
    configuration = _configuration(result)
    return OpenedTable(
        study=model.study,
        configuration=configuration,
        model_name=model.name,
        certificate=getattr(result, "certificate", None),
        audited_at=result.at,
        in_use_since=model.deployed_at,
        groupings=_groupings(configuration, groups, model.study.n_records),
    )


def _configuration(result: CertificationResult) -> Configuration:
    return engine_client.read_configuration(result.model.study.configuration.text)


def _groupings(
    configuration: Configuration, groups: GroupRows, n_people: int
) -> tuple[Grouping, ...]:
    by_attributes: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in groups:
        by_attributes.setdefault(_attributes(row), []).append(row)
    titles = {attribute.name: attribute.title for attribute in configuration.attributes}
    return tuple(
        Grouping(
            attributes=names,
            title=" × ".join(titles[name] for name in names),
            groups=_counts(configuration, rows, n_people),
            n_people=n_people,
        )
        for names, rows in by_attributes.items()
    )


def groups_left_out(
    configuration: Configuration, groups: GroupRows, n_people: int
) -> list[bool | None]:
    """Return whether each group told of is left out of the comparison; None where nobody is told.

    Where the policy does not name such groups, they are found by their share of their grouping.
    """
    policy = configuration.policy
    if policy.small_groups != "excluded":
        return [row["left_out"] == "yes" for row in groups]
    size_at = policy.counts.index("size")
    sizes: dict[tuple[str, ...], list[int]] = {}
    for row in groups:
        sizes.setdefault(_attributes(row), []).append(row["counts"][size_at])
    share = Fraction(policy.minimum_percent) / 100
    floors = {
        names: {share * total for total in {sum(found), sum(found) if all(found) else n_people}}
        for names, found in sizes.items()
    }
    return [_is_under(row["counts"][size_at], floors[_attributes(row)]) for row in groups]


def _attributes(row: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(name for name, _category in row["group"])


def _counts(
    configuration: Configuration, rows: list[Mapping[str, Any]], n_people: int
) -> tuple[GroupSelection, ...]:
    names = configuration.policy.counts
    size_at, selected_at = names.index("size"), names.index("selected")
    titles = {
        (attribute.name, category.name): category.title
        for attribute in configuration.attributes
        for category in attribute.categories
    }
    left_out = groups_left_out(configuration, rows, n_people)
    return tuple(
        GroupSelection(
            title=" · ".join(titles[name, category] for name, category in row["group"]),
            size=row["counts"][size_at],
            selected=row["counts"][selected_at],
            left_out=is_left_out,
        )
        for row, is_left_out in zip(rows, left_out, strict=True)
    )


def _is_under(size: int, floors: set[Fraction]) -> bool | None:
    """Return whether a group is under the floor, the lowest or the highest that it may have.

    None where these differ, or no number of the group is told. The floor is a share of the people
    in the grouping's groups: at least those told, at most all.
    """
    answers = {size < floor for floor in floors}
    return answers.pop() if size and len(answers) == 1 else None
