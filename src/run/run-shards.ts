import { join } from 'node:path'
import { FOLDER } from '../corpus/folders.js'
import { makeFolder, removeAbandoned, removeOwn } from '../files/aside.js'
import { isLocation } from './objects/location.js'
import { inStaging } from './place.js'
import { VALIDATION } from './recipe.js'
import type { DoneShard, ThreadData } from './run-thread.js'
import type { Shard } from './shard.js'
import { type Ended, inThreads } from './threads.js'

interface RunOptions extends Omit<ThreadData, 'thread' | 'staging'> {
  readonly shards: readonly Shard[]
  readonly threads: number
  readonly signal: AbortSignal
  read(bytes: number): void
  ended(ended: Ended<DoneShard>): void
}

/**
 * Makes the output of every shard. Those of a bucket are made in a folder of this machine.
 *
 * @throws RecipeRefused before the first shard; the signal's reason
 */
export async function runShards({ out, recipe, shared, ...work }: RunOptions): Promise<void> {
  const { signal } = work
  const run = (staging?: string) =>
    inThreads({ ...work, file: 'run-thread.js', data: { out, staging, recipe, shared } })
  if (isLocation(out)) await inStaging(run)
  else {
    const outs = recipe.validation === undefined ? [out] : [out, join(out, VALIDATION)]
    const folders = outs.flatMap((each) => [each, join(each, FOLDER)])
    for (const each of outs) await makeFolder(join(each, FOLDER))
    for (const folder of folders) await removeAbandoned(folder, () => {})
    await run().finally(async () => {
      if (signal.aborted) for (const folder of folders) await removeOwn(folder)
    })
  }
  signal.throwIfAborted()
}
