"""What transformers itself gives to a model's blocks."""

import transformers
import torch


class Reached(Exception):
    pass


def load(path):
    """The model as `from_pretrained` reads it, in its own dtype."""
    name = (transformers.AutoConfig.from_pretrained(path).architectures or [""])[0]
    if name.endswith("ForQuestionAnswering"):  # some of these call their base otherwise
        model = getattr(transformers, name).from_pretrained(path, attn_implementation="eager").eval()
        return getattr(model, "transformer", model.base_model)
    return transformers.AutoModel.from_pretrained(path, attn_implementation="eager").eval()


def text_model(model):
    """The language model of a model that sees; the model itself otherwise."""
    return getattr(model, "language_model", model)


def first_block(model):
    names = ("layers", "layer", "h", "block", "blocks", "albert_layer_groups")
    where = model.get_encoder() if model.config.is_encoder_decoder else text_model(model)
    for name, module in where.named_modules():
        if isinstance(module, torch.nn.ModuleList) and name.split(".")[-1] in names and len(module) > 0:
            return module[0]
    raise LookupError(f"no blocks in {type(model).__name__}")


@torch.no_grad()
def block_input(model, **inputs):
    """The first argument of the first block."""
    seen = {}

    def hook(_, arguments, named):
        seen["rows"] = arguments[0] if arguments else named.get("hidden_states", named.get("output_h"))
        raise Reached

    handle = first_block(model).register_forward_pre_hook(hook, with_kwargs=True)
    where = model.get_encoder() if model.config.is_encoder_decoder else model
    try:
        where(**inputs)
    except Reached:
        pass
    finally:
        handle.remove()
    rows = seen["rows"].detach().clone()
    return rows.transpose(0, 1) if model.config.model_type == "xlnet" else rows


@torch.no_grad()
def inputs_embeds(model, ids):
    """B, an encoder's where there is a decoder. Falcon-H1 multiplies where it looks up, so what it takes instead of ids is multiplied."""
    if model.config.is_encoder_decoder:
        model = model.get_encoder()
    rows = model.get_input_embeddings()(ids)
    return rows * model.config.embedding_multiplier if model.config.model_type == "falcon_h1" else rows
