import { once } from 'node:events'
import { MessageChannel } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import type { Steps } from '../../../../src/first-layer/steps.js'
import { RustClient } from '../../../../src/first-layer/tokens/rust/rust-client.js'
import { type Claim, UNBOUNDED } from '../../../../src/load/claim.js'
import { drive } from '../../../../src/load/drive.js'

const { port1, port2 } = new MessageChannel()
const client = new RustClient(port1)
const work = () => ({
  chunks: [new Uint8Array(1)],
  forbidden: [],
  addSpecialTokens: false,
  ranges: false,
})

/** A claim that ends when told. */
function ending(): { claim: Claim; abort(error: Error): void; listeners: Set<(error: Error) => void> } {
  const listeners = new Set<(error: Error) => void>()
  const onAbort: Claim['onAbort'] = (act) => {
    listeners.add(act)
    return () => listeners.delete(act)
  }
  return {
    claim: { ...UNBOUNDED, onAbort },
    abort(error) {
      for (const act of listeners) act(error)
    },
    listeners,
  }
}

const driven = async <T>(claim: Claim, steps: Steps<T>) => drive(claim, steps)
const next = async () => (await once(port2, 'message'))[0]

afterEach(() => port2.removeAllListeners())

test('a job whose client has disconnected fails with the client’s error, and is cancelled in the library', async () => {
  const { claim, abort } = ending()
  const job = next()
  const encoded = driven(claim, client.encode('k', work()))
  const { id } = await job
  const cancel = next()
  abort(new Error('gone'))
  await expect(encoded).rejects.toThrow('gone')
  expect(await cancel).toEqual({ type: 'cancel', id })
  port2.postMessage({ job: id, failure: { code: 'tokenizer_unavailable', message: 'cancelled' } }) // the answer comes all the same
  const other = next()
  const decoded = driven(UNBOUNDED, client.decode('k', Int32Array.of(1)))
  port2.postMessage({ job: (await other).id, result: 'text' })
  expect(await decoded).toBe('text')
})

test('a finished job no longer listens to its client', async () => {
  const { claim, listeners } = ending()
  const job = next()
  const decoded = driven(claim, client.decode('k', Int32Array.of(1)))
  const { id } = await job
  expect(listeners.size).toBe(1)
  port2.postMessage({ job: id, result: 'text' })
  await decoded
  expect(listeners.size).toBe(0)
})

test('a text for which there is no room fails with the error that the service has for it', async () => {
  const { port1, port2 } = new MessageChannel()
  const client = new RustClient(port1, ({ waitMs, late }) => new Error(`${waitMs} ms, ${late}`))
  const decoded = driven(UNBOUNDED, client.decode('k', Int32Array.of(1)))
  const [{ id }] = await once(port2, 'message')
  port2.postMessage({ job: id, failure: { waitMs: 7, late: false } })
  await expect(decoded).rejects.toThrow('7 ms, false')
  port2.close()
})
