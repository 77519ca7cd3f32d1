import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

type Collect = (options?: { readonly type: 'minor' }) => void

let collect: Collect | undefined

/** Runs the collector of this thread. V8 runs it only when code allocates memory, and a thread at rest allocates none. */
export function collectGarbage(): void {
  collector()()
}

/**
 * Collects what was made since V8 collected last: two milliseconds, and V8 forgets no code for it, as it does for all
 * objects. Twice, for the first run finds buffers that nobody has, and the second gives their memory back.
 */
export function collectYoung(): void {
  for (let run = 0; run < 2; run++) collector()({ type: 'minor' })
}

function collector(): Collect {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as Collect
  }
  return collect
}
