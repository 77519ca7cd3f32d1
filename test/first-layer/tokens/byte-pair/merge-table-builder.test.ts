import { describe, expect, test } from 'vitest'
import { ALPHABET, MergeTableBuilder } from '../../../../src/first-layer/tokens/byte-pair/merge-order.js'

/** A builder over all single bytes, ids 0 … 255, and these tokens, ids from 1000. */
function builder(...tokens: string[]) {
  const vocab = new Map([
    ...ALPHABET.map((character, byte) => [character, byte] as const),
    ...tokens.map((token, i) => [token, 1000 + i] as const),
  ])
  const made = new MergeTableBuilder(vocab, ({ left, right }) => new Error(`${left} ${right}`))
  for (const character of ALPHABET) expect(made.addByte(character)).toBe(true)
  return made
}

/** Tokens after the single bytes, as text. */
const formed = ({ bytes }: MergeTableBuilder) =>
  bytes.slice(ALPHABET.length).map((token) => Buffer.from(token).toString('latin1'))

/** Takes `a b` as left a, right b, ranks rising. */
function take(made: MergeTableBuilder, ...merges: string[]): boolean[] {
  return merges.map((merge, rank) => {
    const [left = '', right = ''] = merge.split(' ')
    return made.take({ left, right, rank })
  })
}

describe('the builder of merge tables', () => {
  test('numbers tokens in the order in which they form, with the ids of the vocabulary', () => {
    const made = builder('ab', 'abc')
    expect(take(made, 'a b', 'ab c')).toEqual([true, true])
    expect([formed(made), made.ids.slice(256)]).toEqual([
      ['ab', 'abc'],
      [1000, 1001],
    ])
  })

  test('refuses a single byte that the vocabulary lacks', () => {
    const made = new MergeTableBuilder(new Map([['a', 5]]), () => new Error('unlisted'))
    expect([made.addByte('a'), made.addByte('b'), made.ids]).toEqual([true, false, [5]])
  })

  test.each([
    ['left', 'ab c', 'a b'],
    ['right', 'c ab', 'a b'],
  ])('keeps a merge whose %s half cannot form yet for when it can', (side, early, late) => {
    const whole = side === 'left' ? 'abc' : 'cab'
    const made = builder('ab', whole)
    expect(take(made, early)).toEqual([true])
    expect(formed(made)).toEqual([])
    expect(made.take({ left: late[0]!, right: late[2]!, rank: 1 })).toBe(true)
    expect(formed(made)).toEqual(['ab', whole])
  })

  test('keeps a merge both of whose halves are missing until both have formed, whichever comes first', () => {
    for (const order of [
      ['a b', 'c d'],
      ['c d', 'a b'],
    ]) {
      const made = builder('ab', 'cd', 'abcd')
      expect(take(made, 'ab cd', ...order)).toEqual([true, true, true])
      expect(formed(made).at(-1)).toBe('abcd')
      expect(formed(made)).toHaveLength(3)
    }
  })

  test('takes merges that waited for the same half by their ranks', () => {
    const made = builder('ab', 'abc', 'abd', 'eab')
    expect(take(made, 'ab d', 'ab c', 'e ab', 'a b')).toEqual([true, true, true, true])
    expect(formed(made)).toEqual(['ab', 'abd', 'abc', 'eab'])
  })

  test.each([
    ['a b', 'the token'],
    ['xy z', 'the left half, which is in no vocabulary'],
    ['z xy', 'the right half, which is in no vocabulary'],
  ])('throws for %s: the vocabulary lacks %s', (merge) => {
    const made = builder('xyz', 'zxy')
    expect(() => take(made, merge)).toThrow(merge)
  })

  test('refuses an order in which the right half could become the beginning of the left half again', () => {
    expect(take(builder('ab', 'aba'), 'ab a', 'a b')).toEqual([true, false]) // a b a b
    expect(take(builder('ab', 'aba'), 'a b', 'ab a')).toEqual([true, true])
  })

  test('refuses a pair that is listed twice', () => {
    expect(take(builder('ab'), 'a b', 'a b')).toEqual([true, false])
  })

  test('passes over a second way to form a token, and one that can never happen', () => {
    const twice = builder('ab', 'bc', 'abc')
    expect(take(twice, 'a b', 'b c', 'ab c', 'a bc')).toEqual([true, true, true, true])
    expect(formed(twice)).toEqual(['ab', 'bc', 'abc'])
    const never = builder('ab', 'bc', 'abc')
    expect(take(never, 'a b', 'b c', 'a bc')).toEqual([true, true, true]) // `a b` happens before `b c`
    expect(formed(never)).toEqual(['ab', 'bc'])
  })

  test('takes tokens of up to 128 bytes', () => {
    const doubled = Array.from({ length: 8 }, (_, i) => 'a'.repeat(2 ** (i + 1)))
    const merges = doubled.map((token) => `${token.slice(token.length / 2)} ${token.slice(token.length / 2)}`)
    expect(take(builder(...doubled), ...merges)).toEqual([...Array(7).fill(true), false])
    const half = 'a'.repeat(64)
    const made = builder(...doubled.slice(0, 6), `${half}b`, `${half}${half}`)
    expect(take(made, ...merges.slice(0, 6), `${half} ${half}`).at(-1)).toBe(true)
  })
})
