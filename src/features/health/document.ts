import { type JsonObject, ref } from '../../service/document/json.js'
import type { Operation } from '../../service/document/operation.js'

const TEXT: JsonObject = { type: 'string' }
const FILE: JsonObject = { type: 'object' }

/** A document about the service itself. */
function page(
  id: string,
  path: string,
  summary: string,
  content: Readonly<Record<string, JsonObject>>,
  description: string,
  rest: Partial<Operation> = {},
): Operation {
  const answers = [{ description: summary, content }]
  return { id, route: `get ${path}`, tag: 'Service', summary, description, answers, ...rest }
}

const HEALTH = { 'application/json': ref('schemas', 'Health') }

export const serviceOperations: readonly Operation[] = [
  page(
    ...(['getRoot', '/', 'The explorer, or the list of routes'] as const),
    { 'application/json': ref('schemas', 'RouteList'), 'text/html': TEXT },
    'To those who ask for HTML, the explorer: a page that shows every stage of a text. To others, the routes of this document.',
    { access: 'open' },
  ),
  page(
    ...(['getLiveness', '/health/live', 'The process answers', HEALTH] as const),
    '200 as soon as the port is open.',
    { access: 'open' },
  ),
  page(
    ...(['getReadiness', '/health/ready', 'The tables are there, and the service does not stop'] as const),
    HEALTH,
    '503 while the tables are being made, and from the signal to stop on: requests are to go elsewhere.',
    { access: 'open', errors: ['loading', 'stopping'] },
  ),
  page(
    ...(['getMetrics', '/metrics', 'Metrics for Prometheus', { 'text/plain': TEXT }] as const),
    'Counters and histograms of requests, tokens, windows, bytes and errors; memory and event loop. Not for keys of some models: all are named here.',
    { errors: ['forbidden'] },
  ),
  page(
    ...(['getOpenApiJson', '/openapi.json', 'This document as JSON', { 'application/json': FILE }] as const),
    'The same as /openapi.yaml.',
  ),
  page(
    ...(['getOpenApiYaml', '/openapi.yaml', 'This document as YAML', { 'application/yaml': FILE }] as const),
    'The file of the repository, as it is.',
  ),
  page(
    ...(['getDocs', '/docs', 'This document as a page', { 'text/html': TEXT }] as const),
    'Works without the internet: everything that it loads comes from this service.',
  ),
]
