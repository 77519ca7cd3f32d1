"""Arrays as a call gives them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, Mapping, Optional

import numpy as np
from numpy.typing import NDArray

from .values import Array

if TYPE_CHECKING:
    from torch import Tensor as TorchTensor


class Tensors(Mapping[str, Array]):
    """NumPy arrays by name, as the service counts and names them.

    Arrays of bfloat16 have the type of ml_dtypes where that is installed; elsewhere they are uint16, the bits of each
    element, and ``dtypes`` says ``bfloat16`` all the same.
    """

    dtypes: Dict[str, str]
    """Element types of the service, as ``bfloat16``."""
    metadata: Dict[str, str]
    """What the service says of the answer, all in strings: the counts, and the position scheme's numbers."""
    headers: Dict[str, str]
    """Headers of the answer, their names in small letters, as ``etag``."""

    def __init__(
        self,
        arrays: Dict[str, Array],
        dtypes: Dict[str, str],
        metadata: Dict[str, str],
        headers: Dict[str, str],
    ) -> None:
        self._arrays = arrays
        self.dtypes = dtypes
        self.metadata = metadata
        self.headers = headers

    def __getitem__(self, name: str) -> Array:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        shapes = ", ".join(f"{name}: {self.dtypes[name]} {list(self[name].shape)}" for name in self)
        return f"Tensors({shapes})"

    @property
    def model(self) -> Optional[str]:
        return self.metadata.get("model")

    @property
    def model_version(self) -> Optional[str]:
        """Which set of the model's tables the rows are of."""
        return self.metadata.get("model_version") or self.headers.get("x-model-version")

    @property
    def counts(self) -> Dict[str, int]:
        """What the answer was made of, before batching: ``num_tokens``, ``num_windows`` and so on."""
        return {name: int(text) for name, text in self.metadata.items() if name.startswith("num_")}

    def torch(self, name: str) -> TorchTensor:
        """One of them as a torch tensor over the same memory."""
        import torch

        array = self[name]
        if self.dtypes[name] == "bfloat16":
            return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
        return torch.from_numpy(array)

    def to_torch(self) -> Dict[str, TorchTensor]:
        """All of them as torch tensors over the same memory."""
        return {name: self.torch(name) for name in self}


class Embeddings:
    """One embedding of each text: ``array`` is float32 [texts, dimensions]."""

    def __init__(self, array: NDArray[np.float32], answer: Mapping[str, Any]) -> None:
        self.array = array
        self.model: str = answer["model"]
        self.model_version: str = answer["model_version"]
        self.num_tokens: int = answer["usage"]["total_tokens"]

    def torch(self) -> TorchTensor:
        """The array as a torch tensor over the same memory."""
        import torch

        return torch.from_numpy(self.array)
