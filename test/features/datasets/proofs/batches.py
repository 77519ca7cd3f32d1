"""Batches of a running service as NumPy arrays: what the proofs in Python share."""

import json
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import numpy

DTYPES = {"I32": "<i4", "I64": "<i8", "F32": "<f4"}


class Service:
    def __init__(self, url):
        self.url = url

    def get(self, path, accept="application/json", **query):
        request = Request(f"{self.url}{path}?{urlencode(query)}", headers={"Accept": accept})
        with urlopen(request, timeout=300) as answer:
            return answer.read()

    def upload(self, body, media_type, **query):
        request = Request(f"{self.url}/v1/datasets?{urlencode(query)}", body, {"Content-Type": media_type})
        with urlopen(request, timeout=300) as answer:
            return json.loads(answer.read())

    def plan(self, dataset, **recipe):
        return json.loads(self.get(f"/v1/datasets/{dataset}/batches", **recipe))

    def batch(self, dataset, index, outputs, **recipe):
        """Batch `index`: the tensors of `outputs` by their names."""
        path = f"/v1/datasets/{dataset}/batches/{index}"
        data = self.get(path, "application/vnd.safetensors", outputs=",".join(outputs), **recipe)
        length = int.from_bytes(data[:8], "little")
        tensors = {}
        for name, fact in json.loads(data[8 : 8 + length]).items():
            if name == "__metadata__":
                continue
            begin, end = fact["data_offsets"]
            array = numpy.frombuffer(data[8 + length + begin : 8 + length + end], DTYPES[fact["dtype"]])
            tensors[name] = array.reshape(fact["shape"])
        return tensors
