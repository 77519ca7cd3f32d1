import { parentPort, workerData } from 'node:worker_threads'
import type { DocumentSink } from '../service/corpus/ingest/document-writer.js'
import { Aside } from './aside.js'
import type { OpenModel, SharedModel } from './open-model.js'
import { hashOfFile } from './read/input.js'
import { readDocuments } from './read/read-documents.js'
import { type Recipe, runRecipeId } from './recipe.js'
import { folderPlace, type RunPlace, type ShardRecord } from './record.js'
import { inputName, inputStem, type Shard, shardKey } from './shard.js'
import { type OpenTokenizer, openTokenizer } from './tokenizer.js'
import { openOutput } from './write/open-output.js'
import type { OutputFacts } from './write/output.js'

/** What a thread is started with. */
export interface ThreadData {
  readonly out: string
  /** Where `out` is a bucket: a folder of this machine in which outputs are made. */
  readonly staging?: string | undefined
  readonly recipe: Recipe
  /** Present for embeddings: the model with its tables, and this thread's number, from 0, among those that share them. */
  readonly shared?: SharedModel | undefined
  readonly thread: number
}

/** A thread's messages: it is ready for its first shard, or the recipe is refused; bytes that it has read; a shard's end. */
export type ThreadMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'refused'; readonly message: string }
  | { readonly type: 'read'; readonly bytes: number }
  | ({ readonly type: 'done' } & DoneShard)
  | { readonly type: 'failed'; readonly message: string }

const { out, staging, recipe, shared, thread } = workerData as ThreadData
const port = parentPort!
const say = (message: ThreadMessage) => port.postMessage(message)

try {
  const run = await open()
  port.on('message', async (shard: Shard) => {
    try {
      const done = await doShard(shard, run, (bytes) => say({ type: 'read', bytes }))
      say({ type: 'done', ...done })
    } catch (error) {
      say({ type: 'failed', message: (error as Error).message })
    }
  })
  say({ type: 'ready' })
} catch (error) {
  say({ type: 'refused', message: (error as Error).message })
}

async function openPlace(): Promise<RunPlace> {
  if (staging === undefined) return folderPlace(out)
  const { bucketPlace } = await import('./bucket-place.js') // who names no bucket does without
  return bucketPlace(out, staging)
}

async function open(): Promise<OpenRun> {
  const made = await openTokenizer(recipe)
  const place = await openPlace()
  if (shared === undefined) return { place, recipe, made }
  const { openModel } = await import('./open-model.js') // ids do without models
  const model = await openModel(recipe, shared, thread)
  const { addSpecialTokens, vocabSize } = model
  return { place, recipe, made: { ...made, addSpecialTokens, idLimit: vocabSize }, model }
}

/** What a thread has open for all its shards. */
interface OpenRun {
  readonly place: RunPlace
  readonly recipe: Recipe
  readonly made: OpenTokenizer
  /** Present for embeddings. */
  readonly model?: OpenModel | undefined
}

/** Of an input without documents. */
const NO_OUTPUT: OutputFacts = { output: null, sha256: null, output_bytes: 0, documents: 0, tokens: 0 }

/** A finished shard, and whether it was there before. */
export interface DoneShard {
  readonly record: ShardRecord
  readonly isKept: boolean
}

/**
 * Makes a shard's output, once: one of the same input, name and recipe that is there is kept. The output has its name, by
 * one renaming, before its record has, so that a record always names a whole output.
 *
 * The name needs the input's hash. Where no shard of this name was ever finished, there is nothing to keep, and the hash
 * is taken while the input is read; else the file is hashed first, many times as fast as it is tokenized.
 *
 * @param told called with the bytes of each read
 * @throws Error of the input, the disk or the tokenizer: nothing of the shard is left
 */
async function doShard(shard: Shard, run: OpenRun, told: (bytes: number) => void): Promise<DoneShard> {
  const { place, recipe, made, model } = run
  const recipeId = runRecipeId(recipe)
  const input = inputName(shard)
  if (shard.path !== '-' && (await place.hasRecords(input))) {
    const sha256 = await hashOfFile(shard.path, () => {})
    const record = await place.readRecord(input, shardKey(recipeId, shard, sha256))
    if (record !== undefined) {
      told(record.bytes)
      return { record, isKept: true }
    }
  }
  const out = await place.begin()
  const output = await openOutput(recipe.to, { out, made, model })
  const aside = new Aside(out)
  try {
    let count = 0
    const sink: DocumentSink = {
      write(ids, ends) {
        count += ends.length
        return output.write(ids, ends)
      },
    }
    const { sha256: inputSha256, bytes, characters } = await readDocuments(shard, recipe, made, sink, told)
    const key = shardKey(recipeId, shard, inputSha256)
    const name = `${inputStem(input)}-${key}`
    const facts = count === 0 ? NO_OUTPUT : await output.commit({ name, characters })
    const there = await place.readRecord(input, key)
    if (there !== undefined) return { record: there, isKept: true } // another worker was as fast
    const record = {
      ...{ key, recipe: recipeId, input, input_sha256: inputSha256, bytes, to: recipe.to },
      ...facts,
      characters,
    }
    await place.finish(out, record, aside)
    return { record, isKept: false }
  } finally {
    await output.abandon()
    await aside.remove()
    await place.end(out)
  }
}
