import { execFileSync } from 'node:child_process'
import { mkdir, rm, symlink, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { rawFile, tableFile } from '../table-files.js'
import { CONFIG, ModelsFolder, NUMBERS, ROWS, rowsFile } from './folders.js'

let models: ModelsFolder
beforeEach(async () => {
  models = await ModelsFolder.make()
})
afterEach(() => models.remove())

const config = (fields: object) => ({ 'config.json': { ...CONFIG, ...fields } })
const header = (text: string, data = Buffer.alloc(32)) => ({ 'model.safetensors': rawFile(text, data) })
const tensor = (dtype: string, shape: readonly unknown[], offsets: readonly unknown[]) =>
  JSON.stringify({ [ROWS]: { dtype, shape, data_offsets: offsets } })
const index = (weight_map: unknown) => ({
  'model.safetensors': undefined,
  'model.safetensors.index.json': { weight_map },
})
const bert = (fields: object, tensors: Readonly<Record<string, readonly number[]>>) => ({
  'config.json': { ...CONFIG, model_type: 'bert', type_vocab_size: 2, ...fields },
  'model.safetensors': tableFile(
    Object.fromEntries(
      Object.entries(tensors).map(([name, shape]) => [
        `embeddings.${name}`,
        { shape, numbers: Array(shape.reduce((a, b) => a * b, 1)).fill(1) },
      ]),
    ),
  ),
})
const BERT = {
  'word_embeddings.weight': [4, 2],
  'position_embeddings.weight': [8, 2],
  'token_type_embeddings.weight': [2, 2],
  'LayerNorm.weight': [2],
  'LayerNorm.bias': [2],
}
const without = (name: keyof typeof BERT) =>
  Object.fromEntries(Object.entries(BERT).filter(([key]) => key !== name))

describe('a refused folder’s error names what to mend, and other folders are served', () => {
  test.each<[what: string, files: Parameters<ModelsFolder['write']>[1], message: RegExp]>([
    [
      'no weights',
      { 'model.safetensors': undefined },
      /model\.safetensors: is missing\. The folder has no weights/,
    ],
    [
      'a pickle',
      { 'model.safetensors': undefined, 'pytorch_model.bin': 'x' },
      /pytorch_model\.bin is a pickle.*save_pretrained/,
    ],
    [
      'GGUF',
      { 'model.safetensors': undefined, 'm.gguf': 'GGUF' },
      /m\.gguf is never opened.*gguf_file="m\.gguf"/,
    ],
    [
      'an adapter',
      { 'model.safetensors': undefined, 'adapter_model.safetensors': rowsFile() },
      /adapter_model\.safetensors is not the model/,
    ],
    ['an empty file', { 'model.safetensors': '' }, /model\.safetensors: .*has 0 bytes, less than 8/],
    [
      'a header over the limit',
      { 'model.safetensors': Buffer.from('ffffffffffffff7f', 'hex') },
      /at most 100000000 bytes\. Given: 9223372036854775807/,
    ],
    [
      'a header longer than the file',
      { 'model.safetensors': Buffer.concat([Buffer.from([99, 0, 0, 0, 0, 0, 0, 0]), Buffer.from('{}')]) },
      /header has 99 bytes, the file only 10/,
    ],
    ['no JSON in the header', header('{"a"'), /header must be JSON/],
    [
      'bytes behind the last tensor',
      header(tensor('F32', [4, 2], [0, 32]), Buffer.alloc(40)),
      /must take the 40 bytes after the header\. Declared: 32/,
    ],
    ['a table of 64 bits', header(tensor('F64', [2, 2], [0, 32])), /must be F32, F16, BF16\. Given: F64/],
    [
      'the head alone, which has the same rows',
      { 'model.safetensors': rowsFile({}, 'lm_head.weight') },
      /has none of them, but lm_head\.weight, .* rename it to model\.embed_tokens\.weight/,
    ],
    ['a quantized table', header(tensor('U8', [16, 2], [0, 32])), /must be F32, F16, BF16\. Given: U8/],
    [
      'a table of one axis',
      header(tensor('F32', [8], [0, 32])),
      /must be \[1 … 2147483647, 1 … 1048576\]\. Given: \[8\]/,
    ],
    ['an empty table', header(tensor('F32', [0, 2], [0, 0]), Buffer.alloc(0)), /Given: \[0, 2\]/],
    [
      'another name for the table',
      { 'model.safetensors': rowsFile({}, 'tok_embeddings.weight') },
      /one of the tensors model\.embed_tokens\.weight, embed_tokens\.weight/,
    ],
    [
      'more tokens than rows',
      config({ vocab_size: 5 }),
      /must be F32, F16, BF16 \[5, 2\], as config\.json says\. Given: F32 \[4, 2\]/,
    ],
    [
      'a width that is not the table’s',
      config({ hidden_size: 3 }),
      /must be .* \[4, 3\], as config\.json says\. Given: F32 \[4, 2\]/,
    ],
    ['no JSON in config.json', { 'config.json': '{"a"' }, /config\.json: must be JSON/],
    ['a list as config.json', { 'config.json': [1] }, /config\.json: must be a JSON object\. Given: \[1\]/],
    [
      'config.json in Latin-1',
      { 'config.json': Buffer.from('{"model_type":"\xe9"}', 'latin1') },
      /config\.json: must be UTF-8/,
    ],
    ['no model_type', config({ model_type: undefined }), /`model_type` is needed/],
    [
      'an unknown model_type',
      config({ model_type: 'llama9' }),
      /`model_type` "llama9" is not served; did you mean llama\? docs\/model-types.md/,
    ],
    [
      'a model_type that is like another and none of its kin',
      config({ model_type: 'zebra9' }),
      /`model_type` "zebra9" is not served; docs\/model-types.md/,
    ],
    [
      'a model_type that is known and not served',
      config({ model_type: 'mobilebert' }),
      /`model_type` mobilebert is not served: its rows are made of three neighbours each/,
    ],
    [
      'tables of n-grams that transformers does not know',
      config({ model_type: 'longcat_flash', ngram_vocab_size_ratio: 78 }),
      /`model_type` longcat_flash is not served: `ngram_vocab_size_ratio` adds rows of n-grams/,
    ],
    ['__proto__ as model_type', config({ model_type: 'constructor' }), /is not served; docs/],
    [
      'a dtype of 64 bits',
      config({ dtype: 'float64' }),
      /`dtype` must be float32, float16, bfloat16\. Given: "float64"/,
    ],
    ['a dtype that is no text', config({ dtype: 16 }), /`dtype` must be a text\. Given: 16/],
    [
      'a width as text',
      config({ hidden_size: '2' }),
      /`hidden_size` must be a whole number of at least 1\. Given: "2"/,
    ],
    [
      'a width of 1.5',
      config({ hidden_size: 1.5 }),
      /`hidden_size` must be a whole number of at least 1\. Given: 1\.5/,
    ],
    [
      'no heads, hence 32',
      config({ num_attention_heads: undefined }),
      /32 heads, .* at most `hidden_size` 2/,
    ],
    [
      'rope of no sense',
      config({ head_dim: 2, rope_parameters: { rope_type: 'linear', factor: 0.5 } }),
      /position scheme that cannot be: `position_embedding\.scaling\.factor` must be at least 1\. Given: 0\.5/,
    ],
    [
      'rope_parameters that are no object',
      config({ rope_parameters: 7 }),
      /`rope_parameters` must be an object\. Given: 7/,
    ],
    ['a pad that is no id', config({ pad_token_id: 'x' }), /`pad_token_id` must be a token id/],
    ['an index without a map', index(undefined), /index\.json: `weight_map` must be an object/],
    [
      'an index out of the folder',
      index({ [ROWS]: '../other.safetensors' }),
      /must be the name of a safetensors file in the folder\. Given: "\.\.\/other\.safetensors"/,
    ],
    ['an index to a file that is missing', index({ [ROWS]: 'a.safetensors' }), /a\.safetensors: is missing/],
    [
      'an index that is wrong about a file',
      { ...index({ [ROWS]: 'a.safetensors' }), 'a.safetensors': rowsFile({}, 'other') },
      /lists "model\.embed_tokens\.weight" in a\.safetensors, which does not have it/,
    ],
    [
      'BERT without positions',
      bert({}, without('position_embeddings.weight')),
      /"embeddings\.position_embeddings\.weight" is missing, the table of positions/,
    ],
    [
      'BERT without types',
      bert({}, without('token_type_embeddings.weight')),
      /token_type_embeddings\.weight" is missing/,
    ],
    ['BERT without LayerNorm', bert({}, without('LayerNorm.weight')), /LayerNorm\.weight" is missing/],
    [
      'a LayerNorm of another width',
      bert({}, { ...BERT, 'LayerNorm.bias': [3] }),
      /LayerNorm\.bias" must be .* \[2\], as config\.json says\. Given: F32 \[3\]/,
    ],
    [
      'types of another width',
      bert({}, { ...BERT, 'token_type_embeddings.weight': [2, 3] }),
      /must be .* \[2, 2\].*Given: F32 \[2, 3\]/,
    ],
    [
      'positions of another width',
      bert({}, { ...BERT, 'position_embeddings.weight': [8, 3] }),
      /must be .* \[8, 2\].*Given: F32 \[8, 3\]/,
    ],
    [
      'ELECTRA without its projection',
      {
        ...bert({ hidden_size: 4 }, BERT),
        'config.json': { ...CONFIG, model_type: 'electra', hidden_size: 4 },
      },
      /`hidden_size` 4 needs embeddings_project\.weight for rows of 2/,
    ],
  ])('%s', async (_, files, message) => {
    await models.llama('broken', files)
    await models.llama('whole')
    const [broken, whole] = await models.entries()
    expect(broken).toMatchObject({ state: 'failed', hasNoCard: true, error: { code: 'model_failed' } })
    expect(broken.error?.message).toMatch(/^broken\//)
    expect(broken.error?.message).toMatch(message)
    expect(broken.error?.message.length).toBeLessThan(1200)
    expect(whole).toMatchObject({
      state: 'unloaded',
      card: { vocabSize: 4, embeddingDim: 2, dtype: 'float32' },
    })
  })
})

describe('only regular files within the folder are opened', () => {
  test('a link out of the folder', async () => {
    const path = await models.llama('linked', { 'model.safetensors': undefined })
    await writeFile(join(models.path, 'outside.safetensors'), rowsFile())
    await symlink('../outside.safetensors', join(path, 'model.safetensors'))
    const [linked] = await models.entries()
    expect(linked.error?.message).toMatch(
      /model\.safetensors: must be a file within the folder\. It is a link out of it/,
    )
  })

  test('a link within the folder is followed', async () => {
    const path = await models.llama('linked', { 'model.safetensors': undefined, 'data.bin': rowsFile() })
    await symlink('data.bin', join(path, 'model.safetensors'))
    expect((await models.entries())[0].state).toBe('unloaded')
  })

  test('a link that leads nowhere', async () => {
    const path = await models.llama('linked', { 'model.safetensors': undefined })
    await symlink('gone', join(path, 'model.safetensors'))
    expect((await models.entries())[0].error?.message).toMatch(/model\.safetensors: is missing/)
  })

  test('a folder', async () => {
    const path = await models.llama('nested', { 'model.safetensors': undefined })
    await mkdir(join(path, 'model.safetensors'))
    expect((await models.entries())[0].error?.message).toMatch(/model\.safetensors: must be a regular file/)
  })

  test('a FIFO without a writer', async () => {
    const path = await models.llama('fifo', { 'model.safetensors': undefined })
    execFileSync('mkfifo', [join(path, 'model.safetensors')])
    expect((await models.entries())[0].error?.message).toMatch(/model\.safetensors: must be a regular file/)
  })

  test('an endless config.json', async () => {
    const path = await models.llama('long')
    await truncate(join(path, 'config.json'), 2 ** 40)
    expect((await models.entries())[0].error?.message).toMatch(
      /config\.json: must have at most 67108864 bytes\. It has 1099511627776/,
    )
    await rm(join(path, 'config.json'))
  })
})

describe('a refused tokenizer.json of a static model names what to mend', () => {
  const model = { type: 'WordLevel', vocab: { a: 0, b: 1, c: 2, d: 3 }, unk_token: 'a' }
  const MODULES = [{ path: '', type: 'sentence_transformers.models.StaticEmbedding' }]

  test.each<[what: string, json: unknown, message: RegExp]>([
    ['null', null, /tokenizer\.json must be a JSON object\. Given: null/],
    ['a list', [], /tokenizer\.json must be a JSON object/],
    ['no model', {}, /`model` must be an object/],
    ['no vocabulary', { model: { type: 'WordLevel' } }, /`model\.vocab` must be an object/],
    [
      'a vocabulary of texts',
      { model: { ...model, vocab: { a: 'b' } } },
      /`model\.vocab\.a` must be an integer/,
    ],
    ['a list without scores', { model: { type: 'Unigram', vocab: ['a'] } }, /must be a token and its score/],
    ['added tokens that are no list', { model, added_tokens: {} }, /`added_tokens` must be an array/],
    ['added tokens of nothing', { model, added_tokens: [null] }, /`added_tokens\.0` must be an object/],
    ['added tokens of a number', { model, added_tokens: 7 }, /`added_tokens` must be an array/],
    ['truncation that is no object', { model, truncation: 6 }, /`truncation` must be null, .*Given: 6$/],
    [
      'truncation to fewer than no ids',
      { model, truncation: { max_length: -1 } },
      /`truncation` .* a `max_length` of at least 0 .*Given: \{"max_length":-1\}/,
    ],
    [
      'truncation of the middle',
      { model, truncation: { max_length: 6, direction: 'Middle' } },
      /`truncation` .* `direction` Left or Right\. Given: .*"Middle"/,
    ],
  ])('%s', async (_, json, message) => {
    const tokenizer = JSON.stringify(json)
    await models.write('model2vec', {
      'config.json': { model_type: 'model2vec' },
      'model.safetensors': rowsFile({}, 'embeddings'),
      'tokenizer.json': tokenizer,
    })
    await models.write('st', {
      'modules.json': MODULES,
      'model.safetensors': rowsFile({}, 'embedding.weight'),
      'tokenizer.json': tokenizer,
    })
    await models.llama('whole')
    const [model2vec, st, whole] = await models
      .entries()
      .then((found) => ['model2vec', 'st', 'whole'].map((id) => found.find(({ card }) => card.id === id)))
    expect([model2vec?.error?.message, st?.error?.message]).toEqual([
      expect.stringMatching(message),
      expect.stringMatching(message),
    ])
    expect(whole?.state).toBe('unloaded')
  })

  test('a missing one is named', async () => {
    await models.write('st', {
      'modules.json': MODULES,
      'model.safetensors': rowsFile({}, 'embedding.weight'),
    })
    expect((await models.entries())[0].error?.message).toMatch(/tokenizer\.json: is missing/)
  })
})

test('numbers that are not needed stay unread', async () => {
  const huge = 2 ** 41 // sparse: no byte of it is on the disk
  const header = JSON.stringify({
    [ROWS]: { dtype: 'F32', shape: [4, 2], data_offsets: [0, 32] },
    'lm_head.weight': { dtype: 'F32', shape: [2 ** 39], data_offsets: [32, 32 + huge] },
  })
  const file = rawFile(header, Buffer.from(Float32Array.from(NUMBERS).buffer))
  const path = await models.llama('huge', { 'model.safetensors': file })
  await truncate(join(path, 'model.safetensors'), file.length + huge)
  expect((await models.entries())[0]).toMatchObject({ state: 'unloaded', card: { vocabSize: 4 } })
})
