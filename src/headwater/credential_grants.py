"""Which credentials tenants may use: the setting `model_credentials`.

Grants with commas between them: TENANT=REFERENCE or TENANT=REFERENCE@HOST. TENANT is a code, or * for any; a reference
to a file may name a folder, which ends in a slash. With a host the secret is only sent there.
"""

from __future__ import annotations

from msgspec import Struct

__all__ = ["Grant", "read_grants"]


class Grant(Struct, frozen=True):
    tenant: str
    reference: str
    host: str = ""

    def covers(self, tenant: str, reference: str, host: str) -> bool:
        if self.tenant not in ("*", tenant) or (self.host and self.host != host):
            return False
        if self.reference == reference:
            return True
        folder = self.reference.removeprefix("file:")
        return self.reference.startswith("file:/") and folder.endswith("/") and reference.startswith(self.reference)


def read_grants(text: str) -> tuple[Grant, ...]:
    """The grants of a setting. Raises ValueError with the word that is none.

    >>> read_grants("sales=env:KEY@models.example.com, *=file:/run/secrets/")[0]
    Grant(tenant='sales', reference='env:KEY', host='models.example.com')
    """
    found = []
    for word in filter(None, map(str.strip, text.split(","))):
        tenant, equals, rest = word.partition("=")
        reference, _, host = rest.partition("@")
        is_reference = reference.startswith("file:/") or (reference.startswith("env:") and len(reference) > 4)
        if not (tenant and equals and is_reference):
            raise ValueError(word)
        found.append(Grant(tenant.strip(), reference, host.lower()))
    return tuple(found)
