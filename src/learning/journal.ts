import type { Part } from '../first-layer/learning/parts.js'

/**
 * A call as the log keeps it: replaying the calls in their order from the checkpoint on gives the same bits.
 *
 * The learning thread gets a function that opens the journal of a model (`OpenJournal`). What it finds there, checkpoint
 * and calls since, is replayed by the same code that carries out calls of callers, so that no second path makes state.
 */
export interface JournalCall {
  readonly kind: 'gradients' | 'step'
  readonly writer: string
  /** From 1, one up with each call of this writer. */
  readonly sequence: number
  /** Of the content, in hex: the same content has the same one. */
  readonly digest: string
  readonly part?: Part
  /** JSON-able: the query of gradients (`position_offset`), the options of a step. */
  readonly options: Readonly<Record<string, unknown>>
  /** The body of gradients: safetensors as it came. Empty for a step. */
  readonly body: Uint8Array
}

/** The log of one model that learns. The thread that learns calls it, and may wait for the disk in it. */
export interface Journal {
  /**
   * Returns when the call is on the disk (fsync under LEARNING_SYNC=always).
   *
   * @throws InletError where it cannot be: nothing of it is there then
   */
  append(call: JournalCall): void
  /** Bytes of the log since the last checkpoint. */
  readonly bytes: number
  /**
   * Writes a checkpoint aside, fsyncs, renames, begins a new log: in pieces, between which nothing is appended and the
   * checkpoint stays as it is. Where it throws, the log goes on.
   */
  folding(checkpoint: Iterable<Uint8Array>): Generator<void, void, void>
  /** The same at once. */
  fold(checkpoint: Iterable<Uint8Array>): void
  close(): void
}
