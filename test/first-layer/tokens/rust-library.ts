import { readFileSync } from 'node:fs'
import type tokenizers from 'tokenizers'

/** Ids of a text, and the bytes of its UTF-8 that each stands for: [start, end), start, end … */
export interface RangedIds {
  readonly ids: number[]
  readonly ranges: number[]
}

const library = await import('tokenizers').then(
  (module) => module.default,
  () => undefined,
)

/** Whether the library is there: it is an optional dependency. Tests beside it are skipped where it is not. */
export const hasRustLibrary = library !== undefined

/** The text of a file in test/goldens/tokenizers. */
export function tokenizerFile(name: string): string {
  return readFileSync(new URL(`../../goldens/tokenizers/${name}.json`, import.meta.url), 'utf8')
}

/** The Rust library itself, as the oracle. */
export class RustLibrary {
  readonly #tokenizer: tokenizers.Tokenizer

  constructor(json: string) {
    if (library === undefined) throw new Error('npm tokenizers is not installed')
    this.#tokenizer = library.Tokenizer.fromString(json)
    this.#tokenizer.disableTruncation()
    this.#tokenizer.disablePadding()
  }

  async encode(text: string, addSpecialTokens = false): Promise<RangedIds> {
    const encoding = await this.#tokenizer.encode(text, null, { addSpecialTokens })
    const bytes = byteOffsets(text)
    const ranges = encoding.getOffsets().flatMap(([start, end]) => [bytes[start!]!, bytes[end!]!])
    return { ids: encoding.getIds(), ranges }
  }

  decode(ids: number[]): Promise<string> {
    return this.#tokenizer.decode(ids, false)
  }
}

/** The place of each code point of a text in its UTF-8, and the end of the last one: `aé` → [0, 1, 3]. */
function byteOffsets(text: string): number[] {
  const offsets = [0]
  for (const character of text) offsets.push(offsets.at(-1)! + Buffer.byteLength(character))
  return offsets
}
