import { parentPort, workerData } from 'node:worker_threads'
import type { Cutting } from '../../first-layer/tokens/training/cutting.js'
import { type CountedPieces, PieceCounter } from '../../first-layer/tokens/training/piece-counter.js'
import type { Recipe } from '../recipe.js'
import type { Shard } from '../shard.js'
import { type CountedInput, countInput } from './count-input.js'

export interface CountData {
  readonly cutting: Cutting
  readonly recipe: Pick<Recipe, 'documents' | 'textColumn'>
}

/** A thread's messages: bytes that it has read; the end of an input, with its pieces; a failure. */
export type CountMessage =
  | { readonly read: number }
  | { readonly input: CountedInput; readonly pieces: CountedPieces }
  | { readonly error: string }

const { cutting, recipe } = workerData as CountData
const port = parentPort!
const say = (message: CountMessage, buffers: readonly ArrayBuffer[] = []) =>
  port.postMessage(message, buffers)

port.on('message', async (shard: Shard) => {
  try {
    const counter = new PieceCounter(cutting)
    const input = await countInput(shard, recipe, counter, (read) => say({ read }))
    const pieces = counter.take()
    say({ input, pieces }, [pieces.bytes.buffer, pieces.ends.buffer, pieces.counts.buffer])
  } catch (error) {
    say({ error: (error as Error).message })
  }
})
