import type { Blocks } from '../../first-layer/steps.js'
import type { Claim } from '../../load/claim.js'
import { Pace } from '../../turn.js'
import { joinedBlocks } from '../joined-blocks.js'
import type { Splice } from './splice.js'

/** What stands in place of texts: rows, or ids. */
export interface SplicedDocuments {
  /** `before`, then a document's rows or ids as JSON, anew each time. A block is good until the next one is asked for. */
  text(document: number, before: string): Blocks
  /** Bytes of that JSON. */
  textBytes(document: number): number
}

/** A body in which rows or ids stand in place of texts; all other bytes are as they came. */
export class SplicedBody {
  /** @param length bytes of the whole */
  private constructor(
    readonly length: number,
    private readonly bytes: Buffer,
    private readonly splices: Iterable<Splice>,
    private readonly rows?: SplicedDocuments,
  ) {}

  /** A body without a change. */
  static asItCame(bytes: Buffer): SplicedBody {
    return new SplicedBody(bytes.length, bytes, [])
  }

  /** @param splices in the order of the body; gone through once for the length, and once for each {@link pieces} */
  static async of(
    bytes: Buffer,
    splices: Iterable<Splice>,
    rows: SplicedDocuments,
    claim: Claim,
  ): Promise<SplicedBody> {
    const pace = new Pace(claim)
    let length = bytes.length
    for (const { start, end, before, document, after } of splices) {
      if (pace.isOver) await pace.nextTurn()
      length += before.length + after.length - (end - start)
      if (document !== undefined) length += rows.textBytes(document)
    }
    return new SplicedBody(length, bytes, splices, rows)
  }

  /** The body from its beginning, each time anew. A block is good until the next one is asked for. */
  pieces(): Blocks {
    return joinedBlocks(this.#parts())
  }

  *#parts(): Blocks {
    let at = 0
    for (const { start, end, before, document, after } of this.splices) {
      if (start > at) yield this.bytes.subarray(at, start)
      at = end
      if (document === undefined) yield Buffer.from(before)
      else yield* this.rows!.text(document, before)
      if (after !== '') yield Buffer.from(after)
    }
    yield this.bytes.subarray(at)
  }
}
