"""What a caller's own checker sees; each `ignore` is needed, or mypy says so."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from inlet_client import Inlet, Tensors


def rows(inlet: Inlet) -> NDArray[Any]:
    inlet.input_embeddings("Hello", dtype="float64")  # type: ignore[arg-type]
    inlet.input_embeddings("Hello", outputs=["labels"])  # type: ignore[list-item]
    inlet.input_embeddings("Hello", max_length=4)  # type: ignore[call-arg]
    inlet.tokenize()  # type: ignore[call-arg]
    scheme: Tensors = inlet.position_embeddings("default", 4, position_embedding={"type": "rope", "head_dim": 8})
    inlet.input_embeddings(input_ids=np.arange(4), seed=2**64 - 1, position_embedding="alibi")
    text: str = inlet.detokenize([1, 2])["text"]
    size: int = inlet.model("default")["embedding_dim"]
    return scheme[f"{text}{size}"]
