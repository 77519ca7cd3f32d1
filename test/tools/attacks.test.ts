import { readdirSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
// @ts-expect-error a script without types
import { runAttack } from '../attacks/harness/attack.mjs'
// @ts-expect-error a script without types
import { startService } from '../attacks/harness/service.mjs'

/**
 * `npm run attacks` allows a turn of 10 ms. Here other tests use the same cores: a running turn may be made to wait
 * for tens of milliseconds, and the best of three tries counts. What the attacks did to a service without limits took
 * hundreds, or seconds.
 */
const TURN_MS = 100
const TRIES = 3
/** Where the cores were wanted for more of the time than the attack itself wants them, its times say nothing. */
const MOST_BUSY = 0.6
/** Far beyond what any of them takes: what is still at work then never ends. */
const LIMIT_MS = 60_000

interface Attack {
  readonly name: string
  readonly quick: readonly string[]
  readonly variants: Readonly<Record<string, { env?: object }>>
  readonly env?: object
  readonly stdout?: unknown
}
interface Service {
  readonly ended: boolean
  readonly exited: Promise<unknown>
  kill(): void
}

const folder = new URL('../attacks/', import.meta.url)
const files = readdirSync(folder).filter((file) => file.endsWith('.attack.mjs'))
const attacks = await Promise.all(files.map((file): Promise<Attack> => import(new URL(file, folder).href)))

describe.each(attacks.filter(({ quick }) => quick.length > 0))('$name', (attack) => {
  let shared: Service | undefined
  afterAll(async () => {
    shared?.kill()
    await shared?.exited
  })

  test.each(attack.quick)('%s', async (label) => {
    const needsOwn = attack.env ?? attack.stdout ?? attack.variants[label].env
    if (needsOwn === undefined && (shared === undefined || shared.ended)) shared = await startService()
    const { failures } = await runAttack(attack, label, {
      service: needsOwn === undefined ? shared : undefined,
      limitMs: LIMIT_MS,
      settleMs: 0,
      tries: TRIES,
      bounds: { turnMs: TURN_MS, liveMs: undefined, busy: MOST_BUSY },
    })
    expect(failures).toEqual([])
  })
})
