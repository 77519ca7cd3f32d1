import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { FAMILIES } from '../../src/checkpoints/families/families.js'
import type { Family } from '../../src/checkpoints/families/family.js'
import { ctrlSines, xglmSines } from '../../src/checkpoints/families/schemes.js'
import { MEMORIES } from '../../src/checkpoints/memory/memory-families.js'

const PATH = new URL('../../docs/models.md', import.meta.url)
const BETWEEN = /(<!-- families -->\n)([\s\S]*?)(\n<!-- \/families -->)/

const STEPS: Readonly<Record<string, string>> = {
  vector: '+ a vector',
  row: 'one id’s own row',
  types: '+ token type',
  positions: '+ position',
  project: 'projection where widths differ',
  mask: '0 under the mask',
}

const INDEX: Readonly<Record<string, string>> = {
  plain: 'row p',
  two_on: 'row p + 2',
  two_on_but_pad: 'row p + 2, the pad’s zeros',
  two_on_by_mask: 'row p + 2, a masked slot 1',
  past_pad: 'row p + pad + 1',
  after_pad: 'row p + pad + 1, the pad’s id `pad`',
  after_one: 'row p + 2, the id 1 row 1',
}

/** Schemes whose rows are computed and added. */
const SINES: readonly unknown[] = [ctrlSines, xglmSines]

/** What is done to a row, and where its position comes from. */
function rowOf(family: Family) {
  const { positions, steps, scheme, index = 'plain', embedSteps = 0, isRms, axis } = family
  const sines = SINES.includes(scheme) ? `sines${index === 'plain' ? '' : `, ${INDEX[index]}`}` : ''
  const words = { ...STEPS, scale: '× scale', norm: isRms ? 'RMSNorm' : 'LayerNorm' } as Record<
    string,
    string
  >
  const done = steps
    .map((step, i) => (i < embedSteps ? `${words[step]} (in B too)` : words[step]))
    .filter((_, i) => steps[i] !== 'types' || family.types !== undefined)
    .filter((_, i) => steps[i] !== 'positions' || positions !== undefined || sines !== '')
  const table = positions && `\`${positions}\`${axis ? ` and \`${axis}\`, crossed` : ''}: ${INDEX[index]}`
  return { table: [table, sines].filter(Boolean).join('; ') || '–', done: done.join(', ') || 'row' }
}

function classOf(family: Family): string {
  const { table, done } = rowOf(family)
  if (Object.hasOwn(MEMORIES, family.modelType)) return 'more than a row'
  if (table !== '–') return 'with positions'
  if (done.includes('× scale')) return 'scaled'
  return done.includes('Norm') ? 'normed' : 'plain'
}

/** Families whose first layers are the same in a row of the table, the classes one after the other. */
function familiesTable(): string {
  const rows = new Map<string, string[]>()
  for (const family of CLASSES.flatMap((kind) => FAMILIES.filter((each) => classOf(each) === kind))) {
    const { table, done } = rowOf(family)
    const row = `${classOf(family)} | ${table} | ${done}`
    rows.set(row, [...(rows.get(row) ?? []), `\`${family.modelType}\``])
  }
  return [
    '| class | `model_type` | position table | to the first block |',
    '|---|---|---|---|',
    ...[...rows].map(([row, names]) => `| ${row.replace(' | ', ` | ${names.join(', ')} | `)} |`),
  ].join('\n')
}

const CLASSES = ['more than a row', 'plain', 'scaled', 'normed', 'with positions']

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
