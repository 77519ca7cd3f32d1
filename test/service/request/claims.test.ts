import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { ClientGone } from '../../../src/service/process/turn.js'
import { RequestClaim } from '../../../src/service/request/claims.js'
import { Load, ledgerMemory, MOST_WORKS, QUEUED } from '../../../src/service/request/load.js'
import { checkProperty } from '../../property.js'

const MIB = 2 ** 20

interface Told {
  waits: number[]
  refusals: string[]
}

/** A thread whose requests may hold 16 MiB, of which 2 are for small ones; large ones begin while at most 7 are held. */
function makeThread({ maxQueue = 4, timeoutMs = 1000, memory = ledgerMemory() } = {}) {
  const told: Told = { waits: [], refusals: [] }
  const config = { MAX_BYTES_IN_FLIGHT: 16 * MIB, MAX_QUEUE: maxQueue, QUEUE_TIMEOUT_MS: timeoutMs }
  const state = { works: 0 }
  const watcher = {
    waited: (milliseconds: number) => told.waits.push(milliseconds),
    refused: (reason: string) => told.refusals.push(reason),
  }
  const load = new Load(config, watcher, memory, () => state.works)
  return { load, told, state, claim: (large = false) => new RequestClaim(load, large) }
}

let one: ReturnType<typeof makeThread>
beforeEach(() => {
  one = makeThread()
})

/** The state of a promise after its turns. */
async function stateOf(promise: Promise<unknown> | undefined): Promise<string> {
  return Promise.race([
    Promise.resolve(promise).then(
      () => 'done',
      (error) => error.code ?? error.name,
    ),
    sleep(20, 'waiting'),
  ])
}

describe('a claim', () => {
  test('takes at once where there is room, and all goes back at its end', () => {
    const claim = one.claim()
    expect(claim.take(200_000)).toBeUndefined()
    expect(claim.take(1)).toBeUndefined()
    expect(one.load.bytes).toBe(200_001)
    claim.give(30_000)
    expect(one.load.bytes).toBe(170_001)
    claim.end()
    expect(one.load.bytes).toBe(0)
    claim.give(1000)
    expect(one.load.bytes).toBe(0)
  })

  test('holds all while another thread works with it, though the request has ended', async () => {
    const claim = one.claim()
    claim.take(200 * 1024)
    const works = [0, 1].map(() => {
      let settle = (_: boolean) => {}
      const work = new Promise((resolve, reject) => {
        settle = (isDone) => (isDone ? resolve(undefined) : reject(new Error('refused')))
      })
      claim.outlast(work)
      return settle
    })
    claim.end()
    works[0]!(false)
    await sleep(1)
    expect(one.load.bytes).toBe(200 * 1024)
    works[1]!(true)
    await sleep(1)
    expect(one.load.bytes).toBe(0)
    const shorter = one.claim()
    shorter.take(150 * 1024)
    shorter.outlast(Promise.resolve())
    await sleep(1)
    expect(one.load.bytes).toBe(150 * 1024) // the request goes on
    shorter.end()
    expect(one.load.bytes).toBe(0)
  })

  test('holds 128 KiB, or all that it needs, be it taken and given back few at a time', () => {
    const step = 25_000
    const changes = fc.array(fc.integer({ min: -step, max: step }), { maxLength: 100 })
    return checkProperty(
      fc.property(changes, (changes) => {
        const claim = one.claim(true)
        let needed = 0
        let held = 0
        for (const change of changes) {
          if (change > 0) claim.take(change)
          else claim.give(-change)
          needed = Math.max(0, needed + change)
          if (change > 0 || held > 0) held = Math.max(needed, 131_072)
          expect(one.load.bytes).toBe(held)
        }
        claim.end()
        expect(one.load.bytes).toBe(0)
      }),
      100,
    )
  })

  test('takes what it needs where 128 KiB are not left', () => {
    const { load, claim } = makeThread({ maxQueue: 0 })
    claim(true).take(14 * MIB)
    for (let i = 0; i < 10; i++) claim().take(200_000)
    expect(claim().take(60_000)).toBeUndefined()
    expect(load.bytes).toBe(14 * MIB + 2_060_000)
  })

  test('waits with no more than it needs, so that others go on', async () => {
    const claims = Array.from({ length: 128 }, () => one.claim())
    for (const claim of claims) claim.take(1)
    expect(one.load.bytes).toBe(16 * MIB)
    const [first, second] = claims
    const waiting = first!.take(200_000)
    expect(second!.take(200_000)).toBeUndefined()
    second!.end()
    await waiting
    for (const claim of claims) if (claim !== second) claim.end()
    expect(one.load.bytes).toBe(0)
  })

  test('that waits for all that one can hold gets it when the others have ended', async () => {
    const [first, second] = [one.claim(true), one.claim()]
    second.take(1)
    first.take(MIB)
    const waiting = second.take(14 * MIB - 1)
    expect(await stateOf(waiting)).toBe('waiting')
    first.end()
    await waiting
    expect(one.load.bytes).toBe(14 * MIB)
  })

  test('waits for room, and continues when another gives back', async () => {
    const first = one.claim(true)
    first.take(13 * MIB)
    const second = one.claim(true)
    const waiting = second.take(4 * MIB)
    expect(await stateOf(waiting)).toBe('waiting')
    expect(one.load.count(QUEUED)).toBe(1)
    first.end()
    await waiting
    expect([one.load.bytes, one.load.count(QUEUED)]).toEqual([4 * MIB, 0])
    expect(one.told).toMatchObject({ waits: [expect.any(Number)], refusals: [] })
  })

  test('hears of room that another thread gives back', async () => {
    const memory = ledgerMemory()
    const here = makeThread({ memory })
    const there = makeThread({ memory })
    const first = there.claim(true)
    first.take(10 * MIB)
    const waiting = here.claim(true).take(8 * MIB)
    expect(await stateOf(waiting)).toBe('waiting')
    first.end()
    await waiting
  })

  test('that can never fit is refused as what it is', () => {
    expect(() => one.claim(true).take(15 * MIB)).toThrow(/at most 14680064 bytes.*MAX_BYTES_IN_FLIGHT/)
  })
})

describe('small requests', () => {
  test('find room where large ones wait', async () => {
    one.claim(true).take(13 * MIB)
    const large = one.claim(true).take(4 * MIB)
    expect(await stateOf(large)).toBe('waiting')
    for (let i = 0; i < 8; i++) expect(one.claim().take(250_000)).toBeUndefined()
  })

  test('for which there is no room either go before large ones once there is', async () => {
    const full = one.claim()
    const others = Array.from({ length: 8 }, () => one.claim())
    one.claim(true).take(6 * MIB)
    one.claim(true).take(8 * MIB)
    const large = one.claim(true).take(MIB)
    for (const other of others) other.take(256 * 1024)
    const small = full.take(1000)
    expect(await stateOf(small)).toBe('waiting')
    others[0]!.end()
    await small
    expect(await stateOf(large)).toBe('waiting')
  })

  test('that grow beyond 256 KiB are large ones from then on', async () => {
    one.claim(true).take(13 * MIB)
    const growing = one.claim()
    expect(growing.take(200_000)).toBeUndefined()
    expect(await stateOf(growing.take(200_000))).toBe('waiting')
  })
})

describe('large requests', () => {
  test('that have begun go before those that have not', async () => {
    const begun = one.claim(true)
    begun.take(6 * MIB)
    const other = one.claim(true)
    other.take(8 * MIB) // begins while half is free
    const fresh = one.claim(true).take(2 * MIB)
    const growing = begun.take(2 * MIB)
    expect(await stateOf(growing)).toBe('waiting')
    other.give(2 * MIB)
    await growing
    expect(await stateOf(fresh)).toBe('waiting')
  })

  test('begin in the order of their coming', async () => {
    const holder = one.claim(true)
    holder.take(13 * MIB)
    const order: number[] = []
    const waiting = [4, 1, 1].map(async (mib, i) => {
      await one.claim(true).take(mib * MIB)
      order.push(i)
    })
    holder.end()
    const last = one.claim(true).take(MIB)
    expect(last).toBeInstanceOf(Promise) // behind those that wait
    await Promise.all([...waiting, last])
    expect(order).toEqual([0, 1, 2])
  })

  test('do not begin while the thread has enough of them at work', async () => {
    const begun = one.claim(true)
    begun.take(MIB)
    one.state.works = MOST_WORKS
    const waiting = [1, 2].map(() => one.claim(true).take(MIB))
    expect(await stateOf(waiting[0])).toBe('waiting')
    expect(one.claim().take(1000)).toBeUndefined()
    expect(begun.take(MIB)).toBeUndefined()
    one.state.works = MOST_WORKS - 1 // one place more, at each look
    await Promise.all(waiting)
  })
})

describe('the queue', () => {
  test('is bounded: one more is refused at once, with a time to come back', async () => {
    one = makeThread({ maxQueue: 2 })
    one.claim(true).take(13 * MIB)
    const waiting = [1, 2].map(() => one.claim(true).take(4 * MIB))
    const refused = () => one.claim(true).take(4 * MIB)
    expect(refused).toThrow(expect.objectContaining({ code: 'overloaded', headers: { 'retry-after': '1' } }))
    expect(one.told.refusals).toEqual(['queue_full'])
    expect(await Promise.all(waiting.map(stateOf))).toEqual(['waiting', 'waiting'])
  })

  test('is left with a refusal when the wait is too long', async () => {
    one = makeThread({ timeoutMs: 30 })
    one.claim(true).take(13 * MIB)
    await expect(one.claim(true).take(4 * MIB)).rejects.toMatchObject({ code: 'overloaded' })
    expect([one.told.refusals, one.load.count(QUEUED)]).toEqual([['queue_timeout'], 0])
  })

  test('refuses one of those that have begun, and the others go on with what it held', async () => {
    one = makeThread({ timeoutMs: 30 })
    const claims = [one.claim(true), one.claim(true)]
    for (const claim of claims) claim.take(7 * MIB)
    const grown = claims.map(async (claim) => {
      try {
        await claim.take(4 * MIB)
      } catch (error) {
        claim.end()
        throw error
      }
    })
    const ends = await Promise.allSettled(grown)
    expect(ends.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
  })

  test('is left by those who go away or whose time is over, and holds nothing of them', async () => {
    const holder = one.claim(true)
    holder.take(13 * MIB)
    const gone = one.claim(true)
    const waiting = gone.take(4 * MIB)
    const late = one.claim(true)
    const waitingToo = late.take(4 * MIB)
    gone.end()
    late.abort(new Error('its time is over'))
    await expect(waiting).rejects.toBeInstanceOf(ClientGone)
    await expect(waitingToo).rejects.toThrow('its time is over')
    holder.end()
    expect([one.load.count(QUEUED), one.load.bytes]).toEqual([0, 0])
  })

  test('a claim that ends as it is let in gives back what it was given', async () => {
    const holder = one.claim(true)
    holder.take(13 * MIB)
    const second = one.claim(true)
    const waiting = second.take(4 * MIB)
    holder.end() // lets the second one in
    second.end() // before it could go on
    await expect(waiting).rejects.toBeInstanceOf(ClientGone)
    expect(one.load.bytes).toBe(0)
  })
})

describe('work that is no longer wanted', () => {
  test('hears of it at its next look, and where it waits', () => {
    const claim = one.claim()
    const heard: Error[] = []
    const forget = claim.onAbort((error) => heard.push(error))
    claim.onAbort((error) => heard.push(error))
    forget()
    claim.throwIfAborted()
    claim.abort(new Error('first'))
    claim.abort(new Error('second'))
    expect(heard.map(({ message }) => message)).toEqual(['first'])
    expect(() => claim.throwIfAborted()).toThrow('first')
    expect(() => claim.take(1)).toThrow('first')
    claim.onAbort((error) => heard.push(error))
    expect(heard).toHaveLength(2)
  })
})
