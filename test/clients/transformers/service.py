"""A service on loopback over a folder of models, for the time of a `with`."""

import json
import os
import pathlib
import re
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request

import safetensors.torch

ROOT = pathlib.Path(__file__).parents[3]


class Service:
    def __init__(self, folder):
        self.folder = folder

    def __enter__(self):
        env = {**os.environ, "HOST": "127.0.0.1", "PORT": "0", "THREADS": "1", "MODELS_LOAD": "request",
               "MODELS_DIR": str(self.folder), "LOG_LEVEL": "info"}
        self.log = open(pathlib.Path(self.folder) / "server.log", "w+")
        self.process = subprocess.Popen(["node", "dist/server.js"], cwd=ROOT, env=env, stdout=self.log,
                                        stderr=subprocess.STDOUT)
        for _ in range(600):
            self.log.seek(0)
            found = re.search(r"Server listening at (http://127\.0\.0\.1:\d+)", self.log.read())
            if found:
                break
            if self.process.poll() is not None:
                raise RuntimeError("the service has ended")
            time.sleep(0.1)
        self.base = found[1]
        self._call("/health/ready")
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(40)
        self.log.close()

    def _call(self, path, body=None, accept="application/vnd.safetensors"):
        request = urllib.request.Request(self.base + path, json.dumps(body).encode() if body else None,
                                         {"content-type": "application/json", "accept": accept})
        for _ in range(200):
            try:
                with urllib.request.urlopen(request, timeout=60) as answer:
                    return answer.read()
            except urllib.error.HTTPError as error:
                text = error.read().decode()
                if error.code != 503:
                    raise ValueError(f"{error.code}: {text[:400]}") from None
                time.sleep(0.05)
        raise TimeoutError(path)

    def json(self, path, body):
        return json.loads(self._call(path, body, "application/json"))

    def ids(self, model, text, add_special_tokens):
        body = {"model": model, "text": text, "add_special_tokens": add_special_tokens}
        return [token["id"] for token in self.json("/v1/tokenize", body)["tokens"]]

    def embed(self, **body):
        return safetensors.torch.load(self._call("/v1/input-embeddings", body))

    def positions(self, model, **query):
        return safetensors.torch.load(
            self._call(f"/v1/models/{model}/position-embeddings?{urllib.parse.urlencode(query)}"))

    def model(self, model):
        request = urllib.request.Request(f"{self.base}/v1/models/{model}")
        return json.loads(urllib.request.urlopen(request).read())
