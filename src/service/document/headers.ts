import type { CountName } from '../../first-layer/answer.js'
import { COUNT_HEADERS } from '../answer/counts.js'
import type { JsonObject } from './components.js'

const TEXT = { type: 'string' }
export const header = (description: string, schema: JsonObject = TEXT) => ({ description, schema })
export const number = (description: string) => header(description, { type: 'integer', minimum: 0 })

const counts: Readonly<Record<CountName, string>> = {
  num_tokens: 'tokens of the request.',
  num_characters: 'Unicode code points of the text, where the request brought text.',
  num_windows: 'windows of the request.',
  num_dropped_tokens: 'tokens that no window holds.',
  num_truncated_tokens: 'where `truncation` is true: tokens that it cuts off.',
  num_batches: 'where `batch_size` is: batches. Of a dataset: those of an epoch; not of a mixture.',
  num_dropped_windows: 'where `batch_size` is: windows that `drop_last` leaves out.',
}

const COUNTS = Object.entries(counts).map(([name, text]) => {
  const what = text.startsWith('where') ? `Binary answers, ${text}` : `Binary answers: ${text}`
  return [COUNT_HEADERS[name as CountName], number(what)] as const
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
