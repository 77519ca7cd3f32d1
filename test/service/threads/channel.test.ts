import { MessageChannel } from 'node:worker_threads'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { InletError } from '../../../src/service/answer/error-table.js'
import type { ModelAdmin } from '../../../src/service/models/keeper/keeper.js'
import { Channel, type Rooms, remote, startThread, Topics } from '../../../src/service/process/channel.js'

const ports: MessageChannel[] = []
afterEach(() => {
  for (const { port1 } of ports.splice(0)) port1.close()
})

/** Both ends of a channel; the second has these rooms and handlers. */
function ends(rooms: Rooms, topics?: Topics) {
  const both = new MessageChannel()
  ports.push(both)
  const [near, far] = [new Channel(both.port1), new Channel(both.port2)]
  near.listen()
  far.listen(rooms, topics)
  return { near, far }
}

describe('a call', () => {
  test('runs the method of the other thread’s object with all its arguments', async () => {
    const make = vi.fn(async (card: object) => ({ made: card }))
    const { near } = ends({ models: { make } })
    expect(await near.room<ModelAdmin>('models').make({ id: 'a' } as never)).toEqual({ made: { id: 'a' } })
    expect(make.mock.calls).toEqual([[{ id: 'a' }]])
    expect(near.waiting).toBe(0)
  })

  test('has its own answer, in whatever order they come, and errors for the caller come as they are', async () => {
    const answer: (() => void)[] = []
    const load = (id: string) =>
      new Promise((resolve, reject) =>
        answer.push(() =>
          id === 'z' ? reject(new InletError('model_not_found', 'no z', 'model')) : resolve(id),
        ),
      )
    const { near } = ends({ models: { load } })
    const [x, y, z] = ['x', 'y', 'z'].map((id) => near.call('models', 'load', [id]))
    const refused = expect(z).rejects.toMatchObject({
      code: 'model_not_found',
      message: 'no z',
      param: 'model',
    })
    await vi.waitFor(() => expect(answer.length).toBe(3))
    for (const go of answer.reverse()) go()
    expect([await x, await y]).toEqual(['x', 'y'])
    await refused
    await expect(near.call('models', 'none')).rejects.toThrow('not a function')
  })

  test('of a thread that has ended is rejected', async () => {
    const { near } = ends({ models: { load: () => new Promise(() => {}) } })
    const { received, drained } = near.publish('model', 1)
    const calls = Promise.allSettled([near.call('models', 'load'), received, drained])
    near.end(new Error('gone'))
    const gone = { reason: new Error('gone') }
    expect(await calls).toMatchObject([gone, gone, gone])
    expect(near.waiting).toBe(0)
  })

  test('waits until the other thread reads', async () => {
    const both = new MessageChannel()
    ports.push(both)
    const [near, far] = [new Channel(both.port1), new Channel(both.port2)]
    near.listen()
    const answer = near.call('late', 'here')
    await new Promise(setImmediate)
    far.listen({ late: { here: () => 'now' } })
    expect(await answer).toBe('now')
  })
})

describe('a published value', () => {
  test('is taken when all handlers have it, and settled when their promises are', async () => {
    const topics = new Topics()
    const seen: unknown[] = []
    let release = () => {}
    topics.on('model', (value) => {
      seen.push(value)
      return new Promise<void>((resolve) => {
        release = resolve
      })
    })
    topics.on('model', (value) => seen.push(value))
    const { near } = ends({}, topics)
    const { received, drained } = near.publish('model', 'a')
    const done = vi.fn()
    void drained.then(done)
    await received
    expect(seen).toEqual(['a', 'a'])
    await new Promise(setImmediate)
    expect(done).not.toHaveBeenCalled()
    release()
    await drained
    await near.publish('nobody’s', 1).drained
  })
})

describe('a thread', () => {
  const script = (text: string) => new URL(`data:text/javascript,${encodeURIComponent(text)}`)

  test.each([
    ['that ends tells so', 'process.exit(0)', 'It ended with 0'],
    ['that fails tells why', `throw new Error('at once')`, 'at once'],
  ])('%s', async (_, text, reason) => {
    const ended = vi.fn()
    startThread(script(text), { ended })
    await vi.waitFor(() => expect(ended).toHaveBeenCalledTimes(1))
    expect(String(ended.mock.calls[0]![0])).toContain(reason)
  })
})

test('an object of calls is no promise', async () => {
  const called = vi.fn()
  const object = remote<{ read(): void }>(called)
  expect(await Promise.resolve(object)).toBe(object)
  expect(called).not.toHaveBeenCalled()
})
