"""The examples in docstrings run, and effects compose as the walk relies on."""

import doctest
import importlib
import pkgutil

import pytest
from hypothesis import given
from hypothesis import strategies as st

import headwater.sql
from headwater.sql.walk.expression import transformation

MODULES = [module.name for module in pkgutil.walk_packages(headwater.sql.__path__, "headwater.sql.")]
EFFECTS = st.sampled_from(
    [
        transformation.IDENTITY,
        transformation.TRANSFORMATION,
        transformation.AGGREGATION,
        transformation.JOIN,
        transformation.FILTER,
        transformation.GROUP_BY,
        transformation.SORT,
        transformation.WINDOW,
        transformation.CONDITIONAL,
        transformation.masked(transformation.AGGREGATION),
        transformation.masked(transformation.TRANSFORMATION),
    ]
)


@pytest.mark.parametrize("name", ["headwater.sql", *MODULES])
def test_docstring_examples(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@given(EFFECTS, EFFECTS, EFFECTS)
def test_composition_does_not_depend_on_grouping(one, two, three):
    left = transformation.compose(transformation.compose(one, two), three)
    assert left == transformation.compose(one, transformation.compose(two, three))


@given(EFFECTS)
def test_identity_changes_nothing(effect):
    assert transformation.compose(effect, transformation.IDENTITY) == effect
    assert transformation.compose(transformation.IDENTITY, effect) == effect
