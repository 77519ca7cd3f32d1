import { folderError } from './folder-error.js'

const FILE = 'tokenizer.json'
/** Most bytes of tokenizer.json: that of a vocabulary of a million tokens has about a hundred million. */
export const MAX_TOKENIZER_BYTES = 1 << 28

/** What a static model needs to know of its tokenizer beside its ids. */
export interface StaticTokenizer {
  /** Tokens, added ones included. */
  readonly vocabSize: number
  /** The id that stands for what the vocabulary has not. */
  readonly unknownId: number | undefined
  /** Median of the tokens' lengths in code points, rounded down. */
  readonly medianTokenLength: number
  /** Most ids of a text, where the file says so. */
  readonly truncation: number | undefined
  /** Whether a longer text keeps its last ids, not its first. */
  readonly truncatesLeft: boolean
}

interface TokenizerJson {
  readonly model?: { readonly vocab?: unknown; readonly unk_token?: unknown; readonly unk_id?: unknown }
  readonly added_tokens?: readonly { readonly content?: unknown }[]
  readonly truncation?: { readonly max_length?: unknown; readonly direction?: unknown } | null
}

/** @throws InletError `model_failed` where the file is missing, or has no vocabulary */
export function staticTokenizer(text: string): StaticTokenizer {
  if (text === '') throw folderError(FILE, 'is missing')
  let json: TokenizerJson
  try {
    json = JSON.parse(text) as TokenizerJson
  } catch (error) {
    throw folderError(FILE, `must be JSON: ${(error as Error).message}`)
  }
  const { vocab, unk_token: unknown, unk_id: unknownId } = json.model ?? {}
  const ids = Array.isArray(vocab) ? unigramIds(vocab) : idsOf(vocab)
  let next = ids.size
  for (const { content } of json.added_tokens ?? []) {
    if (typeof content === 'string' && !ids.has(content)) ids.set(content, next++)
  }
  const named = typeof unknown === 'string' ? ids.get(unknown) : undefined
  const most = json.truncation?.max_length
  return {
    vocabSize: ids.size,
    unknownId: named ?? (Number.isSafeInteger(unknownId) ? (unknownId as number) : undefined),
    medianTokenLength: Math.floor(median([...ids.keys()].map((token) => [...token].length))),
    truncation: Number.isSafeInteger(most) ? (most as number) : undefined,
    truncatesLeft: json.truncation?.direction === 'Left',
  }
}

function idsOf(vocab: unknown): Map<string, number> {
  if (typeof vocab !== 'object' || vocab === null) throw folderError(FILE, '`model.vocab` is needed')
  return new Map(Object.entries(vocab) as [string, number][])
}

/** Unigram: `[[token, score], …]`. */
function unigramIds(vocab: readonly unknown[]): Map<string, number> {
  return new Map(vocab.map((entry, id) => [String(Array.isArray(entry) ? entry[0] : entry), id]))
}

function median(lengths: number[]): number {
  const sorted = Int32Array.from(lengths).sort()
  const middle = sorted.length >> 1
  if (sorted.length === 0) return 0
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}
