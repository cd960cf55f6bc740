"""How the text of one setting becomes a typed value, or a sentence that says what is wrong with it.

Pulumi hands every setting over as text. A rule owns the type, the range and the wording of the refusal; which
rule belongs to which setting stands in `stacks.settings`.
"""

import dataclasses
import re
from collections.abc import Callable
from typing import Any

_LABEL_KEY = r"[\w./-]+"
_LABEL_VALUE = r"[\w.-]*"


class RuleError(ValueError):
    """The text of a setting breaks its rule; the message completes ``key=text ...``."""


@dataclasses.dataclass(frozen=True)
class Rule:
    """One setting's type and range.

    Attributes:
        engine_type: Type that `Pulumi.yaml` declares for it (`string`, `integer` or `boolean`).
        parse: Turns the text into the value; raises `RuleError`.
    """

    engine_type: str
    parse: Callable[[str], Any]


def integer(low: int, high: int) -> Rule:
    """Whole number from `low` to `high`, both included."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise RuleError(f"is not a whole number: allowed are {low} to {high}") from None
        if not low <= value <= high:
            raise RuleError(f"is out of range: allowed are {low} to {high}")
        return value

    return Rule("integer", parse)


def integer_or(word: str, low: int, high: int) -> Rule:
    """Whole number from `low` to `high`, or one word that leaves the choice to the program."""
    whole = integer(low, high)

    def parse(text: str) -> int | str:
        if text == word:
            return word
        try:
            return whole.parse(text)
        except RuleError as error:
            raise RuleError(f"{error}, or `{word}`") from None

    return Rule("string", parse)


def number(low: float, high: float) -> Rule:
    """Decimal number above `low` and at most `high`."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            raise RuleError(f"is not a number: allowed are above {low:g}, up to {high:g}") from None
        if not low < value <= high:
            raise RuleError(f"is out of range: allowed are above {low:g}, up to {high:g}")
        return value

    return Rule("string", parse)


def boolean() -> Rule:
    """`true` or `false`, as YAML and Pulumi write them."""

    def parse(text: str) -> bool:
        if text not in ("true", "false"):
            raise RuleError("is neither `true` nor `false`")
        return text == "true"

    return Rule("boolean", parse)


def choice(*allowed: str) -> Rule:
    """One of a few words."""

    def parse(text: str) -> str:
        if text not in allowed:
            raise RuleError(f"is not allowed: choose one of {', '.join(sorted(allowed))}")
        return text

    return Rule("string", parse)


def pattern(expression: str, meaning: str) -> Rule:
    """Text that matches a regular expression as a whole; `meaning` completes "must be ..."."""
    compiled = re.compile(expression)

    def parse(text: str) -> str:
        if not compiled.fullmatch(text):
            raise RuleError(f"must be {meaning}")
        return text

    return Rule("string", parse)


def labels() -> Rule:
    """Labels as ``key=value,key=value``; empty for none."""

    def parse(text: str) -> dict[str, str]:
        found: dict[str, str] = {}
        for item in filter(None, text.split(",")):
            match = re.fullmatch(rf"({_LABEL_KEY})=({_LABEL_VALUE})", item.strip())
            if not match:
                raise RuleError("must be labels as key=value, separated by commas")
            found[match[1]] = match[2]
        return found

    return Rule("string", parse)


def tolerations() -> Rule:
    """Taints that are put up with, as ``key=value:Effect`` or ``key:Effect``; empty for none."""

    def parse(text: str) -> tuple[dict[str, str], ...]:
        return tuple(_toleration(item.strip()) for item in text.split(",") if item)

    return Rule("string", parse)


def _toleration(item: str) -> dict[str, str]:
    match = re.fullmatch(
        rf"({_LABEL_KEY})(?:=({_LABEL_VALUE}))?:(NoSchedule|NoExecute|PreferNoSchedule)", item
    )
    if not match:
        raise RuleError("must be taints as key=value:NoSchedule, separated by commas")
    key, value, effect = match.groups()
    wanted = {"operator": "Exists"} if value is None else {"operator": "Equal", "value": value}
    return {"key": key, "effect": effect, **wanted}


def text() -> Rule:
    """Any text, the empty one included."""
    return Rule("string", lambda value: value)
