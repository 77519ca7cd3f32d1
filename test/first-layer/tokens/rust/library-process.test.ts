import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { ProcessEnded } from '../../../../src/first-layer/tokens/rust/failures.js'
import { LibraryProcess } from '../../../../src/first-layer/tokens/rust/library-process.js'
import { OPEN_MS } from '../../../../src/first-layer/tokens/rust/limits.js'
import type { Cancel, ProcessJob } from '../../../../src/first-layer/tokens/rust/messages.js'

afterEach(() => vi.useRealTimers())

/** A process that answers nothing by itself. */
class Child extends EventEmitter {
  readonly sent: (ProcessJob | Cancel)[] = []
  killed = false
  send(message: ProcessJob | Cancel): boolean {
    return this.sent.push(message) > 0
  }
  kill(): boolean {
    this.killed = true
    return true
  }
  get types(): string[] {
    return this.sent.map(({ type }) => type)
  }
  answer(answer: object): void {
    this.emit('message', { job: this.sent.at(-1)!.id, ...answer })
  }
}

function library() {
  const children: Child[] = []
  const process = new LibraryProcess(Uint8Array.of(1), () => {
    children.push(new Child())
    return children.at(-1) as unknown as ChildProcess
  })
  const decode = (signal?: AbortSignal) => process.send({ type: 'decode', ids: Int32Array.of(1) }, signal)
  const opened = async () => {
    const ready = process.ready()
    children.at(-1)!.answer({ result: undefined })
    await ready
  }
  return { process, children, decode, opened }
}

/** The next process, once it is started. */
const started = (children: readonly Child[], count: number) =>
  vi.waitFor(() => expect(children).toHaveLength(count))

describe('a process that ends while its file is opened', () => {
  test('has the file opened once more in the next one, where it serves', async () => {
    const { process, children, decode } = library()
    const ready = process.ready()
    children[0]!.emit('exit', null, 'SIGKILL') // the system's doing, perhaps
    await started(children, 2)
    children[1]!.answer({ result: undefined })
    await ready
    const decoded = decode()
    children[1]!.answer({ result: 'text' })
    expect(await decoded).toBe('text')
  })

  test('has the file refused when the next one ends too', async () => {
    const { process, children } = library()
    const refused = expect(process.ready()).rejects.toMatchObject({ code: 'model_failed' })
    children[0]!.emit('exit', null, 'SIGABRT')
    await started(children, 2)
    children[1]!.emit('exit', null, 'SIGABRT')
    await refused
  })
})

test('a file that the library refuses is refused with its reason', async () => {
  const { process, children } = library()
  const ready = process.ready()
  children[0]!.answer({ message: 'bad' })
  await expect(ready).rejects.toMatchObject({
    code: 'model_failed',
    message: expect.stringContaining('bad'),
  })
})

test('a file that is not open in time is refused, and its process is killed', async () => {
  vi.useFakeTimers()
  const { process, children } = library()
  const refused = expect(process.ready()).rejects.toMatchObject({ code: 'model_failed' })
  await vi.advanceTimersByTimeAsync(OPEN_MS)
  await refused
  expect(children[0]!.killed).toBe(true)
  expect(children).toHaveLength(1)
})

test('a process that cannot be started refuses no file, and the next job starts another', async () => {
  const { process, children, decode, opened } = library()
  const ready = process.ready()
  children[0]!.emit('error', new Error('spawn EAGAIN'))
  const error = await ready.catch((error: Error) => error)
  expect(error).toMatchObject({ message: expect.stringContaining('EAGAIN') })
  expect(error).not.toHaveProperty('code', 'model_failed')
  expect(children[0]!.killed).toBe(true)
  await opened()
  children[0]!.emit('exit', null, 'SIGKILL') // late, and no end of the second one
  const decoded = decode()
  children[1]!.answer({ result: 'text' })
  expect(await decoded).toBe('text')
  expect(children).toHaveLength(2)
})

test('a process that ends fails what it was at work on, and opens the file again for the next job', async () => {
  const { process, children, decode, opened } = library()
  await opened()
  const decoded = decode()
  children[0]!.emit('exit', null, 'SIGABRT')
  await expect(decoded).rejects.toThrow(ProcessEnded)
  expect(process.isRunning).toBe(false)
  await opened()
  expect(children[1]!.types).toEqual(['open'])
})

test('a job whose result is not wanted is cancelled, as long as it has none', async () => {
  const { children, decode, opened } = library()
  await opened()
  const controller = new AbortController()
  const decoded = decode(controller.signal)
  const { id } = children[0]!.sent.at(-1)!
  controller.abort()
  expect(children[0]!.sent.at(-1)).toEqual({ type: 'cancel', id })
  children[0]!.answer({ message: 'cancelled' })
  await expect(decoded).rejects.toThrow('cancelled')
  const late = new AbortController()
  const done = decode(late.signal)
  children[0]!.answer({ result: 'text' })
  await done
  late.abort()
  expect(children[0]!.types).toEqual(['open', 'decode', 'cancel', 'decode'])
})
