"""What a run has told in its ``metrics.jsonl``, read while it may still be writing."""

import json
from pathlib import Path
from typing import Any


def run_events(run_dir: Path, kind: str) -> list[dict[str, Any]]:
    """Events of one kind so far, the last line left out while it is being written."""
    file = run_dir / "metrics.jsonl"
    lines = file.read_text().splitlines(keepends=True) if file.exists() else []
    events = [json.loads(line) for line in lines if line.endswith("\n")]
    return [event for event in events if event["event"] == kind]
