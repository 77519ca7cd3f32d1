import type tokenizers from 'tokenizers'
import { CodedFile } from './coded-file.js'
import type { Library } from './library.js'
import type { CountedText } from './text-of-chunks.js'

/** Finders of special tokens that are kept, each for one set of literals. */
const MOST_FINDERS = 16

/** Ids of a text, and the code points that each stands for: [start, end]. */
export interface EncodedText {
  readonly ids: Int32Array
  readonly offsets: () => readonly (readonly number[])[]
  /** The text that was encoded, whose code points `offsets` count. */
  readonly text: CountedText
}

/**
 * The library's tokenizers of one file: `whole`, for which the literals of all special tokens are their ids, and one
 * more, made when a text first needs it, that knows special tokens by codes that no text has. Where only some literals
 * are allowed, these get their codes in the text before it is encoded, so that two tokenizers serve all sets.
 */
export class Instances {
  readonly whole: tokenizers.Tokenizer
  readonly #finders = new Map<string, tokenizers.Tokenizer>()
  #file: CodedFile | undefined
  #coded: Coded | undefined

  /** @throws Error of the library for a file that it cannot use */
  constructor(
    private readonly library: Library,
    private readonly json: string,
  ) {
    this.whole = this.#make(json)
  }

  /** Encodes a text in which the literals of `forbidden` are ordinary text. @param signal as of `RustHost.run` */
  async encode(
    counted: CountedText,
    forbidden: readonly string[],
    addSpecialTokens: boolean,
    signal?: AbortSignal,
  ): Promise<EncodedText> {
    if (!this.#mayHave(forbidden, counted.text)) {
      const encoding = await this.whole.encode(counted.text, null, { addSpecialTokens })
      signal?.throwIfAborted()
      return { ids: Int32Array.from(encoding.getIds()), offsets: () => encoding.getOffsets(), text: counted }
    }
    this.#coded ??= this.#makeCoded()
    const text = await this.#withCodes(counted, new Set(forbidden))
    const encoding = await this.#coded.tokenizer.encode(text.text, null, { addSpecialTokens })
    signal?.throwIfAborted()
    const ids = this.#coded.idsOf(encoding)
    return { ids, offsets: () => encoding.getOffsets(), text }
  }

  /** Whether the library might find one of these literals in the text. */
  #mayHave(literals: readonly string[], text: string): boolean {
    if (literals.length === 0) return false
    this.#file ??= new CodedFile(this.json)
    const { normalized } = this.#file
    return literals.some((literal) => normalized.has(literal) || text.includes(literal))
  }

  /** The text with codes in place of the literals that are not forbidden. */
  async #withCodes(counted: CountedText, forbidden: ReadonlySet<string>): Promise<CountedText> {
    const { codes, added, normalized } = this.#file!
    const isAllowed = (literal: string) =>
      !forbidden.has(literal) && (normalized.has(literal) || counted.text.includes(literal))
    const literals = [...codes.keys()].filter(isAllowed)
    if (literals.length === 0) return counted
    const finder = this.#finder(literals)
    const literalOf = new Map(added.map(({ content }) => [finder.tokenToId(content), content]))
    const encoding = await finder.encode(counted.text, null, { addSpecialTokens: false })
    const offsets = encoding.getOffsets()
    const coder = new Coder(counted)
    for (const [i, id] of encoding.getIds().entries()) {
      const literal = literalOf.get(id)
      const code = literal && codes.get(literal)
      if (code) coder.replace(offsets[i]![0]!, offsets[i]![1]!, literal!, code)
    }
    return coder.end()
  }

  #finder(literals: readonly string[]): tokenizers.Tokenizer {
    const key = JSON.stringify(literals)
    const finder = this.#finders.get(key) ?? this.#make(this.#file!.finder(new Set(literals)))
    this.#finders.delete(key)
    this.#finders.set(key, finder)
    const [oldest] = this.#finders.keys()
    if (this.#finders.size > MOST_FINDERS) this.#finders.delete(oldest!)
    return finder
  }

  #makeCoded(): Coded {
    const file = this.#file!
    return new Coded(this.#make(file.coded(this.json)), file, this.whole)
  }

  #make(json: string): tokenizers.Tokenizer {
    return this.library.Tokenizer.fromString(json)
  }
}

/** The tokenizer that knows special tokens by their codes. */
class Coded {
  /** Its id of an added token → the token as it looks for it, and the file's id: a code is not in the vocabulary. */
  readonly #changed = new Map<number, { readonly content: string; readonly id: number }>()

  constructor(
    readonly tokenizer: tokenizers.Tokenizer,
    { added, codes }: CodedFile,
    whole: tokenizers.Tokenizer,
  ) {
    for (const token of added) {
      const content = codes.get(token.content) ?? token.content
      const own = tokenizer.tokenToId(content)
      const id = whole.tokenToId(token.content)
      if (own !== null && id !== null && own !== id) this.#changed.set(own, { content, id })
    }
  }

  /** The file's ids. A word may have an id that here is a code's, where the vocabulary has holes. */
  idsOf(encoding: tokenizers.Encoding): Int32Array {
    const ids = Int32Array.from(encoding.getIds())
    if (this.#changed.size === 0) return ids
    let tokens: readonly string[] | undefined
    for (let i = 0; i < ids.length; i++) {
      const changed = this.#changed.get(ids[i]!)
      if (changed === undefined) continue
      tokens ??= encoding.getTokens()
      if (tokens[i]!.includes(changed.content)) ids[i] = changed.id
    }
    return ids
  }
}

/** A space, as it is written or as SentencePiece writes it. */
const SPACE = /^[\p{White_Space}▁]$/u

/** Puts codes into a text, from its beginning to its end, and keeps count of its bytes. */
class Coder {
  readonly #characters: readonly string[]
  readonly #parts: string[] = []
  readonly #offsets: number[] = []
  #at = 0

  constructor(private readonly counted: CountedText) {
    this.#characters = [...counted.text]
  }

  /**
   * Replaces a literal between the code points `start` and `end`, among spaces that its token takes along; where a
   * normalizer puts `▁` before a literal too, the library has found the space before it.
   */
  replace(start: number, end: number, literal: string, code: string): void {
    const found = this.#characters.slice(start, end)
    const text = found.join('')
    const at = text.lastIndexOf(literal)
    const isWritten = at >= 0
    const before = isWritten ? [...text.slice(0, at)].length : found.findIndex((each) => !SPACE.test(each))
    const first = start + Math.max(0, before)
    this.#copy(first)
    this.#parts.push(code)
    for (const _ of code) this.#offsets.push(this.counted.byteOffsets[first]!)
    this.#at = isWritten ? first + [...literal].length : end
  }

  end(): CountedText {
    const { characters, byteOffsets } = this.counted
    this.#copy(characters)
    this.#offsets.push(byteOffsets[characters]!)
    return { text: this.#parts.join(''), byteOffsets: Int32Array.from(this.#offsets), characters }
  }

  #copy(end: number): void {
    for (; this.#at < end; this.#at++) {
      this.#parts.push(this.#characters[this.#at]!)
      this.#offsets.push(this.counted.byteOffsets[this.#at]!)
    }
  }
}
