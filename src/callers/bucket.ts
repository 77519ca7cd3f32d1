/**
 * A token bucket in one shared word of 64 bits: the time, in nanoseconds of the machine's monotonic clock, at which the
 * bucket will be full. Taking units moves that time on. Two threads that take at once change the word one after the
 * other, so no unit is given twice.
 * Source: the generic cell rate algorithm (ITU-T I.371), in its form with a theoretical arrival time.
 */
export interface Bucket {
  readonly words: BigInt64Array
  readonly index: number
  /** Units that a full bucket holds. */
  readonly quota: number
  /** Seconds in which an empty bucket fills. */
  readonly seconds: number
}

const NANOSECONDS = 1e9
/** The farthest time ahead, 36 years: sums of two never leave the word. */
const FARTHEST = 2n ** 60n

export type Clock = () => bigint

/** All threads read the same one. */
export const MONOTONIC: Clock = () => process.hrtime.bigint()

/**
 * Takes one unit where the bucket holds at least one.
 *
 * @returns 0 where it was taken, else the seconds until there is one
 */
export function takeOne(bucket: Bucket, now: bigint): number {
  const { words, index } = bucket
  const one = duration(bucket, 1)
  const latest = now + duration(bucket, bucket.quota)
  for (;;) {
    const full = Atomics.load(words, index)
    const next = (full > now ? full : now) + one
    if (next > latest) return secondsOf(next - latest)
    if (Atomics.compareExchange(words, index, full, next) === full) return 0
  }
}

/** Takes units whatever the bucket holds: it may then be in debt, and gives nothing until that has come back. */
export function charge(bucket: Bucket, units: number, now: bigint): void {
  if (units === 0) return
  const { words, index } = bucket
  const cost = duration(bucket, units)
  for (;;) {
    const full = Atomics.load(words, index)
    const next = (full > now ? full : now) + cost
    const bounded = next > now + FARTHEST ? now + FARTHEST : next
    if (Atomics.compareExchange(words, index, full, bounded) === full) return
  }
}

/**
 * Gives the bucket another rate. Taken units come back by the new rate where that is sooner; no caller waits longer
 * than before.
 */
export function exchangeRate(bucket: Bucket, next: Pick<Bucket, 'quota' | 'seconds'>, now: bigint): void {
  const { words, index, quota, seconds } = bucket
  for (;;) {
    const full = Atomics.load(words, index)
    const taken = full > now ? (secondsOf(full - now) / seconds) * quota : 0
    const sooner = now + duration({ ...bucket, ...next }, taken)
    if (sooner >= full || Atomics.compareExchange(words, index, full, sooner) === full) return
  }
}

/** Seconds until the bucket holds one unit again; 0 where it holds one. */
export function wait(bucket: Bucket, now: bigint): number {
  const full = Atomics.load(bucket.words, bucket.index)
  const held = now + duration(bucket, bucket.quota) - duration(bucket, 1)
  return full > held ? secondsOf(full - held) : 0
}

/** Whole units that the bucket holds, at least 0, and the seconds until it is full. */
export function state(bucket: Bucket, now: bigint): { readonly units: number; readonly seconds: number } {
  const full = Atomics.load(bucket.words, bucket.index)
  const seconds = full > now ? secondsOf(full - now) : 0
  const units = Math.floor(bucket.quota * (1 - seconds / bucket.seconds) + ROUNDING)
  return { units: Math.max(0, units), seconds }
}

/** Keeps what was computed with fractions from falling below a whole number: 99.9999999 is 100. */
const ROUNDING = 1e-6

function duration({ quota, seconds }: Bucket, units: number): bigint {
  const nanoseconds = BigInt(Math.ceil((units / quota) * seconds * NANOSECONDS))
  return nanoseconds > FARTHEST ? FARTHEST : nanoseconds
}

function secondsOf(nanoseconds: bigint): number {
  return Number(nanoseconds) / NANOSECONDS
}
