"""What pages and the API show of a study."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.engine import engine_policies
from blindjustice_web.engine.engine_client import Configuration
from blindjustice_web.engine.engine_policies import Attribute, Feature, Label
from blindjustice_web.lib.labels import (
    Bound,
    Comparison,
    CriterionName,
    SmallGroups,
    StudyKind,
    sentence_of,
)
from blindjustice_web.lib.named import Named, PartyRefusal
from blindjustice_web.studies.approvals import counting
from blindjustice_web.studies.models import (
    Proposal,
    ProposalKind,
    ProposalState,
    Study,
    StudyState,
)

DECLINES = "prefer_not_to_say"


@dataclass(frozen=True)
class FeatureView:
    """A feature as the schema describes it."""

    name: str
    title: str
    unit: str
    minimum: str
    maximum: str


@dataclass(frozen=True)
class FeatureField:
    """What a person fills in: a number, or of a one-hot ``column`` one of its ``values``.

    ``is_yes_no``: of 0 and 1 in whole steps one is chosen by its word.
    """

    name: str
    title: str
    minimum: str = ""
    maximum: str = ""
    column: str = ""
    values: tuple[str, ...] = ()
    is_yes_no: bool = False


@dataclass(frozen=True)
class CategoryView:
    """One possible answer."""

    name: str
    title: str


@dataclass(frozen=True)
class AttributeView:
    """A question, its noun the title; "prefer not to say" is its last category."""

    name: str
    title: str
    question: str
    categories: list[CategoryView]


@dataclass(frozen=True)
class LabelView:
    """The decision and which value is favourable."""

    title: str
    favourable: str
    unfavourable: str


@dataclass(frozen=True)
class CriterionView:
    """One criterion of a policy; limits are written as people read them."""

    criterion: Named
    thresholds: list[str]
    certify_at: str
    limits: list[str]
    certify_limit: str
    sentence: str
    """What it asks of two groups, as part of a sentence."""
    about: str
    """What there is to know about it; "" where its name and ``sentence`` say it."""
    is_on_rates: bool


@dataclass(frozen=True)
class PolicyView:
    """The rule a model is judged by; ``sentences`` say what it checks, compares and tells.

    ``questions``: how many models may be asked about; None, as ``kind``, where models are trained
    and none is certified.
    """

    kind: Named | None
    questions: int | None
    criteria: list[CriterionView]
    comparison: Named
    minimum_group: int
    minimum_decided: int
    minimum_answers: int
    small_groups: Named
    opens_table: bool
    sentences: list[str]


@dataclass(frozen=True)
class TermsView:
    """Everything a configuration, or a draft of one, says."""

    title: str
    purpose: str
    retention_days: int
    certificate_days: int
    question_bits_limit: int
    features: list[FeatureView]
    feature_fields: list[FeatureField]
    label: LabelView
    attributes: list[AttributeView]
    policy: PolicyView
    data_holder: Named
    data_source: Named
    data_commitment: str
    n_committed: int
    inviter: Named


@dataclass(frozen=True)
class ApprovalView:
    """Who approved, with which key, when; ``counts`` unless the key is an approver's no more."""

    role: Named
    key_id: str
    at: datetime
    counts: bool


@dataclass(frozen=True)
class ProposalView:
    """A proposal as one viewer sees it."""

    id: str
    kind: Named
    study_id: str
    study_title: str
    digest: str
    text: str
    state: Named
    approvals: list[ApprovalView]
    waiting_for: list[Named]
    approved_by_me: bool
    can_approve: bool
    can_decline: bool
    decline_reason: str
    model_id: str
    model_name: str = ""
    url: str = ""


@dataclass(frozen=True)
class KeyView:
    """Whether a party's sealing key for the study has arrived, and its signed word about it."""

    role: Named
    present: bool
    key_id: str
    body: str = field(default="", repr=False)
    signature: str = field(default="", repr=False)

    @property
    def statement(self) -> dict[str, str]:
        """What a browser or client needs to check the key itself."""
        return {"role": self.role.value, "body": self.body, "signature": self.signature}


def terms_of(configuration: Configuration) -> TermsView:
    """Return what a configuration says, for people."""
    policy = configuration.policy
    trains = configuration.data_holder.value == Role.MODELER
    sources = {"person": _("Each person enters it"), "file": _("A file of the data-holder")}
    committed = configuration.data_commitment
    return TermsView(
        title=configuration.title,
        purpose=configuration.purpose,
        retention_days=configuration.retention_days,
        certificate_days=configuration.certificate_days,
        question_bits_limit=engine_policies.smallest_limit(configuration),
        features=[
            FeatureView(f.name, f.title, f.unit, f.minimum, f.maximum)
            for f in configuration.features
        ],
        feature_fields=feature_fields(configuration.features),
        label=label_view(configuration.label),
        attributes=attribute_views(configuration.attributes),
        policy=PolicyView(
            kind=None if trains else Named.of(StudyKind(policy.kind)),
            questions=None if trains else policy.questions,
            criteria=[
                CriterionView(
                    criterion=Named.of(CriterionName(item.criterion)),
                    thresholds=list(item.thresholds),
                    certify_at=item.certify_at,
                    limits=[limit_text(item.criterion, limit) for limit in item.thresholds],
                    certify_limit=limit_text(item.criterion, item.certify_at),
                    sentence=engine_policies.criterion_sentence(configuration, item, _),
                    about=sentence_of(CriterionName(item.criterion)),
                    is_on_rates=bool(CriterionName(item.criterion).rates),
                )
                for item in policy.criteria
            ],
            comparison=Named.of(Comparison(policy.comparison)),
            minimum_group=policy.minimum_group,
            minimum_decided=policy.minimum_decided,
            minimum_answers=policy.minimum_answers,
            small_groups=Named.of(SmallGroups(policy.small_groups)),
            opens_table=policy.opens_table,
            sentences=engine_policies.policy_sentences(configuration, _),
        ),
        data_holder=Named.of(Role(configuration.data_holder.value)),
        data_source=Named(configuration.data_source, sources[configuration.data_source]),
        data_commitment=committed.root.hex() if committed else "",
        n_committed=committed.n_rows if committed else 0,
        inviter=Named.of(Role(configuration.inviter.value)),
    )


def feature_fields(features: Sequence[Feature]) -> list[FeatureField]:
    """Return what a person fills in, in order; a one-hot column once, where its first is."""
    fields = {}
    for feature in features:
        if feature.category is None:
            fields[feature.name] = FeatureField(
                feature.name,
                feature.title,
                feature.minimum,
                feature.maximum,
                is_yes_no=(feature.unit, feature.minimum, feature.maximum) == ("1", "0", "1"),
            )
            continue
        column = feature.category.column
        same = [f for f in features if f.category and f.category.column == column]
        values = tuple(f.category.value for f in same if f.category)
        title = _common_title([f.title for f in same], values) or column.replace("_", " ")
        fields[column] = FeatureField(column, title, column=column, values=values)
    return list(fields.values())


def _common_title(titles: Sequence[str], values: Sequence[str]) -> str:
    """Return what the titles of a column's features have in common before each one's value."""
    starts = {
        title.removesuffix(value).rstrip(" :") if title.endswith(value) else ""
        for title, value in zip(titles, values, strict=True)
    }
    return starts.pop() if len(starts) == 1 else ""


def attribute_views(attributes: Sequence[Attribute]) -> list[AttributeView]:
    """Return what people are asked; "prefer not to say" is the last answer of each."""
    return [
        AttributeView(
            attribute.name,
            attribute.title,
            attribute.question,
            [
                *(CategoryView(c.name, c.title) for c in attribute.categories),
                CategoryView(DECLINES, _("Prefer not to say")),
            ],
        )
        for attribute in attributes
    ]


def label_view(label: Label) -> LabelView:
    """Return the decision as pages show it."""
    return LabelView(label.title, label.favourable, label.unfavourable)


def limit_text(criterion: str, limit: str) -> str:
    """Return a threshold as people read it: with its percent, percentage points or z."""
    bound = CriterionName(criterion).bound
    if bound is Bound.RATIO:
        return f"{limit}\u00a0%"
    if bound is Bound.DIFFERENCE:
        return _("%(limit)s\u00a0points") % {"limit": limit}
    return f"z\u00a0=\u00a0{limit}" if bound is Bound.Z_TEST else limit


def proposal_view(proposal: Proposal, role: Role | None) -> ProposalView:
    """Return a proposal as a member of one party sees it."""
    approvals = sorted(proposal.approvals.all(), key=lambda approval: approval.created_at)
    given = {approval.role for approval in counting(proposal)}
    is_open = proposal.state == ProposalState.OPEN
    waits_for_me = is_open and role is not None and role.value not in given
    return ProposalView(
        id=proposal.id,
        kind=Named.of(ProposalKind(proposal.kind)),
        study_id=proposal.study_id,
        study_title=proposal.study.title,
        digest=proposal.digest,
        text=proposal.text,
        state=Named.of(ProposalState(proposal.state)),
        approvals=[
            ApprovalView(Named.of(Role(a.role)), a.key_id, a.created_at, a.role in given)
            for a in approvals
        ],
        waiting_for=[Named.of(r) for r in Role if is_open and r.value not in given],
        approved_by_me=role is not None and role.value in given,
        can_approve=waits_for_me,
        can_decline=is_open and role is not None,
        decline_reason=proposal.decline_reason,
        model_id=proposal.model_id,
    )


def keys_of(study: Study) -> list[KeyView]:
    """Return for each party whether its key for the study has arrived."""
    keys = {key.role: key for key in study.keys.all()}
    return [
        KeyView(
            Named.of(role),
            role.value in keys,
            keys[role.value].key_id if role.value in keys else "",
            keys[role.value].body if role.value in keys else "",
            keys[role.value].signature if role.value in keys else "",
        )
        for role in Role
    ]


def refusals_of(study: Study) -> list[PartyRefusal]:
    """Return what parties refused about a study, newest first."""
    return [
        PartyRefusal(refusal.code, refusal.sentence, Named.of(Role(refusal.role)), refusal.at)
        for refusal in study.refusals.order_by("-at")[:20]
    ]


def state_named(study: Study) -> Named:
    """Return the state of a study with its label."""
    return Named.of(StudyState(study.state))
