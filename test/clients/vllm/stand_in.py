"""A stand-in for vLLM: it decodes `prompt_embeds` as vLLM does, generates with transformers, and answers in OpenAI's form,
as JSON or as a stream. Its text is the ids, a space after each."""

import http.server
import json
import threading

import torch

from safe_load import safe_load_prompt_embeds

PLAIN = {"do_sample": False, "pad_token_id": 1, "eos_token_id": None}
KEY = "for-the-upstream"
MAX_TOKENS = 8


def from_ids(model, ids, max_tokens=MAX_TOKENS):
    """What a model generates from ids: the ids after them."""
    given = torch.tensor([ids])
    return model.generate(given, attention_mask=torch.ones_like(given), max_new_tokens=max_tokens,
                          **PLAIN)[0, len(ids):].tolist()


def from_rows(model, files, max_tokens):
    rows = torch.cat([safe_load_prompt_embeds(file, model.config, model.dtype) for file in files])
    mask = torch.ones((1, len(rows)), dtype=torch.long)
    return model.generate(inputs_embeds=rows[None], attention_mask=mask, max_new_tokens=max_tokens, **PLAIN)[0].tolist()


class StandIn(http.server.BaseHTTPRequestHandler):
    models = {}
    protocol_version = "HTTP/1.1"

    @torch.no_grad()
    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "via" in self.headers:  # through the proxy
            assert self.headers["authorization"] == f"Bearer {KEY}", self.headers
        assert "prompt" not in body, body.keys()
        is_chat = self.path == "/v1/chat/completions"
        if is_chat:
            parts = [part for message in body["messages"] for part in message["content"]]
            prompts = [[part["data"] for part in parts if part["type"] == "prompt_embeds"]]
        else:
            files = body["prompt_embeds"]
            prompts = [[file] for file in (files if isinstance(files, list) else [files])]
        model = self.models[body["model"]]
        made = [from_rows(model, files, body.get("max_tokens", MAX_TOKENS)) for files in prompts]
        if body.get("stream"):
            self.stream(body["model"], made[0], is_chat)
        else:
            choices = [{"index": i, "text": "".join(f"{token} " for token in tokens)} for i, tokens in enumerate(made)]
            data = json.dumps({"object": "text_completion", "model": body["model"], "choices": choices}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    def stream(self, model, tokens, is_chat):
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        kind = {"id": "1", "created": 0, "model": model, "object": "chat.completion.chunk" if is_chat else "text_completion"}
        said = [{"delta": {"content": f"{token} "}} if is_chat else {"text": f"{token} "} for token in tokens]
        events = [json.dumps({**kind, "choices": [{"index": 0, **each}]}) for each in said]
        for event in [*events, "[DONE]"]:
            data = f"data: {event}\n\n".encode()
            self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
            self.wfile.flush()
        self.wfile.write(b"0\r\n\r\n")

    def log_message(self, *_):
        pass


def start(models):
    """A stand-in on a free port of loopback; returns its URL. It ends with the process."""
    StandIn.models = models
    upstream = http.server.ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    threading.Thread(target=upstream.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{upstream.server_address[1]}"
