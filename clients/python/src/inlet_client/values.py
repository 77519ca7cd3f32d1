"""What calls take beyond what JSON has, and how it is written."""

from __future__ import annotations

import json
import uuid
from importlib import import_module
from typing import TYPE_CHECKING, Any, Iterator, Mapping, Optional, Sequence, Union, cast
from urllib.parse import urlencode

# NumPy is imported by the functions that make arrays: the others are there without it, and at once.
if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]
else:
    Array = Any
Ids = Union[Sequence[int], Sequence[Sequence[int]], Array, Sequence[Array]]
Numbers = Union[Sequence[float], Sequence[Sequence[float]], Array, Sequence[Array]]
TensorFile = Union[Mapping[str, Any], bytes]
"""NumPy arrays or torch tensors by name, or a safetensors file."""

Fields = Mapping[str, Any]

EXACT = 2**53
"""JSON's numbers are exact below this; the service takes larger seeds as strings."""


def new_key() -> str:
    """A name for one call, which no other has: `Idempotency-Key`."""
    return uuid.uuid4().hex


def plain(value: Any) -> Any:
    """As JSON has it: arrays become lists, element types their names, large integers strings.

    >>> plain({"seed": 2**63, "input_ids": [np.arange(2)], "dtype": np.float16})
    {'seed': '9223372036854775808', 'input_ids': [[0, 1]], 'dtype': 'float16'}
    """
    if isinstance(value, type):
        return value.__name__
    if type(value).__name__.lower().endswith("dtype"):  # of NumPy, and of torch
        return str(value).split(".")[-1]
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        entries = cast(Fields, value).items()
        return {name: plain(inner) for name, inner in entries if inner is not None}
    if isinstance(value, (list, tuple)):
        items = cast(Sequence[Any], value)
        numbers = not items or type(items[0]) in (int, float)
        return list(items) if numbers else [plain(inner) for inner in items]
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= EXACT:
        return str(value)
    return value


def json_body(fields: Fields) -> bytes:
    return json.dumps(plain(fields), ensure_ascii=False, separators=(",", ":"), default=_refused).encode()


def _refused(value: object) -> None:
    raise TypeError(f"A field must be what JSON has, an array or an element type. Given: {value!r}")


def query_string(fields: Fields) -> str:
    """Lists with commas, objects with dots.

    >>> query_string({"outputs": ["cos", "sin"], "position_embedding": {"type": "rope", "head_dim": 8}})
    'outputs=cos%2Csin&position_embedding=rope&position_embedding.head_dim=8'
    """
    given = plain(fields)
    return urlencode([pair for name, value in given.items() for pair in _pairs(name, value)])


def _pairs(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in cast(Fields, value).items():
            # The type of a field stands for the field: its options follow it.
            is_type = key == "type" and "." not in name
            yield from _pairs(name if is_type else f"{name}.{key}", inner)
    elif isinstance(value, list):
        yield name, ",".join(map(_text, cast(Sequence[Any], value)))
    else:
        yield name, _text(value)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=_refused)


def metadata_of(fields: Optional[Fields]) -> dict[str, str]:
    """Fields as a safetensors file says them, in strings."""
    given = plain(fields or {})
    return {name: value if isinstance(value, str) else json.dumps(value) for name, value in given.items()}


def array_of(value: Any) -> tuple[Array, Optional[str]]:
    """An array of a value, and its element type where NumPy does not know that."""
    import numpy as np

    if hasattr(value, "detach"):
        tensor = value.detach().cpu().contiguous()
        if str(tensor.dtype) == "torch.bfloat16":
            return tensor.view(import_module("torch").int16).numpy().view(np.uint16), "BF16"
        return tensor.numpy(), None
    return np.ascontiguousarray(value), None

