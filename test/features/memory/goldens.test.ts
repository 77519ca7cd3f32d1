import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modelFromFolder } from '../../../src/index.js'
import { folderEntries } from '../../../src/models/folders.js'
import { decodeSafetensors, MEDIA_TYPES } from '../../decode.js'
import { embed, type TestService, testService } from '../../helper.js'
import { toFloats } from './floats.js'

const FOLDERS = process.env.MEMORY_GOLDENS ?? new URL('../../goldens/memory/', import.meta.url).pathname
const names = readdirSync(FOLDERS).sort()

interface Golden {
  readonly dtype: 'float32' | 'float16' | 'bfloat16'
  readonly shape: readonly number[]
  readonly data_f32: string
}

type Ids = readonly (readonly number[])[]

/** What transformers gave for a folder. */
interface Expected {
  readonly input_ids: Ids
  readonly inputs_embeds: Golden
  readonly block_input: Golden
  readonly memory?: Readonly<Record<string, unknown>> & {
    readonly input_ids: Ids
    readonly continued?: { readonly cuts: readonly number[] }
  }
}

function numbers({ data_f32: base64 }: Golden): Float32Array {
  return new Float32Array(new Uint8Array(Buffer.from(base64, 'base64')).buffer)
}

/** Bounds in float32 of what is a sum of many products; all else, and 16 bits, is exact. */
const BOUNDS: Readonly<Record<string, number>> = { per_layer_projected: 3e-6, hidden_streams: 1e-5 }

let service: TestService
beforeAll(async () => {
  const folders = await folderEntries({ MODELS_DIR: FOLDERS, MODELS: undefined }, () => {})
  service = await testService({}, { folders })
})
afterAll(() => service.close())

async function ask(model: string, input_ids: unknown, outputs: string[], more: object = {}) {
  const answer = await embed(
    service,
    { model, input_ids, outputs, ...more },
    { accept: MEDIA_TYPES.safetensors },
  )
  expect(answer.status, answer.body.toString('utf8', 0, 500)).toBe(200)
  return decodeSafetensors(answer.body).tensors
}

function compare(name: string, got: Float32Array, want: Float32Array, dtype: string) {
  expect(got.length, name).toBe(want.length)
  const bound = dtype === 'float32' ? (BOUNDS[name] ?? 0) : 0
  let most = 0
  for (let i = 0; i < want.length; i++)
    most = Math.max(most, Math.abs(got[i]! - want[i]!) / Math.max(1, Math.abs(want[i]!)))
  expect(most, name).toBeLessThanOrEqual(bound)
  if (bound === 0) expect(Buffer.from(got.buffer).equals(Buffer.from(want.buffer)), name).toBe(true)
}

/** Goldens of streams have transformers' own axes: [S, B, T, C] of Gemma 3n. */
function streamsOf({ block_input: golden }: Expected, name: string): Float32Array {
  const all = numbers(golden)
  if (!name.startsWith('gemma3n')) return all
  const [S, B, T, C] = golden.shape as [number, number, number, number]
  const out = new Float32Array(all.length)
  for (let s = 0; s < S; s++)
    for (let i = 0; i < B * T; i++)
      out.set(all.subarray((s * B * T + i) * C, (s * B * T + i + 1) * C), (i * S + s) * C)
  return out
}

describe('rows beside the row, as transformers gives them', () => {
  test.each(names)('%s', async (name) => {
    const expected = JSON.parse(readFileSync(`${FOLDERS}/${name}/expected.json`, 'utf8')) as Expected
    const { input_ids, inputs_embeds, memory } = expected
    const { dtype } = inputs_embeds
    const { memory: described, hidden_streams: streams } = (
      await service.app.inject(`/v1/models/${name}`)
    ).json()
    const plain = await ask(name, input_ids, ['inputs_embeds', 'input_embeddings'], { dtype })
    compare('inputs_embeds', toFloats(plain.inputs_embeds!), numbers(inputs_embeds), dtype)
    if (streams > 1) {
      const { hidden_streams } = await ask(name, input_ids, ['hidden_streams'], { dtype })
      compare('hidden_streams', toFloats(hidden_streams!), streamsOf(expected, name), dtype)
    } else
      compare('input_embeddings', toFloats(plain.input_embeddings!), numbers(expected.block_input), dtype)
    if (memory === undefined || memory === null) {
      expect(described).toBeNull()
      return
    }
    const ids = memory.input_ids
    for (const output of ['inputs_embeds', 'per_layer_inputs', 'per_layer_projected']) {
      const golden = memory[output] as Golden | undefined
      if (golden === undefined) continue
      const tensor = (await ask(name, ids, [output], { dtype }))[output]!
      expect(tensor.shape).toEqual(golden.shape)
      compare(output, toFloats(tensor), numbers(golden), dtype)
    }
    if (described.ngrams === undefined) return
    const asked = ['ngram_ids', 'ngram_embeddings']
    const { ngram_ids, ngram_embeddings } = await ask(name, ids, asked, { dtype })
    const numbersOf = (k: number) =>
      memory[described.ngrams.length > 1 ? `ngram_ids.${k}` : 'ngram_ids'] as number[][][]
    const wanted = ids.map((row, b) =>
      row.map((_, t) => (described.ngrams as object[]).flatMap((_each, k) => numbersOf(k)[b]![t]!)),
    )
    const made = new Int32Array(new Uint8Array(ngram_ids!.bytes).buffer)
    expect([...made]).toEqual(wanted.flat(2))
    if (memory['ngram_embeddings.0'] !== undefined) {
      const goldens = (described.ngrams as object[]).map((_, k) => memory[`ngram_embeddings.${k}`] as Golden)
      const all = goldens.map(numbers)
      const width = goldens[0]!.shape[2]!
      const tokens = all[0]!.length / width
      const rows = Float32Array.from({ length: tokens * width * all.length }, (_, i) => {
        const [token, e] = [Math.floor(i / (width * all.length)), i % (width * all.length)]
        return all[Math.floor(e / width)]![token * width + (e % width)]!
      })
      compare('ngram_embeddings', toFloats(ngram_embeddings!), rows, dtype)
    }
    if (memory.block_input !== undefined) {
      const { input_embeddings } = await ask(name, ids, ['input_embeddings'], { dtype })
      compare('input_embeddings', toFloats(input_embeddings!), numbers(memory.block_input as Golden), dtype)
    }
    // A text in pieces, each with the ids before it, and every token as a window of its document.
    const N = described.ngrams[0].context as number
    const cuts = [0, ...(memory.continued?.cuts ?? [1, 4]), ids[0]!.length]
    for (let i = 1; i < cuts.length; i++) {
      const [from, to] = [cuts[i - 1]!, cuts[i]!]
      const ngram_context = ids.map((row) => row.slice(Math.max(0, from - N), from))
      const part = await ask(
        name,
        ids.map((row) => row.slice(from, to)),
        ['ngram_ids'],
        { ngram_context },
      )
      const own = new Int32Array(new Uint8Array(part.ngram_ids!.bytes).buffer)
      expect([...own]).toEqual(wanted.map((row) => row.slice(from, to)).flat(2))
    }
    const each = { context_length: 1, tail: 'pad', ngram_context: 'document' }
    const tokens = await ask(name, ids, ['ngram_ids'], each)
    expect(tokens.ngram_ids!.bytes.equals(ngram_ids!.bytes)).toBe(true)
  })

  test.each(names.filter((name) => !/hy_v4_vl|glm|deepseek/.test(name)))(
    '%s in the library, as over HTTP',
    async (name) => {
      const { input_ids } = JSON.parse(readFileSync(`${FOLDERS}/${name}/expected.json`, 'utf8')) as Expected
      const model = await modelFromFolder(`${FOLDERS}/${name}`)
      const outputs = [
        'input_embeddings',
        'hidden_streams',
        'per_layer_projected',
        'ngram_ids',
        'ngram_embeddings',
      ]
      for (const output of outputs) {
        const made = await model.embed(input_ids, { outputs: [output] }).catch((error: Error) => error)
        if (made instanceof Error) {
          expect(made.message).toMatch(new RegExp(`^\`outputs\` must be among .* Given: ${output}$`))
          continue
        }
        const over = await ask(name, input_ids, [output])
        expect(Buffer.concat([...made.tensor(output).blocks()]).equals(over[output]!.bytes)).toBe(true)
      }
      model.dispose()
    },
  )
})
