import type { Pooling } from '../first-layer/pooling/pooling.js'
import type { Text } from '../wire/given.js'

/** Most bytes of a code point in UTF-8. */
const CODE_POINT_BYTES = 4

/**
 * A text as a static model tokenizes it: its prompt, then its first code points, `maxLength` × `medianTokenLength` of
 * them where the model has a limit.
 */
export function preparedText(text: Text, { prompt = '', maxLength, medianTokenLength }: Pooling): Text {
  if (maxLength === null || medianTokenLength === undefined) return prompt === '' ? text : `${prompt}${text}`
  const most = maxLength * medianTokenLength
  const whole = typeof text === 'string' ? text : text.toString('utf8', 0, most * CODE_POINT_BYTES)
  return prompt + firstCodePoints(whole, most)
}

function firstCodePoints(text: string, most: number): string {
  if (text.length <= most) return text
  let end = 0
  for (let left = most; left > 0 && end < text.length; left--) end += text.codePointAt(end)! > 0xffff ? 2 : 1
  return text.slice(0, end)
}
