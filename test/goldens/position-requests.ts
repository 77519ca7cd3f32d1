import type { GoldenCase } from './golden.js'

/**
 * The request for a golden case: the wire value of `position_embedding`, `context_length`,
 * `position_offset`, and the model's `embedding_dim` (8 where the case leaves it open).
 *
 * HTTP can say every case of these topics. What it cannot return is checked on the modules: values before their
 * rounding to float32 (`*_f64`), frequencies given from outside (`div_term_f32`), buckets of distances without a
 * window (`distance_range`), YaRN's ramp, and what attention makes of the tensors (`apply`, `rel_shift`,
 * scores). A golden's `positions` are one request each: `context_length` 1 at that `position_offset`.
 */
export interface Asked {
  readonly positionEmbedding: unknown
  readonly length: number
  readonly offset?: number
  readonly embeddingDim?: number
}

export function sinusoidalRequest({ params }: GoldenCase): Asked {
  return {
    positionEmbedding: {
      type: 'sinusoidal',
      base: params.base,
      variant: params.variant,
      layout: params.layout === 'concat' ? 'concatenated' : params.layout,
      precision: params.precision === 'float32_exp' ? 'float32' : params.precision,
    },
    length: params.length,
    embeddingDim: params.d_model,
  }
}

export function ropeRequest({ params }: GoldenCase, position: number, precision = 'float32'): Asked {
  // The request gives the length: a golden's positions go with the length in its scaling, if it has one.
  return {
    positionEmbedding: {
      type: 'rope',
      head_dim: Math.max(params.rotary_dim, 64),
      rotary_dim: params.rotary_dim,
      rope_theta: params.base,
      layout: params.layout,
      precision,
      ...(params.scaling && { scaling: params.scaling }),
    },
    length: 1,
    offset: position,
  }
}

export function alibiRequest({ params }: GoldenCase, form: string): Asked {
  return {
    positionEmbedding: { type: 'alibi', num_heads: params.num_heads, form },
    length: params.length,
  }
}

export function t5Request({ params }: GoldenCase): Asked {
  return {
    positionEmbedding: {
      type: 't5',
      num_buckets: params.num_buckets,
      max_distance: params.max_distance,
      bidirectional: params.bidirectional,
      key_length: params.key_length,
      ...(params.num_heads && { num_heads: params.num_heads }),
      ...(params.table_seed && { seed: params.table_seed }),
    },
    length: params.query_length,
    offset: params.past,
  }
}

export function shawRequest({ params }: GoldenCase): Asked {
  return {
    positionEmbedding: {
      type: 'shaw',
      max_relative_position: params.max_relative_position,
      head_dim: params.d_head,
      seed: params.table_seed,
    },
    length: params.length,
  }
}

export function transformerXlRequest({ params }: GoldenCase): Asked {
  return {
    positionEmbedding: {
      type: 'transformer_xl',
      num_heads: params.num_heads ?? 1,
      memory_length: params.mlen,
      clamp_length: params.clamp_len,
      ...(params.seed && { seed: params.seed }),
    },
    length: params.qlen,
    embeddingDim: params.d_model,
  }
}

export function debertaRequest({ params }: GoldenCase): Asked {
  return {
    positionEmbedding: {
      type: 'deberta',
      version: params.version,
      max_relative_positions: params.max_relative_positions,
      ...(params.position_buckets && { position_buckets: params.position_buckets }),
      ...(params.table_seed && { seed: params.table_seed }),
    },
    length: params.query_size,
    embeddingDim: params.d_model ?? 8,
  }
}
