"""What the clients ask for, and what the service answers to the same over its native route."""

import json
import urllib.request

import ml_dtypes
import numpy as np

MODEL = "default"
TEXTS = ["Hello, world!", "one two three four five", "drei \N{WATER WAVE}"]
ROWS = np.array([[15496, 11, 995], [5, 6, 7]])
TYPES = {"FP32": np.float32, "FP16": np.float16, "BF16": ml_dtypes.bfloat16, "INT32": np.int32}
DTYPES = {"float32": "FP32", "float16": "FP16", "bfloat16": "BF16"}
# The methods of extensions that the service does not have: name and arguments.
MISSING = [
    ("get_trace_settings", []),
    ("update_trace_settings", [MODEL, {"trace_level": ["OFF"]}]),
    ("get_inference_statistics", []),
    ("get_model_repository_index", []),
    ("load_model", [MODEL]),
    ("unload_model", [MODEL]),
    ("get_log_settings", []),
    ("update_log_settings", [{"log_info": True}]),
    ("get_system_shared_memory_status", []),
    ("register_system_shared_memory", ["a", "/a", 64]),
    ("unregister_system_shared_memory", ["a"]),
    ("get_cuda_shared_memory_status", []),
    ("register_cuda_shared_memory", ["a", b"a", 0, 64]),
    ("unregister_cuda_shared_memory", ["a"]),
]


def native(host, body):
    """The tensors of POST /v1/input-embeddings, by name."""
    request = urllib.request.Request(
        f"http://{host}/v1/input-embeddings",
        json.dumps({**body, "encoding_format": "base64"}).encode(),
        {"content-type": "application/json"},
    )
    import base64

    with urllib.request.urlopen(request) as answer:
        outputs = json.load(answer)["outputs"]
    dtypes = {"int32": np.int32, "float32": np.float32, "float16": np.float16, "bfloat16": ml_dtypes.bfloat16}
    return {
        name: np.frombuffer(base64.b64decode(each["data"]), dtypes[each["dtype"]]).reshape(each["shape"])
        for name, each in outputs.items()
    }


def same(got, expected):
    assert got is not None and got.dtype == expected.dtype and got.shape == expected.shape, (got, expected)
    assert got.tobytes() == expected.tobytes()


def inputs_of(module, values, binary):
    """`InferInput`s of arrays, by name."""
    made = []
    for name, array in values.items():
        datatype = "BYTES" if array.dtype == object else {8: "INT64", 4: "INT32"}[array.dtype.itemsize]
        each = module.InferInput(name, list(array.shape), datatype)
        each.set_data_from_numpy(array, binary_data=binary)
        made.append(each)
    return made


TEXT_INPUT = {"text": np.array(TEXTS, dtype=object)}
ID_INPUTS = {"input_ids": ROWS, "attention_mask": np.array([[1, 1, 1], [1, 1, 0]], dtype=np.int32)}
# Inputs for the client, and the native body that means the same.
ASKED = [(TEXT_INPUT, {"text": TEXTS}), (ID_INPUTS, {"input_ids": [ROWS[0].tolist(), ROWS[1, :2].tolist()]})]
NAMES = ["position_ids", "input_embeddings", "input_ids", "token_embeddings"]
WINDOWS = {"context_length": 2, "stride": 1, "tail": "pad"}


def check_metadata(metadata, config, server):
    assert server["name"] == "inlet" and "binary_tensor_data" in server["extensions"]
    assert metadata["name"] == MODEL and metadata["versions"] == ["1"]
    assert [each["name"] for each in metadata["inputs"]] == [each["name"] for each in config["input"]]
