import type { Model } from '../first-layer/embeddings/model.js'
import { ITEM_BYTES } from '../first-layer/tensors/named-tensor.js'
import { crc32 } from '../first-layer/tensors/torch/crc32.js'
import { RowCrcs } from '../first-layer/tensors/torch/row-crcs.js'
import type { BlockCrc } from '../first-layer/tensors/torch/torch-file.js'
import type { Documents } from '../first-layer/windows/documents.js'
import type { SoftPrompt } from '../models/soft-prompt.js'

/**
 * A `Model` is one version of its tables in one thread, so a version never meets the CRCs of another, and they go with
 * it. They are not its field, for the embeddings know no file.
 */
const crcs = new WeakMap<Model, RowCrcs>()

/** The CRCs of the rows of a model's token table, in the model's own element type. */
export function tokenRowCrcs(model: Model): RowCrcs {
  const { vocabSize, embeddingDim, dtype } = model.spec
  const known = crcs.get(model) ?? new RowCrcs(vocabSize, embeddingDim * ITEM_BYTES[dtype])
  crcs.set(model, known)
  return known
}

/**
 * The CRC-32 of document `d`'s rows as a model server of target `vllm` gets them in the model's own element type: each
 * row depends on its id alone. Anew for each file, since it follows the blocks.
 *
 * @param prompt whose rows come in blocks before them
 */
export function promptCrc(model: Model, documents: Documents, d: number, prompt?: SoftPrompt): BlockCrc {
  const known = tokenRowCrcs(model)
  const { rowBytes } = known
  let before = (prompt?.rows ?? 0) * rowBytes
  let first = 0
  return (block, crc) => {
    if (before > 0) {
      before -= block.length
      return crc32(block, crc)
    }
    const ids = model.workspace.ids.subarray(0, block.length / rowBytes)
    documents.copyTo(ids, 0, d, first, ids.length)
    first += ids.length
    return known.after(crc, ids, (i) => block.subarray(i * rowBytes, (i + 1) * rowBytes))
  }
}
