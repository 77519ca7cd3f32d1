import { z } from 'zod'
import { shown } from '../../errors.js'
import { type LoneSurrogate, LongText } from '../json/long-text.js'
import { LongTexts, type TextFaults } from '../json/long-texts.js'
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

function refuseEmpty(context: Context, path: number[]): void {
  refuse(context, path, 'must not be empty', { code: 'empty_input', given: shown('') })
}

function refuseLone(context: Context, path: number[], { unit, index }: LoneSurrogate): void {
  const surrogate = unit.toString(16).toUpperCase()
  const message = `must be Unicode text: a lone surrogate U+${surrogate} stands at UTF-16 index ${index}`
  refuse(context, path, message, { code: 'invalid_unicode', complete: true })
}

/** The first surrogate without its partner. `'a\ud800b'` → 0xD800 at 1. */
export function loneSurrogate(text: string): LoneSurrogate | undefined {
  if (text.isWellFormed()) return undefined
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if ((unit & 0xf800) !== 0xd800) continue
    const next = text.charCodeAt(i + 1)
    if (unit >= 0xdc00 || (next & 0xfc00) !== 0xdc00) return { index: i, unit }
    i++
  }
  return undefined
}

function checkText(context: Context, text: string | LongText): void {
  if (text.length === 0) refuseEmpty(context, [])
  const lone = typeof text === 'string' ? loneSurrogate(text) : text.lone
  if (lone !== undefined) refuseLone(context, [], lone)
}

/** The faults of a list of texts, up to its first element that is no string. */
function faultsOf(texts: readonly unknown[]): TextFaults {
  let empty: number | undefined
  for (const [element, text] of texts.entries()) {
    if (typeof text !== 'string') return { empty, other: { element, value: text } }
    if (text === '') empty ??= element
    const lone = loneSurrogate(text)
    if (lone !== undefined) return { lone: { element, ...lone } }
  }
  return { empty }
}

/** Reports a lone surrogate first, then an empty text, then an element that is no string. */
function checkTexts(context: Context, texts: readonly unknown[] | LongTexts): void {
  const { lone, empty, other } = texts instanceof LongTexts ? texts.faults : faultsOf(texts)
  if (lone !== undefined) refuseLone(context, [lone.element], lone)
  else if (empty !== undefined) refuseEmpty(context, [empty])
  else if (other !== undefined)
    refuse(context, [other.element], 'must be a string', { given: shown(other.value) })
  else if (texts.length === 0)
    refuse(context, [], 'must not be empty', { code: 'empty_input', given: shown([]) })
}

/** One string, not empty and well-formed. */
export const singleText = z
  .custom<string | LongText>()
  .superRefine((value: unknown, context) => {
    if (typeof value === 'string' || value instanceof LongText) return checkText(context, value)
    refuse(context, [], value === undefined ? 'is needed' : 'must be a string')
  })
  .meta({ type: 'string', minLength: 1, description: 'The text. An escaped lone surrogate is refused.' })

/** A text, or texts, of a small body or a large one. */
export type Texts = string | readonly string[] | LongText | LongTexts

/** Reports what is wrong with a value that must be a text or texts. */
export function checkTextOrTexts(value: unknown, context: Context): void {
  if (typeof value === 'string' || value instanceof LongText) checkText(context, value)
  else if (Array.isArray(value) || value instanceof LongTexts) checkTexts(context, value)
  else refuse(context, [], 'must be a string or an array of strings')
}

/** A string or an array of strings: one document each. */
export const textField = z
  .custom<Texts>()
  .superRefine(checkTextOrTexts)
  .meta({
    anyOf: [
      { type: 'string', minLength: 1 },
      { type: 'array', minItems: 1, items: { type: 'string', minLength: 1 } },
    ],
    description: 'Raw text. Each string is one document; a window never crosses documents.',
  })
