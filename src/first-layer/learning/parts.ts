import { InletError, invalidField } from '../errors.js'

/** Most parts of one set. */
export const MAX_PARTS = 1024

/** Which part of a set a call is: `2/3` → `{ index: 2, count: 3 }`. */
export interface Part {
  /** 1 … count */
  readonly index: number
  readonly count: number
}

const FORM = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/

/** Reads `X-Part`. @throws InletError `invalid_request` */
export function parsePart(text: string): Part {
  const [, index, count] = (FORM.exec(text) ?? []).map(Number)
  if (index >= 1 && index <= count && count <= MAX_PARTS) return { index, count }
  throw invalidField('X-Part', `must be i/n, with i from 1 to n and n at most ${MAX_PARTS}`, text)
}

/**
 * Keeps the parts of one set apart until all have arrived, so that their sum does not depend on the order of arrival.
 */
export class Parts<Value> {
  /** Parts of the set; 0: no part has arrived. */
  count = 0
  /** The parts that have arrived, by their index. */
  readonly held = new Map<number, Value>()

  /** @throws InletError `invalid_request` for a part that is there, or one of another set */
  check({ index, count }: Part): void {
    const given = `Given: ${index}/${count}`
    if (this.held.size > 0 && count !== this.count)
      throw invalid(`must be one of ${this.count}, as those that have come. ${given}`)
    if (this.held.has(index)) throw invalid(`must not have come already. ${given}`)
  }

  /** All parts in the order of their indices, where this one is the last to arrive. */
  completedBy({ index, count }: Part, value: Value): readonly Value[] | undefined {
    if (this.held.size + 1 < count) return undefined
    return Array.from({ length: count }, (_, i) => (i + 1 === index ? value : this.held.get(i + 1)!))
  }

  keep({ index, count }: Part, value: Value): void {
    this.count = count
    this.held.set(index, value)
  }

  clear(): void {
    this.count = 0
    this.held.clear()
  }

  /** @throws InletError `parts_missing` that names them */
  checkNoneMissing(): void {
    if (this.held.size === 0) return
    const all = Array.from({ length: this.count }, (_, i) => i + 1)
    const missing = all.filter((index) => !this.held.has(index))
    const names = `${missing.slice(0, 8).join(', ')}${missing.length > 8 ? ', …' : ''}`
    const message = `All ${this.count} parts must have come before a step. Missing: ${names}`
    throw new InletError('parts_missing', message, 'X-Part')
  }
}

function invalid(rule: string): InletError {
  return new InletError('invalid_request', `\`X-Part\` ${rule}`, 'X-Part')
}
