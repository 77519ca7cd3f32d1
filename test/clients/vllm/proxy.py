"""Completions through the proxy, before a stand-in for vLLM: the same text as from ids.

proxy.py FOLDER
"""

import json
import os
import sys
import urllib.request

import torch

import stand_in
from models import make
from service import Service

PROMPTS = ["Hello, world! This is the first layer.", "one two three"]
MAX_TOKENS = 24


def streamed(service, path, body):
    request = urllib.request.Request(service.base + path, json.dumps({**body, "stream": True}).encode(),
                                     {"content-type": "application/json", "authorization": "Bearer mine"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert answer.headers["content-type"] == "text/event-stream"
        events = [line[6:] for line in answer.read().decode().split("\n\n") if line]
    assert events.pop() == "[DONE]"
    choices = [json.loads(event)["choices"][0] for event in events]
    return [int(choice["delta"]["content"] if "delta" in choice else choice["text"]) for choice in choices]


@torch.no_grad()
def main(folder):
    models = make(folder)
    os.environ["UPSTREAM_URL"] = stand_in.start(models)
    os.environ["UPSTREAM_KEY"] = stand_in.KEY
    wrong = 0
    with Service(folder) as service:
        for name, model in models.items():
            def expected(ids):
                return stand_in.from_ids(model, ids, MAX_TOKENS)

            asked = {"model": name, "max_tokens": MAX_TOKENS}
            same = [streamed(service, "/v1/completions", {**asked, "prompt": prompt})
                    == expected(service.ids(name, prompt, True)) for prompt in PROMPTS]
            messages = [{"role": "system", "content": PROMPTS[1]},
                        {"role": "user", "content": [{"type": "text", "text": PROMPTS[0]}]}]
            chat = streamed(service, "/v1/chat/completions", {**asked, "messages": messages})
            same.append(chat == expected([id for text in PROMPTS[::-1] for id in service.ids(name, text, False)]))
            wrong += not all(same)
            print(f"{name:10} through the proxy: {'the same text' if all(same) else f'another text: {same}'} as from ids")
    return wrong


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
