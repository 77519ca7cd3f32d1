import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { ModelEntry } from '../../../../src/models/entry.js'
import { ConfigError } from '../../../../src/models/variables.js'
import { readConfig } from '../../../../src/service/features.js'
import { localMaker } from '../../../../src/service/models/keeper/maker.js'
import { startModels } from '../../../../src/service/models/sources/start-models.js'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inlet-start-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

function addFolder(name: string, card: object | string): void {
  mkdirSync(join(folder, name))
  writeFileSync(join(folder, name, 'inlet.json'), typeof card === 'string' ? card : JSON.stringify(card))
}

/** Starts with the models of `folder`; those in `broken` cannot be loaded. */
async function start(env: Record<string, string> = {}, broken: readonly string[] = []) {
  const config = readConfig({ EMBEDDING_DIM: '8', VOCAB_SIZE: '16', MODELS_DIR: folder, ...env })
  const did: string[] = []
  const log: string[] = []
  const keeper = {
    async add({ card }: ModelEntry) {
      did.push(`add ${card.id}`)
    },
    async loadAtStart(id: string) {
      did.push(`load ${id}`)
      if (broken.includes(id)) throw new Error(`${id} is broken`)
      return {} as ModelEntry
    },
  }
  const write = (level: string) => (facts: object, message: string) =>
    void log.push(`${level} ${message} ${JSON.stringify(facts)}`)
  const logger = { warn: write('warn'), error: write('error') }
  const failure = await startModels(config, keeper as never, localMaker.inspect, logger).then(
    () => undefined,
    (error: Error) => error,
  )
  return { did, log, failure }
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
