import { parentPort, workerData } from 'node:worker_threads'
import { type DoneShard, doShard, type OpenRun } from './do-shard.js'
import type { SharedModel } from './open-model.js'
import type { Recipe } from './recipe.js'
import { folderPlace, type RunPlace } from './run-place.js'
import type { Shard } from './shard.js'
import { openTokenizer } from './tokenizer.js'

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
