"""What is wrong with a workload, in a sentence, and how long it may be so before it counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

SettingNames = Mapping[str, Mapping[str, str]]
"""Setting that governs a matter, by role and matter: ``{"worker": {"memory": "workerMemoryMib"}}``."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """One fault.

    Attributes:
        subject: The pod, claim or workload that has it.
        kind: The fault's kind; with the subject it is what tells two findings apart.
        sentence: What is wrong, without the subject, and what to do about it.
        patience_s: How long it may last before waiting on is pointless: some faults pass by themselves.
    """

    subject: str
    kind: str
    sentence: str
    patience_s: float


def setting_for(names: SettingNames, role: str, matter: str) -> str:
    """Name of the setting that governs a matter of a role's pods, or words for the matter itself."""
    return names.get(role, {}).get(matter, f"the {matter} of {role}")


def as_lines(findings: Iterable[Finding]) -> str:
    """One line for each fault; subjects with the same fault share a line."""
    subjects: dict[str, list[str]] = {}
    for finding in findings:
        subjects.setdefault(finding.sentence, []).append(finding.subject)
    return "\n".join(f"  - {_listed(found)} {sentence}" for sentence, found in subjects.items())


def _listed(names: list[str], shown: int = 3) -> str:
    if len(names) == 1:
        return names[0]
    more = f" and {len(names) - shown} more" if len(names) > shown else ""
    return f"each of {', '.join(names[:shown])}{more}"
