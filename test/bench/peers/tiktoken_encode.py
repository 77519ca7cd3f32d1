"""Python's tiktoken beside our tokenizer: python tiktoken_encode.py ENCODING FOLDER_OF_RANKS

Answers each JSON line, a list of texts, with {"seconds": processor time of encode_ordinary on all, "ids": [[...], ...]}.
"""

import json
import sys
import time

from tiktoken_ranks import encoding

enc = encoding(sys.argv[1], sys.argv[2])
print("{}", flush=True)
for line in sys.stdin:
    texts = json.loads(line)
    start = time.process_time()
    ids = [enc.encode_ordinary(text) for text in texts]
    seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "ids": ids}), flush=True)
