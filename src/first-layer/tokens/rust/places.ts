import { availableParallelism } from 'node:os'

/** Jobs of one tokenizer at once. Each needs a core; the memory that they take is counted besides. */
export const PLACES = Math.min(4, availableParallelism())

/** One more, for a short job. */
export const LIBRARY_THREADS = PLACES + 1
