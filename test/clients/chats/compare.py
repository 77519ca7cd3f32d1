"""Chats under each template of a folder of models, uploaded to the service one by one: its documents, ids and masks beside

- transformers' `apply_chat_template(…, return_assistant_tokens_mask=True)`, under `tags`;
- the law of docs/chats.md over transformers' own renderer, under `sampled`;
- the tags of trl's training templates, where their text is the stock template's: what they train besides.

    python compare.py URL MODELS      a line a template, a table; exit code 1 where ids or masks differ
"""
import json
import pathlib
import sys
import urllib.error
import urllib.request
from collections import Counter

from drawn_chats import CHATS, said
from transformers import PreTrainedTokenizerFast
from transformers.utils.chat_template_utils import render_jinja_template

URL, MODELS = sys.argv[1], pathlib.Path(sys.argv[2])


REASONS = ("not_rendered", "opens_next_turn", "rewrites_history")
UNSUPPORTED = Counter()


class Refused(Exception):
    """A chat without an exact mask, and why."""


class Law:
    """`sampled`, with `turns=auto` and `trailing`: slow, from the texts that the template makes of a chat's beginnings."""

    def __init__(self, tokenizer, template, chat):
        self.tokenizer, self.template, self.tools = tokenizer, template, chat.get("tools")
        self.messages = [{k: v for k, v in m.items() if k != "train"} for m in chat["messages"]]
        self.turns = [
            i for i, m in enumerate(chat["messages"]) if m["role"] == "assistant" and m.get("train") is not False
        ]

    def text(self, messages, with_prompt):
        special = self.tokenizer.special_tokens_map
        try:
            return render_jinja_template(
                [messages], self.tools, None, self.template, add_generation_prompt=with_prompt, **special
            )[0][0]
        except Exception:
            return None

    def upto(self, n, with_prompt=False):
        return self.text(self.messages[:n], with_prompt)

    def span(self, whole, i):
        prompt, history, answered = self.upto(i, True), self.upto(i), self.upto(i + 1)
        if prompt is None or answered is None:
            raise Refused("not_rendered")
        plain = [*self.messages[:i], said("assistant", "a")]
        closed, prompted = self.text(plain, False), self.text(plain, True)
        if self.upto(i + 1, True) == answered and None not in (closed, prompted) and closed != prompted:
            raise Refused("opens_next_turn")
        if not whole.startswith(answered):
            raise Refused("rewrites_history")
        if answered.startswith(prompt):
            return len(prompt), len(answered)
        common = next((k for k, (a, b) in enumerate(zip(prompt, answered)) if a != b), min(len(prompt), len(answered)))
        if history is not None and prompt.startswith(history) and common > len(history):
            return common, len(answered)
        raise Refused("rewrites_history")

    def masked(self, text, spans, trailing):
        encoding = self.tokenizer.backend_tokenizer.encode(text, add_special_tokens=False)
        added = {i for i, token in self.tokenizer.added_tokens_decoder.items() if token.content.strip()}
        extents, before = [], 0
        for start, end in encoding.offsets:
            extents.append((min(before, start), end))
            before = end
        kept = []
        for a, b in spans:
            stops = [e for (s, e), i in zip(extents, encoding.ids) if i in added and a <= s and e <= b]
            has_stop = trailing == "mask" and stops and not text[stops[-1] : b].strip()
            kept.append((a, stops[-1] if has_stop else b))
        return encoding.ids, [int(any(a <= s and e <= b for a, b in kept)) for s, e in extents]

    def documents(self, trailing="mask"):
        whole = self.text(self.messages, False)
        if whole is None:
            raise Refused("not_rendered")
        try:
            return [self.masked(whole, [self.span(whole, i) for i in self.turns], trailing)]
        except Refused:
            texts = [(i, self.upto(i + 1)) for i in self.turns]
            return [self.masked(text, [self.span(text, i)], trailing) for i, text in texts]


def ask(method, path, body=None, kind="application/x-ndjson"):
    request = urllib.request.Request(URL + path, body, {"content-type": kind} if body else {}, method=method)
    try:
        with urllib.request.urlopen(request) as answer:
            text = answer.read()
            return json.loads(text) if text else None
    except urllib.error.HTTPError as error:
        return json.loads(error.read())["error"]


def uploaded(model, chat, query):
    """The documents that the service makes, or its error's code (of a refused chat the reason)."""
    made = {"code": "loading"}
    while made.get("code") == "loading":
        made = ask("POST", f"/v1/datasets?model={model}&{query}", json.dumps(chat).encode())
    if "code" in made:
        if made["code"] == "template_unsupported":
            UNSUPPORTED[made["message"]] += 1
        return next((word for word in REASONS if word in made["message"]), made["code"])
    documents = [ask("GET", f"/v1/datasets/{made['id']}/documents/{d}") for d in range(made["num_documents"])]
    ask("DELETE", f"/v1/datasets/{made['id']}")
    return [(one["input_ids"], one["loss_mask"]) for one in documents]


def of_transformers(tokenizer, chat):
    told = {"return_dict": True, "return_assistant_tokens_mask": True, "tools": chat.get("tools")}
    try:
        made = tokenizer.apply_chat_template(chat["messages"], **told)
    except Exception:
        return "template_failed"
    return [(made["input_ids"], made["assistant_masks"])]


def main():
    wrong, table = [], Counter()
    for folder in sorted(MODELS.iterdir()):
        template = (folder / "chat_template.jinja").read_text(encoding="utf-8")
        tokenizer = PreTrainedTokenizerFast.from_pretrained(folder)
        seen = Counter()
        for number, chat in enumerate(CHATS):
            place = (folder.name, number)
            given = uploaded(folder.name, chat, "mask=sampled")
            try:
                wanted = Law(tokenizer, template, chat).documents()
            except Refused as why:
                wanted = str(why)
            seen[judge(given, wanted, wrong, place)] += 1
            if "generation" in template and not any("train" in m for m in chat["messages"]):
                given = uploaded(folder.name, chat, "mask=tags")
                seen["tags: " + judge(given, of_transformers(tokenizer, chat), wrong, (*place, "tags"))] += 1
        print(folder.name, dict(seen), flush=True)
        for what, count in seen.items():
            table[(folder.name.split(".")[0], what)] += count
    for (family, what), count in sorted(table.items()):
        print(f"{family}: {what}: {count}")
    for message, count in UNSUPPORTED.most_common():
        print(f"unsupported {count} times: {message}")
    for one in wrong:
        print("DIFFERS", *one)
    compare_with_trl()
    sys.exit(1 if wrong else 0)


def judge(given, wanted, wrong, place):
    if given == "template_unsupported":
        return "unsupported"
    if isinstance(wanted, str):
        # A chat that the template refuses altogether is the template's error.
        if given != wanted and not (wanted == "not_rendered" and given == "template_failed"):
            wrong.append((place, f"given {str(given)[:80]}", f"wanted {wanted}"))
        return f"refused, {wanted}"
    if given != wanted:
        wrong.append((place, f"given {str(given)[:300]}", f"wanted {str(wanted)[:300]}"))
    return "whole" if len(wanted) == 1 else "by turn"


def compare_with_trl():
    """What trl's tags train that the model does not sample, and the other way round, as text."""
    for folder in sorted(MODELS.glob("trl.*_training")):
        stock = folder.with_name(folder.name.removesuffix("_training"))
        if not stock.exists():
            continue
        tokenizer = PreTrainedTokenizerFast.from_pretrained(stock)
        more, fewer = Counter(), Counter()
        for chat in CHATS:
            if any("train" in m for m in chat["messages"]):
                continue
            tagged, own = uploaded(folder.name, chat, "mask=tags"), uploaded(stock.name, chat, "mask=sampled&trailing=train")
            if isinstance(tagged, str) or isinstance(own, str) or len(own) != 1:
                continue
            # Both folders have tokenizers of their own: texts are compared first.
            theirs = PreTrainedTokenizerFast.from_pretrained(folder)
            pieces = [[tokenizer.convert_ids_to_tokens(i) for i in own[0][0]], [theirs.convert_ids_to_tokens(i) for i in tagged[0][0]]]
            if pieces[0] != pieces[1]:
                continue
            for piece, a, b in zip(pieces[0], own[0][1], tagged[0][1]):
                if a != b:
                    (more if b else fewer)[piece] += 1
        print(f"{stock.name}: trl trains besides {dict(more)}, not {dict(fewer)}")


main()
