import { afterAll, beforeAll, expect, test } from 'vitest'
import { embed } from '../../src/first-layer/embed.js'
import { embedOptions } from '../../src/first-layer/options/embedding.js'
import { ALONE } from '../../src/first-layer/running/edge.js'
import { type TestService, testService } from '../helper.js'

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.close())

test('what the edge says of the ids is waited for before windows are counted', async () => {
  const edge = { ...ALONE, hasIds: () => Promise.reject(new Error('no room for the ids')) }
  // Without windows: their error would come first.
  const options = embedOptions.parse({ context_length: 1000 })
  await expect(embed(service.model, 'a', options, { edge })).rejects.toThrow('no room for the ids')
})
