import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packBestFit, packingBytes } from '../../../src/first-layer/datasets/best-fit.js'
import { StoredBounds } from '../../../src/first-layer/windows/documents.js'
import { checkProperty } from '../../property.js'
import { DEFAULTS, windowsOf } from './corpora.js'

type Piece = readonly [document: number, start: number, length: number]

/** Best-fit-decreasing as a person would do it: for each rest, a look at every window. */
function packedByHand(lengths: readonly number[], T: number, splits: boolean): Piece[][] {
  const windows: Piece[][] = []
  const rests: Piece[] = []
  for (const [d, n] of lengths.entries()) {
    const whole = splits ? Math.floor(n / T) : Math.min(1, Math.floor(n / T))
    for (let p = 0; p < whole; p++) windows.push([[d, p * T, T]])
    const rest = n - whole * T
    if (rest > 0 && (splits || whole === 0)) rests.push([d, whole * T, rest])
  }
  rests.sort((a, b) => b[2] - a[2] || a[0] - b[0])
  let open: { space: number; pieces: Piece[] }[] = [] // the window that changed last stands last
  for (const piece of rests) {
    const spaces = open.map(({ space }) => space).filter((space) => space >= piece[2])
    const best = Math.min(...spaces)
    const index = open.findLastIndex(({ space }) => space === best)
    const window = open[index] ?? { space: T, pieces: [] }
    if (index < 0) windows.push(window.pieces)
    open = open.filter((each) => each !== window)
    open.push({ space: window.space - piece[2], pieces: window.pieces })
    window.pieces.push(piece)
  }
  const first = lengths.map((_, d) => lengths.slice(0, d).reduce((sum, n) => sum + n, 0))
  const begin = (window: Piece[]) => Math.min(...window.map(([d, start]) => first[d]! + start))
  return windows.sort((a, b) => begin(a) - begin(b))
}

function boundsOf(lengths: readonly number[]): StoredBounds {
  const starts = new Float64Array(lengths.length + 1)
  for (const [d, n] of lengths.entries()) starts[d + 1] = starts[d]! + n
  return new StoredBounds(starts)
}

test('best-fit packing puts each piece where a look at every window puts it', async () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 150 }), { minLength: 1, maxLength: 120 })
  const property = fc.asyncProperty(
    lengths,
    fc.constantFrom(1, 2, 7, 31, 32, 33, 64, 100, 300, 1025, 2 ** 31, 2 ** 40),
    fc.constantFrom('split' as const, 'truncate' as const),
    async (sizes, contextLength, longDocuments) => {
      const rule = {
        context_length: contextLength,
        packing: 'best_fit',
        long_documents: longDocuments,
      } as const
      const windows = windowsOf(boundsOf(sizes), rule)
      const found = Array.from({ length: windows.count }, (_, w) =>
        windows.segments(w).map(({ document, start, length }) => [document, start, length]),
      )
      const expected = packedByHand(sizes, contextLength, longDocuments === 'split')
      expect(found).toEqual(expected)
      const filled = expected.flat().reduce((sum, [, , length]) => sum + length, 0)
      const tokens = sizes.reduce((sum, n) => sum + n, 0)
      expect([windows.filledSlots, windows.droppedTokens]).toEqual([filled, tokens - filled])
    },
  )
  await checkProperty(property, 300)
})

test.each([2 ** 20, 2 ** 30, 2 ** 31, 2 ** 40])(
  'the longest document, not the window, is what packing takes: T of %i',
  (contextLength) => {
    const sizes = [3, 0, 70, 1, 70, 12]
    const documents = boundsOf(sizes)
    expect(packingBytes(documents, contextLength)).toBeLessThan(2000)
    const { count, places, filledSlots } = packBestFit(documents, {
      ...DEFAULTS,
      context_length: contextLength,
    })
    expect([count, filledSlots, [...places!]]).toEqual([1, 156, [3, 74, 144, 0, 73]])
  },
)

test('every window under every packing: its slots, what is dropped, and which documents are split', async () => {
  const lengths = fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 30 })
  const rule = fc.record({
    context_length: fc.integer({ min: 1, max: 40 }),
    stride: fc.integer({ min: 1, max: 50 }),
    tail: fc.constantFrom('drop' as const, 'pad' as const),
    packing: fc.constantFrom('none' as const, 'concat' as const),
  })
  const property = fc.asyncProperty(lengths, rule, async (sizes, packing) => {
    fc.pre(sizes.some((n) => n > 0))
    const windows = windowsOf(boundsOf(sizes), packing)
    const all = Array.from({ length: windows.count }, (_, w) => windows.segments(w))
    expect(windows.filledSlots).toBe(all.flat().reduce((sum, { length }) => sum + length, 0))
    const parts = new Map<number, number>()
    for (const { document } of all.flat()) parts.set(document, (parts.get(document) ?? 0) + 1)
    expect(windows.splitDocuments).toBe([...parts.values()].filter((count) => count > 1).length)
  })
  await checkProperty(property, 500)
})
