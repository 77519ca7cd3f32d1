import { unsupported } from '../refusals.js'
import type { Budget } from './budget.js'

// Upper and lower case, of ASCII alone: other letters follow the version of Unicode that a Python has.

/** `-`, white space, `(`, `{`, `[` and `<`: behind these a word begins. */
const BEFORE_WORDS = new Set(new TextEncoder().encode('-\t\n\v\f\r\x1c\x1d\x1e\x1f ({[<'))
const CASE_BIT = 32

const CASES = {
  upper: (text: string) => text.toUpperCase(),
  lower: (text: string) => text.toLowerCase(),
  capitalize: (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase(),
  /** The filter's way, not that of the method. */
  title: (text: string) => {
    const bytes = new TextEncoder().encode(text.toLowerCase())
    let isFirst = true
    bytes.forEach((byte, i) => {
      if (isFirst && byte >= 97 && byte <= 122) bytes[i] = byte - CASE_BIT
      isFirst = BEFORE_WORDS.has(byte)
    })
    return new TextDecoder().decode(bytes)
  },
} as const

/** Nanoseconds of a character. */
const WEIGHTS: Readonly<Record<Case, number>> = { upper: 3, lower: 3, capitalize: 3, title: 12 }

export type Case = keyof typeof CASES

/** @throws ChatError `template_unsupported` for letters beyond ASCII */
export function inCase(text: string, to: Case, budget: Budget): string {
  budget.takeText(text.length, WEIGHTS[to])
  if (/[\u0080-\uffff]/.test(text)) throw unsupported(`\`${to}\` of a text`, 'is rendered for ASCII alone')
  return CASES[to](text)
}
