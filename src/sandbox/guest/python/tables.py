"""Tables of pandas as lists and objects. Their form is told in docs/results.md; nothing of an index is lost."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Callable

    # A label of an index or a column, as the key of an object.
    NameOf = Callable[[Any], str]


def records(frame: Any, name_of: NameOf) -> list[dict[str, Any]]:
    """The rows of a DataFrame: the levels of its index first, unless that only counts them, then its columns."""
    columns = [(_label(label, name_of), frame.iloc[:, at]) for at, label in enumerate(frame.columns)]
    return _rows(frame.index, columns, name_of)


def series(value: Any, name_of: NameOf) -> Any:
    """A list where the index only counts, an object by labels that are all different, else rows."""
    index = value.index
    if only_counts(index):
        return cells(value)
    if index.nlevels == 1:
        names = [_label(label, name_of) for label in index.tolist()]
        if len(set(names)) == len(names):
            return dict(zip(names, cells(value)))
    name = "value" if value.name is None else _label(value.name, name_of)
    return _rows(index, [(name, value)], name_of)


def cells(values: Any) -> list[Any]:
    """The values of a Series, an Index or an array; those that are missing are None."""
    if getattr(values, "nlevels", 1) > 1:
        return list(zip(*(cells(values.get_level_values(level)) for level in range(values.nlevels))))
    listed = values.tolist()
    if getattr(values.dtype, "kind", "") == "M":
        listed = [moment.isoformat() for moment in listed]
    missing = values.isna()
    if not missing.any():
        return listed
    return [None if is_missing else cell for cell, is_missing in zip(listed, missing.tolist())]


def only_counts(index: Any) -> bool:
    """Whether an index has nothing to say: 0, 1, 2 and so on, without a name."""
    return type(index).__name__ == "RangeIndex" and index.name is None and index.start == 0 and index.step == 1


def _rows(index: Any, columns: list[tuple[str, Any]], name_of: NameOf) -> list[dict[str, Any]]:
    taken: set[str] = set()
    names = [_free(name, taken) for name, _column in columns]
    values = [cells(column) for _name, column in columns]
    if not only_counts(index):
        levels = range(index.nlevels)
        for at in levels:
            label = index.names[at]
            unnamed = "index" if index.nlevels == 1 else f"level_{at}"
            names.insert(at, _free(unnamed if label is None else _label(label, name_of), taken))
        values = [cells(index.get_level_values(at)) for at in levels] + values
    return [dict(zip(names, row)) for row in zip(*values)]


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _label(label: Any, name_of: NameOf) -> str:
    """Of a label with several parts those that are not empty, with a slash between them."""
    if isinstance(label, tuple):
        return "/".join(_label(part, name_of) for part in label if part != "")
    return "null" if isinstance(label, float) and label != label else name_of(label)
