"""A party's configuration file: TOML, every key known, secrets only by the name of their file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from mpc_engine.control.files.descriptor import MAX_BITS_LIMIT
from mpc_engine.control.policies.policy_terms import MAX_QUESTION_BITS
from mpc_engine.control.texts.names import text_fault
from mpc_engine.errors import ResourceError, UsageError
from mpc_engine.party.zone.private_files import read_private
from mpc_engine.roles import Role
from mpc_engine.transport.address import HostPort, read_address

CODE = "PARTY_CONFIG_INVALID"
MAX_WORKERS = 8
"""Processes among which a party divides one certification at most."""
_TEXTS = ("role", "name", "data_dir", "broker_url_file", "address", "own_public", "peer_public")
_NUMBERS = {
    "connect_limit_s": (120, 1, 86_400),
    "receive_limit_s": (120, 1, 86_400),
    "job_limit_s": (7200, 1, 86_400),
    "max_attempts": (5, 1, 1000),
    "slots": (2, 1, 16),
    "certification_workers": (1, 1, MAX_WORKERS),
    "question_bits_limit": (MAX_QUESTION_BITS, 1, MAX_BITS_LIMIT),
    "training_bits_limit": (MAX_QUESTION_BITS, 1, MAX_BITS_LIMIT),
    "stock_items": (4, 0, 32),
    "stock_megabytes": (256, 1, 1_000_000),
}
"""Optional numbers: default, least, greatest."""


@dataclass(frozen=True)
class PartyConfig:
    """Where a party keeps what, whom it talks to, and its limits.

    ``address`` is where the regulator listens and the modeler connects. ``connect_limit_s`` bounds
    the wait for the other party to appear, ``receive_limit_s`` each wait for a message,
    ``job_limit_s`` what a job may ask for. ``slots`` is how many orders are worked on at once.
    ``certification_workers``: processes among which a certification divides the people, the smaller
    number of both parties. ``question_bits_limit`` bounds, in bits, what all answers about one
    study's people may tell; a study that names more is refused, one that names less keeps to that.
    ``training_bits_limit`` takes its place in studies that train a model (the modeler holds the
    data). Both are as high as a study's own limit can be, unless set. ``stock_items``: how many
    verifications are prepared for each valid certificate while nothing runs, 0 for none;
    ``stock_megabytes``: above this much stored material none is added.
    """

    role: Role
    name: str
    data_dir: Path
    broker_url_file: Path
    host: str
    port: int
    own_public: Path
    peer_public: Path
    connect_limit_s: int
    receive_limit_s: int
    job_limit_s: int
    max_attempts: int
    slots: int
    certification_workers: int
    question_bits_limit: int
    training_bits_limit: int
    stock_items: int
    stock_megabytes: int

    @property
    def address(self) -> str:
        """Return host and port as they are written."""
        return str(HostPort(self.host, self.port))

    def broker_url(self) -> str:
        """Return the broker's address with its password, read from its private file."""
        return read_private(self.broker_url_file).decode("utf-8").strip()


def load_config(path: Path) -> PartyConfig:
    """Return the configuration of a file; paths in it are relative to the file's directory.

    Raises UsageError (``PARTY_CONFIG_INVALID``) naming the key, ResourceError if unreadable.
    """
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except OSError:
        raise ResourceError(f"{path} cannot be read.", code="FILE_MISSING") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path.name} is not TOML: {error}", code=CODE) from None
    for key in values:
        if key not in _TEXTS and key not in _NUMBERS:
            raise UsageError(f'{path.name} has an unknown key "{key}".', code=CODE)
    texts = {key: _text(values, key, path) for key in _TEXTS}
    numbers = {key: _number(values, key, path) for key in _NUMBERS}
    if texts["role"] not in [role.value for role in Role]:
        raise UsageError(f'{path.name}: "role" must be modeler or regulator.', code=CODE)
    try:
        address = read_address(texts["address"])
    except UsageError as error:
        raise UsageError(f'{path.name}: "address": {error.sentence}', code=CODE) from None
    base = path.resolve().parent
    return PartyConfig(
        role=Role(texts["role"]),
        name=texts["name"],
        data_dir=base / texts["data_dir"],
        broker_url_file=base / texts["broker_url_file"],
        host=address.host,
        port=address.port,
        own_public=base / texts["own_public"],
        peer_public=base / texts["peer_public"],
        **numbers,
    )


def _text(values: dict[str, object], key: str, path: Path) -> str:
    value = values.get(key)
    if not isinstance(value, str) or not value.strip():
        raise UsageError(f'{path.name}: "{key}" is missing or is not text.', code=CODE)
    fault = text_fault(value)
    if fault:
        raise UsageError(f'{path.name}: "{key}" {fault}.', code=CODE)
    return value


def _number(values: dict[str, object], key: str, path: Path) -> int:
    default, least, greatest = _NUMBERS[key]
    value = values.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= greatest:
        raise UsageError(
            f'{path.name}: "{key}" must be a whole number from {least} to {greatest}.', code=CODE
        )
    return value
