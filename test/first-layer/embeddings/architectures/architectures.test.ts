import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { architectureOption } from '../../../../src/first-layer/cards/card-json.js'
import {
  architectures,
  findArchitecture,
} from '../../../../src/first-layer/embeddings/architectures/registry.js'
import {
  type LayerNorm,
  normalizeRows,
} from '../../../../src/first-layer/embeddings/architectures/row-steps.js'
import { goldenCases, largestDifference } from '../../../goldens/golden.js'
import { bind, requestOf } from '../positions/compute.js'

describe('architectures', () => {
  it('have no steps but positions if they leave the rows as they are', () => {
    const idle = architectures.filter(({ name }) => {
      return findArchitecture(name)!.steps.every((step) => step === 'positions')
    })
    expect(idle.map(({ name }) => name)).toEqual(['gpt2', 'llama', 'gpt_neox', 't5'])
  })

  it('each have a known scheme with known options', () => {
    for (const { name, positionEmbedding } of architectures) {
      const embedding = bind(positionEmbedding)
      const request = requestOf({ positionEmbedding: '', length: 4, embeddingDim: 16 })
      expect(embedding.check(request), name).toBeUndefined()
      const keys = embedding.tensors(request).flatMap(({ table }) => (table ? [table.key] : []))
      expect(keys, name).toEqual(embedding.table === undefined ? [] : [embedding.table])
    }
  })

  it('are eleven, and an unknown one is refused with their names', () => {
    expect(architectures.map(({ name }) => name)).toEqual([
      'gpt2',
      'transformer',
      'bert',
      'llama',
      'gpt_neox',
      'gemma',
      't5',
      'deberta',
      'deberta_v2',
      'transformer_xl',
      'bloom',
    ])
    const { error } = architectureOption.safeParse('gpt5')
    expect(error?.issues[0]?.message).toContain('gpt_neox')
  })

  it('each have their row in the docs', () => {
    const docs = readFileSync(new URL('../../../../docs/architectures.md', import.meta.url), 'utf8')
    const section = docs.split(/^# Architectures$/m)[1]
    for (const { name } of architectures) {
      expect(section).toMatch(new RegExp(`^\\|[^|]*\`${name}\`[^|]*\\|`, 'm'))
    }
  })
})

/** A LayerNorm before any training. */
const freshLayerNorm = (width: number, epsilon: number): LayerNorm => ({
  ...{ epsilon, weight: new Float32Array(width).fill(1), bias: new Float32Array(width) },
})

describe('LayerNorm', () => {
  const cases = goldenCases('arch_input').filter(({ expect }) => expect.pre_layernorm)

  it.each(cases)('gives the reference’s rows ($id)', ({ params, expect: expected }) => {
    const rows = Float32Array.from(expected.pre_layernorm.flat(2))
    const { layerNormEpsilon: epsilon = 0 } = findArchitecture(params.arch)!
    const { ln_weight: weight, ln_bias: bias } = expected
    const layerNorm: LayerNorm = weight
      ? { epsilon, weight: Float32Array.from(weight), bias: Float32Array.from(bias) }
      : freshLayerNorm(params.hidden_size, epsilon)
    normalizeRows(rows, layerNorm)
    const output = expected.output.flat(2).map(Math.fround)
    expect(largestDifference(rows, output)).toBeLessThanOrEqual(2e-6)
  })

  it.each([
    ['bert', 1e-12], // BertConfig.layer_norm_eps
    ['deberta', 1e-7], // DebertaConfig.layer_norm_eps
    ['deberta_v2', 1e-7],
    ['bloom', 1e-5], // BloomConfig.layer_norm_epsilon
  ])('of %s divides by √(variance + %f)', (name, epsilon) => {
    expect(findArchitecture(name)!.layerNormEpsilon).toBe(epsilon)
  })

  it('divides by √(variance + ε), which small rows show', () => {
    const values = [1, -2, 3, -4, 5, -6, 7, -4].map((value) => value * 1e-4) // their mean is 0
    const rows = Float32Array.from(values)
    normalizeRows(rows, freshLayerNorm(values.length, 1e-5))
    const variance = values.reduce((sum, value) => sum + value * value, 0) / values.length
    const expected = values.map((value) => value / Math.sqrt(variance + 1e-5))
    expect(largestDifference(rows, expected)).toBeLessThan(1e-6)
  })

  it('gives the bias if all channels are equal', () => {
    const rows = Float32Array.from([3, 3, 3, 3])
    const layerNorm = {
      epsilon: 1e-12,
      weight: new Float32Array(4).fill(2),
      bias: Float32Array.of(0, 1, 2, 3),
    }
    normalizeRows(rows, layerNorm)
    expect([...rows]).toEqual([0, 1, 2, 3])
  })

  it('keeps small differences beside a large mean', () => {
    const rows = Float32Array.from([10_000_000, 10_000_002])
    normalizeRows(rows, freshLayerNorm(2, 1e-12))
    expect([...rows]).toEqual([-1, 1])
  })
})
