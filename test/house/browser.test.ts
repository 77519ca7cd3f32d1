import { readdirSync, readFileSync } from 'node:fs'
import { type OutputOptions, type Plugin, rolldown } from 'rolldown'
import { expect, it } from 'vitest'
import '../built.js'
import site, { REPLACED } from '../../site/bundle.js'

const FIRST_LAYER = new URL('../../src/first-layer/', import.meta.url)

/** The files of the first layer that import Node; all others run in a browser too. */
const NEED_NODE = [
  'cards/stored-card.ts',
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

// The worker is of src/features/explorer/site.
it('the page without a service has the first layer without Node', async () => {
  const noFiles: Plugin = {
    name: 'no files',
    load: (id) => (id.endsWith('/site/files.ts') ? 'export const FILES = {}' : undefined),
  }
  const bundle = await rolldown({ ...site.worker, plugins: [noFiles, site.worker.plugins] })
  const { output } = await bundle.generate({ ...(site.worker.output as OutputOptions), minify: false })
  expect(output[0].imports).toEqual([])
  expect(output[0].dynamicImports).toEqual([])
  const used = Object.entries(output[0].modules).filter(([, { code }]) => code) // others are named, without a line
  const files = used.map(([id]) => id.split('/src/').at(-1)!)
  expect(files).toContain('first-layer/embed.ts')
  expect(
    files.filter((file) => /^service\/(process|request\/(load|body|checks)|connections)\//.test(file)),
  ).toEqual([])
  expect(REPLACED.filter((file) => !NEED_NODE.includes(file))).toEqual(['kernels/shared-memory.ts'])
})
