import { readFileSync } from 'node:fs'

/** The small files of test/goldens/tokenizers that the kernel encodes. */
export const FILES = ['gpt2', 'roberta', 'llama3', 'qwen2', 'starcoder', 'gpt_neox', 'o200k'] as const

/** A tokenizer.json, parsed anew in each call: a test may change it. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into the file
export function tokenizerFile(name: (typeof FILES)[number]): any {
  return JSON.parse(readFileSync(`test/goldens/tokenizers/${name}.json`, 'utf8'))
}
