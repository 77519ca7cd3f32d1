/** A small request for embeddings. */
export const SMALL: string

interface Requested {
  readonly path: string
  readonly body?: string
}

/** All calls of a walk. */
export function sum(files: ReadonlyMap<string, number>): number

/** Starts the service and gives file of src → number of calls for each warm request: a POST, or a GET without a body. */
export function walk(requests: readonly Requested[]): Promise<readonly ReadonlyMap<string, number>[]>
