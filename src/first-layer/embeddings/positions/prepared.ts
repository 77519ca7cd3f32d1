import type { Drawn } from '../../random/drawn.js'
import type { ComputedTensor } from './scheme.js'

/** A value from which the elements of a tensor are made, at the first call: frequencies, slopes, drawn tables. */
export interface Prepared<Value> {
  (): Value
  /** Tables that are drawn for it, many numbers. */
  readonly drawn?: Drawn | undefined
}

/** A value that takes some tenths of a millisecond at most. */
export function madeAtOnce<Value>(make: () => Value): Prepared<Value> {
  let value: Value | undefined
  return () => {
    value ??= make()
    return value
  }
}

/** A value that takes little time to make from a prepared one: `derived(slopes, (slopes) => slopes.length)`. */
export function derived<From, Value>(from: Prepared<From>, make: (value: From) => Value): Prepared<Value> {
  return Object.assign(
    madeAtOnce(() => make(from())),
    { drawn: from.drawn },
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
    ...{ name, dtype: 'float32', shape, drawn: numbers.drawn },
    fill: (out, start) => out.set(numbers().subarray(first + start, first + start + out.length)),
  }
}

/** `valueAt(0) … valueAt(count − 1)`, in double: `numbers(3, (i) => 2 * i)()` → 0, 2, 4. */
export function numbers(count: number, valueAt: (index: number) => number): Prepared<Float64Array> {
  return madeAtOnce(() => Float64Array.from({ length: count }, (_, i) => valueAt(i)))
}
