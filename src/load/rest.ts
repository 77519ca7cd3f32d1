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

/** Tables that this thread has let go since the collector ran last: their memory is not counted among the external. */
let tableBytes = 0
/** Beyond this the collector does not wait for rest: 256 MiB. */
const MOST_TABLE_BYTES = 1 << 28

/**
 * This thread has let tables go. Their memory goes back when every thread's collector has seen it, and V8 does not know
 * how much there is behind it.
 */
export function letTablesGo(bytes: number): void {
  tableBytes += bytes
  if (tableBytes > MOST_TABLE_BYTES) setImmediate(collectTables) // not within the work that let them go
}

function collectTables(): void {
  if (tableBytes > MOST_TABLE_BYTES) collect()
}

/** Lets go now of what {@link letTablesGo} told: for a thread that has nothing else to do. */
export function tidyTables(): void {
  if (tableBytes > 0) collect()
}

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
  let isAgain = false
  let left = process.memoryUsage().external
  const look = setInterval(() => {
    looks = ledger.ownBytes > SMALL_BYTES ? 0 : looks + 1
    if (looks < LOOKS) return
    if (isAgain) {
      collect()
      left = process.memoryUsage().external
      isAgain = false
    } else if (tableBytes + process.memoryUsage().external - left >= WORTH_BYTES) {
      letGo()
      collect()
      isAgain = true
    }
  }, LOOK_MS)
  look.unref()
  return () => clearInterval(look)
}

let collector: (() => void) | undefined

function collect(): void {
  if (collector === undefined) {
    setFlagsFromString('--expose-gc')
    collector = runInNewContext('gc') as () => void
  }
  tableBytes = 0
  collector()
}
