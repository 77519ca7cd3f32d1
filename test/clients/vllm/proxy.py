"""Completions through the proxy, before a stand-in that decodes `prompt_embeds` as vLLM does and streams what
transformers generates: the same text as from ids.

proxy.py FOLDER
"""

import http.server
import json
import os
import sys
import threading
import urllib.request

import torch

from models import make
from safe_load import safe_load_prompt_embeds
from service import Service

PLAIN = {"do_sample": False, "pad_token_id": 1, "eos_token_id": None}
PROMPTS = ["Hello, world! This is the first layer.", "one two three"]


class StandIn(http.server.BaseHTTPRequestHandler):
    models = {}
    protocol_version = "HTTP/1.1"

    @torch.no_grad()
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        assert self.headers["authorization"] == "Bearer for-the-upstream", self.headers
        assert "prompt" not in body, body.keys()
        model = self.models[body["model"]]
        if "messages" in body:
            files = [part["data"] for message in body["messages"] for part in message["content"]
                     if part["type"] == "prompt_embeds"]
            rows = torch.cat([safe_load_prompt_embeds(file, model.config, model.dtype) for file in files])
        else:
            rows = safe_load_prompt_embeds(body["prompt_embeds"], model.config, model.dtype)
        mask = torch.ones((1, len(rows)), dtype=torch.long)
        made = model.generate(inputs_embeds=rows[None], attention_mask=mask, max_new_tokens=body["max_tokens"], **PLAIN)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        events = [json.dumps({"choices": [{"text": str(token)}]}) for token in made[0].tolist()] + ["[DONE]"]
        for event in events:
            data = f"data: {event}\n\n".encode()
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_):
        pass


def streamed(service, path, body):
    request = urllib.request.Request(service.base + path, json.dumps({**body, "stream": True}).encode(),
                                     {"content-type": "application/json", "authorization": "Bearer mine"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        assert answer.headers["content-type"] == "text/event-stream"
        events = [line[6:] for line in answer.read().decode().split("\n\n") if line]
    assert events.pop() == "[DONE]"
    return [int(json.loads(event)["choices"][0]["text"]) for event in events]


@torch.no_grad()
def main(folder):
    StandIn.models = make(folder)
    upstream = http.server.ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    os.environ["UPSTREAM_URL"] = f"http://127.0.0.1:{upstream.server_address[1]}"
    os.environ["UPSTREAM_KEY"] = "for-the-upstream"
    wrong = 0
    with Service(folder) as service:
        def ids_of(name, text, special):
            body = {"model": name, "text": text, "add_special_tokens": special}
            return [token["id"] for token in service.json("/v1/tokenize", body)["tokens"]]

        for name, model in StandIn.models.items():
            def from_ids(ids):
                given = torch.tensor([ids])
                return model.generate(given, attention_mask=torch.ones_like(given), max_new_tokens=24,
                                      **PLAIN)[0, len(ids):].tolist()

            same = [streamed(service, "/v1/completions", {"model": name, "prompt": prompt, "max_tokens": 24})
                    == from_ids(ids_of(name, prompt, True)) for prompt in PROMPTS]
            messages = [{"role": "system", "content": PROMPTS[1]},
                        {"role": "user", "content": [{"type": "text", "text": PROMPTS[0]}]}]
            chat = streamed(service, "/v1/chat/completions", {"model": name, "messages": messages, "max_tokens": 24})
            same.append(chat == from_ids(ids_of(name, PROMPTS[1], False) + ids_of(name, PROMPTS[0], False)))
            wrong += not all(same)
            print(f"{name:10} through the proxy: {'the same text' if all(same) else f'another text: {same}'} as from ids")
    upstream.shutdown()
    return wrong


if __name__ == "__main__":
    sys.exit(1 if main(*sys.argv[1:]) else 0)
