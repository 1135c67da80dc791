r"""Patterns of a tenant's own, searched in time proportional to the text, whatever the pattern.

A subset of regular expressions: characters, `.`, classes `[a-z0-9]` and `[^...]`, `\d \w \s` and their opposites,
groups, `|`, `?`, `*`, `+`, `{m}`, `{m,n}`, and `\b`, `^`, `$` at the two ends. A pattern becomes an automaton of which
all states are followed at once; no text makes it go back.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

__all__ = ["OwnPattern", "WrongPattern"]

_MOST_STATES = 400
_MOST_REMEMBERED = 20_000
"""Steps that are remembered: a state and a character."""
_MOST_REPEATS = 64
_DEEPEST = 20

Accepts = Callable[[str], bool]


class WrongPattern(ValueError):
    """A pattern that cannot be read, or is too large."""

    def __init__(self, problem: str, hint: str | None = None) -> None:
        super().__init__(problem)
        self.hint = hint


class _Piece(NamedTuple):
    """A part of the automaton that is entered at `first`; `last` has nothing after it yet."""

    first: int
    last: int


class _Automaton:
    def __init__(self) -> None:
        self.accepts: list[Accepts | None] = []
        self.following: list[list[int]] = []

    def state(self, accepts: Accepts | None = None) -> int:
        if len(self.accepts) >= _MOST_STATES:
            raise WrongPattern("it is too large", "Repeat less: {m,n} counts as many times as it may repeat.")
        self.accepts.append(accepts)
        self.following.append([])
        return len(self.accepts) - 1

    def closure(self, states: set[int]) -> tuple[int, ...]:
        """States that are reached without a character: those that accept one, and the last."""
        waiting, found = list(states), set(states)
        while waiting:
            state = waiting.pop()
            if self.accepts[state] is None:
                for after in self.following[state]:
                    if after not in found:
                        found.add(after)
                        waiting.append(after)
        return tuple(sorted(state for state in found if self.accepts[state] is not None or not self.following[state]))


class OwnPattern:
    """One pattern; `spans` gives where it is found."""

    def __init__(self, text: str) -> None:
        body = text
        self._begins_word = body.startswith("\\b")
        self._begins = body.startswith("^")
        body = body[2:] if self._begins_word else body[1:] if self._begins else body
        self._ends_word = body.endswith("\\b") and not body.endswith("\\\\b")
        self._ends = body.endswith("$") and not body.endswith("\\$")
        body = body[:-2] if self._ends_word else body[:-1] if self._ends else body
        self._automaton = automaton = _Automaton()
        piece = _Reader(body, automaton).read()
        self._last = piece.last
        self._start = automaton.closure({piece.first})
        if self._last in self._start:
            raise WrongPattern("it matches the empty text", "Let it match at least one character.")
        self._steps: dict[tuple[int, str], tuple[int, ...]] = {}
        self._first: dict[str, bool] = {}

    def spans(self, text: str) -> list[tuple[int, int]]:
        """Union of all matches, from the left. The text is read once."""
        found: list[tuple[int, int]] = []
        threads: dict[int, int] = {}
        nowhere = len(text)
        for index, character in enumerate(text):
            if self._begins and index and not threads:
                break
            if self._can_be_first(character) and self._may_begin(text, index):
                for state in self._start:
                    threads.setdefault(state, index)
            if not threads:
                continue
            after: dict[int, int] = {}
            for state, start in threads.items():
                for reached in self._step(state, character):
                    if start < after.get(reached, nowhere):
                        after[reached] = start
            threads = after
            start_of_match = threads.get(self._last)
            if start_of_match is not None and self._may_end(text, index + 1):
                while found and start_of_match < found[-1][1]:
                    start_of_match = min(start_of_match, found.pop()[0])
                found.append((start_of_match, index + 1))
        return found

    def _can_be_first(self, character: str) -> bool:
        known = self._first.get(character)
        if known is None:
            known = any(self._step(state, character) for state in self._start)
            if len(self._first) >= _MOST_REMEMBERED:
                self._first.clear()
            self._first[character] = known
        return known

    def _step(self, state: int, character: str) -> tuple[int, ...]:
        """The states after a character."""
        known = self._steps.get((state, character))
        if known is None:
            accepts = self._automaton.accepts[state]
            reached = set(self._automaton.following[state]) if accepts is not None and accepts(character) else set()
            known = self._automaton.closure(reached)
            if len(self._steps) >= _MOST_REMEMBERED:
                self._steps.clear()
            self._steps[state, character] = known
        return known

    def _may_begin(self, text: str, index: int) -> bool:
        if self._begins:
            return index == 0
        return not self._begins_word or index == 0 or not (_is_word(text[index - 1]) and _is_word(text[index]))

    def _may_end(self, text: str, index: int) -> bool:
        if self._ends:
            return index == len(text)
        return not self._ends_word or index == len(text) or not (_is_word(text[index - 1]) and _is_word(text[index]))


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


_CLASSES: dict[str, Accepts] = {
    "d": str.isdecimal,
    "D": lambda character: not character.isdecimal(),
    "w": _is_word,
    "W": lambda character: not _is_word(character),
    "s": str.isspace,
    "S": lambda character: not character.isspace(),
}
_CONTROL = {"n": "\n", "t": "\t", "r": "\r"}


class _Reader:
    """Reads a pattern into an automaton."""

    def __init__(self, text: str, automaton: _Automaton) -> None:
        self._text, self._at, self._automaton, self._depth = text, 0, automaton, 0

    def read(self) -> _Piece:
        piece = self._choice()
        if self._at < len(self._text):
            raise WrongPattern(f"there is a {self._text[self._at]!r} too many at {self._at + 1}")
        return piece

    def _choice(self) -> _Piece:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise WrongPattern("its groups are nested too deeply")
        pieces = [self._sequence()]
        while self._peek() == "|":
            self._at += 1
            pieces.append(self._sequence())
        self._depth -= 1
        if len(pieces) == 1:
            return pieces[0]
        first, last = self._automaton.state(), self._automaton.state()
        for piece in pieces:
            self._automaton.following[first].append(piece.first)
            self._automaton.following[piece.last].append(last)
        return _Piece(first, last)

    def _sequence(self) -> _Piece:
        empty = self._automaton.state()
        piece = _Piece(empty, empty)
        while (character := self._peek()) is not None and character not in "|)":
            piece = self._join(piece, self._repeated())
        return piece

    def _repeated(self) -> _Piece:
        begin = self._at
        piece = self._one()
        end = self._at
        low, high = self._repeats()
        if (low, high) == (1, 1):
            return piece
        if self._peek() in ("?", "*", "+", "{"):
            raise WrongPattern("it repeats what repeats already", "Put the inner repetition into a group.")
        after = self._at
        first = self._automaton.state()
        whole = _Piece(first, first)
        for _ in range(low):
            whole = self._join(whole, self._again(begin, end))
        if high is None:
            whole = self._join(whole, self._loop(self._again(begin, end)))
        for _ in range((high or 0) - low):
            whole = self._join(whole, self._optional(self._again(begin, end)))
        self._at = after
        return whole

    def _again(self, begin: int, end: int) -> _Piece:
        """The same part of the text as a piece of its own."""
        self._at = begin
        piece = self._one()
        self._at = end
        return piece

    def _loop(self, piece: _Piece) -> _Piece:
        first = self._automaton.state()
        self._automaton.following[first].append(piece.first)
        self._automaton.following[piece.last].append(first)
        last = self._automaton.state()
        self._automaton.following[first].append(last)
        return _Piece(first, last)

    def _optional(self, piece: _Piece) -> _Piece:
        first, last = self._automaton.state(), self._automaton.state()
        self._automaton.following[first] += [piece.first, last]
        self._automaton.following[piece.last].append(last)
        return _Piece(first, last)

    def _repeats(self) -> tuple[int, int | None]:
        character = self._peek()
        if character is None or character not in "?*+{":
            return 1, 1
        self._at += 1
        if character != "{":
            return {"?": (0, 1), "*": (0, None), "+": (1, None)}[character]
        inside, closed, _ = self._text[self._at :].partition("}")
        low, comma, high = inside.partition(",")
        if not closed or not low.isdecimal() or (high and not high.isdecimal()):
            raise WrongPattern("`{` begins no number of repetitions", "Write {3} or {2,5}, or \\{ for the character.")
        self._at += len(inside) + 1
        least = int(low)
        most = least if not comma else int(high) if high else None
        if least > _MOST_REPEATS or (most is not None and not least <= most <= _MOST_REPEATS):
            raise WrongPattern(f"something repeats more than {_MOST_REPEATS} times, or the numbers are crosswise")
        return least, most

    def _one(self) -> _Piece:
        character = self._take()
        if character == "(":
            if self._text.startswith("?:", self._at):
                self._at += 2
            piece = self._choice()
            if self._peek() != ")":
                raise WrongPattern("a group is not closed")
            self._at += 1
            return piece
        if character in "?*+{":
            raise WrongPattern(f"there is nothing that {character!r} could repeat")
        if character in "^$":
            raise WrongPattern(f"{character!r} is possible at the ends only")
        if character == "[":
            return self._character(self._class())
        if character == "\\":
            return self._character(self._escaped())
        return self._character((lambda _: True) if character == "." else character.__eq__)

    def _escaped(self) -> Accepts:
        character = self._take()
        if character in _CLASSES:
            return _CLASSES[character]
        if character.isalnum() and character not in _CONTROL:
            raise WrongPattern(
                f"\\{character} is not possible here", "There are no references back and no lookarounds."
            )
        return _CONTROL.get(character, character).__eq__

    def _class(self) -> Accepts:
        is_not = self._peek() == "^"
        self._at += is_not
        parts: list[Accepts] = []
        while (character := self._take()) != "]" or not parts:
            if character == "\\":
                parts.append(self._escaped())
                continue
            if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] not in ("]", ""):
                self._at += 1
                last = self._take()
                if last < character or last == "\\":
                    raise WrongPattern(f"{character}-{last} is no range")
                parts.append(lambda given, low=character, high=last: low <= given <= high)  # type: ignore[misc]
            else:
                parts.append(character.__eq__)
        if is_not:
            return lambda given: not any(part(given) for part in parts)
        return lambda given: any(part(given) for part in parts)

    def _character(self, accepts: Accepts) -> _Piece:
        first, last = self._automaton.state(accepts), self._automaton.state()
        self._automaton.following[first].append(last)
        return _Piece(first, last)

    def _join(self, one: _Piece, other: _Piece) -> _Piece:
        self._automaton.following[one.last].append(other.first)
        return _Piece(one.first, other.last)

    def _peek(self) -> str | None:
        return self._text[self._at] if self._at < len(self._text) else None

    def _take(self) -> str:
        character = self._peek()
        if character is None:
            raise WrongPattern("it ends in the middle of something")
        self._at += 1
        return character
