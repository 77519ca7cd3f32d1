import type { Model } from '../first-layer/embeddings/model.js'
import { type Blocks, PAUSE, type Steps } from '../first-layer/steps.js'
import type { Documents } from '../first-layer/windows/documents.js'
import type { Claim } from '../load/claim.js'
import { drive } from '../load/drive.js'
import { type Prompt, promptIdSplices } from '../wire/completions/completion.js'
import { SplicedBody } from '../wire/completions/spliced-body.js'
import { nestedArrayText } from '../wire/nested-arrays.js'
import { completionDocuments, type RowsBody } from './completion-rows.js'

/** Ids that are copied or counted at a time. */
const IDS_AT_ONCE = 1 << 13

/**
 * A completion's body with the ids of its prompt in its place, special tokens included: for a model server that has the
 * tables itself, and is spared the tokenizer.
 *
 * @throws InletError `unsupported_combination`, `token_out_of_range`, `tokenizer_unavailable`, `context_too_long`
 */
export async function completionWithIds(
  model: Model,
  bytes: Buffer,
  prompt: Prompt,
  addSpecialTokens: boolean,
  claim: Claim,
): Promise<RowsBody> {
  const documents = await completionDocuments(model, prompt, addSpecialTokens, claim)
  const known = await drive(claim, textBytes(documents))
  const ids = {
    text: (d: number, before: string) => nestedArrayText(idsOf(documents, d), before),
    textBytes: (d: number) => known[d],
  }
  const splices = promptIdSplices(prompt, documents.count)
  return { body: await SplicedBody.of(bytes, splices, ids, claim), numTokens: documents.totalTokens }
}

/** Document `d`'s ids as a tensor [T]. */
function idsOf(documents: Documents, d: number) {
  return {
    ...({ name: 'input_ids', dtype: 'int32', shape: [documents.length(d)] } as const),
    *blocks(): Blocks {
      for (const ids of parts(documents, d)) {
        yield PAUSE
        yield new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength)
      }
    },
  }
}

/** Bytes of each document's ids as JSON: [1, 22] → 6. */
function* textBytes(documents: Documents): Steps<number[]> {
  const all: number[] = []
  for (let d = 0; d < documents.count; d++) {
    let bytes = documents.length(d) + 1 // its commas and brackets
    for (const ids of parts(documents, d)) {
      yield PAUSE
      for (const id of ids) bytes += String(id).length
    }
    all.push(bytes)
  }
  return all
}

/** A part is good until the next one is asked for. */
function* parts(documents: Documents, d: number): Generator<Int32Array, void, void> {
  const T = documents.length(d)
  const part = new Int32Array(Math.min(T, IDS_AT_ONCE))
  for (let first = 0; first < T; first += IDS_AT_ONCE) {
    const ids = part.subarray(0, Math.min(IDS_AT_ONCE, T - first))
    documents.copyTo(ids, 0, d, first, ids.length)
    yield ids
  }
}
