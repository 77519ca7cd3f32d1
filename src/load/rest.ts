import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Ledger } from './ledger.js'

/** How often a thread looks whether it rests, in milliseconds. */
const LOOK_MS = 1000
/** Looks in a row that find it at rest before it tidies up. */
const LOOKS = 2
/** Who holds no more than this rests: small requests come and go. */
const SMALL_BYTES = 1 << 20
/** Memory outside the heap that has come since the last time, below which it is not worth while: 16 MiB. */
const WORTH_BYTES = 1 << 24

/**
 * Gives the memory of large requests back to the system when they are over: the collector runs when somebody asks for
 * memory, and at rest nobody does. It takes some ten milliseconds, twice after each time of work: what the first run
 * finds has ends of its own to tell of, and goes with the second.
 *
 * @param letGo drops what this thread keeps for requests that may come again
 * @returns ends the looking
 */
export function tidyAtRest(ledger: Ledger, letGo: () => void): () => void {
  let looks = 0
  let left = process.memoryUsage().external
  const look = setInterval(() => {
    looks = ledger.ownBytes > SMALL_BYTES ? 0 : looks + 1
    if (looks === LOOKS && process.memoryUsage().external - left < WORTH_BYTES) looks += 2 // not worth while
    if (looks === LOOKS) {
      letGo()
      collector()()
    } else if (looks === LOOKS + 1) {
      collector()()
      left = process.memoryUsage().external
    }
  }, LOOK_MS)
  look.unref()
  return () => clearInterval(look)
}

let collect: (() => void) | undefined

function collector(): () => void {
  if (collect === undefined) {
    setFlagsFromString('--expose-gc')
    collect = runInNewContext('gc') as () => void
  }
  return collect
}
