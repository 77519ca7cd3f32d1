"""What a caller's own checker sees; each `ignore` is needed, or mypy says so."""

from typing import Any, List, Optional

import numpy as np
from numpy.typing import NDArray

from inlet_client import AsyncInlet, Inlet, OutputName, Tensors


def rows(inlet: Inlet) -> NDArray[Any]:
    inlet.input_embeddings("Hello", dtype="float64")  # type: ignore[arg-type]
    inlet.input_embeddings("Hello", outputs=7)  # type: ignore[arg-type]
    names: List[OutputName] = ["input_ids", "cos"]
    texts: List[str] = [str(name) for name in names]
    inlet.input_embeddings("Hello", outputs=names)
    inlet.input_embeddings("Hello", outputs=texts)
    inlet.input_embeddings("Hello", block_size=4)  # type: ignore[call-arg]
    inlet.detokenize()  # type: ignore[call-arg]
    scheme: Tensors = inlet.position_embeddings(4, position_embedding={"type": "rope", "head_dim": 8})
    inlet.input_embeddings(input_ids=np.arange(4), seed=2**64 - 1, position_embedding="alibi")
    inlet.render_chat(7)  # type: ignore[arg-type]
    rendered: List[int] = inlet.render_chat([{"role": "user", "content": "Hello"}]).get("token_ids", [])
    rendered += inlet.render_completion("Hello", target="sglang")[0].get("input_ids", [])
    text: str = inlet.detokenize([1, 2])["text"]
    size: Optional[int] = inlet.model("default")["embedding_dim"]
    for batch in inlet.batches("Hello", batch_size=8, ids_dtype="int64"):
        scheme = batch
    inlet.batches("Hello")  # type: ignore[call-arg]
    return scheme[f"{text}{size}"]


async def awaited(inlet: AsyncInlet) -> Tensors:
    for batch in await inlet.batches("Hello", batch_size=8):
        print(batch.counts)
    return await inlet.input_embeddings("Hello", context_length=4)
