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

function health(
  of: Pick<Page, 'id' | 'path' | 'summary' | 'description'>,
  errors: readonly ErrorCode[],
): Operation {
  const { path, summary } = of
  return {
    ...page({ ...of, mediaType: 'application/json', schema: ref('schemas', 'Health') }),
    errors,
    open: true,
    examples: [{ name: path.split('/').at(-1) as string, summary }],
  }
}

const TEXT: JsonObject = { type: 'string' }

/** Answers with the list of routes, or with the explorer. */
const root: Operation = {
  ...page({
    id: 'getRoot',
    path: '/',
    summary: 'The explorer, or the list of routes',
    description:
      'To those who ask for HTML, the explorer: a page that shows every stage of a text. To others, the routes of this document.',
    mediaType: 'application/json',
    schema: ref('schemas', 'RouteList'),
  }),
  answer: {
    description: 'The page, or the list.',
    headers: [],
    content: { 'application/json': ref('schemas', 'RouteList'), 'text/html': TEXT },
  },
  open: true,
}

export const serviceOperations: readonly Operation[] = [
  root,
  health(
    {
      id: 'getLiveness',
      path: '/health/live',
      summary: 'The process answers',
      description: '200 as soon as the port is open.',
    },
    [],
  ),
  health(
    {
      id: 'getReadiness',
      path: '/health/ready',
      summary: 'The tables are there, and the service does not stop',
      description:
        '503 while the tables are being made, and from the signal to stop on: requests are to go elsewhere.',
    },
    ['loading', 'stopping'],
  ),
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
