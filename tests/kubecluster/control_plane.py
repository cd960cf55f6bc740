"""etcd, API server, controller manager, scheduler and the volume provisioner, as processes of the machine."""

from tests.kubecluster.places import (
    API_PORT,
    CLUSTER_DOMAIN,
    ETCD_PEER_PORT,
    ETCD_PORT,
    HOST_IP,
    KEYS,
    KUBEALL,
    LIVE,
    POD_NET,
    PROGRAMS,
    SERVICE_NET,
    VOLUMES,
)
from tests.kubecluster.processes import EndedError, kubectl, running, start, wait_for

PROVISIONERS = {"volumes": "tfcluster.test/local", "volumes-as-on-gke": "pd.csi.storage.gke.io"}
"""Process and the name that a class of volumes calls it by; GKE's stands in for its disks."""


def start_control_plane() -> None:
    """Start what does not run and wait for the API server."""
    start_api_server()
    wait_for("the API server", _api_server_ready, 90, "kube-apiserver")
    manager = (
        f"--root-ca-file={KEYS / 'ca.crt'}",
        f"--service-account-private-key-file={KEYS / 'service-accounts.key'}",
        "--use-service-account-credentials=true",
        f"--cluster-cidr={POD_NET}",
        f"--service-cluster-ip-range={SERVICE_NET}",
        # As often as kubelets report here; the default of 50 s makes tests of a lost node slow.
        "--node-monitor-grace-period=20s",
    )
    for program, user, flags in (
        ("kube-controller-manager", "controllers", manager),
        ("kube-scheduler", "scheduler", ()),
    ):
        config = KEYS / f"{user}.kubeconfig"
        start(
            *(program, KUBEALL, program, f"--kubeconfig={config}"),
            *(f"--authentication-kubeconfig={config}", f"--authorization-kubeconfig={config}"),
            *("--bind-address=127.0.0.1", "--leader-elect=false", "--profiling=false", *flags),
        )
    config = KEYS / "volumes.kubeconfig"
    for name, provisioner in PROVISIONERS.items():
        flags = (f"--kubeconfig={config}", f"--root={VOLUMES}", f"--provisioner={provisioner}")
        start(name, PROGRAMS / "volumes", *flags)


def start_api_server() -> None:
    """Start etcd and the API server, unless they run."""
    etcd, peer = f"http://127.0.0.1:{ETCD_PORT}", f"http://127.0.0.1:{ETCD_PEER_PORT}"
    start(
        # Without fsync, as a crash of the machine ends the tests anyway.
        *("etcd", KUBEALL, "etcd", f"--data-dir={LIVE / 'etcd'}", "--unsafe-no-fsync", "--log-level=warn"),
        *(f"--listen-client-urls={etcd}", f"--advertise-client-urls={etcd}"),
        *(f"--listen-peer-urls={peer}", f"--initial-advertise-peer-urls={peer}"),
        f"--initial-cluster=default={peer}",
    )
    start(
        *("kube-apiserver", KUBEALL, "kube-apiserver", f"--etcd-servers={etcd}"),
        *(f"--bind-address={HOST_IP}", f"--secure-port={API_PORT}", f"--advertise-address={HOST_IP}"),
        f"--tls-cert-file={KEYS / 'apiserver.crt'}",
        f"--tls-private-key-file={KEYS / 'apiserver.key'}",
        f"--client-ca-file={KEYS / 'ca.crt'}",
        f"--kubelet-certificate-authority={KEYS / 'ca.crt'}",
        f"--kubelet-client-certificate={KEYS / 'apiserver-kubelet.crt'}",
        f"--kubelet-client-key={KEYS / 'apiserver-kubelet.key'}",
        "--kubelet-preferred-address-types=InternalIP",
        f"--service-account-issuer=https://kubernetes.default.svc.{CLUSTER_DOMAIN}",
        f"--service-account-key-file={KEYS / 'service-accounts.key'}",
        f"--service-account-signing-key-file={KEYS / 'service-accounts.key'}",
        f"--service-cluster-ip-range={SERVICE_NET}",
        *("--authorization-mode=Node,RBAC", "--enable-admission-plugins=NodeRestriction"),
        *("--allow-privileged=true", "--profiling=false"),
    )


def _api_server_ready() -> bool:
    if not running("kube-apiserver"):
        raise EndedError("kube-apiserver has ended")
    return kubectl("get", "--raw", "/readyz") == "ok"
