import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
// @ts-expect-error a script without types
import { DECIDING, decidingRow } from '../bench/harness/deciding.mjs'
// @ts-expect-error a script without types
import { benchmarksPage, readmeWith } from '../bench/harness/pages.mjs'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const results = JSON.parse(read('docs/bench.json'))

describe('docs/benchmarks.md', () => {
  it('has every result of docs/bench.json', () => {
    expect(read('docs/benchmarks.md')).toBe(benchmarksPage(results))
  })

  it('names the machine of each bench, where that differs', () => {
    const one = { title: 'One', notes: ['', 'So.'], head: ['a'], rows: [['1']], machine: 'here' }
    const page = benchmarksPage({ one, two: { ...one, title: 'Two', machine: 'there' } })
    expect(page).toContain('## One\n\nMeasured on here.\n\nSo.\n\n| a |\n|---|\n| 1 |\n')
    expect(page).toContain('## Two\n\nMeasured on there.\n')
  })
})

describe('the README’s lines of measurements', () => {
  it('are those of docs/bench.json', () => {
    const readme = read('README.md')
    expect(readme).toBe(readmeWith(readme, results))
  })

  it('are nine, each with a figure and a rival', () => {
    const rows: string[][] = DECIDING.map((line: unknown) => decidingRow(line, results))
    expect(rows).toHaveLength(9)
    for (const [what, figure, rival, times] of rows) {
      expect(figure, what).toMatch(/^[\d.,]+$/)
      expect(rival, what).not.toBe('')
      expect(times, what).toMatch(/^[\d.,]+ ×/)
    }
  })

  it('have a dash where the bench, its row or the rival is absent', () => {
    const line = { what: 'rows', bench: 'embed', row: ['small'], own: 'Inlet', beside: 'C' }
    const row = (rows: string[][]) => decidingRow(line, { embed: { head: ['', 'Inlet', 'C 14'], rows } })
    expect(row([['small', '8.70', '6.28, 1.32 × (1.01–1.49)']])).toEqual([
      'rows',
      '8.70',
      'C 14',
      '1.32 × (1.01–1.49)',
    ])
    expect(row([['small', '8.70', '–']])).toEqual(['rows', '8.70', 'C 14', '–'])
    expect(row([['large', '8.70', '2 ×']])).toEqual(['rows', '–', 'C 14', '–'])
    expect(decidingRow(line, {})).toEqual(['rows', '–', 'C', '–'])
  })
})
