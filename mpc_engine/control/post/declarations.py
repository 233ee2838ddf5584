"""How the kinds of orders and messages are declared: one dataclass each, and its terms beside it.

The classes of `exchanges` are the table of the post. Whoever carries, answers, refuses or repeats
something asks the class; nothing about a kind is kept anywhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, TypeVar

from mpc_engine.control.post.shapes import Plain, Record
from mpc_engine.control.texts.approvals import BOTH_ROLES
from mpc_engine.roles import Role

MODELER_ALONE = (Role.MODELER,)
REGULATOR_ALONE = (Role.REGULATOR,)
T = TypeVar("T")
_STUDY_IDS = ("study_id", "job_id", "challenge_id")


ORDERS: dict[str, type[Order]] = {}
"""Every kind of order by its name; whole once `mpc_engine.control.post.table` is imported."""
MESSAGES: dict[str, type[Content]] = {}
"""Every kind of message by its name; whole once `mpc_engine.control.post.table` is imported."""


def _declare(table: dict[str, T], kind: str, declared: T) -> None:
    if kind in table:
        raise TypeError(f"{kind} is declared twice")
    table[kind] = declared


class Lane(Enum):
    """Which of a party's two queues, there and back, carries something."""

    ORDINARY = "ordinary"
    PEOPLE = "people"
    """What thousands of people send, and what keeps its order with that: holds up no other."""


@dataclass(frozen=True)
class Subject:
    """What an order and its answers are about: the name of a thing, and the fields that tell which.

    An answer belongs to the oldest order about the same.
    """

    thing: str
    names: tuple[str, ...] = ()

    def of(self, record: Order | Content) -> str:
        """Return what a record is about, as text to be compared."""
        return self.text(*(getattr(record, name) for name in self.names))

    def text(self, *values: bytes | int) -> str:
        """Return the same from the values of ``names``."""
        told = (value.hex() if isinstance(value, bytes) else str(value) for value in values)
        return ":".join((self.thing, *told))


class Content(Record):
    """What one kind of message says, beside who says it and when.

    ``kind``: its name on the wire. ``said_by``: the parties that may say it. ``lane``: what carries
    it. ``is_repeatable``: the same again changes nothing, so it needn't be remembered.
    ``is_dated_by_day``: about one person's answer, it tells the day and not when she sat down to
    give it. A class without a kind is what several kinds have in common.
    """

    kind: ClassVar[str] = ""
    said_by: ClassVar[tuple[Role, ...]] = BOTH_ROLES
    lane: ClassVar[Lane] = Lane.ORDINARY
    is_repeatable: ClassVar[bool] = False
    is_dated_by_day: ClassVar[bool] = False

    def __init_subclass__(
        cls,
        *,
        kind: str = "",
        said_by: tuple[Role, ...] = BOTH_ROLES,
        lane: Lane = Lane.ORDINARY,
        is_repeatable: bool = False,
        is_dated_by_day: bool = False,
    ) -> None:
        super().__init_subclass__()
        cls.kind, cls.said_by, cls.lane = kind, said_by, lane
        cls.is_repeatable, cls.is_dated_by_day = is_repeatable, is_dated_by_day
        if kind:
            _declare(MESSAGES, kind, cls)

    @property
    def study_through(self) -> tuple[str, bytes] | None:
        """Return the field that leads to the study this is about, and its id; None without one."""
        for name in _STUDY_IDS:
            if name in self.shapes():
                return name, getattr(self, name)
        return None


@dataclass(frozen=True, kw_only=True)
class Refusal(Content):
    """Why something is not done: a stable code, and a sentence for people.

    Its other fields are those of the order that it refuses.
    """

    code: Plain
    sentence: Plain


@dataclass(frozen=True, kw_only=True)
class OrderRefused(Refusal, kind="order_refused"):
    """An order was refused whose kind has no refusal of its own, or that nobody could read."""

    order: Plain


class Order(Record):
    """What the site asks a party to do.

    ``kind``: its name on the wire. ``to``: the parties that take it. ``lane``: what carries it.
    ``subject``: what it is about; without one it is sent once and no answer is waited for.
    ``answered_by``, ``refused_by``: the messages that end it. ``shown_by``: those that show that it
    is worked on. ``is_kept_when_refused``: nobody but the site has its content any more, to send it
    again.
    """

    kind: ClassVar[str]
    to: ClassVar[tuple[Role, ...]]
    lane: ClassVar[Lane]
    subject: ClassVar[Subject | None]
    answered_by: ClassVar[tuple[type[Content], ...]]
    refused_by: ClassVar[type[Refusal]]
    shown_by: ClassVar[tuple[type[Content], ...]]
    is_kept_when_refused: ClassVar[bool]

    def __init_subclass__(
        cls,
        *,
        kind: str,
        to: tuple[Role, ...] = BOTH_ROLES,
        lane: Lane = Lane.ORDINARY,
        subject: Subject | None = None,
        answered_by: tuple[type[Content], ...] = (),
        refused_by: type[Refusal] = OrderRefused,
        shown_by: tuple[type[Content], ...] = (),
        is_kept_when_refused: bool = False,
    ) -> None:
        super().__init_subclass__()
        cls.kind, cls.to, cls.lane, cls.subject = kind, to, lane, subject
        cls.answered_by, cls.refused_by, cls.shown_by = answered_by, refused_by, shown_by
        cls.is_kept_when_refused = is_kept_when_refused
        _declare(ORDERS, kind, cls)

    @property
    def subject_text(self) -> str:
        """Return what the answer to this order will be about; empty where none is waited for."""
        return "" if self.subject is None else self.subject.of(self)

    @classmethod
    def lane_of(cls, payload: object) -> Lane:
        """Return what carries an order of this kind, whatever its payload holds."""
        return cls.lane

    @classmethod
    def ids_to_refuse(cls, payload: Mapping[str, object]) -> dict[str, object]:
        """Return the fields that its refusal repeats, as a payload holds them, read or not."""
        names = cls.refused_by.shapes().keys() - {"code", "sentence"}
        return {name: payload.get(name) for name in names}
