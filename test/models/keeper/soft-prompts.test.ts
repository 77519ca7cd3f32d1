import { describe, expect, test } from 'vitest'
import { Keeper } from '../../../src/models/keeper/keeper.js'
import { localMaker } from '../../../src/models/keeper/maker.js'
import { MAX_SOFT_PROMPTS, type SoftPrompt } from '../../../src/models/soft-prompt.js'
import { cardOf } from '../cards.js'

/** Bytes of the tables of a card of `cards.ts`. */
const BYTES = (8 + 2) * 4 * 4

function keeping(maxTableBytes = 10 * BYTES) {
  const told: string[] = []
  const threads = {
    count: 1,
    put: async () => ({ drained: Promise.resolve() }),
    drop: async (id: string) => {
      told.push(`${id} gone`)
      return { drained: Promise.resolve() }
    },
    async prompt(id: string, name: string, prompt?: SoftPrompt) {
      told.push(`${id} ${name} ${prompt?.sha256 ?? 'gone'}`)
    },
  }
  return { keeper: new Keeper(threads, localMaker, { maxTableBytes }), told }
}

function promptOf(model: string, name: string, sha256 = '1', bytes = 16): SoftPrompt {
  const numbers = new SharedArrayBuffer(bytes)
  return { model, name, rows: bytes / 16, embeddingDim: 4, dtype: 'float32', numbers, sha256, created: 0 }
}

describe('the soft prompts of the keeper', () => {
  test('are told to the threads once, where they are new or have other rows', async () => {
    const { keeper, told } = keeping()
    await keeper.make(cardOf('a'))
    const first = promptOf('a', 'p')
    expect(await keeper.putPrompt(first)).toEqual({ prompt: first, made: true })
    expect(await keeper.putPrompt({ ...first, created: 9 })).toEqual({ prompt: first, made: false })
    expect((await keeper.putPrompt(promptOf('a', 'p', '2'))).made).toBe(true)
    await keeper.removePrompt('a', 'p')
    expect(told).toEqual(['a p 1', 'a p 2', 'a p gone'])
    expect(keeper.prompts()).toEqual([])
    await expect(keeper.removePrompt('a', 'p')).rejects.toMatchObject({ code: 'prompt_not_found' })
    await expect(keeper.putPrompt(promptOf('b', 'p'))).rejects.toMatchObject({ code: 'model_not_found' })
  })

  test('count in the bytes of all tables, each as long as it is there', async () => {
    const { keeper } = keeping(2 * BYTES)
    await keeper.make(cardOf('a'))
    await keeper.putPrompt(promptOf('a', 'p', '1', BYTES))
    const full = { code: 'insufficient_memory', message: expect.stringContaining(String(2 * BYTES + 16)) }
    await keeper.unload('a')
    await keeper.putPrompt(promptOf('a', 'q', '1', BYTES))
    await expect(keeper.putPrompt(promptOf('a', 'r'))).rejects.toMatchObject(full)
    await expect(keeper.load('a')).rejects.toMatchObject({ code: 'insufficient_memory' })
    await keeper.putPrompt(promptOf('a', 'p', '2', 16)) // gives the rest back
    await keeper.putPrompt(promptOf('a', 'r'))
    await keeper.removePrompt('a', 'q')
    await keeper.removePrompt('a', 'r')
    await keeper.removePrompt('a', 'p')
    expect((await keeper.load('a')).state).toBe('ready')
  })

  test('make models give way that can be made again', async () => {
    const { keeper } = keeping(2 * BYTES)
    await keeper.make(cardOf('a'))
    await keeper.make(cardOf('b'))
    keeper.noteUse(['a'])
    await keeper.putPrompt(promptOf('a', 'p'))
    await keeper.load('a')
    expect(keeper.entries().map(({ state }) => state)).toEqual(['ready', 'unloaded'])
  })

  test('stay when their model is unloaded, and go with it, bytes and all', async () => {
    const { keeper } = keeping(2 * BYTES)
    await keeper.make(cardOf('a'))
    await keeper.putPrompt(promptOf('a', 'p', '1', BYTES))
    await keeper.unload('a')
    expect(keeper.prompts()).toHaveLength(1)
    await keeper.remove('a')
    expect(keeper.prompts()).toEqual([])
    await keeper.make(cardOf('a'))
    await keeper.make(cardOf('b'))
    expect(keeper.entries().map(({ state }) => state)).toEqual(['ready', 'ready'])
  })

  test('are 10,000 at most', async () => {
    const { keeper } = keeping(2 ** 30)
    await keeper.make(cardOf('a'))
    for (let i = 0; i < MAX_SOFT_PROMPTS; i++) await keeper.putPrompt(promptOf('a', `p-${i}`))
    await expect(keeper.putPrompt(promptOf('a', 'more'))).rejects.toMatchObject({
      code: 'insufficient_memory',
    })
    expect((await keeper.putPrompt(promptOf('a', 'p-7', '2'))).made).toBe(true)
    await keeper.removePrompt('a', 'p-3')
    await keeper.putPrompt(promptOf('a', 'more'))
  })
})
