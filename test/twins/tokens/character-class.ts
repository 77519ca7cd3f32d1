import {
  type CodePoints,
  propertyOf,
  whiteSpace,
} from '../../../src/first-layer/tokens/unicode/code-points.js'

/** The classes that tiktoken's patterns distinguish; each character has one. */
export const CharacterClass = {
  other: 0, // none of the below: punctuation, symbols, controls, unassigned
  upper: 1, // Lu, Lt
  lower: 2, // Ll
  caseless: 3, // Lm, Lo
  mark: 4, // M
  number: 5, // N
  space: 6, // White_Space without CR and LF
  newline: 7, // CR, LF
} as const

let classes: Uint8Array | undefined

/** The class of one code point: `classOf(0x41)` → `CharacterClass.upper`. */
export function classOf(codePoint: number): number {
  classes ??= allClasses()
  return classes[codePoint]!
}

function allClasses(): Uint8Array {
  const all = new Uint8Array(0x110000)
  const fill = (set: CodePoints, value: number) => {
    for (let i = 0; i < set.length; i += 2) all.fill(value, set[i], set[i + 1])
  }
  const { upper, lower, caseless, mark, number, space, newline } = CharacterClass
  for (const name of ['Lu', 'Lt']) fill(propertyOf(name)!, upper)
  fill(propertyOf('Ll')!, lower)
  for (const name of ['Lm', 'Lo']) fill(propertyOf(name)!, caseless)
  fill(propertyOf('M')!, mark)
  fill(propertyOf('N')!, number)
  fill(whiteSpace(), space)
  fill([0x0a, 0x0b, 0x0d, 0x0e], newline)
  return all
}
