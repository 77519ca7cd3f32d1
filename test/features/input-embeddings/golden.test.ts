import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TorchGenerator } from '../../../src/first-layer/random/generator.js'
import { decodeFloats, floats, MEDIA_TYPES } from '../../decode.js'
import { readGolden, sha256, verdictIds } from '../../goldens.js'
import { embed, type Tables, type TestService, testService } from '../../helper.js'

interface EmbeddingCase {
  readonly id: string
  readonly params: {
    vocab_size: number
    d_model: number
    context_length: number
    seed: number
    max_length: number
    stride: number
  }
  readonly expect: {
    readonly rows: number[]
    readonly inputs: number[][]
    readonly targets: number[][]
    readonly shape: number[]
    readonly token_embeddings_sha256_f32le: string
    readonly pos_embeddings_sha256_f32le: string
    readonly input_embeddings_sha256_f32le: string
    readonly input_embeddings_first8: number[]
    readonly input_embeddings?: number[][][]
  }
}

const embeddingCases = readGolden<{ cases: EmbeddingCase[] }>('input_embeddings.json').cases

const ALL = ['token_embeddings', 'position_embeddings', 'input_embeddings']

/** The service over the tables of a case. */
function serviceOf({ id, params }: EmbeddingCase): Promise<TestService> {
  const env = {
    VOCAB_SIZE: String(params.vocab_size),
    EMBEDDING_DIM: String(params.d_model),
    MAX_POSITION_EMBEDDINGS: String(params.context_length),
    SEED: String(params.seed),
  }
  if (id !== 'ch02-notebook-stream') return testService(env)
  // The notebook seeds once, makes Embedding(6, 3), the token table, takes a batch, then makes the position table.
  const drawLikeTheNotebook = (tables: Tables) => {
    const generator = new TorchGenerator(params.seed)
    generator.normal(new Float32Array(6 * 3))
    generator.normal(tables['wte.weight'])
    generator.randint64() // the loader's base seed
    generator.normal(tables['wpe.weight'])
  }
  return testService(env, { tables: drawLikeTheNotebook })
}

describe.each(embeddingCases)('input_embeddings $id over HTTP', (golden) => {
  let service: TestService
  beforeAll(async () => {
    service = await serviceOf(golden)
  })
  afterAll(() => service.close())

  test('its rows, sent as ids', async () => {
    const answer = await embed(service, { input_ids: golden.expect.inputs, outputs: ALL })
    expect(answer.status).toBe(200)
    const tensors = decodeFloats(answer)
    expect(tensors.input_embeddings.shape).toEqual(golden.expect.shape)
    expect(sha256(tensors.token_embeddings.bytes)).toBe(golden.expect.token_embeddings_sha256_f32le)
    expect(sha256(tensors.position_embeddings.bytes)).toBe(golden.expect.pos_embeddings_sha256_f32le)
    expect(sha256(tensors.input_embeddings.bytes)).toBe(golden.expect.input_embeddings_sha256_f32le)
    expect([
      ...floats(tensors.input_embeddings).slice(0, golden.expect.input_embeddings_first8.length),
    ]).toEqual(golden.expect.input_embeddings_first8.map(Math.fround))
    if (golden.expect.input_embeddings === undefined) return
    expect(answer.json().outputs.input_embeddings.data).toEqual(golden.expect.input_embeddings)
  })

  test('its windows, cut from the whole text', async () => {
    const { max_length, stride, vocab_size } = golden.params
    const ids = vocab_size === 12 ? Array.from({ length: 12 }, (_, i) => i) : verdictIds()
    const outputs = ['input_ids', 'target_ids']
    const answer = await embed(service, { input_ids: ids, context_length: max_length, stride, outputs })
    const { input_ids, target_ids } = answer.json().outputs
    const { rows, inputs, targets } = golden.expect
    expect(rows.map((row) => input_ids.data[row])).toEqual(inputs)
    expect(rows.map((row) => target_ids.data[row])).toEqual(targets)
  })
})

interface InitCase {
  readonly id: string
  readonly params: {
    readonly seed: string
    readonly ops: readonly { op: string; shape: [number, number]; std?: number; padding_idx?: number }[]
  }
  readonly expect: readonly { sha256_f32le: string }[]
}

// A model's token table is the first one drawn from its seed; what is drawn later, and tables of more rows than an
// answer of some blocks has, stand on the module's tests.
const initCases = readGolden<{ cases: InitCase[] }>('embedding_init.json').cases.filter(
  ({ params: { ops } }) => ops[0].padding_idx === undefined && ops[0].shape[0] <= 1024,
)

test.each(initCases)(
  'embedding_init $id: the whole first table over HTTP',
  async ({ params, expect: golden }) => {
    const [{ shape, std = 1 }] = params.ops
    const [vocabSize, embeddingDim] = shape
    const service = await testService({
      VOCAB_SIZE: String(vocabSize),
      EMBEDDING_DIM: String(embeddingDim),
      SEED: params.seed,
      INIT_STD: String(std),
    })
    const input_ids = Array.from({ length: vocabSize }, (_, i) => i)
    const call = { input_ids, position_embedding: 'none', outputs: ['token_embeddings'] }
    const answer = await embed(service, call, { accept: MEDIA_TYPES.raw })
    expect(answer.headers['x-tensor-shape']).toBe(`1,${vocabSize},${embeddingDim}`)
    expect(sha256(answer.body)).toBe(golden[0].sha256_f32le)
    await service.close()
  },
)
