"""Certificates: the text both parties sign, and the offline check of a file that holds one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from mpc_engine.control.files.descriptor import key_fingerprint
from mpc_engine.control.policies.compared_groups import MAX_GROUPS, GroupReport, read_group_report
from mpc_engine.control.policies.policy import LADDER, MAX_CRITERIA, Policy, read_policy
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.texts.canonical import JsonObject, canonical_text, parse_canonical
from mpc_engine.control.texts.fields import Fields, format_time
from mpc_engine.control.texts.signed_file import read_signed_file, signed_file
from mpc_engine.crypto.digests import key_id
from mpc_engine.crypto.signatures import Ed25519SigningKey, verify_ed25519
from mpc_engine.errors import DecodeError, InvalidCertificateError, InvalidSignatureError
from mpc_engine.params import BASE_OTS, PROTOCOL_VERSION
from mpc_engine.roles import Role
from mpc_engine.vocabulary.criteria import CriterionName
from mpc_engine.vocabulary.policies import MissingAnswers
from mpc_engine.vocabulary.verdicts import Verdict

FORMAT = "bj2 certificate"
FILE_FORMAT = "bj1 certificate file"
CODE = "CERTIFICATE_INVALID"
CERTIFICATE_LABEL = b"blindjustice/v1/certificate"
MAX_CERTIFICATE_BYTES = 1 << 17
MAX_THRESHOLD_ROWS = MAX_CRITERIA * len(LADDER)


@dataclass(frozen=True)
class ThresholdVerdict:
    """The verdict for one threshold of a criterion of the policy.

    ``worst_case`` and ``best_case``: the verdicts wherever the people who prefer not to say belong,
    at worst and at best; empty where the policy does not bound missing answers.
    """

    criterion: str
    threshold: str
    verdict: str
    worst_case: str = ""
    best_case: str = ""

    def to_json(self) -> JsonObject:
        """Return the JSON form used in certificates and messages."""
        row: JsonObject = {
            "criterion": self.criterion,
            "threshold": self.threshold,
            "verdict": self.verdict,
        }
        if self.worst_case:
            row |= {"worst_case": self.worst_case, "best_case": self.best_case}
        return row


@dataclass(frozen=True)
class SecurityModel:
    """Against whom a criterion's verdict holds, with the statistical error, in words."""

    criterion: str
    model: str

    def to_json(self) -> JsonObject:
        """Return the JSON form used in certificates."""
        return {"criterion": self.criterion, "model": self.model}


@dataclass(frozen=True)
class Certificate:
    """A certificate; ``text`` is the exact canonical text that is signed."""

    text: str
    certificate_id: bytes
    study_id: bytes
    configuration: bytes
    record_set: bytes
    n_records: int
    model_id: bytes
    model_signature: bytes
    policy: Policy
    thresholds: tuple[ThresholdVerdict, ...]
    protocol_version: str
    base_ots: str
    code_digest: bytes
    security_models: tuple[SecurityModel, ...]
    valid_from: datetime
    valid_until: datetime
    modeler_key: bytes
    regulator_key: bytes
    groups: tuple[GroupReport, ...] = ()
    """What the policy discloses about each of its groups; empty where it discloses nothing."""


def certificate_text(
    configuration: Configuration,
    *,
    certificate_id: bytes,
    record_set: bytes,
    n_records: int,
    model_id: bytes,
    model_signature: bytes,
    thresholds: Sequence[ThresholdVerdict],
    code_digest: bytes,
    security_models: Sequence[SecurityModel],
    valid_from: datetime,
    valid_until: datetime,
    groups: Sequence[GroupReport] = (),
) -> str:
    """Return the text of a certificate for a model that passed."""
    disclosed: JsonObject = {"groups": [report.to_json() for report in groups]} if groups else {}
    return canonical_text(
        {
            **disclosed,
            "format": FORMAT,
            "certificate_id": certificate_id.hex(),
            "study_id": configuration.study_id.hex(),
            "configuration": configuration.digest.hex(),
            "record_set": record_set.hex(),
            "n_records": n_records,
            "model_id": model_id.hex(),
            "model_signature": model_signature.hex(),
            "policy": configuration.policy.to_json(),
            "verdict": "PASS",
            "thresholds": [row.to_json() for row in thresholds],
            "protocol_version": PROTOCOL_VERSION,
            "base_ots": BASE_OTS,
            "code_digest": code_digest.hex(),
            "security_models": [row.to_json() for row in security_models],
            "valid_from": format_time(valid_from),
            "valid_until": format_time(valid_until),
            "modeler_key": configuration.modeler.signing_key.hex(),
            "regulator_key": configuration.regulator.signing_key.hex(),
        }
    )


def parse_certificate(text: str) -> Certificate:
    """Return a certificate; UsageError (``CERTIFICATE_INVALID``) or DecodeError names the fault."""
    fields = Fields(parse_canonical(text, limit=MAX_CERTIFICATE_BYTES), "certificate", code=CODE)
    fields.choice("format", (FORMAT,))
    fields.choice("verdict", ("PASS",))
    certificate = Certificate(
        text=text,
        certificate_id=fields.hex("certificate_id", 16),
        study_id=fields.hex("study_id", 16),
        configuration=fields.hex("configuration", 32),
        record_set=fields.hex("record_set", 32),
        n_records=fields.integer("n_records", 1),
        model_id=fields.hex("model_id", 16),
        model_signature=fields.hex("model_signature", 32),
        policy=read_policy(fields.inner("policy")),
        thresholds=tuple(
            read_threshold(row) for row in fields.objects("thresholds", 1, MAX_THRESHOLD_ROWS)
        ),
        protocol_version=fields.text("protocol_version", maximum=20),
        base_ots=fields.text("base_ots", maximum=80),
        code_digest=fields.hex("code_digest", 32),
        security_models=tuple(
            _read_security_model(row) for row in fields.objects("security_models", 1, MAX_CRITERIA)
        ),
        valid_from=fields.time("valid_from"),
        valid_until=fields.time("valid_until"),
        modeler_key=fields.hex("modeler_key", 32),
        regulator_key=fields.hex("regulator_key", 32),
        groups=read_group_reports(fields),
    )
    fields.end()
    return certificate


def sign_certificate(text: str, key: Ed25519SigningKey) -> bytes:
    """Return one party's signature of a certificate text."""
    return key.sign(_signed_bytes(text))


def verify_certificate_signature(
    text: str, role: Role, signature: bytes, signing_key: bytes
) -> None:
    """Return if ``signature`` is the party's; InvalidCertificateError names the party otherwise."""
    try:
        verify_ed25519(signing_key, _signed_bytes(text), signature)
    except InvalidSignatureError:
        raise InvalidCertificateError(
            f"The signature of the {role.value} does not fit the text of the certificate.",
            code=f"CERTIFICATE_{role.value.upper()}_SIGNATURE_INVALID",
        ) from None


def certificate_file(text: str, modeler_signature: bytes, regulator_signature: bytes) -> str:
    """Return the file anyone can download and check without an account."""
    return signed_file(
        FILE_FORMAT,
        text,
        {"modeler_signature": modeler_signature, "regulator_signature": regulator_signature},
    )


def check_certificate_file(
    data: bytes,
    signing_keys: Mapping[Role, bytes],
    *,
    at: datetime,
    configuration: Configuration | None = None,
) -> Certificate:
    """Return the certificate of a file if both signatures, keys, dates and policy agree.

    Raises InvalidCertificateError whose sentence names what does not match; as
    `read_certificate_file`.
    """
    certificate, _remarks = read_certificate_file(data, signing_keys)
    require_current(certificate, at, configuration)
    return certificate


def require_current(
    certificate: Certificate, at: datetime, configuration: Configuration | None = None
) -> None:
    """Raise InvalidCertificateError unless a certificate is of the study and valid on the day."""
    if configuration is not None:
        check_against_configuration(certificate, configuration)
    if not certificate.valid_from <= at < certificate.valid_until:
        raise InvalidCertificateError(
            f"The certificate is valid from {format_time(certificate.valid_from)} until "
            f"{format_time(certificate.valid_until)} only.",
            code="CERTIFICATE_NOT_CURRENT",
        )


def read_certificate_file(
    data: bytes, signing_keys: Mapping[Role, bytes]
) -> tuple[Certificate, tuple[str, ...]]:
    """Return the certificate of a file, of whatever date, if both parties signed it.

    Beside it what is wrong with the file around the signed text, a clause each. ``signing_keys``
    are the parties' raw Ed25519 keys or those keys' ids (`crypto.digests.key_id`), from whoever is
    trusted to know them. Raises InvalidCertificateError whose sentence names the party, UsageError
    or DecodeError for no file.
    """
    names = {role: f"{role.value}_signature" for role in Role}
    file = read_signed_file(
        data, FILE_FORMAT, list(names.values()), code=CODE, limit=MAX_CERTIFICATE_BYTES
    )
    certificate = parse_certificate(file.text)
    stated = {Role.MODELER: certificate.modeler_key, Role.REGULATOR: certificate.regulator_key}
    for role in Role:
        if signing_keys[role] not in (stated[role], key_id(stated[role])):
            raise InvalidCertificateError(
                f"The key of the {role.value} in the certificate is not the one it was checked "
                f"against: it names one with the fingerprint {key_fingerprint(stated[role])}.",
                code=f"CERTIFICATE_{role.value.upper()}_KEY_DIFFERENT",
            )
        verify_certificate_signature(file.text, role, file.signatures[names[role]], stated[role])
    return certificate, file.remarks


def check_against_configuration(certificate: Certificate, configuration: Configuration) -> None:
    """Raise InvalidCertificateError naming the first field that differs from the configuration."""
    expected: dict[str, tuple[object, object]] = {
        "study_id": (certificate.study_id, configuration.study_id),
        "configuration": (certificate.configuration, configuration.digest),
        "policy": (certificate.policy, configuration.policy),
        "modeler_key": (certificate.modeler_key, configuration.modeler.signing_key),
        "regulator_key": (certificate.regulator_key, configuration.regulator.signing_key),
        "protocol_version": (certificate.protocol_version, PROTOCOL_VERSION),
        "base_ots": (certificate.base_ots, BASE_OTS),
        "thresholds": (
            tuple((row.criterion, row.threshold) for row in certificate.thresholds),
            configuration.policy.limits,
        ),
        "groups": (
            [(row.group, row.left_out is None, len(row.counts)) for row in certificate.groups],
            _disclosed_groups(configuration),
        ),
        "verdict": (_certified(certificate.policy, certificate.thresholds), True),
        "security_models": (
            [row.criterion for row in certificate.security_models],
            [item.criterion for item in configuration.policy.criteria],
        ),
    }
    for name, (found, wanted) in expected.items():
        if found != wanted:
            raise InvalidCertificateError(
                f'The field "{name}" of the certificate does not match the study.', code=CODE
            )


def read_group_reports(fields: Fields) -> tuple[GroupReport, ...]:
    """Return the groups' reports of an object that has them; none where the field is absent."""
    if not fields.has("groups"):
        return ()
    return tuple(read_group_report(row) for row in fields.objects("groups", 1, MAX_GROUPS))


def read_threshold(fields: Fields) -> ThresholdVerdict:
    """Read the verdict for one threshold; UsageError names the first fault."""
    has_bounds = fields.has("worst_case")
    row = ThresholdVerdict(
        fields.choice("criterion", tuple(CriterionName)),
        fields.text("threshold", maximum=40),
        fields.choice("verdict", tuple(Verdict)),
        fields.choice("worst_case", tuple(Verdict)) if has_bounds else "",
        fields.choice("best_case", tuple(Verdict)) if has_bounds else "",
    )
    fields.end()
    return row


def _disclosed_groups(configuration: Configuration) -> list[tuple[object, bool, int]]:
    """Return the groups told of, whether their floors are not told, and how many counts are."""
    policy = configuration.policy
    if not (policy.names_small_groups or policy.opens_table):
        return []
    n_counts = len(policy.counts) if policy.opens_table else 0
    return [(group, not policy.names_small_groups, n_counts) for group in configuration.groups]


def _certified(policy: Policy, rows: Sequence[ThresholdVerdict]) -> bool:
    """Return whether the verdicts are those of a model that the policy certifies."""
    bounds = policy.missing_answers != MissingAnswers.LEFT_OUT
    if any(bool(row.worst_case) != bounds for row in rows):
        return False
    found = {
        (row.criterion, row.threshold): (
            row.worst_case
            if policy.missing_answers == MissingAnswers.WORST_CASE_CERTIFIES
            else row.verdict
        )
        for row in rows
    }
    return all(
        found.get((item.criterion, item.certify_at)) == Verdict.PASS for item in policy.criteria
    )


def _signed_bytes(text: str) -> bytes:
    try:
        return CERTIFICATE_LABEL + b"\0" + text.encode("utf-8")
    except UnicodeEncodeError:
        raise DecodeError("The certificate text is not valid Unicode.") from None


def _read_security_model(fields: Fields) -> SecurityModel:
    row = SecurityModel(
        fields.choice("criterion", tuple(CriterionName)),
        fields.text("model", maximum=200),
    )
    fields.end()
    return row
