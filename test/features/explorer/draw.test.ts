import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  COLOUR_TABLES,
  cellAfter,
  cosine,
  cosines,
  digitsOf,
  ordinal,
  pixelsOf,
  STEPS,
  stepOf,
} from '../../../src/features/explorer/page/numbers.js'

const read = (digits: string) => Number(digits.replaceAll('−', '-').replace('∞', 'Infinity'))

describe('digits', () => {
  it('give the float32 back', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true }), (value) => {
        expect(Math.fround(read(digitsOf(value)))).toBe(value === 0 ? 0 : value)
      }),
    )
  })

  it('are as few as the service writes', () => {
    expect(digitsOf(Math.fround(0.676421))).toBe('0.676421')
    expect(digitsOf(Math.fround(-2.7932873))).toBe('−2.7932873')
    expect([1, 2, 3, 11, 3798].map(ordinal)).toEqual(['1st', '2nd', '3rd', '11th', '3,798th'])
  })
})

describe('colours', () => {
  it('put 0 in the middle, and what is beyond the limit at the end', () => {
    expect([-9, -3, 0, 3, 9].map((value) => stepOf(value, 3))).toEqual([0, 0, 127, 254, 254])
  })

  it.each(['light', 'dark'] as const)('are the table’s, in the %s', (theme) => {
    const pixels = pixelsOf([-3, 0, 1.5, Number.NEGATIVE_INFINITY], 3, theme)
    const table = COLOUR_TABLES[theme]
    expect([...pixels.subarray(0, 4)]).toEqual([...table.subarray(0, 4)])
    expect([...pixels.subarray(4, 8)]).toEqual([...table.subarray(4 * 127, 4 * 128)])
    expect([...pixels.subarray(12, 16)]).toEqual([0, 0, 0, 0])
    expect(table.length).toBe(4 * STEPS)
  })

  it.each([
    ['light', [10, 58, 122], [247, 246, 242], [138, 61, 0]],
    ['dark', [159, 208, 255], [23, 25, 29], [255, 207, 156]],
  ] as const)('go from blue over the paper to orange, in the %s', (theme, ...colours) => {
    for (const [index, colour] of colours.entries()) {
      const step = 127 * index
      expect([...COLOUR_TABLES[theme].subarray(4 * step, 4 * step + 4)]).toEqual([...colour, 255])
    }
  })
})

describe('cosines', () => {
  it('are 1 of a row with itself and 0 with zeros', () => {
    expect(cosine([1, 2], [2, 4])).toBeCloseTo(1)
    expect(cosine([1, 2], [0, 0])).toBe(0)
    expect([...cosines(Float32Array.of(1, 0, 0, 1), 2, 2)]).toEqual([1, 0, 0, 1])
  })
})

describe('keys of a grid', () => {
  const moved = (key: string, ctrlKey = false) => cellAfter({ key, ctrlKey }, { row: 1, column: 1 }, 3, 4)

  it('lead as in WAI-ARIA’s pattern of a grid, and never out of it', () => {
    expect(moved('ArrowLeft')).toEqual({ row: 1, column: 0 })
    expect(moved('PageDown')).toEqual({ row: 2, column: 1 })
    expect(moved('End')).toEqual({ row: 1, column: 3 })
    expect(moved('End', true)).toEqual({ row: 2, column: 3 })
    expect(moved('Home', true)).toEqual({ row: 0, column: 0 })
    expect(moved('Tab')).toBeUndefined()
  })
})
