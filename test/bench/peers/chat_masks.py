"""transformers' ids and assistant masks of a file of chats, as trl's SFTTrainer asks for them (`tokenize_fn`): python
chat_masks.py MODEL_FOLDER. Answers each JSON line, a path, with the processor seconds and the trained tokens."""

import json
import sys
import time

from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
print("{}", flush=True)
for line in sys.stdin:
    start, trained = time.process_time(), 0
    with open(json.loads(line), encoding="utf-8") as chats:
        for chat in map(json.loads, chats):
            made = tokenizer.apply_chat_template(
                chat["messages"], tools=chat.get("tools"), return_dict=True, return_assistant_tokens_mask=True
            )
            trained += sum(made["assistant_masks"])
    print(json.dumps({"seconds": time.process_time() - start, "trained": trained}), flush=True)
