import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { architectureOption } from '../../../../src/first-layer/cards/card-json.js'
import {
  architectures,
  findArchitecture,
} from '../../../../src/first-layer/embeddings/architectures/registry.js'
import {
  addRows,
  freshLayerNorm,
  type LayerNorm,
  normalizeRows,
  type RowBlock,
  rowPlan,
} from '../../../../src/first-layer/embeddings/architectures/row-steps.js'
import type { TableName } from '../../../../src/first-layer/embeddings/table-memory.js'
import { TorchGenerator } from '../../../../src/first-layer/random/generator.js'
import { type GoldenCase, goldenCases, largestDifference } from '../../../goldens/golden.js'
import { inputRows } from '../../../twins/input-rows.js'
import { bind, elements, requestOf } from '../positions/compute.js'

const cases = goldenCases('arch_input')

interface Drawn {
  readonly width: number
  readonly tables: Map<TableName, Float32Array>
  readonly generator: TorchGenerator
}

/** The tables of a golden case, in its order of drawing: words, positions, token types. */
function drawTables({ params }: GoldenCase): Drawn {
  const width: number = params.hidden_size ?? params.d_model
  const generator = new TorchGenerator(params.seed)
  const rows: [TableName, number | undefined][] = [
    ['wte.weight', params.vocab_size],
    ['wpe.weight', params.max_position_embeddings ?? params.n_positions],
    ['wtt.weight', params.type_vocab_size || undefined],
  ]
  const tables = new Map<TableName, Float32Array>()
  for (const [key, count] of rows) {
    if (count === undefined) continue
    const table = new Float32Array(count * width)
    generator.normal(table)
    tables.set(key, table)
  }
  return { width, tables, generator }
}

/** The position rows [T, C] of the architecture's own scheme, or undefined where it adds none. */
function positionRows(architecture: string, drawn: Drawn, length: number): Float32Array | undefined {
  const embedding = bind(findArchitecture(architecture)!.positionEmbedding)
  if (embedding.added === undefined) return undefined
  const request = requestOf({ positionEmbedding: '', length, embeddingDim: drawn.width })
  const [tensor] = embedding.tensors(request)
  if (tensor!.table === undefined) return elements(tensor) as Float32Array
  const start = tensor!.table.firstRow * drawn.width
  return drawn.tables.get(tensor!.table.key)!.subarray(start, start + length * drawn.width)
}

/** Rows of a table, one after the other. */
function lookUp(table: Float32Array, ids: readonly number[], width: number): Float32Array {
  const rows = new Float32Array(ids.length * width)
  for (const [row, id] of ids.entries()) rows.set(table.subarray(id * width, (id + 1) * width), row * width)
  return rows
}

interface Finished {
  readonly beforeAfterwards: Float32Array
  readonly output: Float32Array
}

/** Look up, then the architecture's plan around the positions, in blocks of `blockRows` rows. */
function run(golden: GoldenCase, drawn: Drawn, layerNorm: LayerNorm, blockRows = Infinity): Finished {
  const { params } = golden
  const { width, tables } = drawn
  const length: number = params.input_ids[0].length
  const ids: number[] = params.input_ids.flat()
  const typeIds: number[] = params.token_type_ids?.flat() ?? ids.map(() => 0)
  const places = ids.map((_, row) => row % length)
  const output = lookUp(tables.get('wte.weight')!, ids, width)
  const beforeAfterwards = new Float32Array(output.length)
  const positions = positionRows(params.arch, drawn, length)
  const types = tables.get('wtt.weight')
  const plan = rowPlan(findArchitecture(params.arch)!, { embeddingDim: width, layerNorm })
  for (let row = 0; row < ids.length; row += blockRows) {
    const end = Math.min(ids.length, row + blockRows)
    const block = {
      rows: output.subarray(row * width, end * width),
      tokenTypeRows: types && lookUp(types, typeIds.slice(row, end), width),
      attentionMask: params.attention_mask?.flat().slice(row, end),
    }
    for (const step of plan) {
      if (typeof step === 'function') step(block)
      else {
        if (positions) addRows(block.rows, lookUp(positions, places.slice(row, end), width))
        beforeAfterwards.set(block.rows, row * width)
      }
    }
  }
  return { beforeAfterwards, output }
}

/** The LayerNorm of a case: its own weights, drawn after the tables, or a fresh one. */
function layerNormOf(golden: GoldenCase, drawn: Drawn): LayerNorm {
  const { ln_weight, ln_bias } = golden.expect
  const epsilon = findArchitecture(golden.params.arch)!.layerNormEpsilon ?? 0
  if (!ln_weight) return freshLayerNorm(drawn.width, epsilon)
  return { epsilon, weight: Float32Array.from(ln_weight), bias: Float32Array.from(ln_bias) }
}

/** Runs an architecture's steps on one block, without positions and with a fresh LayerNorm. */
function work(name: string, block: RowBlock, width: number): void {
  const architecture = findArchitecture(name)!
  const layerNorm = freshLayerNorm(width, architecture.layerNormEpsilon ?? 0)
  for (const step of rowPlan(architecture, { embeddingDim: width, layerNorm })) {
    if (typeof step === 'function') step(block)
  }
}

const TOLERANCE: Record<string, number> = { bert: 2e-6, deberta: 2e-6, bloom: 2e-6 }

describe('architectures', () => {
  for (const golden of cases.filter(({ params }) => findArchitecture(params.arch))) {
    const { id, params, expect: expected } = golden
    const tolerance = TOLERANCE[params.arch] ?? 0

    it.each([Infinity, 1, 3])(`give the reference's rows (${id}, blocks of %d rows)`, (blockRows) => {
      const drawn = drawTables(golden)
      const { beforeAfterwards, output } = run(golden, drawn, layerNormOf(golden, drawn), blockRows)
      expect(largestDifference(output, expected.output.flat(2).map(Math.fround))).toBeLessThanOrEqual(
        tolerance,
      )
      if (expected.pre_layernorm) {
        const sums = expected.pre_layernorm.flat(2).map(Math.fround)
        expect(largestDifference(beforeAfterwards, sums)).toBe(0)
      }
    })

    it(`equal the slow twin to the bit (${id})`, () => {
      const drawn = drawTables(golden)
      const layerNorm = layerNormOf(golden, drawn)
      const twin = inputRows(params.arch, {
        width: drawn.width,
        inputIds: params.input_ids,
        tokenTypeIds: params.token_type_ids,
        attentionMask: params.attention_mask,
        wordTable: drawn.tables.get('wte.weight')!,
        typeTable: drawn.tables.get('wtt.weight'),
        positions: positionRows(params.arch, drawn, params.input_ids[0].length),
        layerNorm,
      })
      expect([...run(golden, drawn, layerNorm).output]).toEqual(twin)
    })
  }

  it('leave Transformer-XL’s adaptive tables to the caller: its scaling alone gives the reference', () => {
    const { params, expect: expected } = cases.find(({ params }) => params.arch === 'transfo_xl')!
    const generator = new TorchGenerator(params.seed)
    const ends = [...params.cutoffs, params.n_token]
    const clusters = ends.map((end: number, i: number) => {
      const first = i === 0 ? 0 : ends[i - 1]
      const width = Math.floor(params.d_embed / params.div_val ** i)
      const table = new Float32Array((end - first) * width)
      generator.normal(table)
      const projection = new Float32Array(params.d_proj * width)
      generator.normal(projection)
      return { first, end, width, table, projection }
    })
    const rows = Float32Array.from(
      params.input_ids.flat().flatMap((id: number) => {
        const { first, width, table, projection } = clusters.find(({ end }) => id < end)!
        return Array.from({ length: params.d_proj }, (_, out) => {
          let sum = 0
          for (let c = 0; c < width; c++)
            sum += table[(id - first) * width + c]! * projection[out * width + c]!
          return sum
        })
      }),
    )
    work('transformer_xl', { rows }, params.d_proj)
    expect(largestDifference(rows, expected.output.flat(2))).toBeLessThanOrEqual(1e-5)
  })

  it.each([
    ['bert', 1e-12], // BertConfig.layer_norm_eps
    ['deberta', 1e-7], // DebertaConfig.layer_norm_eps
    ['deberta_v2', 1e-7],
    ['bloom', 1e-5], // BloomConfig.layer_norm_epsilon
  ])('%s divides by √(variance + %f), which small rows show', (name, epsilon) => {
    const values = [1, -2, 3, -4, 5, -6, 7, -4].map((value) => value * 1e-4)
    const rows = Float32Array.from(values)
    work(name, { rows, tokenTypeRows: new Float32Array(rows.length) }, values.length)
    const variance = values.reduce((sum, value) => sum + value * value, 0) / values.length // their mean is 0
    const expected = values.map((value) => value / Math.sqrt(variance + epsilon))
    expect(largestDifference(rows, expected)).toBeLessThan(1e-6)
  })

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

  it('throw without the token-type rows that they need', () => {
    expect(() => work('bert', { rows: new Float32Array(8) }, 8)).toThrow(/bert.*token types/)
  })
})

describe('LayerNorm', () => {
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
