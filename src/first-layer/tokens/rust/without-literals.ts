import { randomBytes } from 'node:crypto'

interface Token {
  readonly content: string
  readonly normalized?: boolean
}

interface TokenizerJson {
  readonly added_tokens?: readonly Token[]
  readonly model: {
    readonly vocab: Readonly<Record<string, number>> | readonly (readonly [string, number])[]
  }
}

/** The literals of tokenizer.json that the library looks for in the normalized text: a text need not hold them as they are. */
export function normalizedLiterals(json: string): ReadonlySet<string> {
  const { added_tokens = [] } = JSON.parse(json) as TokenizerJson
  return new Set(added_tokens.filter(({ normalized }) => normalized).map(({ content }) => content))
}

/**
 * tokenizer.json with which the literals of `forbidden` are ordinary text. The ids of all other tokens stay: the
 * library counts on from the vocabulary for added tokens that it lacks, so such a token keeps its place and gets a
 * random literal that no client knows.
 */
export function withoutLiterals(json: string, forbidden: readonly string[]): string {
  const file = JSON.parse(json) as TokenizerJson
  const isForbidden = new Set(forbidden)
  const vocabulary = wordsOf(file.model.vocab, isForbidden)
  const added = (file.added_tokens ?? [])
    .filter(({ content }) => !isForbidden.has(content) || !vocabulary.has(content))
    .map((token) => (isForbidden.has(token.content) ? { ...token, content: randomLiteral() } : token))
  return JSON.stringify({ ...file, added_tokens: added })
}

/** Those of `words` that the vocabulary has. */
function wordsOf(vocab: TokenizerJson['model']['vocab'], words: ReadonlySet<string>): Set<string> {
  if (!Array.isArray(vocab)) return new Set([...words].filter((word) => Object.hasOwn(vocab, word)))
  return new Set(vocab.map(([word]) => word as string).filter((word) => words.has(word)))
}

function randomLiteral(): string {
  return `\0${randomBytes(24).toString('hex')}\0`
}
