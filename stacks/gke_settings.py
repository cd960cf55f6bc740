"""Settings that a GKE stack has no use for: refused where somebody has set one, rather than passed over."""

from collections.abc import Iterator

from stacks.settings import Settings

_OWN_CLUSTER = "which makes a cluster of its own"
_PLACED = "whose plan places the pods; nodeSharing and machineType decide there"
_BAKED = "whose images bring the data with them"
_OWN_VOLUME = "whose volume has a class of its own; diskType and runsDiskGb decide there"
_WITH_CLUSTER = "whose volume goes with its cluster; the runs are copied to runsDir on this machine"


def useless_settings(settings: Settings) -> Iterator[str]:
    """One sentence for each setting that is set and has no effect, with its fix."""
    kubernetes = settings.kubernetes
    of_other_targets = {
        "kubeconfig": (kubernetes.kubeconfig, _OWN_CLUSTER),
        "context": (kubernetes.context, _OWN_CLUSTER),
        "interfaceNodeSelector": (kubernetes.interface_node_selector, _PLACED),
        "masterNodeSelector": (kubernetes.master_node_selector, _PLACED),
        "workerNodeSelector": (kubernetes.worker_node_selector, _PLACED),
        "tolerations": (kubernetes.tolerations, _PLACED),
        "runsStorageClass": (kubernetes.runs_storage_class, _OWN_VOLUME),
        "keepRunsVolume": (kubernetes.keep_runs_volume, _WITH_CLUSTER),
        "dataFile": (settings.training.data_file, _BAKED),
    }
    for key, (value, reason) in of_other_targets.items():
        if value:
            yield f"{key} has no effect with target=gke, {reason}. Run `pulumi config rm {key}`."
    builder = settings.gke.image_builder
    images = {"serverImage": kubernetes.server_image, "interfaceImage": kubernetes.interface_image}
    for key, image in images.items():
        if image and builder != "prebuilt":
            yield (
                f"{key} has no effect with imageBuilder={builder}, which builds the images. Run"
                f" `pulumi config rm {key}`, or `pulumi config set imageBuilder prebuilt`."
            )
