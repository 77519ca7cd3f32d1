import { readdirSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const FIRST_LAYER = new URL('../../src/first-layer/', import.meta.url)

/** The files of the first layer that import Node; all others run in a browser too. */
const NEED_NODE = [
  'cards/stored-card.ts',
  'datasets/mixture-batch.ts',
  'datasets/recipe.ts',
  'embeddings/backends/select.ts',
  'lookups/disk-table.ts',
  'package-file.ts',
  'running/usable-cores.ts',
  'tensors/torch/zip.ts',
  'tokens/rust/open-file.ts',
  'tokens/rust/rust-library.ts',
  'tokens/unicode/is-utf8.ts',
  'tokens/wordpiece/wordpiece-tokenizer.ts',
]

it('few files of the first layer import Node', () => {
  const files = readdirSync(FIRST_LAYER, { recursive: true }).map(String)
  const imports = /from 'node:|import\('node:/
  const found = files.filter(
    (file) => file.endsWith('.ts') && imports.test(readFileSync(new URL(file, FIRST_LAYER), 'utf8')),
  )
  expect(found.sort()).toEqual(NEED_NODE)
})
