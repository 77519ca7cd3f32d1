import type { RankFile } from './registry.js'

/** The bytes of all tokens: token `id` is `bytes[offsets[id] … offsets[id + 1]]`, empty where ids have a hole. */
export interface Vocabulary {
  /** Highest id + 1, special tokens included. */
  readonly size: number
  readonly bytes: Uint8Array
  readonly offsets: Uint32Array
  readonly specialTokens: ReadonlyMap<string, number>
}

/**
 * Reads js-tiktoken's ranks: `! 0 IQ== Ig==` → token 0 is `!`, token 1 is `"`.
 * @throws Error where two tokens claim one id
 */
export function readVocabulary(file: RankFile): Vocabulary {
  const specialTokens = new Map(Object.entries(file.special_tokens))
  const tokens: Buffer[] = []
  for (const line of file.bpe_ranks.split('\n')) {
    const [, first, ...encoded] = line.split(' ')
    encoded.forEach((base64, i) => {
      place(Number(first) + i, Buffer.from(base64, 'base64'))
    })
  }
  for (const [literal, id] of specialTokens) place(id, Buffer.from(literal))

  const offsets = new Uint32Array(tokens.length + 1)
  for (let id = 0; id < tokens.length; id++) offsets[id + 1] = offsets[id]! + (tokens[id]?.length ?? 0)
  const bytes = new Uint8Array(offsets[tokens.length]!)
  for (let id = 0; id < tokens.length; id++) if (tokens[id]) bytes.set(tokens[id]!, offsets[id])
  return { size: tokens.length, bytes, offsets, specialTokens }

  function place(id: number, bytes: Buffer) {
    if (tokens[id]) throw new Error(`two tokens have the id ${id}`)
    tokens[id] = bytes
  }
}

/** The bytes of token `id`, or undefined for a hole or an id outside 0 … size − 1. */
export function tokenBytes(vocabulary: Vocabulary, id: number): Uint8Array | undefined {
  const start = vocabulary.offsets[id]
  const end = vocabulary.offsets[id + 1]
  return start === undefined || end === undefined || start === end
    ? undefined
    : vocabulary.bytes.subarray(start, end)
}
