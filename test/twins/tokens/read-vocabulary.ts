import type { EncodingName } from '../../../src/first-layer/tokens/encodings.js'
import type { Vocabulary } from '../../../src/first-layer/tokens/vocabulary.js'

/** js-tiktoken's own files, as modules. */
const RANKS = {
  gpt2: () => import('js-tiktoken/ranks/gpt2'),
  r50k_base: () => import('js-tiktoken/ranks/r50k_base'),
  p50k_base: () => import('js-tiktoken/ranks/p50k_base'),
  cl100k_base: () => import('js-tiktoken/ranks/cl100k_base'),
  o200k_base: () => import('js-tiktoken/ranks/o200k_base'),
} as const

/** Reads js-tiktoken's ranks, token by token: `! 0 IQ== Ig==` → token 0 is `!`, token 1 is `"`. */
export async function readVocabulary(name: EncodingName): Promise<Vocabulary> {
  const { default: file } = await RANKS[name]()
  const tokens: Buffer[] = []
  for (const line of file.bpe_ranks.split('\n')) {
    const [, first, ...encoded] = line.split(' ')
    encoded.forEach((base64, i) => {
      tokens[Number(first) + i] = Buffer.from(base64, 'base64')
    })
  }
  for (const [literal, id] of Object.entries(file.special_tokens)) tokens[id] = Buffer.from(literal)
  const offsets = new Uint32Array(tokens.length + 1)
  for (let id = 0; id < tokens.length; id++) offsets[id + 1] = offsets[id]! + (tokens[id]?.length ?? 0)
  const specialTokens = new Map(Object.entries(file.special_tokens))
  return { size: tokens.length, bytes: Buffer.concat(tokens.filter(Boolean)), offsets, specialTokens }
}
