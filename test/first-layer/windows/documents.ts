import {
  checkLoader,
  type LoaderRule,
  loaderOrder,
  WindowBatch,
} from '../../../src/first-layer/windows/batch.js'
import { Documents } from '../../../src/first-layer/windows/documents.js'
import { planWindows, type WindowRule } from '../../../src/first-layer/windows/windows.js'

/** Lists of ids as the module takes them. */
export function documentsOf(lists: readonly (readonly number[])[]): Documents {
  const documents = new Documents()
  for (const ids of lists) {
    documents.ids.append(Int32Array.from(ids))
    documents.endDocument()
  }
  return documents
}

const LOADER: LoaderRule = { shuffle: false, epoch: 0, drop_last: false }

/** The batch of a rule whose other fields are at their defaults, and the plan behind it. */
export async function batchOf(
  lists: readonly (readonly number[])[],
  { pad_token_id = 0, ...rule }: WindowRule & Partial<LoaderRule> & { pad_token_id?: number },
) {
  const documents = documentsOf(lists)
  const windows = planWindows(documents, rule)
  const loader = { ...LOADER, ...rule }
  checkLoader(windows, documents, loader)
  const order = loaderOrder(windows.count, loader)
  const batch = new WindowBatch({ documents, windows }, order, loader, pad_token_id)
  const slots = batch.count * batch.contextLength
  return {
    windows,
    batch,
    inputs: filled(slots, (out) => batch.fill('input_ids', out, 0)),
    targets: filled(slots, (out) => batch.fill('target_ids', out, 0)),
    mask: filled(slots, (out) => batch.fill('attention_mask', out, 0)),
    documentIds: filled(batch.count, (out) => batch.fill('document_ids', out, 0)),
    windowStarts: filled(batch.count, (out) => batch.fill('window_starts', out, 0)),
  }
}

function filled(length: number, fill: (out: Int32Array) => void): Int32Array {
  const out = new Int32Array(length).fill(-7777) // unwritten elements show
  fill(out)
  return out
}

/** 0, 1, …, n − 1. */
export function range(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i)
}
