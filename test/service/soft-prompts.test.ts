import { expect, test } from 'vitest'
import { tableFile } from '../http/models/table-files.js'
import { readTorchFile } from '../torch-file.js'
import { ownServers } from './own.js'

const ADMIN = { authorization: 'Bearer admin-s3cret' }
const MODELS_DIR = new URL('../goldens/models/', import.meta.url).pathname
const WIDTH = 32
const EXCHANGES = 60
const READERS = 6

const startServer = ownServers()

async function service() {
  const started = startServer({ THREADS: '2', ADMIN_KEY: 'admin-s3cret', MODELS_DIR, MODELS_LOAD: 'request' })
  await started.allServe()
  const url = `http://127.0.0.1:${await started.port()}`
  const call = (path: string, init: RequestInit = {}) =>
    fetch(url + path, { ...init, headers: { ...ADMIN, ...init.headers, connection: 'close' } }) // another thread each time
  return {
    /** Rows of which all numbers are `number`. */
    put: (name: string, rows: number, number: number) =>
      call(`/v1/models/llama/prompts/${name}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/vnd.safetensors' },
        body: new Uint8Array(
          tableFile({
            prompt_embeddings: { shape: [rows, WIDTH], numbers: new Array(rows * WIDTH).fill(number) },
          }),
        ),
      }),
    remove: (name: string) => call(`/v1/models/llama/prompts/${name}`, { method: 'DELETE' }),
    names: async () => {
      const { data } = (await (await call('/v1/models/llama/prompts')).json()) as { data: { name: string }[] }
      return data.map(({ name }) => name)
    },
    embeds: (prompt: string) =>
      call('/v1/prompt-embeds', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'llama', input_ids: [1, 2, 3], prompt }),
      }),
  }
}

/** The number of the soft prompt's rows in an answer, which must be one, and how many rows they are. */
async function seen(answer: Response): Promise<{ number: number; rows: number }> {
  expect(answer.status).toBe(200)
  const { prompt_embeds, soft_prompt_tokens: rows } = (await answer.json()) as {
    prompt_embeds: string[]
    soft_prompt_tokens: number
  }
  const { bytes, shape } = readTorchFile(Buffer.from(prompt_embeds[0]!, 'base64'))
  expect(shape).toEqual([rows + 3, WIDTH])
  const numbers = new Float32Array(new Uint8Array(bytes).buffer).subarray(0, rows * WIDTH)
  const all = [...new Set(numbers)]
  expect(all).toHaveLength(1)
  return { number: all[0]!, rows }
}

const rowsOf = (number: number) => 1 + (number % 5)

test('a soft prompt is exchanged under load: each answer has one of them whole, and none that is too old', async () => {
  const { put, embeds } = await service()
  expect((await put('tone', rowsOf(0), 0)).status).toBe(201)
  let acknowledged = 0
  let isOver = false
  let answers = 0
  const read = async () => {
    while (!isOver) {
      const least = acknowledged
      const { number, rows } = await seen(await embeds('tone'))
      expect(rows).toBe(rowsOf(number))
      expect(number).toBeGreaterThanOrEqual(least)
      answers++
    }
  }
  const readers = Array.from({ length: READERS }, read)
  const exchange = async () => {
    for (let number = 1; number <= EXCHANGES; number++) {
      const answer = await put('tone', rowsOf(number), number)
      expect(answer.status).toBe(201)
      acknowledged = number
    }
  }
  await Promise.all([...readers, exchange().finally(() => (isOver = true))])
  expect(answers).toBeGreaterThanOrEqual(READERS)
  const last = await Promise.all(Array.from({ length: 12 }, async () => seen(await embeds('tone'))))
  expect(new Set(last.map(({ number }) => number))).toEqual(new Set([EXCHANGES]))
})

test('a thousand are resident in all threads, each with its own rows; one that is deleted is gone everywhere', async () => {
  const { put, embeds, names, remove } = await service()
  const all = Array.from({ length: 1000 }, (_, i) => `p-${i}`)
  for (let at = 0; at < all.length; at += 50) {
    const some = all.slice(at, at + 50)
    const put50 = some.map((name, i) => put(name, 1 + ((at + i) % 7), at + i))
    expect(new Set((await Promise.all(put50)).map(({ status }) => status))).toEqual(new Set([201]))
  }
  expect(await names()).toEqual([...all].sort())
  for (let i = 0; i < 1000; i += 37) {
    expect(await seen(await embeds(`p-${i}`))).toEqual({ number: i, rows: 1 + (i % 7) })
  }
  expect((await remove('p-500')).status).toBe(204)
  const gone = await Promise.all(Array.from({ length: 12 }, () => embeds('p-500')))
  expect(gone.map(({ status }) => status)).toEqual(gone.map(() => 404))
})
