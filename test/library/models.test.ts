import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, test } from 'vitest'
import { writeHeader } from '../../src/first-layer/tensors/safetensors/safetensors-file.js'
import {
  type EmbedOptions,
  type FirstLayerModel,
  InletError,
  modelFromBytes,
  modelFromCard,
  modelFromFolder,
  modelFromSeed,
  TorchGenerator,
} from '../../src/index.js'
import { parsedSafetensors } from './safetensors.js'

const FOLDERS = new URL('../goldens/models/', import.meta.url)

interface Golden {
  readonly dtype: string
  readonly data_f32: string
}

/** A checkpoint whose rows transformers made; tokens in a batch without padding and token types. */
function expectedOf(name: string): {
  input_ids: number[][]
  inputs_embeds: Golden
  [field: string]: unknown
} {
  return JSON.parse(readFileSync(new URL(`${name}/expected.json`, FOLDERS), 'utf8'))
}

const float32Folders = readdirSync(FOLDERS).filter((name) => {
  const { inputs_embeds, attention_mask } = expectedOf(name)
  return inputs_embeds.dtype === 'float32' && attention_mask === undefined
})

async function errorOf(work: Promise<unknown>): Promise<InletError> {
  const error = await work.then(
    () => undefined,
    (reason) => reason,
  )
  expect(error).toBeInstanceOf(InletError)
  return error
}

/** Table rows of a seed as a safetensors file. */
function tableFile(rows: number, positions: number, width: number): Uint8Array {
  const generator = new TorchGenerator(123n)
  const tables = [
    { name: 'wte.weight', dtype: 'float32' as const, shape: [rows, width] },
    { name: 'wpe.weight', dtype: 'float32' as const, shape: [positions, width] },
  ]
  const numbers = tables.map(({ shape: [height = 0] }) => {
    const table = new Float32Array(height * width)
    generator.normal(table)
    return Buffer.from(table.buffer)
  })
  return Buffer.concat([writeHeader({}, tables), ...numbers])
}

describe('models of the library', () => {
  it('have float32 folders to compare with', () => {
    expect(float32Folders.length).toBeGreaterThan(10)
  })

  test.each(float32Folders)(
    '%s from its folder gives transformers’ inputs_embeds, to the bit',
    async (name) => {
      const { input_ids, inputs_embeds } = expectedOf(name)
      const model = await modelFromFolder(fileURLToPath(new URL(name, FOLDERS)))
      const rows = (await model.embed(input_ids, { outputs: ['inputs_embeds'] })).floats('inputs_embeds')
      model.dispose()
      expect(Buffer.from(rows.buffer, rows.byteOffset, rows.byteLength).toString('base64')).toBe(
        inputs_embeds.data_f32,
      )
    },
  )

  it('from a folder with a card alone, as models/tiny', async () => {
    const model = await modelFromFolder(fileURLToPath(new URL('../../models/tiny', import.meta.url)))
    const card = JSON.parse(readFileSync(new URL('../../models/tiny/inlet.json', import.meta.url), 'utf8'))
    const same = await modelFromCard(card)
    expect(model.vocabSize).toBe(card.vocab_size)
    const [one, other] = await Promise.all(
      [model, same].map(async (each) => (await each.embed([1, 0])).floats()),
    )
    expect(one).toEqual(other)
    model.dispose()
    same.dispose()
  })

  it('from bytes look up the rows of these bytes, also where the array begins at an odd place', async () => {
    const file = tableFile(16, 4, 8)
    const shifted = new Uint8Array(file.length + 1)
    shifted.set(file, 1)
    const fromSeed = await modelFromSeed(123, {
      vocab_size: 16,
      max_position_embeddings: 4,
      embedding_dim: 8,
    })
    const fromBytes = await modelFromBytes(shifted.subarray(1))
    const ids = [3, 15, 0]
    expect((await fromBytes.embed(ids)).floats()).toEqual((await fromSeed.embed(ids)).floats())
    fromSeed.dispose()
    fromBytes.dispose()
  })

  it('from bytes refuse a file without wte.weight, one that is cut, and bytes that are none', async () => {
    const file = tableFile(16, 4, 8)
    const other = Buffer.from(
      Buffer.from(file).toString('latin1').replace('wte.weight', 'wtx.weight'),
      'latin1',
    )
    expect(await errorOf(modelFromBytes(other))).toMatchObject({
      code: 'invalid_request',
      param: 'wte.weight',
    })
    await expect(modelFromBytes(file.subarray(0, -4))).rejects.toThrow(/end|bytes/)
    await expect(modelFromBytes(new Uint8Array(3))).rejects.toThrow()
  })

  it('from a folder that has no model are refused by name', async () => {
    const error = await errorOf(modelFromFolder(fileURLToPath(new URL('../../docs', import.meta.url))))
    expect(error.code).toBe('model_failed')
    expect(error.message).toContain('config.json')
  })
})

describe('embed', () => {
  const small = () => modelFromSeed(1, { vocab_size: 50, embedding_dim: 4, max_position_embeddings: 8 })
  const refusal = async (use: (model: FirstLayerModel) => Promise<unknown>) => {
    const model = await small()
    const error = await errorOf(use(model))
    model.dispose()
    return [error.code, error.param]
  }

  it.each([
    [[-1], 'invalid_request', 'input.0'],
    [[1.5], 'invalid_request', 'input.0'],
    [[1, 2 ** 32], 'token_out_of_range', 'input.1'],
    [[[1], [2, 50]], 'token_out_of_range', 'input.1.1'],
    [Int32Array.of(1, 2, -3), 'invalid_request', 'input.2'],
    [[3, '4'], 'invalid_request', 'input.1'],
    [['!', 2], 'invalid_request', 'input.1'],
    [new Set([1, 2]), 'invalid_request', 'input'],
    [undefined, 'invalid_request', 'input'],
    [[[1], null], 'invalid_request', 'input.1'],
    [[], 'empty_input', 'input'],
    ['', 'empty_input', 'input'],
    [[[1], []], 'empty_input', 'input.1'],
    ['a\ud800', 'invalid_unicode', 'input'],
  ])('refuses %j', async (input, code, param) => {
    expect(await refusal((model) => model.embed(input as string))).toEqual([code, param])
  })

  it('names the place of a token without a row, in a text of any length', async () => {
    const model = await small() // its last row is that of "R"
    const text = `${'A!'.repeat(40_000)}S!` // no two of these merge
    expect((await model.tokenize(text)).indexOf(50)).toBe(80_000)
    const refused = await errorOf(model.embed(['A', text]))
    expect([refused.code, refused.param]).toEqual(['token_out_of_range', 'input.1'])
    expect(refused.message).toMatch(/Token 80000 is 50$/)
    model.dispose()
  })

  it.each([
    [{ contextLength: 4 }, 'contextLength'],
    [{ context_length: 0 }, 'context_length'],
    [{ stride: 2 }, 'stride'],
    [{ tail: 'pad' }, 'tail'],
    [{ batch_index: 0 }, 'batch_index'],
    [{ drop_last: true }, 'drop_last'],
    [{ shuffle: true }, 'seed'],
    [{ shuffle: 'yes' }, 'shuffle'],
    [{ dtype: 'float64' }, 'dtype'],
    [{ seed: 1.5 }, 'seed'],
    [{ position_embedding: 'rotary' }, 'position_embedding.type'],
    [{ outputs: ['nothing'] }, 'outputs.0'],
  ])('refuses the options %j', async (options, param) => {
    expect(await refusal((model) => model.embed([1, 2, 3], options as object))).toEqual([
      'invalid_request',
      param,
    ])
  })

  it('accepts what has no effect, as the service does', async () => {
    const model = await small()
    await model.embed([1, 2, 3], { seed: 1, epoch: 2, pad_token_id: 0, drop_last: false })
    model.dispose()
  })

  it('gives the same numbers as array, npy and safetensors, in every type', async () => {
    const model = await small()
    for (const dtype of ['float32', 'float16', 'bfloat16'] as const) {
      const embeddings = await model.embed([[1, 2, 3], [4]], { dtype, pad_token_id: 0 })
      const file = parsedSafetensors(embeddings.safetensors())
      for (const tensor of embeddings.tensors) {
        const bytes = Buffer.concat([...tensor.blocks()].map((block) => Buffer.from(block)))
        const data = Buffer.from(tensor.data.buffer, tensor.data.byteOffset, tensor.data.byteLength)
        expect(data.equals(bytes), tensor.name).toBe(true)
        expect(file[tensor.name]?.equals(bytes), tensor.name).toBe(true)
        if (dtype !== 'bfloat16')
          expect(Buffer.from(tensor.npy()).subarray(-bytes.length).equals(bytes)).toBe(true)
      }
    }
    model.dispose()
  })

  it('writes ids as int64 where that is asked for, and gives their numbers as an Int32Array', async () => {
    const model = await small()
    const options = { context_length: 2, tail: 'pad', outputs: ['target_ids'], pad_token_id: 0 } as const
    const narrow = (await model.embed([1, 2, 3], options)).tensor('target_ids')
    const wide = (await model.embed([1, 2, 3], { ...options, ids_dtype: 'int64' })).tensor('target_ids')
    expect([wide.dtype, wide.data]).toEqual(['int64', narrow.data])
    expect([...wide.data]).toEqual([2, 3, -100, -100])
    const bytes = Buffer.from(BigInt64Array.of(2n, 3n, -100n, -100n).buffer)
    expect(Buffer.from(wide.npy()).subarray(-32)).toEqual(bytes)
    await expect(model.embed([1], { ids_dtype: 'int8' as 'int32' })).rejects.toThrow('`ids_dtype`')
    model.dispose()
  })
})

describe('batches', () => {
  const small = () => modelFromSeed(1, { vocab_size: 50, embedding_dim: 4, max_position_embeddings: 8 })
  const documents = [Array.from({ length: 40 }, (_, i) => i), [7, 8, 9], [1, 2, 3, 4, 5, 6]]

  it.each([
    { batch_size: 5, context_length: 4, stride: 1 },
    { batch_size: 5, context_length: 4, stride: 1, shuffle: true, seed: 3, epoch: 2 },
    { batch_size: 3, context_length: 4, stride: 3, shuffle: true, seed: 3, drop_last: true },
    { batch_size: 2, context_length: 4, tail: 'pad', pad_token_id: 49, truncation: true, max_length: 7 },
  ] as const)('are those that embed gives one by one: %j', async (options) => {
    const model = await small()
    let batchIndex = 0
    for await (const batch of model.batches(documents, options)) {
      const alone = await model.embed(documents, { ...options, batch_index: batchIndex++ })
      expect(batch.counts).toEqual(alone.counts)
      expect(batch.safetensors()).toEqual(alone.safetensors())
    }
    const { counts } = await model.embed(documents, { ...options, batch_index: 0 })
    expect(batchIndex).toBe(counts.numBatches)
    expect(batchIndex).toBeGreaterThan(2)
    model.dispose()
  })

  it('come at once, however long their epoch: its order is drawn once', async () => {
    const model = await small()
    const ids = new Int32Array(250_000).map((_, i) => i % 50)
    const options = {
      context_length: 4,
      stride: 1,
      batch_size: 16,
      shuffle: true,
      seed: 1,
      outputs: ['window_starts'],
    }
    const starts = new Set<number>()
    for await (const batch of model.batches(ids, options as EmbedOptions))
      for (const start of batch.tensor('window_starts').data) starts.add(Number(start))
    expect(starts.size).toBe(250_000 - 4)
    model.dispose()
  })

  it('need a size, and windows', async () => {
    const model = await small()
    const begin = (input: number[], options: object) => model.batches(input, options).next()
    await expect(begin([1, 2, 3], { context_length: 2 })).rejects.toMatchObject({ param: 'batch_size' })
    const options = { context_length: 4, batch_size: 2 }
    await expect(begin([1, 2, 3], options)).rejects.toMatchObject({ code: 'no_windows' })
    await expect(begin([], options)).rejects.toMatchObject({ code: 'empty_input' })
    model.dispose()
  })
})
