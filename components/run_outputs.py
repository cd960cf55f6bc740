"""What a training run returns, the same on every target."""

RUN_OUTPUTS = (
    "status",
    "testAccuracy",
    "finalLoss",
    "steps",
    "secPerStep",
    "examplesPerSec",
    "workers",
    "recommendedWorkers",
    "speedup",
    "efficiency",
    "bound",
    "runDir",
    "follow",
)
"""Output properties of the provider's resources for runs (`LocalRun`, `KubernetesRun`)."""
