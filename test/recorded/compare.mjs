import { parse } from 'yaml'

const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/

/** Metrics whose values depend on time or on this process; their names and labels are compared. */
const TIMED_METRIC = /^(nodejs_|process_)|seconds|_bytes_in_flight|_connections|inlet_response_bytes/

/**
 * Compares two builds' answers to one request.
 *
 * @returns `[{ kind, before, after }]`: `status 200 → 404`, `header etag`, `body`
 */
export function differences(given, before, after) {
  const { path, isBundled = false } = given
  const isHtml = before.some((each) => each.headers?.some(([, value]) => value.startsWith('text/html')))
  const request = {
    ...given,
    isMetrics: path.startsWith('/metrics'),
    isDocument: path.startsWith('/openapi.'),
    isBundled: isBundled || (path === '/' && (isHtml || before.some(({ status }) => status === 304))),
  }
  if (before.length !== after.length) {
    return [
      { kind: `answers ${before.length} → ${after.length}`, before: outline(before), after: outline(after) },
    ]
  }
  return before.flatMap((one, i) => answerDifferences(request, one, after[i]))
}

function answerDifferences(request, before, after) {
  if (before.end !== undefined || after.end !== undefined) {
    const ends = [before, after].map((each) => each.end ?? String(each.status))
    return ends[0] === ends[1]
      ? []
      : [{ kind: `end ${ends.join(' → ')}`, before: outline([before]), after: outline([after]) }]
  }
  if (before.status !== after.status || before.reason !== after.reason) {
    const kind = `status ${before.status} ${codeOf(before)} → ${after.status} ${codeOf(after)}`
    return [{ kind, before: excerpt(before.body, 0), after: excerpt(after.body, 0) }]
  }
  const found = []
  if (String(before.interim) !== String(after.interim)) {
    found.push({ kind: 'interim answers', before: String(before.interim), after: String(after.interim) })
  }
  const bodies = bodyDifferences(request, before, after)
  const headers = headerDifferences(request, before.headers, after.headers)
  const isTold = bodies.length > 0 || request.method === 'HEAD' // by the difference of bodies, of GET's for HEAD
  const isLengthTold = ({ kind }) => isTold && kind === 'header content-length'
  return [...found, ...headers.filter((each) => !isLengthTold(each)), ...bodies]
}

/** `body data.*.limits` for each place where two bodies of JSON differ, all elements of a list as one; `body` for others. */
function bodyDifferences(request, before, after) {
  const bodies = [before, after].map((each) => comparableBody(request, each))
  if (bodies[0].equals(bodies[1])) return []
  const at = firstDifference(...bodies)
  const places = new Map()
  const values = bodies.map(request.isMetrics ? linesByName : parsed)
  if (values.every((value) => value !== undefined)) addPlaces(...values, '', places)
  if (places.size === 0)
    return [{ kind: 'body', before: excerpt(bodies[0], at), after: excerpt(bodies[1], at) }]
  const [earlier, answer] = bodies.map((body) => body.toString('latin1', 0, 400))
  return [...places.values()].map((each) => ({ ...each, earlier, answer }))
}

function parsed(body) {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

/** A metric's lines by its name. */
function linesByName(body) {
  const lines = {}
  for (const line of body.toString().split('\n')) {
    const name = /^(# \w+ )?(?<name>\w+?)(_bucket|_sum|_count)?\b/.exec(line)?.groups.name ?? ''
    lines[name] = `${lines[name] ?? ''}${line}\n`
  }
  return lines
}

const MAX_PLACE_DEPTH = 4

function addPlaces(one, other, place, places, depth = 0) {
  if (one === other) return
  const isBoth = [one, other].every((value) => typeof value === 'object' && value !== null)
  const isPair = isBoth && Array.isArray(one) === Array.isArray(other)
  if (isPair && depth < MAX_PLACE_DEPTH) {
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const next = Array.isArray(one) ? '*' : key
      addPlaces(one[key], other[key], place === '' ? next : `${place}.${next}`, places, depth + 1)
    }
    return
  }
  const texts = [one, other].map((value) => Buffer.from(JSON.stringify(value) ?? '(absent)'))
  if (texts[0].equals(texts[1]) || places.has(place)) return
  const at = firstDifference(...texts)
  places.set(place, { kind: `body ${place}`, before: excerpt(texts[0], at), after: excerpt(texts[1], at) })
}

function codeOf({ body }) {
  return /^\{"error":\{"type":"\w+","code":"(\w+)"/.exec(body.toString('latin1', 0, 200))?.[1] ?? ''
}

function outline(answers) {
  return answers.map(({ end, status }) => end ?? status).join(', ')
}

function headerDifferences(request, before, after) {
  const maps = [before, after].map((headers) => comparableHeaders(request, headers))
  const names = new Set(maps.flatMap((map) => [...map.keys()]))
  const found = []
  for (const name of names) {
    const [one, other] = maps.map((map) => map.get(name))
    if (one === other) continue
    found.push({ kind: `header ${name}`, before: one ?? '(absent)', after: other ?? '(absent)' })
  }
  if (found.length > 0) return found
  const orders = maps.map((map) => [...map.keys()].join(', '))
  return orders[0] === orders[1] ? [] : [{ kind: 'order of headers', before: orders[0], after: orders[1] }]
}

/** Name → value, without what differs from run to run. */
function comparableHeaders(request, headers) {
  const map = new Map()
  for (const [name, value] of headers) {
    const known = map.get(name)
    const comparable = comparableHeader(request, name, value)
    map.set(name, known === undefined ? comparable : `${known} | ${comparable}`)
  }
  return map
}

function comparableHeader(request, name, value) {
  if (name === 'date') return 'DATE'
  if (name === 'x-request-id' && UUID.test(value)) return 'UUID'
  if (name === 'server-timing') return value.replaceAll(/dur=[\d.]+/g, 'dur=N')
  if (name === 'last-modified') return 'DATE'
  const hasOwnBytes = request.isBundled || request.isDocument || request.isMetrics
  if (hasOwnBytes && (name === 'content-length' || name === 'etag')) return 'N'
  const hasOwnLength = /^\/v1\/models(\/[^/]+(\/(un)?load)?)?$/.test(request.path) // backend_reason
  if (hasOwnLength && name === 'content-length') return 'N'
  return value
}

function comparableBody(request, { body, status, headers }) {
  if (request.isBundled && status === 200) return Buffer.from('bundled')
  if (request.isMetrics && status === 200) return Buffer.from(comparableMetrics(body.toString()))
  const type = headers.find(([name]) => name === 'content-type')?.[1] ?? ''
  if (request.isDocument && status === 200 && body.length > 0) {
    const document = type.includes('json') ? JSON.parse(body) : parse(body.toString())
    return Buffer.from(JSON.stringify(withoutReferences(document), undefined, 1))
  }
  if (!type.includes('json')) return body
  const text = body.toString('latin1')
  if (!/"(created":\d|request_id")/.test(text)) return body
  const untimed = text
    .replaceAll(/"created":\d+/g, '"created":0')
    .replaceAll(/"request_id":"[^"]*"/g, '"request_id":""')
    .replaceAll(/"backend_reason":"[^"]*"/g, '"backend_reason":""') // whether an optional package is installed
  return Buffer.from(untimed, 'latin1')
}

/** Lines, sorted; their values where they count requests. */
function comparableMetrics(text) {
  const lines = text.split('\n').map((line) => {
    const name = /^[\w:]+/.exec(line)?.[0]
    if (/route="\/health\/|code="loading"/.test(line)) return '' // as often as the start was waited for
    if (name === undefined || !TIMED_METRIC.test(name)) return line
    if (/^(nodejs_gc|nodejs_active|nodejs_version|process_)/.test(name)) return name
    return line.replace(/ \S+$/, ' N')
  })
  return [...new Set(lines)].toSorted().join('\n')
}

/**
 * A document with each `$ref` to a response, parameter or request body in place of it, each object's keys in order, and
 * without the components that references alone need. References to schemas stay: they may be circles.
 */
function withoutReferences(document) {
  const resolved = (value) => {
    if (Array.isArray(value)) return value.map(resolved)
    if (typeof value !== 'object' || value === null) return value
    const target = typeof value.$ref === 'string' ? targetOf(document, value.$ref) : undefined
    if (target !== undefined) return resolved(target)
    return Object.fromEntries(
      Object.keys(value)
        .toSorted()
        .map((key) => [key, resolved(value[key])]),
    )
  }
  const { components, ...rest } = document
  return resolved({ ...rest, securitySchemes: components?.securitySchemes })
}

const MAX_DEPTH = 12
function targetOf(document, reference) {
  if (!reference.startsWith('#/')) return undefined
  if (reference.split('/').length > MAX_DEPTH) return undefined
  return reference
    .slice(2)
    .split('/')
    .reduce((value, key) => value?.[key.replaceAll('~1', '/').replaceAll('~0', '~')], document)
}

function firstDifference(one, other) {
  const end = Math.min(one.length, other.length)
  for (let i = 0; i < end; i++) if (one[i] !== other[i]) return i
  return end
}

const AROUND = 60

/** Bytes around a place, as a text of one line. */
export function excerpt(bytes, at) {
  const start = Math.max(0, at - AROUND)
  const shown = bytes.toString('latin1', start, at + 2 * AROUND)
  const head = start > 0 ? `…[${start}]` : ''
  return `${head}${shown.replaceAll(/[^\x20-\x7e]/g, '·')} (${bytes.length} bytes)`
}
