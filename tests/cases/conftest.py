"""The checks of the cases live in modules of their own; their assertions are to explain themselves."""

import pytest

pytest.register_assert_rewrite("tests.cases.expectations", "tests.cases.later")
