import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** One case: what was asked of the reference, and what it gave. */
export interface GoldenCase {
  readonly id: string
  // biome-ignore lint/suspicious/noExplicitAny: each topic has its own fields
  readonly params: any
  // biome-ignore lint/suspicious/noExplicitAny: each topic has its own fields
  readonly expect: any
}

/** The cases of `test/goldens/TOPIC.json`. */
export function goldenCases(topic: string): readonly GoldenCase[] {
  const text = readFileSync(new URL(`./${topic}.json`, import.meta.url), 'utf8')
  return JSON.parse(text).cases
}

/** sha256 of the little-endian bytes. */
export function sha256(elements: Float32Array | Int32Array): string {
  const bytes = Buffer.from(elements.buffer, elements.byteOffset, elements.byteLength)
  return createHash('sha256').update(bytes).digest('hex')
}

/** The largest |a − b|; shapes must agree. Equal infinities count as 0. */
export function largestDifference(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  if (actual.length !== expected.length) throw new Error(`${actual.length} values, expected ${expected.length}`)
  let largest = 0
  for (let i = 0; i < actual.length; i++) {
    if (actual[i] === expected[i]) continue
    const difference = Math.abs(actual[i]! - expected[i]!)
    if (!(difference <= largest)) largest = difference
  }
  return largest
}
