import { largeInt32Array } from '../memory.js'
import { NO_TARGET } from '../windows/batch.js'
import { giveIds, SegmentBatch, takeIds } from './segment-batch.js'
import { type Corpus, countTargets, type Segment } from './segments.js'
import { isTrained } from './token-mask.js'

/** Reads that are under way at once. */
const MOST_READS = 64
/** Most ids of one read, and most slots that it fills: 256 KiB. */
const READ_IDS = 1 << 16
/** Bytes of a slot: its id and its target. */
const SLOT_BYTES = 2 * Int32Array.BYTES_PER_ELEMENT
/** Bytes of a row: its window's number, its dataset, the segments before it. */
const ROW_BYTES = 16

/**
 * Called between two rows: a promise where others wait for the thread. What it rejects with ends the work.
 */
export type Pace = () => Promise<void> | undefined

/** A batch that is known and not yet read. */
export interface PlannedBatch {
  /** Most bytes that it takes, and as many of them as only its reading does. */
  readonly bytes: number
  readonly readingBytes: number
  /** B */
  readonly count: number
  /** Which tokens its rows hold: nothing is read. */
  rows(pace?: Pace): Promise<BatchRows>
  read(pace?: Pace): Promise<SegmentBatch>
  /** Trained targets of its rows. */
  targets(pace?: Pace): Promise<number>
}

/** The windows of a batch, row by row: an object for each that stays would be a mark of the collector's for each. */
export interface BatchRows {
  corpus(row: number): Corpus
  segments(row: number): readonly Segment[]
  /** [B]: a mixture's dataset of each row. */
  readonly datasetIndex?: Int32Array
}

/** How rows become a batch. */
export interface RowRule {
  /** T. */
  readonly contextLength: number
  /** W: most tokens of a window. Padding behind them takes no memory. */
  readonly width: number
  readonly padTokenId: number
  /** Whether the target of a document's last token is the next document's first, as under `concat`. */
  readonly isStream: boolean
  /** Positions start again with each segment. */
  readonly isPacked: boolean
  /** Whether a corpus has a mask. */
  readonly isMasked: boolean
}

/** @param choose finds the windows of all rows, before anything is read */
export function plannedBatch(
  count: number,
  rule: RowRule,
  choose: (pace?: Pace) => Promise<BatchRows>,
): PlannedBatch {
  const slots = count * rule.width
  const readingBytes = Int32Array.BYTES_PER_ELEMENT * Math.min(2 * slots, MOST_READS * (READ_IDS + 1))
  return {
    bytes: count * ROW_BYTES + slots * SLOT_BYTES + readingBytes,
    ...{ readingBytes, count, rows: choose },
    read: async (pace) => readBatch(count, await choose(pace), rule, pace),
    async targets(pace) {
      const { corpus, segments } = await choose(pace)
      let sum = 0
      for (let row = 0; row < count; row++)
        for (const segment of segments(row)) sum += countTargets(corpus(row), segment, rule.isStream)
      return sum
    },
  }
}

/**
 * Reads the ids of the rows and of their targets. The reads go out together, up to {@link MOST_READS}; rows that stand side
 * by side in their dataset are one read.
 */
async function readBatch(
  count: number,
  rows: BatchRows,
  { contextLength, width, isPacked, isStream, isMasked, padTokenId }: RowRule,
  pace?: Pace,
): Promise<SegmentBatch> {
  const filling = new Filling(count * width, isMasked)
  const segmentsBefore = largeInt32Array(count + 1)
  const underWay: Promise<void>[] = []
  /** Sends a read out, and waits for the oldest one where there are as many as there may be. */
  const send = (sent: Read): Promise<void> | undefined => {
    const ids = takeIds(sent.length)
    const take = () => {
      filling.take(sent, ids)
      giveIds(ids)
    }
    const wait = sent.corpus.source.read(sent.place, ids)
    if (wait === undefined) return void take()
    const reading = wait.then(take)
    reading.catch(() => {}) // the caller gets the error when it waits for this read, unless another read failed first
    underWay.push(reading)
    return underWay.length < MOST_READS ? undefined : underWay.shift()
  }
  let read: Read | undefined
  for (let row = 0; row < count; row++) {
    const corpus = rows.corpus(row)
    const segments = rows.segments(row)
    const begin = row * width
    let at = begin
    for (const segment of segments) {
      for (const piece of piecesOf(segment, corpus, at, isStream)) {
        if (read?.add(corpus, piece)) continue
        const wait = read && send(read)
        if (wait !== undefined) await wait
        read = new Read(corpus, piece)
      }
      at += segment.length
    }
    filling.pad(at, begin + width, padTokenId)
    const hasPadding = at - begin < contextLength
    segmentsBefore[row + 1] = segmentsBefore[row] + segments.length + (hasPadding ? 1 : 0)
    const turn = pace?.()
    if (turn !== undefined) await turn
  }
  if (read !== undefined) await send(read)
  for (const reading of underWay) await reading
  const { inputIds, targetIds, lossMask, largestId } = filling
  const { datasetIndex } = rows
  return new SegmentBatch({
    ...{ count, segments: (row: number) => rows.segments(row), contextLength, width },
    ...{ isPacked, padTokenId, inputIds, targetIds, lossMask, segmentsBefore, largestId, datasetIndex },
  })
}

/** Ids that stand side by side, and the slots that they fill. */
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
  readonly lossMask: Uint8Array | undefined
  largestId = -1

  constructor(slots: number, isMasked: boolean) {
    this.lossMask = isMasked ? new Uint8Array(slots).fill(1) : undefined
    this.inputIds = takeIds(slots)
    this.targetIds = takeIds(slots)
  }

  pad(begin: number, end: number, padTokenId: number): void {
    if (begin === end) return
    this.inputIds.fill(padTokenId, begin, end)
    this.targetIds.fill(NO_TARGET, begin, end)
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
      if (read.corpus.mask === undefined) continue
      for (let i = 0; i < inputs; i++)
        this.lossMask![slot + i] = isTrained(read.corpus.mask, place + i) ? 1 : 0
      for (let i = 0; i < targets; i++)
        if (!isTrained(read.corpus.mask, place + i + 1)) targetIds[slot + i] = NO_TARGET
    }
    this.largestId = largest
  }
}
