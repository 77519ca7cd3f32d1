import type { Model } from '../first-layer/embeddings/model.js'
import { type RowSource, rowTensor } from '../first-layer/embeddings/row-tensor.js'
import { haveTexts, rowTexts } from '../first-layer/embeddings/row-texts.js'
import { type Blocks, PAUSE } from '../first-layer/steps.js'
import { crc32 } from '../first-layer/tensors/torch/crc32.js'
import { torchFile, torchFrame } from '../first-layer/tensors/torch/torch-file.js'
import type { Documents } from '../first-layer/windows/documents.js'
import type { SoftPrompt } from '../models/soft-prompt.js'
import { base64Text, TextParts } from '../wire/base64.js'
import { promptCrc, tokenRowCrcs } from './prompt-crc.js'
import { promptSource } from './prompt-rows.js'
import { softPromptBlocks, withSoftPrompt } from './soft-prompt-rows.js'

/** A block of 16-bit rows, which is half a megabyte, goes as one write: the socket takes few large ones sooner. */
const PARTS = new TextParts(3 << 18, 8)

/**
 * `before`, then document `d`'s rows in the model's own element type as a model server of target `vllm` takes them: a
 * torch file as one JSON string of base64. A block is good until the next one is asked for.
 *
 * @param prompt whose rows stand before the document's
 */
export function* promptText(
  model: Model,
  documents: Documents,
  d: number,
  before: string,
  prompt?: SoftPrompt,
): Blocks {
  const { workspace } = model
  const source = promptSource(model, documents, d, { target: 'vllm', dtype: model.spec.dtype })
  yield PAUSE // wait before leasing a block, not after
  const lease = haveTexts(source, workspace) ? workspace.leaseInside(workspace.blockBytes) : undefined
  if (lease === undefined) {
    const rows = rowTensor(source, workspace)
    const tensor = prompt === undefined ? rows : withSoftPrompt(prompt, rows, workspace)
    const crc = () => promptCrc(model, documents, d, prompt)
    yield* base64Text({ blocks: () => torchFile(tensor, crc()) }, before, PARTS)
    return
  }
  try {
    yield* storedText(model, source, lease.bytes, before, prompt)
  } finally {
    lease.release()
  }
}

/** The same for rows that go out as they are stored: the kernel makes text of them from where they lie. */
function* storedText(
  model: Model,
  source: RowSource,
  text: Uint8Array,
  before: string,
  prompt: SoftPrompt | undefined,
): Blocks {
  const { workspace } = model
  const { pointer: table } = model.place('wte.weight')!
  const crcs = tokenRowCrcs(model)
  let crc = 0
  const numbered = {
    ...source,
    fillIds(ids: Int32Array, first: number) {
      source.fillIds(ids, first)
      crc = crcs.after(crc, ids, (i) => workspace.memory.bytes(table + ids[i] * crcs.rowBytes, crcs.rowBytes))
    },
  }
  const { dtype, shape } = source
  const [T, width] = shape
  const frame = torchFrame({ dtype, shape: [(prompt?.rows ?? 0) + T, width] })
  let held = wholeGroups(frame.before)
  yield Buffer.from(`${before}"${held.text}`)
  if (prompt !== undefined) {
    for (const block of softPromptBlocks(prompt, dtype, workspace)) {
      if (block instanceof Uint8Array) {
        crc = crc32(block, crc)
        held = wholeGroups(Buffer.concat([held.rest, block]))
        yield Buffer.from(held.text)
      } else yield block
    }
  }
  const places = { workspace, table, text }
  const rest = yield* rowTexts(numbered, places, held.rest)
  yield Buffer.from(`${Buffer.concat([rest, frame.after(crc)]).toString('base64')}"`)
}

/** The whole groups of three as base64, and the bytes behind them. */
function wholeGroups(bytes: Buffer): { readonly text: string; readonly rest: Uint8Array } {
  const whole = bytes.length - (bytes.length % 3)
  return { text: bytes.toString('base64', 0, whole), rest: bytes.subarray(whole) }
}
