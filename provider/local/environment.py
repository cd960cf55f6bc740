"""The environment that servers and coordinators start in."""

from __future__ import annotations

from collections.abc import Mapping

DOWNLOAD_PROXY = "TFCLUSTER_PROXY_FOR_DOWNLOADS"
"""Carries the user's proxy past gRPC, which would dial its peers through it; relied on by ``training``."""

_PROXY_NAMES = ("https_proxy", "http_proxy", "all_proxy", "grpc_proxy")


def process_environment(users: Mapping[str, str]) -> dict[str, str]:
    """Return the user's environment without what must not reach a long-lived server.

    Proxy variables go, because gRPC obeys them even for loopback addresses
    (https://github.com/grpc/grpc/blob/master/doc/environment_variables.md), and the engine's variables,
    because some of them are secrets.
    """
    kept = {
        name: value
        for name, value in users.items()
        if name.lower() not in (*_PROXY_NAMES, "no_proxy")
        and not name.startswith("PULUMI_")
        and name != "GRPC_ENABLE_FORK_SUPPORT"
    }
    by_lower_name = {name.lower(): value for name, value in users.items()}
    proxy = next((by_lower_name[name] for name in _PROXY_NAMES[:3] if by_lower_name.get(name)), "")
    return kept | ({DOWNLOAD_PROXY: proxy} if proxy else {})
