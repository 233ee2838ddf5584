"""A party's message as it crossed the wire: read back, and asked by its JSON names."""

from __future__ import annotations

from dataclasses import dataclass

from mpc_engine.control.post.declarations import Content
from mpc_engine.control.post.messages import Message
from mpc_engine.control.texts.canonical import JsonObject
from mpc_engine.roles import Role


@dataclass(frozen=True)
class Heard:
    """A verified message, and the fields of its kind as JSON."""

    message: Message[Content]

    @property
    def body(self) -> str:
        """The exact text that was signed."""
        return self.message.body

    @property
    def signature(self) -> bytes:
        """The party's signature of it."""
        return self.message.signature

    @property
    def role(self) -> Role:
        """The party that said it."""
        return self.message.role

    @property
    def kind(self) -> str:
        """The name of its kind."""
        return self.message.kind

    @property
    def message_id(self) -> str:
        """The number that its party gave it."""
        return self.message.message_id

    @property
    def values(self) -> JsonObject:
        """The fields of its kind."""
        return self.message.content.write()

    def text(self, name: str) -> str:
        """Return a field that is text."""
        value = self.values[name]
        assert isinstance(value, str)
        return value

    def integer(self, name: str) -> int:
        """Return a field that is a number."""
        value = self.values[name]
        assert isinstance(value, int)
        return value

    def object(self, name: str) -> JsonObject:
        """Return a field that is an object."""
        value = self.values[name]
        assert isinstance(value, dict)
        return value
