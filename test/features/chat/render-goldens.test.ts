import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ModelsFolder } from '../../checkpoints/folders.js'
import { post, type TestService, testService } from '../../helper.js'

const FOLDER = new URL('../../goldens/chat-ids/', import.meta.url)

interface Case {
  readonly model: string
  readonly chat: object
  readonly ids?: readonly number[]
  readonly error?: string
}

const cases: Case[] = readFileSync(new URL('expected.ndjson', FOLDER), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
const names = [...new Set(cases.map(({ model }) => model))]

let folder: ModelsFolder
let service: TestService
beforeAll(async () => {
  folder = await ModelsFolder.make()
  for (const name of names) {
    const files = readdirSync(new URL(`${name}/`, FOLDER))
    const read = (file: string) => readFileSync(new URL(`${name}/${file}`, FOLDER))
    await folder.llama(name, Object.fromEntries(files.map((file) => [file, read(file)])))
  }
  service = await testService({}, { folders: await folder.entries() })
})
afterAll(async () => {
  await service.close()
  await folder.remove()
})

describe.each(names)('%s', (model) => {
  test('renders transformers’ own ids, and refuses where its template raises', async () => {
    let equal = 0
    for (const { chat, ids, error } of cases.filter((each) => each.model === model)) {
      const answer = await post(service, '/v1/chat/completions/render', { model, ...chat })
      const given = answer.json()
      const shown = JSON.stringify({ chat, error: given.error ?? error })
      if (ids === undefined) expect(given.error?.code, shown).toMatch(/^template_(failed|unsupported)$/)
      else expect(given.token_ids, shown).toEqual(ids)
      if (ids !== undefined) equal++
    }
    expect(equal).toBeGreaterThan(5)
  })
})
