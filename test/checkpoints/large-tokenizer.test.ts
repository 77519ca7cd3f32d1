import { truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ModelsFolder } from './folders.js'

const HEAP = vi.hoisted(() => ({ limit: 1 << 30 }))
vi.mock('node:v8', async (original) => ({
  ...(await original<typeof import('node:v8')>()),
  getHeapStatistics: () => ({ heap_size_limit: HEAP.limit }),
}))

let models: ModelsFolder
beforeEach(async () => {
  HEAP.limit = 1 << 30
  models = await ModelsFolder.make()
})
afterEach(() => models.remove())

/** The states and the large folder's error. */
async function start() {
  await models.llama('good')
  const [good, large] = await models.entries()
  return { good: good?.state, large: large?.state, message: large?.error?.message }
}

describe('a tokenizer.json too large to be read makes its own model fail, and the others go on', () => {
  it('has more bytes than any is read', async () => {
    const path = await models.llama('large', { 'tokenizer.json': '' })
    await truncate(join(path, 'tokenizer.json'), 120_000_000)
    expect(await start()).toEqual({
      good: 'unloaded',
      large: 'failed',
      message: 'large/tokenizer.json: must have at most 67108864 bytes. It has 120000000',
    })
  })

  it('may need more heap than the process has', async () => {
    HEAP.limit = 1 << 20
    await models.llama('large', { 'tokenizer.json': '['.repeat(1 << 17) })
    const { good, large, message } = await start()
    expect([good, large]).toEqual(['unloaded', 'failed'])
    expect(message).toBe(
      'large/tokenizer.json: has 131072 bytes, and reading it may need 3407872 bytes of heap. There are 1048576: more memory, or NODE_OPTIONS=--max-old-space-size=4',
    )
  })

  it('is measured without the blanks of its lines', async () => {
    HEAP.limit = 1 << 20
    await models.llama('large', { 'tokenizer.json': `{}${' '.repeat(1 << 17)}` })
    expect((await start()).message).toBe('large/tokenizer.json: `model` must be an object. Given: nothing')
  })
})
