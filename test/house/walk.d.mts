/** A small request for embeddings. */
export const SMALL: string
/** Starts the service and gives file of src → number of calls for one warm request: a POST, or a GET without a body. */
export function walk(path: string, body: string | undefined): Promise<ReadonlyMap<string, number>>
