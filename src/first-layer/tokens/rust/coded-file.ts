import { randomInt } from 'node:crypto'

/** An added token of tokenizer.json. */
export interface AddedToken {
  readonly content: string
  readonly special?: boolean
  readonly normalized?: boolean
}

interface TokenizerJson {
  readonly added_tokens?: readonly AddedToken[]
  readonly [field: string]: unknown
}

/** Letters of a code: so many that no text has one by chance, and no client can guess it. */
const CODE_LETTERS = 32

/** A tokenizer.json in which each special token has a code in place of its literal, which so is ordinary text. */
export class CodedFile {
  readonly added: readonly AddedToken[]
  /** Literal of a special token → its code. */
  readonly codes: ReadonlyMap<string, string>
  readonly #file: TokenizerJson

  constructor(json: string) {
    const { model: _, ...file } = JSON.parse(json) as TokenizerJson
    this.added = file.added_tokens ?? []
    this.codes = new Map(
      this.added.filter(({ special }) => special).map(({ content }) => [content, codeOf(content)]),
    )
    this.#file = file
  }

  /** The literals that the library looks for in the normalized text: a text need not have them as they are. */
  get normalized(): ReadonlySet<string> {
    return new Set(this.added.filter(({ normalized }) => normalized).map(({ content }) => content))
  }

  /** @param json the same file: its vocabulary is not kept */
  coded(json: string): string {
    const added_tokens = this.added.map((token) => {
      const content = this.codes.get(token.content)
      return content === undefined ? token : { ...token, content }
    })
    return JSON.stringify({ ...(JSON.parse(json) as TokenizerJson), added_tokens })
  }

  /**
   * A tokenizer.json that finds added tokens as this file's does, those of `literals` and those that are not special, and
   * makes one {@link REST} of all text between two of them. It has no vocabulary, and is small. In the normalized text tokens
   * take no spaces along: these may stand for other characters of the text.
   */
  finder(literals: ReadonlySet<string>): string {
    const added_tokens = this.added
      .filter(({ content, special }) => !special || literals.has(content))
      .map((token) => (token.normalized ? { ...token, lstrip: false, rstrip: false } : token))
    const model = { type: 'WordLevel', vocab: { [REST]: 0 }, unk_token: REST }
    const none = { pre_tokenizer: null, post_processor: null, decoder: null }
    return JSON.stringify({ ...this.#file, ...none, model, added_tokens })
  }
}

/** The token of text between two added tokens, which no text has by chance. */
const REST = `rest ${letters()}`

/** It begins and ends as the literal does: a normal form may join either end to the text beside it, or a word end there. */
function codeOf(literal: string): string {
  const characters = [...literal]
  return `${characters[0]}${letters()}${characters.at(-1)}`
}

/** Lower-case letters, which every normalizer leaves as they are. */
function letters(): string {
  return Array.from({ length: CODE_LETTERS }, () => String.fromCharCode(97 + randomInt(26))).join('')
}
