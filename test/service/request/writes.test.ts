import { Writable } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { Writes } from '../../../src/service/answer/send-blocks.js'

const BLOCK = Buffer.from('ab')
const WRITES = 100_000

/** Calls back for a block when it is told to. */
class Held extends Writable {
  written = 0
  #done: (error?: Error | null) => void = () => {}

  override _write(_block: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.written++
    this.#done = done
  }

  take(error?: Error): void {
    this.#done(error)
  }
}

describe('writes', () => {
  test('are done when the stream has taken the block, or has failed', async () => {
    const stream = new Held().on('error', () => {})
    const writes = new Writes(stream)
    const first = writes.written(BLOCK)
    stream.take()
    expect(await first).toBe(true)
    const second = writes.written(BLOCK)
    stream.take(new Error('closed'))
    expect(await second).toBe(false)
  })

  test('end while one is waited for, and write nothing more', async () => {
    const stream = new Held()
    const writes = new Writes(stream)
    const waiting = writes.written(BLOCK)
    writes.end()
    expect(await waiting).toBe(false)
    expect(await writes.written(BLOCK)).toBe(false)
    expect(stream.written).toBe(1)
  })

  test('leave nothing in memory', async () => {
    const stream = { write: (_: Uint8Array, done: () => void) => setImmediate(done) }
    const writes = new Writes(stream as unknown as Writable)
    const before = usedBytes()
    for (let i = 0; i < WRITES; i++) await writes.written(BLOCK)
    // A race of promises would have left some hundred bytes for each.
    expect(usedBytes() - before).toBeLessThan(20 * WRITES)
    writes.end()
  })
})

/** Bytes of JavaScript's objects that are in use. */
function usedBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}
