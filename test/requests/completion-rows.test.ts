import { expect, test } from 'vitest'
import { Model } from '../../src/embeddings/model.js'
import { UNBOUNDED } from '../../src/load/claim.js'
import type { FloatDtype } from '../../src/named-tensor.js'
import { completionWithRows } from '../../src/requests/completion-rows.js'
import { readCompletion } from '../../src/wire/completions/completion.js'
import { modelOf } from '../neighbors/table-model.js'
import { readTorchFile } from '../torch-file.js'

const ROWS = 50

function llama(width: number, dtype: FloatDtype) {
  const numbers = Array.from({ length: ROWS * width }, (_, i) => Math.sin(i))
  return modelOf(numbers, width, dtype)
}

async function bodyOf(model: Model, prompt: readonly (readonly number[])[]) {
  const bytes = Buffer.from(JSON.stringify({ prompt }))
  const read = await readCompletion(bytes, 16, UNBOUNDED)
  return (await completionWithRows(model, bytes, read.prompt!, true, UNBOUNDED)).body
}

async function whole(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const piece of pieces) parts.push(Buffer.from(piece))
  return Buffer.concat(parts)
}

/** The elements of each document; CRCs are checked. */
function elementsOf(body: Buffer): Buffer[] {
  const { prompt_embeds } = JSON.parse(body.toString()) as { prompt_embeds: string[] }
  return prompt_embeds.map((file) => readTorchFile(Buffer.from(file, 'base64')).bytes)
}

function rowsOf(model: Model, ids: readonly number[]): Buffer {
  const { buffer, byteOffset, byteLength } = model.numbers(model.place('wte.weight')!)
  const rowBytes = byteLength / ROWS
  const table = Buffer.from(buffer, byteOffset, byteLength)
  return Buffer.concat(ids.map((id) => table.subarray(id * rowBytes, (id + 1) * rowBytes)))
}

test.each(['float32', 'bfloat16'] as const)(
  'files of %s rows are right from the first to the last, and as often as they are sent',
  async (dtype) => {
    const { model } = llama(96, dtype)
    const long = Array.from({ length: 6000 }, (_, i) => (i * i) % ROWS) // more than two blocks
    for (const prompt of [[[1, 2, 1], [3], [2, 3, 4]], [long, [49, 1]], [long.slice(7)]]) {
      const body = await bodyOf(model, prompt)
      for await (const _ of body.pieces()) break // a try that ends early
      const first = await whole(body.pieces())
      expect(first.length).toBe(body.length)
      expect(elementsOf(first)).toEqual(prompt.map((ids) => rowsOf(model, ids)))
      expect((await whole(body.pieces())).equals(first)).toBe(true)
    }
  },
)

test('two bodies on their way at once', async () => {
  const { model } = llama(96, 'bfloat16')
  const long = Array.from({ length: 6000 }, (_, i) => (i * 7) % ROWS)
  const prompts = [[long], [[...long].reverse(), [0]]]
  const bodies = await Promise.all(
    prompts.map(async (prompt) => whole((await bodyOf(model, prompt)).pieces())),
  )
  expect(bodies.map(elementsOf)).toEqual(prompts.map((prompt) => prompt.map((ids) => rowsOf(model, ids))))
})

test('a later version in the same memory has CRCs of its own', async () => {
  const { model, parts } = llama(8, 'float32')
  await whole((await bodyOf(model, [[1, 2, 3]])).pieces())
  const numbers = model.numbers(parts.tables.places[0]) as Float32Array
  numbers.set(numbers.map((x) => 2 * x))
  const later = new Model({ ...parts, version: '2' })
  const body = await whole((await bodyOf(later, [[2, 3, 4]])).pieces())
  expect(elementsOf(body)).toEqual([rowsOf(later, [2, 3, 4])])
})
