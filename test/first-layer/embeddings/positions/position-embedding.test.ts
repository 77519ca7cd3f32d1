import { describe, expect, it } from 'vitest'
import { positionEmbeddingSchema } from '../../../../src/first-layer/embeddings/positions/position-option.js'

const issues = (wire: unknown) =>
  positionEmbeddingSchema.safeParse(wire).error?.issues.map(({ path, message }) => ({ path, message }))

describe('position_embedding', () => {
  it('is a type, or an object with some of the options', () => {
    const defaults = {
      type: 'sinusoidal',
      base: 10_000,
      variant: 'vaswani',
      precision: 'float64',
    }
    expect(positionEmbeddingSchema.parse('sinusoidal')).toEqual(defaults)
    expect(positionEmbeddingSchema.parse({ type: 'sinusoidal', base: 100 })).toEqual({
      ...defaults,
      base: 100,
    })
  })

  it('is refused with an unknown type, by the names of all', () => {
    expect(issues('rotary')).toMatchObject([{ path: ['type'], message: expect.stringContaining('rope') }])
    expect(issues({ type: 3 })).toMatchObject([{ path: ['type'] }])
    expect(issues({ head_dim: 64 })).toMatchObject([{ path: ['type'] }])
    expect(issues(7)).toMatchObject([{ path: [], message: 'must be a type or an object' }])
  })

  it('is refused with the path of an option inside scaling', () => {
    expect(issues({ type: 'rope', scaling: { type: 'linear' } })).toMatchObject([
      { path: ['scaling', 'factor'] },
    ])
    expect(issues({ type: 'rope', scaling: { type: 'cubic' } })).toMatchObject([
      { path: ['scaling', 'type'], message: expect.stringContaining('llama3') },
    ])
    expect(issues({ type: 'rope', scaling: { type: 'linear', factor: 0 } })).toMatchObject([
      { path: ['scaling', 'factor'] },
    ])
  })

  it('takes a seed as an integer or as a decimal string in torch’s range', () => {
    const seedIssue = (seed: unknown) => issues({ type: 'shaw', seed })?.[0]?.path
    for (const seed of [0, -1, '18446744073709551615', '-9223372036854775808']) {
      expect(seedIssue(seed)).toBeUndefined()
    }
    for (const seed of ['18446744073709551616', '-9223372036854775809', 1.5, 2 ** 53, '0x10', '']) {
      expect(seedIssue(seed), String(seed)).toEqual(['seed'])
    }
  })
})
