import { describe, expect, test } from 'vitest'
import { TorchGenerator } from '../../../src/first-layer/random/generator.js'
import { randperm } from '../../../src/first-layer/random/permutation.js'
import { bits, readGolden, sha256 } from './goldens.js'

interface Case {
  id: string
  params: { seed: number | string }
  expect: {
    mt19937_words_u32: number[]
    int64_random_: string[]
    rand_float32: number[]
    rand_float64: number[]
    randn_float32: Record<string, { values: number[]; next_word_low31: number }>
    randperm: Record<
      string,
      { values: number[] | null; first8: number[]; sha256_i32le: string; next_word_low31: number }
    >
  }
}

const { cases } = readGolden<{ cases: Case[] }>('torch_rng.json')

describe.each(cases)('torch.manual_seed: $id', ({ params, expect: golden }) => {
  const generator = () => new TorchGenerator(BigInt(params.seed))
  const low31 = (g: TorchGenerator) => g.random32() & 0x7fffffff

  test('draws the words of the twister', () => {
    const g = generator()
    expect(golden.mt19937_words_u32.map(() => g.random32())).toEqual(golden.mt19937_words_u32)
  })

  test('draws 63-bit integers', () => {
    const g = generator()
    expect(golden.int64_random_.map(() => String(g.randint64()))).toEqual(golden.int64_random_)
  })

  test('its words make the uniform numbers of torch.rand', () => {
    const single = generator()
    expect(golden.rand_float32.map(() => (single.random32() & 0xffffff) * 2 ** -24)).toEqual(
      golden.rand_float32.map(Math.fround),
    )
    const double = generator()
    expect(golden.rand_float64.map(() => Number(double.random64() & (2n ** 53n - 1n)) * 2 ** -53)).toEqual(
      golden.rand_float64,
    )
  })

  test.each(Object.entries(golden.randn_float32))(
    'fills %s normal numbers',
    (n, { values, next_word_low31 }) => {
      const g = generator()
      const out = new Float32Array(Number(n))
      g.normal(out)
      expect(bits(out)).toEqual(bits(values))
      expect(low31(g)).toBe(next_word_low31)
    },
  )

  test.each(Object.entries(golden.randperm))('permutes %s numbers', (n, permutation) => {
    const g = generator()
    const order = randperm(g, Number(n))
    expect([...order.subarray(0, 8)]).toEqual(permutation.first8)
    if (permutation.values) expect([...order]).toEqual(permutation.values)
    expect(sha256(order)).toBe(permutation.sha256_i32le)
    expect(low31(g)).toBe(permutation.next_word_low31)
  })
})

describe('arguments', () => {
  test('a seed outside of torch’s range is refused', () => {
    expect(() => new TorchGenerator(2n ** 64n)).toThrow('Given: 18446744073709551616')
    expect(() => new TorchGenerator(-(2n ** 63n) - 1n)).toThrow('Given: -9223372036854775809')
    expect(() => new TorchGenerator(2 ** 53)).toThrow('Given: 9007199254740992')
    expect(() => new TorchGenerator(1.5)).toThrow('Given: 1.5')
    expect(() => new TorchGenerator(Number.NaN)).toThrow('Given: NaN')
  })

  test('only the low 32 bits of a seed count', () => {
    const word = new TorchGenerator(123).random32()
    expect(new TorchGenerator(2 ** 32 + 123).random32()).toBe(word)
    expect(new TorchGenerator(-(2n ** 63n) + 123n).random32()).toBe(word)
  })

  test('a negative deviation is refused', () => {
    expect(() => new TorchGenerator(1).normal(new Float32Array(4), 0, -1)).toThrow('Given: -1')
    expect(() => new TorchGenerator(1).normal(new Float32Array(4), 0, Number.NaN)).toThrow('Given: NaN')
  })

  test('a permutation beyond torch’s 32-bit shuffle is refused', () => {
    for (const n of [-1, 1.5, 214_748_364]) {
      expect(() => randperm(new TorchGenerator(1), n)).toThrow(`Given: ${n}`)
    }
  })

  test('nothing is drawn for an empty tensor or permutation', () => {
    const g = new TorchGenerator(123)
    g.normal(new Float32Array(0))
    expect(randperm(g, 0)).toHaveLength(0)
    expect(g.random32()).toBe(new TorchGenerator(123).random32())
  })
})
