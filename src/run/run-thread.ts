import { parentPort, workerData } from 'node:worker_threads'
import { type DoneShard, doShard } from './do-shard.js'
import type { Recipe } from './recipe.js'
import type { Shard } from './shard.js'
import { openTokenizer } from './tokenizer.js'

/** What a thread is started with. */
export interface ThreadData {
  readonly out: string
  readonly recipe: Recipe
}

/** A thread's messages: it is ready for its first shard, or the recipe is refused; bytes that it has read; a shard's end. */
export type ThreadMessage =
  | { readonly type: 'ready' }
  | { readonly type: 'refused'; readonly message: string }
  | { readonly type: 'read'; readonly bytes: number }
  | ({ readonly type: 'done' } & DoneShard)
  | { readonly type: 'failed'; readonly message: string }

const { out, recipe } = workerData as ThreadData
const port = parentPort!
const say = (message: ThreadMessage) => port.postMessage(message)

try {
  const run = { out, recipe, made: await openTokenizer(recipe) }
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
