"""transformers' chat template and tokenizer: python chat_template.py MODEL_FOLDER. Answers each JSON line, messages, with their ids."""

import json
import sys

from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained(sys.argv[1])
print("{}", flush=True)
for line in sys.stdin:
    ids = tokenizer.apply_chat_template(json.loads(line), add_generation_prompt=True, return_dict=False)
    print(json.dumps(ids), flush=True)
