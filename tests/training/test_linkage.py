import ctypes
import sys

import pytest

from training.linkage import slots_of

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads ELF")


def test_tensorflows_libraries_import_bind() -> None:
    slots = slots_of("bind", "tensorflow")
    assert slots
    assert all(ctypes.c_uint64.from_address(slot).value for slot in slots)


def test_a_function_or_library_that_is_not_there_has_no_slot() -> None:
    assert slots_of("no_such_function", "tensorflow") == []
    assert slots_of("bind", "no_such_library") == []
