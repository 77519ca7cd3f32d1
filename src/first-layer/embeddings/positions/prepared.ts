import { largeFloat64Array } from '../../memory.js'
import { PAUSE, type Steps } from '../../steps.js'

/** A value from which the elements of a tensor are made: frequencies, slopes, drawn tables. */
export interface Prepared<Value> {
  /** Returns the value. @throws Error where `prepare` must come first and has not been called */
  (): Value
  /** Makes the value. Absent: the first call makes the value at once. */
  readonly prepare?: (() => Steps<void>) | undefined
}

/** A value that takes some tenths of a millisecond at most. */
export function madeAtOnce<Value>(make: () => Value): Prepared<Value> {
  let value: Value | undefined
  return () => {
    value ??= make()
    return value
  }
}

/** A value that takes longer: `make` pauses, and reserves its memory. */
export function madeInSteps<Value>(make: () => Steps<Value>): Prepared<Value> {
  let value: Value | undefined
  const get = () => {
    if (value === undefined) throw new Error('It is asked for before it is prepared.')
    return value
  }
  return Object.assign(get, {
    *prepare() {
      value ??= yield* make()
    },
  })
}

/** A value that takes little time to make from a prepared one: `derived(slopes, (slopes) => slopes.length)`. */
export function derived<From, Value>(from: Prepared<From>, make: (value: From) => Value): Prepared<Value> {
  return Object.assign(
    madeAtOnce(() => make(from())),
    { prepare: from.prepare },
  )
}

/**
 * Numbers computed between two pauses: each can cost a power and a logarithm, a tenth of a
 * microsecond.
 */
const STEP = 1 << 10

/** `valueAt(0) … valueAt(count − 1)`, in double: `numbers(3, (i) => 2 * i)()` → 0, 2, 4. */
export function numbers(count: number, valueAt: (index: number) => number): Prepared<Float64Array> {
  const fill = (values: Float64Array, from: number) => {
    const to = Math.min(from + STEP, count)
    for (let i = from; i < to; i++) values[i] = valueAt(i)
    return values
  }
  if (count <= STEP) return madeAtOnce(() => fill(new Float64Array(count), 0))
  return madeInSteps(function* () {
    yield count * Float64Array.BYTES_PER_ELEMENT
    const values = largeFloat64Array(count)
    for (let from = 0; from < count; from += STEP) {
      yield PAUSE
      fill(values, from)
    }
    return values
  })
}
