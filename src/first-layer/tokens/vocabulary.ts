import { isUtf8 } from './unicode/is-utf8.js'

/** The bytes of all tokens by id, empty where ids have a hole. A special token's bytes are those of its literal. */
export type Vocabulary = MergeOrder

/** The bytes of a token, a special token's literal included; undefined for a hole or an id out of range. */
export function bytesOfToken({ bytes, offsets }: MergeOrder, id: number): Uint8Array | undefined {
  return offsets[id] < offsets[id + 1] ? bytes.subarray(offsets[id], offsets[id + 1]) : undefined
}

/** The characters of a token; null if its bytes are not whole UTF-8, undefined for a hole or an id out of range. */
export function textOfToken(vocabulary: Vocabulary, id: number): string | null | undefined {
  const bytes = bytesOfToken(vocabulary, id)
  if (bytes === undefined) return undefined
  return isUtf8(bytes) ? Buffer.from(bytes).toString() : null
}

/** Tokens in the order of their forming: token `t` is `bytes[offsets[t] … offsets[t + 1]]`. */
export interface MergeOrder {
  readonly bytes: Uint8Array
  readonly offsets: Uint32Array
}

/** Tokens one after the other, an empty one for undefined. */
export function orderOf(tokens: readonly (Uint8Array | undefined)[]): MergeOrder {
  const offsets = new Uint32Array(tokens.length + 1)
  for (let i = 0; i < tokens.length; i++) offsets[i + 1] = offsets[i] + (tokens[i]?.length ?? 0)
  return { bytes: joined(tokens), offsets }
}

const NONE = new Uint8Array(0)

/** Copies the parts one after the other into new memory: a `Buffer` could share a pool's, which is posted whole. */
export function joined(parts: readonly (Uint8Array | undefined)[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part?.length ?? 0
  const all = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    all.set(part ?? NONE, at)
    at += part?.length ?? 0
  }
  return all
}

/** The vocabulary of ordinary tokens, in `bytes` and `offsets`, and of special tokens, whose ids are holes there. */
export function vocabularyOf(
  bytes: Uint8Array,
  offsets: Uint32Array,
  specialTokens: ReadonlyMap<string, number>,
): Vocabulary {
  const size = Math.max(offsets.length - 1, ...[...specialTokens.values()].map((id) => id + 1))
  const starts = new Uint32Array(size + 1).fill(bytes.length)
  starts.set(offsets)
  let all = bytes
  for (const [literal, id] of specialTokens) {
    const utf8 = Buffer.from(literal)
    all = joined([all.subarray(0, starts[id]), utf8, all.subarray(starts[id])])
    for (let next = id + 1; next <= size; next++) starts[next] += utf8.length
  }
  return { bytes: all, offsets: starts }
}

/** The bytes of tokens by id; ids without one are holes. The later of two tokens of one id counts. */
export function tokensById(
  tokens: Iterable<readonly [string, number]>,
  bytesOf: (token: string) => Uint8Array,
): (Uint8Array | undefined)[] {
  const byId: (Uint8Array | undefined)[] = []
  for (const [token, id] of tokens) byId[id] = bytesOf(token)
  return Array.from(byId)
}

/** The strings of all tokens by id, in UTF-8. */
export type TokenStrings = MergeOrder

export function tokenStrings(tokens: Iterable<readonly [string, number]>): TokenStrings {
  return orderOf(tokensById(tokens, (token) => Buffer.from(token)))
}

/** The string of a token; undefined for a hole or an id out of range. */
export function stringOf(strings: TokenStrings, id: number): string | undefined {
  const bytes = bytesOfToken(strings, id)
  return bytes === undefined ? undefined : Buffer.from(bytes).toString()
}
