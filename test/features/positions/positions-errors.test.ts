import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { positionSchemes } from '../../../src/first-layer/embeddings/positions/registry.js'
import { embed, type TestService } from '../../helper.js'
import { closePositionServices, expectError, getPositions, positionService } from '../../position-answers.js'

let service: TestService
beforeAll(async () => {
  service = await positionService()
})
afterAll(closePositionServices)

const window = { input_ids: [0, 1, 2, 3] }

/** `position_embedding.` OPTION, what is sent, a part of the message. */
type Wrong = readonly [option: string, wire: Readonly<Record<string, unknown>>, mention: string]

const linear = { type: 'linear', factor: 2 }
const yarn = { type: 'yarn', factor: 2, original_max_position_embeddings: 64 }
const llama3 = {
  type: 'llama3',
  factor: 8,
  low_freq_factor: 1,
  high_freq_factor: 4,
  original_max_position_embeddings: 8192,
}

/** Values that each option refuses, alone and beside others. The service has rows of 8. */
const WRONG: readonly Wrong[] = [
  ['type', { type: 'rotary' }, 'one of none, learned_absolute, sinusoidal, rope'],
  ['type', { type: 'ROPE' }, '"ROPE"'],
  ['type', { head_dim: 64 }, 'nothing'],
  ['type', {}, 'nothing'],
  ['head_dim', { type: 'none', head_dim: 4 }, 'not a field'],
  ['rope_type', { type: 'none', rope_type: 'yarn' }, 'longrope'],
  ['base', { type: 'learned_absolute', base: 100 }, 'not a field'],
  ['base', { type: 'sinusoidal', base: 0.5 }, 'at least 1'],
  ['variant', { type: 'sinusoidal', variant: 'fairseq' }, 'tensor2tensor'],
  ['layout', { type: 'sinusoidal', layout: 'half' }, 'concatenated'],
  ['precision', { type: 'sinusoidal', precision: 'float16' }, 'float64'],
  ['base', { type: 'rope', base: 10_000 }, 'not a field'],
  ['head_dim', { type: 'rope', head_dim: 0 }, 'at least 1'],
  ['head_dim', { type: 'rope', head_dim: 65_537 }, 'at most 65536'],
  ['head_dim', { type: 'rope', head_dim: 63 }, 'even'],
  ['rotary_dim', { type: 'rope', rotary_dim: 15 }, 'even'],
  ['rotary_dim', { type: 'rope', head_dim: 32, rotary_dim: 34 }, 'at most head_dim 32'],
  ['rope_theta', { type: 'rope', rope_theta: 0 }, 'at least 1'],
  ['layout', { type: 'rope', layout: 'concatenated' }, 'interleaved'],
  ['precision', { type: 'rope', precision: 'double' }, 'float64'],
  ['scaling', { type: 'rope', scaling: 'linear' }, 'an object with `type`'],
  ['scaling', { type: 'rope', scaling: 2 }, 'an object with `type`'],
  ['scaling.type', { type: 'rope', scaling: { factor: 2 } }, 'nothing'],
  ['scaling.type', { type: 'rope', scaling: { type: 'ntk' } }, 'llama3'],
  ['scaling.factor', { type: 'rope', scaling: { type: 'linear' } }, 'is needed'],
  ['scaling.factor', { type: 'rope', scaling: { ...linear, factor: 0.5 } }, 'at least 1'],
  ['scaling.low', { type: 'rope', scaling: { ...linear, low: 1 } }, 'not a field'],
  ['scaling.max_position_embeddings', { type: 'rope', scaling: { type: 'dynamic', factor: 2 } }, 'is needed'],
  [
    'scaling.seq_len',
    { type: 'rope', scaling: { type: 'dynamic', factor: 2, max_position_embeddings: 8, seq_len: 0 } },
    'at least 1',
  ],
  [
    'head_dim',
    { type: 'rope', head_dim: 2, scaling: { type: 'dynamic', factor: 2, max_position_embeddings: 8 } },
    'above 2',
  ],
  [
    'scaling.original_max_position_embeddings',
    { type: 'rope', scaling: { type: 'yarn', factor: 2 } },
    'is needed',
  ],
  [
    'scaling.beta_fast',
    { type: 'rope', scaling: { ...yarn, beta_fast: 1, beta_slow: 2 } },
    'at least beta_slow 2',
  ],
  ['scaling.truncate', { type: 'rope', scaling: { ...yarn, truncate: 'no' } }, 'true or false'],
  ['scaling.attention_factor', { type: 'rope', scaling: { ...yarn, attention_factor: 0 } }, 'more than 0'],
  ['rope_theta', { type: 'rope', rope_theta: 1, scaling: yarn }, 'above 1'],
  [
    'scaling.high_freq_factor',
    { type: 'rope', scaling: { ...llama3, high_freq_factor: 1 } },
    'above low_freq_factor 1',
  ],
  [
    'scaling.low_freq_factor',
    { type: 'rope', scaling: { ...llama3, low_freq_factor: undefined } },
    'is needed',
  ],
  ['num_heads', { type: 'alibi', num_heads: 0 }, 'at least 1'],
  ['form', { type: 'alibi', form: 'bidirectional' }, 'symmetric'],
  ['key_length', { type: 'alibi', key_length: 0 }, 'at least 1'],
  ['num_buckets', { type: 't5', num_buckets: 3 }, 'at least 4'],
  ['num_buckets', { type: 't5', num_buckets: 1, bidirectional: false }, 'at least 2'],
  ['max_distance', { type: 't5', max_distance: 8 }, 'above the 8'],
  ['bidirectional', { type: 't5', bidirectional: 1 }, 'true or false'],
  ['seed', { type: 't5', seed: '2^64' }, '−2^63 to 2^64 − 1'],
  ['seed', { type: 't5', seed: '18446744073709551616' }, '−2^63 to 2^64 − 1'],
  ['max_relative_position', { type: 'shaw', max_relative_position: 0 }, 'at least 1'],
  ['max_relative_position', { type: 'shaw', max_relative_position: 1_000_000 }, '16777216'],
  ['head_dim', { type: 'shaw', head_dim: 1.5 }, 'an integer'],
  ['num_heads', { type: 'transformer_xl', num_heads: 3 }, 'divide embedding_dim 8'],
  ['memory_length', { type: 'transformer_xl', memory_length: -1 }, 'at least 0'],
  ['clamp_length', { type: 'transformer_xl', clamp_length: -2 }, 'at least -1'],
  ['version', { type: 'deberta', version: 3 }, 'one of 1, 2'],
  ['position_buckets', { type: 'deberta', position_buckets: 1 }, '0 or at least 2'],
  ['max_relative_positions', { type: 'deberta', position_buckets: 2, max_relative_positions: 2 }, 'above 2'],
]

describe('position_embedding refuses', () => {
  it.each(WRONG)(
    'is 400 with param position_embedding.%s for %j, through both routes',
    async (option, wire, mention) => {
      const param = `position_embedding.${option}`
      const posted = await embed(service, { ...window, position_embedding: wire })
      const message = expectError(posted, 400, 'invalid_request', param)
      expect(message).toContain(`\`${param}\` `)
      expect(message).toContain(mention)
      if (wire.type === undefined || typeof wire.scaling === 'number') return
      const got = await getPositions(service, { positionEmbedding: wire, context_length: 4 })
      expectError(got, 400, 'invalid_request', param)
    },
  )

  it('covers every option of every scheme', () => {
    for (const { type, options } of positionSchemes) {
      for (const option of Object.keys(options.shape)) {
        if (option === 'seed' || option === 'key_length' || option === 'num_heads') continue // one definition for all
        const tried = WRONG.some(([name, wire]) => wire.type === type && name.split('.')[0] === option)
        expect(tried, `${type}.${option}`).toBe(true)
      }
    }
  })

  it.each([null, 7, true, [], ['rope']])('is 400 with param position_embedding for %j', async (wire) => {
    const message = expectError(
      await embed(service, { ...window, position_embedding: wire }),
      400,
      'invalid_request',
      'position_embedding',
    )
    expect(message).toContain('a type or an object')
  })

  it.each(['rotary', '', 'Rope', ' rope'])('shows the type that was given: %j', async (wire) => {
    const answer = await embed(service, { ...window, position_embedding: wire })
    const message = expectError(answer, 400, 'invalid_request', 'position_embedding.type')
    expect(message).toContain(`Given: ${JSON.stringify(wire)}`)
    const query = new URLSearchParams({ position_embedding: wire, context_length: '4' })
    const got = await service.app.inject(`/v1/models/default/position-embeddings?${query}`)
    expect(got.json().error.message).toBe(message)
  })
})

describe('beyond the learned table', () => {
  it.each([
    [{ input_ids: new Array(1025).fill(0) }, 0, 1025],
    [{ input_ids: [0], position_offset: 1024 }, 1024, 1],
    [{ input_ids: new Array(9).fill(0), context_length: 8, position_offset: 1020 }, 1020, 8],
  ])('a request is 422 with both numbers', async (body, offset, length) => {
    const message = expectError(await embed(service, body), 422, 'context_too_long', 'context_length')
    expect(message).toContain('1024')
    expect(message).toContain(`${offset} + ${length} = ${offset + length}`)
    const got = await getPositions(service, { context_length: length, position_offset: offset })
    expectError(got, 422, 'context_too_long', 'context_length')
  })

  it('the last row is still there, and other schemes go on', async () => {
    const last = { input_ids: [0], position_offset: 1023 }
    expect((await embed(service, last)).status).toBe(200)
    for (const { type } of positionSchemes.filter(({ type }) => type !== 'learned_absolute')) {
      const answer = await embed(service, { ...last, position_offset: 3000, position_embedding: type })
      expect(answer.status, type).toBe(200)
    }
  })
})
