import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { ModelEntry } from '../../../../src/models/entry.js'
import { ConfigError } from '../../../../src/models/variables.js'
import { readConfig } from '../../../../src/service/features.js'
import { localMaker } from '../../../../src/service/models/keeper/maker.js'
import {
  foldersByWeight,
  HEAVY_BYTES,
  startModels,
} from '../../../../src/service/models/sources/start-models.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inlet-start-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function addFolder(name: string, card: object | string): void {
  mkdirSync(join(folder, name))
  writeFileSync(join(folder, name, 'inlet.json'), typeof card === 'string' ? card : JSON.stringify(card))
}

/** Adds a folder whose tokenizer.json is large enough to be read apart from the others. */
const TOKENIZER = JSON.stringify({
  model: { type: 'BPE', vocab: { a: 0 }, merges: [] },
  pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false },
})

function addHeavy(name: string, card: object | string, bytes = HEAVY_BYTES): void {
  addFolder(name, card)
  writeFileSync(join(folder, name, 'tokenizer.json'), TOKENIZER.padEnd(bytes))
}

/** Starts with the models of `folder`; those in `broken` cannot be loaded. */
async function start(env: Record<string, string> = {}, broken: readonly string[] = []) {
  const { settled, ...rest } = begin(env, broken, Promise.resolve())
  return { ...rest, failure: await settled }
}

/** As `start`; heavy folders are read once `go` has settled. */
function begin(env: Record<string, string>, broken: readonly string[], go: Promise<void>) {
  const config = readConfig({ EMBEDDING_DIM: '8', VOCAB_SIZE: '16', MODELS_DIR: folder, ...env })
  const did: string[] = []
  const log: string[] = []
  const keeper = {
    async add({ card }: ModelEntry) {
      did.push(`add ${card.id}`)
    },
    async addUnread({ card, state }: ModelEntry, read: Promise<ModelEntry>) {
      did.push(`add ${card.id} ${state}`)
      void read.then((entry) => did.push(`read ${entry.card.id} ${entry.state}`))
    },
    async loadAtStart(id: string) {
      did.push(`load ${id}`)
      if (broken.includes(id)) throw new Error(`${id} is broken`)
      return {} as ModelEntry
    },
  }
  const write = (level: string) => (facts: object, message: string) =>
    void log.push(`${level} ${message} ${JSON.stringify(facts)}`)
  const startReader = () => ({
    inspect: (id: string, path: string) => go.then(() => localMaker.inspect(id, path)),
    end: () => void did.push('end of the reader'),
  })
  const readers = { maker: localMaker, startReader }
  const started = startModels(config, keeper as never, readers, {
    warn: write('warn'),
    error: write('error'),
  })
  const settled = started.then(
    () => undefined,
    (error: Error) => error,
  )
  return { did, log, settled }
}

const SMALL = { embedding_dim: 2, vocab_size: 3, max_position_embeddings: 4 }

describe('the models of the configuration', () => {
  test('are all added before those of folders are loaded', async () => {
    addFolder('a', SMALL)
    addFolder('b', SMALL)
    const { did, log, failure } = await start()
    expect(did).toEqual(['add default', 'load default', 'add a', 'add b', 'load a', 'load b'])
    expect([log, failure]).toEqual([[], undefined])
  })

  test('are left to requests under MODELS_LOAD=request, even if they do not fit together', async () => {
    addFolder('a', SMALL)
    const { did, failure } = await start({ MODELS_LOAD: 'request', MAX_TABLE_BYTES: '100' })
    expect([did, failure]).toEqual([['add default', 'add a'], undefined])
  })

  test('are loaded although one fails, which is logged', async () => {
    addFolder('a', SMALL)
    addFolder('b', SMALL)
    addFolder('unreadable', '{')
    const { did, log, failure } = await start({}, ['a'])
    expect(did.slice(-2)).toEqual(['load a', 'load b'])
    expect(log).toEqual([
      expect.stringMatching(/^warn a model is refused .*"model":"unreadable"/),
      'error a model cannot be loaded {"model":"a","reason":"a is broken"}',
    ])
    expect(failure).toBeUndefined()
  })

  test('folders that hold no model are logged', async () => {
    addFolder('no id', SMALL)
    const { log } = await start()
    expect(log).toEqual([expect.stringMatching(/^warn a model is ignored .*no id/)])
  })
})

describe('a folder with a large tokenizer.json', () => {
  let read: () => void
  let go: Promise<void>
  beforeEach(() => {
    go = new Promise((resolve) => {
      read = resolve
    })
    addHeavy('a', SMALL, 2 * HEAVY_BYTES)
    addHeavy('b', SMALL)
    addFolder('c', SMALL)
  })

  test('is read after the others are loaded, the smaller one first, and the start waits for it', async () => {
    const { did, log, settled } = begin({}, [], go)
    let isSettled = false
    void settled.then(() => {
      isSettled = true
    })
    await vi.waitFor(() => expect(did).toContain('load c'))
    const before = ['add default', 'load default', 'add a loading', 'add b loading', 'add c', 'load c']
    expect([did, isSettled]).toEqual([before, false])
    read()
    expect([await settled, log]).toEqual([undefined, []])
    const after = did.slice(before.length)
    const place = (what: string) => after.indexOf(what)
    expect([...after].sort()).toEqual(
      ['end of the reader', 'load a', 'load b', 'read a unloaded', 'read b unloaded'].sort(),
    )
    expect(place('read b unloaded')).toBeLessThan(place('load b'))
    expect(place('read b unloaded')).toBeLessThan(place('read a unloaded'))
    expect(place('read a unloaded')).toBeLessThan(place('load a'))
  })

  test('keeps the start waiting under MODELS_LOAD=request if it is the default alone', async () => {
    const { did, settled } = begin({ MODELS_LOAD: 'request' }, [], go)
    expect(await settled).toBeUndefined()
    expect(did).toEqual(['add default', 'add a loading', 'add b loading', 'add c'])
    const other = begin({ MODELS_LOAD: 'request', DEFAULT_MODEL: 'a' }, [], go)
    await vi.waitFor(() => expect(other.did).toContain('add c'))
    expect(other.did).not.toContain('read a unloaded')
    read()
    expect(await other.settled).toBeUndefined()
    expect(other.did).toContain('read a unloaded')
  })

  test('is logged if it is refused, and stops the start if it is the default', async () => {
    writeFileSync(join(folder, 'a', 'inlet.json'), '{')
    read()
    const { log, settled, did } = begin({}, [], go)
    expect(await settled).toBeUndefined()
    expect(log).toEqual([expect.stringMatching(/^warn a model is refused .*"model":"a"/)])
    expect(did).not.toContain('load a')
    for (const MODELS_LOAD of ['start', 'request']) {
      const failure = await begin({ MODELS_LOAD, DEFAULT_MODEL: 'a' }, [], go).settled
      expect(failure).toBeInstanceOf(ConfigError)
      expect(failure?.message).toMatch(/^DEFAULT_MODEL cannot be loaded\. /)
    }
  })

  test('counts among the models that must fit together', async () => {
    read()
    const three = 4 * 8 * (16 + 1024) + 3 * 4 * 2 * (3 + 4)
    const { settled, did } = begin({ MAX_TABLE_BYTES: String(three - 1) }, [], go)
    expect((await settled)?.message).toMatch(
      `MAX_TABLE_BYTES must be at least ${three}, the sum of all models`,
    )
    expect(did).toContain('load b')
    expect(did).not.toContain('load a')
  })
})

test('a module’s tokenizer.json, one folder deeper, counts as its folder’s', async () => {
  const module = join(folder, 'static', '0_StaticEmbedding')
  mkdirSync(module, { recursive: true })
  writeFileSync(join(module, 'tokenizer.json'), '')
  truncateSync(join(module, 'tokenizer.json'), HEAVY_BYTES)
  addFolder('light', SMALL)
  addHeavy('almost', SMALL, HEAVY_BYTES - 1)
  const folders = ['static', 'light', 'almost', 'absent'].map((name) => ({ name, path: join(folder, name) }))
  const { light, heavy } = await foldersByWeight(folders)
  expect(light.map(({ name }) => name)).toEqual(['light', 'almost', 'absent'])
  expect(heavy.map(({ name }) => name)).toEqual(['static'])
})

describe('MODELS_STRICT', () => {
  const HINT = 'With MODELS_STRICT=0 the service starts without it.'

  test('a model that MODELS names stops the start if it cannot be read or loaded, with the reason', async () => {
    const absent = { MODELS: `m=${join(folder, 'absent')}` }
    for (const MODELS_LOAD of ['start', 'request']) {
      const { failure } = await start({ ...absent, MODELS_LOAD })
      expect(failure).toBeInstanceOf(ConfigError)
      expect(failure?.message).toMatch(/^The model m cannot be loaded\. .*is no folder/)
      expect(failure?.message).toContain(HINT)
    }
    mkdirSync(join(folder, 'empty'))
    addFolder('a', SMALL)
    const named = { MODELS_DIR: join(folder, 'empty'), MODELS: `m=${join(folder, 'a')}` }
    expect((await start(named, ['m'])).failure?.message).toBe(
      `The model m cannot be loaded. m is broken ${HINT}`,
    )
    expect((await start(named)).failure).toBeUndefined()
  })

  test('0 lets it fail alone, 1 stops the start for one that is found in a folder too', async () => {
    addFolder('a', '{')
    expect((await start()).failure).toBeUndefined()
    expect((await start({ MODELS_STRICT: '1' })).failure?.message).toMatch(/^The model a cannot be loaded/)
    const absent = { MODELS: `m=${join(folder, 'absent')}` }
    const { failure, did } = await start({ ...absent, MODELS_STRICT: '0' })
    expect([failure, did.includes('add m')]).toEqual([undefined, true])
  })
})

describe('the start fails', () => {
  test('if the default model cannot be loaded', async () => {
    addFolder('a', SMALL)
    expect((await start({ DEFAULT_MODEL: 'a' }, ['a'])).failure?.message).toBe(
      'DEFAULT_MODEL cannot be loaded. a is broken',
    )
    expect((await start({}, ['default'])).failure?.message).toBe('default is broken')
  })

  test('if the default model’s card cannot be read', async () => {
    addFolder('a', '{')
    const { failure, did } = await start({ DEFAULT_MODEL: 'a' })
    expect(failure).toBeInstanceOf(ConfigError)
    expect(failure?.message).toMatch(/^DEFAULT_MODEL cannot be loaded\. /)
    expect(did).not.toContain('add a')
  })

  test('if there is no such default model', async () => {
    addFolder('a', SMALL)
    const { failure } = await start({ DEFAULT_MODEL: 'b' })
    expect(failure).toBeInstanceOf(ConfigError)
    expect(failure?.message).toBe('DEFAULT_MODEL must be one of default, a. Given: "b"')
  })

  test('if the models do not fit together, with the bytes they need', async () => {
    addFolder('a', SMALL)
    const own = 4 * 8 * (16 + 1024)
    const bytes = own + 4 * 2 * (3 + 4)
    const few = await start({ MAX_TABLE_BYTES: String(bytes - 1) })
    expect(few.failure?.message).toBe(
      `MAX_TABLE_BYTES must be at least ${bytes}, the sum of all models. It is ${bytes - 1}.`,
    )
    expect((await start({ MAX_TABLE_BYTES: String(bytes) })).failure).toBeUndefined()
  })
})
