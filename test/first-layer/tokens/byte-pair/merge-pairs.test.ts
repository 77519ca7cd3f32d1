import fc from 'fast-check'
import { expect, test } from 'vitest'
import { MergePairs } from '../../../../src/first-layer/tokens/byte-pair/merge-pairs.js'
import { checkProperty } from '../../../property.js'

/** Merges tokens the slow way: the pair that forms the earliest token first, the leftmost of equal ones. */
function merged(tokens: readonly number[], formed: ReadonlyMap<string, number>): number[] {
  const left = [...tokens]
  while (true) {
    const pairs = left
      .slice(1)
      .map((right, i) => formed.get(`${left[i]} ${right}`) ?? Number.POSITIVE_INFINITY)
    const earliest = Math.min(...pairs)
    if (pairs.length === 0 || earliest === Number.POSITIVE_INFINITY) return left
    left.splice(pairs.indexOf(earliest), 2, earliest)
  }
}

const SINGLES = 3

test('two tokens stay apart if merging their bytes again gives the same two', () =>
  checkProperty(
    fc.property(fc.array(fc.tuple(fc.nat(), fc.nat()), { minLength: 10, maxLength: 60 }), (drawn) => {
      const pairs = new MergePairs(SINGLES)
      const formed = new Map<string, number>()
      const singles = Array.from({ length: SINGLES }, (_, single) => [single])
      for (const [a, b] of drawn) {
        const [left, right] = [a % singles.length, b % singles.length]
        if (pairs.has(left, right)) continue
        const parts = [...singles[left]!, ...singles[right]!]
        const again = merged(parts, formed)
        expect(pairs.stayApart(left, right)).toBe(
          again.length === 2 && again[0] === left && again[1] === right,
        )
        if (!pairs.stayApart(left, right)) pairs.addDead(left, right)
        else {
          formed.set(`${left} ${right}`, singles.length)
          pairs.add(left, right)
          singles.push(parts)
          expect(pairs.leftHalf(singles.length - 1)).toBe(left)
        }
      }
    }),
    300,
  ))

test('as many pairs as a vocabulary has are all known, and no others', () => {
  const pairs = new MergePairs(256)
  const added = Array.from({ length: 20_000 }, (_, i) => [i % 256, i >> 8] as const)
  for (const [left, right] of added) pairs.add(left, right)
  expect(added.filter(([left, right]) => !pairs.has(left, right))).toEqual([])
  expect(added.filter(([left, right]) => pairs.has(left + 256, right))).toEqual([])
  expect(pairs.stayApart(5, 7)).toBe(false) // they merge
})
