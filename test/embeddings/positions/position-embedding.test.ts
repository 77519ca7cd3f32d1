import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { positionEmbeddingFromQuery } from '../../../src/embeddings/positions/from-query.js'
import {
  positionEmbeddingSchema,
  positionEmbeddingWireSchema,
} from '../../../src/embeddings/positions/position-embedding.js'

const issues = (wire: unknown) =>
  positionEmbeddingSchema.safeParse(wire).error?.issues.map(({ path, message }) => ({ path, message }))

const fromQuery = (query: string) => positionEmbeddingFromQuery(new URLSearchParams(query))

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

  it('names the types where the type is unknown', () => {
    expect(issues('rotary')).toMatchObject([{ path: ['type'], message: expect.stringContaining('rope') }])
    expect(issues({ type: 3 })).toMatchObject([{ path: ['type'] }])
    expect(issues({ head_dim: 64 })).toMatchObject([{ path: ['type'] }])
    expect(issues(7)).toMatchObject([{ path: [], message: 'must be a type or an object' }])
  })

  it('names options inside scaling', () => {
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

  it('can be written down as a JSON schema', () => {
    const schema = JSON.stringify(z.toJSONSchema(positionEmbeddingWireSchema, { io: 'input' }))
    expect(schema).toContain('max_relative_position')
    expect(schema).toContain('beta_fast')
  })
})

describe('position_embedding in a query string', () => {
  it('is nothing where no field is a part of it', () => {
    expect(fromQuery('context_length=4&position_offset=3')).toBeUndefined()
  })

  it('is a type alone', () => {
    expect(fromQuery('position_embedding=rope')).toEqual({ value: { type: 'rope' } })
  })

  it('has the numbers and booleans that the scheme’s options ask for', () => {
    expect(
      fromQuery(
        'position_embedding=rope&position_embedding.head_dim=64&position_embedding.rope_theta=1e6' +
          '&position_embedding.scaling.type=yarn&position_embedding.scaling.factor=2.5' +
          '&position_embedding.scaling.original_max_position_embeddings=4096' +
          '&position_embedding.scaling.truncate=false',
      ),
    ).toEqual({
      value: {
        type: 'rope',
        head_dim: 64,
        rope_theta: 1e6,
        scaling: { type: 'yarn', factor: 2.5, original_max_position_embeddings: 4096, truncate: false },
      },
    })
    const shaw = 'position_embedding=shaw&position_embedding.seed=7'
    expect(fromQuery(shaw)).toEqual({ value: { type: 'shaw', seed: '7' } })
  })

  it('parses to what the same object in JSON does', () => {
    const query = fromQuery('position_embedding=t5&position_embedding.bidirectional=false')
    const json = positionEmbeddingSchema.parse({ type: 't5', bidirectional: false })
    expect(query && 'value' in query && positionEmbeddingSchema.parse(query.value)).toEqual(json)
  })

  it('leaves what is no number to the schema, which names it', () => {
    const query = fromQuery('position_embedding=rope&position_embedding.head_dim=many')
    expect(query).toEqual({ value: { type: 'rope', head_dim: 'many' } })
    expect(issues({ type: 'rope', head_dim: 'many' })?.[0]?.path).toEqual(['head_dim'])
  })

  it.each([
    ['position_embedding=rope&position_embedding.nonsense=1', 'nonsense'],
    ['position_embedding=rope&position_embedding.__proto__.x=1', '__proto__'],
    ['position_embedding=rope&position_embedding.constructor=1', 'constructor'],
  ])('keeps an unknown option to be refused: %s', (query, key) => {
    const result = fromQuery(query)
    const parsed = positionEmbeddingSchema.safeParse(result && 'value' in result ? result.value : undefined)
    expect(parsed.error?.issues[0]).toMatchObject({ code: 'unrecognized_keys', keys: [key] })
  })

  it('refuses two types, and a text where an object belongs', () => {
    const two = fromQuery('position_embedding=rope&position_embedding.type=alibi')
    expect(two).toMatchObject({ problem: { code: 'invalid_request', option: 'type' } })
    const text =
      'position_embedding=rope&position_embedding.scaling=linear&position_embedding.scaling.factor=2'
    expect(fromQuery(text)).toEqual({ value: { type: 'rope', scaling: 'linear' } })
    expect(issues({ type: 'rope', scaling: 'linear' })?.[0]?.path).toEqual(['scaling'])
  })
})
