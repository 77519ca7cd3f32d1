import { describe, expect, test, vi } from 'vitest'
import type { Order, Report, WorkerData } from '../../../src/service/threads/messages.js'
import { Thread } from '../../../src/service/threads/thread.js'

/** A thread that does what `act(order)` says. */
function thread(act: string) {
  const source = `import { parentPort } from 'node:worker_threads'
    parentPort.on('message', async (order) => { ${act} })`
  const reports: Report[] = []
  const ended = vi.fn()
  const script = new URL(`data:text/javascript,${encodeURIComponent(source)}`)
  const report = (each: Report) => void reports.push(each)
  return { reports, ended, thread: new Thread({ script }, {} as WorkerData, { report, ended }) }
}

const put = (id: number) => ({ type: 'put', id }) as unknown as Order
const stop = { type: 'stop' } as Order

describe('a thread', () => {
  test('acknowledges a change of the models twice: taken, and later drained', async () => {
    const acts = `if (order.type === 'stop') process.exit(0)
      else { parentPort.postMessage({ type: 'taken', id: order.id })
        parentPort.postMessage({ type: 'used', models: [] })
        parentPort.postMessage({ type: 'drained', id: order.id }) }`
    const { thread: told, reports, ended } = thread(acts)
    const seen: string[] = []
    const [first, second] = [told.tell(put), told.tell(put)]
    void second.taken.then(() => seen.push('second'))
    await first.taken
    await first.drained
    await second.taken
    await second.drained
    expect(seen).toEqual(['second'])
    expect(reports.map(({ type }) => type)).toEqual(['used', 'used'])
    told.send(stop)
    await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(1))
    expect(String(ended.mock.calls[0]![0])).toContain('It ended with 0')
  })

  test('that ends tells why', async () => {
    const { thread: told, ended } = thread(`throw new Error('at an order')`)
    told.send(stop)
    await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(1))
    expect(String(ended.mock.calls[0]![0])).toContain('at an order')
  })

  test('answers scrapes that overlap once, and the next one anew', async () => {
    const { thread: told } = thread(`globalThis.scrapes = (globalThis.scrapes ?? 0) + 1
      if (order.type === 'stop') process.exit(0)
      parentPort.postMessage({ type: 'serving' })
      parentPort.postMessage({ type: 'collected', metrics: [{ scrapes }] })`)
    expect(await Promise.all([told.metrics(), told.metrics()])).toEqual([[{ scrapes: 1 }], [{ scrapes: 1 }]])
    expect(await told.metrics()).toEqual([{ scrapes: 2 }])
    told.send(stop)
  })
})
