import { readUnicodeTable } from './unicode-table.js'

/**
 * A set of code points, as the rising places from which on code points are in it, then not, and so on: `[0x30, 0x3a]` are
 * the digits. A list of odd length reaches to the last code point.
 */
export type CodePoints = readonly number[]

export const EVERY: CodePoints = [0]

/** In the order of `tables/categories.leb128`: Unicode's general categories. */
const CATEGORIES = 'Cn Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc Pd Ps Pe Pi Pf Po Sm Sc Sk So Zs Zl Zp Cc Cf Cs Co'
  .split(' ')
  .concat(['', ''])
const CATEGORY_BITS = 5
/** Bits of a run beside its length: the category, and whether the script is Han. */
const VALUE_BITS = 6

let runs: readonly number[] | undefined

function those(isIn: (category: string, isHan: boolean) => boolean): CodePoints {
  runs ??= readUnicodeTable('categories')
  const places: number[] = []
  let at = 0
  for (const run of runs) {
    const isHan = ((run >> CATEGORY_BITS) & 1) === 1
    if (isIn(CATEGORIES[run & ((1 << CATEGORY_BITS) - 1)], isHan) !== (places.length % 2 === 1))
      places.push(at)
    at += run >> VALUE_BITS
  }
  return places
}

/**
 * The code points of a property by its name in a pattern: `L`, `Lu`, `Han`. Undefined for other names. Frozen facts, not
 * those of Node.
 */
export function propertyOf(name: string): CodePoints | undefined {
  if (name === 'Han') return those((_, isHan) => isHan)
  if (!CATEGORIES.some((category) => category.startsWith(name)) || name === '') return undefined
  return those((category) => category.startsWith(name))
}

/** Unicode's White_Space. */
export const whiteSpace = (): CodePoints => union(propertyOf('Z')!, [0x09, 0x0e, 0x85, 0x86])

export const union = (a: CodePoints, b: CodePoints) => combined(a, b, (inA, inB) => inA || inB)
export const intersection = (a: CodePoints, b: CodePoints) => combined(a, b, (inA, inB) => inA && inB)
export const difference = (a: CodePoints, b: CodePoints) => combined(a, b, (inA, inB) => inA && !inB)

function combined(a: CodePoints, b: CodePoints, keeps: (inA: boolean, inB: boolean) => boolean): CodePoints {
  const places: number[] = []
  let i = 0
  let j = 0
  while (i < a.length || j < b.length) {
    const at = Math.min(a[i] ?? Number.POSITIVE_INFINITY, b[j] ?? Number.POSITIVE_INFINITY)
    if (a[i] === at) i++
    if (b[j] === at) j++
    if (keeps(i % 2 === 1, j % 2 === 1) !== (places.length % 2 === 1)) places.push(at)
  }
  return places
}
