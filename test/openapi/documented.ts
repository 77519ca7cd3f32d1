import { readFileSync } from 'node:fs'
import { parse } from 'yaml'
import { exampleApps } from '../../src/openapi/example-apps.js'
import type { Json, JsonObject } from '../../src/openapi/json.js'

/** The committed file as text and parsed. */
export const FILE = readFileSync('openapi.yaml', 'utf8')
export const DOCUMENT = parse(FILE) as JsonObject

/** Follows a reference: `{ $ref: '#/components/examples/loading' }` → the example; any other value comes back. */
function resolved(value: Json): Json {
  const { $ref } = (value ?? {}) as { $ref?: string }
  if ($ref === undefined) return value
  return $ref
    .slice('#/'.length)
    .split('/')
    .reduce<Json>((part, key) => (part as JsonObject)[key], DOCUMENT)
}

function eachResolved(values: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, resolved(value)]))
}

/** An operation with the answers and the examples that it refers to. */
function withAnswers(operation: DocumentedOperation): DocumentedOperation {
  const responses = eachResolved(operation.responses as unknown as JsonObject)
  return JSON.parse(JSON.stringify({ ...operation, responses }), (key, value) =>
    key === 'examples' ? eachResolved(value) : value,
  )
}

type Examples = Readonly<Record<string, { readonly value?: Json; readonly $ref?: string }>>

interface Content {
  readonly examples?: Examples
}

export interface DocumentedOperation {
  readonly operationId: string
  readonly security?: readonly Json[]
  readonly parameters?: readonly {
    readonly $ref?: string
    readonly name: string
    readonly in: string
    readonly explode?: boolean
    readonly examples?: Examples
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<
    Record<string, { readonly headers?: JsonObject; readonly content?: Readonly<Record<string, Content>> }>
  >
}

/** Every operation of the document with its method and path. */
export const documentedOperations = Object.entries(
  DOCUMENT.paths as unknown as Record<string, Record<string, DocumentedOperation>>,
).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation: withAnswers(operation) })),
)

let apps: ReturnType<typeof exampleApps> | undefined

/** The service as the document shows it, without a port; each test file makes its own. */
export function services(): ReturnType<typeof exampleApps> {
  apps ??= exampleApps()
  return apps
}
