import { randomUUID } from 'node:crypto'
import type tokenizers from 'tokenizers'
import type { Encoded, Result, TextWork } from './messages.js'

/** Sets of forbidden special tokens for which a file keeps a tokenizer. */
const MOST_VARIANTS = 2

interface AddedToken {
  readonly content: string
  readonly special?: boolean
  readonly normalized?: boolean
}

interface Json {
  readonly added_tokens?: readonly AddedToken[]
  readonly model: {
    readonly vocab: Readonly<Record<string, number>> | readonly (readonly [string, number])[]
  }
}

/** The library's tokenizers of one tokenizer.json. Making one takes up to a second in one turn. */
export class OpenFile {
  readonly #whole: tokenizers.Tokenizer
  /** Tokenizers without some special tokens; the one used last comes last. */
  readonly #variants = new Map<string, tokenizers.Tokenizer>()
  #normalized: ReadonlySet<string> | undefined

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
    const encoding = await this.#without(forbidden, text).encode(text, null, { addSpecialTokens })
    const ids = Int32Array.from(encoding.getIds())
    const places = characterPlaces(utf8)
    const characters = places.length - 1
    if (!ranges) return { ids, ranges: new Int32Array(0), characters } satisfies Encoded
    const bytes = Int32Array.from(encoding.getOffsets().flat(), (place) => places[place]!)
    return { ids, ranges: bytes, characters } satisfies Encoded
  }

  /** The tokenizer for which the literals of `forbidden` are ordinary text. */
  #without(forbidden: readonly string[], text: string): tokenizers.Tokenizer {
    if (!this.#mayHave(forbidden, text)) return this.#whole
    const key = JSON.stringify(forbidden)
    const variant =
      this.#variants.get(key) ?? this.library.Tokenizer.fromString(withoutTokens(this.json, forbidden))
    this.#variants.delete(key)
    this.#variants.set(key, variant)
    const [oldest] = this.#variants.keys()
    if (this.#variants.size > MOST_VARIANTS) this.#variants.delete(oldest!)
    return variant
  }

  /** Whether the library might find one of these literals: a normalized one need not be in the text as it is written. */
  #mayHave(literals: readonly string[], text: string): boolean {
    if (literals.length === 0) return false
    this.#normalized ??= new Set(
      ((JSON.parse(this.json) as Json).added_tokens ?? [])
        .filter(({ normalized }) => normalized)
        .map(({ content }) => content),
    )
    return literals.some((literal) => this.#normalized!.has(literal) || text.includes(literal))
  }
}

/**
 * tokenizer.json without the added tokens of these literals. The ids of all others stay: the library numbers on from the
 * vocabulary those that the vocabulary lacks, so such a token keeps its place, under a name that no text has.
 */
function withoutTokens(json: string, forbidden: readonly string[]): string {
  const file = JSON.parse(json) as Json
  const { vocab } = file.model
  const words = new Set(Array.isArray(vocab) ? vocab.map(([word]) => word as string) : Object.keys(vocab))
  const added = (file.added_tokens ?? []).flatMap((token) => {
    if (!forbidden.includes(token.content)) return [token]
    return words.has(token.content) ? [] : [{ ...token, content: `\0${randomUUID()}\0` }]
  })
  return JSON.stringify({ ...file, added_tokens: added })
}

/** The offset of each code point in the UTF-8, and the end of the last one: `aé` → [0, 1, 3]. */
function characterPlaces(utf8: Uint8Array): Int32Array {
  const places = new Int32Array(utf8.length + 1)
  let characters = 0
  for (let i = 0; i < utf8.length; i++) if ((utf8[i]! & 0xc0) !== 0x80) places[characters++] = i
  places[characters] = utf8.length
  return places.subarray(0, characters + 1)
}

export type Library = typeof tokenizers

/** The library, or why it cannot be had. */
type LibraryOrReason =
  | { readonly library: Library; readonly reason?: undefined }
  | { readonly library?: undefined; readonly reason: string }

let loaded: Promise<LibraryOrReason> | undefined

/** Loads npm `tokenizers`, an optional dependency: it may not be installed, or not for this platform. */
export function loadLibrary(): Promise<LibraryOrReason> {
  loaded ??= libraryFrom(() => import('tokenizers'))
  return loaded
}

/** The result of `load`: the library's module, or an error with the missing part. */
export function libraryFrom(load: () => Promise<{ default: Library }>): Promise<LibraryOrReason> {
  return load().then(
    (module) => ({ library: module.default }),
    (error: NodeJS.ErrnoException) => ({ reason: reasonOf(error) }),
  )
}

function reasonOf(error: NodeJS.ErrnoException): string {
  return error.code === 'ERR_MODULE_NOT_FOUND'
    ? 'the optional package `tokenizers` is not installed'
    : `the optional package \`tokenizers\` does not run here (${process.platform} ${process.arch})`
}
