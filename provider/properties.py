"""Typed property sets, and their way to and from the engine's wire values.

Owns the base class of every resource's inputs and outputs, and the only code that knows how the engine marks
secrets and values that are not known before the change is made. It knows no resource.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import msgspec
from pulumi.provider.experimental.property_value import Computed, PropertyValue
from pulumi.runtime.rpc import UNKNOWN

PropertyMap = dict[str, PropertyValue]


class Properties(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Base of a resource's inputs or outputs: snake_case in Python, camelCase in the engine.

    A field without a default is required. Fields may be ``str``, ``int``, ``float``, ``bool``, lists, dicts,
    ``X | None`` and further ``Properties``. Repeat ``frozen=True, kw_only=True`` in a subclass's head, so
    that type checkers see them.
    """


P = TypeVar("P", bound=Properties)


def names_of(kind: type[Properties]) -> frozenset[str]:
    """Return the property names of a kind, as the engine writes them."""
    return frozenset(field.encode_name for field in msgspec.structs.fields(kind))


def required_names_of(kind: type[Properties]) -> frozenset[str]:
    """Return the names of the properties that have no default."""
    return frozenset(field.encode_name for field in msgspec.structs.fields(kind) if field.required)


def unknown_names(values: Mapping[str, PropertyValue]) -> frozenset[str]:
    """Return the names of the properties that contain, at any depth, a value not known yet."""
    return frozenset(name for name, value in values.items() if _contains_unknown(value))


def decode(kind: type[P], values: Mapping[str, PropertyValue]) -> P:
    """Read a typed property set; names that the kind doesn't have are passed over.

    Raises:
        msgspec.ValidationError: A required property is missing or a value has the wrong type; the message
            names it.
    """
    names = names_of(kind)
    return msgspec.convert({name: plain(value) for name, value in values.items() if name in names}, kind)


def encode(properties: Properties, secret: Iterable[str] = ()) -> PropertyMap:
    """Write a typed property set as wire values, the named ones as secrets."""
    hidden = frozenset(secret)
    plain_values: dict[str, Any] = msgspec.to_builtins(properties)
    return {name: wire(value).with_secret(name in hidden) for name, value in plain_values.items()}


def unknown(names: Iterable[str]) -> PropertyMap:
    """Return a map that says of each name: known only once the change has been made."""
    # the SDK's own Computed can't be written to the wire (pulumi 3.272), the engine's mark can
    return {name: PropertyValue(UNKNOWN) for name in names}


def plain(value: PropertyValue) -> Any:
    """Return the JSON value of a wire value; whole numbers, which the wire sends as floats, become int."""
    content = value.value
    if isinstance(content, float) and content.is_integer():
        return int(content)
    if isinstance(content, Mapping):
        return {name: plain(item) for name, item in content.items()}
    if isinstance(content, (list, tuple)):
        return [plain(item) for item in content]
    return content


def wire(value: Any) -> PropertyValue:
    """Return the wire value of a JSON value."""
    if isinstance(value, Mapping):
        return PropertyValue({str(name): wire(item) for name, item in value.items()})
    if isinstance(value, (list, tuple)):
        return PropertyValue([wire(item) for item in value])
    if isinstance(value, int) and not isinstance(value, bool):
        return PropertyValue(float(value))
    return PropertyValue(value)


def _contains_unknown(value: PropertyValue) -> bool:
    content = value.value
    if isinstance(content, Computed) or content == UNKNOWN:
        return True
    if isinstance(content, Mapping):
        return any(_contains_unknown(item) for item in content.values())
    if isinstance(content, (list, tuple)):
        return any(_contains_unknown(item) for item in content)
    return False
