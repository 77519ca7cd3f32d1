import { appendFileSync, existsSync, renameSync } from 'node:fs'
import { mkdir, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { hubCache, parseRepository, snapshotOf } from '../../src/checkpoints/hub-cache.js'
import { readTables } from '../../src/checkpoints/tables/read-tables.js'
import type { ModelCard } from '../../src/first-layer/cards/model-card.js'
import { parametersOf } from '../../src/first-layer/cards/seed-card.js'
import { allocateTables, bytesOf } from '../../src/first-layer/embeddings/table-memory.js'
import type { FloatDtype } from '../../src/first-layer/tensors/named-tensor.js'
import { rounded } from '../../src/first-layer/tensors/sixteen-bits.js'
import { folderEntries } from '../../src/models/folders.js'
import { tableFile } from '../table-files.js'
import { stored } from '../twins/stored-numbers.js'
import { CONFIG, ModelsFolder, NUMBERS, ROWS, rowsFile } from './folders.js'

let models: ModelsFolder
beforeEach(async () => {
  models = await ModelsFolder.make()
})
afterEach(() => models.remove())

/** The bytes of a model's only table, read as the maker reads it. */
async function read(card: ModelCard, onShare: () => void = () => {}): Promise<Buffer> {
  if (card.source.type !== 'folder') throw new Error('no folder')
  const tables = allocateTables(parametersOf(card), card.embeddingDim, 1)
  await readTables(tables, card.source, onShare)
  return Buffer.from(bytesOf(tables, tables.places[0]))
}

const bytes = (numbers: readonly number[], dtype: FloatDtype) => {
  const values = stored(Float32Array.from(numbers), dtype)
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength)
}

const STORED = { F32: 'float32', F16: 'float16', BF16: 'bfloat16' } as const
// Numbers that need rounding, ties among them, and the largest of each type.
const HARD = [1.0009765, -1.00390625, 65504, 3.3895314e38, 6.1e-5, 1 + 2 ** -9, -0, 2 ** -133]

describe('tables are read in the width of the model', () => {
  test.each(
    Object.entries(STORED).flatMap(([given, width]) =>
      Object.values(STORED).map((dtype) => [given, dtype, width] as const),
    ),
  )('%s as %s', async (given, dtype, width) => {
    const held = bytes(HARD, width)
    await models.llama('a', {
      'config.json': { ...CONFIG, dtype },
      'model.safetensors': tableFile({ [ROWS]: { shape: [4, 2], dtype: given, bytes: held } }),
    })
    const [{ card }] = await models.entries()
    expect(card.dtype).toBe(dtype)
    const values = width === 'float32' ? Float32Array.from(HARD) : widen(held, width)
    expect(await read(card)).toEqual(bytes([...values], dtype))
  })

  function widen(held: Buffer, dtype: 'float16' | 'bfloat16'): Float32Array {
    const words = new Uint16Array(held.buffer, held.byteOffset, held.length / 2)
    return Float32Array.from(words, (word) => (dtype === 'bfloat16' ? fromBfloat16(word) : fromFloat16(word)))
  }
  const fromBfloat16 = (word: number) => new Float32Array(Uint32Array.of(word << 16).buffer)[0]
  const fromFloat16 = (word: number) => {
    const [sign, exponent, fraction] = [word >> 15 ? -1 : 1, (word >> 10) & 31, word & 1023]
    if (exponent === 31) return fraction ? Number.NaN : sign * Infinity
    return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15))
  }

  test('without a dtype in config.json, that of the first float tensor by name', async () => {
    await models.llama('a', {
      'config.json': { ...CONFIG, dtype: undefined },
      'model.safetensors': tableFile({
        [ROWS]: { shape: [4, 2], dtype: 'BF16', bytes: bytes(NUMBERS, 'bfloat16') },
        'a.ids': { shape: [1], dtype: 'I64', bytes: Buffer.alloc(8) },
        'b.weight': { shape: [1], dtype: 'F16', bytes: Buffer.alloc(2) },
      }),
    })
    const [{ card }] = await models.entries()
    expect(card.dtype).toBe('float16')
    expect(await read(card)).toEqual(bytes(NUMBERS, 'float16'))
  })

  test('from the shard that the index names', async () => {
    await models.llama('a', {
      'model.safetensors': undefined,
      'model.safetensors.index.json': {
        weight_map: { 'lm_head.weight': 'x.safetensors', [ROWS]: 'y.safetensors' },
      },
      'y.safetensors': rowsFile(),
    })
    const [{ card }] = await models.entries() // x is not there, and is not missed
    expect(card.source).toMatchObject({ files: [{ name: 'y.safetensors' }] })
    expect(await read(card)).toEqual(bytes(NUMBERS, 'float32'))
  })

  test('from an offset that is not aligned', async () => {
    const odd = tableFile({
      flag: { shape: [1], dtype: 'U8', bytes: Buffer.alloc(1) },
      [ROWS]: { shape: [4, 2], numbers: NUMBERS },
    })
    await models.llama('a', { 'model.safetensors': odd })
    expect(await read((await models.entries())[0].card)).toEqual(bytes(NUMBERS, 'float32'))
  })
})

describe('a folder that changes is detected', () => {
  test('if a file of another shape replaces one between the start and the loading', async () => {
    const path = await models.llama('a')
    const [{ card }] = await models.entries()
    await writeFile(join(path, 'new'), rowsFile({ shape: [2, 4] }))
    await rename(join(path, 'new'), join(path, 'model.safetensors'))
    await expect(read(card)).rejects.toThrow(
      /must be F32 \[4, 2\], as at the start of the service.*Given: F32 \[2, 4\]/,
    )
  })

  test('if a file grows while it is read', async () => {
    const path = await models.llama('a')
    const [{ card }] = await models.entries()
    const growing = read(card, () => appendFileSync(join(path, 'model.safetensors'), 'x'))
    await expect(growing).rejects.toThrow('model.safetensors: has changed while it was read')
  })

  test('but a file replaced while it is read is read to its end', async () => {
    const path = await models.llama('a')
    const [{ card }] = await models.entries()
    await writeFile(join(path, 'new'), rowsFile({ numbers: NUMBERS.map((number) => number + 1) }))
    const found = await read(card, () => {
      if (existsSync(join(path, 'new'))) renameSync(join(path, 'new'), join(path, 'model.safetensors'))
    })
    expect(found).toEqual(bytes(NUMBERS, 'float32'))
  })
})

describe('the Hugging Face cache', () => {
  async function cached(commit: string): Promise<string> {
    const cache = join(models.path, 'hub')
    const repository = join(cache, 'models--org--name')
    await mkdir(join(repository, 'blobs'), { recursive: true })
    await mkdir(join(repository, 'refs'), { recursive: true })
    await mkdir(join(repository, 'snapshots', commit), { recursive: true })
    await writeFile(join(repository, 'refs', 'main'), `${commit}\n`)
    await writeFile(join(repository, 'blobs', 'aa'), JSON.stringify(CONFIG))
    await writeFile(join(repository, 'blobs', 'bb'), rowsFile())
    await symlink('../../blobs/aa', join(repository, 'snapshots', commit, 'config.json'))
    await symlink('../../blobs/bb', join(repository, 'snapshots', commit, 'model.safetensors'))
    return cache
  }

  test.each(['org/name', 'org/name@main', 'org/name@0123456789abcdef'])('finds %s', async (source) => {
    const cache = await cached('0123456789abcdef')
    const path = await snapshotOf(source, cache)
    expect(path).toBe(join(cache, 'models--org--name', 'snapshots', '0123456789abcdef'))
    const folders = { MODELS_DIR: join(path, '..'), MODELS: [{ name: 'm', path }] }
    const entry = (await folderEntries(folders, () => {})).at(-1)!
    expect(entry).toMatchObject({ state: 'unloaded', card: { id: 'm', vocabSize: 4 } })
    expect(await read(entry.card)).toEqual(bytes(NUMBERS, 'float32'))
  })

  test.each([
    ['org/other', /org\/other: is no folder, and not in the Hugging Face cache .*inlet pull org\/other/],
    ['org/name@v2', /has no revision v2 in the cache\. It has main/],
    ['org/name@../../../etc', /must be org\/model or org\/model@revision/],
  ])('says what is missing: %s', async (source, message) => {
    await expect(snapshotOf(source, await cached('0123456789abcdef'))).rejects.toThrow(message)
  })

  test('has the folder of the Hugging Face libraries', () => {
    expect(hubCache({ HF_HUB_CACHE: '/a', HF_HOME: '/b' })).toBe('/a')
    expect(hubCache({ HF_HOME: '/b', XDG_CACHE_HOME: '/c' })).toBe('/b/hub')
    expect(hubCache({ XDG_CACHE_HOME: '/c' })).toBe('/c/huggingface/hub')
    expect(hubCache({})).toMatch(/\/\.cache\/huggingface\/hub$/)
  })

  test('finds names of the Hub, not paths', () => {
    expect(['org/name', 'openai-community/gpt2@main'].map(parseRepository)).not.toContain(undefined)
    expect(
      ['/org/name', './name', '../a', 'a/b/c', 'name'].flatMap((each) => parseRepository(each) ?? []),
    ).toEqual([])
  })
})

// √width as torch.tensor(width ** 0.5).to(dtype) gives it (PyTorch 2.15).
test.each([
  [640, 25.25, 25.296875],
  [2048, 45.25, 45.25],
  [2560, 50.5, 50.59375],
  [3072, 55.5, 55.4375],
  [5376, 73.5, 73.3125],
])('√%i is %f in bfloat16, %f in float16', (width, bfloat16, float16) => {
  const root = Math.fround(Math.sqrt(width))
  expect(rounded(root, 'bfloat16')).toBe(bfloat16)
  expect(rounded(root, 'float16')).toBe(float16)
})
