import { Worker } from 'node:worker_threads'
import { allocateTables, type SharedTables, type TableSpec } from '../embeddings/tables.js'
import { packageFile } from '../package-file.js'

/** What the drawing thread is born with. */
export interface Drawing {
  readonly spec: TableSpec
  readonly tables: SharedTables
}

/**
 * Draws a model's tables, with scratch space for `threads` threads, in a thread of its own: the caller's loads all else
 * that a service needs in the meantime, which takes as long.
 *
 * @param progress told now and then which share is done, 0 … 1
 */
export function drawInThread(
  spec: TableSpec,
  threads: number,
  progress: (share: number) => void = () => {},
): Promise<SharedTables> {
  return new Promise((resolve, reject) => {
    const tables = allocateTables(spec, threads)
    const drawing: Drawing = { spec, tables }
    new Worker(packageFile('dist/draw.js'), { workerData: drawing })
      .on('error', reject)
      .on('message', (share: number) => {
        progress(share)
        if (share === 1) resolve(tables)
      })
  })
}
