"""A tenant can only use the credentials that were granted to it, at the hosts for which they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from headwater.credential_grants import read_grants
from headwater.models.credentials import CredentialRefused, resolve_credential

URL = "https://models.example.com/v1"
ENVIRONMENT = {"SALES_KEY": " sk-1 \n", "OTHER": "sk-2", "BAD": "a\nb"}


def resolve(grants: str, reference: str, *, tenant: str = "sales", url: str = URL) -> str:
    return resolve_credential(tenant, reference, url, read_grants(grants), ENVIRONMENT)


def test_granted() -> None:
    assert resolve("sales=env:SALES_KEY", "env:SALES_KEY") == "sk-1"
    assert resolve("*=env:SALES_KEY@MODELS.example.com", "env:SALES_KEY", tenant="other") == "sk-1"


@pytest.mark.parametrize(
    ("grants", "reference", "tenant", "url"),
    [
        ("", "env:SALES_KEY", "sales", URL),
        ("sales=env:SALES_KEY", "env:SALES_KEY", "other", URL),
        ("sales=env:SALES_KEY", "env:OTHER", "sales", URL),
        ("sales=env:SALES_KEY", "env:SALES_KEY2", "sales", URL),
        ("sales=env:SALES_KEY@models.example.com", "env:SALES_KEY", "sales", "https://thief.example.com/v1"),
        ("sales=env:SALES_KEY@models.example.com", "env:SALES_KEY", "sales", "https://models.example.com.thief.org/v1"),
        ("sales=env:BAD", "env:BAD", "sales", URL),
        ("sales=env:MISSING", "env:MISSING", "sales", URL),
    ],
)
def test_refused(grants: str, reference: str, tenant: str, url: str) -> None:
    with pytest.raises(CredentialRefused) as refused:
        resolve(grants, reference, tenant=tenant, url=url)
    assert "sk-" not in refused.value.message


def test_files_stay_inside_of_what_was_granted(tmp_path: Path) -> None:
    folder, outside = tmp_path / "granted", tmp_path / "secret"
    folder.mkdir()
    outside.write_text("sk-outside")
    (folder / "key").write_text("sk-inside\n")
    (folder / "link").symlink_to(outside)
    grants = f"sales=file:{folder}/"
    assert resolve(grants, f"file:{folder}/key") == "sk-inside"
    assert resolve(f"sales=file:{folder}/key", f"file:{folder}/key") == "sk-inside"
    for path in (f"{folder}/../secret", f"{folder}/link", str(outside), f"{folder}2/key", f"{folder}/nothing"):
        with pytest.raises(CredentialRefused) as refused:
            resolve(grants, f"file:{path}")
        assert "sk-" not in refused.value.message
    with pytest.raises(CredentialRefused):
        resolve(f"sales=file:{folder}", f"file:{folder}/key")  # a folder needs its slash


@pytest.mark.parametrize("text", ["sales", "sales=KEY", "=env:KEY", "sales=env:", "sales=file:relative"])
def test_wrong_grants(text: str) -> None:
    with pytest.raises(ValueError, match=text):
        read_grants(f"*=env:A, {text}")
