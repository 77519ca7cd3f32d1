import type { ErrorCode } from '../../errors.js'
import { type JsonObject, ref } from '../json.js'
import type { Operation } from '../operation.js'

type Page = Pick<Operation, 'id' | 'path' | 'summary' | 'description'> & {
  readonly mediaType: string
  readonly schema: JsonObject
  readonly errors?: readonly ErrorCode[]
}

/** A document about the service itself. */
function page({ mediaType, schema, errors = [], ...rest }: Page): Operation {
  return {
    ...rest,
    method: 'get',
    tag: 'Service',
    answer: { description: rest.summary, headers: [], content: { [mediaType]: schema } },
    errors: ['not_acceptable', ...errors],
    examples: [],
  }
}

function health(id: string, path: string, summary: string, errors: readonly ErrorCode[]): Operation {
  return {
    ...page({ id, path, summary, mediaType: 'application/json', schema: ref('schemas', 'Health') }),
    errors,
    open: true,
    examples: [{ name: path.split('/').at(-1) as string, summary }],
  }
}

const TEXT: JsonObject = { type: 'string' }

const ROUTES: JsonObject = {
  type: 'object',
  required: ['routes'],
  properties: {
    routes: {
      type: 'array',
      items: {
        type: 'object',
        required: ['method', 'path', 'summary'],
        properties: { method: TEXT, path: TEXT, summary: TEXT },
      },
    },
  },
}

/** Answers with the list of routes, or with the explorer. */
const root: Operation = {
  ...page({
    id: 'getRoot',
    path: '/',
    summary: 'The explorer, or the list of routes',
    description:
      'To those who ask for HTML, the explorer: a page that shows every stage of a text. To others, the routes of this document.',
    mediaType: 'application/json',
    schema: ROUTES,
  }),
  answer: {
    description: 'The page, or the list.',
    headers: [],
    content: { 'application/json': ROUTES, 'text/html': TEXT },
  },
  open: true,
}

export const serviceOperations: readonly Operation[] = [
  root,
  health('getLiveness', '/health/live', 'The process answers, and all its threads', ['not_live']),
  health('getReadiness', '/health/ready', 'The tables are there, and the service does not stop', [
    'loading',
    'stopping',
  ]),
  page({
    id: 'getMetrics',
    path: '/metrics',
    summary: 'Metrics for Prometheus',
    description:
      'Counters and histograms of requests, tokens, windows, bytes and errors; memory and event loop. Not for keys of some models: all are named here.',
    mediaType: 'text/plain',
    schema: TEXT,
    errors: ['forbidden'],
  }),
  page({
    id: 'getOpenApiJson',
    path: '/openapi.json',
    summary: 'This document as JSON',
    description: 'The same as /openapi.yaml.',
    mediaType: 'application/json',
    schema: { type: 'object' },
  }),
  page({
    id: 'getOpenApiYaml',
    path: '/openapi.yaml',
    summary: 'This document as YAML',
    description: 'The file of the repository, as it is.',
    mediaType: 'application/yaml',
    schema: { type: 'object' },
  }),
  page({
    id: 'getDocs',
    path: '/docs',
    summary: 'This document as a page',
    description: 'Works without the internet: everything that it loads comes from this service.',
    mediaType: 'text/html',
    schema: TEXT,
  }),
]
