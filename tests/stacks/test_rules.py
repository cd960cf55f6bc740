import pytest

from stacks import rules
from stacks.rules import RuleError


@pytest.mark.parametrize(
    ("rule", "text", "value"),
    [
        (rules.integer(1, 10), "1", 1),
        (rules.integer(1, 10), "10", 10),
        (rules.integer_or("auto", 1, 10), "auto", "auto"),
        (rules.integer_or("auto", 1, 10), "7", 7),
        (rules.number(0, 1), "0.001", 0.001),
        (rules.number(0, 1), "1e-3", 0.001),
        (rules.boolean(), "true", True),
        (rules.boolean(), "false", False),
        (rules.choice("a", "b"), "b", "b"),
        (rules.pattern("[a-z]+", "letters"), "abc", "abc"),
        (rules.text(), "", ""),
    ],
)
def test_text_that_keeps_the_rule_becomes_a_value_of_its_type(rule, text, value):
    parsed = rule.parse(text)
    assert parsed == value
    assert type(parsed) is type(value)


@pytest.mark.parametrize(
    ("rule", "text", "refusal"),
    [
        (rules.integer(1, 10), "0", "is out of range: allowed are 1 to 10"),
        (rules.integer(1, 10), "11", "is out of range: allowed are 1 to 10"),
        (rules.integer(1, 10), "two", "is not a whole number: allowed are 1 to 10"),
        (rules.integer(1, 10), "2.5", "is not a whole number: allowed are 1 to 10"),
        (rules.integer_or("auto", 1, 10), "many", "is not a whole number: allowed are 1 to 10, or `auto`"),
        (rules.number(0, 1), "0", "is out of range: allowed are above 0, up to 1"),
        (rules.number(0, 1), "nan", "is out of range: allowed are above 0, up to 1"),
        (rules.number(0, 1), "fast", "is not a number: allowed are above 0, up to 1"),
        (rules.boolean(), "yes", "is neither `true` nor `false`"),
        (rules.choice("b", "a"), "c", "is not allowed: choose one of a, b"),
        (rules.pattern("[a-z]+", "letters"), "a1", "must be letters"),
    ],
)
def test_text_that_breaks_the_rule_is_refused_with_what_is_allowed(rule, text, refusal):
    with pytest.raises(RuleError) as error:
        rule.parse(text)
    assert str(error.value) == refusal
