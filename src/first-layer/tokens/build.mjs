// Fills dist/ranks and dist/unicode with the tables that tokenizers read: `node build.mjs tokens`.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs'

const NAMES = ['gpt2', 'r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base']

const isTable = (path) => !path.endsWith('.md')
cpSync('src/first-layer/tokens/unicode/tables', 'dist/unicode', { recursive: true, filter: isTable })
// js-tiktoken's ranks come as modules; as files they are read without parsing JavaScript.
mkdirSync('dist/ranks', { recursive: true })
for (const name of NAMES) {
  const { bpe_ranks: ranks, special_tokens: special } = (await import(`js-tiktoken/ranks/${name}`)).default
  writeFileSync(`dist/ranks/${name}.txt`, `${JSON.stringify(special)}\n${ranks}`)
}
