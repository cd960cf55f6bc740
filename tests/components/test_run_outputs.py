import msgspec
import pytest

from components.run_outputs import RUN_OUTPUTS
from provider.kubernetes.kubernetes_run import KubernetesRun
from provider.local.local_run import LocalRun


@pytest.mark.parametrize("resource", [LocalRun, KubernetesRun])
def test_a_run_returns_the_same_on_every_target(resource):
    returned = [field.encode_name for field in msgspec.structs.fields(resource.outputs_type)]
    assert set(returned) >= set(RUN_OUTPUTS)
