"""Trainings that break at a checkpoint, and how they go on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.errors import ChannelClosedError
from mpc_engine.party.jobs.attempts import abandon_attempts
from mpc_engine.party.jobs.protocol_table import PRODUCTION, ProtocolTable
from mpc_engine.party.zone.party import Party
from mpc_engine.protocols.training.checkpoint import (
    Checkpointing,
    TrainingState,
)
from mpc_engine.protocols.training.spec import TrainingSpec
from mpc_engine.roles import Role
from tests.engine.party.stories import train
from tests.engine.party.trained import (
    BITS,
    N_PEOPLE,
    last_question,
    stored_theta,
    theta_by_the_oracle,
)
from tests.engine.party.world import M, R, World

N_STEPS = 40
EPOCHS = [-(-N_PEOPLE * number // 8) for number in range(1, 27)] + [N_STEPS]
"""Steps at whose ends checkpoints are kept: 12 people, 8 a batch."""


@dataclass
class BreakingTable:
    """The real protocols, each breaking off at a checkpoint, before or after it is kept."""

    breaks: dict[Role, int] = field(default_factory=dict)
    is_kept: bool = True
    breaks_opened: frozenset[Role] = frozenset()
    """Where the run breaks once it is noted that the model is opened next."""
    ended: dict[Role, Party] = field(default_factory=dict)
    """Where the attempt is ended by another process just before that."""
    states: dict[Role, list[TrainingState]] = field(
        default_factory=lambda: {role: [] for role in Role}
    )
    started_at: dict[Role, int] = field(default_factory=dict)

    def _within(self, role: Role, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        *others, checkpoints = arguments

        def start(spec: TrainingSpec) -> TrainingState | None:
            found: TrainingState | None = checkpoints.start(spec)
            self.started_at[role] = 0 if found is None else found.step
            return found

        def keep_or_break(spec: TrainingSpec, state: TrainingState) -> None:
            self.states[role].append(state)
            breaks = self.breaks.get(role) == state.step
            if self.is_kept or not breaks:
                checkpoints.keep(spec, state)
            if breaks:
                raise ChannelClosedError("cut")

        def open_or_break(spec: TrainingSpec) -> None:
            if role in self.ended:
                abandon_attempts(self.ended[role])
            checkpoints.opening(spec)
            if role in self.breaks_opened:
                raise ChannelClosedError("cut")

        return (*others, Checkpointing(start, keep_or_break, open_or_break))

    def made(self) -> ProtocolTable:
        """Return the table."""
        return replace(
            PRODUCTION,
            train_as_modeler=lambda *given: PRODUCTION.train_as_modeler(*self._within(M, given)),
            train_as_regulator=lambda *given: PRODUCTION.train_as_regulator(
                *self._within(R, given)
            ),
        )


def go_on(
    world: World, study: Configuration, record_set: bytes, expected: int, spent: int = 1
) -> None:
    """Retry; the run starts at the step expected, and ends as an undisturbed one would."""
    table = BreakingTable()
    reports = train(world, study, record_set, table.made(), attempt=1)
    assert [report.kind for report in reports.values()] == ["job_result"] * 2
    assert table.started_at == {M: expected, R: expected}
    assert stored_theta(world, study) == theta_by_the_oracle(study)
    for role in Role:
        assert world.n_rows(role, "checkpoints") == 0
        question = last_question(world, role)
        assert question["outcome"] == "MODEL_OPENED"
        assert question["spent"] == 1000 * BITS * spent
        assert question["millibits"] == 1000 * BITS * (spent - 1)
