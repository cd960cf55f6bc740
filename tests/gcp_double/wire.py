"""Between the engine's requests and plain values, for both plug-ins."""

from typing import Any

from provider.properties import PropertyMap, plain, wire


def token_of(request: Any) -> str:
    """Type token of the resource that a request is about."""
    return str(request.type).rpartition("$")[2]  # the SDK leaves the parents' types before the resource's own


def with_secrets(outputs: dict[str, Any], inputs: PropertyMap) -> PropertyMap:
    """Outputs in the engine's form; what came in and stayed goes out as it came, secrets included."""
    return {
        key: inputs[key] if key in inputs and plain(inputs[key]) == value else wire(value)
        for key, value in outputs.items()
    }


def plain_map(values: PropertyMap) -> dict[str, Any]:
    """The plain values of a map."""
    return {key: plain(value) for key, value in values.items()}


def wired_map(values: dict[str, Any]) -> PropertyMap:
    """The engine's form of a map."""
    return {key: wire(value) for key, value in values.items()}
