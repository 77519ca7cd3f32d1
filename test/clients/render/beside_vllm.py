"""Chats of 49,000 tokens, rendered here and by `vllm launch render`, by turns: equal ids, and the processor's time of each.

python beside_vllm.py TEXT OUR_URL OUR_PID VLLM_URL VLLM_PID
"""

import json
import os
import random
import statistics
import sys
from http.client import HTTPConnection

WARM, ROUNDS, CHATS, WORDS = 6, 11, 15, 37_500
words = open(sys.argv[1], encoding="utf-8").read().split()
given = {"inlet": (sys.argv[2], sys.argv[3]), "vllm": (sys.argv[4], sys.argv[5])}
# Connections are kept, as routers keep them.
services = {name: (HTTPConnection(url.removeprefix("http://")), pid) for name, (url, pid) in given.items()}


def ids(connection, chat):
    body = json.dumps({"model": "render", "messages": chat}).encode()
    connection.request("POST", "/v1/chat/completions/render", body, {"content-type": "application/json"})
    return json.load(connection.getresponse())["token_ids"]


def processor_seconds(pid):
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


random.seed(3)
chats = [[{"role": "user", "content": " ".join(random.choices(words, k=WORDS))}] for _ in range(ROUNDS * CHATS)]
seconds = {name: [] for name in services}
tokens = []
for round in range(ROUNDS):
    own = chats[round * CHATS : (round + 1) * CHATS]
    found = {}
    for name, (connection, pid) in services.items():
        before = processor_seconds(pid)
        found[name] = [ids(connection, chat) for chat in own]
        seconds[name].append((processor_seconds(pid) - before) / CHATS)
    assert found["inlet"] == found["vllm"], "the ids differ"
    if round == WARM - 1:
        seconds = {name: [] for name in services}
    tokens += [len(each) for each in found["inlet"]]
ours, theirs = (statistics.median(seconds[name]) for name in services)
print(f"{len(chats)} chats of {min(tokens)} to {max(tokens)} tokens: the same ids")
print(f"processor a chat: inlet {ours * 1e3:.1f} ms, vllm {theirs * 1e3:.1f} ms: {theirs / ours:.1f} ×")
