import { ClientGone } from '../../load/client-gone.js'
import { heavy } from '../../load/heavy.js'
import type { StopSignal } from '../../turn.js'
import type { DrawnTogether } from './kept-tables.js'

const inProgress = new Map<string, SharedDrawing>()

/**
 * Draws tables once for all who ask for them meanwhile, as heavy work; it goes on as long as one of them is there.
 *
 * @param draw asks the signal that it is given between its steps
 * @throws what `signal` throws, once its caller is gone
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
    // In a later microtask, when the first caller is in.
    this.tables = Promise.resolve()
      .then(() => heavy(this, () => draw(this)))
      .finally(() => this.#end())
  }

  /** Goes on for the first caller that is still there. */
  throwIfAborted(): void {
    for (const caller of this.callers) {
      if (isThere(caller)) return
      this.callers.delete(caller)
    }
    this.#end() // who asks from now on begins anew
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
