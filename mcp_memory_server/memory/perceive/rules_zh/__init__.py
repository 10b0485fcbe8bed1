"""The rules of Chinese, in the order in which they read a clause."""

# ruff: noqa: E501 - a pattern is easier to read, and to check, on one line

from mcp_memory_server.memory.perceive.rules_zh import (
    budget,
    education,
    event,
    family,
    firm,
    goods,
    habit,
    health,
    learning,
    money,
    mood,
    papers,
    person,
    plan,
    taste,
    trip,
    work,
)

RULES = (
    *person.RULES, *family.RULES, *work.RULES, *firm.RULES, *education.RULES, *health.RULES, *taste.RULES, *habit.RULES,
    *learning.RULES, *mood.RULES, *budget.RULES, *money.RULES, *goods.RULES, *trip.RULES, *event.RULES, *plan.RULES, *papers.RULES,
)  # fmt: skip
# Rules that read a clause although it asks or supposes: a limit in a request is a limit.
ALWAYS = (budget.budgets, trip.trains)
# Rules that find nothing in a clause without a number.
NEED_NUMBER = frozenset((*budget.SUMS, *money.SUMS, person.age, work.experience, health.body, learning.scores))
