import { expect, test } from 'vitest'
import { type Blocks, PAUSE, runBlocks } from '../../src/first-layer/steps.js'
import { embeddingsJson } from '../../src/wire/embeddings-json.js'

/** Longer than what is written at a time, with a rest. */
const DIMENSIONS = 7001
const rows = Array.from({ length: 12 }, (_, i) =>
  Float32Array.from({ length: DIMENSIONS }, (_, c) => Math.sin(i * DIMENSIONS + c)),
)

async function written(encodingFormat: 'float' | 'base64') {
  const around = { model: 'wide', modelVersion: '3', promptTokens: 5 }
  const frame = { ...around, count: rows.length, dimensions: DIMENSIONS, encodingFormat }
  const row = new Float32Array(DIMENSIONS) // used again for each, as the pool does
  const { body, size, exact } = embeddingsJson(frame, function* (i) {
    yield PAUSE
    row.set(rows[i])
    return row
  })
  const blocks: Buffer[] = []
  for (const block of runBlocks(body as Blocks)) blocks.push(Buffer.from(block))
  const text = Buffer.concat(blocks)
  return { text, size, exact, blocks, json: JSON.parse(text.toString()) }
}

test('numbers of any width, in blocks', async () => {
  const { json, blocks } = await written('float')
  expect(json.data.map(({ embedding }: { embedding: number[] }) => Float32Array.from(embedding))).toEqual(
    rows,
  )
  expect(json).toMatchObject({ model: 'wide', model_version: '3', usage: { prompt_tokens: 5 } })
  expect(blocks.length).toBeGreaterThan(3)
  for (const block of blocks.slice(0, -2)) expect(block.length).toBeGreaterThanOrEqual(1 << 16) // few writes
})

test('base64 of any width, whose length is known before', async () => {
  const { json, text, size, exact } = await written('base64')
  expect(json.data.map(({ embedding }: { embedding: string }) => embedding)).toEqual(
    rows.map(({ buffer }) => Buffer.from(buffer).toString('base64')),
  )
  expect([exact, size]).toEqual([true, text.length])
})
