import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { afterEach, describe, expect, test, vi } from 'vitest'
import type { ProcessJob } from '../../../../src/first-layer/tokens/rust/messages.js'
import {
  MOST_BYTES_OPEN,
  MOST_PROCESS_BYTES,
  RustLibrary,
} from '../../../../src/first-layer/tokens/rust/rust-library.js'

afterEach(() => vi.useRealTimers())

/** A process that opens every file at once, and answers nothing else by itself. */
class Child extends EventEmitter {
  readonly sent: ProcessJob[] = []
  killed = false
  unref(): void {}
  send(message: ProcessJob): boolean {
    if (message.type === 'open') queueMicrotask(() => this.answer(message, { result: undefined }))
    return this.sent.push(message) > 0
  }
  kill(): boolean {
    this.killed = true
    return true
  }
  get texts() {
    return this.sent.filter((job) => job.type === 'decode')
  }
  answer(job: ProcessJob, answer: object): void {
    this.emit('message', { id: job.id, ...answer })
  }
  /** Answers each text that has none. */
  answerAll(): void {
    for (const job of this.texts) this.answer(job, { result: `text ${job.ids[0]}` })
  }
}

function library(options: { noRoom?: () => Error } = {}) {
  const children: Child[] = []
  const own = new RustLibrary({
    ...options,
    start() {
      children.push(new Child())
      return children.at(-1) as unknown as ChildProcess
    },
  })
  const decode = (id: number, key = 'a', count = 1, json = Uint8Array.of(1)) =>
    own.run({ type: 'decode', file: { key, json }, ids: new Int32Array(count).fill(id) })
  const opened = async (key = 'a') => {
    await own.run({ type: 'open', file: { key, json: Uint8Array.of(1) } })
    return children.at(-1)!
  }
  return { own, children, decode, opened }
}

const turns = () => new Promise(setImmediate)

describe('a process that ends', () => {
  test('leaves what it was at work on to the next one, each alone; what ends that too fails', async () => {
    const { children, decode, opened } = library()
    const first = await opened()
    const [good, bad] = [decode(1), decode(2)]
    bad.catch(() => {})
    expect(first.texts).toHaveLength(2)
    first.emit('exit', null, 'SIGABRT')
    await turns()
    for (const id of [0, 1]) {
      const child = children.at(-1)!
      const [job] = child.texts
      expect(child.texts).toHaveLength(1)
      if (job!.ids[0] === 2) child.emit('exit', null, 'SIGABRT')
      else child.answerAll()
      await turns()
      expect(children.length, String(id)).toBeLessThan(5)
    }
    expect(await good).toBe('text 1')
    await expect(bad).rejects.toMatchObject({
      code: 'tokenizer_unavailable',
      message: expect.stringContaining('SIGABRT'),
    })
    const later = decode(3)
    await turns()
    children.at(-1)!.answerAll()
    expect(await later).toBe('text 3')
  })

  test('is killed by a text that takes too long, which fails; the others run again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { children, decode, opened } = library()
    const first = await opened()
    const [long, other] = [decode(1), decode(2, 'a', 100)]
    const failed = expect(long).rejects.toMatchObject({
      code: 'tokenizer_unavailable',
      message: expect.stringMatching(/longer than 5\.\d s/),
    })
    await vi.advanceTimersByTimeAsync(5100)
    await failed
    expect(first.killed).toBe(true)
    await turns()
    expect(children).toHaveLength(2)
    children[1]!.answerAll()
    expect(await other).toBe('text 2')
  })

  test('says nothing about a file, nor does one that cannot be started', async () => {
    const { own, children, opened } = library()
    const open = own.run({ type: 'open', file: { key: 'a', json: Uint8Array.of(1) } })
    children[0]!.emit('error', new Error('spawn EAGAIN'))
    await turns()
    expect(await open).toBeUndefined() // by the second one
    const again = own.run({ type: 'open', file: { key: 'b', json: Uint8Array.of(1) } })
    children[1]!.emit('exit', null, 'SIGKILL')
    await turns()
    children[2]?.emit('exit', null, 'SIGKILL')
    await again.catch((error) => expect(error).not.toHaveProperty('code', 'model_failed'))
    await opened('b')
  })
})

test('a file that the library refuses is refused with its reason', async () => {
  const { own, children } = library()
  const open = own.run({ type: 'open', file: { key: 'a', json: Uint8Array.of(1) } })
  children[0]!.answer(children[0]!.sent[0]!, { message: 'bad' })
  await expect(open).rejects.toMatchObject({ code: 'model_failed', message: expect.stringContaining('bad') })
})

test('a file is opened once, with no text at work beside; what is too much for one process opens in another', async () => {
  const { children, decode } = library()
  const large = Object.defineProperty(Uint8Array.of(1), 'length', { value: MOST_BYTES_OPEN })
  const asked = ['a', 'b', 'a', 'c', 'b'].map((key, i) => decode(i, key, 1, key === 'c' ? large : undefined))
  for (let i = 0; i < 10; i++) {
    await turns()
    for (const child of children) child.answerAll()
  }
  await Promise.all(asked)
  const told = children.map(({ sent }) => sent.map(({ type, key }) => `${type} ${key}`))
  expect(told).toEqual([
    ['open a', 'decode a', 'open b', 'decode b', 'decode a', 'open c', 'decode c'],
    ['open b', 'decode b'],
  ])
})

test('a text whose caller has left while it waited is not sent', async () => {
  const { own, children, opened } = library()
  await opened()
  const file = { key: 'a', json: Uint8Array.of(1) }
  const run = (id: number) =>
    own.run({ type: 'decode', file, ids: new Int32Array(1 << 20).fill(id), ticket: String(id) })
  const asked = [run(1), run(2), run(3)]
  own.leave('2')
  for (let i = 0; i < 6; i++) {
    await turns()
    children[0]!.answerAll()
  }
  expect(await Promise.all(asked)).toEqual(['text 1', undefined, 'text 3'])
  expect(children[0]!.texts.map(({ ids }) => ids[0])).toEqual([1, 3])
})

test('a process that has taken too much memory is followed by another one, when its works are done', async () => {
  const { children, decode, opened } = library()
  const first = await opened()
  const [one, two] = [decode(1), decode(2)]
  first.answer(first.texts[0]!, { result: 'text 1', processBytes: 2 * MOST_PROCESS_BYTES })
  expect(await one).toBe('text 1')
  const three = decode(3)
  await turns()
  expect([first.killed, children.length]).toEqual([false, 1])
  first.answer(first.texts[1]!, { result: 'text 2', processBytes: 2 * MOST_PROCESS_BYTES })
  expect(await two).toBe('text 2')
  await turns()
  expect(first.killed).toBe(true)
  children[1]!.answerAll()
  expect(await three).toBe('text 3')
})

test('a list of special tokens counts for what waits', async () => {
  const full = new Error('full')
  const { own, opened } = library({ noRoom: () => full })
  await opened()
  const file = { key: 'a', json: Uint8Array.of(1) }
  const forbidden = Array.from({ length: 1024 }, (_, i) => `<a literal of the file ${i}>`)
  const work = {
    type: 'encode',
    file,
    utf8: Buffer.from('a'),
    forbidden,
    addSpecialTokens: false,
    ranges: false,
  } as const
  const asked = Array.from({ length: 500 }, () => own.run(work).catch((error) => error))
  expect(await asked.at(-1)).toBe(full)
  own.end()
})

test('texts beyond what may wait are refused; without a bound all wait', async () => {
  const full = new Error('full')
  const bounded = library({ noRoom: () => full })
  const unbounded = library()
  for (const { decode } of [bounded, unbounded])
    for (let i = 0; i < 20; i++) decode(i, 'a', 1 << 20).catch(() => {})
  await expect(bounded.decode(1, 'a', 1 << 20)).rejects.toBe(full)
  const waits = unbounded.decode(1)
  for (let i = 0; i < 60; i++) {
    await turns()
    unbounded.children[0]?.answerAll()
  }
  expect(await waits).toBe('text 1')
  bounded.own.end()
})
