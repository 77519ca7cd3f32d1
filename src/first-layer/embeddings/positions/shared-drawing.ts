import { ClientGone } from '../../../load/client-gone.js'
import { heavy } from '../../../load/heavy.js'
import type { StopSignal } from '../../../turn.js'
import type { DrawnTogether } from './kept-tables.js'

const inProgress = new Map<string, SharedDrawing>()

/**
 * Draws tables once for all callers that ask for the same ones meanwhile, as heavy work. The drawing stops when
 * all these callers have gone.
 *
 * @param draw must ask its signal between its steps
 * @throws what `signal` throws when its caller has gone
 */
export async function drawShared(
  key: string,
  signal: StopSignal,
  draw: (signal: StopSignal) => Promise<DrawnTogether>,
): Promise<DrawnTogether> {
  const drawing = inProgress.get(key) ?? new SharedDrawing(key, draw)
  drawing.callers.add(signal)
  try {
    return await drawing.tables
  } finally {
    signal.throwIfAborted()
  }
}

class SharedDrawing implements StopSignal {
  readonly callers = new Set<StopSignal>()
  readonly tables: Promise<DrawnTogether>

  constructor(
    private readonly key: string,
    draw: (signal: StopSignal) => Promise<DrawnTogether>,
  ) {
    inProgress.set(key, this)
    // The drawing begins in a later microtask, when `callers` has the first caller.
    this.tables = Promise.resolve()
      .then(() => heavy(this, () => draw(this)))
      .finally(() => this.#end())
  }

  /** Returns if any caller is still there; otherwise stops the drawing. */
  throwIfAborted(): void {
    for (const caller of this.callers) {
      if (isThere(caller)) return
      this.callers.delete(caller)
    }
    this.#end() // a later caller starts a new drawing
    throw new ClientGone()
  }

  #end(): void {
    if (inProgress.get(this.key) === this) inProgress.delete(this.key)
  }
}

function isThere(caller: StopSignal): boolean {
  try {
    caller.throwIfAborted()
    return true
  } catch {
    return false
  }
}
