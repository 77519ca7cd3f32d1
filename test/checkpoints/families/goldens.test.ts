import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FAMILIES } from '../../../src/checkpoints/families/families.js'
import { ctrlSines, xglmSines } from '../../../src/checkpoints/families/schemes.js'
import { folderEntries } from '../../../src/models/folders.js'
import { type TestService, testService } from '../../helper.js'
import { stride } from '../../property.js'

interface Golden {
  readonly dtype: 'float32' | 'float16' | 'bfloat16'
  readonly shape: readonly number[]
  /** Absent: the same as the tensor before it. */
  readonly data_f32?: string
}

interface Expected {
  readonly model_type: string
  readonly input_ids: readonly (readonly number[])[]
  readonly token_type_ids?: readonly (readonly number[])[]
  readonly attention_mask?: readonly (readonly number[])[]
  readonly inputs_embeds: Golden
  readonly block_input: Golden
}

/** FAMILY_GOLDENS is a folder of transformers' goldens; without it those of families.ndjson.gz are tested. */
const FOLDERS = process.env.FAMILY_GOLDENS
const PACKED = new URL('../../goldens/families.ndjson.gz', import.meta.url)

const OUTPUTS = ['token_embeddings', 'inputs_embeds', 'input_embeddings']

/** Folders of which no rows are served, and why. */
const REFUSED: Readonly<Record<string, RegExp>> = {
  decoder: /is missing|asks for one of the tensors/,
  cpmant: /cpmant is not served: its first block does not have one row a token/,
  roc_bert: /roc_bert is not served: text alone does not give its first block/,
}

let path: string
let service: TestService
let goldens: Map<string, Expected>
beforeAll(async () => {
  path = FOLDERS ?? (await mkdtemp(join(tmpdir(), 'inlet-families-')))
  goldens = FOLDERS === undefined ? await unpacked(path) : await inFolders(path)
  service = await testService(
    {},
    { folders: await folderEntries({ MODELS_DIR: path, MODELS: undefined }, () => {}) },
  )
}, 120_000)
afterAll(async () => {
  await service.close()
  if (FOLDERS === undefined) await rm(path, { recursive: true })
})

async function inFolders(folder: string): Promise<Map<string, Expected>> {
  const names = (await readdir(folder)).filter((name) => name !== 'tokenizer-only')
  const read = async (name: string) => JSON.parse(await readFile(join(folder, name, 'expected.json'), 'utf8'))
  return new Map(await Promise.all(names.map(async (name) => [name, await read(name)] as const)))
}

async function unpacked(folder: string): Promise<Map<string, Expected>> {
  const lines = gunzipSync(await readFile(PACKED))
    .toString()
    .trim()
    .split('\n')
  const read = lines.map((line) => JSON.parse(line))
  const isShort = ({ name }: { readonly name: string }) => /-b?f16$/.test(name)
  // Families in 16 bits differ by few rounding rules, and by their data: a third of them finds what breaks these rules.
  const short = read.filter(isShort).filter((_, i) => i % stride(3) === 0)
  const all = [...read.filter((each) => !isShort(each)), ...short]
  for (const { name, config, model } of all) {
    await mkdir(join(folder, name))
    await writeFile(join(folder, name, 'config.json'), JSON.stringify(config))
    await writeFile(join(folder, name, 'model.safetensors'), Buffer.from(model, 'base64'))
  }
  return new Map(all.map(({ name, expected }) => [name, expected]))
}

/** The first stream, where the first block takes several: all copies of the row, or the row and projections of it. */
function rowsIn({ shape, data_f32 }: Golden, { model_type, inputs_embeds }: Expected): Float32Array {
  const bytes = Buffer.from(data_f32 ?? '', 'base64')
  const all = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  if (shape.length === 3 && !model_type.startsWith('qwen4_exp')) return all
  const [B = 0, T = 0, C = 0] = inputs_embeds.shape
  if (shape[0] !== B) return all.subarray(0, B * T * C)
  return all.filter((_, i) => i % (all.length / (B * T)) < C)
}

async function ask(model: string, expected: Expected, outputs: readonly string[], dtype: string) {
  const { input_ids, token_type_ids, attention_mask } = expected
  // Pads are behind the documents: they go as shorter documents.
  const cut = (rows: readonly (readonly number[])[]) =>
    rows.map((row, i) => row.filter((_, t) => (attention_mask?.[i]?.[t] ?? 1) === 1))
  const { statusCode, body } = await service.app.inject({
    method: 'POST',
    url: '/v1/input-embeddings',
    payload: {
      ...{ model, dtype, outputs, encoding_format: 'float' },
      input_ids: cut(input_ids),
      ...(token_type_ids && { token_type_ids: cut(token_type_ids) }),
    },
  })
  if (statusCode !== 200) throw new Error(`${model}: ${JSON.parse(body).error?.message ?? body}`)
  const answered = JSON.parse(body).outputs
  return outputs.map((name) => Float32Array.from(answered[name].data.flat(Infinity) as number[]))
}

/** How far rows may be from PyTorch's: only norms, projections and computed sines in float32 are not its bits. */
function tolerance({ model_type }: Expected, { dtype }: Golden, isC: boolean): number {
  const family = FAMILIES.find(({ modelType }) => modelType === model_type)
  const steps = isC ? family?.steps : family?.steps.slice(0, family.embedSteps ?? 0)
  const isComputed = isC && (family?.scheme === xglmSines || family?.scheme === ctrlSines)
  const isWorked = steps?.some((step) => step === 'norm' || step === 'project')
  return dtype === 'float32' && (isComputed || isWorked) ? 4e-6 : 0
}

function difference(got: Float32Array, want: Float32Array): number {
  expect(got.length).toBe(want.length)
  return got.reduce(
    (most, x, i) => Math.max(most, Math.abs(x - want[i]!) / Math.max(1, Math.abs(want[i]!))),
    0,
  )
}

test('the goldens of transformers', { timeout: 300_000 }, async () => {
  const wrong: string[] = []
  const counts = { bits: 0, near: 0 }
  const refused = new Set<string | undefined>()
  for (const [name, expected] of goldens) {
    const word = Object.keys(REFUSED).find((each) => name.replace(/-b?f16/, '').endsWith(each))
    const reason = expected.model_type.endsWith('-decoder') ? undefined : REFUSED[word ?? '']
    if (reason !== undefined) {
      await ask(name, expected, ['input_embeddings'], 'float32').then(
        () => wrong.push(`${name} is served`),
        (error: Error) => reason.test(error.message) || wrong.push(error.message),
      )
      refused.add(word)
      continue
    }
    const { inputs_embeds, block_input } = expected
    const got = await ask(name, expected, OUTPUTS, inputs_embeds.dtype)
    if (block_input.dtype !== inputs_embeds.dtype)
      got.splice(2, 1, ...(await ask(name, expected, OUTPUTS.slice(2), block_input.dtype)))
    let before: Float32Array = got[0]!
    let isNear = false
    for (const [i, golden] of [inputs_embeds, block_input].entries()) {
      const want = golden.data_f32 === undefined ? before : rowsIn(golden, expected)
      const off = difference(got[i + 1]!, want)
      const most = tolerance(expected, golden, i === 1)
      if (!(off <= most)) wrong.push(`${name} ${OUTPUTS[i + 1]}: ${off} above ${most}`)
      if (most > 0) isNear = true
      before = want
    }
    counts[isNear ? 'near' : 'bits']++
  }
  expect(wrong).toEqual([])
  if (FOLDERS !== undefined) return
  expect(counts.bits).toBeGreaterThan(counts.near)
  expect([...refused].sort()).toEqual(Object.keys(REFUSED).sort())
})
