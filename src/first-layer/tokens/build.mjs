// Fills dist/ranks and dist/unicode with the tables that tokenizers read: `node build.mjs tokens`.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'

const NAMES = ['gpt2', 'r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base']

const isTable = (path) => !path.endsWith('.md')
cpSync('src/first-layer/tokens/unicode/tables', 'dist/unicode', { recursive: true, filter: isTable })
// js-tiktoken's ranks come as modules; as files they are read without parsing (encoding.ts).
mkdirSync('dist/ranks', { recursive: true })
for (const name of NAMES) {
  const { bpe_ranks: ranks, special_tokens: special } = (await import(`js-tiktoken/ranks/${name}`)).default
  const tokens = []
  // A line `! 0 IQ== Ig==` begins with the first id.
  for (const line of ranks.split('\n')) {
    const [, first, ...encoded] = line.split(' ')
    for (const [i, base64] of encoded.entries()) tokens[Number(first) + i] = Buffer.from(base64, 'base64')
  }
  const lengths = Uint8Array.from(tokens, (token) => token?.length ?? 0)
  const head = `${JSON.stringify({ special, size: tokens.length })}\n`
  writeFileSync(
    `dist/ranks/${name}.bin`,
    Buffer.concat([Buffer.from(head), lengths, ...tokens.filter(Boolean)]),
  )
}
