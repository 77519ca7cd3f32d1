// Writes js-tiktoken's ranks as files that can be read without parsing a module: `npm run build:ranks`.
import { mkdirSync, writeFileSync } from 'node:fs'

const NAMES = ['gpt2', 'r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base']

mkdirSync('dist/ranks', { recursive: true })
for (const name of NAMES) {
  const { bpe_ranks: ranks, special_tokens: special } = (await import(`js-tiktoken/ranks/${name}`)).default
  writeFileSync(`dist/ranks/${name}.txt`, `${JSON.stringify(special)}\n${ranks}`)
}
