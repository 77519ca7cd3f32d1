import { COUNT_HEADERS, COUNT_NAMES, type CountName } from '../answer/counts.js'
import { type JsonObject, ref } from './json.js'

const integer: JsonObject = { type: 'integer', minimum: 0 }
const text: JsonObject = { type: 'string' }

const counts: Readonly<Record<CountName, string>> = {
  num_tokens: 'Binary answers: tokens of the request.',
  num_characters: 'Binary answers: Unicode code points of the text, where the request brought text.',
  num_windows: 'Binary answers: windows of the request.',
  num_dropped_tokens: 'Binary answers: tokens that no window holds.',
  num_truncated_tokens: 'Binary answers, where `truncation` is true: tokens that it cuts off.',
  num_batches:
    'Binary answers, where `batch_size` is: batches. Of a dataset: those of an epoch; not of a mixture.',
  num_dropped_windows: 'Binary answers, where `batch_size` is: windows that `drop_last` leaves out.',
}

/** Every header that an answer can carry, by name. */
export const HEADERS: Readonly<Record<string, JsonObject>> = {
  'X-Request-Id': { description: 'The request’s own `X-Request-Id`, or one made here.', schema: text },
  'Server-Timing': {
    description: 'Milliseconds that the text took: `tokenize;dur=0.412`.',
    schema: text,
  },
  'Content-Length': { description: 'Exact in every binary answer.', schema: integer },
  ...Object.fromEntries(
    COUNT_NAMES.map((name) => [COUNT_HEADERS[name], { description: counts[name], schema: integer }]),
  ),
  'X-Tensor-Name': { description: 'application/octet-stream: the tensor’s name.', schema: text },
  'X-Tensor-Dtype': {
    description: 'application/octet-stream: its element type.',
    schema: { type: 'string', enum: ['int32', 'int64', 'float32', 'float16', 'bfloat16'] },
  },
  'X-Tensor-Shape': {
    description: 'application/octet-stream: its axes, `8,4,256`.',
    schema: { type: 'string', pattern: '^[0-9]+(,[0-9]+)*$' },
  },
  'Inference-Header-Content-Length': {
    description:
      'Bytes of JSON before those of the binary outputs, before packing; absent where all is JSON.',
    schema: integer,
  },
  ETag: {
    description: 'Of the whole body, as it would come; of a model’s tables `"VERSION-SHA256"`.',
    schema: text,
  },
  'Cache-Control': {
    description: 'Whether the answer is the same for good, or depends on a model’s tables.',
    schema: text,
  },
  'Accept-Ranges': { description: '`bytes`, where parts of the answer can be asked for.', schema: text },
  'Content-Range': { description: 'Which part this is, and the whole length.', schema: text },
  Location: { description: 'The path of the dataset.', schema: text },
  Link: {
    description: 'The next batch, after an epoch’s last the next epoch’s first: `rel="next"`.',
    schema: text,
  },
  'X-Recipe-Id': { description: 'Id of the recipe.', schema: text },
  'X-Epoch': { description: 'The epoch.', schema: integer },
  'X-Batch-Index': { description: 'The batch, the first one of several.', schema: integer },
  'X-Model-Version': { description: 'Which set of the model’s tables this is.', schema: text },
  'WWW-Authenticate': { description: 'How to bring a key: `Bearer`.', schema: text },
  'Retry-After': { description: 'Seconds until another try makes sense.', schema: integer },
}

/** Headers of an answer, as references; `X-Request-Id`, which every answer has, is added. */
export function headers(...names: readonly string[]): JsonObject {
  return Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, ref('headers', name)]))
}
