/**
 * The patterns that cut a text into pieces before its bytes are merged → the kernel's number (scan.ts). The first three
 * are those of the five encodings; `llama3` is cl100k's as in tokenizer.json files, `qwen2` the same with single numbers,
 * `gpt2_digits` gpt2's after a cut around each number.
 */
export const PATTERNS = { gpt2: 0, cl100k: 1, o200k: 2, llama3: 3, qwen2: 4, gpt2_digits: 5 } as const

export type Pattern = keyof typeof PATTERNS
