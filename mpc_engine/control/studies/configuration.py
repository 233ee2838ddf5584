"""The configuration of a study: what is asked, of whom, by which rule it is judged.

Its digest is bound into every envelope, job, model and certificate. "Prefer not to say" is an
entry of every attribute, always last, and is not written down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from mpc_engine.control.policies.compared_groups import GroupName, group_names, groupings_of
from mpc_engine.control.policies.policy import Policy, PolicyCriterion, read_policy
from mpc_engine.control.policies.policy_terms import check_policy, read_question_bits
from mpc_engine.control.policies.study_terms import (
    CODE,
    Attribute,
    Category,
    Feature,
    Label,
    read_attributes,
    read_features,
    read_label,
)
from mpc_engine.control.studies.data_commitment import (
    DataCommitment,
    encoding_digest,
    read_data_commitment,
)
from mpc_engine.control.texts.canonical import (
    JsonObject,
    JsonValue,
    canonical_text,
    digest_text,
    parse_canonical,
)
from mpc_engine.control.texts.fields import Fields
from mpc_engine.crypto.hpke import PUBLIC_KEY_BYTES
from mpc_engine.errors import UsageError
from mpc_engine.ring.decimal_encoding import encode_decimal
from mpc_engine.roles import Role

__all__ = [
    "Attribute",
    "Category",
    "Configuration",
    "Feature",
    "Label",
    "Policy",
    "PolicyCriterion",
    "StudyParty",
    "check_draft",
    "complete_draft",
    "draft_faults",
    "parse_configuration",
]

FORMAT = "bj2 configuration"
DIGEST_LABEL = b"blindjustice/v1/configuration"
MAX_CONFIGURATION_BYTES = 1 << 18
MAX_DAYS = 3660
MAX_TYPED_CHALLENGES = 10_000
ENCODED_BITS = 24
"""Encoded feature values are signed integers of this many bits."""


@dataclass(frozen=True)
class StudyParty:
    """A party as the study knows it: its HPKE key for this study and its Ed25519 signing key."""

    name: str
    key_id: bytes
    hpke_key: bytes
    signing_key: bytes


def party_without_keys(name: str) -> StudyParty:
    """Return a party with zeros where its keys will be."""
    return StudyParty(name, bytes(16), bytes(PUBLIC_KEY_BYTES), bytes(32))


_STAND_INS = (party_without_keys("the modeler"), party_without_keys("the regulator"))


@dataclass(frozen=True)
class Configuration:
    """An immutable study; ``text`` is the exact canonical text that both parties approved.

    ``data_holder``: the regulator where models are certified, the modeler where one is trained.
    ``data_commitment``: to the table that the modeler trains on; None where people give their data
    or the regulator holds them. ``question_bits_limit`` bounds what all answers
    about the study's people may tell, in bits.
    """

    text: str
    study_id: bytes
    title: str
    purpose: str
    retention_days: int
    certificate_days: int
    modeler: StudyParty
    regulator: StudyParty
    features: tuple[Feature, ...]
    x_frac_bits: int
    theta_bits: int
    theta_frac_bits: int
    label: Label
    attributes: tuple[Attribute, ...]
    data_holder: Role
    data_source: str
    inviter: Role
    policy: Policy
    typed_challenge_limit: int
    question_bits_limit: int
    data_commitment: DataCommitment | None

    @cached_property
    def digest(self) -> bytes:
        """Return the 32-byte configuration digest."""
        return digest_text(DIGEST_LABEL, self.text)

    @property
    def category_counts(self) -> tuple[int, ...]:
        """Return the number of entries of each attribute, "prefer not to say" included."""
        return tuple(len(attribute.categories) + 1 for attribute in self.attributes)

    @cached_property
    def groupings(self) -> tuple[tuple[int, ...], ...]:
        """Return for each grouping of the policy the numbers of its attributes."""
        numbers = {attribute.name: index for index, attribute in enumerate(self.attributes)}
        return tuple(
            tuple(numbers[attribute.name] for attribute in grouping)
            for grouping in groupings_of(self.policy, self.attributes)
        )

    @cached_property
    def groups(self) -> tuple[GroupName, ...]:
        """Return every group that the policy compares."""
        return group_names(self.policy, self.attributes)

    @cached_property
    def encoding_digest(self) -> bytes:
        """Return 32 bytes that name how encoded rows are to be read."""
        return encoding_digest(self.features, self.x_frac_bits, self.label)

    @cached_property
    def feature_ranges(self) -> tuple[tuple[int, int], ...]:
        """Return for each feature the least and greatest encoded value, both allowed."""
        return tuple(self.encoded_range(feature) for feature in self.features)

    def encoded_range(self, feature: Feature) -> tuple[int, int]:
        """Return the least and greatest encoded value of one feature."""
        return (
            encode_decimal(feature.minimum, feature.unit, self.x_frac_bits),
            encode_decimal(feature.maximum, feature.unit, self.x_frac_bits),
        )

    def party(self, role: Role) -> StudyParty:
        """Return the party of a role."""
        return self.modeler if role is Role.MODELER else self.regulator


def parse_configuration(text: str) -> Configuration:
    """Return the study of a canonical configuration text.

    Raises UsageError (``CONFIGURATION_INVALID``) naming the first field that is wrong, and
    DecodeError where the text is not canonical JSON.
    """
    value = parse_canonical(text, limit=MAX_CONFIGURATION_BYTES)
    return _read(Fields(value, "configuration", code=CODE), text)


def draft_faults(draft: Mapping[str, JsonValue]) -> list[UsageError]:
    """Return everything that is wrong with a draft, field by field; nothing if it can be proposed.

    A draft is a configuration without ``study_id``, ``modeler`` and ``regulator``; these three may
    be present and are not looked at. What is wrong with the whole is found once every field is
    right, and of the policy the first fault only. DecodeError where the draft is too long.
    """
    found: list[UsageError] = []
    try:
        text = canonical_text(_completed(draft, bytes(16), *_STAND_INS))
        value = parse_canonical(text, limit=MAX_CONFIGURATION_BYTES)
        _read(Fields(value, "configuration", code=CODE, found=found), text)
    except UsageError as error:
        found.append(error)
    return found


def check_draft(draft: Mapping[str, JsonValue]) -> Configuration:
    """Return the configuration that a draft makes, with stand-ins for what it lacks.

    A draft is a configuration without ``study_id``, ``modeler`` and ``regulator``; these three may
    be present and are not looked at. Raises UsageError naming the first fault.
    """
    modeler, regulator = _STAND_INS
    return complete_draft(draft, study_id=bytes(16), modeler=modeler, regulator=regulator)


def complete_draft(
    draft: Mapping[str, JsonValue], *, study_id: bytes, modeler: StudyParty, regulator: StudyParty
) -> Configuration:
    """Return the configuration that a draft becomes once both parties made their keys.

    ``format`` may be left out of the draft. Raises UsageError naming the first fault.
    """
    return parse_configuration(canonical_text(_completed(draft, study_id, modeler, regulator)))


def _completed(
    draft: Mapping[str, JsonValue], study_id: bytes, modeler: StudyParty, regulator: StudyParty
) -> JsonObject:
    return {
        "format": FORMAT,
        **draft,
        "study_id": study_id.hex(),
        "modeler": _party_value(modeler),
        "regulator": _party_value(regulator),
    }


def _read(fields: Fields, text: str) -> Configuration:
    """Read a configuration; where faults are only noted and there is one, it means nothing."""
    fields.choice("format", (FORMAT,))
    x_frac_bits = fields.integer("x_frac_bits", 0, 16)
    theta_bits = fields.integer("theta_bits", 8, 32)
    if theta_bits % 2:
        fields.refuse("theta_bits", "must be an even number", None)
    data_holder = Role(fields.choice("data_holder", [role.value for role in Role]))
    data_source = fields.choice("data_source", ("person", "file"))
    is_committed = data_holder is Role.MODELER and data_source == "file"
    configuration = Configuration(
        text=text,
        study_id=fields.hex("study_id", 16),
        title=fields.text("title", maximum=200),
        purpose=fields.text("purpose", maximum=2000),
        retention_days=fields.integer("retention_days", 1, MAX_DAYS),
        certificate_days=fields.integer("certificate_days", 1, MAX_DAYS),
        modeler=_read_party(fields.inner("modeler")),
        regulator=_read_party(fields.inner("regulator")),
        features=read_features(fields.objects("features", 1, 256)),
        x_frac_bits=x_frac_bits,
        theta_bits=theta_bits,
        theta_frac_bits=fields.integer("theta_frac_bits", 0, theta_bits - 1),
        label=read_label(fields.inner("label")),
        attributes=read_attributes(fields.objects("attributes", 1, 8)),
        data_holder=data_holder,
        data_source=data_source,
        inviter=Role(fields.choice("inviter", [role.value for role in Role])),
        typed_challenge_limit=fields.integer("typed_challenge_limit", 0, MAX_TYPED_CHALLENGES),
        question_bits_limit=read_question_bits(fields),
        data_commitment=(
            read_data_commitment(fields.inner("data_commitment")) if is_committed else None
        ),
        policy=read_policy(fields.inner("policy")),
    )
    fields.end()
    if not fields.is_sound:
        return configuration
    _check_names(configuration, fields)
    _check_encoded_ranges(configuration, fields)
    check_policy(configuration.policy, configuration.attributes, configuration.question_bits_limit)
    return configuration


def _party_value(party: StudyParty) -> JsonObject:
    return {
        "name": party.name,
        "key_id": party.key_id.hex(),
        "hpke_key": party.hpke_key.hex(),
        "signing_key": party.signing_key.hex(),
    }


def _read_party(fields: Fields) -> StudyParty:
    party = StudyParty(
        name=fields.text("name", maximum=200),
        key_id=fields.hex("key_id", 16),
        hpke_key=fields.hex("hpke_key", PUBLIC_KEY_BYTES),
        signing_key=fields.hex("signing_key", 32),
    )
    fields.end()
    return party


def _check_names(configuration: Configuration, fields: Fields) -> None:
    """Refuse a short name that stands for two things."""
    rows = configuration.features
    places = [("label.name", configuration.label.name)]
    places += [(f"attributes[{n}].name", a.name) for n, a in enumerate(configuration.attributes)]
    places += [(f"features[{n}].name", feature.name) for n, feature in enumerate(rows)]
    names = [name for _, name in places]
    columns = {feature.category.column for feature in rows if feature.category is not None}
    for place, name in places:
        if names.count(name) > 1 or name in columns:
            fields.refuse(place, f'is "{name}", and so is another one', None)


def _check_encoded_ranges(configuration: Configuration, fields: Fields) -> None:
    bound = 1 << (ENCODED_BITS - 1)
    for number, feature in enumerate(configuration.features):
        low, high = configuration.encoded_range(feature)
        if low < -bound or high >= bound:
            words = f"is too small: the range does not fit {ENCODED_BITS} bits"
            fields.refuse(f"features[{number}].unit", words, None)
        if low == high:
            words = "is too large: the range lies within one encoding step"
            fields.refuse(f"features[{number}].unit", words, None)
