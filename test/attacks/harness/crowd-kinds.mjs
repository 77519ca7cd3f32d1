import {
  EMBEDDINGS,
  JSON_LIMIT,
  jsonPost,
  largestDrawing,
  MIB,
  packed,
  positions,
  RAW,
  repeated,
  TEXT_LIMIT,
  textPost,
} from './bodies.mjs'

// The largest thing of every kind that may be asked for, and how it is taken: to its end, for a while, or not at all.

const SHUFFLED = 'context_length=1&shuffle=true&seed=1&batch_size=8&batch_index=0&outputs=window_starts'
const emoji = (bytes) => Buffer.from(`{"text":"${'🌊'.repeat(bytes / 4)}"}`)
const raw = (request) => ({ ...request, headers: { ...request.headers, ...RAW } })
const wide = (headers, rest) => ({
  ...jsonPost(
    EMBEDDINGS,
    `{"input_ids":[1],"tail":"pad","position_embedding":"none","context_length":${rest}}`,
  ),
  headers: { 'Content-Type': 'application/json', ...headers },
})

const shaw = (seed) =>
  positions(
    'shaw',
    { head_dim: 8192, max_relative_position: 500, seed },
    { outputs: 'relative_value_embeddings', context_length: 1, position_offset: 200_000 },
  )

/** name → (a number that is another one each time) → a request for `call`. */
export function crowdKinds() {
  const text = Buffer.from(`{"text":"${'qx'.repeat(JSON_LIMIT / 2 - 40)}","context_length":1024}`)
  const ids = repeated('{"outputs":["window_starts"],"context_length":1024,"input_ids":[', '0', ']}')
  const documents = repeated('{"outputs":["input_ids"],"input_ids":[', '[0]', ']}', { count: 65_536 })
  const letters = Buffer.alloc(TEXT_LIMIT, 'qx')
  const bomb = packed(letters, 'br')
  const fixed = {
    'JSON text': { ...raw(jsonPost(EMBEDDINGS, text)), leaveAfter: 32 * MIB },
    'JSON ids': raw(jsonPost(EMBEDDINGS, ids)),
    documents: jsonPost(EMBEDDINGS, documents),
    'text, shuffled': textPost(SHUFFLED, letters, RAW),
    'packed text, shuffled': textPost(SHUFFLED, bomb, { ...RAW, 'Content-Encoding': 'br' }),
    'wide rope': {
      ...positions('rope', { head_dim: 65_536 }, { outputs: 'cos', context_length: 60_000 }),
      leaveAfter: 16 * MIB,
    },
    'a gigabyte': { ...wide(RAW, 1_000_000), leaveAfter: 64 * MIB },
    'a gigabyte, unread': { ...wide(RAW, 1_000_000), holdMs: 5000 },
    'JSON of 256 MB': { ...wide({}, 70_000), leaveAfter: 64 * MIB },
    'JSON, unread': { ...wide({}, 70_000), holdMs: 5000 },
    'tokenize, 2 MB of emoji': jsonPost('/v1/tokenize', emoji(JSON_LIMIT - 64)),
    detokenize: jsonPost('/v1/detokenize', repeated('{"input_ids":[', '0', ']}')),
    'slow body': {
      path: EMBEDDINGS,
      headers: { 'Content-Type': 'application/json', 'Content-Length': JSON_LIMIT },
      method: 'POST',
      leaveAfterMs: 5000,
    },
    depth: jsonPost(EMBEDDINGS, Buffer.from('['.repeat(JSON_LIMIT - 64))),
  }
  return {
    ...Object.fromEntries(Object.entries(fixed).map(([name, request]) => [name, () => request])),
    drawing: (seed) => largestDrawing(seed),
    'drawing, abandoned': (seed) => ({ ...largestDrawing(seed), leaveAfterMs: 300 }),
    'drawing of shaw': (seed) => ({ ...shaw(seed), leaveAfter: 16 * MIB }),
  }
}
