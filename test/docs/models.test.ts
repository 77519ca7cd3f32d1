import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { FAMILIES } from '../../src/checkpoints/families/families.js'
import type { Family } from '../../src/checkpoints/families/family.js'
import { ctrlSines, xglmSines } from '../../src/checkpoints/families/schemes.js'

const PATH = new URL('../../docs/models.md', import.meta.url)
const BETWEEN = /(<!-- families -->\n)([\s\S]*?)(\n<!-- \/families -->)/

const STEPS: Readonly<Record<string, string>> = {
  types: '+ token type',
  positions: '+ position',
  norm: 'LayerNorm',
  project: 'projection where widths differ',
  mask: '0 under the mask',
}

const INDEX: Readonly<Record<string, string>> = {
  plain: 'row p',
  two_on: 'row p + 2',
  two_on_by_mask: 'row p + 2, a masked slot 1',
  after_pad: 'row p + pad + 1, the pad’s id `pad`',
  after_one: 'row p + 2, the id 1 row 1',
}

/** Schemes whose rows are computed and added. */
const SINES: readonly unknown[] = [ctrlSines, xglmSines]

function rowOf(family: Family): readonly [what: string, name: string] {
  const { prefixes, tokens, positions, steps, scale, scheme, index = 'plain' } = family
  const prefix = [...prefixes].filter((each) => each !== '')[0] ?? ''
  const scaling = scale && (scale.inModule ? '× scale (in B too)' : '× scale')
  const done = steps
    .filter((step) => step !== 'types' || family.types !== undefined)
    .filter((step) => step !== 'positions' || positions !== undefined || SINES.includes(scheme))
    .map((step) => (step === 'scale' ? scaling : STEPS[step]))
  const table =
    positions === undefined ? (SINES.includes(scheme) ? 'sines' : '–') : `\`${positions}\`: ${INDEX[index]}`
  return [`\`${prefix}${tokens[0]}\` | ${table} | ${done.join(', ') || 'row'}`, `\`${family.modelType}\``]
}

/** Families whose first layers are the same in a row of the table. */
function familiesTable(): string {
  const names = new Map<string, string[]>()
  for (const [what, name] of FAMILIES.map(rowOf)) names.set(what, [...(names.get(what) ?? []), name])
  const rows = [...names].map(([what, all]) => `| ${all.join(', ')} | ${what} |`)
  return [
    '| `model_type` | token table | position table | to the first block |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n')
}

describe('docs/models.md', () => {
  // UPDATE_DOCS=1 writes the table instead of comparing it.
  if (process.env.UPDATE_DOCS) {
    const page = readFileSync(PATH, 'utf8')
    writeFileSync(
      PATH,
      page.replace(BETWEEN, (_, open, __, close) => `${open}${familiesTable()}${close}`),
    )
  }

  test('lists every family as the data has it', () => {
    expect(BETWEEN.exec(readFileSync(PATH, 'utf8'))?.[2]).toBe(familiesTable())
  })
})
