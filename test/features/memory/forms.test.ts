import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { folderEntries } from '../../../src/models/folders.js'
import * as decode from '../../decode.js'
import { embed, type TestService, testService } from '../../helper.js'
import { tableFile } from '../../table-files.js'
import { readTorchFile } from '../../torch-file.js'

const FOLDER = mkdtempSync(join(tmpdir(), 'forms-'))
const NGRAMS = ['ngram_ids', 'ngram_embeddings']
const LAYERS = ['per_layer_inputs', 'per_layer_projected']
const MODELS: Readonly<Record<string, readonly string[]>> = {
  ...{ gemma3n: [...LAYERS, 'hidden_streams'], 'gemma4-bf16': LAYERS, blt: NGRAMS },
  ...{ qwen4_exp: [...NGRAMS, 'hidden_streams'], 'deepseek_v4-bf16': ['hidden_streams'] },
}

/** A copy of a model whose tensors lie in a file each, by an index; a table of n-grams in shards of so many rows. */
function writeShards(model: string, rows: number): void {
  const folder = join(FOLDER, `${model}-${rows}`)
  cpSync(join(FOLDER, model), folder, { recursive: true })
  const one = join(folder, 'model.safetensors')
  const tensors = Object.entries(decode.decodeSafetensors(readFileSync(one)).tensors)
  rmSync(one)
  const weight_map: Record<string, string> = {}
  const stemOf = (name: string) => name.replace(/shard_\d\./, '')
  for (const stem of new Set(tensors.map(([name]) => stemOf(name)))) {
    const parts = tensors.flatMap(([name, tensor]) => (stemOf(name) === stem ? [tensor] : []))
    const { dtype, shape } = parts[0]!
    const all = Buffer.concat(parts.map(({ bytes }) => bytes))
    const rowBytes = parts[0]!.bytes.length / shape[0]!
    const most = parts.length > 1 ? rows * rowBytes : all.length
    for (let at = 0; at < all.length; at += most) {
      const name = most < all.length ? stem.replace(/weight$/, `shard_${at / most}.weight`) : stem
      const bytes = all.subarray(at, at + most)
      const own = [bytes.length / rowBytes, ...shape.slice(1)]
      weight_map[name] = `model-${Object.keys(weight_map).length}.safetensors`
      const tensor = { dtype: dtype === 'int64' ? 'I64' : 'F32', shape: own, bytes }
      writeFileSync(join(folder, weight_map[name]!), tableFile({ [name]: tensor }))
    }
  }
  writeFileSync(join(folder, 'model.safetensors.index.json'), JSON.stringify({ weight_map }))
}

/** Shards of 50 rows, of which the last is shorter; a table in one piece. */
const SHARDED = [['qwen4_exp', 50], ['qwen4_exp', 1000], ['gemma3n', 50], ['blt', 50]] as const // biome-ignore format: short

let service: TestService
beforeAll(async () => {
  for (const name of Object.keys(MODELS))
    cpSync(new URL(`../../goldens/memory/${name}`, import.meta.url), join(FOLDER, name), { recursive: true })
  for (const [model, rows] of SHARDED) writeShards(model, rows)
  const folders = await folderEntries({ MODELS_DIR: FOLDER, MODELS: undefined }, () => {})
  service = await testService({}, { folders })
})
afterAll(async () => {
  await service.close()
  rmSync(FOLDER, { recursive: true })
})

const input_ids = [Array.from({ length: 40 }, (_, t) => (t * 37) % 88), [5, 7]]
const ask = (model: string, output: string, accept: string, more: object = {}) =>
  embed(service, { model, input_ids, pad_token_id: 3, outputs: [output], ...more }, { accept })

async function tensorOf(model: string, output: string, more: object = {}) {
  const answer = await ask(model, output, decode.MEDIA_TYPES.safetensors, more)
  expect(answer.status, answer.body.toString('utf8', 0, 300)).toBe(200)
  return decode.decodeSafetensors(answer.body).tensors[output]!
}

const STORAGES: Readonly<Record<string, string>> = {
  ...{ int32: 'Int', int64: 'Long', float32: 'Float', float16: 'Half', bfloat16: 'BFloat16' },
}
const asked = Object.entries(MODELS).flatMap(([model, outputs]) =>
  outputs.flatMap((output) =>
    Object.keys(STORAGES).flatMap((dtype) =>
      dtype.startsWith('int') === (output === 'ngram_ids') ? [[model, output, dtype] as const] : [],
    ),
  ),
)

test.each(asked)('%s, %s as %s has the same bits in every format', async (model, output, dtype) => {
  const more = { [output === 'ngram_ids' ? 'ids_dtype' : 'dtype']: dtype }
  const tensor = await tensorOf(model, output, more)
  expect(tensor.dtype).toBe(dtype)
  const { json, raw, npy } = decode.MEDIA_TYPES
  expect(decode.decodeFloats(await ask(model, output, json, more))[output]).toEqual(tensor)
  const base64 = await ask(model, output, json, { ...more, encoding_format: 'base64' })
  expect(decode.decodeBase64(base64)[output]).toEqual(tensor)
  expect(decode.decodeRaw(await ask(model, output, raw, more))).toEqual({ name: output, ...tensor })
  const file = await ask(model, output, npy, more)
  if (dtype === 'bfloat16') expect(file.status).toBe(422)
  else expect(decode.decodeNpy(file.body)).toEqual(tensor)
  const { body } = await ask(model, output, 'application/x-pytorch', more)
  const { shape, bytes, storage } = readTorchFile(body)
  expect({ dtype, shape, bytes }).toEqual(tensor)
  expect(storage).toBe(`torch.${STORAGES[dtype]}Storage`)
})

test.each(SHARDED.flatMap(([model, rows]) => MODELS[model]!.map((output) => [model, rows, output] as const)))(
  '%s in files of an index, tables in shards of %i rows: the same %s',
  async (model, rows, output) => {
    expect(await tensorOf(`${model}-${rows}`, output)).toEqual(await tensorOf(model, output))
  },
)
