import { expect } from 'vitest'

/**
 * Finds arrays of the same bytes, or of the same numbers or texts, equal at once. `toEqual` itself looks at the elements
 * one after the other as at objects, which takes seconds for a table; it still does where they differ.
 */
function sameElements(a: unknown, b: unknown): true | undefined {
  if (ArrayBuffer.isView(a) && ArrayBuffer.isView(b)) {
    if (Object.getPrototypeOf(a) !== Object.getPrototypeOf(b)) return undefined
    const [left, right] = [a, b].map((view) => Buffer.from(view.buffer, view.byteOffset, view.byteLength))
    return left!.equals(right!) || undefined
  }
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return undefined
  const differs = a.findIndex((each, i) => typeof each === 'object' || !Object.is(each, b[i]))
  return differs === -1 || undefined
}

// Files that share a process come here one after the other.
const known = globalThis as { inletKnowsElements?: boolean }
if (!known.inletKnowsElements) expect.addEqualityTesters([sameElements])
known.inletKnowsElements = true
