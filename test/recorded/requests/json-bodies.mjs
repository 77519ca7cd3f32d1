import { post } from './request.mjs'

/** Some bodies are JSON that JSON.stringify never writes. */
const UNITS = [
  ...['a', 'b', ' ', ',', ':', '[', '}', '0', 'é', '日', '🕶'],
  ...['\\n', '\\"', '\\\\', '\\/', '\\u0041', '\\u00e9', '\\u0000', '\\ud83d\\ude00'],
]
const LONE = ['\\ud83d', '\\udc00', '\\uD800']
const NUMBERS = [
  ...['0', '-0', '1', '7', '-1', '1e2', '1.0', '12E-1', '1.5', '1e400', '49', '600', '60000'],
  ...['2147483647', '2147483648', '9007199254740991', '9007199254740993', '123456789012345678901'],
]
const BROKEN = ['\u0001', ',', ':', '[', ']', '{', '}', '"', '\\', '0', '-', 'e', ' ', 'u', '.', 'é']
const SPACES = ['', '', '', '', ' ', '\n', '\t \r']

/** For each route, the fields of its body and the way to draw a value of each. */
const ROUTES = {
  '/v1/input-embeddings': {
    ...{ text: 'texts', input_ids: 'ids', token_type_ids: 'ids', context_length: 'number', outputs: 'texts' },
    ...{
      allowed_special: 'texts',
      position_embedding: 'value',
      model: 'model',
      stride: 'number',
      __proto__: 'value',
    },
  },
  '/v1/tokenize': { text: 'texts', model: 'model', count_only: 'value', encoding: 'value' },
  '/v1/detokenize': { input_ids: 'ids', model: 'model', encoding: 'value' },
  '/v1/embeddings': { input: 'either', model: 'static', dimensions: 'number', user: 'value' },
  '/v1/prompt-embeds': { text: 'texts', input_ids: 'ids', model: 'llama', target: 'value' },
  '/v1/models/tiny/neighbors': {
    text: 'texts',
    input_ids: 'ids',
    vector: 'value',
    k: 'number',
    table: 'table',
  },
  '/v2/models/tiny/infer': {
    inputs: 'inputs',
    outputs: 'value',
    id: 'value',
    parameters: 'value',
    other: 'value',
  },
}

/**
 * Bodies of JSON of every route that reads them: nearly right ones, wrong ones, ones with a character too many, too few
 * or another, small ones and some beyond 64 KiB.
 */
export function* jsonBodies(draw, count) {
  const paths = Object.keys(ROUTES)
  for (let i = 0; i < count; i++) yield jsonBody(draw, paths[i % paths.length])
}

/** One such body. @param path a key of ROUTES */
export function jsonBody(draw, path) {
  const body = objectOf(draw, ROUTES[path])
  return post(path, utf8(draw.chance(0.3) ? broken(draw, body) : body))
}

const KINDS = {
  number: (draw) => draw.one(NUMBERS),
  model: (draw) => draw.one(['"tiny"', '"default"', '"none"', '1']),
  static: (draw) => draw.one(['"static-words"', '"static-words"', '"static-words"', '"tiny"']),
  llama: (draw) =>
    draw.one(['"tokenizer-llama3"', '"tokenizer-llama3"', '"tokenizer-llama3"', '"tiny"', '5']),
  table: (draw) => draw.one(['"token"', '"position"', '"none"']),
  texts: (draw) => draw.one([string, string, strings, strings, largeText, value])(draw),
  ids: (draw) => draw.one([ids, ids, idLists, idLists, largeIds, value])(draw),
  either: (draw) => draw.one([KINDS.texts, KINDS.ids])(draw),
  inputs: (draw) => listOf(draw, input, 3),
  value: (draw) => value(draw),
}

function value(draw, depth = 0) {
  const kind = draw.upTo(depth > 3 ? 3 : 5)
  if (kind === 0) return draw.one(NUMBERS)
  if (kind === 1) return string(draw)
  if (kind === 2) return draw.one(['true', 'false', 'null'])
  if (kind === 3) return listOf(draw, () => value(draw, depth + 1), 4)
  return membersOf(
    draw,
    Array.from({ length: draw.upTo(4) }, () => [string(draw), value(draw, depth + 1)]),
  )
}

function string(draw) {
  const isLone = draw.chance(0.1)
  const units = Array.from({ length: draw.upTo(12) }, () =>
    draw.one(isLone && draw.chance(0.3) ? LONE : UNITS),
  )
  return `"${units.join('')}"`
}

const strings = (draw) => listOf(draw, draw.chance(0.2) ? value : string, 5)
const id = (draw) => (draw.chance(0.95) ? String(draw.upTo(60)) : draw.one(NUMBERS))
const ids = (draw) => listOf(draw, draw.chance(0.1) ? value : id, 8)
const idLists = (draw) => listOf(draw, draw.chance(0.1) ? value : ids, 4)

function largeText(draw) {
  if (draw.chance(0.7)) return string(draw)
  const part = string(draw).slice(1, -1) || 'a'
  return `"${part.repeat(Math.ceil(70_000 / part.length))}"`
}

function largeIds(draw) {
  if (draw.chance(0.7)) return ids(draw)
  const part = Array.from({ length: 50 }, () => draw.upTo(50)).join()
  return `[${`${part},`.repeat(600)}${id(draw)}]`
}

function input(draw) {
  if (draw.chance(0.05)) return value(draw)
  const [name, datatype, kind] = draw.one([
    ['text', 'BYTES', 'texts'],
    ['input_ids', 'INT64', 'ids'],
    ['input_ids', 'INT32', 'either'],
    ['text', 'BYTES', 'either'],
    ['attention_mask', 'INT64', 'ids'],
  ])
  const members = [
    ['"name"', `"${name}"`],
    ['"datatype"', `"${datatype}"`],
    ['"shape"', draw.one(['[1]', '[2]', '[3]', '[1,2]', '[2,2]', '[0]', '5'])],
    ['"data"', KINDS[kind](draw)],
    ...(draw.chance(0.1) ? [['"data"', KINDS[kind](draw)]] : []),
    ...(draw.chance(0.1) ? [['"parameters"', value(draw)]] : []),
  ]
  return membersOf(draw, draw.chance(0.5) ? members : members.toReversed())
}

function objectOf(draw, fields) {
  if (draw.chance(0.03)) return value(draw)
  const names = Object.keys({ ...fields, ...(Object.hasOwn(fields, 'text') && { ['__proto__']: 1 }) })
  const some = draw.chance(0.6) ? names.slice(0, 1 + draw.upTo(3)) : names
  const members = some
    .filter((_, i) => i === 0 || draw.chance(0.5))
    .map((name) => [keyOf(draw, name), (KINDS[fields[name]] ?? KINDS.value)(draw)])
  if (draw.chance(0.05) && members.length > 0) members.push([members[0][0], value(draw)])
  return membersOf(draw, members)
}

function keyOf(draw, name) {
  if (draw.chance(0.95)) return JSON.stringify(name)
  return `"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}"`
}

function listOf(draw, element, most) {
  return `[${around(
    draw,
    Array.from({ length: draw.upTo(most + 1) }, () => element(draw)),
  )}]`
}

function membersOf(draw, members) {
  const texts = members.map(([key, each]) => `${key}${draw.one(SPACES)}:${draw.one(SPACES)}${each}`)
  return `{${around(draw, texts)}}`
}

function around(draw, parts) {
  return parts.map((part) => draw.one(SPACES) + part + draw.one(SPACES)).join(',') || draw.one(SPACES)
}

/** The same with one character put in, taken out, or put in another's place. */
function broken(draw, text) {
  const at = draw.upTo(text.length + 1)
  return text.slice(0, at) + (draw.chance(0.6) ? draw.one(BROKEN) : '') + text.slice(at + draw.upTo(2))
}

/** As bytes; a character that is cut in two leaves a byte that is not UTF-8. */
function utf8(text) {
  return text.isWellFormed()
    ? Buffer.from(text)
    : Buffer.from(text.toWellFormed().replaceAll('\ufffd', 'ÿ'), 'latin1')
}
