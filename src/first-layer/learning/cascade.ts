/** Runs of values whose sums go to the second level. */
const SHORTEST_RUN_LOG2 = 4
export const CASCADE_LEVELS = 4

/**
 * Values that a cascade of `count` sums one after the other before it carries: 16, and longer runs from 2^19 values on.
 *
 * Source: PyTorch 2.15, aten/src/ATen/native/cpu/SumKernel.cpp, `multi_row_sum`.
 */
export function runLog2(count: number): number {
  const bits = count > 1 ? 32 - Math.clz32(count - 1) : 0
  return Math.max(SHORTEST_RUN_LOG2, Math.floor(bits / CASCADE_LEVELS))
}

/**
 * The levels that take over after `done` values of a cascade with runs of 2^`log2`: level 1 takes level 0 after each run,
 * level 2 takes level 1 after each run of runs. `carries(16, 4)` → 1, `carries(256, 4)` → 2, `carries(5, 4)` → 0.
 */
export function carries(done: number, log2: number): number {
  if (done % 2 ** log2 !== 0) return 0
  let levels = 1
  while (levels < CASCADE_LEVELS - 1 && done % 2 ** (log2 * (levels + 1)) === 0) levels++
  return levels
}

/** PyTorch's sum of `count` rows of float32 numbers over its first axis, as far as vectors of columns reach. */
class Cascade {
  readonly #levels: readonly Float32Array[]
  readonly #log2: number
  #done = 0

  constructor(count: number, width: number) {
    this.#levels = Array.from({ length: CASCADE_LEVELS }, () => new Float32Array(width))
    this.#log2 = runLog2(count)
  }

  add(row: Float32Array): void {
    addTo(this.#levels[0], row)
    const levels = carries(++this.#done, this.#log2)
    for (let level = 1; level <= levels; level++) {
      addTo(this.#levels[level], this.#levels[level - 1])
      this.#levels[level - 1].fill(0)
    }
  }

  total(): Float32Array {
    const [total, ...above] = this.#levels
    for (const level of above) addTo(total, level)
    return total
  }
}

/** The same for columns that are left: four cascades, and the last rows onto the first of them. */
export class FourCascades {
  readonly #cascades: readonly Cascade[]
  readonly #whole: number
  readonly #rest: Float32Array[] = []
  #done = 0

  constructor(count: number, width: number) {
    this.#whole = count - (count % 4)
    this.#cascades = Array.from({ length: 4 }, () => new Cascade(this.#whole / 4, width))
  }

  add(row: Float32Array): void {
    if (this.#done < this.#whole) this.#cascades[this.#done % 4].add(row)
    else this.#rest.push(row.slice())
    this.#done++
  }

  total(): Float32Array {
    const [total, ...others] = this.#cascades.map((cascade) => cascade.total())
    for (const row of this.#rest) addTo(total, row)
    for (const other of others) addTo(total, other)
    return total
  }
}

/** PyTorch's sum of values that lie one after the other, of at least 8: eight lanes, then lane by lane onto the rest. */
export function contiguousSum(values: Float32Array): number {
  const whole = values.length - (values.length % 8)
  const lanes = new FourCascades(whole / 8, 8)
  for (let at = 0; at < whole; at += 8) lanes.add(values.subarray(at, at + 8))
  let total = 0
  for (const value of values.subarray(whole)) total = Math.fround(total + value)
  for (const lane of lanes.total()) total = Math.fround(total + lane)
  return total
}

function addTo(sums: Float32Array, values: Float32Array): void {
  for (let i = 0; i < sums.length; i++) sums[i] += values[i]
}
