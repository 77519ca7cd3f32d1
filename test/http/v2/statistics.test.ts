import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen, type TestService, testService } from '../../helper.js'
import { until } from '../../until.js'
import { encoded, type GivenRequest, INFER, idsInput } from './inference.js'

let service: TestService
let origin: string
beforeAll(async () => {
  service = await testService()
  origin = `http://127.0.0.1:${await listen(service)}`
})
afterAll(() => service.close())

async function infer(request: GivenRequest): Promise<number> {
  const answer = await fetch(`${origin}${INFER}`, { method: 'POST', body: encoded(request).body as never })
  await answer.arrayBuffer()
  return answer.status
}

async function statistics(url = '/v2/models/default/stats') {
  const { model_stats: stats } = JSON.parse(await (await fetch(origin + url)).text())
  expect(stats).toHaveLength(1)
  return stats[0]
}

test('before the first inference all is 0', async () => {
  const { name, version, inference_count: items, inference_stats: stats } = await statistics()
  expect([name, version, items]).toEqual(['default', '1', 0])
  for (const duration of Object.values(stats)) expect(duration).toEqual({ count: 0, ns: 0 })
})

test('successes, failures, documents and times are counted', async () => {
  const rows = { name: 'input_ids', shape: [3, 1], datatype: 'INT64', data: [1, 2, 3] }
  const before = Date.now()
  const started = performance.now()
  expect(await infer({ inputs: [rows] })).toBe(200)
  expect(await infer({ inputs: [idsInput(...Array.from({ length: 1000 }, (_, i) => i))] })).toBe(200)
  expect(await infer({ inputs: [idsInput(-1)] })).toBe(400)
  await until(() => service.log.lines.filter(({ route }) => String(route).endsWith('infer')).length === 3)
  const all = await statistics('/v2/models/stats')
  expect(all).toEqual(await statistics('/v2/models/default/versions/1/stats'))
  expect(all.inference_count).toBe(4)
  expect(all.execution_count).toBe(2)
  expect(all.last_inference).toBeGreaterThanOrEqual(before)
  const {
    success,
    fail,
    queue,
    compute_input: input,
    compute_infer: run,
    compute_output: output,
  } = all.inference_stats
  for (const { count } of [success, queue, input, run, output]) expect(count).toBe(2)
  expect(queue.ns + input.ns + run.ns + output.ns).toBeGreaterThanOrEqual(0.99 * success.ns)
  for (const { ns } of [success, fail, input, run]) expect(ns).toBeGreaterThan(0)
  expect(success.ns + fail.ns).toBeLessThan(1e6 * (performance.now() - started))
  expect(all.memory_usage).toEqual([{ type: 'CPU', id: 0, byte_size: service.model.tableBytes }])
})
