"""Making TensorFlow's gRPC server listen on one address only.

TensorFlow binds the wildcard address whatever address its server is given, and runs whatever it is sent.
While the server starts, the entry for ``bind`` in the linkage tables of TensorFlow's libraries leads to a
function of ours that puts the wanted address in place of the wildcard. Linux with a 64-bit little-endian ELF,
x86-64 and aarch64; elsewhere there is a warning. The sockets are looked at afterwards: one that listens wider
is an error.

Layout of the tables: https://refspecs.linuxfoundation.org/elf/gabi4+/ch5.dynamic.html
"""

from __future__ import annotations

import ctypes
import errno
import ipaddress
import mmap
import platform
import sys
import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager

import psutil

from training.linkage import slots_of

_AF_INET, _AF_INET6 = 2, 10
_MACHINES = ("x86_64", "aarch64")
_Bind = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_uint32, use_errno=True)


class ListeningError(RuntimeError):
    """A server listens on an address it must not listen on."""


@contextmanager
def listening_on(address: str) -> Generator[None]:
    """Let what TensorFlow binds to the wildcard address in this block be bound to ``address`` (IPv4) instead.

    Raises:
        ListeningError: On leaving the block, a socket of this process listens on another address.
    """
    if sys.platform != "linux" or platform.machine() not in _MACHINES:
        warnings.warn(
            f"TensorFlow's server can't be kept to {address} on {sys.platform}/{platform.machine()}: "
            "it listens on all of this machine's addresses. Use a firewall",
            stacklevel=3,
        )
        yield
        return
    libc = ctypes.CDLL(None, use_errno=True)
    bind = _Bind(_narrowed(address, libc.bind))
    with _replaced(slots_of("bind", "tensorflow"), ctypes.cast(bind, ctypes.c_void_p).value or 0):
        yield
    wide = [found for found in listening_addresses() if found != address]
    if wide:
        raise ListeningError(
            f"the server listens on {', '.join(sorted(wide))} instead of {address} alone: this TensorFlow "
            "build opens its port in another way. Use the locked TensorFlow version"
        )


def listening_addresses() -> set[str]:
    """Return the addresses on which this process accepts TCP connections, IPv4 ones in dotted form."""
    found: set[str] = set()
    for connection in psutil.Process().net_connections("tcp"):
        if connection.status == psutil.CONN_LISTEN:
            parsed = ipaddress.ip_address(connection.laddr.ip)
            mapped = parsed.ipv4_mapped if isinstance(parsed, ipaddress.IPv6Address) else None
            found.add(str(mapped or parsed))
    return found


def _narrowed(address: str, real_bind: Callable[..., int]) -> Callable[[int, int, int], int]:
    """Return a ``bind`` that puts ``address`` in the place of the IPv4 wildcard and refuses IPv6.

    gRPC looks for IPv6 by binding to its loopback address, and uses IPv4 alone where that fails.
    """
    packed = ipaddress.IPv4Address(address).packed

    def bind(descriptor: int, pointer: int, length: int) -> int:
        content = bytearray(ctypes.string_at(pointer, length))
        family = int.from_bytes(content[:2], sys.byteorder)
        if family == _AF_INET6:
            ctypes.set_errno(errno.EADDRNOTAVAIL)
            return -1
        if family == _AF_INET and not any(content[4:8]):
            content[4:8] = packed
        return real_bind(descriptor, (ctypes.c_char * length).from_buffer(content), length)

    return bind


@contextmanager
def _replaced(slots: list[int], function: int) -> Generator[None]:
    if not slots:
        raise ListeningError(
            "TensorFlow's libraries don't call bind: this build can't be kept to one address"
        )
    originals = [_write(slot, function) for slot in slots]
    try:
        yield
    finally:
        for slot, original in zip(slots, originals, strict=True):
            _write(slot, original)


def _write(slot: int, value: int) -> int:
    """Put ``value`` into a slot, which the loader may have made read-only, and return what was there."""
    page = slot - slot % mmap.PAGESIZE
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mprotect(ctypes.c_void_p(page), mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE) != 0:
        raise ListeningError(f"a linkage table can't be written to (errno {ctypes.get_errno()})")
    entry = ctypes.c_uint64.from_address(slot)
    original, entry.value = entry.value, value
    return original
