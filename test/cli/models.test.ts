import { copyFile, cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { inFolder } from './run-command.js'
import { run } from './run-here.js'

const GOLDENS = fileURLToPath(new URL('../goldens/models/', import.meta.url))
const COMMIT = '0123456789abcdef'

/** A folder of a GPT-2 with a tokenizer, an OPT that projects, a card, a model that is refused, and what is no model. */
async function fill(folder: string): Promise<void> {
  await cp(join(GOLDENS, 'gpt2'), join(folder, 'gpt2'), { recursive: true })
  await copyFile(
    new URL('../goldens/tokenizers/gpt2.json', import.meta.url),
    join(folder, 'gpt2', 'tokenizer.json'),
  )
  await cp(join(GOLDENS, 'opt-350m-shape'), join(folder, 'opt'), { recursive: true })
  await mkdir(join(folder, 'card'))
  const card = { vocab_size: 6, embedding_dim: 3, max_position_embeddings: 4 }
  await writeFile(join(folder, 'card', 'inlet.json'), JSON.stringify(card))
  await mkdir(join(folder, 'mamba'))
  await writeFile(join(folder, 'mamba', 'config.json'), '{"model_type":"mamba\\u001b[2J"}')
  await cp(join(GOLDENS, 'gpt2'), join(folder, 'bad name'), { recursive: true })
  await mkdir(join(folder, 'notes'))
  await mkdir(join(folder, 'tokens'))
  await copyFile(join(folder, 'gpt2', 'tokenizer.json'), join(folder, 'tokens', 'tokenizer.json'))
}

const json = async (...args: string[]) =>
  JSON.parse((await run(['models', ...args, '--json'])).stdout.toString())

describe('inlet models', () => {
  test('lists a folder as a table', async () => {
    await inFolder(async (folder) => {
      await fill(folder)
      const { code, stdout, stderr } = await run(['models', folder])
      const lines = stdout.toString().split('\n')
      expect(code).toBe(0)
      expect(lines[0]).toMatch(/^name +family +V × C +dtype +read +tokenizer$/)
      expect(lines[1]).toMatch(/^bad name +refused: its name must be 1 to 128 letters/)
      expect(lines[2]).toMatch(/^card +seed +6 × 3 +float32 +drawn +gpt2$/)
      expect(lines[3]).toMatch(/^gpt2 +gpt2 +99 × 32 +float32 +\d+\.\d kB +byte-level BPE$/)
      expect(lines[4]).toMatch(
        /^mamba +refused: config\.json: `model_type` "mamba\\u001b\[2J" is not served; .*docs\/model-types.md/,
      )
      expect(lines[5]).toBe(
        'notes  refused: config.json: is missing. The folder is empty'.replace('notes', 'notes'.padEnd(8)),
      )
      expect(lines[6]).toMatch(
        /^opt +opt +\d+ × 16 \(32\) +float32 +\d+\.\d kB +none: The folder has no tokenizer\.json/,
      )
      expect(lines[7]).toMatch(/^tokens +tokenizer +\d+ tokens only +byte-level BPE$/)
      expect(lines).toHaveLength(9)
      expect(stderr).toBe(`Next: MODELS_DIR=${folder} inlet serve\n`)
    })
  })

  test('lists it as JSON, in the words of GET /v1/models', async () => {
    await inFolder(async (folder) => {
      await fill(folder)
      const found = await json(folder)
      expect(found.map(({ name }: { name: string }) => name)).toEqual([
        'bad name',
        'card',
        'gpt2',
        'mamba',
        'notes',
        'opt',
        'tokens',
      ])
      expect(found[6]).toMatchObject({ model_type: 'tokenizer', tables: null, bytes_read: 0 })
      expect(found[2]).toEqual({
        ...{ name: 'gpt2', path: join(folder, 'gpt2'), model_type: 'gpt2' },
        ...{ vocab_size: 99, embedding_dim: 32, hidden_size: 32, max_position_embeddings: 64 },
        ...{ dtype: 'float32', bytes_read: 4 * 32 * (99 + 64) },
        tokenizer: { type: 'byte_pair', available: true },
      })
      expect(found[1]).toMatchObject({ model_type: 'seed', bytes_read: 0 })
      expect(found[3]).toEqual({
        ...{ name: 'mamba', path: join(folder, 'mamba') },
        error: expect.stringContaining('is not served'),
      })
    })
  })

  test('lists one model’s folder', async () => {
    const path = join(GOLDENS, 'gpt2')
    expect(await json(path)).toMatchObject([{ name: 'gpt2', model_type: 'gpt2' }])
    expect((await run(['models', path])).stderr).toBe(`Next: MODELS=gpt2=${path} inlet serve\n`)
  })

  test('lists ./models and the package’s own where neither a folder nor MODELS_DIR is given', async () => {
    await inFolder(async (folder) => {
      await cp(join(GOLDENS, 'gpt2'), join(folder, 'models', 'gpt2'), { recursive: true })
      await cp(join(GOLDENS, 'bert'), join(folder, 'models', 'org', 'bert'), { recursive: true })
      const { stdout, stderr } = await run(['models'], { MODELS_DIR: '' }, '', folder)
      const names = stdout.toString().matchAll(/^(\S+)/gm)
      expect(Array.from(names, ([name]) => name)).toEqual(['name', 'gpt2', 'org/bert', 'tiny'])
      expect(stderr).toBe('Next: inlet serve\n')
    })
  })

  test('lists the Hugging Face cache', async () => {
    await inFolder(async (folder) => {
      const snapshots = join(folder, 'models--org--my--model', 'snapshots')
      await cp(join(GOLDENS, 'gpt2'), join(snapshots, COMMIT), { recursive: true })
      await cp(join(GOLDENS, 'bert'), join(snapshots, 'ffff0000'), { recursive: true })
      await mkdir(join(folder, 'models--org--my--model', 'refs'))
      await writeFile(join(folder, 'models--org--my--model', 'refs', 'main'), COMMIT)
      await mkdir(join(folder, 'datasets--org--data'))
      const served = `MODELS=my--model=${join(snapshots, COMMIT)} inlet serve`
      expect((await run(['models', folder])).stderr).toBe(`Next: ${served}\n`)
      const { stdout } = await run(['models', folder, '--json'], { MODELS_DIR: GOLDENS })
      expect(JSON.parse(stdout.toString())).toMatchObject([
        { name: 'org/my--model', model_type: 'gpt2' },
        { name: 'org/my--model@ffff0000', model_type: 'bert' },
      ])
      const given = await run(['models', '--json'], { MODELS_DIR: GOLDENS })
      expect(JSON.parse(given.stdout.toString()).length).toBe(45)
    })
  })

  test('notes an empty folder on stderr, and fails with 1 for a missing one', async () => {
    await inFolder(async (folder) => {
      const empty = await run(['models', folder])
      expect([empty.code, empty.stdout.length, empty.stderr]).toEqual([
        ...[0, 0],
        `${folder} holds no models.\nNext: inlet pull openai-community/gpt2\n`,
      ])
      const none = await run(['models', join(folder, 'none')])
      const message = `inlet: ${folder}/none cannot be read: ENOENT`
      expect([none.code, none.stderr]).toEqual([1, expect.stringContaining(message)])
    })
  })
})
