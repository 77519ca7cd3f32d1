import { type Blocks, PAUSE, type Steps } from '../../first-layer/steps.js'
import { elementCount, type FloatDtype, type NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import { torchFile, torchFileBytes } from '../../first-layer/tensors/torch/torch-file.js'
import { base64Length, base64Text } from '../../service/answer/base64.js'
import type { EncodedAnswer } from '../../service/answer/formats/json.js'
import { BlockPool, nestedArrayText } from '../../service/answer/number-text.js'

/** Bytes that `size` counts for a number that is not written yet, its comma included. */
const FLOAT_BYTES = 14
/** Documents whose lengths are written at a time. */
const LISTED_AT_ONCE = 1024

/** The answer's fields besides the rows. */
export interface PromptEmbedsFrame {
  readonly model: string
  readonly modelVersion: string
  /** How many documents. */
  readonly count: number
  /** T of document d. */
  length(d: number): number
  /** C */
  readonly dimensions: number
  readonly dtype: FloatDtype
  /** A torch file in base64 for each document, or nested arrays. */
  readonly as: 'torch' | 'numbers'
}

/**
 * The answer of `/v1/prompt-embeds`, whose rows are made as it is sent: `{"model":"llama","model_version":"1",
 * "prompt_embeds":["UEsDB…"],"num_tokens":[3],"shape":[[3,4096]]}`; with numbers, `"input_embeds":[[[0.1,…],…]]`.
 *
 * @param rows makes the tensor [T, C] of document d
 */
export function* promptEmbedsJson(
  frame: PromptEmbedsFrame,
  rows: (d: number) => NamedTensor,
): Steps<EncodedAnswer> {
  const { model, modelVersion, as } = frame
  const name = as === 'torch' ? 'prompt_embeds' : 'input_embeds'
  const facts = { model, model_version: modelVersion }
  const before = `${JSON.stringify(facts).slice(0, -1)},"${name}":[`
  return {
    size: Buffer.byteLength(before) + (yield* bytesAfter(frame)),
    exact: as === 'torch',
    headers: {},
    body: joinedBlocks(body(frame, before, rows)),
  }
}

/** Bytes after the opening; of numbers an estimate. */
function* bytesAfter({ count, length, dimensions, dtype, as }: PromptEmbedsFrame): Steps<number> {
  const known = new Map<number, number>()
  const ofRows = (shape: readonly number[]) =>
    as === 'torch'
      ? base64Length(torchFileBytes({ dtype, shape })) + '"",'.length
      : FLOAT_BYTES * elementCount(shape) + '[],'.length
  const digits = String(dimensions).length
  let bytes = '],"num_tokens":[],"shape":[]}'.length - 3 // a comma less for each of three lists
  for (let d = 0; d < count; d++) {
    yield PAUSE
    const T = length(d)
    let each = known.get(T)
    if (each === undefined) {
      each = ofRows([T, dimensions]) + 2 * String(T).length + digits + ',[,],'.length
      known.set(T, each)
    }
    bytes += each
  }
  return bytes
}

function* body(frame: PromptEmbedsFrame, before: string, rows: (d: number) => NamedTensor): Blocks {
  const { count, length, dimensions, as } = frame
  for (let d = 0; d < count; d++) {
    const opening = d === 0 ? before : ','
    const tensor = rows(d)
    if (as === 'torch') yield* base64Text({ blocks: () => torchFile(tensor) }, opening)
    else yield* nestedArrayText(tensor, opening)
  }
  yield* list('],"num_tokens":[', count, (d) => String(length(d)))
  yield* list('],"shape":[', count, (d) => `[${length(d)},${dimensions}]`)
  yield Buffer.from(']}')
}

function* list(
  before: string,
  count: number,
  each: (d: number) => string,
): Generator<Uint8Array, void, void> {
  for (let from = 0; from < count; from += LISTED_AT_ONCE) {
    let text = from === 0 ? before : ','
    for (let d = from; d < Math.min(from + LISTED_AT_ONCE, count); d++) {
      text += d === from ? each(d) : `,${each(d)}`
    }
    yield Buffer.from(text)
  }
}

const JOINED_BYTES = 1 << 16
const pool = new BlockPool(JOINED_BYTES, 16)

/** The same bytes with few small blocks: those that fit are gathered in one of 64 KiB, since each block is a write. */
function* joinedBlocks(blocks: Blocks): Blocks {
  const joined = pool.take()
  let bytes = 0
  try {
    for (const block of blocks) {
      if (!(block instanceof Uint8Array)) {
        yield block
        continue
      }
      if (bytes > 0 && bytes + block.length > JOINED_BYTES) {
        yield joined.subarray(0, bytes)
        bytes = 0
      }
      if (block.length > JOINED_BYTES) yield block
      else {
        joined.set(block, bytes)
        bytes += block.length
      }
    }
    if (bytes > 0) yield joined.subarray(0, bytes)
  } finally {
    pool.give(joined)
  }
}
