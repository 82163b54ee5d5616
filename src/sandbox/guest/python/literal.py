"""A text that is wholly a Python list or dict, as JSON. src/sandbox/python-literal.ts does the same."""

from __future__ import annotations

import json
import re

# Python's own compiler takes no deeper nesting.
_DEEPEST = 200
_CONSTANTS = {"None": "null", "True": "true", "False": "false"}
_CLOSINGS = {"[": "]", "{": "}", "(": ")"}
_SPACE = " \t\n\r\f"
_SPACES = re.compile(f"[{_SPACE}]*")
_ATOM = re.compile(r"None|True|False|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
# A control character is always escaped where repr writes it.
_SPECIAL = re.compile(r"""['"\\\x00-\x1f]""")
_PLAIN = re.compile(r"""'[^'"\\\x00-\x1f]*'|"[^'"\\\x00-\x1f]*\"""")
_HEX = "[0-9a-fA-F]"
_ESCAPE = re.compile(rf"""\\(?:([\\'"abfnrtv])|x({_HEX}{{2}})|u({_HEX}{{4}})|U({_HEX}{{8}})|([0-7]{{1,3}}))""")
_LETTERS = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}
_quoted = json.JSONEncoder(ensure_ascii=True).encode


def json_of_literal(text: str) -> str:
    """As `repr` writes it: of None, True, False, numbers, strings, lists, tuples and dicts. ValueError for any other text.

    Linear in its length.
    """
    start = _skip(text, 0)
    if text[start : start + 1] not in ("[", "{") or text[-9:].rstrip(_SPACE)[-1:] not in ("]", "}"):
        raise ValueError
    try:
        return _Reader(text).read()
    except IndexError:  # the text ends too early
        raise ValueError from None


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._json: list[str] = []
        # The closing brackets of what has been opened, and how many members each has.
        self._opened: list[str] = []
        self._members: list[int] = []

    def read(self) -> str:
        self._open(self._next())
        while self._opened:
            if self._next() == self._opened[-1]:
                self._close()
                self._after_value()
            else:
                self._member()
        if _skip(self._text, self._at) != len(self._text):
            raise ValueError
        return "".join(self._json)

    def _next(self) -> str:
        self._at = _skip(self._text, self._at)
        return self._text[self._at]

    def _open(self, bracket: str) -> None:
        self._at += 1
        self._json.append("{" if bracket == "{" else "[")
        self._opened.append(_CLOSINGS[bracket])
        self._members.append(0)
        if len(self._opened) > _DEEPEST:
            raise ValueError

    def _close(self) -> None:
        self._at += 1
        self._members.pop()
        self._json.append("}" if self._opened.pop() == "}" else "]")

    def _member(self) -> None:
        if self._members[-1] > 0:
            self._json.append(",")
        self._members[-1] += 1
        if self._opened[-1] == "}":
            self._atom(is_key=True)
            if self._next() != ":":
                raise ValueError
            self._at += 1
            self._json.append(":")
        char = self._next()
        if char in _CLOSINGS:
            self._open(char)
        else:
            self._atom(is_key=False)
            self._after_value()

    def _after_value(self) -> None:
        """Takes the closing brackets and the comma behind a value."""
        while self._opened:
            char = self._next()
            if char == ",":
                self._at += 1
                return
            # Without a comma, one value in parentheses is that value.
            if char != self._opened[-1] or (char == ")" and self._members[-1] == 1):
                raise ValueError
            self._close()

    def _atom(self, is_key: bool) -> None:
        """A string, number or constant; keys are strings in JSON."""
        if self._text[self._at] in "'\"":
            self._string()
            return
        found = _ATOM.match(self._text, self._at)
        if not found:
            raise ValueError
        self._at = found.end()
        written = _CONSTANTS.get(found.group(), found.group())
        self._json.append(f'"{written}"' if is_key else written)

    def _string(self) -> None:
        plain = _PLAIN.match(self._text, self._at)
        if plain:
            self._json.append(f'"{plain.group()[1:-1]}"')
            self._at = plain.end()
            return
        text, quote, at = self._text, self._text[self._at], self._at + 1
        pieces = ['"']
        while True:
            found = _SPECIAL.search(text, at)
            if not found:
                raise ValueError
            char = found.group()
            pieces.append(text[at : found.start()])
            at = found.end()
            if char == quote:
                break
            if char in "'\"":
                pieces.append('\\"' if char == '"' else char)
                continue
            escaped = _ESCAPE.match(text, found.start())
            if not escaped:
                raise ValueError
            pieces.append(_quoted(_character(escaped))[1:-1])
            at = escaped.end()
        pieces.append('"')
        self._json.append("".join(pieces))
        self._at = at


def _skip(text: str, at: int) -> int:
    found = _SPACES.match(text, at)
    return found.end() if found else at


def _character(escaped: re.Match[str]) -> str:
    letter, two, four, eight, octal = escaped.groups()
    if letter:
        return _LETTERS.get(letter, letter)
    return chr(int(octal, 8) if octal else int(two or four or eight, 16))
