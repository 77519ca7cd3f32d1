import type { ApiKey } from './api-keys.js'
import { MAX_CALLERS } from './caller-limits.js'

/** Words of an account: a bucket of each policy, then the counts. An account is one cache line. */
const WORDS = 8
const FIRST_COUNT = 4

/** Counters of each caller, for `/metrics`. */
export const COUNTS = [
  { name: 'inlet_caller_requests_total', help: 'Requests that ended, by the name of the key.' },
  { name: 'inlet_caller_rate_limited_total', help: 'Requests that were refused by the caller’s rates.' },
  { name: 'inlet_caller_tokens_total', help: 'Tokens of the caller’s requests.' },
  { name: 'inlet_caller_response_bytes_total', help: 'Bytes of answers’ bodies to the caller.' },
] as const
const [REQUESTS, RATE_LIMITED, TOKENS, BYTES] = [0, 1, 2, 3]

/** Memory for the accounts of a process. It can be posted to threads. */
function usageMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer((MAX_CALLERS + 1) * WORDS * BigInt64Array.BYTES_PER_ELEMENT)
}

/** Callers' buckets and counters, in memory that all threads share. */
export class Usage {
  readonly words: BigInt64Array

  constructor(readonly memory: SharedArrayBuffer = usageMemory()) {
    this.words = new BigInt64Array(memory)
  }

  /** Index of a bucket's word. */
  bucketAt(account: number, word: number): number {
    return account * WORDS + word
  }

  /** Counts a request that has ended. */
  count(account: number, use: { rateLimited: boolean; tokens: number; bytes: number }): void {
    const first = account * WORDS + FIRST_COUNT
    Atomics.add(this.words, first + REQUESTS, 1n)
    if (use.rateLimited) Atomics.add(this.words, first + RATE_LIMITED, 1n)
    if (use.tokens > 0) Atomics.add(this.words, first + TOKENS, BigInt(use.tokens))
    if (use.bytes > 0) Atomics.add(this.words, first + BYTES, BigInt(use.bytes))
  }

  /** The counts of all callers in Prometheus' text format; nothing where there are none. */
  text(callers: readonly ApiKey[]): string {
    const known = callers.filter(({ account }) => account !== undefined)
    if (known.length === 0) return ''
    return COUNTS.map(({ name, help }, i) => {
      const lines = known.map(({ name: caller, account = 0 }) => {
        const value = Atomics.load(this.words, account * WORDS + FIRST_COUNT + i)
        return `${name}{caller="${caller}"} ${value}\n`
      })
      return `# HELP ${name} ${help}\n# TYPE ${name} counter\n${lines.join('')}`
    }).join('')
  }

  /** Empties an account for another caller. */
  clear(account: number): void {
    for (let word = 0; word < WORDS; word++) Atomics.store(this.words, account * WORDS + word, 0n)
  }
}
