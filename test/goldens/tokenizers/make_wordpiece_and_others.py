"""Makes the tokenizer files of this folder: `pip install tokenizers; python test/goldens/tokenizers/make_wordpiece_and_others.py`.

wordpiece-*.json for our own WordPiece, unigram.json, sentencepiece-bpe.json and wordlevel.json for the library.
"""

import json
from pathlib import Path

from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    processors,
    trainers,
)

HERE = Path(__file__).parent
SAMPLE = (HERE / "../../../docs/sample.txt").resolve().read_text(encoding="utf-8")
LANGUAGES = """
Größe Straße Übermut naïve café garçon İstanbul ışık Ελλάδα ΆΈΉ Москва ёжик שלום عربي हिन्दी ไทย 中文 漢字 日本語
かな ガギグ 한국어 대한민국 tiếng Việt Đà Nẵng e\u0301 a\u0308 o\u0302\u0301 ǅ ﬁ ½ ² 𝒜 𠀀 😀 👩‍👩‍👧 1234567890
isn't don't we're I'm x_y a-b (c) [d] {e} "f" 100% $5 €7 @home #tag a/b\\c 1.5e-3
""" * 3
TEXTS = SAMPLE.splitlines() + LANGUAGES.splitlines()
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def save(tokenizer: Tokenizer, name: str, **more: object) -> None:
    content = json.loads(tokenizer.to_str())
    content.update(more)
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    (HERE / f"{name}.json").write_text(text + "\n", encoding="utf-8")
    print(name, len(text.encode()))


def wordpiece(name: str, size: int, **normalizer: object) -> Tokenizer:
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(**normalizer)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.decoder = decoders.WordPiece()
    trainer = trainers.WordPieceTrainer(vocab_size=size, special_tokens=SPECIAL, show_progress=False)
    tokenizer.train_from_iterator(TEXTS, trainer)
    cls, sep = (tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B:1 [SEP]:1", special_tokens=[("[CLS]", cls), ("[SEP]", sep)]
    )
    return tokenizer


uncased = wordpiece("wordpiece-uncased", 1500, lowercase=True)
uncased.enable_truncation(8)
uncased.enable_padding(length=12)
save(uncased, "wordpiece-uncased")

cased = wordpiece("wordpiece-cased", 1500, lowercase=False)
cased.post_processor = processors.BertProcessing(
    ("[SEP]", cased.token_to_id("[SEP]")), ("[CLS]", cased.token_to_id("[CLS]"))
)
save(cased, "wordpiece-cased")

# Added tokens of every kind; neither cleaned nor cut at Chinese characters; accents go, letters keep their case.
ADDED = [
    AddedToken("New York"),
    AddedToken("Café", single_word=True),
    AddedToken("<left>", lstrip=True, normalized=True),
    AddedToken("afé"),
    AddedToken("und", single_word=True, normalized=False),
    AddedToken("nd", normalized=False),
    AddedToken("ab", normalized=False),
    AddedToken("abc", normalized=False),
    AddedToken("漢字", normalized=True),
]
SPECIALS = [
    AddedToken("<right>", rstrip=True, normalized=False),
    AddedToken("[É]", normalized=True),
]


def with_added(name: str, tokens: list[AddedToken], specials: list[AddedToken], **normalizer: object) -> None:
    added = wordpiece(name, 700, **normalizer)
    added.add_tokens(ADDED + tokens)
    added.add_special_tokens(SPECIALS + specials)
    save(added, name)


with_added(
    "wordpiece-added",
    [],
    [
        AddedToken("<mask>", lstrip=True, normalized=False),
        AddedToken("<both>", lstrip=True, rstrip=True, single_word=True, normalized=False),
    ],
    lowercase=False,
    strip_accents=True,
    clean_text=False,
    handle_chinese_chars=False,
)
with_added(
    "wordpiece-stripped",
    [AddedToken("ing", rstrip=True), AddedToken("<both>", lstrip=True, rstrip=True, single_word=True)],
    [AddedToken("<mask>", normalized=True, single_word=True)],
    lowercase=True,
    handle_chinese_chars=False,
    strip_accents=False,
)

unigram = Tokenizer(models.Unigram())
unigram.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace("``", '"')])
unigram.pre_tokenizer = pre_tokenizers.Metaspace()
unigram.decoder = decoders.Metaspace()
unigram.train_from_iterator(
    TEXTS,
    trainers.UnigramTrainer(
        vocab_size=800, special_tokens=["<pad>", "</s>", "<unk>"], unk_token="<unk>", show_progress=False
    ),
)
unigram.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=[("</s>", 1)])
save(unigram, "unigram")

# As Llama 2: bytes for what the vocabulary lacks.
byte_tokens = [f"<0x{byte:02X}>" for byte in range(256)]
sentencepiece = Tokenizer(models.BPE(unk_token="<unk>", fuse_unk=True, byte_fallback=True))
sentencepiece.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
sentencepiece.decoder = decoders.Sequence(
    [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse(), decoders.Strip(" ", 1, 0)]
)
sentencepiece.pre_tokenizer = pre_tokenizers.Metaspace()
sentencepiece.train_from_iterator(
    TEXTS,
    trainers.BpeTrainer(
        vocab_size=1200, special_tokens=["<unk>", "<s>", "</s>", *byte_tokens], show_progress=False
    ),
)
content = json.loads(sentencepiece.to_str())
content["pre_tokenizer"] = None
content["added_tokens"] = content["added_tokens"][:3]
sentencepiece = Tokenizer.from_str(json.dumps(content))
sentencepiece.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
save(sentencepiece, "sentencepiece-bpe")

wordlevel = Tokenizer(models.WordLevel(unk_token="<unk>"))
wordlevel.normalizer = normalizers.Sequence([normalizers.NFD(), normalizers.StripAccents(), normalizers.Lowercase()])
wordlevel.pre_tokenizer = pre_tokenizers.Whitespace()
wordlevel.train_from_iterator(
    TEXTS,
    trainers.WordLevelTrainer(vocab_size=600, special_tokens=["<unk>", "<s>", "</s>"], show_progress=False),
)
save(wordlevel, "wordlevel")
