import { afterAll, beforeAll, expect, test } from 'vitest'
import { folderEntries } from '../../../src/models/folders.js'
import { idsInput } from '../../features/open-inference/inference.js'
import { post, type TestService, testService } from '../../helper.js'

let service: TestService
beforeAll(async () => {
  const folders = await folderEntries({ MODELS_DIR: 'test/goldens/static', MODELS: undefined }, () => {})
  service = await testService({}, { folders })
})
afterAll(() => service.close())

const INPUT = { text: 'Hello, world!' }

test.each([
  ['/v1/input-embeddings', INPUT],
  ['/v1/tokenize', INPUT],
  ['/v1/embeddings', { model: 'float32', input: 'Hello, world!' }],
  ['/v2/models/default/infer', { inputs: [idsInput(1, 2, 3)] }],
])('the log line of %s has its parts of the whole time', async (url, body) => {
  const answer = await post(service, url, body)
  expect(answer.status).toBe(200)
  const line = service.log.lines.findLast(({ msg }) => msg === 'request') as Record<string, number>
  const { tokenizeMs, embedAndWriteMs, totalMs } = line
  expect(tokenizeMs).toBeGreaterThanOrEqual(0)
  expect(tokenizeMs).toBeLessThanOrEqual(totalMs!)
  expect(embedAndWriteMs).toBeCloseTo(totalMs! - tokenizeMs!, 2)
  const timing = answer.headers['server-timing']
  if (timing !== undefined) expect(Number(timing.split('dur=')[1])).toBeLessThanOrEqual(totalMs!)
})
