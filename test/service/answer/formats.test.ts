import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Decoded,
  decodeBase64,
  decodeFloats,
  decodeNpy,
  decodeRaw,
  decodeSafetensors,
  MEDIA_TYPES,
} from '../../decode.js'
import { embed, type Tables, type TestService, testService } from '../../helper.js'
import { checkProperty } from '../../property.js'
import { bfloat16Bits, float16Bits } from '../../twins/sixteen-bits.js'

const DIM = 8
const VOCAB = 256

/** Values at which something can go wrong: signs of zero, ends of ranges, halves between two float16s. */
const EDGES = [
  0, -0, 1, -1, 0.1, -0.1, 1 / 3, 1e-7, 1e21, 1e-45, 3.4028235e38, -3.4028235e38, Infinity, -Infinity, NaN,
  1.17549435e-38, 65_504, 65_519, 65_520, 6.1e-5, 5.96e-8, 2.98e-8, 2.99e-8, 1.0004883, 1.0014648, 16_777_216,
  16_777_217, 123_456.79, 9.999999e-7, 1e-6, 1e20, 0.3,
] // biome-ignore format: a table

/** A table of the edges and then of every kind of bit pattern, from a multiplicative walk through 2^32. */
function drawEdges(tables: Tables): void {
  const table = tables['wte.weight']
  table.set(EDGES)
  const bits = new Uint32Array(table.buffer, table.byteOffset, table.length)
  for (let i = EDGES.length; i < bits.length; i++) bits[i] = Math.imul(i, 2654435761) ^ (i << 7)
  for (let i = EDGES.length; i < table.length; i++) if (Number.isNaN(table[i])) table[i] = -i
  tables['wpe.weight'].fill(0.5)
}

let service: TestService
let table: Float32Array
beforeAll(async () => {
  const env = { VOCAB_SIZE: String(VOCAB), EMBEDDING_DIM: String(DIM), MAX_POSITION_EMBEDDINGS: '64' }
  const tables = (own: Tables) => {
    drawEdges(own)
    table = own['wte.weight'].slice()
  }
  service = await testService(env, { tables })
})
afterAll(() => service.close())

const EVERYTHING = [
  'token_embeddings', 'input_ids', 'input_embeddings', 'target_ids', 'window_starts', 'position_embeddings',
  'attention_mask', 'position_ids', 'document_ids',
] // biome-ignore format: a table

const WIDTHS: Record<string, (values: Float32Array) => Buffer> = {
  float32: (values) => Buffer.from(values.slice().buffer),
  float16: (values) => Buffer.from(Uint16Array.from(values, float16Bits).buffer),
  bfloat16: (values) => Buffer.from(Uint16Array.from(values, bfloat16Bits).buffer),
}
const DTYPES = Object.keys(WIDTHS)

/** The same request in every form that the service speaks, as tensors by name. */
async function allForms(call: object, outputs: readonly string[], dtype: string) {
  const body = { ...call, outputs, dtype }
  const floats = await embed(service, body)
  expect(floats.status, floats.body.toString()).toBe(200)
  const forms: Record<string, Record<string, Decoded>> = {
    'JSON numbers': decodeFloats(floats),
    base64: decodeBase64(await embed(service, { ...body, encoding_format: 'base64' })),
    safetensors: decodeSafetensors((await embed(service, body, { accept: MEDIA_TYPES.safetensors })).body)
      .tensors,
    raw: {},
    npy: {},
  }
  for (const name of outputs) {
    const single = { ...body, outputs: [name] }
    const { name: said, ...tensor } = decodeRaw(await embed(service, single, { accept: MEDIA_TYPES.raw }))
    expect(said).toBe(name)
    forms.raw[name] = tensor
    const npy = await embed(service, single, { accept: MEDIA_TYPES.npy })
    if (npy.status === 200) forms.npy[name] = decodeNpy(npy.body)
    else expect([npy.status, tensor.dtype]).toEqual([422, 'bfloat16'])
  }
  return forms
}

function expectOneAnswer(forms: Record<string, Record<string, Decoded>>): void {
  for (const [form, tensors] of Object.entries(forms)) {
    for (const [name, tensor] of Object.entries(tensors)) {
      const expected = forms.base64[name]
      expect(tensor.dtype, `${form} ${name}`).toBe(expected.dtype)
      expect(tensor.shape, `${form} ${name}`).toEqual(expected.shape)
      expect(tensor.bytes.equals(expected.bytes), `${form} ${name}`).toBe(true)
    }
  }
}

describe.each(DTYPES)('%s', (dtype) => {
  test('all forms decode to the same bits', async () => {
    const someCall = fc.record({
      input_ids: fc.array(fc.array(fc.nat(VOCAB - 1), { minLength: 1, maxLength: 30 }), {
        minLength: 1,
        maxLength: 4,
      }),
      position_offset: fc.nat(30),
      pad_token_id: fc.nat(VOCAB - 1),
    })
    await checkProperty(
      fc.asyncProperty(someCall, fc.shuffledSubarray(EVERYTHING, { minLength: 1 }), async (call, outputs) => {
        expectOneAnswer(await allForms(call, outputs, dtype))
      }),
      25,
    )
  })

  test('the table’s own values, the strangest included', async () => {
    const call = { input_ids: Array.from({ length: VOCAB }, (_, i) => i), position_embedding: 'none' }
    const forms = await allForms(call, ['token_embeddings'], dtype)
    expectOneAnswer(forms)
    expect(forms.raw.token_embeddings.bytes.equals(WIDTHS[dtype](table))).toBe(true)
  })

  test('sums are rounded once to float32, and only then narrowed', async () => {
    const ids = Array.from({ length: 40 }, (_, i) => i)
    const call = { input_ids: ids, outputs: ['input_embeddings'], dtype }
    const { bytes } = decodeRaw(await embed(service, call, { accept: MEDIA_TYPES.raw }))
    const sums = table.slice(0, ids.length * DIM).map((value) => value + 0.5)
    expect(bytes.equals(WIDTHS[dtype](sums))).toBe(true)
  })
})

test('ids, masks and positions are int32 whatever the dtype', async () => {
  const ids = EVERYTHING.filter((name) => !name.endsWith('embeddings'))
  const { outputs } = (await embed(service, { input_ids: [1, 2, 3], outputs: ids, dtype: 'bfloat16' })).json()
  for (const name of ids) expect([name, outputs[name].dtype]).toEqual([name, 'int32'])
})

describe('numbers in JSON', () => {
  const textOf = async (dtype: string) => {
    const call = { input_ids: [0, 1, 2, 3], position_embedding: 'none', outputs: ['token_embeddings'], dtype }
    const text = (await embed(service, call)).body.toString()
    return text
      .slice(text.indexOf('[[[') + 3, text.indexOf(']]]'))
      .split('],[')
      .flatMap((row) => row.split(','))
  }

  test('are the shortest decimals that read back as the same float32', async () => {
    const written = await textOf('float32')
    expect(written.slice(0, 8)).toEqual(['0', '-0', '1', '-1', '0.1', '-0.1', '0.33333334', '1e-7'])
    expect(written.slice(12, 15)).toEqual(['"Infinity"', '"-Infinity"', '"NaN"'])
    for (const [i, value] of EDGES.entries()) {
      const read = Number(JSON.parse(written[i]))
      expect(Object.is(Math.fround(read), Math.fround(value)), written[i]).toBe(true)
    }
  })

  test('are those of the narrowed value as a float32', async () => {
    expect((await textOf('float16')).slice(0, 7)).toEqual([
      '0', '-0', '1', '-1', '0.099975586', '-0.099975586', '0.33325195',
    ]) // biome-ignore format: a table
    expect((await textOf('bfloat16'))[4]).toBe('0.100097656')
  })

  test('of any number of axes stand in as many brackets', async () => {
    const call = { input_ids: [[5, 6], [7, 8]], outputs: ['document_ids', 'input_ids', 'token_embeddings'] } // biome-ignore format: short
    const { outputs } = (await embed(service, call)).json()
    expect(outputs.document_ids.data).toEqual([0, 1])
    expect(outputs.input_ids.data).toEqual([[5, 6], [7, 8]]) // biome-ignore format: short
    expect(outputs.token_embeddings.data.map((row: unknown[]) => row.length)).toEqual([2, 2])
  })
})

describe('a safetensors file', () => {
  test('has an aligned header, tensors without gaps, and strings as metadata', async () => {
    const call = {
      input_ids: [[1, 2, 3], [4]],
      outputs: EVERYTHING,
      dtype: 'float16',
      pad_token_id: 0,
      batch_size: 1,
    }
    const { body } = await embed(service, call, { accept: MEDIA_TYPES.safetensors })
    const headerBytes = Number(body.readBigUInt64LE(0))
    expect((8 + headerBytes) % 8).toBe(0)
    const { __metadata__, ...entries } = JSON.parse(body.toString('utf8', 8, 8 + headerBytes))
    expect(__metadata__).toEqual({
      model: 'default',
      model_version: '1',
      num_tokens: '4',
      num_windows: '2',
      num_dropped_tokens: '0',
      num_batches: '2',
      num_dropped_windows: '0',
    })
    expect(Object.keys(entries).sort()).toEqual([...EVERYTHING].sort())
    let end = 0
    const itemBytes: Record<string, number> = { I32: 4, F32: 4, F16: 2, BF16: 2 }
    for (const { dtype, shape, data_offsets } of Object.values(entries) as {
      dtype: string
      shape: number[]
      data_offsets: [number, number]
    }[]) {
      expect(data_offsets[0]).toBe(end)
      expect(data_offsets[0] % itemBytes[dtype]).toBe(0)
      end = data_offsets[1]
      expect(end - data_offsets[0]).toBe(shape.reduce((size, axis) => size * axis, itemBytes[dtype]))
    }
    expect(body.length).toBe(8 + headerBytes + end)
  })

  test('has each tensor at a multiple of its element, narrow ones asked for first included', async () => {
    const odd = await testService({ VOCAB_SIZE: '64', EMBEDDING_DIM: '5' })
    const call = { input_ids: [1, 2, 3], outputs: ['input_embeddings', 'input_ids'], dtype: 'float16' }
    const { body } = await embed(odd, call, { accept: MEDIA_TYPES.safetensors })
    await odd.close()
    const headerBytes = Number(body.readBigUInt64LE(0))
    const header = body.toString('utf8', 8, 8 + headerBytes)
    const { input_ids, input_embeddings } = JSON.parse(header)
    expect([input_ids.data_offsets, input_embeddings.data_offsets]).toEqual([[0, 12], [12, 42]]) // biome-ignore format: short
    expect(header.length - header.trimEnd().length).toBeLessThan(8)
  })

  test('is said to be of the type that was asked for', async () => {
    for (const accept of ['application/x-safetensors', 'application/vnd.safetensors']) {
      const { headers } = await embed(service, { input_ids: [1] }, { accept })
      expect(headers['content-type']).toBe(accept)
    }
  })
})

test('outputs come in the order asked for', async () => {
  const outputs = ['position_ids', 'input_embeddings', 'input_ids']
  expect(Object.keys((await embed(service, { input_ids: [1], outputs })).json().outputs)).toEqual(outputs)
})

test('blocks of any size give one answer: a tensor of several megabytes, in every form', async () => {
  const call = {
    input_ids: Array.from({ length: 70_001 }, (_, i) => (i * 7) % 254),
    position_embedding: 'none',
  }
  for (const dtype of DTYPES) expectOneAnswer(await allForms(call, ['input_embeddings', 'input_ids'], dtype))
})
