"""Small random configurations of every family: `small(model_type, r)` gives the keyword arguments of its config."""


def small(family, r):
    """What differs from the class's defaults: odd sizes, one layer. `r` is a random.Random."""
    heads = r.choice([1, 2, 3, 4])
    head_dim = 2 * r.randint(1, 6)
    common = {"vocab_size": r.randint(29, 260), "hidden_size": heads * head_dim, "num_attention_heads": heads,
              "num_hidden_layers": 1, "intermediate_size": 12, "max_position_embeddings": r.randint(24, 70)}
    made = SMALL[family](r, dict(common), heads, head_dim)
    vocabulary = made.get("vocab_size", common["vocab_size"])
    for name in ("bos_token_id", "eos_token_id"):
        made.setdefault(name, r.randrange(vocabulary))
    if family not in WITHOUT_PAD:
        made.setdefault("pad_token_id", r.choice([0, 1, 2, r.randrange(vocabulary)]))
    elif r.random() < 0.5:
        made.setdefault("pad_token_id", r.randrange(vocabulary))
    return made


# Families whose pad has no default: half of them have none here.
WITHOUT_PAD = {"gpt2", "gpt_neo", "gpt_bigcode", "gptj", "codegen", "mpt", "falcon", "ctrl", "openai-gpt", "gpt_neox",
               "bloom", "llama", "llama4_text", "llama4", "mistral", "mixtral", "ministral", "qwen2", "qwen2_moe", "qwen3",
               "qwen3_moe", "qwen3_next", "phi", "stablelm", "starcoder2", "deepseek_v2", "deepseek_v3", "gpt_oss",
               "nemotron", "granite", "granitemoe"}


def decoder(r, made, heads, head_dim, **more):
    made.pop("hidden_size")
    return {**made, "hidden_size": heads * head_dim, "num_key_value_heads": r.choice([1, heads]), **more}


def own_head(r, made, heads, head_dim, **more):
    """Width and heads have nothing to do with each other: the width may be odd."""
    made = decoder(r, made, heads, head_dim, **more)
    return {**made, "hidden_size": r.randint(5, 40), "head_dim": head_dim}


def experts(r, made, heads, head_dim, **more):
    return decoder(r, made, heads, head_dim, num_local_experts=2, num_experts=2, num_experts_per_tok=1,
                   moe_intermediate_size=6, shared_expert_intermediate_size=6, **more)


def gpt(r, made, heads, head_dim, **more):
    width = heads * r.choice([head_dim, 3, 5, 7]) if not more else heads * head_dim
    return {"vocab_size": made["vocab_size"], "n_embd": width, "n_head": heads, "n_layer": 1,
            "n_positions": made["max_position_embeddings"], **more}


def gptj(r, made, heads, head_dim):
    heads = 4
    return gpt(r, made, heads, 2 * head_dim, rotary_dim=r.choice([2, head_dim, 2 * head_dim]))


def encoder(r, made, heads, head_dim, **more):
    made["hidden_size"] = heads * r.choice([head_dim, 5, 9])
    return {**made, "type_vocab_size": r.choice([1, 2, 3, 5]), "layer_norm_eps": r.choice([1e-12, 1e-5, 1e-3]), **more}


def after_pad(r, made, heads, head_dim):
    pad = r.choice([0, 1, 3, 7])
    return encoder(r, made, heads, head_dim, pad_token_id=pad)


def deberta(r, made, heads, head_dim, **more):
    made = encoder(r, made, heads, head_dim, position_biased_input=r.random() < 0.5, pos_att_type=["c2p", "p2c"],
                   relative_attention=r.random() < 0.7, type_vocab_size=r.choice([0, 0, 2, 3]),
                   max_relative_positions=r.choice([-1, 17]), **more)
    return {**made, "embedding_size": r.choice([made["hidden_size"], 7, 12])}


def deberta2(r, made, heads, head_dim):
    return deberta(r, made, heads, head_dim, position_buckets=r.choice([-1, 8]))


def bart(r, made, heads, head_dim):
    width = heads * r.choice([head_dim, 5, 9])
    return {"vocab_size": made["vocab_size"], "d_model": width, "encoder_layers": 1, "decoder_layers": 1,
            "encoder_attention_heads": heads, "decoder_attention_heads": heads, "encoder_ffn_dim": 8,
            "decoder_ffn_dim": 8, "max_position_embeddings": made["max_position_embeddings"],
            "scale_embedding": r.random() < 0.6}


def t5(r, made, heads, head_dim):
    return {"vocab_size": made["vocab_size"], "d_model": r.randint(5, 33), "d_kv": head_dim, "d_ff": 8, "num_layers": 1,
            "num_decoder_layers": 1, "num_heads": heads, "relative_attention_num_buckets": r.choice([8, 32, 32]),
            "relative_attention_max_distance": r.choice([20, 128])}


def opt(r, made, heads, head_dim):
    width = heads * r.choice([head_dim, 5])
    return {"vocab_size": made["vocab_size"], "hidden_size": width, "num_attention_heads": heads, "num_hidden_layers": 1,
            "ffn_dim": 8, "max_position_embeddings": made["max_position_embeddings"],
            "word_embed_proj_dim": r.choice([width, 7, 13, 20]), "do_layer_norm_before": r.random() < 0.5}


def deepseek(r, made, heads, head_dim):
    return {**decoder(r, made, heads, head_dim), "q_lora_rank": 6, "kv_lora_rank": 8, "qk_nope_head_dim": 4,
            "qk_rope_head_dim": head_dim, "v_head_dim": 6, "n_routed_experts": 4, "moe_intermediate_size": 6,
            "first_k_dense_replace": 1, "num_experts_per_tok": 1, "n_group": 1, "topk_group": 1, "n_shared_experts": 1,
            "num_key_value_heads": heads}


def falcon(r, made, heads, head_dim):
    return {"vocab_size": made["vocab_size"], "hidden_size": heads * head_dim, "num_attention_heads": heads,
            "num_hidden_layers": 1, "alibi": r.random() < 0.5, "max_position_embeddings": made["max_position_embeddings"]}


def falcon_h1(r, made, heads, head_dim):
    return {**decoder(r, made, heads, head_dim), "mamba_d_ssm": 16, "mamba_n_heads": 2, "mamba_d_head": 8,
            "mamba_d_state": 4, "mamba_n_groups": 1, "embedding_multiplier": r.choice([1.0, 5.656854249492381, 0.3])}


def granite(r, made, heads, head_dim):
    return experts(r, made, heads, head_dim, embedding_multiplier=r.choice([12.0, 1.0, 3.7, 0.1]))


def multimodal(text, vision):
    def make(r, made, heads, head_dim):
        config = text(r, made, heads, head_dim)
        return {"text_config": config, "vision_config": vision, "eos_token_id": config.setdefault("eos_token_id", 3),
                "pad_token_id": config.setdefault("pad_token_id", 2), "bos_token_id": 1}
    return make


def gemma(r, made, heads, head_dim):
    made = own_head(r, made, heads, head_dim, layer_types=["full_attention"])
    return {**made, "hidden_size": heads * r.randint(3, 11)}


def llama4(r, made, heads, head_dim):
    return own_head(r, made, heads, head_dim, intermediate_size_mlp=8, num_local_experts=2, layer_types=["full_attention"])


SIGLIP = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8, "image_size": 28,
          "patch_size": 14}
LLAMA4_VISION = {**SIGLIP, "vision_output_dim": 8, "projector_input_dim": 8, "projector_output_dim": 8}

SMALL = {
    "gpt2": gpt, "gpt_bigcode": gpt, "openai-gpt": gpt,
    "gpt_neo": lambda r, m, h, d: {**m, "hidden_size": h * 5, "num_heads": h, "num_layers": 1,
                                   "attention_types": [[["global"], 1]]},
    "gptj": gptj, "codegen": gptj,
    "mpt": lambda r, m, h, d: {"vocab_size": m["vocab_size"], "d_model": h * d, "n_heads": h, "n_layers": 1,
                               "max_seq_len": m["max_position_embeddings"]},
    "falcon": falcon,
    "xlnet": lambda r, m, h, d: {"vocab_size": m["vocab_size"], "d_model": h * d, "n_head": h, "n_layer": 1, "d_inner": 8,
                                 "clamp_len": r.choice([-1, 5])},
    "ctrl": lambda r, m, h, d: {**gpt(r, m, h, d, dff=8)},
    "gpt_neox": lambda r, m, h, d: {**decoder(r, m, 2, 8 * r.randint(1, 3)), "num_attention_heads": 2},
    "bloom": lambda r, m, h, d: {"vocab_size": m["vocab_size"], "hidden_size": h * d, "n_head": h, "n_layer": 1,
                                 "layer_norm_epsilon": r.choice([1e-5, 1e-3])},
    "opt": opt,
    "xglm": lambda r, m, h, d: {"vocab_size": m["vocab_size"], "d_model": h * r.choice([d, 5, 9]), "attention_heads": h,
                                "num_layers": 1, "ffn_dim": 8, "max_position_embeddings": m["max_position_embeddings"],
                                "scale_embedding": r.random() < 0.7, "pad_token_id": r.choice([0, 1, 5])},
    "llama": decoder, "mistral": own_head, "ministral": own_head, "mixtral": experts, "qwen2": decoder,
    "qwen2_moe": experts, "qwen3": own_head, "qwen3_moe": experts, "phi3": decoder, "olmo": decoder, "olmo2": decoder,
    "olmo3": lambda r, m, h, d: decoder(r, m, h, d, layer_types=["full_attention"]), "olmoe": experts, "starcoder2": decoder, "cohere": decoder, "cohere2": decoder,
    "qwen3_next": lambda r, m, h, d: own_head(r, m, h, 8 * r.randint(1, 3), layer_types=["full_attention"], num_experts=2,
                                              num_experts_per_tok=1, moe_intermediate_size=6,
                                              shared_expert_intermediate_size=6, linear_num_value_heads=2,
                                              linear_num_key_heads=2, linear_key_head_dim=4, linear_value_head_dim=4),
    "phi": lambda r, m, h, d: decoder(r, m, h, 4 * r.randint(1, 4)),
    "stablelm": lambda r, m, h, d: decoder(r, m, h, 8 * r.randint(1, 3)),
    "nemotron": lambda r, m, h, d: decoder(r, m, h, 4 * r.randint(1, 4)),
    "glm": lambda r, m, h, d: own_head(r, m, h, 4 * r.randint(1, 4)),
    "glm4": lambda r, m, h, d: own_head(r, m, h, 4 * r.randint(1, 4)),
    "deepseek_v2": deepseek, "deepseek_v3": deepseek, "gpt_oss": lambda r, m, h, d: {
        **own_head(r, m, h, d), "num_local_experts": 2, "num_experts_per_tok": 1, "layer_types": ["full_attention"]},
    "smollm3": decoder, "granite": granite, "granitemoe": granite, "falcon_h1": falcon_h1,
    "gemma": own_head, "gemma2": gemma, "gemma3_text": gemma, "gemma3": multimodal(gemma, SIGLIP),
    "llama4_text": llama4, "llama4": multimodal(llama4, LLAMA4_VISION),
    "t5": t5, "mt5": t5, "umt5": t5, "bart": bart, "mbart": bart,
    "bert": encoder, "roberta": after_pad, "xlm-roberta": after_pad, "camembert": after_pad, "mpnet": after_pad,
    "distilbert": lambda r, m, h, d: {"vocab_size": m["vocab_size"], "dim": h * r.choice([d, 5]), "n_heads": h,
                                      "n_layers": 1, "hidden_dim": 8,
                                      "max_position_embeddings": m["max_position_embeddings"]},
    "electra": lambda r, m, h, d: {**encoder(r, m, h, d), "embedding_size": r.choice([m["hidden_size"], 7, 12])},
    "albert": lambda r, m, h, d: {**encoder(r, m, h, d), "embedding_size": r.choice([7, 12, 16])},
    "deberta": deberta, "deberta-v2": deberta2,
    "modernbert": lambda r, m, h, d: {**m, "norm_bias": r.random() < 0.5, "norm_eps": r.choice([1e-5, 1e-3]),
                                      "cls_token_id": 1, "sep_token_id": 2, "layer_types": ["full_attention"]},
}

# Scaled, normalised or projected: these are tried more often.
MANY = {"gemma", "gemma2", "gemma3_text", "gemma3", "granite", "granitemoe", "falcon_h1", "ctrl", "xglm", "bart", "mbart",
        "bloom", "opt", "bert", "roberta", "xlm-roberta", "camembert", "distilbert", "electra", "albert", "mpnet",
        "deberta", "deberta-v2", "modernbert"}
NORMALISED = {"bloom", "bart", "mbart", "bert", "roberta", "xlm-roberta", "camembert", "distilbert", "electra", "albert",
              "mpnet", "deberta", "deberta-v2", "modernbert"}
WITHOUT_TYPES = {"mpnet", "distilbert", "modernbert", "bloom", "bart", "mbart"}
SINES = {"ctrl", "xglm"}
PROJECTED = {"opt", "electra", "albert", "deberta", "deberta-v2"}
