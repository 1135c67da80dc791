"""Facets as nearly all of them are: nothing missing, nothing blank, nothing to mend.

Reading one strictly is the proof that it is plain, and takes a fraction of the time. Whatever is not plain is read by
`facets`, tolerantly.
"""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Raw, Struct, field

__all__ = ["PlainColumnLineage", "PlainSchema"]

_Stated = Annotated[str, Meta(min_length=1)]


class PlainField(Struct, gc=False, omit_defaults=True, kw_only=True):
    """A field that is named, has none inside it, and is in the order in which it was sent.

    As it stands, it is written in normal form.
    """

    description: _Stated | None = None
    fields: None = None
    name: _Stated
    ordinal_position: None = None
    type: _Stated | None = None


class PlainSchema(Struct, gc=False):
    fields: Annotated[list[PlainField], Meta(min_length=1)]
    deleted: None = field(name="_deleted", default=None)


class PlainSource(Struct, gc=False):
    """A source column. Its transformations repeat, so each is read once."""

    namespace: _Stated
    name: _Stated
    field: _Stated
    transformations: Raw = Raw(b"null")


class PlainTarget(Struct, gc=False):
    inputFields: list[PlainSource]
    transformationType: None = None
    transformationDescription: None = None


class PlainColumnLineage(Struct, gc=False):
    fields: dict[str, PlainTarget]
    dataset: list[PlainSource] | None = None
    deleted: None = field(name="_deleted", default=None)
