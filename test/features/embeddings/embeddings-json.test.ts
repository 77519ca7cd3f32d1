import { expect, test } from 'vitest'
import { embeddingList } from '../../../src/features/embeddings/vectors-json.js'
import { jsonAnswer } from '../../../src/first-layer/formats/json.js'
import type { VectorNumbers } from '../../../src/first-layer/pooling/quantized.js'

/** Longer than what is written at a time, with a rest. */
const DIMENSIONS = 4001
const rows = Array.from({ length: 12 }, (_, i) =>
  Float32Array.from({ length: DIMENSIONS }, (_, c) => Math.sin(i * DIMENSIONS + c)),
)

async function written(isBase64: boolean, store = (row: Float32Array): VectorNumbers => row) {
  const row = new Float32Array(DIMENSIONS) // used again for each, as the pool does
  const dtype = store(row) === row ? ('float' as const) : ('int8' as const)
  const data = embeddingList({ length: DIMENSIONS, dtype, isBase64 }, rows.length, async (i) => {
    row.set(rows[i])
    return store(row)
  })
  const { body, size, exact } = jsonAnswer({ data }, isBase64)
  const blocks: Buffer[] = []
  for await (const block of body) blocks.push(Buffer.from(block))
  const text = Buffer.concat(blocks)
  return { text, size, exact, json: JSON.parse(text.toString()) }
}

test('numbers of any width, in blocks', async () => {
  const { json } = await written(false)
  expect(json.data.map(({ embedding }: { embedding: number[] }) => Float32Array.from(embedding))).toEqual(
    rows,
  )
})

test('base64 of any width, whose length is known before', async () => {
  const { json, text, size, exact } = await written(true)
  expect(json.data.map(({ embedding }: { embedding: string }) => embedding)).toEqual(
    rows.map(({ buffer }) => Buffer.from(buffer).toString('base64')),
  )
  expect([exact, size]).toEqual([true, text.length])
})

test('bytes as numbers and as base64', async () => {
  const bytes = (row: Float32Array) => Int8Array.from(row, (x) => 128 * x)
  const { json, text, size } = await written(false, bytes)
  expect(json.data.map(({ embedding }: { embedding: number[] }) => embedding)).toEqual(
    rows.map((row) => [...bytes(row)]),
  )
  expect(text.length).toBeLessThanOrEqual(size)
  const packed = await written(true, bytes)
  expect(packed.json.data[3].embedding).toBe(Buffer.from(bytes(rows[3]).buffer).toString('base64'))
  expect([packed.exact, packed.size]).toEqual([true, packed.text.length])
})
