/**
 * How a text is cut into pieces before its bytes are merged → the kernel's number for it (scan.ts). The first three
 * serve the five encodings; `llama3` is cl100k's pattern as tokenizer.json files have it, `qwen2` that one with single
 * numbers, `gpt2_digits` gpt2's behind a cut around each number.
 */
export const PATTERNS = { gpt2: 0, cl100k: 1, o200k: 2, llama3: 3, qwen2: 4, gpt2_digits: 5 } as const

export type Pattern = keyof typeof PATTERNS
