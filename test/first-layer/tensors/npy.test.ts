import { expect, test } from 'vitest'
import type { Dtype } from '../../../src/first-layer/tensors/named-tensor.js'
import { npyHeader } from '../../../src/first-layer/tensors/npy.js'
import { readGolden } from '../../goldens.js'

interface Case {
  readonly dtype: Dtype
  readonly shape: number[]
  readonly header_latin1: string
}

test.each(readGolden<{ cases: Case[] }>('npy_headers.json').cases)(
  'the header of $dtype $shape is NumPy’s',
  ({ dtype, shape, header_latin1 }) => {
    const header = npyHeader(dtype, shape)
    expect(header.toString('latin1')).toBe(header_latin1)
    expect(header.length % 64).toBe(0)
  },
)
