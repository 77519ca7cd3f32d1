"""Every method of tritonclient.http."""

import sys

import numpy as np
import tritonclient.http as triton
from tritonclient.utils import InferenceServerException

from cases import *

host = sys.argv[1]


def raises(act, status, text=""):
    try:
        act()
    except InferenceServerException as error:
        assert error.status() == str(status), error
        assert text in error.message(), error
        return
    raise AssertionError(f"no error {status}")


with triton.InferenceServerClient(host, concurrency=4) as client:
    assert client.is_server_live() and client.is_server_ready()
    assert client.is_model_ready(MODEL) and client.is_model_ready(MODEL, "1")
    assert not client.is_model_ready(MODEL, "2") and not client.is_model_ready("none")
    check_metadata(client.get_model_metadata(MODEL), client.get_model_config(MODEL, "1"), client.get_server_metadata())

    for values, body in ASKED:
        for binary_in in (True, False):
            inputs = inputs_of(triton, values, binary_in)
            for dtype in DTYPES:
                expected = native(host, {**body, "dtype": dtype})
                got = client.infer(MODEL, inputs, parameters={"dtype": dtype}, request_id="7")
                assert got.get_response()["id"] == "7"
                for name, array in expected.items():
                    same(got.as_numpy(name), array)
                    assert got.get_output(name)["datatype"] in TYPES
            for binary_out in ([True] * 4, [False] * 4, [True, False, True, False], [False, True, False, True]):
                outputs = [triton.InferRequestedOutput(n, binary_data=b) for n, b in zip(NAMES, binary_out)]
                expected = native(host, {**body, **WINDOWS, "outputs": NAMES})
                got = client.infer(MODEL, inputs, outputs=outputs, parameters=WINDOWS, model_version="1")
                assert [each["name"] for each in got.get_response()["outputs"]] == NAMES
                for name, array in expected.items():
                    same(got.as_numpy(name), array)
            for packed in ("gzip", "deflate"):
                got = client.infer(
                    MODEL,
                    inputs,
                    request_compression_algorithm=packed,
                    response_compression_algorithm=packed,
                )
                for name, array in native(host, body).items():
                    same(got.as_numpy(name), array)

    inputs = inputs_of(triton, TEXT_INPUT, True)
    asked = [client.async_infer(MODEL, inputs, timeout=20_000_000) for _ in range(16)]
    expected = native(host, {"text": TEXTS})
    for each in asked:
        same(each.get_result().as_numpy("input_embeddings"), expected["input_embeddings"])

    body, json_size = triton.InferenceServerClient.generate_request_body(inputs)
    assert json_size is not None and body.endswith("drei \N{WATER WAVE}".encode())

    ids = inputs_of(triton, {"input_ids": np.array([1, 2])}, True)
    half = [triton.InferRequestedOutput("input_embeddings", binary_data=False)]
    raises(lambda: client.infer("none", ids), 404, "must be one of")
    raises(lambda: client.infer(MODEL, ids, model_version="9"), 404, "version")
    raises(lambda: client.infer(MODEL, ids, outputs=half, parameters={"dtype": "float16"}), 400, "via JSON")
    raises(lambda: client.infer(MODEL, ids, sequence_id=3), 400, "sequence_id")
    raises(lambda: client.infer(MODEL, ids, priority=2), 400, "priority")
    raises(lambda: client.infer(MODEL, ids, parameters={"context_length": 5000}), 422, "5000")
    raises(lambda: client.infer(MODEL, inputs_of(triton, {"input_ids": np.array([-1])}, True)), 400, "at least 0")
    raises(lambda: client.infer(MODEL, ids, outputs=[triton.InferRequestedOutput("x")]), 400, "must be one of")
    classes = [triton.InferRequestedOutput("input_ids", class_count=2)]
    raises(lambda: client.infer(MODEL, ids, outputs=classes), 400, "classification")

    for name, arguments in MISSING:
        raises(lambda: getattr(client, name)(*arguments), 501, "This service has no")

print("tritonclient.http: all methods, text and ids in, FP32, FP16, BF16 and INT32 out")
