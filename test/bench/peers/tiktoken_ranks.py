"""tiktoken's own encodings, with the rank files of a folder instead of its download."""

import os

import tiktoken
from tiktoken_ext import openai_public


def encoding(name, folder):
    """The encoding `name`; its `.tiktoken` file is in `folder`. tiktoken checks the file's hash."""
    os.environ["TIKTOKEN_CACHE_DIR"] = folder
    load = openai_public.load_tiktoken_bpe

    def from_folder(url, expected_hash=None):
        return load(os.path.join(folder, os.path.basename(url)), expected_hash)

    openai_public.load_tiktoken_bpe = from_folder
    try:
        return tiktoken.Encoding(**openai_public.ENCODING_CONSTRUCTORS[name]())
    finally:
        openai_public.load_tiktoken_bpe = load


def encoding_of(ranks, folder, pattern):
    """An encoding of these ranks with another split pattern."""
    table = tiktoken.load.load_tiktoken_bpe(os.path.join(folder, f"{ranks}.tiktoken"))
    return tiktoken.Encoding("made", pat_str=pattern, mergeable_ranks=table, special_tokens={})
