"""Arrays as a call gives them."""

# torch's types are known only where torch is installed.
# pyright: reportUnknownMemberType=false, reportUnknownParameterType=false, reportUnknownVariableType=false

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Dict, Iterator, Mapping, Optional

from .needed import needed
from .values import Array

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from torch import Tensor as TorchTensor  # pyright: ignore[reportAttributeAccessIssue]


OF_WINDOWS = frozenset(
    [
        "input_embeddings",
        "token_embeddings",
        "inputs_embeds",
        "input_ids",
        "target_ids",
        "attention_mask",
        "position_ids",
        "document_ids",
        "window_starts",
    ]
)
"""The tensors whose first axis counts windows."""

OF_TOKENS = ["input_ids", "token_ranges"]
"""The tensors of ``tokenize`` whose first axis counts tokens."""


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
        torch = needed("torch", "Tensors.torch", "torch")
        array = self[name]
        is_bfloat16 = self.dtypes[name] == "bfloat16"
        tensor: TorchTensor = torch.from_numpy(array.view("int16") if is_bfloat16 else array)
        return tensor.view(torch.bfloat16) if is_bfloat16 else tensor

    def to_torch(self) -> Dict[str, TorchTensor]:
        """All of them as torch tensors over the same memory."""
        return {name: self.torch(name) for name in self}

    def batches(self, batch_size: int) -> Iterator[Tensors]:
        """The loader's batches, of an answer to ``batch_size`` without ``batch_index``: views of its arrays.

        Tensors that all windows share, as those of a position scheme, are in each batch as they are.
        """
        counts = self.counts
        windows = counts["num_windows"] - counts.get("num_dropped_windows", 0)
        for start in range(0, windows, batch_size):
            arrays = {
                name: array[start : start + batch_size] if name in OF_WINDOWS else array
                for name, array in self._arrays.items()
            }
            yield Tensors(arrays, self.dtypes, self.metadata, self.headers)

    def documents(self) -> Iterator[Tensors]:
        """The texts of an answer of ``tokenize`` to a list, in their order: views of its arrays.

        :raises KeyError: where the answer has no ``document_starts``, as that to a single text
        """
        starts = [int(start) for start in self["document_starts"]]
        shared = {name: text for name, text in self.metadata.items() if name != "num_characters"}
        for start, end in zip(starts, starts[1:]):
            arrays = {name: self[name][start:end] for name in OF_TOKENS if name in self}
            yield Tensors(arrays, self.dtypes, {**shared, "num_tokens": str(end - start)}, self.headers)


class Embeddings:
    """One embedding of each text: ``array`` is float32 [texts, dimensions], or int8 or uint8 where ``output_dtype``
    asks for it, packed types [texts, dimensions / 8].
    """

    def __init__(self, array: NDArray[Any], answer: Mapping[str, Any]) -> None:
        self.array = array
        self.model: str = answer["model"]
        self.model_version: str = answer["model_version"]
        self.num_tokens: int = answer["usage"]["total_tokens"]

    def __repr__(self) -> str:
        return f"Embeddings({list(self.array.shape)}, model={self.model!r})"

    def torch(self) -> TorchTensor:
        """The array as a torch tensor over the same memory."""
        tensor: TorchTensor = needed("torch", "Embeddings.torch", "torch").from_numpy(self.array)
        return tensor
