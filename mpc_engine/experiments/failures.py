"""What can go wrong in an experiment."""

from __future__ import annotations

from mpc_engine.errors import EngineError, UsageError
from mpc_engine.roles import Role


class InputError(UsageError, ValueError):
    """Data or settings that cannot be used; also a ``ValueError``, as scikit-learn's tools expect.

    ``code`` is that of the :class:`UsageError` it comes from, where there is one.
    """


class NotFittedError(UsageError, ValueError, AttributeError):
    """The model was not fitted yet."""

    default_code = "NOT_FITTED"


class PartyFailedError(EngineError):
    """A party's process ended without a result; ``role`` says which one failed first.

    ``code`` is that of the party's own error, ``PARTY_FAILED`` where it could not tell any.
    """

    default_code = "PARTY_FAILED"

    def __init__(self, role: Role, sentence: str, *, code: str | None = None) -> None:
        super().__init__(f"The {role.value}'s process: {sentence}", code=code)
        self.role = role
