import { expect, test } from 'vitest'
import { TorchGenerator } from '../../../src/first-layer/random/generator.js'
import { bits, readGolden, sha256 } from './goldens.js'

type Operation =
  | {
      op: 'embedding' | 'normal_'
      shape: [number, number]
      padding_idx?: number
      mean?: number
      std?: number
    }
  | { op: 'randint64' }

interface Expected {
  int64?: number | string
  sha256_f32le?: string
  sha256_f32le_avx2_no_fma?: string
  values?: number[][]
  rows_first8?: Record<string, number[]>
}

interface Case {
  id: string
  params: { seed: number; ops: Operation[] }
  expect: Expected[]
}

const source = readGolden<{ cases: Case[] }>('embedding_init.json')

test.each(source.cases)('tables of $id', ({ params, expect: golden }) => {
  const generator = new TorchGenerator(params.seed)
  params.ops.forEach((operation, i) => {
    const expected = golden[i]!
    if (operation.op === 'randint64') {
      expect(Number(generator.randint64())).toBe(Number(expected.int64))
      return
    }
    const [rows, dim] = operation.shape
    const table = new Float32Array(rows * dim)
    generator.normal(table, operation.mean, operation.std)
    if (operation.padding_idx !== undefined) {
      table.fill(0, operation.padding_idx * dim, (operation.padding_idx + 1) * dim)
    }
    if (expected.values) expect(bits(table)).toEqual(bits(expected.values.flat()))
    for (const [row, first] of Object.entries(expected.rows_first8 ?? {})) {
      expect(bits(table.subarray(Number(row) * dim, Number(row) * dim + 8))).toEqual(bits(first))
    }
    expect(sha256(table)).toBe(expected.sha256_f32le)
  })
})

test('the default table is not that of a build without fused multiply-add', () => {
  const { expect: golden } = source.cases.find(({ id }) => id === 'emb-1024x768-seed123')!
  const table = new Float32Array(1024 * 768)
  new TorchGenerator(123).normal(table)
  expect(sha256(table)).not.toBe(golden[0]!.sha256_f32le_avx2_no_fma)
})
