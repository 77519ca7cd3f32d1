import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { parse } from 'yaml'
import type { Json, JsonObject } from '../../../src/service/document/components.js'
import { exampleApp } from './example-app.js'

/** The committed file as text and parsed. */
export const FILE = readFileSync('openapi.yaml', 'utf8')
export const DOCUMENT = parse(FILE) as JsonObject

type Examples = Readonly<Record<string, { readonly value?: Json }>>

interface Content {
  readonly examples?: Examples
}

export interface DocumentedOperation {
  readonly operationId: string
  readonly description: string
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
  Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
)

let app: Promise<FastifyInstance> | undefined

/** The service as the document shows it, without a port; each test file makes its own. */
export function service(): Promise<FastifyInstance> {
  app ??= exampleApp()
  return app
}
