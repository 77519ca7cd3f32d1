import { counted, type ErrorCode, InletError } from '../errors.js'
import { MAX_PERMUTATION, shuffledOrder } from '../random/permutation.js'
import type { DocumentLengths, IdDocuments } from './documents.js'
import type { Windows } from './windows.js'

/** Which windows of a loader a request asks for; the loader is PyTorch's `DataLoader` with `num_workers=0`. */
interface BatchRule {
  readonly batch_size?: number
  readonly batch_index?: number
  readonly drop_last: boolean
}

/**
 * How many batches `numWindows` windows give: 1286 in batches of 8 → 161, or 160 and 6 windows of a last, short one dropped
 * under `dropLast`.
 */
export function countBatches(numWindows: number, batchSize: number, dropLast: boolean) {
  const remainder = numWindows % batchSize
  if (dropLast) return { numBatches: (numWindows - remainder) / batchSize, numDroppedWindows: remainder }
  return { numBatches: Math.ceil(numWindows / batchSize), numDroppedWindows: 0 }
}

/**
 * The places in loader order, `from` (included) to `to` (excluded), that the answer holds: one batch where
 * `batch_index` is given, otherwise all that `drop_last` leaves. Batch 160 of 1286 windows by 8 → 1280 … 1286.
 */
export function selectPlaces(numWindows: number, rule: BatchRule): { from: number; to: number } {
  const { batch_size, batch_index, drop_last } = rule
  if (batch_size === undefined) return { from: 0, to: numWindows }
  const end = numWindows - countBatches(numWindows, batch_size, drop_last).numDroppedWindows
  if (batch_index === undefined) return { from: 0, to: end }
  return { from: Math.min(batch_index * batch_size, end), to: Math.min((batch_index + 1) * batch_size, end) }
}

/** The tensors that are known without a model. */
export const ID_OUTPUTS = [
  'input_ids',
  'target_ids',
  'attention_mask',
  'position_ids',
  'document_ids',
  'window_starts',
] as const

/** Those of chats: of tokens that are trained. */
export const MASK_OUTPUTS = ['loss_mask', 'labels'] as const

/**
 * The tensors of ids of a batch: [B, T], one number for each slot, or [B].
 *
 * - `input_ids`: padded with the pad token
 * - `target_ids`: the token after each input, −100 without one
 * - `attention_mask`: 1 at a token, 0 at padding
 * - `position_ids`
 * - `document_ids`, `window_starts` [B]: the window's first token, counted in its document
 * - `loss_mask`: whether the token itself is trained; 0 at padding
 * - `labels`, for models that shift by themselves: the token where it is trained and not its segment's first, else −100
 */
export type IdName = (typeof ID_OUTPUTS | typeof MASK_OUTPUTS)[number]

/** The rows of one answer, B of them, each of T slots. */
export interface TokenBatch {
  /** B. */
  readonly count: number
  /** T. */
  readonly contextLength: number
  /**
   * Writes the row-major elements `first … first + out.length − 1` of a tensor, so that one of any size is made block by
   * block.
   *
   * @param offset the position of a first token
   */
  fill(name: IdName, out: Int32Array, first: number, offset?: number): void
  /** The last ids before window `row` in its document, at most `most`. */
  idsBefore?(row: number, most: number): Int32Array
}

/** A batch, as far as its rows depend on it. */
export interface RowBatch extends Pick<TokenBatch, 'contextLength'> {
  fill(name: 'input_ids' | 'attention_mask', out: Int32Array, first: number): void
}

/** The value in `target_ids` without a next token: PyTorch's `ignore_index`. */
export const NO_TARGET = -100

/** A 1 for each token. */
const ONES: Pick<IdDocuments, 'copyTo'> = {
  copyTo: (out, at, _d, _start, count) => out.fill(1, at, at + count),
}

/** The windows of an epoch that the loader would give under a rule, one batch or all, made from the request's documents. */
export class WindowBatch implements TokenBatch {
  readonly count: number
  readonly contextLength: number
  /** First place of the answer. */
  readonly #from: number

  /** @param order of {@link loaderOrder} */
  constructor(
    private readonly epoch: Epoch,
    private readonly order: Int32Array | undefined,
    rule: BatchRule,
    private readonly padTokenId: number,
  ) {
    const { from, to } = selectPlaces(epoch.windows.count, rule)
    this.#from = from
    this.count = to - from
    this.contextLength = epoch.windows.contextLength
  }

  fill(name: IdName, out: Int32Array, first: number, offset = 0): void {
    const { contextLength } = this
    const { documents, trained = documents } = this.epoch
    switch (name) {
      case 'input_ids':
        this.fillFrom(documents, out, first, 0, this.padTokenId)
        break
      case 'target_ids':
        this.fillFrom(trained, out, first, 1, NO_TARGET)
        break
      case 'attention_mask':
        this.fillFrom(ONES, out, first, 0, 0)
        break
      case 'position_ids':
        for (let i = 0; i < out.length; i++) out[i] = offset + ((first + i) % contextLength)
        break
      case 'document_ids':
        for (let i = 0; i < out.length; i++) out[i] = this.locate(first + i).document
        break
      case 'window_starts':
        for (let i = 0; i < out.length; i++) out[i] = this.locate(first + i).start
        break
      case 'loss_mask':
        this.fillFrom(trained, out, first, 0, NO_TARGET)
        for (let i = 0; i < out.length; i++) out[i] = out[i] === NO_TARGET ? 0 : 1
        break
      case 'labels':
        this.fillFrom(trained, out, first, 0, NO_TARGET)
        for (let i = 0; i < out.length; i++) if ((first + i) % contextLength === 0) out[i] = NO_TARGET
    }
  }

  /** Numbers that go with the tokens one by one, as token types do: [B, T], 0 at padding, or all 0 without any. */
  fillAligned(aligned: IdDocuments | undefined, out: Int32Array, first: number): void {
    if (aligned === undefined) out.fill(0)
    else this.fillFrom(aligned, out, first, 0, 0)
  }

  idsBefore(row: number, most: number): Int32Array {
    const { document, start } = this.locate(row)
    const ids = new Int32Array(Math.min(start, most))
    this.epoch.documents.copyTo(ids, 0, document, start - ids.length, ids.length)
    return ids
  }

  /** Numbers of each token's own, or, with a `shift`, of a later one; `padding` where there is none. */
  private fillFrom(
    source: Pick<IdDocuments, 'copyTo'>,
    out: Int32Array,
    first: number,
    shift: number,
    padding: number,
  ): void {
    const { contextLength } = this
    const { documents } = this.epoch
    let row = Math.floor(first / contextLength)
    let column = first - row * contextLength
    for (let at = 0; at < out.length; row++, column = 0) {
      const count = Math.min(contextLength - column, out.length - at)
      const { document, start } = this.locate(row)
      const from = start + column + shift
      const tokens = Math.min(count, Math.max(0, documents.length(document) - from))
      if (tokens > 0) source.copyTo(out, at, document, from, tokens)
      if (tokens < count) out.fill(padding, at + tokens, at + count) // a call of V8's runtime, even for nothing
      at += count
    }
  }

  private locate(row: number): { document: number; start: number } {
    const place = this.#from + row
    return this.epoch.windows.locate(this.order === undefined ? place : this.order[place])
  }
}

/** Which windows, in which order, of PyTorch's `DataLoader`. */
export interface LoaderRule extends BatchRule {
  readonly shuffle: boolean
  readonly seed?: bigint
  readonly epoch: number
}

/** The windows of which the loader makes batches. */
export interface Epoch {
  readonly documents: IdDocuments
  readonly windows: Windows
  /** The documents with −100 for what is not trained; absent: all is. */
  readonly trained?: IdDocuments | undefined
}

/**
 * Whether the loader has what `rule` asks for.
 *
 * @throws InletError `no_windows` when there is none, `batch_out_of_range`, `unsupported_combination` for more
 * windows than can be shuffled
 */
export function checkLoader(windows: Windows, documents: DocumentLengths, rule: LoaderRule): void {
  const { batch_size, batch_index, drop_last } = rule
  const needed = windows.contextLength + 1
  const refuse = (code: ErrorCode, field: string, why: string) => {
    throw new InletError(code, `\`${field}\` ${why}`, field)
  }
  if (windows.count === 0) {
    const longest =
      counted(documents.longest, 'token') + (documents.count === 1 ? '' : ' in the longest document')
    const hint = '`tail` "pad" makes one of fewer, and without `context_length` a document is one'
    const rule = `${windows.contextLength} needs ${needed} tokens for a window and its target: ${hint}`
    refuse('no_windows', 'context_length', `${rule}. Given: ${longest}`)
  }
  if (batch_size !== undefined) {
    const { numBatches } = countBatches(windows.count, batch_size, drop_last)
    if (numBatches === 0) {
      const rule = `${batch_size} under \`drop_last\` needs ${counted(batch_size, 'window')} of ${needed} tokens`
      const given = `${counted(windows.count, 'window')} of ${counted(documents.totalTokens, 'token')}`
      refuse('no_windows', 'batch_size', `${rule}. Given: ${given}`)
    }
    if (batch_index !== undefined && batch_index >= numBatches) {
      const rule = `must be below the number of batches, ${numBatches}`
      refuse('batch_out_of_range', 'batch_index', `${rule}. Given: ${batch_index}`)
    }
  }
  if (!rule.shuffle || windows.count <= MAX_PERMUTATION) return
  const most = `must have at most ${MAX_PERMUTATION} windows`
  refuse('unsupported_combination', 'shuffle', `${most}. Given: ${windows.count}`)
}

/**
 * The order in which the loader gives so many windows: place → window; undefined: their own. A shuffle takes about 30 ns
 * a window.
 */
export function loaderOrder(count: number, { shuffle, seed, epoch }: LoaderRule): Int32Array | undefined {
  return shuffle && seed !== undefined ? shuffledOrder(count, seed, epoch) : undefined
}
