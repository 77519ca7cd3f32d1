import fc from 'fast-check'
import { expect, test } from 'vitest'
import { namedArchitecture } from '../../src/first-layer/embeddings/architectures/registry.js'
import { Model } from '../../src/first-layer/embeddings/model.js'
import { type Blocks, run, runBlocks } from '../../src/first-layer/steps.js'
import type { FloatDtype } from '../../src/first-layer/tensors/named-tensor.js'
import { UNBOUNDED } from '../../src/load/claim.js'
import { completionWithRows } from '../../src/requests/completion-rows.js'
import { readCompletion } from '../../src/wire/completions/completion.js'
import { modelOf } from '../first-layer/neighbors/table-model.js'
import { checkProperty } from '../property.js'
import { readTorchFile } from '../torch-file.js'
import { withoutBlocks } from './without-blocks.js'

const ROWS = 50

function llama(width: number, dtype: FloatDtype) {
  const numbers = Array.from({ length: ROWS * width }, (_, i) => Math.sin(i))
  return modelOf(numbers, width, dtype)
}

async function bodyOf(model: Model, prompt: readonly (readonly number[])[]) {
  const bytes = Buffer.from(JSON.stringify({ prompt }))
  const read = run(readCompletion(bytes, 16))
  return (await completionWithRows(model, bytes, read.prompt!, true, UNBOUNDED)).body
}

async function whole(pieces: Blocks): Promise<Buffer> {
  const parts: Buffer[] = []
  for (const piece of runBlocks(pieces)) parts.push(Buffer.from(piece))
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

/** Compared at once, not byte by byte: a body may have megabytes. */
function expectRows(body: Buffer, model: Model, prompt: readonly (readonly number[])[]): void {
  const found = elementsOf(body).map((elements, d) => elements.equals(rowsOf(model, prompt[d]!)))
  expect(found).toEqual(prompt.map(() => true))
}

test.each(['float32', 'bfloat16'] as const)(
  'files of %s rows are right from the first to the last, and as often as they are sent',
  async (dtype) => {
    const { model } = llama(96, dtype)
    const long = Array.from({ length: 6000 }, (_, i) => (i * i) % ROWS) // more than two blocks
    for (const prompt of [[[1, 2, 1], [3], [2, 3, 4]], [long, [49, 1]], [long.slice(7)]]) {
      const body = await bodyOf(model, prompt)
      for (const _ of runBlocks(body.pieces())) break // a try that ends early
      const first = await whole(body.pieces())
      expect(first.length).toBe(body.length)
      expectRows(first, model, prompt)
      expect((await whole(body.pieces())).equals(first)).toBe(true)
    }
  },
)

const models = new Map<string, Model>()
function kept(width: number, dtype: FloatDtype): Model {
  const key = `${width} ${dtype}`
  const model = models.get(key) ?? llama(width, dtype).model
  models.set(key, model)
  return model
}

test('a body is the same by the kernel and by Node’s base64', () =>
  checkProperty(
    fc.asyncProperty(
      fc.constantFrom(1, 2, 3, 5, 7, 8, 33, 511, 1024, 1501, 2250),
      fc.constantFrom<FloatDtype>('float32', 'float16', 'bfloat16'),
      fc.array(fc.record({ length: fc.integer({ min: 1, max: 3000 }), step: fc.nat() }), {
        ...{ minLength: 1, maxLength: 3 },
      }),
      async (width, dtype, lists) => {
        const model = kept(width, dtype)
        const { freeBlocks } = model.workspace
        const prompt = lists.map(({ length, step }) =>
          Array.from({ length }, (_, i) => (i % 5 === 4 ? ROWS - 1 : (i * step) % ROWS)),
        )
        const body = await bodyOf(model, prompt)
        const plain = await withoutBlocks(model, () => whole(body.pieces()))
        const byKernel = await whole(body.pieces())
        expect(byKernel.equals(plain)).toBe(true)
        expect(byKernel.length).toBe(body.length)
        expect(model.workspace.freeBlocks).toBe(freeBlocks)
      },
    ),
    40,
  ))

test('rows go as a block of text each, which is given back however a body ends', async () => {
  const { model } = llama(1024, 'bfloat16')
  const { workspace } = model
  const { freeBlocks } = workspace
  const body = await bodyOf(model, [Array.from({ length: 1000 }, (_, i) => (i * i) % ROWS)])
  const lengths: number[] = []
  const inUse: number[] = []
  for (const { length } of runBlocks(body.pieces())) {
    lengths.push(length)
    inUse.push(freeBlocks - workspace.freeBlocks)
  }
  expect(lengths.slice(1, 3)).toEqual([1 << 20, 1 << 20]) // 384 rows each
  expect(lengths).toHaveLength(5)
  expect(inUse).toEqual([1, 1, 1, 1, 0])
  for (const end of lengths.keys()) {
    let seen = 0
    for (const _ of runBlocks(body.pieces())) if (seen++ === end) break
    expect(workspace.freeBlocks).toBe(freeBlocks)
  }
})

test('rows that the model multiplies are not those of its table', async () => {
  const { parts } = llama(16, 'float32')
  const gemma = new Model({ ...parts, spec: { ...parts.spec, architecture: namedArchitecture('gemma') } })
  const [elements] = elementsOf(await whole((await bodyOf(gemma, [[3, 1, 3]])).pieces()))
  const stored = new Float32Array(new Uint8Array(rowsOf(gemma, [3, 1, 3])).buffer)
  expect([...new Float32Array(new Uint8Array(elements!).buffer)]).toEqual([...stored.map((x) => 4 * x)])
})

test('a row whose text no block holds', async () => {
  const model = modelOf(
    Array.from({ length: 2 * 300_000 }, (_, i) => i),
    300_000,
  ).model
  const { prompt_embeds } = JSON.parse((await whole((await bodyOf(model, [[1, 0, 1]])).pieces())).toString())
  const { bytes } = readTorchFile(Buffer.from(prompt_embeds[0], 'base64'))
  const [first, second] = [0, 1].map((id) =>
    Float32Array.from({ length: 300_000 }, (_, i) => id * 300_000 + i),
  )
  expect(
    bytes.equals(Buffer.concat([second!, first!, second!].map(({ buffer }) => Buffer.from(buffer)))),
  ).toBe(true)
})

test('two bodies of one model, a piece of each in turn', async () => {
  const { model } = llama(1024, 'bfloat16')
  const prompts = [7, 11].map((step) => [Array.from({ length: 2000 }, (_, i) => (i * step) % ROWS)])
  const bodies = await Promise.all(prompts.map((prompt) => bodyOf(model, prompt)))
  const streams = bodies.map((body) => runBlocks(body.pieces()))
  const parts: Buffer[][] = [[], []]
  for (let isDone = false; !isDone; ) {
    const found = await Promise.all(streams.map((stream) => stream.next()))
    isDone = found.every(({ done }) => done)
    for (const [i, { value }] of found.entries()) if (value) parts[i]!.push(Buffer.from(value))
  }
  for (const [i, prompt] of prompts.entries()) expectRows(Buffer.concat(parts[i]!), model, prompt)
})

test('two bodies on their way at once', async () => {
  const { model } = llama(96, 'bfloat16')
  const long = Array.from({ length: 6000 }, (_, i) => (i * 7) % ROWS)
  const prompts = [[long], [[...long].reverse(), [0]]]
  const bodies = await Promise.all(
    prompts.map(async (prompt) => whole((await bodyOf(model, prompt)).pieces())),
  )
  for (const [i, prompt] of prompts.entries()) expectRows(bodies[i]!, model, prompt)
})

test('a later version in the same memory has CRCs of its own', async () => {
  const { model, parts } = llama(8, 'float32')
  await whole((await bodyOf(model, [[1, 2, 3]])).pieces())
  const numbers = model.numbers(parts.tables.places[0]) as Float32Array
  numbers.set(numbers.map((x) => 2 * x))
  const later = new Model({ ...parts, version: '2' })
  const body = await whole((await bodyOf(later, [[2, 3, 4]])).pieces())
  expectRows(body, later, [[2, 3, 4]])
})
