import { type Blocks, PAUSE, type Steps } from '../../first-layer/steps.js'
import { elementCount, type FloatDtype, type NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import { torchFile, torchFileBytes } from '../../first-layer/tensors/torch/torch-file.js'
import { base64Length, base64Text } from '../../service/answer/base64.js'
import type { EncodedAnswer } from '../../service/answer/formats/json.js'
import { joinedBlocks, nestedArrayText } from '../../service/answer/number-text.js'

/** Bytes that `size` counts for a number that is not written yet, its comma included. */
const FLOAT_BYTES = 14

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
