from provider.kubernetes.namespace_cleanup import Inputs, conditions, resource_names, stuck_message

INPUTS = Inputs(kubeconfig="", namespace="tf", timeout_s=60, is_cluster_owned=False)
LEFT = {
    "status": {
        "conditions": [
            {
                "type": "NamespaceDeletionDiscoveryFailure",
                "status": "False",
                "message": "All resources discovered",
            },
            {
                "type": "NamespaceContentRemaining",
                "status": "True",
                "message": "Some resources are remaining: configmaps. has 2 resource instances, "
                "jobs.batch has 1 resource instances",
            },
            {
                "type": "NamespaceFinalizersRemaining",
                "status": "True",
                "message": "Some content in the namespace has finalizers remaining: example.com/stuck in 2 "
                "resource instances",
            },
        ]
    }
}


def test_only_what_holds_is_told():
    assert len(conditions(LEFT)) == 2


def test_the_kinds_that_are_left_are_read_from_kubernetes_own_words():
    assert resource_names(conditions(LEFT)) == [("configmaps", ""), ("jobs", "batch")]


def test_the_message_lists_each_object_and_the_command_that_frees_it():
    text = stuck_message(INPUTS, conditions(LEFT), ["ConfigMap stuck (finalisers: example.com/stuck)"])
    assert "Namespace tf is still there after 60 s" in text
    assert "\n  - ConfigMap stuck (finalisers: example.com/stuck)" in text
    assert "kubectl patch --namespace tf KIND NAME" in text


def test_an_api_without_a_backend_is_told_as_such():
    failure = "Discovery failed for some groups, 1 failing: unable to retrieve metrics.k8s.io/v1beta1"
    assert f"an API without a backend: {failure}" in stuck_message(INPUTS, [failure], [])
