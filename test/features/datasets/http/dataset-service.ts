import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestService } from '../../../helper.js'
import { testService } from '../../../helper.js'

export const PLACES = ['memory', 'disk'] as const

export interface DatasetService extends TestService {
  /** The service's DATA_DIR. */
  readonly folder: string
}

/** A service with routes of datasets, which are in a temporary folder or in a given one. */
export async function datasetService(
  place: (typeof PLACES)[number],
  env: Readonly<Record<string, string>> = {},
): Promise<DatasetService> {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-data-'))
  const where: Record<string, string> = place === 'disk' ? { DATA_DIR: folder } : {}
  const service = await testService({ ...where, ...env }, { hasDatasets: true })
  return {
    ...service,
    folder,
    async close() {
      await service.close()
      await rm(folder, { recursive: true })
    },
  }
}

type Headers = Readonly<Record<string, string>>
export type Query = Readonly<Record<string, unknown>>

export function queryString(query: Query): string {
  const texts = Object.entries(query).map(([name, value]) => [name, String(value)] as const)
  return new URLSearchParams(Object.fromEntries(texts)).toString()
}

/** Uploads text, JSON lines or ids; an object is a mixture. */
export function upload(
  { app }: Pick<TestService, 'app'>,
  type: string,
  body: string | Buffer | object,
  query: Query = {},
  headers: Headers = {},
) {
  return app.inject({
    method: 'POST',
    url: `/v1/datasets?${queryString(query)}`,
    headers: { 'content-type': type, ...headers },
    payload: typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body),
  })
}

/** Uploads documents of ids. */
export async function uploadIds(
  service: Pick<TestService, 'app'>,
  documents: readonly (readonly number[])[],
  query: Query = {},
): Promise<string> {
  const lines = documents.map((ids) => `${JSON.stringify({ input_ids: ids })}\n`).join('')
  const answer = await upload(service, 'application/x-ndjson', lines, query)
  return answer.json().id
}

export function get(
  { app }: Pick<TestService, 'app'>,
  path: string,
  query: Query = {},
  headers: Headers = {},
) {
  const search = queryString(query)
  return app.inject({ url: `/v1/datasets/${path}${search && `?${search}`}`, headers })
}

/** The numbers of a tensor of a JSON answer, side by side. */
export function numbersOf(answer: { json(): unknown }, name: string): number[] {
  const { outputs } = answer.json() as { outputs: Record<string, { data: readonly unknown[] }> }
  return (outputs[name]!.data as unknown[]).flat(2) as number[]
}
