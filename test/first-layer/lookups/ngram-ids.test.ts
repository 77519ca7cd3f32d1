import fc from 'fast-check'
import { expect, test } from 'vitest'
import { qwenBuffers } from '../../../src/checkpoints/lookups/qwen-hashes.js'
import type { NgramHash, NgramsCard } from '../../../src/first-layer/lookups/lookup-card.js'
import { NgramIds } from '../../../src/first-layer/lookups/ngram-ids.js'
// @ts-expect-error a script without types
import { slowRows } from '../../twins/memory.mjs'

/** The rows of a text after the ids before it, by the fast path. */
function fastRows(
  hashes: readonly NgramHash[],
  card: Pick<NgramsCard, 'fill' | 'stopsAtFill' | 'context'>,
  before: number[],
  ids: number[],
) {
  const made = new NgramIds(card, hashes)
  const history = [...Array<number>(card.context).fill(card.fill), ...before].slice(-card.context)
  const out = new Int32Array(ids.length * made.heads)
  made.fill(out, 0, Int32Array.from([...history, ...ids]))
  return [...out]
}

const slow = (hashes: readonly NgramHash[]) =>
  hashes.map((hash) => ({ ...hash, multipliers: hash.multipliers.map(BigInt) }))

const hash = fc
  .record({
    combine: fc.constantFrom('xor' as const, 'sum' as const),
    multipliers: fc.array(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map(String), {
      minLength: 1,
      maxLength: 4,
    }),
    sizes: fc.array(fc.integer({ min: 1, max: 2 ** 31 - 2 }), { minLength: 1, maxLength: 3 }),
  })
  .map(({ sizes, ...rest }) => ({ ...rest, sizes, offsets: sizes.map(() => 0) }))
const id = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 2 ** 31 - 1 }))

test('rows are those of the law with BigInt, for any multipliers, ids and history', () => {
  fc.assert(
    fc.property(
      fc.array(hash, { minLength: 1, maxLength: 3 }),
      fc.array(id, { maxLength: 3 }),
      fc.array(id, { minLength: 1, maxLength: 20 }),
      fc.boolean(),
      (hashes, history, ids, stopsAtFill) => {
        const context = Math.max(...hashes.map(({ multipliers }) => multipliers.length)) - 1
        const before = context === 0 ? [] : history.slice(-context)
        const card = { fill: 2, stopsAtFill, context }
        expect(fastRows(hashes, card, before, ids)).toEqual(slowRows(ids, slow(hashes), card, before).flat())
      },
    ),
    { numRuns: 500 },
  )
})

test('heads at Qwen4-Exp’s own sizes fill its table of 320,001,536 rows', () => {
  const config = { vocabSize: 248_320, ngramSize: 3, headsPerNgram: 8, vocabSizeBase: 20_000_000, seed: 1234 }
  const { sizes, offsets, multipliers } = qwenBuffers(config, 0)
  expect(Math.ceil((offsets.at(-1)! + sizes.at(-1)!) / 128) * 128).toBe(320_001_536)
  // As NumPy's law has them; test/features/memory/proofs/sparse.mjs has a million tokens with these.
  expect(multipliers).toEqual(['23703573157769', '20109073645365', '8052911324071'])
})
