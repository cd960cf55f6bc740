"""TensorBoard's event files, written without TensorFlow, so that writing them starts none of its threads.

A file is a sequence of records of the protocol buffer ``Event``:
https://github.com/tensorflow/tensorboard/blob/master/tensorboard/compat/proto/event.proto
"""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path
from typing import Any

from tensorboard.compat.proto import event_pb2, summary_pb2
from tensorboard.summary.writer.record_writer import RecordWriter

_events: Any = event_pb2  # generated code has no types
_messages: Any = summary_pb2


class EventFile:
    """One event file in a run's folder for TensorBoard.

    Args:
        folder: The folder TensorBoard is pointed at; made when missing.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        name = f"events.out.tfevents.{int(time.time())}.{socket.gethostname()}.{os.getpid()}"
        self._stream = (folder / name).open("ab")
        self._records: Any = RecordWriter(self._stream)
        self._write(file_version="brain.Event:2")

    def scalars(self, step: int, values: dict[str, float]) -> None:
        """Add one point to the curve of each name."""
        points = [{"tag": tag, "simple_value": value} for tag, value in values.items()]
        self._write(step=step, summary=_messages.Summary(value=points))

    def flush(self) -> None:
        """Make what was added visible to readers."""
        self._stream.flush()

    def close(self) -> None:
        """Write out what is left and close the file."""
        self._stream.close()

    def _write(self, **fields: Any) -> None:
        self._records.write(_events.Event(wall_time=time.time(), **fields).SerializeToString())
