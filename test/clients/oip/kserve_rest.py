"""KServe's InferenceRESTClient."""

import asyncio
import sys

import httpx
import kserve
import numpy as np
from kserve import InferenceRESTClient, InferRequest, RESTConfig
from kserve.protocol.infer_type import RequestedOutput

from cases import *

host = sys.argv[1]
BASE = f"http://{host}"


def requests_of(values, binary, parameters=None, outputs=None):
    inputs = inputs_of(kserve, values, binary)
    return InferRequest(model_name=MODEL, infer_inputs=inputs, parameters=parameters or {}, request_outputs=outputs)


def asked(name, binary):
    return RequestedOutput(name, parameters={"binary_data": binary})


async def main():
    client = InferenceRESTClient(RESTConfig(protocol="v2"))
    assert await client.is_server_live(BASE) and await client.is_server_ready(BASE)
    assert await client.is_model_ready(BASE, MODEL)
    for values, body in ASKED:
        for binary_in in (True, False):
            for dtype in ("float32", "float16"):
                parameters = {"binary_data_output": True, "dtype": dtype}
                got = await client.infer(BASE, requests_of(values, binary_in, parameters), model_name=MODEL)
                expected = native(host, {**body, "dtype": dtype})
                assert got.model_name == MODEL and [each.name for each in got.outputs] == list(expected)
                for each in got.outputs:
                    same(each.as_numpy(), expected[each.name])
            outputs = [asked(name, i % 2 == 0) for i, name in enumerate(NAMES)]
            request = requests_of(values, binary_in, WINDOWS, outputs)
            got = await client.infer(BASE, request, model_name=MODEL)
            assert [each.name for each in got.outputs] == NAMES
            expected = native(host, {**body, **WINDOWS, "outputs": NAMES})
            for each in got.outputs:
                same(each.as_numpy(), expected[each.name])
    try:
        await client.infer(BASE, requests_of(TEXT_INPUT, True, {"context_length": 5000}), model_name=MODEL)
        raise AssertionError("no error")
    except httpx.HTTPStatusError as error:
        assert "5000" in str(error) and "422" in str(error), error
    await client.close()
    print("kserve.InferenceRESTClient: all methods, binary and JSON, FP32, FP16 and INT32 out")


asyncio.run(main())
