import { type Steps, waitFor } from '../../../first-layer/steps.js'
import { type Claim, drive } from '../../../first-layer/work/drive.js'

/** What is counted beside the ids and documents that the sink gets. */
export interface IngestFacts {
  /** Code points of all documents' texts; 0 if ids were given. */
  readonly numCharacters: number
}

const SLICE_BYTES = 1 << 16

export interface Intake {
  /** Bytes that it holds from its beginning to its end, however long the upload is. */
  readonly heldBytes: number
  /** Takes at most 64 KiB, in which it may write. They are used no more when the steps are done. */
  write(bytes: Buffer): Steps<void>
  end(): Steps<IngestFacts>
}

/**
 * Reads an upload to its end, as one work in turns: it reads on when all that has come is done.
 *
 * @param chunks of the unpacked body, in which it may write. Ends, or fails, when the claim is aborted
 */
export async function ingest(
  chunks: AsyncIterable<Uint8Array>,
  intake: Intake,
  claim: Claim,
): Promise<IngestFacts> {
  const iterator = chunks[Symbol.asyncIterator]()
  try {
    return await drive(claim, reading(iterator, intake))
  } finally {
    await iterator.return?.()
  }
}

function* reading(iterator: AsyncIterator<Uint8Array>, intake: Intake): Steps<IngestFacts> {
  yield intake.heldBytes
  for (;;) {
    const { done, value } = yield* waitFor(iterator.next())
    if (done) break
    const chunk = Buffer.from(value.buffer, value.byteOffset, value.length)
    for (let start = 0; start < chunk.length; start += SLICE_BYTES)
      yield* intake.write(chunk.subarray(start, start + SLICE_BYTES))
  }
  const facts = yield* intake.end()
  yield -intake.heldBytes
  return facts
}
