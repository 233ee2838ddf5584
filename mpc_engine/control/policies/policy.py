"""The policy of a study: by which criteria a model is judged, and where it is certified.

It names the kind of study and how many questions it asks, the groups that are compared, the
floors under which nothing is told, what becomes of small groups and missing answers, and what is
disclosed.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, pairwise

from mpc_engine.control.policies.study_terms import check_decimal
from mpc_engine.control.policies.thresholds import RANGES
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.control.texts.fields import Fields
from mpc_engine.errors import UsageError
from mpc_engine.ring.decimal_encoding import parse_decimal
from mpc_engine.vocabulary.criteria import Bound, CriterionName
from mpc_engine.vocabulary.divisions import finest_divisions
from mpc_engine.vocabulary.policies import (
    Comparison,
    Disclosure,
    MissingAnswers,
    SmallGroups,
    StudyKind,
)
from mpc_engine.vocabulary.rates import Count, RateName
from mpc_engine.vocabulary.verdicts import NoVerdict

COVARIANCE_READS_A_PERSON = "POLICY_COVARIANCE"
NO_BOUND_ON_RATES = "POLICY_NO_BOUND_ON_RATES"
NO_WORST_CASE = "POLICY_NO_WORST_CASE"
NO_LADDER = "POLICY_NO_LADDER"
GROUPS_CROSSED_IN_PART = "POLICY_GROUPS_CROSSED_IN_PART"
KIND_UNFIT = "POLICY_KIND_UNFIT"
MAX_QUESTIONS = 16
"""The most certifications about one cohort: by then answers tell whatever is asked for."""
MAX_CRITERIA = 8
MAX_THRESHOLDS = 8
LADDER = tuple(str(step) for step in range(5, 101, 5))
"""The thresholds of a bracket: a value is told to the nearest two of them."""
MAX_GROUPINGS = 16
MAX_CROSSED = 4
MIN_GROUP = 2
MIN_DECIDED = 5
"""The least floors: on the people of a group, and on each decision in it."""
MAX_PEOPLE = 1_000_000
MAX_FLOOR_PERCENT = 50


@dataclass(frozen=True)
class PolicyCriterion:
    """A criterion: decimal thresholds in rising order, one of which certifies.

    They are percentages (ratio), percentage points (difference) or values of z, to which the rates
    of two groups must keep.
    """

    criterion: str
    thresholds: tuple[str, ...]
    certify_at: str


@dataclass(frozen=True)
class Policy:
    """The rule of the study: a certificate needs every criterion at its ``certify_at``.

    ``kind``: what a question opens, a `StudyKind`. ``questions``: how many certifications, of as
    many models, may be asked of one cohort.
    ``minimum_decided``: how many people of a compared group must be decided for, and how many
    against: as many as hide one person's answer among them.
    ``groups``: attribute names, whose combined answers are compared.
    """

    kind: str
    questions: int
    criteria: tuple[PolicyCriterion, ...]
    comparison: str
    minimum_group: int
    minimum_answers: int
    minimum_decided: int
    groups: tuple[tuple[str, ...], ...]
    minimum_percent: str = "0"
    small_groups: str = SmallGroups.UNDETERMINED
    missing_answers: str = MissingAnswers.LEFT_OUT
    disclosure: str = Disclosure.VERDICT

    @property
    def limits(self) -> tuple[tuple[str, str], ...]:
        """Return criterion and threshold of every verdict that is given, in order."""
        return tuple(
            (item.criterion, threshold) for item in self.criteria for threshold in item.thresholds
        )

    @property
    def names(self) -> tuple[CriterionName, ...]:
        """Return what each criterion is, in order."""
        return tuple(CriterionName(item.criterion) for item in self.criteria)

    @property
    def rates(self) -> tuple[RateName, ...]:
        """Return the rates that are compared, each once."""
        return tuple(dict.fromkeys(rate for name in self.names for rate in name.rates))

    @property
    def counts(self) -> tuple[Count, ...]:
        """Return what is counted of every group: size, selected, and what the rates need."""
        needed = {Count.SIZE, Count.SELECTED}.union(*(rate.counts for rate in self.rates))
        return tuple(count for count in Count if count in needed)

    @property
    def uses_outcomes(self) -> bool:
        """Return whether people's known outcomes matter, not the model's decisions alone."""
        return any(rate is not RateName.ACCEPTANCE for rate in self.rates)

    @property
    def reasons(self) -> tuple[NoVerdict, ...]:
        """Return every reason for having no verdict that can occur."""
        leaves_out = self.small_groups != SmallGroups.UNDETERMINED
        given = {
            NoVerdict.GROUP_UNDER_FLOOR: not leaves_out,
            NoVerdict.TOO_FEW_GROUPS: leaves_out,
        }
        return tuple(reason for reason in NoVerdict if given.get(reason, True))

    @property
    def names_small_groups(self) -> bool:
        """Return whether it is told which groups are under the floor."""
        return self.small_groups == SmallGroups.EXCLUDED_AND_NAMED

    @property
    def joins_groupings(self) -> bool:
        """Return whether divisions have attributes in common, and so are of the same people."""
        return any(set(one) & set(other) for one, other in combinations(self.groups, 2))

    @property
    def opens_table(self) -> bool:
        """Return whether the counts of groups are opened."""
        return self.disclosure == Disclosure.TABLE

    def to_json(self) -> JsonObject:
        """Return the JSON form used in configurations and certificates."""
        return {
            "kind": self.kind,
            "questions": self.questions,
            "criteria": [
                {
                    "criterion": item.criterion,
                    "thresholds": list(item.thresholds),
                    "certify_at": item.certify_at,
                }
                for item in self.criteria
            ],
            "comparison": self.comparison,
            "minimum_group": self.minimum_group,
            "minimum_answers": self.minimum_answers,
            "minimum_decided": self.minimum_decided,
            "groups": [list(names) for names in self.groups],
            "minimum_percent": self.minimum_percent,
            "small_groups": self.small_groups,
            "missing_answers": self.missing_answers,
            "disclosure": self.disclosure,
        }


def read_policy(fields: Fields) -> Policy:
    """Read a policy; UsageError names the first fault.

    What would certify nothing or can't be computed is refused by a code of its own:
    ``POLICY_NO_BOUND_ON_RATES``, ``POLICY_NO_WORST_CASE``, ``POLICY_NO_LADDER``. So is what could
    tell one person's answer: ``POLICY_COVARIANCE``, ``POLICY_GROUPS_CROSSED_IN_PART``; and what
    opens other things than its kind of study does: ``POLICY_KIND_UNFIT``.
    """
    policy = _read(fields)
    fields.end()
    names = policy.names
    if len(set(names)) < len(names):
        raise UsageError(
            f"{fields.where}.criteria names a criterion twice.",
            code=fields.code,
            where=f"{fields.where}.criteria",
        )
    if CriterionName.COVARIANCE in names:
        raise UsageError(
            "No study is judged by the covariance of score and group: a model with one weight, on "
            "what only one person has, would read her answer from it. It certifies nothing either: "
            "divided by 1000, a model makes the same decisions and passes any limit.",
            code=COVARIANCE_READS_A_PERSON,
            where=f"{fields.where}.criteria",
        )
    if not any(name.bound in (Bound.RATIO, Bound.DIFFERENCE) for name in names):
        raise UsageError(
            "A policy on z tests alone certifies nothing: few people make no difference "
            "significant. Put a bound on a ratio or a difference of rates beside them.",
            code=NO_BOUND_ON_RATES,
            where=f"{fields.where}.criteria",
        )
    _check_missing(policy, f"{fields.where}.missing_answers")
    if fields.is_sound:
        _check_kind(policy, fields.where)
    return policy


def _read(fields: Fields) -> Policy:
    disclosure = fields.choice("disclosure", tuple(Disclosure))
    criteria = fields.objects("criteria", 1, MAX_CRITERIA)
    return Policy(
        kind=fields.choice("kind", tuple(StudyKind)),
        questions=fields.integer("questions", 1, MAX_QUESTIONS),
        criteria=tuple(_read_criterion(row, disclosure) for row in criteria),
        comparison=fields.choice("comparison", tuple(Comparison)),
        minimum_group=fields.integer("minimum_group", MIN_GROUP, MAX_PEOPLE),
        minimum_answers=fields.integer("minimum_answers", 1, MAX_PEOPLE),
        minimum_decided=fields.integer("minimum_decided", MIN_DECIDED, MAX_PEOPLE),
        groups=_read_groups(fields),
        minimum_percent=_read_percent(fields, "minimum_percent"),
        small_groups=fields.choice("small_groups", tuple(SmallGroups)),
        missing_answers=fields.choice("missing_answers", tuple(MissingAnswers)),
        disclosure=disclosure,
    )


def _read_groups(fields: Fields) -> tuple[tuple[str, ...], ...]:
    groups: list[tuple[str, ...]] = []
    for value in fields.items("groups", 1, MAX_GROUPINGS):
        names = value if isinstance(value, list) else []
        texts = [name for name in names if isinstance(name, str)]
        is_known = len(texts) == len(names) and 1 <= len(texts) <= MAX_CROSSED
        if not is_known or len(set(texts)) < len(texts):
            raise UsageError(
                f"{fields.where}.groups must hold lists of 1 to {MAX_CROSSED} attribute names.",
                code=fields.code,
                where=f"{fields.where}.groups",
            )
        groups.append(tuple(texts))
    if len({frozenset(names) for names in groups}) < len(groups):
        raise UsageError(
            f"{fields.where}.groups names the same groups twice.",
            code=fields.code,
            where=f"{fields.where}.groups",
        )
    if None in finest_divisions(groups):
        raise UsageError(
            "Comparisons that have attributes in common, also over others, need one among them "
            "that crosses all of these attributes: else two counts can tell one person's answer.",
            code=GROUPS_CROSSED_IN_PART,
            where=f"{fields.where}.groups",
        )
    return tuple(groups)


def _read_percent(fields: Fields, name: str) -> str:
    text = check_decimal(fields.text(name, maximum=40), f"{fields.where}.{name}", code=fields.code)
    if not 0 <= parse_decimal(text) < MAX_FLOOR_PERCENT:
        raise UsageError(
            f"{fields.where}.{name} must be 0 or more, and below {MAX_FLOOR_PERCENT}.",
            code=fields.code,
            where=f"{fields.where}.{name}",
        )
    return text


def _check_missing(policy: Policy, where: str) -> None:
    """Refuse bounds on missing answers where none are known; ``where`` names the field."""
    if policy.missing_answers == MissingAnswers.LEFT_OUT:
        return
    if policy.small_groups != SmallGroups.UNDETERMINED:
        raise UsageError(
            "Missing answers could lift a group over the floor that is left out here; let a small "
            "group leave the verdict undetermined to bound them.",
            code=NO_WORST_CASE,
            where=where,
        )
    for name in policy.names:
        if name.bound not in (Bound.RATIO, Bound.DIFFERENCE):
            raise UsageError(
                "Missing answers can be bounded for ratios and differences, not for a z test.",
                code=NO_WORST_CASE,
                where=where,
            )
        if not name.bounds_missing_answers(Comparison(policy.comparison)):
            raise UsageError(
                "Missing answers could change which group is the most selected; compare every two "
                "groups to bound them for this rate.",
                code=NO_WORST_CASE,
                where=where,
            )


def _check_kind(policy: Policy, where: str) -> None:
    """Refuse what the policy's kind of study does not open; ``where`` names the policy."""
    opened = _beside_verdict(policy)
    if policy.kind == StudyKind.VERDICT and opened:
        field, what = opened[0]
        raise UsageError(
            "A study of verdicts opens whether a model passes, fails or has no verdict, and "
            f"nothing else; this policy opens {what}. Leave that out, or choose a study of "
            "published numbers.",
            code=KIND_UNFIT,
            where=f"{where}.{field}",
        )
    if policy.kind == StudyKind.PUBLISHED and not opened:
        raise UsageError(
            "A study of published numbers opens more than whether a model passes; this policy "
            "opens nothing else. Choose a study of verdicts.",
            code=KIND_UNFIT,
            where=f"{where}.kind",
        )


def _beside_verdict(policy: Policy) -> list[tuple[str, str]]:
    """Return what a policy opens beside the one verdict: the field that says so, and what."""
    opened = []
    if policy.opens_table:
        opened.append(("disclosure", "counts of every group"))
    elif policy.disclosure == Disclosure.BRACKET:
        opened.append(("disclosure", "between which steps a value lies"))
    if policy.names_small_groups:
        opened.append(("small_groups", "which groups are small"))
    if policy.missing_answers != MissingAnswers.LEFT_OUT:
        opened.append(("missing_answers", "the worst and the best case beside the verdict"))
    several = [n for n, item in enumerate(policy.criteria) if len(item.thresholds) > 1]
    if several:
        opened.append((f"criteria[{several[0]}].thresholds", "which of several limits are kept"))
    return opened


def _read_criterion(fields: Fields, disclosure: str) -> PolicyCriterion:
    name = fields.choice("criterion", tuple(CriterionName))
    bound = CriterionName(name).bound
    needs_ladder = disclosure == Disclosure.BRACKET and bound in (Bound.RATIO, Bound.DIFFERENCE)
    most = len(LADDER) if needs_ladder else MAX_THRESHOLDS
    thresholds = tuple(
        check_decimal(value, f"{fields.where}.thresholds[{position}]", code=fields.code)
        for position, value in enumerate(fields.items("thresholds", 1, most))
    )
    values: list[Fraction] = [parse_decimal(threshold) for threshold in thresholds]
    in_range, words = RANGES[bound]
    if not all(map(in_range, values)) or any(low >= high for low, high in pairwise(values)):
        raise UsageError(
            f"{fields.where}.thresholds must be {words}, and rise.",
            code=fields.code,
            where=f"{fields.where}.thresholds",
        )
    if needs_ladder and thresholds != LADDER:
        raise UsageError(
            "A bracket takes the thresholds 5, 10 and so on up to 100.",
            code=NO_LADDER,
            where=f"{fields.where}.thresholds",
        )
    criterion = PolicyCriterion(name, thresholds, fields.choice("certify_at", thresholds))
    fields.end()
    return criterion
