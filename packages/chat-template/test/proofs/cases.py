"""Renders chats with transformers, one JSON object a line: template, body, and text or error.

python cases.py FOLDER… --random 20 --seed 1
"""

import argparse
import json
import random
import sys
from pathlib import Path

from transformers.utils.chat_template_utils import render_jinja_template

TOKENS = {"bos_token": "<s>", "eos_token": "</s>", "pad_token": "<pad>", "unk_token": "<unk>"}
WEATHER = {
    "type": "function",
    "function": {
        "name": "get_weather",
        "description": "The weather at a place, \"now\" – in °C.",
        "parameters": {
            "type": "object",
            "properties": {
                "city": {"type": "string", "description": "City\nor town"},
                "days": {"type": "integer", "default": 3, "minimum": 1, "maximum": 14},
                "unit": {"type": "string", "enum": ["celsius", "fahrenheit"]},
                "limits": {"type": "array", "items": {"type": "number", "maximum": 0.5}},
                "more": {"type": ["object", "null"], "properties": {"x": {"type": "boolean", "default": True}}},
            },
            "required": ["city"],
        },
    },
}
CALLS = [{"id": "call_12345", "type": "function", "function": {"name": "get_weather", "arguments": {"city": "Zürich", "days": 2, "warm": True, "limits": [1, 2.5], "none": None}}}]
TEXT_CALLS = [{"id": "call_12345", "type": "function", "function": {"name": "get_weather", "arguments": '{"city": "Oslo", "days": 2}'}}]


def fixed():
    user = {"role": "user", "content": "Hello, how are you?"}
    system = {"role": "system", "content": "You are a helpful assistant.\n"}
    answer = {"role": "assistant", "content": "  Fine, thanks! \n"}
    parts = {"role": "user", "content": [{"type": "text", "text": "Look: "}, {"type": "text", "text": "a text."}]}
    thought = {"role": "assistant", "content": "<think>\nhm\n</think>\n\nYes.", "reasoning_content": "hm"}
    called = {"role": "assistant", "content": None, "tool_calls": CALLS}
    called_text = {"role": "assistant", "content": "", "tool_calls": TEXT_CALLS}
    result = {"role": "tool", "name": "get_weather", "tool_call_id": "call_12345", "content": '{"temperature": 21.5}'}
    documents = [{"title": "A", "text": "First text."}, {"title": "B", "text": "Second."}]
    yield {"messages": [user]}
    yield {"messages": [user], "add_generation_prompt": False}
    yield {"messages": [system, user, answer, user]}
    yield {"messages": [system, user, thought, user, answer], "add_generation_prompt": False}
    yield {"messages": [system, parts, answer, user]}
    yield {"messages": [user, answer], "continue_final_message": True}
    yield {"messages": [system, user], "tools": [WEATHER]}
    yield {"messages": [system, user, called, result, answer, user], "tools": [WEATHER]}
    yield {"messages": [user, called_text, result], "tools": [WEATHER]}
    yield {"messages": [system, user], "documents": documents}
    yield {"messages": [user], "chat_template_kwargs": {"enable_thinking": False, "reasoning_effort": "high"}}
    yield {"messages": [user], "chat_template_kwargs": {"enable_thinking": True, "thinking": True}}


WORDS = ["a", "Hello", "wörld", "🦙", "  ", "\n", "\n\n", "\t", "{{ x }}", "{% if %}", "<think>", "</think>", "<|im_end|>", "'", '"', "\\", "&<>", "\u00a0", "\u2028", "0", "None", "日本", "\x1c", "\ufeff", "\r\n", "[/INST]", "x=1", "```", "</s>"]


def text(r, most=8):
    return "".join(r.choice(WORDS) for _ in range(r.randrange(most)))


def value(r, depth=0):
    kind = r.randrange(9 if depth < 3 else 6)
    if kind == 0:
        return r.choice([True, False, None])
    if kind == 1:
        return r.randrange(-5, 1 << r.randrange(40))
    if kind == 2:
        return r.choice([0.5, 1.0, -0.0, 1e-7, 1e22, 3.14159, 100.0, 0.1])
    if kind <= 5:
        return text(r)
    if kind == 6:
        return [value(r, depth + 1) for _ in range(r.randrange(4))]
    return {r.choice(["a", "b", "type", "items", "1", "0", "get", "keys", "name", "é", "properties", "description", "values"]): value(r, depth + 1) for _ in range(r.randrange(4))}


def schema(r, depth=0):
    kind = r.choice(["string", "integer", "number", "boolean", "object", "array"] if depth < 3 else ["string", "integer"])
    made = {"type": kind if r.random() < 0.9 else [kind, "null"]}
    if r.random() < 0.6:
        made["description"] = text(r)
    if kind == "object":
        made["properties"] = {r.choice(["x", "items", "keys", "a b", "ö", "city", "get"]): schema(r, depth + 1) for _ in range(r.randrange(4))}
        if r.random() < 0.5:
            made["required"] = list(made["properties"])[:2]
        if r.random() < 0.2:
            made["additionalProperties"] = r.choice([True, False])
    if kind == "array" and r.random() < 0.9:
        made["items"] = schema(r, depth + 1)
    if kind == "string" and r.random() < 0.3:
        made["enum"] = [text(r) for _ in range(r.randrange(1, 4))]
    if r.random() < 0.2:
        made["default"] = value(r, 2)
    if kind in ("integer", "number") and r.random() < 0.3:
        made["minimum"] = r.choice([0, 1, 0.5, -3])
    return made


def tool(r):
    parameters = {"type": "object", "properties": {r.choice(["x", "items", "keys", "city", "get"]): schema(r, 1) for _ in range(r.randrange(4))}}
    if r.random() < 0.5:
        parameters["required"] = list(parameters["properties"])[:1]
    function = {"name": r.choice(["f", "get_weather", "ö"]), "description": text(r), "parameters": parameters}
    if r.random() < 0.1:
        function["strict"] = r.choice([True, False, None])
    return {"type": "function", "function": function} if r.random() < 0.9 else function


def message(r, role):
    made = {"role": role, "content": text(r, 12)}
    if role == "assistant" and r.random() < 0.3:
        arguments = {r.choice(["a", "items", "city", "é"]): value(r, 1) for _ in range(r.randrange(4))}
        if r.random() < 0.3:
            arguments = json.dumps(arguments)
        call = {"id": r.choice(["call_0", "123456789"]), "type": "function", "function": {"name": "f", "arguments": arguments}}
        made["tool_calls"] = [call] * r.choice([1, 1, 2])
        made["content"] = r.choice([None, "", made["content"]])
    if role == "assistant" and r.random() < 0.2:
        made["reasoning_content"] = text(r)
    if role == "tool":
        made["tool_call_id"] = "call_0"
        made["name"] = "f"
    if r.random() < 0.15 and isinstance(made["content"], str):
        made["content"] = [{"type": "text", "text": text(r)} for _ in range(r.randrange(1, 4))]
    if r.random() < 0.05:
        made["name"] = text(r)
    return made


def drawn(r):
    roles = ["system"] if r.random() < 0.5 else []
    for _ in range(r.randrange(1, 4)):
        roles += ["user", "assistant"] if r.random() < 0.7 else ["user", "assistant", "tool", "assistant"]
    if r.random() < 0.6:
        roles.append("user")
    if r.random() < 0.1:
        r.shuffle(roles)
    chat = {"messages": [message(r, role) for role in roles]}
    if r.random() < 0.4:
        chat["tools"] = [tool(r) for _ in range(r.randrange(1, 4))]
    if r.random() < 0.1:
        chat["documents"] = [{"title": text(r), "text": text(r)} for _ in range(2)]
    if r.random() < 0.3:
        chat["add_generation_prompt"] = False
    elif r.random() < 0.1:
        chat["continue_final_message"] = True
    if r.random() < 0.3:
        names = ["enable_thinking", "thinking", "date_string", "tools_in_user_message", "reasoning_effort", "x", "sys", "loop_messages", "custom_tools"]
        chat["chat_template_kwargs"] = {r.choice(names): r.choice([True, False, "low", None, 3, 1.5])}
    return chat


def rendered(template, chat):
    messages = [{k: v for k, v in m.items() if v is not None} for m in chat["messages"]]
    continues = chat.get("continue_final_message", False)
    add = chat.get("add_generation_prompt", not continues)
    texts, _ = render_jinja_template(
        conversations=[messages],
        tools=chat.get("tools"),
        documents=chat.get("documents"),
        chat_template=template,
        continue_final_message=continues,
        add_generation_prompt=add,
        **{**TOKENS, **chat.get("chat_template_kwargs", {})},
    )
    return texts[0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--random", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--short", action="store_true", help="without the templates, as test/goldens has them")
    args = parser.parse_args()
    r = random.Random(args.seed)
    files = sorted({path for folder in args.folders for path in Path(folder).rglob("*.jinja")})
    for path in files:
        template = path.read_text(encoding="utf-8")
        for chat in [*fixed(), *(drawn(r) for _ in range(args.random))]:
            case = {"name": path.name, "template": template, "chat": json.dumps(chat, ensure_ascii=False)}
            if args.short:
                del case["template"]
            try:
                case["text"] = rendered(template, chat)
            except Exception as error:
                case["error"] = f"{type(error).__name__}: {error}"[:200]
            sys.stdout.write(json.dumps(case) + "\n")


if __name__ == "__main__":
    main()
