import { describe, expect, it } from 'vitest'
import { debertaBucket } from '../../../../src/first-layer/embeddings/positions/deberta.js'
import { TorchGenerator } from '../../../../src/first-layer/random/generator.js'
import { type GoldenCase, goldenCases, largestDifference, sha256 } from '../../../goldens/golden.js'
import { debertaScores } from '../../../twins/deberta-scores.js'
import { type Asked, bind, floats, ints, requestOf, tensorsOf } from './compute.js'

const cases = goldenCases('deberta')

describe('deberta', () => {
  for (const golden of cases) {
    const { id, params, expect: expected } = golden

    it(`gives the reference's matrices (${id})`, () => {
      const matrices = {
        relative_position: 'relative_pos',
        c2p_index: 'c2p_index',
        p2c_index: 'p2c_index',
      }
      for (const [name, key] of Object.entries(matrices)) {
        const matrix = ints(asked(golden), name)
        if (expected[key]) expect([...matrix], name).toEqual(expected[key].flat())
        if (expected[`${key}_sha256_i32le`]) {
          expect(sha256(matrix), name).toBe(expected[`${key}_sha256_i32le`])
        }
      }
    })

    it(`has as many embeddings as the reference's span (${id})`, () => {
      const tensor = tensorsOf(asked(golden)).get('relative_embeddings')
      expect(tensor?.shape).toEqual([2 * expected.att_span, params.d_model ?? 8])
    })

    if (params.distance_range) {
      it(`has PyTorch's bucket for every distance (${id})`, () => {
        const bucketOf = debertaBucket(params.position_buckets, params.max_relative_positions)
        const [first, last] = params.distance_range
        const buckets = Int32Array.from({ length: last - first + 1 }, (_, i) => bucketOf(first + i))
        expect(sha256(buckets)).toBe(expected.bucket_sha256_i32le)
        for (const [start, bucket] of expected.bucket_run_starts) expect(bucketOf(start)).toBe(bucket)
      })
    }
  }

  it('computes buckets in float32, where float64 would differ', () => {
    const inDouble = (distance: number, buckets: number, maximum: number) => {
      const exact = buckets / 2
      const part = Math.log(distance / exact) / Math.log((maximum - 1) / exact)
      return Math.ceil(part * (exact - 1)) + exact
    }
    for (const [buckets, maximum, distances] of [
      [128, 513, [128, 256, 1024]],
      [512, 4096, [1643, 6395]],
    ] as const) {
      const bucketOf = debertaBucket(buckets, maximum)
      for (const distance of distances) {
        expect(bucketOf(distance)).not.toBe(inDouble(distance, buckets, maximum))
      }
    }
  })

  it('gives embeddings and indices from which attention makes PyTorch’s scores', () => {
    const golden = cases.find(({ params }) => params.draw_order)!
    const { params, expect: expected } = golden
    const { d_model: width, num_heads: heads, query_size: length } = params
    const generator = new TorchGenerator(params.table_seed)
    const draw = (size: number) => {
      const out = new Float32Array(size)
      generator.normal(out)
      return out
    }
    draw(2 * params.max_relative_positions * width)
    const embeddings = floats(asked(golden), 'relative_embeddings')
    expect(sha256(embeddings)).toBe(expected.rel_embeddings_slice_sha256_f32le)

    const scores = debertaScores({
      heads,
      length,
      queries: draw(heads * length * (width / heads)),
      keys: draw(heads * length * (width / heads)),
      embeddings,
      c2pIndex: ints(asked(golden), 'c2p_index'),
      p2cIndex: ints(asked(golden), 'p2c_index'),
    })
    expect(largestDifference(scores.c2p, expected.c2p_att.flat(2))).toBeLessThanOrEqual(1e-5)
    expect(largestDifference(scores.p2c, expected.p2c_att.flat(2))).toBeLessThanOrEqual(1e-5)
  })

  it('gives the middle rows of the table in version 1: those of distances within the window', () => {
    const golden = cases.find(({ expect }) => expect.rel_embeddings_rows_used?.[0] > 0)!
    const [first, end] = golden.expect.rel_embeddings_rows_used
    const table = new Float32Array(2 * golden.params.max_relative_positions * 8)
    new TorchGenerator(123).normal(table)
    expect(floats(asked(golden), 'relative_embeddings')).toEqual(table.subarray(first * 8, end * 8))
  })

  it('has no buckets in version 2 if position_buckets is 0', () => {
    const wire = { type: 'deberta', position_buckets: 0, max_relative_positions: 300 }
    const relative = ints({ positionEmbedding: wire, length: 400 }, 'relative_position')
    expect(relative[399 * 400]).toBe(399)
    expect(tensorsOf({ positionEmbedding: wire, length: 4 }).get('relative_embeddings')?.shape).toEqual([
      600, 8,
    ])
  })

  it('is the same at every position_offset', () => {
    const at = (offset: number) => ints({ positionEmbedding: 'deberta', length: 6, offset }, 'c2p_index')
    expect(at(5)).toEqual(at(0))
  })

  it('needs no room for far distances in a short window', () => {
    const value = { type: 'deberta', max_relative_positions: 8 } // half of 256 buckets is more
    expect(bind(value).check(requestOf({ positionEmbedding: '', length: 4 }))).toBeUndefined()
    const near = ints({ positionEmbedding: value, length: 4 }, 'relative_position')
    expect([...near].slice(0, 4)).toEqual([0, -1, -2, -3])
  })

  it.each([
    [{ position_buckets: 1 }, 'position_buckets', 'at least 2'],
    [{ position_buckets: 4, max_relative_positions: 3 }, 'max_relative_positions', 'above 3'],
    [{ version: 1, max_relative_positions: 2_000_000 }, 'max_relative_positions', '16777216'],
    [{ position_buckets: 2_000_000, max_relative_positions: 9_000_000 }, 'position_buckets', '16777216'],
  ])('refuses %j by its name', (options, option, mention) => {
    const problem = bind({ type: 'deberta', ...options }).check(
      requestOf({ positionEmbedding: '', length: 4 }),
    )
    expect(problem).toMatchObject({ code: 'invalid_request', option })
    expect(problem?.message).toContain(mention)
  })
})

function asked({ params }: GoldenCase): Asked {
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
