"""Safetensors files from and to arrays, without a copy of their numbers."""

from __future__ import annotations

import json
from importlib import import_module
from typing import TYPE_CHECKING, Any, Mapping, Optional, Tuple

from .values import Array, array_of

if TYPE_CHECKING:
    import numpy as np

DTYPES: Mapping[str, Tuple[str, str]] = {
    "F64": ("float64", "<f8"),
    "F32": ("float32", "<f4"),
    "F16": ("float16", "<f2"),
    "I64": ("int64", "<i8"),
    "I32": ("int32", "<i4"),
    "U8": ("uint8", "|u1"),
    "BOOL": ("bool", "|b1"),
}
"""Of a file's element type the wire's name and NumPy's. NumPy has none for BF16."""


def bfloat16() -> Optional[np.dtype[Any]]:
    """The type that ml_dtypes adds to NumPy, where that is installed."""
    try:
        ml_dtypes = import_module("ml_dtypes")
    except ImportError:
        return None
    import numpy as np

    dtype: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
    return dtype


def read(data: bytearray) -> Tuple[dict[str, Array], dict[str, str], dict[str, str]]:
    """A file's arrays, their element types and its metadata.

    :param data: its bytes. The arrays are views of them.
    """
    import numpy as np

    file = np.frombuffer(data, np.uint8)
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    metadata: dict[str, str] = header.pop("__metadata__", {})
    arrays: dict[str, Array] = {}
    dtypes: dict[str, str] = {}
    for name, entry in header.items():
        begin, end = (8 + length + offset for offset in entry["data_offsets"])
        if entry["dtype"] == "BF16":
            dtypes[name], dtype = "bfloat16", bfloat16() or np.dtype("<u2")
        else:
            dtypes[name], dtype = DTYPES[entry["dtype"]][0], np.dtype(DTYPES[entry["dtype"]][1])
        arrays[name] = file[begin:end].view(dtype).reshape(entry["shape"])
    return arrays, dtypes, metadata


def write(tensors: Mapping[str, Any], metadata: Mapping[str, str]) -> list[memoryview]:
    """The parts of a file, which share the arrays' memory.

    :param tensors: NumPy arrays or torch tensors by name; `Tensors` say which of theirs are bfloat16
    """
    import numpy as np

    known: Mapping[str, str] = getattr(tensors, "dtypes", {})
    entries: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    parts: list[memoryview] = []
    end = 0
    for name, value in tensors.items():
        array, dtype = array_of(value)
        dtype = dtype or ("BF16" if known.get(name) == "bfloat16" else _dtype_of(name, array))
        begin, end = end, end + array.nbytes
        entries[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [begin, end]}
        parts.append(array.reshape(-1).view(np.uint8).data)
    header = json.dumps(entries, ensure_ascii=False).encode()
    header += b" " * (-len(header) % 8)
    return [memoryview(len(header).to_bytes(8, "little") + header), *parts]


def _dtype_of(name: str, array: Array) -> str:
    import numpy as np

    if array.dtype.name == "bfloat16":
        return "BF16"
    for file_dtype, (dtype, layout) in DTYPES.items():
        if array.dtype.name == dtype:
            if array.dtype != np.dtype(layout):
                raise ValueError(f"{name} is big-endian: safetensors files are not")
            return file_dtype
    raise ValueError(f"{name} is of type {array.dtype}, which safetensors files of tables do not have")
