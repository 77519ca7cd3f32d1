import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { folderEntries } from '../../../src/models/folders.js'
import { type TestService, testService } from '../../helper.js'

/** Folders as they were reported to others, and the answers of transformers 5.24 and sentence-transformers 6.2 to them. */
const FOLDER = new URL('../../goldens/folder-cases/', import.meta.url)

interface Case {
  readonly id: string
  readonly model: string
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: object
  /** Both, if a refusal may replace the answer. */
  readonly status: readonly number[]
  /** Fields that an answer of 200 must have. */
  readonly json?: unknown
}

const cases: Case[] = readFileSync(new URL('cases.ndjson', FOLDER), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))

let service: TestService
beforeAll(async () => {
  const folders = await folderEntries({ MODELS_DIR: fileURLToPath(FOLDER) }, () => {})
  service = await testService({}, { folders })
})
afterAll(() => service.close())

/** The wanted value with its numbers of 32 bits as they are found, if they are near enough. */
function asFound(want: unknown, found: unknown): unknown {
  if (Array.isArray(want)) return want.map((each, i) => asFound(each, (found as unknown[] | undefined)?.[i]))
  if (typeof want === 'object' && want !== null) {
    const fields = (found ?? {}) as Record<string, unknown>
    return Object.fromEntries(Object.entries(want).map(([name, each]) => [name, asFound(each, fields[name])]))
  }
  const isNear = typeof want === 'number' && typeof found === 'number' && Math.abs(want - found) <= 1e-6
  return isNear && !Number.isInteger(want) ? found : want
}

test.each(cases)('$id', async ({ method, path, body, status, json }) => {
  const answer = await service.app.inject({ method, url: path, ...(body && { payload: body }) })
  expect(status, answer.body.slice(0, 300)).toContain(answer.statusCode)
  if (answer.statusCode !== 200) expect(answer.json().error.message).toMatch(/`\w+`|added_tokens\.json/)
  else if (json !== undefined) expect(answer.json()).toMatchObject(asFound(json, answer.json()) as object)
})
