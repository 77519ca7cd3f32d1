import type { Bound, Library } from './library.js'

/** How often the keeper hears which models are used in a thread. */
const USED_MS = 1000

/** Tells now and then which models a thread has used: the keeper unloads those used least recently. @returns ends it */
export function tellUses<Model extends Bound>(
  library: Library<Model>,
  tell: (models: readonly string[]) => void,
): () => void {
  const look = setInterval(() => {
    const used = library.takeUsed()
    if (used.length > 0) tell(used)
  }, USED_MS).unref()
  return () => clearInterval(look)
}
