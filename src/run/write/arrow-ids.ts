import {
  batchMessage,
  END_OF_STREAM,
  paddingOf,
  schemaMessage,
} from '../../first-layer/tensors/arrow/messages.js'
import type { IdsEncoder } from './table-output.js'

/** A stream of Arrow's IPC with a row for each document: `input_ids`, a list of int32. A record batch for each batch. */
export function arrowIds(): IdsEncoder {
  return {
    ending: 'arrow',
    begin: () =>
      schemaMessage([{ name: 'input_ids', type: { kind: 'list', element: { kind: 'int', bytes: 4 } } }], []),
    batch(ids, lengths) {
      const ends = new Int32Array(lengths.length + 1)
      for (let i = 0; i < lengths.length; i++) ends[i + 1] = ends[i]! + lengths[i]!
      const head = batchMessage({
        ...{ rows: lengths.length, fields: [lengths.length, ids.length] },
        buffers: [0, ends.byteLength, 0, ids.byteLength], // of each field: which are null
      })
      return [head, ends, paddingOf(ends.byteLength), ids, paddingOf(ids.byteLength)]
    },
    end: () => END_OF_STREAM,
  }
}
