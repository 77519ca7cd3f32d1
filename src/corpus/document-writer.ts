import { type ErrorCode, InletError, shown } from '../first-layer/errors.js'
import { TokenBuffer } from '../first-layer/tokens/token-buffer.js'
import { STEP_IDS } from '../first-layer/tokens/tokenize.js'
import { MAX_INT32, notAnId } from '../first-layer/windows/id-lists.js'

export interface DocumentSink {
  /**
   * The next ids, of documents one behind the other.
   * @param ids they, and `ends`, may be used again once the promise has settled
   * @param ends for each document that ends among them: the number of `ids` before its end, ascending. The
   *   ids behind the last of them belong to a document that goes on; a document may be empty
   */
  write(ids: Int32Array, ends: Int32Array): Promise<void>
  /** Called between two chats: their documents may be several. */
  startChat?(): void
  /** Called before the first ids of chats: from now on an id that is not trained comes as its complement, ~id. */
  startMask?(): void
  /** Called at a document's end, before its last ids come, for one that an upload has on a line of its own, from 1. */
  endedOn?(line: number): void
}

/** An id of a sink, trained or not. */
export const plainId = (id: number): number => (id < 0 ? ~id : id)

/** Ids that the sink gets at once, at most: a block of a {@link TokenBuffer}. */
export const MOST_IDS = 1 << 16
/** As many, before a document's end and the next one's start. */
const PIECE_IDS = MOST_IDS - 2
/** Documents that may end among them. */
export const PIECE_ENDS = 1 << 13

/** Memory that an intake of documents holds, whatever comes: its writer's, and a piece of ids. */
export const INTAKE_BYTES = 4 * (MOST_IDS + PIECE_ENDS) + (1 << 16)

/** Ids that are put before, and appended to, each document, also to an empty one. */
export interface DocumentFrame {
  readonly documentStart?: number | undefined
  readonly documentEnd?: number | undefined
}

/** A promise where it is to be waited for. */
export type Done = Promise<void> | undefined

/**
 * Called between two slices of work, a millisecond or less each: a promise where others wait for the thread, or for memory.
 * What it rejects with ends the work.
 * @param bytes that are held for the present document, beside what every upload holds
 */
export type Pace = (bytes: number) => Done

/**
 * Gathers the ids of documents and passes them to a sink piece by piece: memory holds one piece, however long a document
 * is, and however many there are. While the sink works on a piece, nothing is written. {@link flush} passes on the last one.
 */
export class DocumentWriter {
  readonly ids = new TokenBuffer()
  numDocuments = 0
  /** Bytes that are held of a line until it is whole, and while it is read. */
  lineBytes = 0
  /** The present line, from 1. */
  line = 0
  readonly #ends = new Int32Array(PIECE_ENDS)
  #numEnds = 0
  #isBegun = false

  /** @param frame of each document */
  constructor(
    private readonly sink: DocumentSink,
    public frame: DocumentFrame = {},
    private readonly pace: Pace = () => undefined,
  ) {}

  /** To be called before the first chat, whose documents have masks: they come with the frame around them. */
  startMasks(): void {
    this.frame = {}
    this.sink.startMask?.()
  }

  /** To be called before the documents of a chat, if the sink deals them out. */
  async startChat(): Promise<void> {
    if (this.sink.startChat === undefined) return
    await this.flush()
    this.sink.startChat()
  }

  /** To be called between two slices of work. @param textBytes held of the present text */
  pause(textBytes = 0): Done {
    return this.pace(this.lineBytes + textBytes)
  }

  /** Whether a tokenizer may add {@link STEP_IDS} to `ids`, at most. */
  hasRoom(): boolean {
    this.#begin()
    return this.ids.length + STEP_IDS <= PIECE_IDS
  }

  /** To be called before a tokenizer adds so many: a pause, and room for them. @param textBytes as of {@link pause} */
  async makeRoom(textBytes: number): Promise<void> {
    await this.pause(textBytes)
    if (!this.hasRoom()) await this.flush()
  }

  /** Adds ids that lie elsewhere. They must stay as they are until it is done. */
  write(ids: Int32Array): Done {
    this.#begin()
    if (this.ids.length + ids.length > PIECE_IDS) return this.#writeParts(ids)
    this.ids.append(ids)
    return undefined
  }

  endDocument(): Done {
    this.#begin()
    this.#isBegun = false
    if (this.frame.documentEnd !== undefined) this.ids.push(this.frame.documentEnd)
    this.numDocuments++
    if (this.line > 0) this.sink.endedOn?.(this.line)
    this.#ends[this.#numEnds++] = this.ids.length
    return this.#numEnds === PIECE_ENDS || this.ids.length > PIECE_IDS ? this.flush() : undefined
  }

  async flush(): Promise<void> {
    const [piece = new Int32Array(0)] = this.ids.blocks()
    const ends = this.#ends.subarray(0, this.#numEnds)
    if (piece.length + ends.length > 0) await this.sink.write(piece, ends)
    this.ids.clear()
    this.#numEnds = 0
  }

  #begin(): void {
    if (!this.#isBegun && this.frame.documentStart !== undefined) this.ids.push(this.frame.documentStart)
    this.#isBegun = true
  }

  async #writeParts(ids: Int32Array): Promise<void> {
    for (let at = 0; at < ids.length; ) {
      if (this.ids.length >= PIECE_IDS) await this.flush()
      const part = ids.subarray(at, at + PIECE_IDS - this.ids.length)
      this.ids.append(part)
      at += part.length
    }
  }
}

/** The bound of ids of a dataset without an encoding: 2^31. */
export const ANY_ID = MAX_INT32 + 1

/** Ids as JSON or a table has them. @param where they stand @throws InletError for what is no id, or not below the limit */
export function checkedIds(given: readonly unknown[], limit = ANY_ID, where = ''): Int32Array {
  const ids = new Int32Array(given.length)
  for (let place = 0; place < ids.length; place++) {
    const rule = notAnId(given[place])
    if (rule !== undefined) throw wrongId('invalid_request', place, rule, given[place], where)
    ids[place] = given[place] as number
    if (ids[place] !== given[place] || ids[place] >= limit)
      throw idOutOfRange(place, given[place] as number, limit, where)
  }
  return ids
}

export function idOutOfRange(place: number, given: number, limit: number, where = ''): InletError {
  const most = limit < ANY_ID ? `below ${limit}, the encoding’s number of ids` : `at most ${MAX_INT32}`
  return wrongId('token_out_of_range', place, `must be ${given < 0 ? 'at least 0' : most}`, given, where)
}

function wrongId(code: ErrorCode, place: number, rule: string, given: unknown, where: string): InletError {
  const field = `input_ids.${place}`
  return new InletError(code, `${where}\`${field}\` ${rule}. Given: ${shown(given)}`, field)
}
