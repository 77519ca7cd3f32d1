import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readRuns } from '../../../src/run/read/parquet/runs.js'
import { checkProperty } from '../../property.js'

/** The slow twin: bit by bit. */
function written(runs: readonly Run[], width: number): Uint8Array {
  const bytes: number[] = []
  const varint = (value: number) => {
    for (; value > 0x7f; value >>>= 7) bytes.push((value & 0x7f) | 0x80)
    bytes.push(value)
  }
  for (const run of runs) {
    if ('value' in run) {
      varint(run.count << 1)
      for (let i = 0; i < Math.ceil(width / 8); i++) bytes.push((run.value >>> (8 * i)) & 0xff)
    } else {
      varint((run.packed.length / 8) * 2 + 1)
      const bits = run.packed.flatMap((value) => Array.from({ length: width }, (_, i) => (value >>> i) & 1))
      for (let i = 0; i < bits.length; i += 8)
        bytes.push(bits.slice(i, i + 8).reduce((byte, bit, j) => byte | (bit << j), 0))
    }
  }
  return Uint8Array.from(bytes)
}

type Run = { readonly value: number; readonly count: number } | { readonly packed: readonly number[] }

const someRuns = fc.integer({ min: 1, max: 24 }).chain((width) => {
  const value = fc.nat(2 ** width - 1)
  const packed = fc
    .array(fc.array(value, { minLength: 8, maxLength: 8 }), { minLength: 1, maxLength: 20 })
    .map((groups) => ({ packed: groups.flat() }))
  const run = fc.record({ value, count: fc.integer({ min: 1, max: 300 }) })
  return fc.record({ width: fc.constant(width), runs: fc.array(fc.oneof(run, packed), { minLength: 1 }) })
})

test('runs and packed bits are what was written, cut at the end of the list', async () => {
  await checkProperty(
    fc.property(someRuns, fc.nat(20), ({ width, runs }, cut) => {
      const all = runs.flatMap((run) => ('value' in run ? Array(run.count).fill(run.value) : run.packed))
      const expected = all.slice(0, Math.max(1, all.length - cut))
      expect([...readRuns(written(runs, width), width, new Int32Array(expected.length))]).toEqual(expected)
    }),
    200,
  )
})

test('a run of 2^31 values costs no more than the list; bytes that end before are refused', () => {
  const run = Uint8Array.of(0xfe, 0xff, 0xff, 0xff, 0x0f, 7)
  expect([...readRuns(run, 3, new Uint8Array(4))]).toEqual([7, 7, 7, 7])
  expect(() => readRuns(run.subarray(0, 5), 3, new Uint8Array(4))).toThrow('its runs end before its values')
  expect(() => readRuns(Uint8Array.of(3, 1), 8, new Uint8Array(8))).toThrow('its runs end before its values')
  expect(() => readRuns(new Uint8Array(9).fill(0xff), 3, new Uint8Array(4))).toThrow('a run is too long')
})
