"""Which provider plug-ins a stack needs, and whether they are here already.

The engine downloads a missing one in the middle of the first `up`, where a proxy, a rate limit or no network
ends it. Versions are those of the installed Python packages, which the engine asks for.
"""

import json
import os
import shutil
from collections.abc import Mapping
from importlib.metadata import files
from pathlib import Path

_PACKAGES = {"gcp": "pulumi-gcp", "kubernetes": "pulumi-kubernetes", "docker-build": "pulumi-docker-build"}


def needed_plugins(target: str, image_builder: str) -> list[str]:
    """Names of the plug-ins of a stack."""
    needed = {"local": list[str](), "kubernetes": ["kubernetes"], "gke": ["gcp", "kubernetes"]}[target]
    return [*needed, "docker-build"] if target == "gke" and image_builder == "docker" else needed


def plugin_version(name: str) -> str:
    """Version of a plug-in that its Python package asks for."""
    for file in files(_PACKAGES[name]) or ():
        if file.name == "pulumi-plugin.json":
            return str(json.loads(file.read_text())["version"])
    raise LookupError(f"{_PACKAGES[name]} names no plug-in")


def is_plugin_here(name: str, version: str, environment: Mapping[str, str]) -> bool:
    """Whether the engine will find a plug-in without downloading it."""
    if shutil.which(f"pulumi-resource-{name}", path=environment.get("PATH")):
        return True
    home = Path(environment.get("PULUMI_HOME") or Path.home() / ".pulumi")
    return (home / "plugins" / f"resource-{name}-v{version}").is_dir()


def plugin_sentence(name: str, environment: Mapping[str, str] = os.environ) -> tuple[str, bool]:
    """What to say of a plug-in, and whether it keeps `up` from working."""
    version = plugin_version(name)
    if is_plugin_here(name, version, environment):
        return f"{name} {version} is here", False
    command = f"pulumi plugin install resource {name} v{version}"
    if environment.get("PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION", "").lower() in ("1", "true"):
        return f"{name} {version} is missing, and downloads are switched off. Run `{command}`.", True
    return (
        f"{name} {version} is downloaded by the first `up`; `{command}` does so now, where there is a"
        " network",
        False,
    )
