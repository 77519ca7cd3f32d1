import { describe, expect, test } from 'vitest'
import { ALPHABET, mergeOrder } from '../../../../src/first-layer/tokens/byte-pair/merge-order.js'

/** The order of merges, `a b` as left a, right b, over all single bytes, ids 0 … 255, and these tokens, ids from 1000. */
function orderFor(tokens: readonly string[], ...merges: string[]) {
  const vocab = new Map([
    ...ALPHABET.map((character, byte) => [character, byte] as const),
    ...tokens.map((token, i) => [token, 1000 + i] as const),
  ])
  const pairs = merges.map((merge) => merge.split(' ') as [string, string])
  return mergeOrder(vocab, pairs, ({ left, right }) => new Error(`${left} ${right}`))
}

/** Tokens after the single bytes, as text; undefined: there is no order. */
function formed(tokens: readonly string[], ...merges: string[]): string[] | undefined {
  const order = orderFor(tokens, ...merges)?.order
  if (order === undefined) return undefined
  const { bytes, offsets } = order
  return Array.from(offsets.subarray(257), (end, i) =>
    Buffer.from(bytes.subarray(offsets[256 + i], end)).toString('latin1'),
  )
}

describe('the order of merges', () => {
  test('numbers tokens in the order in which they form, with the ids of the vocabulary', () => {
    expect(formed(['ab', 'abc'], 'a b', 'ab c')).toEqual(['ab', 'abc'])
    expect([...orderFor(['ab', 'abc'], 'a b', 'ab c')!.ids.subarray(255)]).toEqual([255, 1000, 1001])
  })

  test('refuses a vocabulary without a single byte', () => {
    expect(mergeOrder(new Map([['a', 5]]), [], () => new Error('unlisted'))).toBeUndefined()
  })

  test.each([
    ['left', 'ab c', 'abc'],
    ['right', 'c ab', 'cab'],
  ])('keeps a merge whose %s half cannot form yet for when it can', (_, early, whole) => {
    expect(formed(['ab', whole], early)).toEqual([])
    expect(formed(['ab', whole], early, 'a b')).toEqual(['ab', whole])
  })

  test('keeps a merge both of whose halves are missing until both have formed, whichever comes first', () => {
    expect(formed(['ab', 'cd', 'abcd'], 'ab cd', 'a b', 'c d')).toEqual(['ab', 'cd', 'abcd'])
    expect(formed(['ab', 'cd', 'abcd'], 'ab cd', 'c d', 'a b')).toEqual(['cd', 'ab', 'abcd'])
  })

  test('takes merges that waited for the same half by their ranks', () => {
    const tokens = ['ab', 'abc', 'abd', 'eab']
    expect(formed(tokens, 'ab d', 'ab c', 'e ab', 'a b')).toEqual(['ab', 'abd', 'abc', 'eab'])
  })

  test.each([
    ['a b', 'the token'],
    ['xy z', 'the left half, which is in no vocabulary'],
    ['z xy', 'the right half, which is in no vocabulary'],
  ])('throws for %s: the vocabulary lacks %s', (merge) => {
    expect(() => formed(['xyz', 'zxy'], merge)).toThrow(merge)
  })

  test('refuses an order in which the right half could become the beginning of the left half again', () => {
    expect(formed(['ab', 'aba'], 'ab a', 'a b')).toBeUndefined() // a b a b
    expect(formed(['ab', 'aba'], 'a b', 'ab a')).toEqual(['ab', 'aba'])
  })

  test('refuses a pair that is listed twice', () => {
    expect(formed(['ab'], 'a b', 'a b')).toBeUndefined()
  })

  test('passes over a second way to form a token, and one that can never happen', () => {
    expect(formed(['ab', 'bc', 'abc'], 'a b', 'b c', 'ab c', 'a bc')).toEqual(['ab', 'bc', 'abc'])
    // `a b` happens before `b c`
    expect(formed(['ab', 'bc', 'abc'], 'a b', 'b c', 'a bc', 'a bc')).toEqual(['ab', 'bc'])
  })

  test('takes tokens of up to 128 bytes', () => {
    const doubled = Array.from({ length: 8 }, (_, i) => 'a'.repeat(2 ** (i + 1)))
    const merges = doubled.map((token) => `${token.slice(token.length / 2)} ${token.slice(token.length / 2)}`)
    expect(formed(doubled, ...merges)).toBeUndefined()
    expect(formed(doubled, ...merges.slice(0, 7))).toEqual(doubled.slice(0, 7))
  })
})
