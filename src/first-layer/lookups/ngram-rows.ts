import { invalidField } from '../errors.js'
import type { RowBatch, TokenBatch } from '../windows/batch.js'
import type { DiskTable } from './disk-table.js'
import type { LookupCard, NgramsCard } from './lookup-card.js'
import { NgramIds } from './ngram-ids.js'

/** Ids before each window: the last of them, in lists; or those before the window in its document. */
export type NgramContext = 'document' | readonly (readonly number[])[]

/** @throws InletError `invalid_request` for another number of rows, too many ids in one, or ids beyond the table */
export function checkNgramContext(
  context: NgramContext,
  windows: number,
  { vocabSize, lookups }: { readonly vocabSize: number; readonly lookups?: LookupCard | undefined },
): void {
  if (context === 'document') return
  const most = lookups?.ngrams?.context ?? 0
  const isId = (id: number) => id >= 0 && id < vocabSize
  const isRow = (ids: readonly number[]) => ids.length <= most && ids.every(isId)
  const wrong = context.length === windows ? context.find((ids) => !isRow(ids)) : context
  if (wrong === undefined) return
  const rule = `must have ${windows} rows of at most ${most} ids of 0 to ${vocabSize - 1}`
  throw invalidField('ngram_context', rule, wrong)
}

/** A model's lookups in one thread: its tables on disk, open. */
export interface Lookups {
  readonly card: LookupCard
  readonly perLayer: DiskTable | undefined
  /** As the card's tables. */
  readonly ngrams: readonly DiskTable[]
  /** Closes the files. */
  close(): void
}

/** The rows of an answer, as far as its n-grams need them. */
export interface NgramBatch extends RowBatch, Pick<TokenBatch, 'count' | 'idsBefore'> {}

/** The row numbers of a batch's n-grams. */
export class BatchNgrams {
  readonly #ids: NgramIds

  constructor(
    private readonly card: NgramsCard,
    private readonly batch: NgramBatch,
    private readonly context?: NgramContext,
  ) {
    this.#ids = new NgramIds(
      card,
      card.tables.flatMap(({ hashes }) => hashes),
    )
  }

  /** [count, H]: of the tokens `first … first + count − 1` of the flattened [B, T]. */
  of(first: number, count: number): Int32Array {
    const { heads } = this.#ids
    const out = new Int32Array(count * heads)
    const { contextLength: T } = this.batch
    for (let done = 0; done < count; ) {
      const column = (first + done) % T
      const run = Math.min(T - column, count - done)
      this.#ids.fill(out, done * heads, this.#withHistory(first + done, column, run))
      done += run
    }
    return out
  }

  /** The ids of a run within one window, after the `context` ids before it. */
  #withHistory(first: number, column: number, run: number): Int32Array {
    const { fill, stopsAtFill, context: most } = this.card
    const ids = new Int32Array(most + run)
    const known = Math.min(column, most)
    const inWindow = ids.subarray(most - known)
    this.batch.fill('input_ids', inWindow, first - known)
    if (stopsAtFill) {
      const mask = new Int32Array(inWindow.length)
      this.batch.fill('attention_mask', mask, first - known)
      for (let i = 0; i < mask.length; i++) if (mask[i] === 0) inWindow[i] = fill
    }
    const wanted = most - known
    const before = this.#before(Math.floor(first / this.batch.contextLength), wanted)
    ids.fill(fill, 0, wanted - before.length)
    ids.set(before, wanted - before.length)
    return ids
  }

  /** The last ids before a window, at most `most` of them. */
  #before(window: number, most: number): ArrayLike<number> {
    if (most === 0 || this.context === undefined) return []
    if (this.context === 'document') return this.batch.idsBefore?.(window, most) ?? []
    return this.context[window]?.slice(-most) ?? []
  }
}
