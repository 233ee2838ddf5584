"""A party's keys, each in a file of mode 600 under a directory of mode 700."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from mpc_engine.control.files.descriptor import approvers_json, read_approvers
from mpc_engine.control.texts.canonical import canonical_text, parse_canonical
from mpc_engine.control.texts.fields import Fields
from mpc_engine.crypto.hpke import HpkePrivateKey
from mpc_engine.crypto.rng import Randomness
from mpc_engine.crypto.signatures import Ed25519SigningKey
from mpc_engine.errors import ResourceError
from mpc_engine.party.zone.private_files import (
    destroy,
    make_private_directory,
    read_private,
    write_private,
)
from mpc_engine.party.zone.storage_cipher import STORAGE_KEY_BYTES, StorageCipher
from mpc_engine.roles import Role
from mpc_engine.transport.certificates import make_self_signed
from mpc_engine.transport.tls import TLSIdentity

_SIGNING_KEY = "signing.key"
_STORAGE_KEY = "storage.key"
_TLS_CERTIFICATE = "tls.crt"
_TLS_KEY = "tls.key"
_APPROVERS = "approvers.json"
_STUDY_KEY_PLACE = "study-key"


@dataclass(repr=False)
class Keystore:
    """The loaded keys; ``directory`` also holds the sealed HPKE keys of studies."""

    directory: Path
    signing: Ed25519SigningKey
    cipher: StorageCipher
    tls_certificate: str

    @property
    def tls_identity(self) -> TLSIdentity:
        """Return where the TLS certificate and its key lie."""
        return TLSIdentity(self.directory / _TLS_CERTIFICATE, self.directory / _TLS_KEY)

    def approvers(self) -> dict[bytes, bytes]:
        """Return the P-256 keys, by key id, whose approvals count as this party's."""
        value = parse_canonical(read_private(self.directory / _APPROVERS))
        fields = Fields(value, "approvers", code="KEYSTORE_DAMAGED")
        approvers = read_approvers(fields.objects("approvers"))
        fields.end()
        return approvers

    def add_approver(self, public_key: bytes) -> None:
        """Trust one more approver key."""
        keys = [*self.approvers().values(), public_key]
        write_private(self.directory / _APPROVERS, _approvers_bytes(keys), replace=True)

    def make_study_key(self, study_id: bytes, rng: Randomness) -> HpkePrivateKey:
        """Draw an HPKE key for a study and store it, sealed under the storage key."""
        key = HpkePrivateKey.generate(rng)
        ids = (study_id, key.key_id)
        sealed = self.cipher.seal(_STUDY_KEY_PLACE, ids, key.private_bytes())
        write_private(self._study_key_path(*ids), sealed)
        return key

    def study_key(self, study_id: bytes, key_id: bytes) -> HpkePrivateKey:
        """Return an HPKE key of a study; ResourceError (``FILE_MISSING``) once it is destroyed."""
        sealed = read_private(self._study_key_path(study_id, key_id))
        return HpkePrivateKey(self.cipher.open(_STUDY_KEY_PLACE, (study_id, key_id), sealed))

    def destroy_study_key(self, study_id: bytes, key_id: bytes) -> None:
        """Destroy an HPKE key of a study; doing it twice is fine."""
        destroy(self._study_key_path(study_id, key_id))

    def _study_key_path(self, study_id: bytes, key_id: bytes) -> Path:
        return self.directory / f"study-{study_id.hex()}-{key_id.hex()}.key"


def create_keystore(
    directory: Path, role: Role, now: datetime, rng: Randomness, *, n_studies: int = 0
) -> None:
    """Make every key that is missing; existing keys are kept.

    ``n_studies``: how many studies the party has. Their configurations name the signing key, and
    what is stored of them opens with the storage key alone: where there are any, neither is made
    anew, but ResourceError (``KEY_OF_STUDIES_MISSING``) raised.
    """
    make_private_directory(directory)
    for name in (_SIGNING_KEY, _STORAGE_KEY):
        if n_studies and not (directory / name).exists():
            raise ResourceError(
                f"{name} is missing, and {n_studies} studies of this party rest on it. Nothing "
                "was made or changed. Put the file back from a backup; with a new key none of "
                "these studies could go on.",
                code="KEY_OF_STUDIES_MISSING",
            )
    if not (directory / _SIGNING_KEY).exists():
        write_private(directory / _SIGNING_KEY, Ed25519SigningKey.generate(rng).private_bytes())
    if not (directory / _STORAGE_KEY).exists():
        write_private(directory / _STORAGE_KEY, rng.bytes(STORAGE_KEY_BYTES))
    if not (directory / _TLS_CERTIFICATE).exists():
        certificate, key = make_self_signed(f"blindjustice {role.value}", now)
        write_private(directory / _TLS_KEY, key, replace=True)
        write_private(directory / _TLS_CERTIFICATE, certificate)
    if not (directory / _APPROVERS).exists():
        write_private(directory / _APPROVERS, _approvers_bytes([]))


def load_keystore(directory: Path, rng: Randomness) -> Keystore:
    """Load the keys; ResourceError (``KEYSTORE_MISSING``) names what is not there."""
    for name in (_SIGNING_KEY, _STORAGE_KEY, _TLS_CERTIFICATE, _TLS_KEY, _APPROVERS):
        if not (directory / name).exists():
            raise ResourceError(
                f'The party has no {name} yet; run its command "init" first.',
                code="KEYSTORE_MISSING",
            )
    read_private(directory / _TLS_KEY)
    return Keystore(
        directory=directory,
        signing=Ed25519SigningKey(read_private(directory / _SIGNING_KEY)),
        cipher=StorageCipher(read_private(directory / _STORAGE_KEY), rng),
        tls_certificate=read_private(directory / _TLS_CERTIFICATE).decode("ascii"),
    )


def _approvers_bytes(keys: list[bytes]) -> bytes:
    return canonical_text({"approvers": approvers_json(keys)}).encode("ascii")
