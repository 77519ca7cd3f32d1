"""Makes rope_types.ndjson.gz: the rotary frequencies of every model type of transformers 5.24 that Inlet serves.

pip install "transformers==5.24.*" torch; python test/goldens/rope_types.py > test/goldens/rope_types.ndjson.gz

A line is a type: its config.json with the defaults of its class (`config`, what counts for rope), and `cases`. A case's `set`
is laid over the part about text, `left_out` names of that part are taken away. `kinds` has, for each kind of layer with a
rope of its own ("" for all), [number of frequencies, the first, second, middle and last, the factor of cos and sin].
"""
import copy, gzip, inspect, json, logging, re, sys, warnings

from transformers import CONFIG_MAPPING

warnings.filterwarnings("ignore")
logging.disable(logging.CRITICAL)
TYPES = re.findall(r"^\| `([^`]+)` \|", open("docs/model-types.md").read(), re.M)
KEPT = re.compile(r"head|kv_channels|hidden_size|n_embd|n_embed|d_model|^dim$|emb_dim|embed_dim|rope|rotary|position|theta|partial|layer_types|model_type|alibi")
PARTS = ["text_config", "thinker_config", "encoder", "decoder"]
SCALINGS = {
    "linear": {"rope_type": "linear", "factor": 2.5},
    "dynamic": {"rope_type": "dynamic", "factor": 4.0},
    "alpha": {"rope_type": "dynamic", "factor": 1.0, "alpha": 1000.0},
    "yarn": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024},
    "llama3": {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 1024},
    "proportional": {"rope_type": "proportional", "partial_rotary_factor": 0.5},
    "mrope": {"type": "mrope", "mrope_section": [16, 24, 24]},
    "share": {"rope_type": "default", "partial_rotary_factor": 0.5},
    "truncate null": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024, "truncate": None},
    "longrope": {"rope_type": "longrope", "original_max_position_embeddings": 1024},
}

def kept(config):
    return {k: kept(v) if isinstance(v, dict) and k in PARTS else v for k, v in config.items()
            if (k in PARTS and isinstance(v, dict)) or (KEPT.search(k) and not isinstance(v, dict)) or k in ("rope_parameters", "rope_scaling")}

def text_of(config):
    config = getattr(config, "thinker_config", None) or config
    if config.model_type == "t5gemma2": config = config.encoder
    return getattr(config, "text_config", None) or config

def text_part(whole):
    """The dictionary of the same part, as config.json has it."""
    whole = whole["thinker_config"] if isinstance(whole.get("thinker_config"), dict) else whole
    if whole.get("model_type") == "t5gemma2": whole = whole["encoder"]
    return whole["text_config"] if isinstance(whole.get("text_config"), dict) else whole

def rotary_class(config):
    """The class that makes the frequencies of the text's blocks."""
    text = text_of(config)
    modules = [type(text).__module__, type(config).__module__]
    for module in modules:
        modeling = __import__(module.replace("configuration_", "modeling_"), fromlist=["x"])
        found = [c for n, c in vars(modeling).items() if inspect.isclass(c) and n.endswith("RotaryEmbedding") and c.__module__ == modeling.__name__]
        named = [c for c in found if not re.search("Vision|Audio|Code2Wav|Talker|Token2Wav|Mimi|DiT|Encoder|2D|Patch|Compress|Image|Speech", c.__name__)]
        if len(named) > 1:
            stem = type(text).__name__.replace("TextConfig", "").replace("Config", "")
            named = sorted(named, key=lambda c: ("Text" not in c.__name__, not c.__name__.startswith(stem), len(c.__name__)))
        if named: return named[0]
    return None

def values(inverse, factor):
    row = inverse.float().flatten().tolist()
    n = len(row)
    return [n, row[0], row[min(1, n - 1)], row[n // 2], row[-1], float(factor)]

def frequencies(cls, text):
    module = cls(text) if "dim" not in inspect.signature(cls.__init__).parameters else None
    if module is None: return None
    kinds = {}
    for name, buffer in list(module.named_buffers()):
        if "original" in name or not name.endswith("inv_freq"): continue
        kind = name[: -len("inv_freq")].rstrip("_")
        kinds[kind] = values(buffer, getattr(module, f"{kind}_attention_scaling" if kind else "attention_scaling", 1.0))
    return kinds or None

def build(whole):
    return CONFIG_MAPPING[whole["model_type"]].from_dict(copy.deepcopy(whole))

def laid(text, scaling):
    """The rope parameters of the text with a scaling, for each kind of layer where they are by kind."""
    own = text.get("rope_parameters") or {}
    kinds = {k: v for k, v in own.items() if isinstance(v, dict)}
    if kinds: return {k: {**v, **scaling} for k, v in kinds.items()}
    return {**own, **scaling}

lines = []
for model_type in TYPES:
    if model_type not in CONFIG_MAPPING:
        print(model_type, "unknown", file=sys.stderr); continue
    try:
        whole = json.loads(json.dumps(CONFIG_MAPPING[model_type]().to_dict(), default=str))
        # Hunyuan's checkpoints state the width of a head, without which its dynamic scaling fails.
        part = text_part(whole)
        if model_type.startswith("hunyuan"): part["head_dim"] = part["hidden_size"] // part["num_attention_heads"]
        config = build(whole)
        text = text_of(config)
        cls = rotary_class(config)
        if cls is None or not hasattr(text, "rope_parameters"):
            print(model_type, "no rope", cls, file=sys.stderr); continue
        default = frequencies(cls, text)
        if default is None: print(model_type, "no frequencies", cls, file=sys.stderr); continue
    except Exception as error:
        print(model_type, "ERROR", type(error).__name__, str(error)[:150].replace("\n", " "), file=sys.stderr); continue
    cases = [{"what": "default", "kinds": default}]
    part = text_part(whole)
    count = next(iter(default.values()))[0]
    # Left out whole: the class may have parameters of its own, before a theta that is stated.
    for what, given in (("without parameters", {}), ("a theta alone", {"rope_theta": 12345.0})):
        # Theirs has another name.
        if given and model_type.startswith(("gpt_neox", "modernbert", "cohere2_moe")): continue
        less = copy.deepcopy(whole)
        gone = ["rope_parameters", "rope_scaling", "rope_theta", "partial_rotary_factor", "global_rope_theta"]
        for name in gone: text_part(less).pop(name, None)
        text_part(less).update(given)
        try: cases.append({"what": what, "left_out": gone, "set": given, "kinds": frequencies(cls, text_of(build(less)))})
        except Exception: pass
    # Left out, in a model of another width.
    wider = {"hidden_size": 2 * part["hidden_size"]} if "hidden_size" in part else {}
    less = copy.deepcopy(whole)
    text_part(less).update(wider)
    for name in ("head_dim", "qk_head_dim"): text_part(less).pop(name, None)
    try: cases.append({"what": "without head_dim", "left_out": ["head_dim", "qk_head_dim"], "set": wider, "kinds": frequencies(cls, text_of(build(less)))})
    except Exception: pass
    if "rope_parameters" in part and model_type != "mistral4" and not any(isinstance(v, dict) for v in (part["rope_parameters"] or {}).values()):
        less = copy.deepcopy(whole)
        given = {"rope_parameters": {"rope_type": "default"}}
        text_part(less).update(given)
        for name in ("rope_theta", "partial_rotary_factor"): text_part(less).pop(name, None)
        try: cases.append({"what": "without theta and share", "left_out": ["rope_theta", "partial_rotary_factor"], "set": given, "kinds": frequencies(cls, text_of(build(less)))})
        except Exception: pass
    for what, scaling in SCALINGS.items():
        # What is turned has a width of its own there; these classes take null for true.
        if what == "share" and part.get("qk_rope_head_dim"): continue
        if what == "truncate null" and model_type in ("deepseek_v4", "step3p7"): continue
        if what == "longrope":
            scaling = {**scaling, "short_factor": [1.0 + i / 8 for i in range(count)], "long_factor": [2.0 + i / 8 for i in range(count)]}
        more = copy.deepcopy(whole)
        own = text_part(more)
        own["rope_parameters"] = laid(own, scaling)
        try:
            got = frequencies(cls, text_of(build(more)))
        except Exception as error:
            got = None
        if got is not None:
            if what == "longrope": scaling = {**scaling, "short_factor": [1.0], "long_factor": [2.0]}
            cases.append({"what": what, "set": {"rope_parameters": laid(part, scaling)}, "kinds": got})
    # As files of before transformers 5 have it.
    flat = part.get("rope_parameters") or {}
    # Those of these types have other names; mistral4 rotates more than its `qk_rope_head_dim` there.
    if model_type not in ("gpt_neox", "gpt_neox_japanese", "cohere2_moe", "mistral4") and flat and not any(isinstance(v, dict) for v in flat.values()):
        more = copy.deepcopy(whole)
        own = text_part(more); own.pop("rope_parameters")
        old = {"rope_theta": 12345.0, "rope_scaling": {"type": "linear", "factor": 2.0}}
        own.update(old)
        try: cases.append({"what": "old", "left_out": ["rope_parameters"], "set": old, "kinds": frequencies(cls, text_of(build(more)))})
        except Exception: pass
    lines.append(json.dumps({"model_type": model_type, "class": cls.__name__, "config": kept(whole), "cases": cases}))
    print(model_type, cls.__name__, len(cases), {k: v[0] for k, v in default.items()}, file=sys.stderr)
sys.stdout.buffer.write(gzip.compress("".join(l + "\n" for l in lines).encode(), 9, mtime=0))
