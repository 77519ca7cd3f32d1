import { readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadAnswer } from '../../src/explorer/answer/load.js'
import { record } from '../../src/explorer/first-paint/record.js'
import { fromRecording } from '../../src/explorer/first-paint/recorded.js'
import { presets } from '../../src/explorer/recipe/presets.js'
import { type TestService, testService } from '../helper.js'
import { injected } from './injected.js'

const FILE = new URL('../../src/explorer/first-paint/recording.json', import.meta.url)

let service: TestService
beforeAll(async () => {
  service = await testService({ EMBEDDING_DIM: '256' })
})
afterAll(() => service.close())

describe('the first picture', () => {
  it('equals the service’s answers to the first preset (UPDATE_RECORDING=1 writes it anew)', async () => {
    const recording = await record((target, request) => injected(service, target, request))
    if (process.env.UPDATE_RECORDING === '1') writeFileSync(FILE, `${JSON.stringify(recording, null, 2)}\n`)
    expect(JSON.parse(readFileSync(FILE, 'utf8'))).toEqual(recording)
  })

  it('is painted without a call', async () => {
    const client = fromRecording(JSON.parse(readFileSync(FILE, 'utf8')))
    const answer = await loadAnswer(client, presets[0].recipe, async () => undefined)
    expect(answer.counts).toMatchObject({ tokens: 12, windows: 2 })
    expect(answer.rows).toMatchObject({ windows: 2, length: 6, channels: 256 })
  })
})
