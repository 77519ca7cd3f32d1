"""What transformers gives for the calls of inlet_live_test.go. python expected.py MODEL_FOLDER"""

import json
import sys

from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
# Go writes the keys of its maps in order.
weather = {
    "function": {
        "description": "Get the weather",
        "name": "get_weather",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
    "type": "function",
}


def chat(*messages, tools=None):
    told = [{"role": role, "content": content} for role, content in messages]
    return tokenizer.apply_chat_template(told, tools=tools, add_generation_prompt=True, return_dict=False)


json.dump(
    {
        "prompt": tokenizer("Hello, world!").input_ids,
        "batch": tokenizer(["alpha", "beta gamma"]).input_ids,
        "chat": chat(("user", "Hello")),
        "agentic": chat(("system", "You can use tools."), ("user", "Weather in Zurich?"), tools=[weather]),
    },
    sys.stdout,
)
