"""Finding where a loaded library keeps the addresses of the functions it imports.

Reads the dynamic sections of the libraries in this process, as the loader left them; writes nothing. 64-bit
ELF with explicit addends (``Elf64_Rela``), which x86-64 and aarch64 use.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
import numpy.typing as npt

_PT_DYNAMIC = 2
_DT_PLTRELSZ, _DT_STRTAB, _DT_SYMTAB, _DT_RELA, _DT_RELASZ, _DT_STRSZ, _DT_JMPREL = 2, 5, 6, 7, 8, 10, 23
_RELA = np.dtype([("offset", "<u8"), ("info", "<u8"), ("addend", "<i8")])
_SYMBOL = np.dtype([("name", "<u4"), ("rest", "V20")])


class _ProgramHeader(ctypes.Structure):
    _fields_ = [
        ("type", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        *(
            (name, ctypes.c_uint64)
            for name in ("offset", "address", "physical", "file_size", "size", "align")
        ),
    ]


class _LoadedObject(ctypes.Structure):
    _fields_ = [
        ("base", ctypes.c_uint64),
        ("name", ctypes.c_char_p),
        ("headers", ctypes.POINTER(_ProgramHeader)),
        ("header_count", ctypes.c_uint16),
    ]


def slots_of(function: str, library: str) -> list[int]:
    """Return the addresses of the table entries for an imported function.

    Args:
        function: Name of the imported function.
        library: Part of the file names of the libraries to look at.
    """
    return [slot for base, dynamic in _dynamic_sections(library) for slot in _slots(base, dynamic, function)]


def _dynamic_sections(library: str) -> list[tuple[int, dict[int, int]]]:
    found: list[tuple[int, dict[int, int]]] = []

    @ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_LoadedObject), ctypes.c_size_t, ctypes.c_void_p)
    def visit(pointer: Any, _size: int, _data: int) -> int:
        loaded = pointer.contents
        if library.encode() in (loaded.name or b"").rsplit(b"/", 1)[-1]:
            for header in loaded.headers[: loaded.header_count]:
                if header.type == _PT_DYNAMIC:
                    entries = _array(loaded.base + header.address, header.size, np.dtype("<u8")).reshape(
                        -1, 2
                    )
                    found.append((loaded.base, {int(tag): int(value) for tag, value in entries}))
        return 0

    ctypes.CDLL(None).dl_iterate_phdr(visit, None)
    return found


def _slots(base: int, dynamic: dict[int, int], function: str) -> list[int]:
    def at(tag: int) -> int:
        # glibc has already added the base to addresses in this table, musl has not
        return dynamic[tag] if dynamic[tag] >= base else base + dynamic[tag]

    strings = _array(at(_DT_STRTAB), dynamic[_DT_STRSZ], np.dtype("u1"))
    wanted = np.frombuffer(function.encode() + b"\0", "u1")
    found: list[int] = []
    for table, size in ((_DT_JMPREL, _DT_PLTRELSZ), (_DT_RELA, _DT_RELASZ)):
        if not dynamic.get(size):
            continue
        relocations = _array(at(table), dynamic[size], _RELA)
        symbols = (relocations["info"] >> 32).astype(np.int64)
        names = _array(at(_DT_SYMTAB), (int(symbols.max()) + 1) * _SYMBOL.itemsize, _SYMBOL)["name"][
            symbols
        ].astype(np.int64)
        is_wanted = (symbols > 0) & (names + len(wanted) <= len(strings))
        for place, byte in enumerate(wanted):
            is_wanted[is_wanted] = strings[names[is_wanted] + place] == byte
        found += [base + int(offset) for offset in relocations["offset"][is_wanted]]
    return found


def _array(address: int, size: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    return np.frombuffer(memoryview((ctypes.c_char * size).from_address(address)), dtype)
