import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Model } from '../../src/first-layer/embeddings/model.js'
import { run, runBlocks } from '../../src/first-layer/steps.js'
import type { FloatDtype } from '../../src/first-layer/tensors/named-tensor.js'
import { UNBOUNDED } from '../../src/load/claim.js'
import type { SoftPrompt } from '../../src/models/soft-prompt.js'
import { completionWithRows } from '../../src/requests/completion-rows.js'
import { readCompletion } from '../../src/wire/completions/completion.js'
import { modelOf } from '../first-layer/neighbors/table-model.js'
import { checkProperty } from '../property.js'
import { readTorchFile } from '../torch-file.js'
import { bfloat16Bits, float16Bits } from '../twins/sixteen-bits.js'
import { withoutBlocks } from './without-blocks.js'

const ROWS = 20
const DTYPES: readonly FloatDtype[] = ['float32', 'float16', 'bfloat16']

/** Numbers as they are stored. */
function stored(numbers: readonly number[], dtype: FloatDtype): Buffer {
  if (dtype === 'float32') return Buffer.from(Float32Array.from(numbers).buffer)
  const bits = dtype === 'float16' ? float16Bits : bfloat16Bits
  return Buffer.from(Uint16Array.from(numbers, (number) => bits(Math.fround(number))).buffer)
}

/** Numbers that all three types have: a cast between these types is exact, one from float32 rounds. */
const coarse = (i: number) => ((i * 37) % 255) / 16 - 8
const fine = (i: number) => Math.fround(Math.sin(i))

function promptOf(numbers: readonly number[], width: number, dtype: FloatDtype): SoftPrompt {
  const bytes = stored(numbers, dtype)
  const shared = new SharedArrayBuffer(bytes.length)
  new Uint8Array(shared).set(bytes)
  const rows = numbers.length / width
  return { model: 'm', name: 'p', rows, embeddingDim: width, dtype, numbers: shared, sha256: '', created: 0 }
}

const models = new Map<string, Model>()
function modelWith(width: number, dtype: FloatDtype): Model {
  const key = `${width} ${dtype}`
  const numbers = Array.from({ length: ROWS * width }, (_, i) => fine(i))
  const model = models.get(key) ?? modelOf(numbers, width, dtype).model
  models.set(key, model)
  return model
}

function tableRows(model: Model, ids: readonly number[]): Buffer {
  const { buffer, byteOffset, byteLength } = model.numbers(model.place('wte.weight')!)
  const rowBytes = byteLength / ROWS
  const table = Buffer.from(buffer, byteOffset, byteLength)
  return Buffer.concat(ids.map((id) => table.subarray(id * rowBytes, (id + 1) * rowBytes)))
}

async function sent(model: Model, prompt: readonly number[][], soft: SoftPrompt): Promise<Buffer[]> {
  const bytes = Buffer.from(JSON.stringify({ soft_prompt: soft.name, prompt }))
  const { prompt: read, softPrompt } = run(readCompletion(bytes, 16))
  const named = { prompt: soft, at: softPrompt! }
  const { body, numTokens } = await completionWithRows(model, bytes, read!, true, UNBOUNDED, named)
  expect(numTokens).toBe(prompt.reduce((sum, ids) => sum + ids.length + soft.rows, 0))
  const parts = [...runBlocks(body.pieces())].length // once for nothing: each time anew
  expect(parts).toBeGreaterThan(0)
  const pieces: Buffer[] = []
  for (const piece of runBlocks(body.pieces())) pieces.push(Buffer.from(piece))
  const text = Buffer.concat(pieces)
  expect(text.length).toBe(body.length)
  const { prompt_embeds } = JSON.parse(text.toString()) as { prompt_embeds: string[] }
  return prompt_embeds.map((file) => readTorchFile(Buffer.from(file, 'base64')).bytes)
}

test('rows of any type stand before any rows, by the kernel and by Node’s base64, with right CRCs', () =>
  checkProperty(
    fc.asyncProperty(
      fc.constantFrom(1, 2, 3, 5, 33, 512, 1501),
      fc.constantFrom(...DTYPES),
      fc.constantFrom(...DTYPES),
      fc.integer({ min: 1, max: 120 }),
      fc.array(fc.array(fc.integer({ min: 0, max: ROWS - 1 }), { minLength: 1, maxLength: 40 }), {
        ...{ minLength: 1, maxLength: 3 },
      }),
      async (width, dtype, given, rows, prompt) => {
        const model = modelWith(width, dtype)
        const { freeBlocks } = model.workspace
        const number = given === 'float32' ? fine : coarse
        const numbers = Array.from({ length: rows * width }, (_, i) => number(i))
        const soft = promptOf(numbers, width, given)
        const before = stored(numbers, dtype)
        const wanted = prompt.map((ids) => Buffer.concat([before, tableRows(model, ids)]))
        for (const found of [
          await sent(model, prompt, soft),
          await withoutBlocks(model, () => sent(model, prompt, soft)),
        ]) {
          expect(found.map((bytes, d) => bytes.equals(wanted[d]!))).toEqual(prompt.map(() => true))
        }
        expect(model.workspace.freeBlocks).toBe(freeBlocks)
      },
    ),
    60,
  ))
