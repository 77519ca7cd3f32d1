import { afterAll, beforeAll, expect, test } from 'vitest'
import { keepCounts, keepModels, metricsText } from '../../src/metrics/all-threads.js'
import { Metrics } from '../../src/metrics/metrics.js'
import { areModelCounts, countsByModel, NO_COUNTS } from '../../src/metrics/model-counts.js'
import { type TestService, testService } from '../helper.js'

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.close())

const one = { items: 2, last: 5, successes: 1, successNs: 7, inputNs: 3 }

/** The metrics of a thread that has had these inferences. */
async function valuesOf(
  ...all: readonly [id: string, sums: Parameters<Metrics['countModel']>[1]][]
): Promise<object[]> {
  const metrics = new Metrics()
  metrics.watchModels(service.models)
  for (const [id, sums] of all) metrics.countModel(id, sums)
  return metrics.values()
}

const sumsOf = (...threads: object[][]) => countsByModel(threads)

test('threads add up; of the last inference’s time the greatest counts', async () => {
  const first = await valuesOf(['default', one], ['default', one])
  const second = await valuesOf(['default', { ...one, last: 4, failures: 1, failureNs: 9 }])
  expect(sumsOf(first, second).get('default')).toEqual({
    ...NO_COUNTS,
    ...{ items: 6, last: 5, successes: 3, successNs: 21, failures: 1, failureNs: 9, inputNs: 9 },
  })
})

test('inferences of deleted models are forgotten', async () => {
  expect([...sumsOf(await valuesOf(['default', one], ['gone', one])).keys()]).toEqual(['default'])
})

test('a thread’s inferences outlive it', async () => {
  const living = await valuesOf(['default', one])
  let ended: object[] = []
  for (let i = 0; i < 3; i++) {
    ended = keepModels(await keepCounts(ended, await valuesOf(['default', one])), living)
  }
  expect(sumsOf(living, ended).get('default')).toMatchObject({ successes: 4, items: 8 })
  expect(ended.filter(areModelCounts)).toHaveLength(1)
  expect(await metricsText([living, ended])).not.toContain('inferences')
})
