import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parse } from 'yaml'
import { memoryOf } from './harness/process-state.mjs'
import { end, flagsOf } from './harness/script.mjs'
import { startService } from './harness/service.mjs'
import { watchTurns } from './harness/turns.mjs'

const HELP = `Sends every number that openapi.yaml names, in a query, a path or a JSON body, as the smallest, the largest, 2^30, 2^31
and 2^53, beside each choice of the operation's other fields, with the smallest dataset, text and model.

  node test/attacks/sweep.mjs [--only OPERATION] [--turn-ms 100]

What must hold: no turn of the event loop above --turn-ms of processor time, no memory beyond MAX_BYTES_IN_FLIGHT, no 5xx but a documented
refusal for want of room, none without an answer, and the service is alive after each.`

const MIB = 2 ** 20
const FLIGHT = 64 * MIB
/** What V8 and glibc may hold beside what requests have reserved. */
const SLACK = 96 * MIB
const READ_BYTES = MIB
const PATIENCE_MS = 60_000
const KEY = 'sweep-sweep-sweep-sweep-sweep-sweep'
const REFUSED = new Set([
  'overloaded',
  'insufficient_memory',
  'insufficient_storage',
  'deadline_exceeded',
  'model_failed',
  'loading',
  'model_loading',
  'dataset_indexing',
])
const DEEPEST = 4
const TIMES = 3
const METHODS = ['get', 'put', 'post', 'delete']

const flags = flagsOf(HELP, { only: '', 'turn-ms': 100 })
const openapi = parse(readFileSync(fileURLToPath(new URL('../../openapi.yaml', import.meta.url)), 'utf8'))
const turns = watchTurns()
const env = {
  MAX_BYTES_IN_FLIGHT: String(FLIGHT),
  MAX_TABLE_BYTES: String(64 * MIB),
  EMBEDDING_DIM: '8',
  ADMIN_API_KEY: KEY,
  REQUEST_DEADLINE_SECONDS: '60',
  ...turns.env,
}
const headers = { Authorization: `Bearer ${KEY}`, Accept: '*/*' }
let service
let PATHS
let peak

const failures = []
const seen = { requests: 0, fields: 0, longest: 0 }
await begin()

for (const [path, operations] of Object.entries(openapi.paths)) {
  for (const method of METHODS) {
    const operation = operations[method]
    if (operation === undefined || !operation.operationId.includes(flags.only)) continue
    const before = seen.requests
    await sweepParameters(method.toUpperCase(), path, operation)
    await sweepBody(method.toUpperCase(), path, operation)
    if (seen.requests > before) console.log(`${operation.operationId}: ${seen.requests - before} requests`)
  }
}
const { code } = await service.stop()
turns.end()
if (code !== 0) failures.push(`the service ended with ${code}: ${service.errors().slice(-300)}`)
console.log(
  `${seen.fields} fields, ${seen.requests} requests, the longest turn ${seen.longest} ms of processor time`,
)
end(failures)

async function begin() {
  service = await startService({ env })
  const sentence = 'The smallest dataset has one short sentence.'
  const { text } = await ask('POST', '/v1/datasets?encoding=gpt2', sentence, 'text/plain')
  PATHS = { model: 'default', dataset: JSON.parse(text).id, batch: '0', document: '0', version: '1' }
  peak = memoryOf(service.pid).peak
  turns.longest() // of the start
}

async function sweepParameters(method, path, operation) {
  const parameters = (operation.parameters ?? []).map(resolved).filter(({ in: place }) => place !== 'header')
  const text = operation.requestBody?.content?.['text/plain'] && 'a b c'
  const base = Object.fromEntries(
    parameters.flatMap(({ name, in: place, required }) => {
      if (place === 'path') return [[name, PATHS[name]]]
      return required ? [[name, '4']] : []
    }),
  )
  const choices = parameters.flatMap(({ name, schema }) =>
    choicesOf(schema).map((value) => ({ [name]: value })),
  )
  for (const { name, schema } of parameters) {
    for (const number of numbersIn(schema, [])) {
      seen.fields++
      for (const value of valuesOf(number.schema)) {
        for (const choice of [{}, ...choices]) {
          const all = {
            ...base,
            ...(text && { context_length: '4', outputs: 'input_ids' }),
            ...choice,
            [name]: value,
          }
          await send(method, url(path, parameters, all), text, 'text/plain')
        }
      }
    }
  }
}

async function sweepBody(method, path, operation) {
  const content = operation.requestBody?.content?.['application/json']
  if (content === undefined) return
  const examples = Object.values(content.examples ?? {}).map(({ value }) => value)
  const schema = resolved(content.schema)
  const parameters = (operation.parameters ?? []).map(resolved).filter(({ in: place }) => place === 'path')
  const target = url(path, parameters, {
    ...PATHS,
    ...(operation.operationId === 'putModel' && { model: 'swept' }),
  })
  const least = smallest(schema)
  const choices = Object.entries(schema.properties ?? {}).flatMap(([name, own]) =>
    choicesOf(own).map((value) => ({ [name]: value })),
  )
  for (const number of numbersIn(schema, [])) {
    seen.fields++
    for (const value of valuesOf(number.schema)) {
      for (const example of examples.length > 0 ? examples : [{}]) {
        for (const choice of [{}, ...choices]) {
          const body = structuredClone({ ...least, ...example, ...choice })
          set(body, number.path, value, number.fixed)
          await send(method, target, JSON.stringify(body), 'application/json')
        }
      }
    }
  }
}

async function send(method, target, body, type) {
  if (service.ended) await begin()
  seen.requests++
  const answer = await ask(method, target, body, type)
  const what = `${method} ${target} ${body ?? ''}`.slice(0, 400)
  const fail = (problem) => {
    if (failures.length < 200) failures.push(`${problem}: ${what}`)
  }
  if (answer.problem !== undefined) {
    fail(answer.problem)
    service.kill()
    await service.exited
    return
  }
  if (answer.status >= 500 && !REFUSED.has(answer.code)) fail(`${answer.status} ${answer.code}`)
  let longest = turns.longest()
  seen.longest = Math.max(seen.longest, longest)
  // A collection of garbage takes a turn as well, but not each time.
  for (let time = 1; time < TIMES && longest > flags['turn-ms']; time++) {
    await ask(method, target, body, type)
    longest = Math.min(longest, turns.longest())
  }
  if (longest > flags['turn-ms']) fail(`a turn of ${longest} ms of processor time`)
  const now = memoryOf(service.pid)?.peak ?? peak
  if (now - peak > FLIGHT + SLACK) fail(`${Math.round((now - peak) / MIB)} MiB more than before`)
  peak = Math.max(peak, now)
}

/** Reads the first part of an answer and leaves. */
async function ask(method, target, body, type) {
  try {
    const answer = await fetch(`http://127.0.0.1:${service.port}${target}`, {
      ...{ method, body, headers: { ...headers, ...(body && { 'Content-Type': type }) } },
      signal: AbortSignal.timeout(PATIENCE_MS),
    })
    let text = ''
    let bytes = 0
    for await (const chunk of answer.body ?? []) {
      if (answer.status >= 400 || text.length < 4096) text += Buffer.from(chunk).toString('latin1')
      bytes += chunk.length
      if (bytes > READ_BYTES) break
    }
    const code = answer.status < 400 ? undefined : /"code":"(\w+)"/.exec(text)?.[1]
    return { status: answer.status, code, text }
  } catch (error) {
    return { status: 0, problem: `no answer (${error.cause?.code ?? error.name})` }
  }
}

function resolved(schema) {
  if (schema?.$ref === undefined) return schema ?? {}
  return resolved(
    schema.$ref
      .slice(2)
      .split('/')
      .reduce((at, name) => at[name], openapi),
  )
}

function formsOf({ oneOf = [], anyOf = [], allOf = [] }) {
  return [...oneOf, ...anyOf, ...allOf]
}

/** The numbers of a schema: `{ path, schema, fixed }`; `fixed`: what the objects on the path are known by. */
function numbersIn(given, path, fixed = []) {
  const schema = resolved(given)
  if (path.length > DEEPEST) return []
  const types = [schema.type].flat()
  const own = types.includes('integer') || types.includes('number') ? [{ path, schema, fixed }] : []
  const within = formsOf(schema).flatMap((form) => numbersIn(form, path, fixed))
  const known = Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
    const { const: value, enum: values } = resolved(property)
    return value !== undefined || values?.length === 1 ? [[[...path, name], value ?? values[0]]] : []
  })
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    numbersIn(property, [...path, name], [...fixed, ...known]),
  )
  const items = schema.items === undefined ? [] : numbersIn(schema.items, [...path, 0], fixed)
  const found = [...own, ...within, ...fields, ...items]
  return [...new Map(found.map((number) => [JSON.stringify([number.path, number.fixed]), number])).values()]
}

/** A value with the required fields alone. */
function smallest(given) {
  const schema = resolved(given)
  if (schema.const !== undefined || schema.enum) return schema.const ?? schema.enum[0]
  const [form] = formsOf(schema)
  if (form !== undefined) return smallest(form)
  const type = [schema.type].flat()[0]
  if (type === 'array') return [smallest(schema.items)]
  if (type === 'integer' || type === 'number') return Math.max(schema.minimum ?? 1, 1)
  if (type === 'object' || schema.properties)
    return Object.fromEntries(
      (schema.required ?? []).map((name) => [name, smallest(schema.properties[name])]),
    )
  return type === 'boolean' ? false : 'a'
}

function choicesOf(given) {
  const schema = resolved(given)
  if ([schema.type].flat().includes('boolean')) return [true]
  return [...(schema.enum ?? []), ...formsOf(schema).flatMap(choicesOf)].filter(
    (value) => typeof value !== 'number',
  )
}

function valuesOf({ type, minimum, maximum, exclusiveMinimum }) {
  const sizes = [2 ** 30, 2 ** 31, 2 ** 53 - 1, 2 ** 53]
  const most = [type].flat().includes('integer') ? [] : [1e308, 5e-324]
  return [...new Set([minimum ?? exclusiveMinimum ?? -1, maximum ?? 1, 1, ...sizes, ...most])]
}

function set(body, path, value, fixed) {
  const put = (at, given) => {
    let own = body
    for (const [i, step] of at.slice(0, -1).entries()) {
      if (typeof own[step] !== 'object' || own[step] === null)
        own[step] = typeof at[i + 1] === 'number' ? [] : {}
      own = own[step]
    }
    own[at.at(-1)] = given
  }
  for (const [at, given] of fixed) put(at, given)
  put(path, value)
}

function url(path, parameters, values) {
  const place = Object.fromEntries(parameters.map(({ name, in: where }) => [name, where]))
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name]))
  const query = Object.entries(values).filter(([name]) => place[name] === 'query')
  return query.length === 0 ? filled : `${filled}?${new URLSearchParams(query)}`
}
