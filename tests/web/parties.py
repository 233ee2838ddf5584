"""Two stand-in parties with real keys: they sign what the real ones would, and compute nothing."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from blindjustice_web.conduct.inbox import receive_message
from mpc_engine.control.files.certificate import (
    SecurityModel,
    ThresholdVerdict,
    certificate_text,
    sign_certificate,
)
from mpc_engine.control.files.decision_record import DecisionRecord, sign_decision_record
from mpc_engine.control.files.descriptor import PartyDescriptor
from mpc_engine.control.policies.compared_groups import GroupReport
from mpc_engine.control.post.line_report import Found, LineReport, Point, Versions
from mpc_engine.control.post.messages import message_body, read_content, sign_message
from mpc_engine.control.post.run_stages import StageCost
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.texts.approvals import sign_approval
from mpc_engine.control.texts.fields import format_time
from mpc_engine.crypto.signatures import Ed25519SigningKey, P256SigningKey
from mpc_engine.roles import Role
from mpc_engine.testing.randomness import SeededRandomness

HERE = Versions("bj1", "ab" * 32)
METRICS: dict[str, Any] = {
    "elapsed_ms": 7200,
    "bytes_sent": 3_350_000,
    "bytes_received": 41_200_000,
    "rounds": 3,
    "and_gates": 400,
    "ots": 50,
    "stages": [
        StageCost("set-up", 350, 50_000, 200_000).to_json(),
        StageCost("oblivious transfer", 1450, 2_900_000, 1_000_000).to_json(),
        StageCost("sums over people", 4700, 400_000, 31_000_000).to_json(),
        StageCost("verdict and signature", 700, 0, 9_000_000).to_json(),
    ],
}


def line_report(failed: Point | None = None, reason: str = "", **changes: Any) -> dict[str, Any]:
    """Return a party's account of a meeting: all in order, or one point not."""
    found = dict.fromkeys(Point, Found.OK)
    if failed is not None:
        found[failed] = Found.FAILED
    tested = changes.pop("self_test_at", datetime.now(UTC))
    values: dict[str, Any] = {"own": HERE, "peer": HERE, "clock_ms": 0, **changes}
    return dict(LineReport(found=found, reason=reason, self_test_at=tested, **values).to_json())


def asked_now() -> str:
    """Return when a meeting is asked for, by the site's clock."""
    return format_time(datetime.now(UTC))


@dataclass
class Party:
    """One party: signing key, approver key, and a voice."""

    role: Role
    rng: SeededRandomness
    signing_key: Ed25519SigningKey = field(init=False)
    approver: P256SigningKey = field(init=False)
    clock_ahead: timedelta = timedelta(0)
    question_bits_limit: int = 10_000
    training_bits_limit: int = 10_000

    def __post_init__(self) -> None:
        self.signing_key = Ed25519SigningKey.generate(self.rng)
        self.approver = P256SigningKey.generate(self.rng)

    def descriptor(self) -> PartyDescriptor:
        """Return what the party publishes."""
        return PartyDescriptor(
            role=self.role,
            name=f"Party of the {self.role.value}",
            signing_key=self.signing_key.public_bytes,
            tls_certificate="-----BEGIN CERTIFICATE-----\n",
            approvers={self.approver.key_id: self.approver.public_bytes},
            address="127.0.0.1:7000",
            question_bits_limit=self.question_bits_limit,
            training_bits_limit=self.training_bits_limit,
        )

    def publish(self, folder: Path) -> None:
        """Write the descriptor where the site reads it."""
        path = folder / f"{self.role.value}.json"
        path.write_text(self.descriptor().to_text(), encoding="utf-8")

    def signs(self, kind: str, **values: Any) -> tuple[str, str]:
        """Return body and signature of a message, dated by the party's clock."""
        body = message_body(
            self.role,
            read_content(kind, values),
            message_id=secrets.token_bytes(16),
            sent_at=datetime.now(UTC) + self.clock_ahead,
        )
        return body, sign_message(body, self.signing_key).hex()

    def says(self, kind: str, **values: Any) -> bool:
        """Sign a message and let the site receive it; tell whether the site acted on it."""
        return receive_message(*self.signs(kind, **values))

    def approves(self, kind: str, text: str) -> dict[str, str]:
        """Return the approver's signature as the API takes it."""
        approval = sign_approval(kind, text, self.role, self.approver)
        return {
            "key_id": approval.key_id.hex(),
            "signature": base64.b64encode(approval.signature).decode(),
        }


@dataclass
class Pair:
    """Both parties."""

    modeler: Party
    regulator: Party

    def __iter__(self) -> Any:
        return iter((self.modeler, self.regulator))

    def both_say(self, kind: str, **values: Any) -> None:
        """Let both send the same message."""
        for party in self:
            assert party.says(kind, **values)

    def certificate(
        self,
        configuration: Configuration,
        *,
        model_id: str,
        record_set: str,
        n_records: int,
        verdicts: list[str],
        days: int = 365,
        starts_in_days: int = 0,
        groups: Sequence[GroupReport] = (),
    ) -> dict[str, str]:
        """Return the members of a PASS outcome: text and both signatures."""
        start = datetime.now(UTC) + timedelta(days=starts_in_days)
        text = certificate_text(
            configuration,
            certificate_id=hashlib.sha256(model_id.encode()).digest()[:16],
            record_set=bytes.fromhex(record_set),
            n_records=n_records,
            model_id=bytes.fromhex(model_id),
            model_signature=hashlib.sha256(b"model").digest(),
            thresholds=[
                ThresholdVerdict(criterion, threshold, verdict)
                for (criterion, threshold), verdict in zip(
                    configuration.policy.limits, verdicts, strict=True
                )
            ],
            code_digest=hashlib.sha256(b"code").digest(),
            security_models=[
                SecurityModel(item.criterion, f"tested {item.criterion}")
                for item in configuration.policy.criteria
            ],
            valid_from=start,
            valid_until=start + timedelta(days=days),
            groups=groups,
        )
        return {
            "certificate": text,
            "modeler_signature": sign_certificate(text, self.modeler.signing_key).hex(),
            "regulator_signature": sign_certificate(text, self.regulator.signing_key).hex(),
        }

    def decision_record(
        self, configuration: Configuration, certificate_id: str, *, x: list[int], decision: int
    ) -> DecisionRecord:
        """Return the modeler's signed record of a decision."""
        return sign_decision_record(
            certificate_id=bytes.fromhex(certificate_id),
            configuration=configuration.digest,
            case_id="case-7",
            decision=decision,
            x=x,
            issued_at=datetime.now(UTC),
            key=self.modeler.signing_key,
        )


def make_pair(folder: Path) -> Pair:
    """Return two parties that published their descriptors."""
    pair = Pair(
        Party(Role.MODELER, SeededRandomness(1)), Party(Role.REGULATOR, SeededRandomness(2))
    )
    for party in pair:
        party.publish(folder)
    return pair
