import type { ModelCard } from '../first-layer/cards/model-card.js'
import type { CheckpointFile } from '../first-layer/learning/restore.js'
import type { Journal, JournalCall } from './journal.js'

/** What a restart puts together again. */
export interface Replay<State> {
  /** The state that the checkpoint has. */
  restore(checkpoint: CheckpointFile): State
  /** A call again, in its order. */
  again(state: State, call: JournalCall): void
}

/** Bytes behind a log's last record: a call that the process did not finish writing, and did not answer. */
export interface TornTail {
  readonly file: string
  readonly offset: number
  readonly bytes: number
}

/** A journal that goes on, and the state that its last call left. */
export interface Reopened<State> {
  readonly state: State
  readonly journal: Journal
  readonly torn: TornTail | undefined
}

/**
 * Keeps the journals of all models that learn. The thread that learns gets one at its start (`threads/learn.ts`), which is
 * where the one on the disk is made of `DATA_DIR`.
 *
 * Without one, learning is in memory alone.
 */
export interface Journals {
  /**
   * Begins the journal of a model that begins to learn.
   *
   * @param checkpoint a safetensors file with all tables of the model
   * @throws InletError where it cannot be on the disk: then the model does not learn
   */
  begin(card: ModelCard, checkpoint: Iterable<Uint8Array>): Journal
  /**
   * Goes on with the journal that another process, or thread, has left.
   *
   * @throws Error that names what cannot be read, and where; InletError `model_failed` where another process has it
   */
  reopen<State>(card: ModelCard, replay: Replay<State>): Reopened<State>
  /** Makes a journal durable, and lets other processes have it. */
  close(id: string): void
  /** The model learns no more, or is deleted: nothing of it stays. */
  remove(id: string): void
}
