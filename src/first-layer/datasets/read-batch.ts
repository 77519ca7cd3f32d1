import { largeInt32Array } from '../memory.js'
import { PAUSE, type Steps, waitFor } from '../steps.js'
import { NO_TARGET } from '../windows/batch.js'
import { giveIds, SegmentBatch, takeIds } from './segment-batch.js'
import type { Corpus, Segment } from './segments.js'

/** Reads that are under way at once. */
const MOST_READS = 64
/** Most ids of one read, and most slots that it fills: 256 KiB. */
const READ_IDS = 1 << 16
/** Bytes of a token: its id and its target. */
const TOKEN_BYTES = 2 * Int32Array.BYTES_PER_ELEMENT
/** Bytes of a row: its window's number, its dataset, the segments and tokens before it. The caller who lists rows reserves them. */
export const ROW_BYTES = 20

/** The windows of a batch, row by row: an object for each that stays would be a mark of the collector's for each. */
export interface BatchRows {
  /** B */
  readonly count: number
  corpus(row: number): Corpus
  segments(row: number): readonly Segment[]
  /** [B]: a mixture's dataset of each row. */
  readonly datasetIndex?: Int32Array
}

/** How rows become a batch. */
export interface RowRule {
  /** T. */
  readonly contextLength: number
  readonly padTokenId: number
  /** Whether the target of a document's last token is the next document's first, as under `concat`. */
  readonly isStream: boolean
  /** Positions start again with each segment. */
  readonly isPacked: boolean
  /** Whether windows may hold fewer than T tokens. */
  readonly canPad: boolean
}

/**
 * Reads the ids of the rows and of their targets. The reads go out together, up to {@link MOST_READS}; rows that stand side
 * by side in their dataset are one read. Reserves the tokens, and what the reads hold, which is given back at the end.
 */
export function* readBatch(rows: BatchRows, rule: RowRule): Steps<SegmentBatch> {
  const { contextLength, isPacked, padTokenId } = rule
  const { count, datasetIndex } = rows
  const tokensBefore = rule.canPad ? yield* countTokens(rows) : undefined
  const tokens = tokensBefore?.[count] ?? count * contextLength
  const readBytes = Int32Array.BYTES_PER_ELEMENT * Math.min(2 * tokens, MOST_READS * (READ_IDS + 1))
  yield tokens * TOKEN_BYTES + readBytes
  const filling = new Filling(tokens)
  const segmentsBefore = largeInt32Array(count + 1)
  const underWay: Promise<void>[] = []
  let read: Read | undefined
  let at = 0
  for (let row = 0; row < count; row++) {
    const corpus = rows.corpus(row)
    const segments = rows.segments(row)
    const begin = at
    for (const segment of segments) {
      for (const piece of piecesOf(segment, corpus, at, rule.isStream)) {
        if (read?.add(corpus, piece)) continue
        if (read !== undefined) yield* send(read, filling, underWay)
        read = new Read(corpus, piece)
      }
      at += segment.length
    }
    const hasPadding = at - begin < contextLength
    segmentsBefore[row + 1] = segmentsBefore[row] + segments.length + (hasPadding ? 1 : 0)
    yield PAUSE
  }
  if (read !== undefined) yield* send(read, filling, underWay)
  for (const reading of underWay) yield* waitFor(reading)
  yield -readBytes
  const { inputIds, targetIds, largestId } = filling
  return new SegmentBatch({
    ...{ count, segments: (row: number) => rows.segments(row), contextLength, isPacked, padTokenId },
    ...{ inputIds, targetIds, segmentsBefore, largestId, datasetIndex },
    tokensBefore: tokens < count * contextLength ? tokensBefore : undefined,
  })
}

/** Tokens of the rows before each row, and behind the last of all. */
function* countTokens({ count, segments }: BatchRows): Steps<Int32Array> {
  const before = largeInt32Array(count + 1)
  for (let row = 0; row < count; row++) {
    before[row + 1] = segments(row).reduce((sum, { length }) => sum + length, before[row])
    yield PAUSE
  }
  return before
}

/** Sends a read out, and waits for the oldest one where there are as many as there may be. */
function* send(read: Read, filling: Filling, underWay: Promise<void>[]): Steps<void> {
  const ids = takeIds(read.length)
  const wait = read.corpus.source.read(read.place, ids)
  const take = () => {
    filling.take(read, ids)
    giveIds(ids)
  }
  if (wait === undefined) {
    take()
    yield PAUSE
    return
  }
  const reading = wait.then(take)
  reading.catch(() => {}) // the caller gets the error when it waits for this read, unless another read failed first
  underWay.push(reading)
  if (underWay.length >= MOST_READS) yield* waitFor(underWay.shift()!)
}

/** Ids that stand side by side, and the slots that they fill: rows stand there without their padding. */
interface Piece {
  /** The first id. */
  readonly place: number
  readonly slot: number
  /** Slots from `slot` on that get ids from `place` on. */
  readonly inputs: number
  /** Slots from `slot` on that have a target, the id after theirs. */
  readonly targets: number
}

/** A segment, cut where it is longer than a read. */
function* piecesOf(
  { document, start, length }: Segment,
  { documents }: Corpus,
  slot: number,
  isStream: boolean,
): Generator<Piece, void, void> {
  const place = documents.start(document) + start
  const end = isStream ? documents.totalTokens : documents.start(document + 1)
  for (let done = 0; done < length; done += READ_IDS) {
    const inputs = Math.min(READ_IDS, length - done)
    const targets = Math.min(inputs, end - place - done - 1)
    yield { place: place + done, slot: slot + done, inputs, targets }
  }
}

/** One read: the ids of one piece, or of several that follow on each other. */
class Read {
  readonly place: number
  readonly pieces: Piece[]
  #end: number
  #slots: number

  constructor(
    readonly corpus: Corpus,
    piece: Piece,
  ) {
    this.place = piece.place
    this.pieces = [piece]
    this.#end = endOf(piece)
    this.#slots = piece.inputs
  }

  get length(): number {
    return this.#end - this.place
  }

  /** Adds a piece that begins within these ids or directly after them; false: the piece needs another read. */
  add(corpus: Corpus, piece: Piece): boolean {
    const end = Math.max(this.#end, endOf(piece))
    const slots = this.#slots + piece.inputs
    const isNext = corpus === this.corpus && piece.place >= this.place && piece.place <= this.#end
    if (!isNext || end - this.place > READ_IDS || slots > READ_IDS) return false
    this.pieces.push(piece)
    this.#end = end
    this.#slots = slots
    return true
  }
}

/** The place after the last id of a piece, targets included. */
function endOf({ place, inputs, targets }: Piece): number {
  return place + Math.max(inputs, targets + 1)
}

/** The ids and targets of a batch while they are read. */
class Filling {
  readonly inputIds: Int32Array<ArrayBuffer>
  readonly targetIds: Int32Array<ArrayBuffer>
  largestId = -1

  constructor(tokens: number) {
    this.inputIds = takeIds(tokens)
    this.targetIds = takeIds(tokens)
  }

  /** Copies what has been read to its slots. */
  take(read: Read, ids: Int32Array): void {
    const { inputIds, targetIds } = this
    let largest = this.largestId
    for (const { place, slot, inputs, targets } of read.pieces) {
      const from = place - read.place
      for (let i = from; i < from + inputs; i++) if (ids[i] > largest) largest = ids[i]
      inputIds.set(ids.subarray(from, from + inputs), slot)
      targetIds.set(ids.subarray(from + 1, from + 1 + targets), slot)
      if (targets < inputs) targetIds[slot + targets] = NO_TARGET
    }
    this.largestId = largest
  }
}
