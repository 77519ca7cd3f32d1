import type { Steps } from '../../first-layer/steps.js'
import { TokenBuffer } from '../../first-layer/tokens/token-buffer.js'
import { type IdTarget, STEP_IDS } from '../../first-layer/tokens/tokenize.js'
import type { DocumentSink } from './document-sink.js'

/** Ids of one piece for the sink: 256 KiB. */
const PIECE_IDS = 1 << 16
/** Ids of the longest piece whose view is kept. */
const KEPT_VIEWS = 256

/** Memory of a writer's two lists of ids; the first may grow by one step beyond a piece. */
export const WRITER_BYTES = 4 * (2 * PIECE_IDS + STEP_IDS)

/**
 * Gathers the ids of documents and passes them to a sink piece by piece: memory holds one piece, however long a document
 * is. While the sink works on a piece, nothing is written.
 */
export class DocumentWriter implements IdTarget {
  readonly ids = new TokenBuffer()
  numDocuments = 0
  readonly #piece = new Int32Array(PIECE_IDS)
  /** Views of the first ids of the piece, by their number: most documents of some corpora are short. */
  readonly #views: Int32Array[] = []

  /** @param documentEnd an id appended to each document, also to an empty one */
  constructor(
    private readonly sink: DocumentSink,
    private readonly documentEnd?: number,
  ) {}

  makeRoom(more: number): 0 | Promise<void> {
    return this.ids.length + more <= PIECE_IDS ? 0 : (this.#flush() ?? 0)
  }

  /** Passes on ids that lie elsewhere. They must stay as they are until the promise has settled. */
  write(ids: Int32Array): Promise<void> | undefined {
    return ids.length === 0 ? undefined : this.sink.write(ids)
  }

  /** Ends the present document. */
  endDocument(): Promise<void> | undefined {
    this.numDocuments++
    if (this.documentEnd !== undefined) this.ids.push(this.documentEnd)
    if (this.ids.length === 0) return this.sink.endDocument()
    const wait = this.#flush()
    return wait === undefined ? this.sink.endDocument() : wait.then(() => this.sink.endDocument())
  }

  /** Passes on all ids; more than a piece go in several. */
  #flush(): Promise<void> | undefined {
    const { ids } = this
    const { length } = ids
    if (length > PIECE_IDS) return this.#flushPieces(length)
    const piece = this.#view(length)
    ids.copyTo(piece, 0, length)
    ids.clear()
    return this.sink.write(piece)
  }

  async #flushPieces(length: number): Promise<void> {
    for (let start = 0; start < length; start += PIECE_IDS) {
      const piece = this.#view(Math.min(PIECE_IDS, length - start))
      this.ids.copyTo(piece, start, piece.length)
      await this.sink.write(piece)
    }
    this.ids.clear()
  }

  #view(length: number): Int32Array {
    if (length > KEPT_VIEWS) return this.#piece.subarray(0, length)
    this.#views[length] ??= this.#piece.subarray(0, length)
    return this.#views[length]
  }
}

/** Steps that wait for a promise; undefined where there is none. */
export function waiting(promise: Promise<void> | undefined): Steps<void> | undefined {
  return promise === undefined ? undefined : waitingFor(promise)
}

function* waitingFor(promise: Promise<void>): Steps<void> {
  yield promise
}
