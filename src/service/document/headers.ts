import type { CountName } from '../../first-layer/answer.js'
import { COUNT_HEADERS } from '../answer/counts.js'
import type { JsonObject } from './components.js'

const TEXT = { type: 'string' }
export const header = (description: string, schema: JsonObject = TEXT) => ({ description, schema })
export const number = (description: string) => header(description, { type: 'integer', minimum: 0 })

/** The counts of an answer, in words: fields of JSON, headers of binary answers. */
export const COUNT_DOCS: Readonly<Record<CountName, string>> = {
  num_tokens: 'Tokens of the request, before batching.',
  num_characters: 'Unicode code points of the text; absent where ids were given.',
  num_windows: 'Windows of the request, before batching.',
  num_dropped_tokens: 'Tokens that no window holds, neither as input nor as target.',
  num_truncated_tokens: 'Where `truncation` is true: tokens that it cuts off.',
  num_batches: 'Where `batch_size` is: batches. Of a dataset: those of an epoch; not of a mixture.',
  num_dropped_windows: 'Where `batch_size` is: windows that `drop_last` leaves out.',
}

const COUNTS = Object.entries(COUNT_DOCS).map(([name, text]) => {
  return [COUNT_HEADERS[name as CountName], number(`Binary answers. ${text}`)] as const
})

/** The headers of answers that more than one feature gives, by name. */
export const COMMON_HEADERS: Readonly<Record<string, JsonObject>> = {
  'X-Request-Id': header('The request’s own `X-Request-Id`, or one made here.'),
  'Server-Timing': header('Milliseconds that the text took: `tokenize;dur=0.412`.'),
  'Content-Length': number('Exact in every binary answer.'),
  ...Object.fromEntries(COUNTS),
  'X-Tensor-Name': header('application/octet-stream: the tensor’s name.'),
  'X-Tensor-Dtype': header('application/octet-stream: its element type.', {
    ...{ type: 'string', enum: ['uint16', 'uint32', 'int32', 'int64', 'float32', 'float16', 'bfloat16'] },
  }),
  'X-Tensor-Shape': header('application/octet-stream: its axes, `8,4,256`.', {
    ...{ type: 'string', pattern: '^[0-9]+(,[0-9]+)*$' },
  }),
  ETag: header('Of the whole body, as it would come; of a model’s tables `"VERSION-SHA256"`.'),
  'Cache-Control': header('Whether the answer is the same for good, or depends on a model’s tables.'),
  'X-Model-Version': header('Which set of the model’s tables this is.'),
  'WWW-Authenticate': header('How to bring a key: `Bearer`.'),
  'Retry-After': number('Seconds until another try makes sense.'),
}
