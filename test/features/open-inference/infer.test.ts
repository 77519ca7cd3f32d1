import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { embed, post, type TestService, testService } from '../../helper.js'
import { decoded, errorOf, type GivenInput, INFER, idsInput, infer, textInput } from './inference.js'

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.close())

/** The native route's tensors as flat numbers. */
async function native(body: object): Promise<Record<string, { shape: readonly number[]; data: number[] }>> {
  const answer = await embed(service, body)
  expect(answer.status, answer.body.toString()).toBe(200)
  const { outputs } = answer.json()
  return Object.fromEntries(
    Object.entries(outputs as Record<string, { shape: number[]; data: number[] }>).map(([name, output]) => [
      name,
      { shape: output.shape, data: (output.data as unknown[]).flat(9) as number[] },
    ]),
  )
}

async function refused(inputs: readonly GivenInput[], rest: object = {}): Promise<[number, string]> {
  const answer = await infer(service, { inputs, ...rest })
  return [answer.status, errorOf(answer)]
}

describe('an inference in JSON', () => {
  test('has the protocol’s form, the counts and the caller’s id', async () => {
    const answer = await infer(service, { id: 'my id', inputs: [textInput('Hello, world!')] })
    expect(answer.status).toBe(200)
    expect(answer.headers['content-type']).toBe('application/json')
    expect(answer.headers['inference-header-content-length']).toBeUndefined()
    expect(answer.headers['x-model-version']).toBe('1')
    expect(answer.json()).toEqual({
      model_name: 'default',
      model_version: '1',
      id: 'my id',
      parameters: { num_tokens: 4, num_characters: 13, num_windows: 1, num_dropped_tokens: 0 },
      outputs: [
        { name: 'input_ids', datatype: 'INT32', shape: [1, 4], data: [15496, 11, 995, 0] },
        { name: 'input_embeddings', datatype: 'FP32', shape: [1, 4, 8], data: expect.any(Array) },
      ],
    })
  })

  test('without an id has none', async () => {
    expect(Object.keys((await infer(service, { inputs: [idsInput(1)] })).json())).not.toContain('id')
  })

  test('takes texts of shape [B, 1], as Triton’s batches have them', async () => {
    const row = textInput('one two', 'three')
    const flat = decoded(await infer(service, { inputs: [row] })).outputs
    for (const data of [row.data, [['one two'], ['three']]]) {
      expect(decoded(await infer(service, { inputs: [{ ...row, shape: [2, 1], data }] })).outputs).toEqual(
        flat,
      )
    }
    for (const [shape, data] of [
      [[2], [['one two'], ['three']]],
      [[2, 1], [['one two', 'three']]],
      [
        [2, 1],
        [['one two'], 'three'],
      ],
      [
        [2, 1],
        [['one two'], ['']],
      ],
    ] as const) {
      const answer = await infer(service, { inputs: [{ ...row, shape, data }] })
      expect([answer.status, errorOf(answer)]).toEqual([400, expect.stringContaining('`text')])
    }
  })

  test('has the numbers of the native route, for texts of several documents', async () => {
    const texts = ['Hello, world!', 'one two three four five', '🌊']
    const { outputs } = decoded(await infer(service, { inputs: [textInput(...texts)] }))
    const expected = await native({ text: texts })
    expect(outputs.map(({ name }) => name)).toEqual(Object.keys(expected))
    for (const { name, shape, data } of outputs) expect({ shape, data }).toEqual(expected[name])
  })

  test.each([
    ['flat', [1, 2, 3, 4, 5, 6]],
    [
      'nested',
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
    ],
  ])('takes %s rows of ids', async (_, data) => {
    const inputs = [{ name: 'input_ids', shape: [2, 3], datatype: 'INT32', data }]
    const { outputs } = decoded(await infer(service, { inputs }))
    const expected = await native({
      input_ids: [
        [1, 2, 3],
        [4, 5, 6],
      ],
    })
    expect(outputs.map(({ data: numbers }) => numbers)).toEqual(
      Object.values(expected).map(({ data: numbers }) => numbers),
    )
  })

  test('leaves out what a mask hides at the end of a row', async () => {
    const ids = { name: 'input_ids', shape: [2, 3], datatype: 'INT64', data: [1, 2, 3, 4, 5, 6] }
    const mask = {
      name: 'attention_mask',
      shape: [2, 3],
      datatype: 'INT64',
      data: [
        [1, 1, 0],
        [1, 1, 1],
      ],
    }
    const answer = await infer(service, { inputs: [mask, ids] })
    const { outputs, json } = decoded(answer)
    const expected = await native({
      input_ids: [
        [1, 2],
        [4, 5, 6],
      ],
    })
    expect(json.parameters.num_tokens).toBe(5)
    for (const { name, data } of outputs) expect(data, name).toEqual(expected[name].data)
  })

  test('takes token types, cut as the ids are', async () => {
    const shape = [2, 3]
    const inputs = [
      { name: 'input_ids', shape, datatype: 'INT64', data: [1, 2, 3, 4, 5, 6] },
      { name: 'token_type_ids', shape, datatype: 'INT32', data: [0, 1, 1, 0, 0, 1] },
      { name: 'attention_mask', shape, datatype: 'INT64', data: [1, 1, 0, 1, 1, 1] },
    ]
    const { outputs } = decoded(await infer(service, { inputs, parameters: { architecture: 'bert' } }))
    const body = {
      input_ids: [
        [1, 2],
        [4, 5, 6],
      ],
      token_type_ids: [
        [0, 1],
        [0, 0, 1],
      ],
      architecture: 'bert',
    }
    const expected = await native(body)
    for (const { name, data } of outputs) expect(data, name).toEqual(expected[name].data)
  })

  test('passes over members that the protocol does not know', async () => {
    const answer = await post(service, INFER, { model_name: 'default', x: [1], inputs: [idsInput(1)] })
    expect(answer.status).toBe(200)
  })

  test('answers the outputs that are asked for in their order', async () => {
    const names = ['position_ids', 'input_embeddings', 'input_ids']
    const outputs = names.map((name) => ({ name }))
    const answer = await infer(service, { inputs: [idsInput(5, 6)], outputs })
    expect(decoded(answer).outputs.map(({ name }) => name)).toEqual(names)
  })

  test('takes the version that there is, and no other', async () => {
    const ask = (version: string) =>
      infer(service, { inputs: [idsInput(1)] }, { url: `/v2/models/default/versions/${version}/infer` })
    expect((await ask('1')).status).toBe(200)
    for (const version of ['2', '0', '01', 'x']) expect((await ask(version)).status, version).toBe(404)
  })
})

describe('parameters', () => {
  test('are the fields of the native body, objects with dots and lists with commas', async () => {
    const options = {
      ...{ context_length: 4, stride: 2, tail: 'pad', pad_token_id: 7, batch_size: 2, shuffle: true },
      ...{ seed: '18446744073709551615', epoch: 1, drop_last: true, position_offset: 3 },
    }
    const text = 'one two three <|endoftext|> four five six seven eight nine ten'
    const parameters = {
      ...options,
      ...{
        allowed_special: '<|endoftext|>',
        'position_embedding.type': 'rope',
        'position_embedding.head_dim': 4,
      },
    }
    const { outputs } = decoded(await infer(service, { inputs: [textInput(text)], parameters }))
    const position_embedding = { type: 'rope', head_dim: 4 }
    const expected = await native({
      text: [text],
      ...options,
      allowed_special: ['<|endoftext|>'],
      position_embedding,
    })
    expect(outputs.map(({ name }) => name)).toEqual(Object.keys(expected))
    for (const { name, data } of outputs) expect(data, name).toEqual(expected[name].data)
  })

  test('an empty list of special tokens makes their literals text', async () => {
    const inputs = [textInput('<|endoftext|>')]
    const count = async (allowed_special: string) =>
      (await infer(service, { inputs, parameters: { allowed_special } })).json().parameters.num_tokens
    expect(await count('')).toBe(7)
    expect(await count('all')).toBe(1)
    expect(await count('<|endoftext|>')).toBe(1)
  })

  test.each([
    [{ sequence_id: 1 }, '`parameters.sequence_id` is not supported by this service.'],
    [{ priority: 0 }, '`parameters.priority` is not supported by this service.'],
    [{ triton_enable_empty_final_response: true }, /triton_enable_empty_final_response. is not supported/],
    [
      { contextlength: 4 },
      '`parameters.contextlength` is not a field of this request. Did you mean `context_length`?',
    ],
    [{ outputs: 'input_ids' }, '`parameters.outputs` is not a field of this request.'],
    [{ model: 'default' }, '`parameters.model` is not a field of this request.'],
    [{ context_length: '4' }, '`parameters.context_length` must be an integer. Given: "4"'],
    [{ context_length: 0 }, '`parameters.context_length` must be at least 1. Given: 0'],
    [{ stride: 4 }, '`parameters.stride` must not be given without `context_length`. Given: 4'],
    [{ 'position_embedding.type': 'none', position_embedding: 'rope' }, /position_embedding.type/],
    [{ timeout: -1 }, '`parameters.timeout` must be microseconds, an integer of at least 0. Given: -1'],
    [{ binary_data_output: 'yes' }, '`parameters.binary_data_output` must be true or false. Given: "yes"'],
    [
      { dtype: ['float32'] },
      '`parameters.dtype` must be a string, a number or a boolean. Given: an array of 1',
    ],
  ])('%j is refused', async (parameters, message) => {
    const [status, error] = await refused([idsInput(1)], { parameters })
    expect([status, error]).toEqual([
      400,
      typeof message === 'string' ? message : expect.stringMatching(message),
    ])
  })

  test('`timeout` shortens the time of the request', async () => {
    const answer = await infer(service, { inputs: [idsInput(1)], parameters: { timeout: 1 } })
    expect([answer.status, errorOf(answer)]).toEqual([504, expect.stringContaining('1 µs')])
  })
})

describe('inputs that are wrong', () => {
  const ids = idsInput(1, 2)
  const beside = (name: string, data: unknown, shape: readonly number[] = [2]) => ({
    name,
    shape,
    datatype: 'INT64',
    data,
  })
  test.each<[string, readonly GivenInput[], string | RegExp, number?]>([
    ['none', [], '`inputs` must have at least 1 elements. Given: an empty array'],
    ['text and ids', [textInput('a'), ids], /exactly one of text and input_ids. Given: text, input_ids/],
    ['a mask alone', [beside('attention_mask', [1, 1])], /exactly one of text and input_ids/],
    ['a mask beside text', [textInput('a', 'b'), beside('attention_mask', [1, 1])], /nothing beside text/],
    ['an input twice', [ids, ids], '`inputs` must not name an input twice. Given: "input_ids"'],
    ['an unknown name', [{ ...ids, name: 'ids' }], /`inputs.0.name` must be one of "text", "input_ids"/],
    ['an unknown datatype', [{ ...ids, datatype: 'FP32' }], /`inputs.0.datatype` must be one of/],
    [
      'ids as strings',
      [{ ...ids, datatype: 'BYTES' }],
      '`input_ids.datatype` must be INT64 or INT32. Given: "BYTES"',
    ],
    [
      'text as integers',
      [{ ...textInput('a'), datatype: 'INT64' }],
      '`text.datatype` must be BYTES. Given: "INT64"',
    ],
    [
      'no data',
      [{ ...ids, data: undefined }],
      '`inputs.0.data` or `parameters.binary_data_size` is needed, not both. Given: nothing',
    ],
    ['a negative id', [idsInput(1, -2)], '`input_ids.1` must be at least 0. Given: -2'],
    ['a fraction', [idsInput(1, 2.5)], '`input_ids.1` must be an integer within ±(2^53 − 1). Given: 2.5'],
    [
      'an id beyond the table',
      [idsInput(1, 50_257)],
      /`input_ids.1` must be below `vocab_size` 50257. Given: 50257/,
      422,
    ],
    ['an id beyond int32', [idsInput(2 ** 40)], /Given: 1099511627776/, 422],
    ['numbers as text', [{ ...textInput('a'), data: [1] }], '`text.0` must be a string. Given: 1'],
    [
      'nested texts',
      [{ ...textInput('a'), data: [['a']] }],
      '`text.0` must be a string. Given: an array of 1',
    ],
    [
      'one string as text',
      [{ ...textInput('a'), data: 'a' }],
      '`text` must be an array of strings. Given: "a"',
    ],
    ['strings as ids', [{ ...ids, data: ['1', '2'] }], /`input_ids.0` must be an integer/],
    ['a lone surrogate', [textInput('a', 'b\ud800')], /`inputs.0.data.1` must be Unicode text/],
    ['an empty text', [textInput('a', '')], '`text.1` must not be empty. Given: ""'],
    [
      'too many axes',
      [{ ...ids, shape: [1, 1, 2] }],
      '`input_ids.shape` must be [n] or [rows, n]. Given: [1, 1, 2]',
    ],
    [
      'text in rows',
      [{ ...textInput('a', 'b'), shape: [1, 2] }],
      '`text.shape` must be [n] or [n, 1]. Given: [1, 2]',
    ],
    [
      'more elements than the shape',
      [{ ...ids, shape: [1] }],
      '`input_ids` must have as many elements as its shape [1]. Given: 2',
    ],
    [
      'fewer texts than the shape',
      [{ ...textInput('a'), shape: [2] }],
      /`text` must have as many elements as its shape \[2\]\. Given: 1/,
    ],
    [
      'ragged rows',
      [{ ...ids, shape: [2, 2], data: [[1], [2, 3, 4]] }],
      /flat, or nested in the shape \[2, 2\]/,
    ],
    ['rows for one axis', [{ ...ids, data: [[1, 2]] }], /flat, or nested in the shape \[2\]/],
    [
      'a mask of another shape',
      [ids, beside('attention_mask', [1], [1])],
      '`attention_mask` must have the shape of `input_ids`, [2]. Given: [1]',
    ],
    ['a 1 behind a 0', [ids, beside('attention_mask', [0, 1])], /`attention_mask.0.1` must be 0/],
    [
      'a 2 in a mask',
      [ids, beside('attention_mask', [1, 2])],
      '`attention_mask.0.1` must be 0 or 1, ones before zeros. Given: 2',
    ],
    [
      'a row of zeros',
      [ids, beside('attention_mask', [0, 0])],
      '`attention_mask.0` must keep an id. Given: zeros only',
    ],
    [
      'token types that gpt2 has not',
      [ids, beside('token_type_ids', [0, 0])],
      /must not be given for `architecture` gpt2/,
    ],
    [
      'a parameter that no input has',
      [{ ...ids, parameters: { x: 1 } } as GivenInput],
      '`inputs.0.parameters.x` is not a parameter of an input.',
    ],
    [
      'shared memory',
      [{ ...ids, parameters: { shared_memory_region: 'a' } } as GivenInput],
      /shares no memory/,
      501,
    ],
  ])('%s', async (_, inputs, message, status = 400) => {
    const refusal = await refused(inputs)
    expect(refusal).toEqual([status, typeof message === 'string' ? message : expect.stringMatching(message)])
  })

  test('beyond MAX_DOCUMENTS', async () => {
    const data = new Array(65_537).fill(1)
    const [status, error] = await refused([
      { name: 'input_ids', shape: [65_537, 1], datatype: 'INT64', data },
    ])
    expect([status, error]).toEqual([400, expect.stringContaining('at most 65536 documents (MAX_DOCUMENTS)')])
  })
})

describe('outputs that are wrong', () => {
  test.each<[string, object[], string | RegExp, number?]>([
    [
      'twice',
      [{ name: 'input_ids' }, { name: 'input_ids' }],
      '`outputs` must not name an output twice. Given: "input_ids"',
    ],
    ['unknown', [{ name: 'logits' }], /`outputs.0` must be one of input_embeddings/],
    ['of another scheme', [{ name: 'cos' }], /must be among what learned_absolute gives/, 422],
    ['none', [], '`outputs` must have at least 1 elements. Given: an empty array'],
    [
      'classes',
      [{ name: 'input_ids', parameters: { classification: 2 } }],
      '`outputs.0.parameters.classification` is not a parameter of an output here.',
    ],
    [
      'in shared memory',
      [{ name: 'input_ids', parameters: { shared_memory_region: 'a' } }],
      /shares no memory/,
      501,
    ],
    [
      'binary in words',
      [{ name: 'input_ids', parameters: { binary_data: 1 } }],
      '`outputs.0.parameters.binary_data` must be true or false. Given: 1',
    ],
  ])('%s', async (_, outputs, message, status = 400) => {
    const refusal = await refused([idsInput(1)], { outputs })
    expect(refusal).toEqual([status, typeof message === 'string' ? message : expect.stringMatching(message)])
  })
})
