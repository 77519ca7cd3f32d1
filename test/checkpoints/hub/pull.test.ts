import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { folderCard } from '../../../src/checkpoints/folder-card.js'
import { readTables } from '../../../src/checkpoints/tables/read-tables.js'
import { parametersOf } from '../../../src/first-layer/cards/seed-card.js'
import { allocateTables, bytesOf } from '../../../src/first-layer/embeddings/table-memory.js'
import { checkProperty } from '../../property.js'
import { floats, rawFile, tableFile } from '../../table-files.js'
import { COMMIT } from './fake-hub.js'
import { golden, Pulling, TOKENIZER } from './pulling.js'

let pulling: Pulling
afterEach(() => pulling.end())

/** The tables of a folder, by name, as the service reads them. */
async function tablesOf(folder: string): Promise<Record<string, Buffer>> {
  const card = await folderCard('m', folder)
  if (card.source.type !== 'folder') throw new Error('no folder')
  const tables = allocateTables(parametersOf(card), card.embeddingDim, 1)
  await readTables(tables, card.source)
  return Object.fromEntries(tables.places.map((place) => [place.name, Buffer.from(bytesOf(tables, place))]))
}

/** Writes the files of the whole repository beside the target. */
async function whole(): Promise<string> {
  const folder = join(pulling.folder, 'whole')
  await mkdir(folder, { recursive: true })
  for (const [name, content] of pulling.hub.files) await writeFile(join(folder, name), content)
  return folder
}

/** The header of the pulled weights, and the bytes of their tensors. */
async function weightsOf(folder: string) {
  const file = await readFile(join(folder, 'model.safetensors'))
  const start = 8 + Number(file.readBigUInt64LE(0))
  return { header: JSON.parse(file.toString('utf8', 8, start)), tensorBytes: file.length - start }
}

const source = async () => JSON.parse(await readFile(join(pulling.target, 'inlet-source.json'), 'utf8'))

describe('a pulled folder', () => {
  test.each([
    ['gpt2', 'model.safetensors'],
    ['llama-f16-sharded', 'model-00001-of-00005.safetensors'],
    ['bert-with-head', 'model.safetensors'],
    ['t5', 'model.safetensors'],
    ['opt-350m-shape', 'model.safetensors'],
    ['gemma3_text-f16', 'model.safetensors'],
  ])('of %s gives the tables of the whole one, from fewer bytes', async (name, weights) => {
    pulling = await Pulling.of({ ...(await golden(name)), ...TOKENIZER, 'pytorch_model.bin': 'pickle' })
    const { hub, target } = pulling
    const { commit, weights: size } = await pulling.pull()
    expect(commit).toBe(COMMIT)
    expect((await readdir(target)).sort()).toEqual(
      [
        'config.json',
        'inlet-source.json',
        'model.safetensors',
        'tokenizer.json',
        'tokenizer_config.json',
      ].sort(),
    )
    expect(await tablesOf(target)).toEqual(await tablesOf(await whole()))
    for (const [file, content] of Object.entries(TOKENIZER)) {
      expect(await readFile(join(target, file), 'utf8')).toBe(content)
    }
    expect(await readFile(join(target, 'config.json'))).toEqual(hub.files.get('config.json'))

    const content = hub.files.get(weights)!
    const header = 8 + Number(content.readBigUInt64LE(0))
    const { tensorBytes } = await weightsOf(target)
    expect(hub.sent.get(weights)).toBe(header + tensorBytes)
    expect([...hub.sent.keys()].filter((file) => file.endsWith('.safetensors'))).toEqual([weights])
    expect(hub.seen.filter(({ file }) => file === 'config.json')).toHaveLength(1)
    expect(await source()).toEqual({
      repository: 'org/model',
      revision: 'main',
      commit: COMMIT,
      endpoint: hub.url,
      tokenizer_only: false,
    })
    expect((await readFile(join(target, 'model.safetensors'))).length).toBe(size!.bytes)
    expect((await readdir(pulling.folder)).sort()).toEqual(['model', 'whole'])
  })

  test('has the tensors under their own names, in the order of the reference’s writer', async () => {
    pulling = await Pulling.of(await golden('gpt2'))
    await pulling.pull()
    const { header } = await weightsOf(pulling.target)
    expect(Object.keys(header)).toEqual(['__metadata__', 'wpe.weight', 'wte.weight'])
    expect(header.__metadata__).toEqual({ format: 'pt' })
  })

  test('keeps the dtype of a config.json that states none', async () => {
    const config = { model_type: 'llama', vocab_size: 4, hidden_size: 2, num_attention_heads: 1 }
    pulling = await Pulling.of({
      'config.json': JSON.stringify(config),
      'model.safetensors': tableFile({
        'model.embed_tokens.weight': { shape: [4, 2], bytes: floats([0, 1, 2, 3, 4, 5, 6, 7]) },
        'a.bias': { shape: [1], dtype: 'BF16', bytes: Buffer.alloc(2) },
      }),
    })
    await pulling.pull()
    expect((await folderCard('m', pulling.target)).dtype).toBe('bfloat16')
    const { __metadata__, ...tensors } = (await weightsOf(pulling.target)).header
    expect(Object.keys(tensors)).toEqual(['model.embed_tokens.weight', 'a.bias'])
    expect(await tablesOf(pulling.target)).toEqual(await tablesOf(await whole()))
  })

  test('is refused if it would not give the same tables', async () => {
    const config = { model_type: 'llama', vocab_size: 4, hidden_size: 2, num_attention_heads: 1 }
    const rows = { shape: [4, 2], bytes: floats([0, 1, 2, 3, 4, 5, 6, 7]) }
    const files = { 'z.bias': 'a.safetensors', 'model.embed_tokens.weight': 'b.safetensors' }
    pulling = await Pulling.of({
      'config.json': JSON.stringify(config),
      'model.safetensors.index.json': JSON.stringify({ weight_map: files }),
      'a.safetensors': tableFile({ 'z.bias': { shape: [1], dtype: 'BF16', bytes: Buffer.alloc(2) } }),
      'b.safetensors': tableFile({ 'model.embed_tokens.weight': rows }),
    })
    await expect(pulling.pull()).rejects.toThrow('does not give the model that the repository has')
    expect(await readdir(pulling.folder)).not.toContain('model')
  })

  test('has the older tokenizer files if there is no tokenizer.json', async () => {
    pulling = await Pulling.of({ ...(await golden('gpt2')), 'vocab.json': '{}', 'merges.txt': '#' })
    await pulling.pull()
    expect(await readdir(pulling.target)).toEqual(expect.arrayContaining(['vocab.json', 'merges.txt']))
  })

  test('replaces an empty folder', async () => {
    pulling = await Pulling.of(await golden('gpt2'))
    await mkdir(pulling.target)
    await pulling.pull()
    expect(await readdir(pulling.target)).toContain('model.safetensors')
  })
})

describe('a static embedding model is taken whole', () => {
  test('in Model2Vec’s layout', async () => {
    const files = await golden('float16', 'static')
    pulling = await Pulling.of({ ...files, 'onnx/model.onnx': 'large' })
    await pulling.pull()
    expect((await readdir(pulling.target)).sort()).toEqual(
      [...Object.keys(files), 'inlet-source.json'].sort(),
    )
    for (const [name, content] of Object.entries(files)) {
      expect(await readFile(join(pulling.target, name))).toEqual(content)
    }
  })

  test('in sentence-transformers’ layout with a folder for each module', async () => {
    const files = await golden('st-subfolder', 'static')
    const modules = [
      { idx: 0, path: '0_StaticEmbedding', type: 'sentence_transformers.models.StaticEmbedding' },
      { idx: 1, path: '1_Normalize', type: 'sentence_transformers.models.Normalize' },
    ]
    pulling = await Pulling.of({
      ...files,
      'modules.json': JSON.stringify(modules),
      '1_Normalize/config.json': '{"module_input_name":"x"}',
      'onnx/model.onnx': 'large',
    })
    await pulling.pull()
    const found = (await readdir(pulling.target, { recursive: true })).map(String)
    expect(found.sort()).toEqual(
      [
        ...[...Object.keys(files), '0_StaticEmbedding', '1_Normalize', '1_Normalize/config.json'],
        'inlet-source.json',
      ].sort(),
    )
    const weights = '0_StaticEmbedding/model.safetensors'
    expect(await readFile(join(pulling.target, weights))).toEqual(files[weights])
  })

  test('whose config.json names no model type', async () => {
    pulling = await Pulling.of({
      ...(await golden('float16', 'static')),
      'config.json': '{"normalize":true}',
    })
    await pulling.pull()
    expect((await folderCard('m', pulling.target)).modelType).toBe('model2vec')
  })

  test('is refused if the service could not read it', async () => {
    const files = await golden('float16', 'static')
    for (const [name, text, message] of [
      [
        'tokenizer.json',
        '{"model":{"type":"WordLevel","vocab":{"a":0}}}',
        /must be .* \[1, …\], by tokenizer\.json/,
      ],
      ['tokenizer.json', 'null', /tokenizer\.json must be a JSON object/],
      ['model.safetensors', rawFile('{}', Buffer.alloc(0)), /"embeddings" or "embedding\.weight" is missing/],
    ] as const) {
      pulling = await Pulling.of({ ...files, [name]: text })
      await expect(pulling.pull()).rejects.toThrow(message)
      await expect(readdir(pulling.target)).rejects.toThrow('ENOENT')
      await pulling.end()
    }
    pulling = await Pulling.of({ ...files, 'tokenizer.json': Buffer.alloc(0) })
    await expect(pulling.pull()).rejects.toThrow(/tokenizer\.json must be JSON/)
  })

  test('is refused if it has other modules than the service runs', async () => {
    const type = 'sentence_transformers.models.Transformer'
    pulling = await Pulling.of({ 'modules.json': JSON.stringify([{ idx: 0, path: '', type }]) })
    await expect(pulling.pull()).rejects.toThrow(/must be a StaticEmbedding.*Given: \["Transformer"\]/)
  })

  test('is refused if a module’s path leads out of the folder', async () => {
    const type = 'sentence_transformers.models.StaticEmbedding'
    pulling = await Pulling.of({ 'modules.json': JSON.stringify([{ idx: 0, path: '../up', type }]) })
    const message = /modules\.json: `path` must be the name of a folder in it\. Given: "\.\.\/up"/
    await expect(pulling.pull()).rejects.toThrow(message)
    expect(pulling.hub.seen.some(({ file }) => file?.includes('up'))).toBe(false)
  })
})

describe('a folder that is there', () => {
  test('of the same commit stays, and no file is requested', async () => {
    pulling = await Pulling.of(await golden('gpt2'))
    await pulling.pull()
    pulling.hub.seen.length = 0
    expect(await pulling.pull()).toEqual({ commit: COMMIT, isNew: false })
    expect(pulling.hub.seen).toMatchObject([{ file: undefined }])
  })

  test('of another commit is replaced with --force alone', async () => {
    pulling = await Pulling.of({ ...(await golden('gpt2')), 'tokenizer.json': TOKENIZER['tokenizer.json'] })
    await pulling.pull()
    pulling.hub.commit = 'f'.repeat(40)
    pulling.hub.files.delete('tokenizer.json')
    await expect(pulling.pull()).rejects.toThrow(/holds org\/model at 0123456789.*--force replaces it/)
    expect(await readdir(pulling.target)).toContain('tokenizer.json')
    expect(await pulling.pull({ force: true })).toMatchObject({ commit: 'f'.repeat(40) })
    expect(await readdir(pulling.target)).not.toContain('tokenizer.json')
    expect((await readdir(pulling.folder)).sort()).toEqual(['model'])
  })

  test('that was not pulled is never replaced', async () => {
    pulling = await Pulling.of(await golden('gpt2'))
    await mkdir(pulling.target)
    await writeFile(join(pulling.target, 'thesis.txt'), 'mine')
    await expect(pulling.pull({ force: true })).rejects.toThrow('was not pulled: it has no inlet-source.json')
    expect(await readdir(pulling.target)).toEqual(['thesis.txt'])
  })
})

describe('a pull that fails', () => {
  test('wherever it is cut, leaves nothing, and works the next time', async () => {
    const parts = async () => ({ ...(await golden('llama-f16-sharded')), ...TOKENIZER })
    pulling = await Pulling.of(await parts())
    await pulling.pull()
    const all = pulling.hub.sentBytes
    const tables = await tablesOf(await whole())
    await pulling.end()
    await checkProperty(
      fc.asyncProperty(fc.integer({ min: 0, max: all - 1 }), async (budget) => {
        pulling = await Pulling.of(await parts())
        try {
          pulling.hub.budget = budget
          await expect(pulling.pull()).rejects.toThrow(/broke off|cannot be read/)
          expect(await readdir(pulling.folder)).toEqual([])
          pulling.hub.budget = Number.POSITIVE_INFINITY
          await pulling.pull()
          expect(await tablesOf(pulling.target)).toEqual(tables)
        } finally {
          await pulling.end()
        }
      }),
      4,
    )
    pulling = await Pulling.of({})
  })

  test('by the user ends at once', async () => {
    pulling = await Pulling.of(await golden('gpt2'))
    pulling.hub.intercept = ({ server }) => {
      if (server === 'files') pulling.user.abort()
      return false
    }
    await expect(pulling.pull()).rejects.toThrow(/abort/i)
    expect(await readdir(pulling.folder)).toEqual([])
  })
})

describe('the tokenizer alone', () => {
  const TEMPLATE = 'additional_chat_templates/rag.jinja'

  test('is its files, chat templates and config.json; weights are neither needed nor asked for', async () => {
    const { 'config.json': config } = await golden('gpt2')
    const files = { ...TOKENIZER, 'config.json': config!, 'chat_template.jinja': 'a', [TEMPLATE]: 'b' }
    pulling = await Pulling.of({ ...files, 'special_tokens_map.json': '{}', 'added_tokens.json': '{}' })
    expect(await pulling.pull({ tokenizerOnly: true })).toEqual({ commit: COMMIT, isNew: true })
    const found = (await readdir(pulling.target, { recursive: true })).map(String)
    expect(found.sort()).toEqual(
      [...pulling.hub.files.keys(), 'additional_chat_templates', 'inlet-source.json'].sort(),
    )
    const card = await folderCard('m', pulling.target)
    expect(card.tablesUnavailable).toMatch(/safetensors/)
    expect(await source()).toMatchObject({ commit: COMMIT, tokenizer_only: true })
  })

  test('is replaced by the whole first layer, which is no less', async () => {
    pulling = await Pulling.of({ ...(await golden('gpt2')), ...TOKENIZER })
    await pulling.pull({ tokenizerOnly: true })
    expect(pulling.hub.sent.has('model.safetensors')).toBe(false)
    expect(await pulling.pull({ tokenizerOnly: true })).toEqual({ commit: COMMIT, isNew: false })
    expect(await pulling.pull()).toMatchObject({ isNew: true })
    expect(await readdir(pulling.target)).toContain('model.safetensors')
    expect(await pulling.pull({ tokenizerOnly: true })).toEqual({ commit: COMMIT, isNew: false })
  })

  test('is refused where there is none', async () => {
    pulling = await Pulling.of(await golden('gpt2'))
    await expect(pulling.pull({ tokenizerOnly: true })).rejects.toThrow('org/model must have tokenizer.json')
  })
})
