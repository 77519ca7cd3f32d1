import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { FAMILIES } from '../../src/checkpoints/families/families.js'
import type { Family } from '../../src/checkpoints/families/family.js'
import { ctrlSines, xglmSines } from '../../src/checkpoints/families/schemes.js'

const PATH = new URL('../../docs/model-types.md', import.meta.url)
const BETWEEN = /(<!-- types -->\n)([\s\S]*?)(\n<!-- \/types -->)/

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

/** Types whose blocks look up more by a token's id than its row. */
const BY_ID = [
  'deepseek_v4',
  'gemma3n',
  'gemma3n_text',
  'gemma4',
  'gemma4_text',
  'qwen4_exp',
  'qwen4_exp_text',
]

/** What `/v1/prompt-embeds` gives for vLLM. */
function forVllm({ modelType, reader, steps, embedSteps = 0 }: Family): string {
  if (reader !== undefined) return '– (encoder)'
  if (BY_ID.includes(modelType)) return 'send ids'
  return steps.slice(0, embedSteps).includes('scale') && modelType !== 'falcon_h1' ? 'scaled' : 'rows'
}

/** A line for each type, in the order of their names. */
function typesTable(): string {
  const rows = FAMILIES.map((family) => {
    const { table, done } = rowOf(family)
    return `| \`${family.modelType}\` | ${done} | ${table} | ${forVllm(family)} |`
  })
  const head = ['| `model_type` | to the first block | position table | rows for vLLM |', '|---|---|---|---|']
  return [...head, ...rows.sort()].join('\n')
}

describe('docs/model-types.md', () => {
  // UPDATE_DOCS=1 writes the table instead of comparing it.
  if (process.env.UPDATE_DOCS) {
    const page = readFileSync(PATH, 'utf8')
    writeFileSync(
      PATH,
      page.replace(BETWEEN, (_, open, __, close) => `${open}${typesTable()}${close}`),
    )
  }

  test('has as many types as README and the changelog say', () => {
    const count = typesTable().split('\n').length - 2
    for (const name of ['README.md', 'CHANGELOG.md']) {
      const page = readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
      expect([name, page.match(/some (\d+) types of/)?.[1]]).toEqual([
        name,
        String(10 * Math.round(count / 10)),
      ])
    }
  })

  test('lists every family as the data has it', () => {
    expect(BETWEEN.exec(readFileSync(PATH, 'utf8'))?.[2]).toBe(typesTable())
  })
})
