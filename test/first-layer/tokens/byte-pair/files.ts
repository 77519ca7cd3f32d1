import { readFileSync } from 'node:fs'
import type { BytePairSpec } from '../../../../src/first-layer/tokens/byte-pair/byte-pair-tokenizer.js'
import { readTokenizerFiles } from '../../../../src/first-layer/tokens/tokenizer-file/choose-tokenizer.js'

/** The small files of test/goldens/tokenizers that the kernel encodes. */
export const FILES = ['gpt2', 'roberta', 'llama3', 'qwen2', 'starcoder', 'gpt_neox', 'o200k'] as const

/** A tokenizer.json, parsed again in each call: a test may change it. */
// biome-ignore lint/suspicious/noExplicitAny: tests reach into the file
export function tokenizerFile(name: (typeof FILES)[number]): any {
  return JSON.parse(readFileSync(`test/goldens/tokenizers/${name}.json`, 'utf8'))
}

/** The kernel's input for a file. @throws Error if another encoder is chosen */
export function bytePairSpec(file: unknown, config?: object): BytePairSpec {
  const read = readTokenizerFiles({
    tokenizer: JSON.stringify(file),
    config: config && JSON.stringify(config),
  })
  if (read.kind !== 'byte_pair') throw new Error(`not for the kernel: ${read.kind}`)
  return read.spec
}
