"""The state of a training between two steps: everything needed to go on from there, with any workers."""

from __future__ import annotations

from dataclasses import dataclass, field

from training.tasks import Array


@dataclass(frozen=True)
class TrainingState:
    """Parameters and what the optimiser remembers after ``step`` steps.

    Attributes:
        step: Steps applied since the initial weights.
        parameters: The task's weights by name, float32.
        slots: What the arrangement keeps beside them (Adam's moments), by name; empty before the first step.
    """

    step: int
    parameters: dict[str, Array]
    slots: dict[str, Array] = field(default_factory=dict[str, Array])
