"""The self-test: what a party needs before it works, each point with what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from cryptography import x509
from cryptography.hazmat.primitives.ciphers import Cipher
from cryptography.hazmat.primitives.ciphers.algorithms import AES
from cryptography.hazmat.primitives.ciphers.modes import ECB

from mpc_engine.control.files.descriptor import parse_descriptor
from mpc_engine.error_words import words_of
from mpc_engine.errors import CheckFailedError, ResourceError
from mpc_engine.kernels.aes import encrypt_blocks, expand_key
from mpc_engine.party.worker.own_zone import check_files, check_signing_key
from mpc_engine.party.worker.rehearsal import rehearse
from mpc_engine.party.zone.faults import as_engine_error
from mpc_engine.party.zone.party import Party

_AES_BLOCKS = 64


@dataclass(frozen=True)
class Finding:
    """One point of the self-test; ``sentence`` says what was found, or what is wrong.

    ``next`` is what the code of a fault says is to be done.
    """

    name: str
    passed: bool
    sentence: str
    next: str = ""


def self_test(party: Party) -> list[Finding]:
    """Check files, keys, descriptors, clock, store, kernel, and play a rehearsal; never raises."""
    checks: dict[str, Callable[[Party], str]] = {
        "files": check_files,
        "keys": _check_keys,
        "studies": check_signing_key,
        "own descriptor": _check_own_descriptor,
        "other party": _check_peer,
        "clock": _check_clock,
        "store": _check_store,
        "aes": _check_aes,
        "rehearsal": _check_rehearsal,
    }
    findings = []
    for name, check in checks.items():
        try:
            findings.append(Finding(name, True, check(party)))
        except Exception as error:
            fault = as_engine_error(error)
            words = words_of(fault.code)
            found = f"{fault.sentence} [{fault.code}]"
            findings.append(Finding(name, False, found, words.next if words else ""))
    return findings


def _check_keys(party: Party) -> str:
    party.config.broker_url()
    n_approvers = len(party.keys.approvers())
    return f"signing, storage, TLS and broker secrets are private; {n_approvers} approver keys"


def _check_own_descriptor(party: Party) -> str:
    try:
        published = parse_descriptor(party.config.own_public.read_bytes())
    except OSError:
        raise ResourceError(
            f'{party.config.own_public.name} is missing; run "init".', code="DESCRIPTOR_MISSING"
        ) from None
    if published != party.descriptor():
        raise ResourceError(
            f'{party.config.own_public.name} is out of date; run "init" and hand it over again.',
            code="DESCRIPTOR_OUTDATED",
        )
    return f"{party.config.own_public.name} describes these keys"


def _check_peer(party: Party) -> str:
    peer = party.peer()
    certificate = _certificate(peer.tls_certificate)
    _require_current(certificate, party.now())
    return f'"{peer.name}", certificate until {certificate.not_valid_after_utc:%Y-%m-%d}'


def _check_clock(party: Party) -> str:
    now = party.now()
    _require_current(_certificate(party.keys.tls_certificate), now)
    changed = datetime.fromtimestamp(party.database.path.stat().st_mtime, UTC)
    if changed > now:
        raise ResourceError(
            "The clock is behind the party's last change. Set it; if it was ahead and has just "
            "been set right, wait until it has passed that moment.",
            code="CLOCK_WRONG",
        )
    return f"{now:%Y-%m-%d %H:%M:%S} UTC"


def _check_store(party: Party) -> str:
    plaintext = party.rng.bytes(32)
    sealed = party.cipher.seal("self-test", (b"",), plaintext)
    if party.cipher.open("self-test", (b"",), sealed) != plaintext:
        raise CheckFailedError("What was stored came back different.", code="STORE_ALTERED")
    with party.database.transaction() as connection:
        (answer,) = connection.execute("PRAGMA quick_check").fetchone()
    if answer != "ok":
        raise ResourceError("The store is damaged; restore it from a backup.", code="STORE_DAMAGED")
    return "opens, locks and encrypts"


def _check_aes(party: Party) -> str:
    key = party.rng.bytes(16)
    blocks = party.rng.words(_AES_BLOCKS, 2)
    encryptor = Cipher(AES(key), ECB()).encryptor()
    expected = np.frombuffer(encryptor.update(blocks.tobytes()), dtype="<u8").reshape(-1, 2)
    if not np.array_equal(encrypt_blocks(blocks, expand_key(key)), expected):
        raise CheckFailedError("The AES kernel computes wrong blocks.", code="AES_WRONG")
    return f"{_AES_BLOCKS} random blocks agree with the library"


def _check_rehearsal(party: Party) -> str:
    rehearse(party)
    return "sealing, TLS, closing, certification and verification work on this machine"


def _certificate(pem: str) -> x509.Certificate:
    try:
        return x509.load_pem_x509_certificate(pem.encode("ascii"))
    except ValueError:
        raise ResourceError("A TLS certificate cannot be read.", code="TLS_UNREADABLE") from None


def _require_current(certificate: x509.Certificate, now: datetime) -> None:
    if not certificate.not_valid_before_utc <= now < certificate.not_valid_after_utc:
        raise ResourceError(
            "A TLS certificate is not valid now; compare the clock with its dates.",
            code="TLS_NOT_CURRENT",
        )
