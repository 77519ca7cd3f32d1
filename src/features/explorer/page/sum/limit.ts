import type { Rows } from '../answer/answer.js'

/**
 * The value of the last colour: three standard deviations of the token rows on screen, rounded to one digit. The same
 * for all pictures of a card, so that equal colours are equal numbers.
 */
export function limitOf({ token }: Rows): number {
  let squares = 0
  for (const value of token) squares += value * value
  const deviation = Math.sqrt(squares / Math.max(1, token.length))
  return deviation === 0 ? 1 : Number((3 * deviation).toPrecision(1))
}
