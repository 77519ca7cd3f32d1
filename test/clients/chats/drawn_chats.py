"""Twenty chats: systems, tools, thoughts, turns that are not trained, roles out of order, several scripts."""


def said(role, content, **more):
    return {"role": role, "content": content, **more}


def call(name, **arguments):
    return {"type": "function", "function": {"name": name, "arguments": arguments}}


HELLO = [said("user", "Hello!"), said("assistant", "Hello, keeper.")]
MORE = [said("user", "And the ships?"), said("assistant", "Seventeen ships.")]
RULES = said("system", "You count ships.")
TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "description": "The weather of a city",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
    },
}
CALLED = [
    said("user", "Weather in Zürich?"),
    said("assistant", "", tool_calls=[call("weather", city="Zürich")]),
    said("tool", "17 degrees", name="weather"),
    said("assistant", "It is 17 degrees."),
]
CHATS = [
    {"messages": HELLO},
    {"messages": [RULES, *HELLO]},
    {"messages": HELLO + MORE},
    {"messages": [RULES, *HELLO, *MORE, *HELLO]},
    {"messages": [HELLO[0], said("assistant", "Hello.", reasoning_content="They greet me.")]},
    {"messages": [*HELLO, MORE[0], said("assistant", "Ten.", reasoning_content="Count."), *HELLO]},
    {"messages": CALLED, "tools": [TOOL]},
    {"messages": [RULES, *CALLED, *MORE], "tools": [TOOL]},
    {"messages": [CALLED[0], said("assistant", "Both.", tool_calls=[call("weather", city=c) for c in ("A", "B")])], "tools": [TOOL]},
    {"messages": HELLO, "tools": [TOOL]},
    {"messages": [*HELLO, MORE[0], {**MORE[1], "train": False}, *HELLO]},
    {"messages": [*HELLO, MORE[0]]},
    {"messages": [said("user", "日本語 👩‍👩‍👧 नमस्ते"), said("assistant", "Ünïcödé 🌊")]},
    {"messages": [said("user", "  spaced \n"), said("assistant", " spaced too\n\n")]},
    {"messages": [said("user", "Nothing?"), said("assistant", "")]},
    {"messages": [HELLO[1], *MORE]},
    {"messages": [*HELLO, MORE[1]]},
    {"messages": [HELLO[0], MORE[0], MORE[1]]},
    {"messages": [HELLO[0], said("assistant", "<think>\nA greeting.\n</think>\n\nHello."), *MORE]},
    {"messages": [said("user", "Count to a hundred."), said("assistant", " ".join(map(str, range(100))))]},
]
