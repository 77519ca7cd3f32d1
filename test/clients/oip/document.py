"""The Python lines of docs/kserve.md as they stand there: their arrays are those of /v1. Argument: HOST:PORT."""

import asyncio
import pathlib
import re
import sys
import textwrap

import numpy as np

from cases import native, same

host = sys.argv[1]
page = pathlib.Path(__file__).parents[3].joinpath("docs", "kserve.md").read_text(encoding="utf-8")
triton, kserve = re.findall(r"^```python\n(.*?)^```$", page.replace("localhost:8000", host), re.S | re.M)

names = {}
exec(compile(triton, "kserve.md", "exec"), names)
texts = native(host, {"text": ["Hello, world!", "Good morning"], "dtype": "float16"})
same(names["rows"], texts["input_embeddings"])
listed = native(host, {"input_ids": [[15496, 11, 995], [40, 367]], "outputs": ["input_ids", "input_embeddings"]})
assert [each["name"] for each in names["answer"].get_response()["outputs"]] == list(listed)
for name, array in listed.items():
    same(names["answer"].as_numpy(name), array)

# Its lines stand in a coroutine of the reader's.
names = {}
body = textwrap.indent(kserve, "    ")
exec(compile(f"async def main():\n{body}    return answer\n", "kserve.md", "exec"), names)
answer = asyncio.run(names["main"]())
expected = native(host, {"text": ["Hello, world!"]})
assert [each.name for each in answer.outputs] == list(expected)
for each in answer.outputs:
    same(each.as_numpy(), expected[each.name])
assert np.shape(answer.outputs[1].as_numpy())[:2] == (1, 4)
print("docs/kserve.md: 2 blocks of Python give the arrays of /v1, to the bit")
