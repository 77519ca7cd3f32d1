/** Below this, a body's first piece waits for the next one: to copy it takes less time than a write of its own. */
const START_BYTES = 1 << 16

/**
 * The pieces of a body in lists of what goes together: a small first one goes with the one behind it, for a write of its
 * own would wake the upstream for nothing: a, b, c → [a, b], [c]. A list is good until the next one is asked for.
 */
export async function* withStart(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly Uint8Array[], void, void> {
  let start: readonly Uint8Array[] = []
  let isFirst = true
  for await (const piece of pieces) {
    if (isFirst && piece.length < START_BYTES)
      start = [Buffer.from(piece)] // a copy, for the next piece is asked for
    else {
      yield [...start, piece]
      start = []
    }
    isFirst = false
  }
  if (start.length > 0) yield start
}
