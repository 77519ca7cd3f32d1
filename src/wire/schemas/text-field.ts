import { z } from 'zod'
import type { IssueParams } from './issue.js'

type Context = z.core.$RefinementCtx

function refuse(
  context: Context,
  path: (string | number)[],
  message: string,
  params: IssueParams = {},
): void {
  context.addIssue({ code: 'custom', path, message, params: { ...params } })
}

/** UTF-16 index of the first surrogate without its partner, or −1. `'a\ud800b'` → 1. */
export function loneSurrogateIndex(text: string): number {
  if (text.isWellFormed()) return -1
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if ((unit & 0xf800) !== 0xd800) continue
    const next = text.charCodeAt(i + 1)
    if (unit >= 0xdc00 || (next & 0xfc00) !== 0xdc00) return i
    i++
  }
  return -1
}

function checkString(context: Context, path: number[], value: string): void {
  if (value === '') refuse(context, path, 'must not be empty', { code: 'empty_input' })
  const index = loneSurrogateIndex(value)
  if (index >= 0) {
    const unit = value.charCodeAt(index).toString(16).toUpperCase()
    const message = `must be Unicode text: a lone surrogate U+${unit} stands at UTF-16 index ${index}`
    refuse(context, path, message, { code: 'invalid_unicode', complete: true })
  }
}

/** One string, not empty and well-formed. */
export const singleText = z
  .string()
  .superRefine((value, context) => checkString(context, [], value))
  .meta({ minLength: 1, description: 'The text. An escaped lone surrogate is refused.' })

/** A string or an array of strings: one document each. */
export const textField = z
  .custom<string | string[]>()
  .superRefine((value: unknown, context) => {
    if (typeof value === 'string') return checkString(context, [], value)
    if (!Array.isArray(value)) return refuse(context, [], 'must be a string or an array of strings')
    if (value.length === 0) return refuse(context, [], 'must not be empty', { code: 'empty_input' })
    for (const [i, element] of value.entries()) {
      if (typeof element !== 'string') return refuse(context, [i], 'must be a string')
      checkString(context, [i], element)
    }
  })
  .meta({
    anyOf: [
      { type: 'string', minLength: 1 },
      { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
    ],
    description: 'Raw text. Each string is one document; a window never crosses documents.',
  })

/** Where the first element that is no id stands, and why; undefined when all are ids. Two million ids a millisecond or so. */
function badId(ids: readonly unknown[]): { index: number; message: string } | undefined {
  for (let i = 0; i < ids.length; i++) {
    const id = ids[i]
    if (Number.isSafeInteger(id) && (id as number) >= 0) continue
    const isNumber = typeof id === 'number' && Number.isSafeInteger(id)
    return { index: i, message: isNumber ? 'must be at least 0' : 'must be an integer within ±(2^53 − 1)' }
  }
  return undefined
}

function checkIds(context: Context, path: number[], ids: readonly unknown[]): boolean {
  if (ids.length === 0) {
    refuse(context, path, 'must not be empty', { code: 'empty_input' })
    return false
  }
  const bad = badId(ids)
  if (bad !== undefined) refuse(context, [...path, bad.index], bad.message)
  return bad === undefined
}

/** Integers from 0: one document. */
export function idList(description: string) {
  return z
    .custom<number[]>()
    .superRefine((value: unknown, context) => {
      if (!Array.isArray(value)) return refuse(context, [], 'must be an array of integers')
      checkIds(context, [], value)
    })
    .meta({ type: 'array', minItems: 1, items: { $ref: '#/components/schemas/TokenId' }, description })
}

/**
 * Integers from 0, or arrays of them, one per document. Checked by a loop of our own: a schema per element
 * would cost more than the rest of the request.
 */
export function idsField(description: string) {
  return z
    .custom<number[] | number[][]>()
    .superRefine((value: unknown, context) => {
      if (!Array.isArray(value)) return refuse(context, [], 'must be an array of integers, or of such arrays')
      if (!Array.isArray(value[0])) return void checkIds(context, [], value)
      for (const [i, ids] of value.entries()) {
        if (!Array.isArray(ids)) return refuse(context, [i], 'must be an array of integers')
        if (!checkIds(context, [i], ids)) return
      }
    })
    .meta({
      anyOf: [
        { type: 'array', minItems: 1, items: { $ref: '#/components/schemas/TokenId' } },
        {
          type: 'array',
          minItems: 1,
          items: { type: 'array', minItems: 1, items: { $ref: '#/components/schemas/TokenId' } },
        },
      ],
      description,
    })
}
