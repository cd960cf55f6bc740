"""The cluster's certificate authority, certificates signed by it, and kubeconfig files that hold them."""

import base64
import json
from pathlib import Path

from tests.kubecluster.places import (
    API_PORT,
    API_SERVICE_IP,
    CLUSTER_DOMAIN,
    CONTEXT,
    HOST_IP,
    KEYS,
    KUBECONFIG,
)
from tests.kubecluster.processes import run

USERS = {
    # user of the control plane or the nodes: common name, organisation
    "admin": ("kubecluster-admin", "system:masters"),
    "apiserver-kubelet": ("kube-apiserver", "system:masters"),
    "controllers": ("system:kube-controller-manager", ""),
    "scheduler": ("system:kube-scheduler", ""),
    "proxy": ("system:kube-proxy", ""),
    "netpol": ("kubecluster:netpol", ""),
    "volumes": ("kubecluster:volumes", ""),
}


def make_credentials() -> None:
    """Make the authority, all certificates of the control plane and the administrator's kubeconfig."""
    _openssl("ca", "/CN=kubecluster-ca", ["keyUsage=critical,digitalSignature,keyCertSign"])
    service = f"kubernetes.default.svc.{CLUSTER_DOMAIN}".split(".")
    names = [f"DNS:{'.'.join(service[:count])}" for count in (1, 2, 3, len(service))]
    addresses = [f"IP:{address}" for address in (HOST_IP, API_SERVICE_IP, "127.0.0.1")]
    certificate("apiserver", "kube-apiserver", "", [*names, "DNS:localhost", *addresses])
    for user, (common_name, organisation) in USERS.items():
        certificate(user, common_name, organisation)
        if user != "apiserver-kubelet":
            kubeconfig(user)
    key = KEYS / "service-accounts.key"
    if not key.exists():
        # The API server reads EC keys in the traditional form only.
        run("openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key)
    KUBECONFIG.write_bytes(kubeconfig("admin").read_bytes())
    KUBECONFIG.chmod(0o600)


def certificate(
    name: str, common_name: str, organisation: str = "", alternatives: list[str] | None = None
) -> None:
    """Make a key and a certificate for clients and servers, signed by the authority, unless it is there."""
    subject = (f"/O={organisation}" if organisation else "") + f"/CN={common_name}"
    extensions = ["keyUsage=critical,digitalSignature", "extendedKeyUsage=clientAuth,serverAuth"]
    if alternatives:
        extensions.append("subjectAltName=" + ",".join(alternatives))
    _openssl(name, subject, extensions, ("-CA", KEYS / "ca.crt", "-CAkey", KEYS / "ca.key"))


def kubeconfig(user: str) -> Path:
    """Write a kubeconfig for a user that has a certificate; it holds everything and can be moved."""

    def content(file: str) -> str:
        return base64.b64encode((KEYS / file).read_bytes()).decode()

    server = f"https://{HOST_IP}:{API_PORT}"
    client = {
        "client-certificate-data": content(f"{user}.crt"),
        "client-key-data": content(f"{user}.key"),
    }
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [
            {"name": CONTEXT, "cluster": {"server": server, "certificate-authority-data": content("ca.crt")}}
        ],
        "users": [{"name": user, "user": client}],
        "contexts": [{"name": CONTEXT, "context": {"cluster": CONTEXT, "user": user}}],
        "current-context": CONTEXT,
    }
    path = KEYS / f"{user}.kubeconfig"
    path.write_text(json.dumps(config))
    path.chmod(0o600)
    return path


def _openssl(name: str, subject: str, extensions: list[str], signer: tuple[object, ...] = ()) -> None:
    target = KEYS / f"{name}.crt"
    if target.exists():
        return
    fresh = target.with_suffix(".new")
    run(
        *("openssl", "req", "-x509", "-noenc", "-days", "365", "-subj", subject, *signer),
        *("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"),
        *(word for extension in extensions for word in ("-addext", extension)),
        *("-keyout", KEYS / f"{name}.key", "-out", fresh),
    )
    fresh.rename(target)
