"""Kinds of personal data that are recognized by their form and, where there are any, their check digits.

Each expression reads a text once: repetitions are possessive or bounded, and begin only where the one before ended.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

__all__ = ["BUILT_IN", "Finder"]

Span = tuple[int, int]
Finder = Callable[[str], Iterator[Span]]

_AT = re.compile(r"@|%40")
_LOCAL = re.compile(r"[\w.+%'-]{1,64}$")
_DOMAIN = re.compile(r"(?:[^\W_]|-)+(?:\.(?:[^\W_]|-)+)+")
_STORAGE = re.compile(
    r".*\.(?:blob|dfs)\.(?:core\.windows\.net|core\.usgovcloudapi\.net|core\.chinacloudapi\.cn|fabric\.microsoft\.com)",
    re.IGNORECASE,
)
"""Hosts of Azure's storage: in `wasbs://container@account.blob.core.windows.net` the `@` is no one's address."""
_CARD = re.compile(r"(?<![\d.])\d(?:[ -]?\d){11,18}(?![\d])")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]{2}[0-9]{2}(?=[ -]?[A-Za-z0-9])")
_PHONE = re.compile(
    r"(?<![\w+])(?:\+|00)[1-9](?:[ ./()-]{0,2}\d){6,13}(?!\d)"
    r"|(?<![\w.,/-])\(?0\d{1,5}\)?[ /-]{1,3}\d{2,}(?:[ -]?\d{1,8}){1,5}(?![\d.])"
    r"|(?<![\w.-])\(?[2-9]\d{2}\)?[ .-]\d{3}[.-]\d{4}(?!\d)"
)
_LONGEST_LOCAL = 64
_IBAN_LENGTHS = {
    country: int(length)
    for length, countries in (
        ("15", "NO"),
        ("16", "BE"),
        ("18", "DK FI FK FO GL NL SD"),
        ("19", "MK SI"),
        ("20", "AT BA EE KZ LT LU MN XK"),
        ("21", "CH HR LI LV"),
        ("22", "BG BH CR DE GB GE IE ME RS VA"),
        ("23", "AE GI IL IQ OM SO TL"),
        ("24", "AD CZ ES MD PK RO SA SE SK TN VG"),
        ("25", "LY PT ST"),
        ("26", "IS TR"),
        ("27", "BI DJ FR GR IT MC MR SM"),
        ("28", "AL AZ BY CY DO GT HU LB NI PL SV"),
        ("29", "BR EG PS QA UA"),
        ("30", "JO KW MU YE"),
        ("31", "MT SC"),
        ("32", "LC"),
        ("33", "RU"),
    )
    for country in countries.split()
}


def _emails(text: str) -> Iterator[Span]:
    """Around each `@`, or `%40` as in web addresses: a name of up to 64 characters, and a domain with a dot.

    Places of Azure's storage and `git@host` look the same and are none.
    """
    end = 0
    for sign in _AT.finditer(text):
        domain = _DOMAIN.match(text, sign.end())
        local = _LOCAL.search(text, max(end, sign.start() - _LONGEST_LOCAL), sign.start())
        if domain is not None and local is not None:
            end = domain.end()
            if local[0] != "git" and not _STORAGE.fullmatch(domain[0]):
                yield local.start(), end


def _cards(text: str) -> Iterator[Span]:
    """Numbers of 12 to 19 digits that begin as those of cards do, with the right check digit."""
    for found in _CARD.finditer(text):
        digits = [int(digit) for digit in found[0] if digit.isdigit()]
        if _begins_as_card(digits) and _is_luhn(digits):
            yield found.span()


def _begins_as_card(digits: list[int]) -> bool:
    count, two = len(digits), digits[0] * 10 + digits[1]
    four = two * 100 + digits[2] * 10 + digits[3]
    if digits[0] == 4:
        return count in (13, 16, 19)
    if two in (34, 37):
        return count == 15
    if 51 <= two <= 55 or 2221 <= four <= 2720:
        return count == 16
    if two in (30, 36, 38, 39):
        return 14 <= count <= 19
    return (two == 35 and count >= 16) or two in (50, 56, 57, 58) or digits[0] == 6


def _is_luhn(digits: list[int]) -> bool:
    doubled = [digit if index % 2 == 0 else sum(divmod(2 * digit, 10)) for index, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0


def _ibans(text: str) -> Iterator[Span]:
    """Account numbers of the length that is usual in their country, with the right check digits."""
    end = 0
    for found in _IBAN.finditer(text):
        length = _IBAN_LENGTHS.get(found[0][:2].upper())
        if length is None or found.start() < end:
            continue
        characters, place = "", found.start()
        while place < len(text) and len(characters) < length:
            character = text[place]
            if character.isascii() and character.isalnum():
                characters += character
            elif character not in " -" or not text[place - 1].isalnum():
                break
            place += 1
        goes_on = place < len(text) and text[place].isascii() and text[place].isalnum()
        if len(characters) == length and not goes_on and _is_mod_97(characters.upper()):
            end = place
            yield found.start(), end


def _is_mod_97(iban: str) -> bool:
    return int("".join(str(int(character, 36)) for character in iban[4:] + iban[:4])) % 97 == 1


def _phones(text: str) -> Iterator[Span]:
    """Numbers with `+` or `00` and a country; those of a country with the usual signs between their parts."""
    for found in _PHONE.finditer(text):
        if 7 <= sum(character.isdigit() for character in found[0]) <= 15:
            yield found.span()


BUILT_IN: dict[str, Finder] = {"email": _emails, "iban": _ibans, "card": _cards, "phone": _phones}
"""In order: text found by one pattern is not searched by the next."""
