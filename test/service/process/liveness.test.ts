import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { buildApp } from '../../../src/service/app.js'
import { Liveness } from '../../../src/service/process/liveness.js'
import { testService } from '../../helper.js'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

const SECOND = 1000

/** The first thread, whose turns a test can end, and another one that looks. */
function pair(seconds = 0) {
  const first = Liveness.first(2)
  const other = new Liveness(first.shared, 1)
  const ends = { told: 0 }
  first.beat()
  other.watch(seconds, () => ends.told++)
  const hang = () => {
    vi.clearAllTimers()
    other.watch(seconds, () => ends.told++)
  }
  return { first, other, ends, hang }
}

test('a thread that has turns is never silent', () => {
  const { first, other, ends } = pair()
  vi.advanceTimersByTime(1000 * SECOND)
  expect([first.isSilent, other.isSilent, ends.told]).toEqual([false, false, 0])
})

test('ten seconds without a turn are silence, which ends with the next turn', () => {
  const { first, other, hang } = pair()
  vi.advanceTimersByTime(5 * SECOND)
  hang()
  vi.advanceTimersByTime(9 * SECOND)
  expect(other.isSilent).toBe(false)
  vi.advanceTimersByTime(3 * SECOND)
  expect(other.isSilent).toBe(true)
  first.beat()
  vi.advanceTimersByTime(2 * SECOND)
  expect(other.isSilent).toBe(false)
})

test.each([
  [0, 10],
  [25, 25],
])('a process that may take %i s to stop is ended after %i s of silence, once', (seconds, end) => {
  const { ends, hang } = pair(seconds)
  hang()
  vi.advanceTimersByTime((end - 1) * SECOND)
  expect(ends.told).toBe(0)
  vi.advanceTimersByTime(100 * SECOND)
  expect(ends.told).toBe(1)
})

test('health in another thread is 503 while the first one is silent', async () => {
  const { other, hang } = pair()
  const { config, models, close } = await testService()
  const app = await buildApp(config, { models, liveness: other, logger: pino({ level: 'silent' }) })
  const paths = ['/health/live', '/health/ready', '/v2/health/live', '/v2/health/ready']
  const answers = () => Promise.all(paths.map(async (url) => (await app.inject(url)).statusCode))
  expect(await answers()).toEqual([200, 200, 200, 200])
  hang()
  vi.advanceTimersByTime(12 * SECOND)
  expect(await answers()).toEqual([503, 503, 503, 503])
  expect((await app.inject('/health/live')).json().error.code).toBe('not_live')
  await app.close()
  await close()
})
