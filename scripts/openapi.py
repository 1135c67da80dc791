"""Print the server's OpenAPI document, from which the types of the web page are made."""

from __future__ import annotations

import sys

import msgspec

from headwater.api.openapi.reference import whole_document

sys.stdout.buffer.write(msgspec.json.encode(whole_document()))
