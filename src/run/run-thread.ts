import { workerData } from 'node:worker_threads'
import { frameFields } from '../corpus/document-frame.js'
import type { SharedModel } from './open-model.js'
import { finishShard, hasRecords, openPlace, recordOf } from './place.js'
import { hashOfFile } from './read/input.js'
import { readDocuments } from './read/read-documents.js'
import { chatsRecipeId, openTokenizer, type Recipe, runRecipeId, VALIDATION } from './recipe.js'
import type { RunPlace, ShardRecord } from './record.js'
import { inputName, inputOf, inputStem, type Shard, shardKey } from './shard.js'
import { DocumentSplit } from './split.js'
import { serveShards } from './threads.js'
import { openOutput } from './write/outputs.js'

export interface ThreadData {
  readonly out: string
  /** If `out` is a bucket: the local folder in which outputs are made. */
  readonly staging?: string | undefined
  readonly recipe: Recipe
  /** Present for embeddings: the model with its tables, which all threads share. */
  readonly shared?: SharedModel | undefined
  readonly thread: number
}

export interface DoneShard {
  readonly record: ShardRecord
  /** Of the documents that are held out, if some are. */
  readonly validation?: ShardRecord | undefined
  readonly isKept: boolean
}

const { out, staging, recipe, shared, thread } = workerData as ThreadData

await serveShards(async () => {
  const run = await open()
  return (shard, told) => doShard(shard, run, told)
})

async function open() {
  const made = await openTokenizer(recipe)
  const held = recipe.validation === undefined ? [] : [`${out}/${VALIDATION}`]
  const places = await Promise.all([out, ...held].map((place) => openPlace(place, staging)))
  if (shared === undefined) return { places, made }
  const { openRunModel } = await import('./open-model.js') // ids do without models
  const model = await openRunModel(recipe, shared, thread)
  const { addSpecialTokens, vocabSize } = model
  return { places, made: { ...made, addSpecialTokens, idLimit: vocabSize }, model }
}

type Run = Awaited<ReturnType<typeof open>>

/** A shard's output in one place while it is made. */
async function beginPart(place: RunPlace, { made, model }: Run) {
  const folder = await place.begin()
  const output = await openOutput(recipe.to, folder, made, model, recipe.chats)
  let count = 0
  return {
    startMask: () => output.startMask?.(),
    async write(ids: Int32Array, ends: Int32Array) {
      count += ends.length
      await output.write(ids, ends)
    },
    async finish(name: string, characters: number | null, known: Known): Promise<ShardRecord> {
      const facts =
        count === 0
          ? { output: null, sha256: null, output_bytes: 0, documents: 0, tokens: 0 }
          : await output.commit(name, characters, characters === null ? undefined : known.chats)
      const record = { ...known, to: recipe.to, ...facts, characters, ...frameFields(made, made.tokenizer) }
      await finishShard(place, folder, record)
      return record
    },
    async end() {
      await output.abandon()
      await place.end(folder)
    },
  }
}

type Known = Pick<
  ShardRecord,
  'key' | 'recipe' | 'input' | 'input_sha256' | 'bytes' | 'chats_recipe' | 'chats'
>

/**
 * Makes a shard's output, unless one of the same input, name and recipe exists. The output is renamed before its record
 * is, so that a record always names a whole output.
 *
 * The name needs the input's hash. If no shard of this name was ever finished, the input is hashed while it is read;
 * otherwise it is hashed first, which is many times as fast as tokenizing.
 *
 * @throws Error of the input, the disk or the tokenizer: nothing of the shard is left
 */
async function doShard(shard: Shard, run: Run, told: (bytes: number) => void): Promise<DoneShard> {
  const [recipeId, chatsId] = [runRecipeId(recipe), chatsRecipeId(recipe)]
  const name = inputName(shard.path)
  const kept = async (key: string): Promise<DoneShard | undefined> => {
    const records = await Promise.all(run.places.map((place) => recordOf(place, name, key)))
    const [record, validation] = records.every((each) => each !== undefined) ? records : []
    return record && { record, validation, isKept: true }
  }
  const sha256 = (await hasRecords(run.places[0], name)) ? await hashOfFile(shard.path) : undefined
  // Whether the input is one of chats, its first line tells: only one of two records can be there.
  const own = recipe.chats?.isAsked ? [chatsId] : chatsId === undefined ? [undefined] : [undefined, chatsId]
  for (const id of sha256 === undefined ? [] : own) {
    const there = await kept(shardKey(recipeId, shard, sha256!, id))
    if (there === undefined) continue
    told(there.record.bytes)
    return there
  }
  const parts: Awaited<ReturnType<typeof beginPart>>[] = []
  try {
    for (const place of run.places) parts.push(await beginPart(place, run))
    const [train, held] = parts as [(typeof parts)[0], (typeof parts)[0]?]
    const split = held && new DocumentSplit(recipe.validation!, train, held)
    const read = await readDocuments(shard, recipe, run.made, split ?? train, told)
    await split?.flush()
    const { sha256: input_sha256, bytes, characters, chats } = read
    const chats_recipe = chats === undefined && !recipe.chats?.isAsked ? undefined : chatsId
    const key = shardKey(recipeId, shard, input_sha256, chats_recipe)
    const there = await kept(key)
    if (there !== undefined) return there // another worker was as fast
    const of = { recipe: recipeId, chats_recipe, input: inputOf(shard.path), input_sha256 }
    const known = { key, ...of, bytes, chats }
    const output = `${inputStem(name)}-${key}`
    const counted = split === undefined ? characters : null // of both together they are no one's
    const validation = await held?.finish(output, counted, known) // before the record that a next run looks for
    return { record: await train.finish(output, counted, known), validation, isKept: false }
  } finally {
    for (const part of parts) await part.end()
  }
}
