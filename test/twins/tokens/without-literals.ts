import { randomBytes } from 'node:crypto'

interface Token {
  readonly content: string
}

interface TokenizerJson {
  readonly added_tokens?: readonly Token[]
  readonly model: {
    readonly vocab: Readonly<Record<string, number>> | readonly (readonly [string, number])[]
  }
}

/**
 * tokenizer.json with which the literals of `forbidden` are ordinary text, to be opened for these alone. The ids of all
 * other tokens stay: the library counts on from the vocabulary for added tokens that it lacks, so such a token keeps its
 * place and gets a random literal.
 */
export function withoutLiterals(json: string, forbidden: readonly string[]): string {
  const file = JSON.parse(json) as TokenizerJson
  const { vocab } = file.model
  const words = new Set(Array.isArray(vocab) ? vocab.map(([word]) => word as string) : Object.keys(vocab))
  const added = (file.added_tokens ?? [])
    .filter(({ content }) => !forbidden.includes(content) || !words.has(content))
    .map((token) =>
      forbidden.includes(token.content)
        ? { ...token, content: `\0${randomBytes(24).toString('hex')}\0` }
        : token,
    )
  return JSON.stringify({ ...file, added_tokens: added })
}
