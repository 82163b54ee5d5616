"""How a result is sent: in one piece, or its JSON in parts, as far as it may be kept, and then its start."""

from __future__ import annotations

from .values import OutputLimit, plain_once, to_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

# A result of at most so much, beside images and the like, is sent in one piece.
_ONE_PIECE = 500_000
# The start of a longer one, of which the host shows what fits into its answer.
_START_BYTES = 200_000
_PART_CHARACTERS = 1 << 16


def send_result(value: Any, most_bytes: int, send_part: Callable[[str], None]) -> str:
    """Sends the parts of a long result; gives the frame that ends the run."""
    if value is None:
        return '{"type":"done"}'
    value = plain_once(value)  # a table becomes rows once
    try:
        return f'{{"type":"done","value":{to_json(value, min(_ONE_PIECE, most_bytes))}}}'
    except OutputLimit:
        pass
    total, unit, start, _kept = _leading(value, min(_START_BYTES, most_bytes))
    try:
        text, kept = to_json(value, most_bytes), total
    except OutputLimit:
        _total, _unit, text, kept = _leading(value, most_bytes)
    for at in range(0, len(text), _PART_CHARACTERS):
        send_part(text[at : at + _PART_CHARACTERS])
    parts = f'{{"unit":"{unit}","total":{total},"kept":{kept}}}'
    return f'{{"type":"done","value":{start},"parts":{parts}}}'


def _leading(value: Any, most: int) -> tuple[int, str, str, int]:
    """Of a value how many members it has, what they are, the JSON of as many leading ones as fit, and their number.

    Of the first, where that alone does not fit, its own start.
    """
    plain = plain_once(value)
    if isinstance(plain, str):
        text, kept = _leading_text(plain, most)
        return len(plain), "characters", text, kept
    if isinstance(plain, dict):
        pairs = list(plain.items())
        texts, kept = _fitting(len(pairs), most - 2, lambda start, end, left: to_json(dict(pairs[start:end]), left))
        if kept == 0 and pairs:
            key, item = pairs[0]
            name = to_json(str(key), most)
            texts, kept = [f"{name}:{_leading(item, max(most - len(name.encode()) - 3, 0))[2]}"], 1
        return len(pairs), "keys", "{" + ",".join(texts) + "}", kept
    if isinstance(plain, list):
        items: list[Any] = plain
        texts, kept = _fitting(len(items), most - 2, lambda start, end, left: to_json(items[start:end], left))
        if kept == 0 and items:
            texts, kept = [_leading(items[0], max(most - 2, 0))[2]], 1
        return len(items), "items", "[" + ",".join(texts) + "]", kept
    return 1, "items", to_json(plain, 1 << 20), 1


def _leading_text(text: str, most: int) -> tuple[str, int]:
    kept = min(len(text), max(most, 0))
    while True:
        json = to_json(text[:kept], 1 << 40)
        length = len(json.encode(errors="replace"))
        if length <= most or kept == 0:
            return json, kept
        kept = int(kept * min(0.95, most / length))


def _fitting(total: int, most: int, text_of: Callable[[int, int, int], str]) -> tuple[list[str], int]:
    """Members in stretches that double while they fit, and halve when they do not."""
    texts: list[str] = []
    kept, left, stretch = 0, most, 1
    while kept < total and stretch >= 1:
        end = min(kept + stretch, total)
        try:
            text = text_of(kept, end, max(left + 1, 0))[1:-1]
        except OutputLimit:
            stretch = (end - kept) // 2
            continue
        texts.append(text)
        left -= len(text.encode(errors="replace")) + 1
        kept = end
        stretch *= 2
    return texts, kept
