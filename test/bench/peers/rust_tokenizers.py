"""A tokenizer library beside ours: python rust_tokenizers.py LIBRARY TOKENIZER_JSON FOLDER ENCODING TABLE PATTERN

ENCODING is empty for a tokenizer that is only in the file; TABLE and PATTERN are tiktoken's way to say what the file says.
Answers each JSON line, a list of texts, with {"seconds": processor time for all, "ids": [[...], ...]}. One thread: lists
of ids are made outside of the time where the library gives something else.
"""

import json
import os
import sys
import time

os.environ["RAYON_NUM_THREADS"] = "1"
os.environ["TOKENIZERS_PARALLELISM"] = "false"

library, file, folder, encoding, table, pattern = sys.argv[1:]


def gigatoken():
    from gigatoken import Tokenizer

    # It knows the split patterns of its own, and GPT-4's ends a text otherwise than the file's.
    ranks = os.path.join(folder, f"{encoding}.tiktoken")
    made = Tokenizer.from_tiktoken(ranks, special_tokens={}) if encoding else Tokenizer(file)
    return made.encode, lambda ids: ids.tolist()


def fastokens():
    from fastokens._native import Tokenizer

    return Tokenizer.from_file(file).encode, lambda encoding: encoding.ids


def tokenizers():
    from tokenizers import Tokenizer

    made = Tokenizer.from_file(file)
    made.no_truncation()
    made.no_padding()
    return (lambda text: made.encode(text, add_special_tokens=False)), lambda encoding: encoding.ids


def tiktoken():
    from tiktoken_ranks import encoding as named
    from tiktoken_ranks import encoding_of

    if not encoding and not table:
        raise ValueError("it reads no tokenizer.json")
    made = named(encoding, folder) if encoding else encoding_of(table, folder, pattern)
    return made.encode_ordinary, list


try:
    encode, ids_of = globals()[library]()
except Exception as error:  # a library that cannot is named in the bench's notes
    print(json.dumps({"refused": f"{type(error).__name__}: {error}"[:200]}), flush=True)
    sys.exit()
print("{}", flush=True)
for line in sys.stdin:
    texts = json.loads(line)
    start = time.process_time()
    made = [encode(text) for text in texts]
    seconds = time.process_time() - start
    print(json.dumps({"seconds": seconds, "ids": [ids_of(one) for one in made]}), flush=True)
