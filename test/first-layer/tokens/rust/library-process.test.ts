import type { ChildProcess } from 'node:child_process'
import { EventEmitter } from 'node:events'
import { describe, expect, test } from 'vitest'
import { LibraryProcess } from '../../../../src/first-layer/tokens/rust/library-process.js'
import type { Cancel, RustJob } from '../../../../src/first-layer/tokens/rust/messages.js'
import { RefusedFile } from '../../../../src/first-layer/tokens/rust/rust-host.js'

type Message = RustJob | Cancel

/** A process that answers nothing by itself. */
class Child extends EventEmitter {
  readonly sent: Message[] = []
  killed = false
  send(message: Message): boolean {
    return this.sent.push(message) > 0
  }
  kill(): boolean {
    this.killed = true
    return true
  }
  answer(answer: object): void {
    this.emit('message', { job: this.sent.at(-1)!.id, ...answer })
  }
}

function library() {
  const children: Child[] = []
  const process = new LibraryProcess(() => {
    children.push(new Child())
    return children.at(-1) as unknown as ChildProcess
  })
  const open = (key: string) => process.run({ type: 'open', key, json: Uint8Array.of(1) })
  const decode = (signal?: AbortSignal, key = 'a') =>
    process.run({ type: 'decode', key, ids: Int32Array.of(1) }, signal)
  /** The calls of the last process, after all waiting messages are sent. */
  const asked = async () => {
    await new Promise(setImmediate)
    return children.at(-1)!.sent.map(({ type }) => type)
  }
  /** Opens a file under a key, in the process that runs. */
  const opened = async (key = 'a') => {
    const opening = open(key)
    await asked()
    children.at(-1)!.answer({ result: undefined })
    await opening
  }
  return { process, children, open, decode, asked, opened }
}

describe('a process that ends while a file is opened', () => {
  test('has its file opened again in the next one, where it serves', async () => {
    const { children, open, decode, asked } = library()
    const opening = open('a')
    await asked()
    children[0]!.emit('exit', null, 'SIGABRT') // another text's doing
    expect(await asked()).toEqual(['open'])
    expect(children).toHaveLength(2)
    children[1]!.answer({ result: undefined })
    await opening
    const decoding = decode()
    expect(await asked()).toEqual(['open', 'decode'])
    children[1]!.answer({ result: 'text' })
    expect(await decoding).toBe('text')
  })

  test('has its file refused when the next one ends too', async () => {
    const { children, open, asked } = library()
    const opening = open('a')
    const refused = expect(opening).rejects.toThrow(RefusedFile)
    await asked()
    children[0]!.emit('exit', null, 'SIGABRT')
    await asked()
    children[1]!.emit('exit', null, 'SIGABRT')
    await refused
  })

  test('has its file opened alone the second time: the texts of other models wait', async () => {
    const { children, open, decode, asked, opened } = library()
    await opened('b')
    const opening = open('a')
    await asked()
    children[0]!.emit('exit', null, 'SIGABRT')
    const decoding = decode(undefined, 'b')
    expect(await asked()).toEqual(['open'])
    expect(children[1]!.sent[0]).toMatchObject({ key: 'a' })
    children[1]!.answer({ result: undefined })
    await opening
    expect(await asked()).toEqual(['open', 'open'])
    children[1]!.answer({ result: undefined })
    expect(await asked()).toEqual(['open', 'open', 'decode'])
    children[1]!.answer({ result: 'text' })
    expect(await decoding).toBe('text')
  })
})

test('a file that the library refuses is refused', async () => {
  const { children, open, asked } = library()
  const opening = open('a')
  await asked()
  children[0]!.answer({ message: 'bad', isFile: true })
  await expect(opening).rejects.toThrow(RefusedFile)
})

test('a process that cannot be started fails its jobs, refuses no file, and the next job starts another', async () => {
  const { children, open, decode, asked } = library()
  const opening = open('a')
  await asked()
  children[0]!.emit('error', new Error('spawn EAGAIN'))
  const error = await opening.catch((error) => error)
  expect(error.message).toContain('EAGAIN')
  expect(error).not.toBeInstanceOf(RefusedFile)
  expect(children[0]!.killed).toBe(true)
  const again = open('a')
  await asked()
  children[1]!.answer({ result: undefined })
  await again
  children[0]!.emit('exit', null, 'SIGKILL') // late, and no end of the second one
  const decoding = decode()
  expect(await asked()).toEqual(['open', 'decode'])
  children[1]!.answer({ result: 'text' })
  expect(await decoding).toBe('text')
  expect(children).toHaveLength(2)
})

describe('a job that is cancelled', () => {
  test('is not sent while its file is being opened', async () => {
    const { children, open, decode, asked } = library()
    const opening = open('a')
    const controller = new AbortController()
    const decoding = decode(controller.signal)
    await asked()
    controller.abort(new Error('gone'))
    children[0]!.answer({ result: undefined })
    await opening
    await expect(decoding).rejects.toThrow('gone')
    expect(await asked()).toEqual(['open'])
  })

  test('is cancelled in the process, and fails with its answer', async () => {
    const { children, decode, asked, opened } = library()
    await opened()
    const controller = new AbortController()
    const decoding = decode(controller.signal)
    await asked()
    const { id } = children[0]!.sent.at(-1)!
    controller.abort()
    expect(children[0]!.sent.at(-1)).toEqual({ type: 'cancel', id })
    children[0]!.answer({ message: 'cancelled', isFile: false })
    await expect(decoding).rejects.toThrow('cancelled')
    controller.abort()
    expect(await asked()).toEqual(['open', 'decode', 'cancel'])
  })
})

test('a file that several threads have opened is closed by the last of them', async () => {
  const { process, open, decode, asked, opened } = library()
  await opened()
  await open('a')
  await process.run({ type: 'close', key: 'a' })
  expect(await asked()).toEqual(['open'])
  await process.run({ type: 'close', key: 'a' })
  expect(await asked()).toEqual(['open', 'close'])
  await expect(decode()).rejects.toThrow('No tokenizer is open under a.')
})
