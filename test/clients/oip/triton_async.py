"""Every method of tritonclient.http.aio."""

import asyncio
import sys

import numpy as np
import tritonclient.http.aio as triton
from tritonclient.utils import InferenceServerException

from cases import *

host = sys.argv[1]


async def raises(act, status, text=""):
    try:
        await act
    except InferenceServerException as error:
        assert error.status() == str(status), error
        assert text in error.message(), error
        return
    raise AssertionError(f"no error {status}")


async def main():
    async with triton.InferenceServerClient(host) as client:
        version = (await client.get_model_metadata(MODEL))["versions"][0]
        assert await client.is_server_live() and await client.is_server_ready()
        assert await client.is_model_ready(MODEL, version) and not await client.is_model_ready("none")
        config, server = await client.get_model_config(MODEL), await client.get_server_metadata()
        check_metadata({**(await client.get_model_metadata(MODEL)), "versions": ["1"]}, config, server)

        for values, body in ASKED:
            inputs = inputs_of(triton, values, True)
            for dtype in DTYPES:
                got = await client.infer(MODEL, inputs, parameters={"dtype": dtype})
                for name, array in native(host, {**body, "dtype": dtype}).items():
                    same(got.as_numpy(name), array)
            outputs = [triton.InferRequestedOutput(n, binary_data=i % 2 == 0) for i, n in enumerate(NAMES)]
            for packed in (None, "gzip", "deflate"):
                got = await client.infer(
                    MODEL,
                    inputs,
                    model_version=version,
                    outputs=outputs,
                    parameters=WINDOWS,
                    request_compression_algorithm=packed,
                    response_compression_algorithm=packed,
                )
                assert [each["name"] for each in got.get_response()["outputs"]] == NAMES
                for name, array in native(host, {**body, **WINDOWS, "outputs": NAMES}).items():
                    same(got.as_numpy(name), array)

        inputs = inputs_of(triton, {"input_ids": np.arange(4096).reshape(4, 1024)}, True)
        parameters = {"position_embedding.type": "rope", "position_embedding.head_dim": 64}
        answers = await asyncio.gather(*(client.infer(MODEL, inputs, parameters=parameters) for _ in range(8)))
        position = {"type": "rope", "head_dim": 64}
        expected = native(host, {"input_ids": np.arange(4096).reshape(4, 1024).tolist(), "position_embedding": position})
        for got in answers:
            for name, array in expected.items():
                same(got.as_numpy(name), array)

        await raises(client.infer("none", inputs), 404, "must be one of")
        await raises(client.infer(MODEL, inputs, sequence_id=3), 400, "sequence_id")
        for name, arguments in MISSING:
            await raises(getattr(client, name)(*arguments), 501, "This service has no")
    print("tritonclient.http.aio: all methods, FP32, FP16, BF16 and INT32 out")


asyncio.run(main())
