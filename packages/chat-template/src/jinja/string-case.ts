import { unsupported } from '../refusals.js'

// Upper and lower case, of ASCII alone: other letters follow the version of Unicode that a Python has.

const WORD = /([-\s({[<]+)/

const CASES = {
  upper: (text: string) => text.toUpperCase(),
  lower: (text: string) => text.toLowerCase(),
  capitalize: (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1).toLowerCase(),
  /** The filter's way: words begin behind spaces and opening brackets. */
  title: (text: string) =>
    text
      .split(WORD)
      .map((part) => CASES.capitalize(part))
      .join(''),
} as const

export type Case = keyof typeof CASES

/** @throws ChatError `template_unsupported` for letters beyond ASCII */
export function inCase(text: string, to: Case): string {
  if (/[\u0080-\uffff]/.test(text)) throw unsupported(`\`${to}\` of a text`, 'is rendered for ASCII alone')
  return CASES[to](text)
}
