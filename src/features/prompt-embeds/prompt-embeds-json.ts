import { type Blocks, PAUSE, type Steps } from '../../first-layer/steps.js'
import { type Dtype, elementCount, type NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import { torchFile, torchFileBytes } from '../../first-layer/tensors/torch/torch-file.js'
import { base64Length, base64Text } from '../../service/answer/base64.js'
import type { EncodedAnswer } from '../../service/answer/formats/json.js'
import { BlockPool, nestedArrayText } from '../../service/answer/number-text.js'

/** Bytes that `size` counts for a number that is not written yet, its comma included. */
const FLOAT_BYTES = 14

export interface PromptEmbedsFrame {
  readonly model: string
  readonly modelVersion: string
  readonly count: number
  length(d: number): number
  readonly dimensions: number
}

/** A field of the answer: a tensor for each document. */
export interface PromptTensors {
  readonly name: string
  readonly dtype: Dtype
  /** The shape of a token's part. */
  readonly each: readonly number[]
  /** A torch file in base64 for each document, or nested arrays. */
  readonly as: 'torch' | 'numbers'
  /** The tensor [T, …] of document d. */
  tensor(d: number): NamedTensor
}

/**
 * The answer of `/v1/prompt-embeds`, whose rows are made as it is sent: `{"model":"llama","model_version":"1",
 * "prompt_embeds":["UEsDB…"],"num_tokens":[3],"shape":[[3,4096]]}`; with numbers, `"input_embeds":[[[0.1,…],…]]`.
 */
export function* promptEmbedsJson(
  frame: PromptEmbedsFrame,
  fields: readonly PromptTensors[],
): Steps<EncodedAnswer> {
  const { model, modelVersion } = frame
  const before = JSON.stringify({ model, model_version: modelVersion }).slice(0, -1)
  return {
    size: Buffer.byteLength(before) + (yield* bytesAfter(frame, fields)),
    exact: fields.every(({ as }) => as === 'torch'),
    headers: {},
    body: joinedBlocks(body(frame, before, fields)),
  }
}

const opening = ({ name }: PromptTensors) => `,"${name}":[`

/** Bytes after the opening; of numbers an estimate. */
function* bytesAfter(
  { count, length, dimensions }: PromptEmbedsFrame,
  fields: readonly PromptTensors[],
): Steps<number> {
  const known = new Map<number, number>()
  const ofTensor = ({ as, dtype, each }: PromptTensors, T: number) =>
    as === 'torch'
      ? base64Length(torchFileBytes({ dtype, shape: [T, ...each] })) + '"",'.length
      : FLOAT_BYTES * elementCount([T, ...each]) + '[],'.length
  const digits = String(dimensions).length
  let bytes = ',"num_tokens":[],"shape":[]}'.length - 2 // a comma less for each list
  for (const field of fields) bytes += opening(field).length + ']'.length - 1
  for (let d = 0; d < count; d++) {
    yield PAUSE
    const T = length(d)
    let each = known.get(T)
    if (each === undefined) {
      each =
        fields.reduce((sum, field) => sum + ofTensor(field, T), 0) +
        2 * String(T).length +
        digits +
        ',[,],'.length
      known.set(T, each)
    }
    bytes += each
  }
  return bytes
}

function* body(frame: PromptEmbedsFrame, before: string, fields: readonly PromptTensors[]): Blocks {
  const { count, length, dimensions } = frame
  for (const [i, field] of fields.entries()) {
    for (let d = 0; d < count; d++) {
      const start = d > 0 ? ',' : `${i === 0 ? before : ']'}${opening(field)}`
      const tensor = field.tensor(d)
      if (field.as === 'torch') yield* base64Text({ blocks: () => torchFile(tensor) }, start)
      else yield* nestedArrayText(tensor, start)
    }
  }
  yield Buffer.from('],"num_tokens":[')
  for (let d = 0; d < count; d++) {
    yield Buffer.from(`${d === 0 ? '' : ','}${length(d)}`)
    yield PAUSE
  }
  yield Buffer.from('],"shape":[')
  for (let d = 0; d < count; d++) {
    yield Buffer.from(`${d === 0 ? '' : ','}[${length(d)},${dimensions}]`)
    yield PAUSE
  }
  yield Buffer.from(']}')
}

const JOINED_BYTES = 1 << 16
const joinedPool = new BlockPool(JOINED_BYTES, 16)

/** The same bytes with few small blocks: those that fit are gathered in one of 64 KiB, since each block is a write. */
function* joinedBlocks(blocks: Blocks): Blocks {
  const joined = joinedPool.take()
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
    joinedPool.give(joined)
  }
}
