"""Items are made one ahead, in order; whatever fails on either side ends both, typed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from mpc_engine.errors import ChannelClosedError, EngineError, OTConsistencyError, ResourceError
from mpc_engine.protocols.ahead import THREAD_NAME, MadeAhead
from mpc_engine.testing.channel import memory_channel_pair
from mpc_engine.transport.channel import Channel, StreamChannel

TAG = 0xF001
_WAIT_S = 20.0


@dataclass(frozen=True)
class Lines:
    """One side's lines, which nothing closes together but what is tested here."""

    main: StreamChannel
    line: StreamChannel


def _both_ends() -> tuple[Lines, Lines]:
    main, line = (memory_channel_pair(timeout_s=_WAIT_S) for _ in range(2))
    return Lines(main[0], line[0]), Lines(main[1], line[1])


@pytest.fixture(autouse=True)
def _nothing_is_left_running() -> Iterator[None]:
    yield
    assert not [thread for thread in threading.enumerate() if THREAD_NAME in thread.name]


@pytest.fixture
def own() -> Lines:
    """Return one side's lines; the other side is silent."""
    return _both_ends()[0]


def _ahead(own: Lines, items: Iterator[int]) -> MadeAhead[int]:
    return MadeAhead(items, own.line, own.main)


def _assert_both_ended(own: Lines) -> None:
    for channel in (own.main, own.line):
        with pytest.raises(ChannelClosedError):
            channel.recv(TAG)


class _OneThenWaiting:
    """Makes one item and waits for a message that never comes; notes how the wait ended."""

    def __init__(self, channel: Channel) -> None:
        self.begun = threading.Event()
        self.ends: list[type[EngineError]] = []
        self._channel = channel

    def __iter__(self) -> Iterator[int]:
        yield 0
        self.begun.set()
        try:
            self._channel.recv(TAG)
        except EngineError as error:
            self.ends.append(type(error))
            raise


def test_items_come_in_their_order_and_none_is_made_after_the_last(own: Lines) -> None:
    with _ahead(own, iter(range(5))) as ahead:
        assert [ahead.take() for _ in range(5)] == list(range(5))
    own.main.send(TAG, b"the lines are as they were")
    own.line.send(TAG, b"both")


def test_the_next_item_is_made_while_one_is_used_and_no_further_one(own: Lines) -> None:
    begun = [threading.Event() for _ in range(4)]

    def items() -> Iterator[int]:
        for number, event in enumerate(begun):
            event.set()
            yield number

    with _ahead(own, items()) as ahead:
        for number in range(4):
            assert begun[number].wait(_WAIT_S)
            if number < 3:
                assert not begun[number + 1].wait(0.05)
            assert ahead.take() == number
            if number < 3:
                assert begun[number + 1].wait(_WAIT_S)


def _fails(error: BaseException, after: int = 0) -> Iterator[int]:
    yield from range(after)
    raise error


@pytest.mark.parametrize("after", [0, 1, 3])
def test_a_failure_in_the_thread_is_raised_where_its_item_is_taken(own: Lines, after: int) -> None:
    failing = _ahead(own, _fails(OTConsistencyError("cheated"), after))
    with pytest.raises(OTConsistencyError), failing as ahead:
        assert [ahead.take() for _ in range(after)] == list(range(after))
        ahead.take()
    _assert_both_ended(own)


def test_a_failure_in_the_thread_wakes_a_caller_that_waits_for_its_line(own: Lines) -> None:
    """And is what the caller raises: its own line was closed by nobody else."""
    with pytest.raises(OTConsistencyError), _ahead(own, _fails(OTConsistencyError("cheated"))):
        own.main.recv(TAG)
    _assert_both_ended(own)


def test_a_failure_of_the_caller_wakes_a_thread_that_waits_for_its_line(own: Lines) -> None:
    items = _OneThenWaiting(own.line)
    with pytest.raises(ResourceError), _ahead(own, iter(items)) as ahead:
        ahead.take()
        assert items.begun.wait(_WAIT_S)
        raise ResourceError("cancelled", code="CANCELLED")
    assert items.ends == [ChannelClosedError]
    _assert_both_ended(own)


def test_a_failure_of_the_caller_ends_a_thread_that_waits_for_a_taker(own: Lines) -> None:
    with pytest.raises(ResourceError), _ahead(own, iter(range(9))) as ahead:
        ahead.take()
        raise ResourceError("cancelled", code="CANCELLED")
    _assert_both_ended(own)


def test_the_callers_error_stands_where_the_line_did_not_break_it(own: Lines) -> None:
    failed = threading.Event()

    def items() -> Iterator[int]:
        yield 0
        failed.set()
        raise OTConsistencyError("cheated")

    with pytest.raises(ResourceError), _ahead(own, items()) as ahead:
        ahead.take()
        assert failed.wait(_WAIT_S)
        raise ResourceError("cancelled", code="CANCELLED")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), MemoryError(), RuntimeError("unforeseen")])
def test_what_is_no_engine_error_passes_through_from_either_side(
    own: Lines, error: BaseException
) -> None:
    with pytest.raises(type(error)), _ahead(own, _fails(error)) as ahead:
        ahead.take()
    other = _both_ends()[0]
    with pytest.raises(type(error)), _ahead(other, iter(range(3))):
        raise error
    _assert_both_ended(other)


@pytest.mark.parametrize("which", ["main", "line"])
def test_a_peer_that_closes_either_line_ends_both(which: str) -> None:
    own, peer = _both_ends()
    items = _OneThenWaiting(own.line)
    with pytest.raises(ChannelClosedError), _ahead(own, iter(items)) as ahead:
        ahead.take()
        assert items.begun.wait(_WAIT_S)
        getattr(peer, which).close()
        own.main.recv(TAG)
    assert items.ends == [ChannelClosedError]
    _assert_both_ended(own)


def test_a_cheat_found_after_the_other_line_closed_is_what_the_caller_hears(own: Lines) -> None:
    begun = threading.Event()

    def items() -> Iterator[int]:
        begun.set()
        with pytest.raises(ChannelClosedError):
            own.line.recv(TAG)
        raise OTConsistencyError("The other party's transfers contradict each other.")
        yield 0

    with pytest.raises(OTConsistencyError), _ahead(own, items()):
        assert begun.wait(_WAIT_S)
        raise ChannelClosedError("The other party closed the line.")
