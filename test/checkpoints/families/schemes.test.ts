import { expect, test } from 'vitest'
import { ConfigJson } from '../../../src/checkpoints/config-json.js'
import type { SchemeOf } from '../../../src/checkpoints/families/family.js'
import {
  bloomAlibi,
  ctrlSines,
  disentangled,
  falconPositions,
  mptAlibi,
  rope,
  t5Bias,
  xglmSines,
  xlnetPositions,
} from '../../../src/checkpoints/families/schemes.js'

const HEADS = { num_attention_heads: 4, hidden_size: 32 }
const RELATIVE = { ...HEADS, position_biased_input: false, relative_attention: true }

test.each<[what: string, scheme: SchemeOf, config: object, expected: unknown]>([
  [
    'T5’s own buckets',
    t5Bias,
    { num_heads: 6, relative_attention_num_buckets: 20, relative_attention_max_distance: 77 },
    { type: 't5', num_heads: 6, num_buckets: 20, max_distance: 77 },
  ],
  [
    'T5 without them',
    t5Bias,
    { num_heads: 6 },
    { type: 't5', num_heads: 6, num_buckets: 32, max_distance: 128 },
  ],
  ['BLOOM', bloomAlibi, { n_head: 8 }, { type: 'alibi', num_heads: 8, form: 'key' }],
  ['MPT', mptAlibi, { n_heads: 8 }, { type: 'alibi', num_heads: 8 }],
  [
    'Falcon with alibi',
    falconPositions,
    { ...HEADS, alibi: true },
    { type: 'alibi', num_heads: 4, form: 'key' },
  ],
  ['Falcon without', falconPositions, HEADS, expect.objectContaining({ type: 'rope', head_dim: 8 })],
  [
    'XLNet’s longest distance',
    xlnetPositions,
    { n_head: 2, clamp_len: 9 },
    { type: 'transformer_xl', num_heads: 2, clamp_length: 9 },
  ],
  [
    'XLNet without one',
    xlnetPositions,
    { n_head: 2 },
    { type: 'transformer_xl', num_heads: 2, clamp_length: -1 },
  ],
  ['CTRL', ctrlSines, {}, { type: 'sinusoidal', layout: 'concatenated' }],
  ['XGLM', xglmSines, {}, { type: 'sinusoidal', variant: 'tensor2tensor', precision: 'float32' }],
  [
    'DeBERTa with added rows',
    disentangled(2),
    { ...RELATIVE, position_biased_input: true },
    'learned_absolute',
  ],
  ['DeBERTa that says nothing', disentangled(2), HEADS, 'learned_absolute'],
  ['DeBERTa without relative attention', disentangled(2), { position_biased_input: false }, 'none'],
  [
    'DeBERTa’s own distances',
    disentangled(1),
    { ...RELATIVE, max_relative_positions: 24, max_position_embeddings: 512 },
    { type: 'deberta', version: 1, max_relative_positions: 24 },
  ],
  [
    'DeBERTa v2’s buckets',
    disentangled(2),
    { ...RELATIVE, max_relative_positions: 1, position_buckets: 256, max_position_embeddings: 512 },
    { type: 'deberta', version: 2, max_relative_positions: 1, position_buckets: 256 },
  ],
  [
    'DeBERTa v2 without them, over all positions',
    disentangled(2),
    { ...RELATIVE, max_relative_positions: -1, max_position_embeddings: 512 },
    { type: 'deberta', version: 2, max_relative_positions: 512, position_buckets: 0 },
  ],
  [
    'heads of a stated width, of which a part rotates',
    rope({ headDim: 'kv_channels', partial: 0.5, layout: 'interleaved', theta: 7 }),
    { ...HEADS, kv_channels: 12 },
    { type: 'rope', head_dim: 12, rotary_dim: 6, rope_theta: 7, layout: 'interleaved' },
  ],
  [
    'heads that divide the width',
    rope(),
    { n_embd: 35, n_head: 4, rope_theta: 5 },
    { type: 'rope', head_dim: 8, rotary_dim: 8, rope_theta: 5, layout: 'half' },
  ],
  [
    'heads of which an odd part would rotate',
    rope({ rotaryDim: 3 }),
    HEADS,
    { type: 'none', rope_type: 'other' },
  ],
  [
    'heads of which more than all would rotate',
    rope({ rotaryDim: 10 }),
    HEADS,
    { type: 'none', rope_type: 'other' },
  ],
  ['heads that do not rotate', rope({ rotaryDim: 0 }), HEADS, 'none'],
  ['heads that rotate whole', rope({ rotaryDim: 8 }), HEADS, expect.objectContaining({ rotary_dim: 8 })],
])('%s', (_, scheme, config, expected) => {
  expect(scheme(new ConfigJson({ ...config }))).toEqual(expected)
})

test('more heads than elements are refused with both numbers', () => {
  const of = (count: number) => () => rope()(new ConfigJson({ num_attention_heads: count, hidden_size: 4 }))
  expect(of(5)).toThrow(/asks for 5 heads, which must be at most `hidden_size` 4/)
  expect(of(2)).not.toThrow()
})
