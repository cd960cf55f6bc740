"""What the component tests of this target share: places of pods, and a view of all that was declared."""

from typing import Any

from components.kubernetes.pod import Place
from tests.components.mocks import Recorder

SMALL = Place(cpu_millicores=100, memory_mib=256, node_selector={"pool": "a"})


def other_place() -> Place:
    """A place that differs in everything."""
    toleration = {"key": "only", "operator": "Exists", "effect": "NoSchedule"}
    return Place(cpu_millicores=200, memory_mib=512, node_selector={"pool": "b"}, tolerations=[toleration])


def everything(made: Recorder) -> list[tuple[str, str, dict[str, Any]]]:
    """Type, name and inputs of every resource, in order of type and name."""
    found = [(resource.typ, resource.name, resource.inputs) for resource in made.resources]
    return sorted(found, key=lambda resource: resource[:2])
