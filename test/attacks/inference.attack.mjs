import { JSON_LIMIT, jsonPost, MIB, numbered, repeated } from './harness/bodies.mjs'
import { expectAllowed, sendOne } from './harness/single-request.mjs'

// The Open Inference Protocol: elements in JSON, flat or nested as a shape says, or in bytes behind it.

const path = (model = 'default') => `/v2/models/${model}/infer`
const WINDOWS = '"parameters":{"context_length":1,"tail":"pad","binary_data_output":true}'
const IDS = '"outputs":[{"name":"input_ids"}]'
const deep = (levels) => '['.repeat(levels) + ']'.repeat(levels)
const input = (name, shape, datatype, parameters) => ({ name, shape, datatype, parameters })

/** `data` of an input of the JSON: `before`, elements, `after`. */
const given = (name, shape, datatype, element, count, also = IDS) =>
  repeated(
    `{${WINDOWS},${also},"inputs":[{"name":"${name}","shape":[${shape}],"datatype":"${datatype}","data":[`,
    element,
    ']}]}',
    { count },
  )

const masked = (count) => {
  const one = (name, element) => {
    const before = `{"name":"${name}","shape":[1,${count}],"datatype":"INT64","data":[`
    return repeated(before, element, ']}', { count })
  }
  return Buffer.concat([
    Buffer.from(`{${WINDOWS},${IDS},"inputs":[`),
    one('input_ids', '0'),
    Buffer.from(','),
    one('attention_mask', '1'),
    Buffer.from(']}'),
  ])
}

/** Bytes behind the JSON. */
function binary(name, shape, datatype, bytes) {
  const described = input(name, shape, datatype, { binary_data_size: bytes.length })
  const json = Buffer.from(`{${WINDOWS},${IDS},"inputs":[${JSON.stringify(described)}]}`)
  return {
    path: path(),
    headers: {
      'Content-Type': 'application/octet-stream',
      'Inference-Header-Content-Length': String(json.length),
    },
    body: Buffer.concat([json, bytes]),
  }
}

/** `count` strings of one letter, each with its length before it; the last of `last` letters. */
function strings(count, last = 1) {
  const bytes = Buffer.alloc(5 * count, Buffer.from([1, 0, 0, 0, 0x61]))
  if (last === 0) bytes[5 * (count - 1)] = 0
  return last === 0 ? bytes.subarray(0, -1) : bytes
}

const post = (body) => () => jsonPost(path(), body())
/** The protocol's errors are `{ "error": "…" }`, without a code. */
const WRONG = ['400']

export const name = 'inference'
export const about = 'inference requests of a million ids, 65,536 texts, deep lists, 100,000 parameters'
export const variants = {
  'a million ids': { make: post(() => given('input_ids', '1000000', 'INT64', '0', 1_000_000)) },
  'a million ids, all wrong': {
    make: post(() => given('input_ids', '1000000', 'INT64', '"1"', 1_000_000)),
    allowed: WRONG,
  },
  '32,768 rows, flat': { make: post(() => given('input_ids', '32768,16', 'INT64', '0', 2 ** 19)) },
  '32,768 rows, nested': {
    make: post(() => given('input_ids', '32768,16', 'INT64', `[${Array(16).fill(0)}]`, 32_768)),
  },
  'two million rows': {
    make: post(() => given('input_ids', '65536,1', 'INT64', '[0]', 2_000_000)),
    allowed: WRONG,
  },
  'half a million masked ids': { make: post(() => masked(500_000)) },
  'rows of JSON numbers': {
    make: () =>
      jsonPost(
        path(),
        `{"parameters":{"context_length":1,"tail":"pad"},"inputs":[{"name":"input_ids","shape":[60000],"datatype":"INT32","data":[${'0,'.repeat(59_999)}0]}]}`,
      ),
  },
  'deep data': {
    make: post(() => `{"inputs":[{"name":"text","shape":[1],"datatype":"BYTES","data":${deep(250_000)}}]}`),
    allowed: WRONG,
  },
  'deep parameters': { make: post(() => `{"parameters":${deep(250_000)}}`), allowed: WRONG },
  'deep, below 64 KiB': { make: post(() => `{"id":${deep(32_000)}}`), allowed: WRONG },
  '65,536 texts': { make: post(() => given('text', '65536', 'BYTES', '"a"', 65_536)) },
  '65,536 empty texts': { make: post(() => given('text', '65536', 'BYTES', '""', 65_536)), allowed: WRONG },
  '20,000 outputs': {
    make: post(() => numbered('{"outputs":[', (i) => `{"name":"${i}"}`, ']}', { count: 20_000 })),
    allowed: WRONG,
  },
  '4,000 outputs, below 64 KiB': {
    make: post(() => numbered('{"outputs":[', (i) => `{"name":"${i}"}`, ']}', { count: 4000 })),
    allowed: WRONG,
  },
  '100,000 parameters': {
    make: post(() => numbered('{"parameters":{', (i) => `"p${i}":0`, '}}', { count: 100_000 })),
    allowed: WRONG,
  },
  '6,000 parameters, below 64 KiB': {
    make: post(() => numbered('{"parameters":{', (i) => `"p${i}":0`, '}}', { count: 6000 })),
    allowed: WRONG,
  },
  'members that nobody knows': {
    make: post(() => numbered('{', (i) => `"m${i}":0`, '}', { count: 100_000 })),
    allowed: WRONG,
  },
  '8 MiB of INT64': {
    make: () => binary('input_ids', [JSON_LIMIT / 8], 'INT64', Buffer.alloc(JSON_LIMIT)),
  },
  '63 MiB of INT64': {
    make: () => binary('input_ids', [(63 * MIB) / 8], 'INT64', Buffer.alloc(63 * MIB)),
  },
  '63 MiB of INT64, all wrong': {
    make: () => binary('input_ids', [(63 * MIB) / 8], 'INT64', Buffer.alloc(63 * MIB, 255)),
    allowed: WRONG,
  },
  '65,536 strings in bytes': { make: () => binary('text', [65_536], 'BYTES', strings(65_536)) },
  '65,536 strings in bytes, the last one empty': {
    make: () => binary('text', [65_536], 'BYTES', strings(65_536, 0)),
    allowed: WRONG,
  },
  'empty strings in bytes': {
    make: () => binary('text', [65_536], 'BYTES', Buffer.alloc(4 * 65_536)),
    allowed: WRONG,
  },
  'one string of 60 MiB in bytes': {
    make: () => {
      const bytes = Buffer.alloc(60 * MIB, 'é')
      bytes.writeUInt32LE(bytes.length - 4)
      return binary('text', [1], 'BYTES', bytes)
    },
  },
}
export const bounds = { rssBytes: 800 * MIB }

export const prepare = ({ make }) => make()
export const send = sendOne
export const expect = expectAllowed
