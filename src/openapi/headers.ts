import { type JsonObject, ref } from './json.js'

const integer: JsonObject = { type: 'integer', minimum: 0 }
const text: JsonObject = { type: 'string' }

/** Every header that an answer can carry, by name. */
export const HEADERS: Readonly<Record<string, JsonObject>> = {
  'X-Request-Id': { description: 'The request’s own `X-Request-Id`, or one made here.', schema: text },
  'Server-Timing': {
    description: 'Milliseconds that the text took: `tokenize;dur=0.412`.',
    schema: text,
  },
  'Content-Length': { description: 'Exact in every binary answer.', schema: integer },
  'X-Num-Tokens': { description: 'Binary answers: tokens of the request.', schema: integer },
  'X-Num-Characters': {
    description: 'Binary answers: Unicode code points of the text, where the request brought text.',
    schema: integer,
  },
  'X-Num-Windows': { description: 'Binary answers: windows of the request.', schema: integer },
  'X-Num-Dropped-Tokens': { description: 'Binary answers: tokens that no window holds.', schema: integer },
  'X-Num-Batches': { description: 'Binary answers, where `batch_size` is: batches.', schema: integer },
  'X-Num-Dropped-Windows': {
    description: 'Binary answers, where `batch_size` is: windows that `drop_last` leaves out.',
    schema: integer,
  },
  'X-Tensor-Name': { description: 'application/octet-stream: the tensor’s name.', schema: text },
  'X-Tensor-Dtype': {
    description: 'application/octet-stream: its element type.',
    schema: { type: 'string', enum: ['int32', 'float32', 'float16', 'bfloat16'] },
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
  ETag: { description: '`"VERSION-SHA256"`: of the whole body.', schema: text },
  'X-Model-Version': { description: 'Which set of the model’s tables this is.', schema: text },
  'WWW-Authenticate': { description: 'How to bring a key: `Bearer`.', schema: text },
  RateLimit: {
    description:
      'Where the key has rates: what is left of each, `"requests";r=50;t=1`, and the seconds until all of it is there again. Also in good answers.',
    schema: text,
  },
  'RateLimit-Policy': {
    description:
      'Where the key has rates: each with its quota and its seconds, `"requests";q=100;w=1`. Also in good answers.',
    schema: text,
  },
  'Retry-After': { description: 'Seconds until another try makes sense.', schema: integer },
}

/** Headers of an answer, as references; `X-Request-Id`, which every answer has, is added. */
export function headers(...names: readonly string[]): JsonObject {
  return Object.fromEntries(['X-Request-Id', ...names].map((name) => [name, ref('headers', name)]))
}

/** Headers that count a text's tokens and characters. */
export const TOKEN_COUNT_HEADERS = ['X-Num-Tokens', 'X-Num-Characters']

export const COUNT_HEADERS = [
  ...TOKEN_COUNT_HEADERS,
  ...['X-Num-Windows', 'X-Num-Dropped-Tokens', 'X-Num-Batches', 'X-Num-Dropped-Windows'],
]

export const TENSOR_HEADERS = ['X-Tensor-Name', 'X-Tensor-Dtype', 'X-Tensor-Shape']
