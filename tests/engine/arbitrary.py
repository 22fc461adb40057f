"""Whatever JSON can say: what every game's property tests throw at it."""

from json import loads
from typing import Any, TypeAlias

from hypothesis import strategies as st

Values: TypeAlias = st.SearchStrategy[Any]

SCALARS: Values = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
VERY_DEEP: Any = loads("[" * 100 + "]" * 100)


def _holding(inner: Values) -> Values:
    """A plain value, or a list or an object of `inner`; twice that costs half of what `st.recursive` does."""
    return st.one_of(
        SCALARS, st.lists(inner, max_size=6), st.dictionaries(st.text(max_size=8), inner, max_size=4)
    )


json_values: Values = _holding(_holding(SCALARS)) | st.just(VERY_DEEP)
