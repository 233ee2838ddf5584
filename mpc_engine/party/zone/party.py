"""One party: its configuration, keys, store and outbox, and whose approvals it believes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from mpc_engine.control.files.descriptor import PartyDescriptor, parse_descriptor
from mpc_engine.control.texts.approvals import TrustedApprovers
from mpc_engine.crypto.rng import Randomness, system_randomness
from mpc_engine.errors import EngineError, ResourceError
from mpc_engine.party.zone.config import PartyConfig
from mpc_engine.party.zone.database import Database
from mpc_engine.party.zone.keystore import Keystore, create_keystore, load_keystore
from mpc_engine.party.zone.outbox import Outbox, Send
from mpc_engine.party.zone.private_files import make_private_directory
from mpc_engine.party.zone.stock_epoch import StockEpoch
from mpc_engine.party.zone.storage_cipher import StorageCipher
from mpc_engine.roles import Role

_DATABASE_NAME = "party.sqlite3"
_KEYS_NAME = "keys"


def utc_now() -> datetime:
    """Return the present moment in UTC."""
    return datetime.now(UTC)


@dataclass(repr=False)
class Party:
    """Everything a party's services work with.

    ``offline_rng`` is the source of a job's second thread; ``stock_epoch`` what all processes of
    this party's worker remember of prepared material.
    """

    config: PartyConfig
    keys: Keystore
    database: Database
    outbox: Outbox
    rng: Randomness
    now: Callable[[], datetime]
    offline_rng: Randomness = field(default_factory=system_randomness)
    stock_epoch: StockEpoch = field(default_factory=StockEpoch)

    def __repr__(self) -> str:
        return f"<Party {self.role.value}>"

    @property
    def role(self) -> Role:
        """Return this party's role."""
        return self.config.role

    @property
    def cipher(self) -> StorageCipher:
        """Return the cipher of this party's store."""
        return self.keys.cipher

    def descriptor(self) -> PartyDescriptor:
        """Return this party's public descriptor as its keys are now."""
        return PartyDescriptor(
            role=self.role,
            name=self.config.name,
            signing_key=self.keys.signing.public_bytes,
            tls_certificate=self.keys.tls_certificate,
            approvers=self.keys.approvers(),
            address=self.config.address,
            question_bits_limit=self.config.question_bits_limit,
            training_bits_limit=self.config.training_bits_limit,
        )

    def peer(self) -> PartyDescriptor:
        """Return the other party's public descriptor, read anew from the operator's file.

        Raises ResourceError (``PEER_UNKNOWN``) if it is missing or names the wrong role.
        """
        descriptor = _read_descriptor(self.config.peer_public)
        if descriptor.role is not self.role.peer:
            raise ResourceError(
                f"{self.config.peer_public.name} does not describe the {self.role.peer.value}.",
                code="PEER_UNKNOWN",
            )
        return descriptor

    def trusted_approvers(self) -> TrustedApprovers:
        """Return the approver keys of both parties: own from the keystore, the peer's published."""
        return {self.role: self.keys.approvers(), self.role.peer: self.peer().approvers}


def create_party(config: PartyConfig, rng: Randomness | None = None) -> None:
    """Make a party's directory, keys and store; whatever exists is kept.

    Raises ResourceError (``KEY_OF_STUDIES_MISSING``) where a key is gone that studies rest on.
    """
    make_private_directory(config.data_dir)
    database = Database(config.data_dir / _DATABASE_NAME)
    database.create()
    with database.reading() as connection:
        (n_studies,) = connection.execute("SELECT COUNT(*) FROM studies").fetchone()
    database.close()
    create_keystore(
        config.data_dir / _KEYS_NAME,
        config.role,
        utc_now(),
        rng or system_randomness(),
        n_studies=n_studies,
    )


def open_party(
    config: PartyConfig,
    send: Send,
    *,
    rng: Randomness | None = None,
    now: Callable[[], datetime] = utc_now,
    stock_epoch: StockEpoch | None = None,
) -> Party:
    """Load a party that was created before; ResourceError names what is missing."""
    randomness = rng or system_randomness()
    keys = load_keystore(config.data_dir / _KEYS_NAME, randomness)
    database = Database(config.data_dir / _DATABASE_NAME)
    outbox = Outbox(config.role, keys.signing, database, send, now, randomness)
    epoch = stock_epoch or StockEpoch()
    return Party(config, keys, database, outbox, randomness, now, stock_epoch=epoch)


def _read_descriptor(path: Path) -> PartyDescriptor:
    try:
        return parse_descriptor(path.read_bytes())
    except OSError:
        raise ResourceError(f"{path.name} cannot be read.", code="PEER_UNKNOWN") from None
    except EngineError as error:
        raise ResourceError(f"{path.name}: {error.sentence}", code="PEER_UNKNOWN") from None
