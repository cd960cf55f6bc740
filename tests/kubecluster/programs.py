"""Builds the cluster's programs and Pulumi's provider for Kubernetes from Go modules, once a version.

They go to `PROGRAMS`, whose name changes with their sources; other versions there are left alone.
"""

import fcntl
import json
import os
import re
import shutil
import tempfile
from pathlib import Path

from tests.kubecluster.places import CACHE, GO_SOURCES, KUBECTL, PROGRAMS, VERSION, ClusterError
from tests.kubecluster.processes import run

PACKAGES_OF_DEBIAN = {
    "containerd": "containerd",
    "runc": "runc",
    "nft": "nftables",
    "conntrack": "conntrack",
    "iptables": "iptables",
    "/usr/lib/cni/ptp": "containernetworking-plugins",
    "ip": "iproute2",
    "openssl": "openssl",
    "unshare": "util-linux",
    "mount": "mount",
    "buildah": "buildah",
    "mmdebstrap": "mmdebstrap",
}
"""A program that the cluster or the images need, and the Debian package that brings it."""

ADDONS = ("coredns", "netpol", "pause", "volumes")
PLUGIN = "pulumi-resource-kubernetes"
PLUGIN_VERSION = "4.25.0"
"""The published provider whose code the module in `go/plugin` holds."""


def check_machine() -> None:
    """Raise a `ClusterError` that names every missing package, or what else the machine lacks."""
    if os.geteuid() != 0:
        raise ClusterError("the test cluster needs root: it makes namespaces, mounts and network devices")
    if any(Path(place) in CACHE.parents for place in ("/run", "/var")):
        raise ClusterError(f"{CACHE}: nodes have /run and /var of their own; set TFCLUSTER_CACHE elsewhere")
    if missing := sorted({p for program, p in PACKAGES_OF_DEBIAN.items() if not shutil.which(program)}):
        raise ClusterError(f"run `apt-get install -y --no-install-recommends {' '.join(missing)}`")


def build() -> None:
    """Compile what is missing; several minutes the first time, nothing afterwards."""
    PROGRAMS.mkdir(parents=True, exist_ok=True)
    with (PROGRAMS / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two test sessions may want them at once
        if (PROGRAMS / "complete").exists():
            return
        kubernetes = VERSION.partition("-")[0]
        major, minor, _ = kubernetes.split(".")
        package = "k8s.io/component-base/version"
        stamps = {"gitVersion": f"v{kubernetes}", "gitMajor": major, "gitMinor": minor}
        stamped = " ".join(f"-X {package}.{name}={value}" for name, value in stamps.items())
        _compile(GO_SOURCES / "kubeall", ".", "kubeall", stamped)
        for addon in ADDONS:
            _compile(GO_SOURCES / "addons", f"./{addon}", addon)
        _compile(GO_SOURCES / "addons", "./pause", "pause-arm64", architecture="arm64")
        _build_plugin()
        KUBECTL.unlink(missing_ok=True)
        KUBECTL.symlink_to("kubeall")
        (PROGRAMS / "complete").touch()


def _compile(folder: Path, package: str, name: str, flags: str = "", architecture: str = "amd64") -> None:
    target = PROGRAMS / name
    if target.exists():
        return
    if not shutil.which("go"):
        raise ClusterError("Go 1.26 or newer is needed to build the test cluster's programs")
    environment = os.environ | {
        "CGO_ENABLED": "0",
        "GOARCH": architecture,
        "GOFLAGS": "-mod=readonly -buildvcs=false",
    }
    fresh = target.with_suffix(".new")
    run("go", "build", "-ldflags", f"-s -w {flags}", "-o", fresh, package, cwd=folder, env=environment)
    fresh.rename(target)


def _build_plugin() -> None:
    """Compile the provider from a copy of `go/plugin` completed by the module's schema and mapping."""
    if (PROGRAMS / PLUGIN).exists():
        return
    module = "github.com/pulumi/pulumi-kubernetes/provider/v4"
    with tempfile.TemporaryDirectory(dir=PROGRAMS) as folder:
        build = Path(folder, "plugin")
        shutil.copytree(GO_SOURCES / "plugin", build)
        # Only the module itself is wanted; `go build` fetches the rest.
        sources = json.loads(run("go", "mod", "download", "-json", module, cwd=build))["Dir"]
        embedded = Path(sources, "cmd", PLUGIN)
        schema = (embedded / "schema.json").read_text()
        versioned = re.sub(r"^\{", f'{{"version": "{PLUGIN_VERSION}",', schema, count=1)
        (build / "schema.json").write_text(versioned)
        shutil.copyfile(embedded / "terraform-mapping.json", build / "terraform-mapping.json")
        version = "github.com/pulumi/pulumi-kubernetes/provider/v4/pkg/version.Version"
        _compile(build, ".", PLUGIN, f"-X {version}=v{PLUGIN_VERSION}")
