import { jsonPost, MIB, repeated } from './harness/bodies.mjs'
import { modelsFolder } from './harness/models-folder.mjs'
import { expectAllowed, sendOne } from './harness/single-request.mjs'

// The nearest rows: 64 queries, 1,000 neighbours each, of which none is nearer than another.

const [QUERIES, MOST] = [64, 1000]
const post =
  (body, model = 'default') =>
  () =>
    jsonPost(`/v1/models/${model}/neighbors`, body())
const vectors = (width, number, also = '') =>
  repeated(`{"k":${MOST}${also},"vector":[`, `[${Array(width).fill(number)}]`, ']}', { count: QUERIES })
const lists = (key, element, also = '') =>
  repeated(`{"k":${MOST}${also},"${key}":[`, element, ']}', { count: QUERIES })

export const name = 'neighbors'
export const about = '64 queries of zeros, of texts, of ids, for 1,000 neighbours each'
export const variants = {
  '64 queries of zeros': { make: post(() => vectors(256, 0)) },
  '64 queries of ones': { make: post(() => vectors(256, 1)) },
  '64 queries of great numbers, euclidean': {
    make: post(() => vectors(64, '1e38', ',"metric":"euclidean"'), 'roberta'),
  },
  '64 queries, dot': { make: post(() => vectors(256, 1, ',"metric":"dot"')) },
  '64 queries of zeros, all rows equal': { make: post(() => vectors(64, 0), 'roberta') },
  '64 ids': { make: post(() => lists('input_ids', '[5]')) },
  '64 texts of 128 KB': { make: post(() => lists('text', `"${'qx'.repeat(65_000)}"`)) },
  '64 lists of 60,000 ids': { make: post(() => lists('input_ids', `[${Array(60_000).fill(5)}]`)) },
  '64 positions': { make: post(() => lists('input_ids', '[5]', ',"table":"position"')) },
  '65,536 queries': {
    make: post(() => repeated('{"input_ids":[', '[5]', ']}', { count: 65_536 })),
    allowed: ['4xx'],
  },
  'a vector beyond 64 KiB': {
    make: post(() => repeated('{"vector":[', '[0]', ']}', { count: 100_000 })),
    allowed: ['4xx'],
  },
  '15,000 vectors': {
    make: post(() => repeated('{"vector":[', '[0]', ']}', { count: 15_000 })),
    allowed: ['4xx'],
  },
}
export const env = {
  get MODELS_DIR() {
    return modelsFolder()
  },
}
export const bounds = { rssBytes: 800 * MIB }

export const prepare = ({ make }) => make()
export const send = sendOne
export const expect = expectAllowed
