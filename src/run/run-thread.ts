import { parentPort, workerData } from 'node:worker_threads'
import type { DocumentSink } from '../service/corpus/ingest/document-writer.js'
import { frameFields } from '../service/corpus/upload-fields.js'
import type { SharedModel } from './open-model.js'
import { openPlace } from './open-place.js'
import { hashOfFile } from './read/input.js'
import { readDocuments } from './read/read-documents.js'
import { openTokenizer, type Recipe, runRecipeId } from './recipe.js'
import type { ShardRecord } from './record.js'
import { inputName, inputOf, inputStem, type Shard, shardKey } from './shard.js'
import { StagingFolder } from './staging.js'
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
  readonly isKept: boolean
}

/** A thread's messages: it is ready for its first shard, or the recipe is refused; bytes that it has read; a shard's end. */
export type ThreadMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'read'; readonly bytes: number }
  | ({ readonly type: 'done' } & DoneShard)
  | { readonly type: 'refused' | 'failed'; readonly message: string }

const { out, staging, recipe, shared, thread } = workerData as ThreadData
const port = parentPort!
const say = (message: ThreadMessage) => port.postMessage(message)

try {
  const run = await open()
  port.on('message', async (shard: Shard) => {
    try {
      say({ type: 'done', ...(await doShard(shard, run)) })
    } catch (error) {
      say({ type: 'failed', message: (error as Error).message })
    }
  })
  say({ type: 'ready' })
} catch (error) {
  say({ type: 'refused', message: (error as Error).message })
}

async function open() {
  const made = await openTokenizer(recipe)
  const place = await openPlace(out, staging)
  if (shared === undefined) return { place, made }
  const { openModel } = await import('./open-model.js') // ids do without models
  const model = await openModel(recipe, shared, thread)
  const { addSpecialTokens, vocabSize } = model
  return { place, made: { ...made, addSpecialTokens, idLimit: vocabSize }, model }
}

/**
 * Makes a shard's output, unless one of the same input, name and recipe exists. The output is renamed before its record
 * is, so that a record always names a whole output.
 *
 * The name needs the input's hash. If no shard of this name was ever finished, the input is hashed while it is read;
 * otherwise it is hashed first, which is many times as fast as tokenizing.
 *
 * @throws Error of the input, the disk or the tokenizer: nothing of the shard is left
 */
async function doShard(
  shard: Shard,
  { place, made, model }: Awaited<ReturnType<typeof open>>,
): Promise<DoneShard> {
  const told = (bytes: number) => say({ type: 'read', bytes })
  const recipeId = runRecipeId(recipe)
  const name = inputName(shard.path)
  if (shard.path !== '-' && (await place.hasRecords(name))) {
    const record = await place.readRecord(name, shardKey(recipeId, shard, await hashOfFile(shard.path)))
    if (record !== undefined) {
      told(record.bytes)
      return { record, isKept: true }
    }
  }
  const folder = await place.begin()
  const output = await openOutput(recipe.to, folder, made, model)
  const staged = new StagingFolder(folder)
  try {
    let count = 0
    const sink: DocumentSink = {
      write(ids, ends) {
        count += ends.length
        return output.write(ids, ends)
      },
    }
    const { sha256: input_sha256, bytes, characters } = await readDocuments(shard, recipe, made, sink, told)
    const key = shardKey(recipeId, shard, input_sha256)
    const there = await place.readRecord(name, key)
    if (there !== undefined) return { record: there, isKept: true } // another worker was as fast
    const facts =
      count === 0
        ? { output: null, sha256: null, output_bytes: 0, documents: 0, tokens: 0 }
        : await output.commit(`${inputStem(name)}-${key}`, characters)
    const input = inputOf(shard.path)
    const own = { ...facts, characters, ...frameFields(made, made.tokenizer) }
    const record = { key, recipe: recipeId, input, input_sha256, bytes, to: recipe.to, ...own }
    await place.finish(folder, record, staged)
    return { record, isKept: false }
  } finally {
    await output.abandon()
    await staged.remove()
    await place.end(folder)
  }
}
