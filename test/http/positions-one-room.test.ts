import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ALL_DATASET_OUTPUTS } from '../../src/first-layer/datasets/dataset-outputs.js'
import { positionSchemes } from '../../src/first-layer/embeddings/positions/registry.js'
import { OUTPUT_DOCS } from '../../src/openapi/output-docs.js'

const SRC = new URL('../../src/', import.meta.url)

/** Every source file but the schemes' own room, and those that must name a scheme. */
const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))
  .filter(
    (path) =>
      !path.startsWith('first-layer/embeddings/positions/') &&
      !path.startsWith('openapi/') && // its examples call some schemes by name
      !path.startsWith('explorer/') && // has a picture for each scheme, and imports nothing of the service
      !path.startsWith('checkpoints/') && // a checkpoint's config.json has the scheme
      path !== 'requests/prompt-families.ts' && // `t5` and `deberta` are families of models as well
      path !== 'first-layer/embeddings/architectures/registry.ts',
  )

/** The code without its comments, where examples may name a scheme. */
const code = (path: string) =>
  readFileSync(new URL(path, SRC), 'utf8')
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .replace(/\/\/.*$/gm, '')

// The words `none`, `cos` and `sin` mean other things elsewhere: no format, and mathematics.
const OTHER_MEANINGS = ['none', 'cos', 'sin']

describe('wire, http and the recipe', () => {
  it('are among the searched files', () => {
    for (const path of [
      'wire/formats/json.ts',
      'first-layer/embedding-plan.ts',
      'first-layer/input-embedding.ts',
      'first-layer/outputs.ts',
    ]) {
      expect(files).toContain(path)
    }
  })

  it.each(positionSchemes)('do not know $type nor its tensors', ({ type, tensorNames }) => {
    for (const name of [type, ...tensorNames].filter((each) => !OTHER_MEANINGS.includes(each))) {
      const quoted = new RegExp(`['"\`.]${name}['"\`]|\\.${name}\\b`)
      const knowing = files.filter((path) => quoted.test(code(path)))
      expect(knowing, name).toEqual([])
    }
  })

  it('have every tensor’s description from its scheme', () => {
    expect(Object.keys(OUTPUT_DOCS).toSorted()).toEqual(ALL_DATASET_OUTPUTS.toSorted())
  })
})
