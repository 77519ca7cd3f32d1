import { checkRows } from '../../first-layer/outputs.js'
import { arrowStream } from '../../first-layer/tensors/arrow/arrow-stream.js'
import { fileMetadata } from './file-metadata.js'
import type { Format } from './format.js'
import { countHeaders } from './headers.js'
import { noBfloat16 } from './no-bfloat16.js'

/** All tensors as columns of one stream of Arrow's IPC, a row for each window; the facts are the schema's metadata. */
export const arrow: Format = {
  name: 'arrow',
  mediaTypes: ['application/vnd.apache.arrow.stream'],
  single: false,
  rows: true,
  limit: 'MAX_RESPONSE_BYTES',
  refuses: noBfloat16('application/vnd.apache.arrow.stream', 'Arrow'),
  encode(answer) {
    checkRows(answer.tensors)
    const stream = arrowStream(fileMetadata(answer), answer.tensors)
    return { size: stream.bytes, exact: true, headers: countHeaders(answer), body: stream.blocks() }
  },
}
