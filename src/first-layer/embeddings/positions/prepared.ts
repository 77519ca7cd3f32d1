import type { Steps } from '../../steps.js'
import type { ComputedTensor } from './scheme.js'

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

/** A float32 tensor of prepared numbers, from the one at `first` on. */
export function preparedTensor(
  name: string,
  shape: readonly number[],
  numbers: Prepared<Float32Array | Float64Array>,
  first = 0,
): ComputedTensor {
  return {
    ...{ name, dtype: 'float32', shape, prepare: numbers.prepare },
    fill: (out, start) => out.set(numbers().subarray(first + start, first + start + out.length)),
  }
}

/** `valueAt(0) … valueAt(count − 1)`, in double: `numbers(3, (i) => 2 * i)()` → 0, 2, 4. */
export function numbers(count: number, valueAt: (index: number) => number): Prepared<Float64Array> {
  return madeAtOnce(() => Float64Array.from({ length: count }, (_, i) => valueAt(i)))
}
