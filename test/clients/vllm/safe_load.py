"""What vLLM does with `prompt_embeds`, rewritten: vllm/renderers/embed_utils.py, `safe_load_prompt_embeds` of 0.33."""

import base64
import io

import torch

MAX_BYTES = 2 * 1024**3


def safe_load_prompt_embeds(text, config, dtype):
    """A tensor [T, C] of the model's dtype. Raises ValueError as vLLM answers 400."""
    file = io.BytesIO(base64.b64decode(text, validate=True))
    with torch.sparse.check_sparse_tensor_invariants():
        tensor = torch.load(file, weights_only=True, map_location=torch.device("cpu"))
    if not isinstance(tensor, torch.Tensor):
        raise ValueError("not a tensor")
    if tensor.layout is not torch.strided or tensor.numel() * tensor.element_size() > MAX_BYTES:
        raise ValueError("too large, or not dense")
    if not tensor.is_floating_point():
        raise ValueError(f"{tensor.dtype} is not floating")
    if tensor.dim() > 2:
        tensor = tensor.squeeze(0)
    if tensor.dim() != 2:
        raise ValueError(f"{tensor.dim()} axes")
    width = getattr(config, "word_embed_proj_dim", None) or config.hidden_size
    if tensor.shape[1] != width:
        raise ValueError(f"hidden_size {tensor.shape[1]} does not match the model's hidden_size {width}")
    return tensor.to(dtype)
