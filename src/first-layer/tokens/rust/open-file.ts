import { randomBytes } from 'node:crypto'
import type tokenizers from 'tokenizers'
import { utf8Length } from '../unicode/utf8-sequence.js'
import type { Result, TextWork } from './messages.js'

/** Lists of forbidden tokens, those used last, for which a tokenizer is kept. */
const MOST_LISTS = 2

interface Json {
  readonly added_tokens?: readonly { readonly content: string; readonly normalized?: boolean }[]
  readonly model: {
    readonly vocab: Readonly<Record<string, number>> | readonly (readonly [string, number])[]
  }
}

/**
 * The library's tokenizers of one tokenizer.json: the file's own, and one without the forbidden tokens for a text that has
 * some, since the library cannot be told which to find. Making one takes up to a second in one turn.
 */
export class OpenFile {
  readonly #whole: tokenizers.Tokenizer
  /** By their lists of forbidden tokens, the least recently used first. */
  readonly #without = new Map<string, tokenizers.Tokenizer>()
  #parsed: Json | undefined

  /** @throws Error of the library for a file that it cannot use */
  constructor(
    private readonly library: Library,
    private readonly json: string,
  ) {
    this.#whole = library.Tokenizer.fromString(json)
  }

  /** @throws Error of the library for a text or ids that it cannot take */
  async run(work: TextWork): Promise<Result> {
    if (work.type === 'decode') return this.#whole.decode(Array.from(work.ids), false)
    const { utf8, forbidden, addSpecialTokens, ranges } = work
    const text = Buffer.from(utf8).toString('utf8') // keeps a byte order mark, which is text like any other
    const encoding = await this.#tokenizerFor(text, forbidden).encode(text, null, { addSpecialTokens })
    const places = placesIn(text)
    return {
      ids: Int32Array.from(encoding.getIds()),
      ranges: Int32Array.from(ranges ? encoding.getOffsets().flat() : [], (place) => places[place]),
      characters: places.length - 1,
    }
  }

  /** The file's own tokenizer where no forbidden literal can be in the text. */
  #tokenizerFor(text: string, forbidden: readonly string[]): tokenizers.Tokenizer {
    if (forbidden.length === 0) return this.#whole
    this.#parsed ??= JSON.parse(this.json) as Json
    const unwanted = new Set(forbidden)
    // A token that is found in the normalized text may stand in the text in other letters.
    const mayHave = this.#parsed.added_tokens?.some(
      ({ content, normalized }) => unwanted.has(content) && (normalized || text.includes(content)),
    )
    if (!mayHave) return this.#whole
    const key = JSON.stringify(forbidden)
    const tokenizer =
      this.#without.get(key) ?? this.library.Tokenizer.fromString(without(this.#parsed, unwanted))
    this.#without.delete(key)
    this.#without.set(key, tokenizer)
    if (this.#without.size > MOST_LISTS) this.#without.delete([...this.#without.keys()][0]!)
    return tokenizer
  }
}

/**
 * tokenizer.json without added tokens. The library numbers those on that the vocabulary lacks: in the place of such a one
 * stands a literal that no text has.
 */
function without(file: Json, unwanted: ReadonlySet<string>): string {
  const { vocab } = file.model
  const words = new Set(Array.isArray(vocab) ? vocab.map(([word]) => word as string) : Object.keys(vocab))
  const added = file
    .added_tokens!.filter(({ content }) => !unwanted.has(content) || !words.has(content))
    .map((token) =>
      unwanted.has(token.content) ? { ...token, content: randomBytes(24).toString('hex') } : token,
    )
  return JSON.stringify({ ...file, added_tokens: added })
}

/** The byte of the text's UTF-8 at which each code point begins, and its end: `aé` → [0, 1, 3]. */
function placesIn(text: string): number[] {
  const places = [0]
  for (const character of text) places.push(places.at(-1)! + utf8Length(character.codePointAt(0)!))
  return places
}

export type Library = typeof tokenizers

/** Loads npm `tokenizers`, an optional dependency. @returns why there is none: not installed, or not for this platform */
export function loadLibrary(): Promise<Library | string> {
  return libraryFrom(() => import('tokenizers'))
}

export function libraryFrom(load: () => Promise<{ default: Library }>): Promise<Library | string> {
  return load().then(({ default: library }) => library, reasonOf)
}

function reasonOf(error: NodeJS.ErrnoException): string {
  return error.code === 'ERR_MODULE_NOT_FOUND'
    ? 'the optional package `tokenizers` is not installed'
    : `the optional package \`tokenizers\` does not run here (${process.platform} ${process.arch})`
}
