import type { Bucket } from './bucket.js'

/** Bytes of all objects of a bucket's datasets: uploads on their way are not among them. */
export async function bucketUsage({ store, datasets, uploads }: Bucket): Promise<number> {
  let sum = 0
  for (const prefix of [datasets, uploads]) for await (const { bytes } of store.list(prefix)) sum += bytes
  return sum
}
