import { randomBytes } from 'node:crypto'
import type tokenizers from 'tokenizers'
import { literalsExpression } from '../added-tokens.js'
import type { Encoded, Result, TextWork } from './messages.js'

/**
 * Special tokens of a file that are found in the normalized text, of which each set may be forbidden: a tokenizer is made
 * for each set. Few files have any. Of more only all or none have a tokenizer without them.
 */
const MOST_NORMALIZED = 2
const ALL_OR_NONE =
  'of the special tokens of the normalized text, `allowed_special` must have all or none where the text has'

/** An entry of `added_tokens` in tokenizer.json. */
interface AddedToken {
  readonly content: string
  readonly special?: boolean
  readonly normalized?: boolean
  readonly single_word?: boolean
}

interface Json {
  readonly added_tokens?: readonly AddedToken[]
  readonly model: {
    readonly vocab: Readonly<Record<string, number>> | readonly (readonly [string, number])[]
  }
}

/** A literal of a text that a mark replaces: [start, end) in UTF-16 units. */
interface Mark {
  readonly start: number
  readonly end: number
  readonly token: AddedToken
}

/**
 * The library's tokenizers of one tokenizer.json. Making one takes up to a second in one turn, so it is made once: the
 * library cannot be told which special tokens to find. Where a text has a literal that is to be ordinary text, another
 * tokenizer encodes it, which finds marks in place of literals; the literals that are allowed are replaced by theirs.
 */
export class OpenFile {
  readonly #whole: tokenizers.Tokenizer
  /** By the tokens of the normalized text that it does not find: at most four. */
  readonly #marked = new Map<string, tokenizers.Tokenizer>()
  /** Letters that no text has. */
  readonly #salt = randomBytes(6).toString('hex')
  #added: readonly AddedToken[] | undefined

  /** @throws Error of the library for a file that it cannot use */
  constructor(
    private readonly library: Library,
    private readonly json: string,
  ) {
    this.#whole = library.Tokenizer.fromString(json)
  }

  /** @throws Error of the library for a text or ids that it cannot take; for a text with a forbidden token that no tokenizer leaves out */
  async run(work: TextWork): Promise<Result> {
    if (work.type === 'decode') return this.#whole.decode(Array.from(work.ids), false)
    const { utf8, forbidden, addSpecialTokens, ranges } = work
    const text = Buffer.from(utf8).toString('utf8') // keeps a byte order mark, which is text like any other
    const { tokenizer, marks, kept } = this.#tokenizerFor(text, new Set(forbidden))
    const marked = this.#withMarks(text, marks)
    const encoding = await tokenizer.encode(marked.text, null, { addSpecialTokens })
    const ids = Int32Array.from(encoding.getIds())
    const names = new Map(kept.map(({ content }) => [this.#whole.tokenToId(content), content]))
    const found = ids.find((id) => names.has(id))
    if (found !== undefined) throw new Error(`${ALL_OR_NONE} ${JSON.stringify(names.get(found))}`)
    const { places, characters, spans } = marked
    if (!ranges && marks.length === 0) return { ids, ranges: new Int32Array(0), characters } satisfies Encoded
    const offsets = encoding.getOffsets()
    for (let i = 0, mark = 0; i < ids.length && mark < marks.length; i++) {
      const [start, end] = offsets[i] as [number, number]
      if (start < spans[mark].end && spans[mark].start < end)
        ids[i] = this.#whole.tokenToId(marks[mark++].token.content)!
    }
    const bytes = ranges ? Int32Array.from(offsets.flat(), (place) => places[place]) : new Int32Array(0)
    return { ids, ranges: bytes, characters } satisfies Encoded
  }

  /** What encodes the text: the file's own tokenizer where no forbidden literal can be in it. */
  #tokenizerFor(text: string, forbidden: ReadonlySet<string>) {
    const whole = { tokenizer: this.#whole, marks: [] as readonly Mark[], kept: [] as readonly AddedToken[] }
    if (forbidden.size === 0) return whole
    this.#added ??= (JSON.parse(this.json) as Json).added_tokens ?? []
    // A token that is found in the normalized text may stand in the text in other letters.
    const normalized = this.#added.filter((token) => token.special && token.normalized)
    const unwanted = normalized.filter(({ content }) => forbidden.has(content))
    const isAny = normalized.length <= MOST_NORMALIZED || unwanted.length === normalized.length
    const [absent, kept] = isAny ? [unwanted, []] : [[], unwanted]
    const literals = this.#added.filter((token) => !token.normalized)
    const isLiteral = literals.some(({ content }) => forbidden.has(content) && text.includes(content))
    if (unwanted.length === 0 && !isLiteral) return whole
    const found = new Map(literals.map((token) => [token.content, token]))
    for (const content of forbidden) found.delete(content)
    const marks: Mark[] = []
    for (const { 0: content, index: start } of text.matchAll(literalsExpression([...found.keys()]))) {
      const token = found.get(content)!
      const end = start + content.length
      if (token.special && !(token.single_word && isWithinWord(text, start, end)))
        marks.push({ start, end, token })
    }
    return { tokenizer: this.#markedWithout(absent), marks, kept }
  }

  #markedWithout(absent: readonly AddedToken[]): tokenizers.Tokenizer {
    const key = JSON.stringify(absent.map(({ content }) => content))
    const tokenizer =
      this.#marked.get(key) ?? this.library.Tokenizer.fromString(this.#withMarkedTokens(new Set(absent)))
    this.#marked.set(key, tokenizer)
    return tokenizer
  }

  /**
   * tokenizer.json with marks for the literals of special tokens, but for those that are found in the normalized text, of
   * which `absent` get one that is never written. The library numbers on from the vocabulary those that the vocabulary
   * lacks, so they come first, as in the file, and keep their ids; `run` knows a mark's id by its place.
   */
  #withMarkedTokens(absent: ReadonlySet<AddedToken>): string {
    const file = JSON.parse(this.json) as Json
    const { vocab } = file.model
    const words = new Set(Array.isArray(vocab) ? vocab.map(([word]) => word as string) : Object.keys(vocab))
    const marked = (token: AddedToken) =>
      (token.special && !token.normalized) || absent.has(token)
        ? { ...token, content: this.#markOf(token.content) }
        : token
    const [lacked, known] = [false, true].map((isKnown) =>
      this.#added!.filter(({ content }) => words.has(content) === isKnown),
    )
    return JSON.stringify({ ...file, added_tokens: [...lacked!, ...known!].map(marked) })
  }

  /** Stands for a literal: keeps its first and last letters, at which the library looks for words and spaces. */
  #markOf(literal: string): string {
    const characters = [...literal]
    const place = this.#added!.findIndex(({ content }) => content === literal)
    return `${characters[0]}${this.#salt}x${place}x${characters.at(-1)}`
  }

  /**
   * The text with marks in place of literals, the marks' code points in it, and for each of its code points, and its end,
   * the byte of the given text's UTF-8: `aé` → [0, 1, 3].
   */
  #withMarks(text: string, marks: readonly Mark[]) {
    const spans: { start: number; end: number }[] = []
    const places: number[] = []
    let [characters, byte, at, marked] = [0, 0, 0, '']
    const add = (part: string, place?: number) => {
      for (let i = 0; i < part.length; i++) {
        const code = part.codePointAt(i)!
        places.push(place ?? byte)
        if (code > 0xffff) i++
        if (place !== undefined) continue
        byte += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
        characters++
      }
      marked += part
    }
    for (const { start, end, token } of marks) {
      add(text.slice(at, start))
      const first = places.length
      add(this.#markOf(token.content), byte)
      spans.push({ start: first, end: places.length })
      byte += Buffer.byteLength(token.content)
      characters += [...token.content].length
      at = end
    }
    add(text.slice(at))
    places.push(byte)
    return { text: marked, places, characters, spans }
  }
}

/** Rust's `\w`. */
const WORD = String.raw`[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]`
const STARTS_WITH_WORD = new RegExp(`^${WORD}`, 'u')
const ENDS_WITH_WORD = new RegExp(`${WORD}$`, 'u')

function isWithinWord(text: string, start: number, end: number): boolean {
  return (
    ENDS_WITH_WORD.test(text.slice(Math.max(0, start - 2), start)) ||
    STARTS_WITH_WORD.test(text.slice(end, end + 2))
  )
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
