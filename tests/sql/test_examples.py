"""The examples in docstrings run, and effects compose as the walk relies on."""

import doctest
import importlib
import pkgutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headwater.sql
from headwater.sql import effects

MODULES = [f"headwater.sql.{module.name}" for module in pkgutil.iter_modules(headwater.sql.__path__)]
EFFECTS = st.sampled_from(
    [
        effects.IDENTITY,
        effects.TRANSFORMATION,
        effects.AGGREGATION,
        effects.JOIN,
        effects.FILTER,
        effects.GROUP_BY,
        effects.SORT,
        effects.WINDOW,
        effects.CONDITIONAL,
        effects.masked(effects.AGGREGATION),
        effects.masked(effects.TRANSFORMATION),
    ]
)


@pytest.mark.parametrize("name", ["headwater.sql", *MODULES])
def test_docstring_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@given(EFFECTS, EFFECTS, EFFECTS)
def test_composition_does_not_depend_on_grouping(one, two, three):
    left = effects.compose(effects.compose(one, two), three)
    assert left == effects.compose(one, effects.compose(two, three))


@given(EFFECTS)
def test_identity_changes_nothing(effect):
    assert effects.compose(effect, effects.IDENTITY) == effect
    assert effects.compose(effects.IDENTITY, effect) == effect
