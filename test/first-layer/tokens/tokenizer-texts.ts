import fc from 'fast-check'

const WORDS = [
  ...'a e é É e\u0301 ß İ ı ǅ Ω ά 가 각 한국어 中 漢字 日本語 かガ が हिन्दी ไทย עברית عربي Việt Đ ﬁ ½ ² 𝒜 𠀀 😀'.split(
    ' ',
  ),
  ...'the The unaffable world ing und xund undx xCafé Caféx abc ab abab New York new york Café café CAFÉ CLS x1y2'.split(
    ' ',
  ),
  ...[
    '👩‍👩‍👧',
    "isn't",
    '...',
    'don’t',
    '_',
    'a_b',
    '1,234.5',
    'x'.repeat(99),
    'y'.repeat(100),
    'z'.repeat(101),
  ],
]
const SPECIAL = [
  ...'[CLS] [SEP] [MASK] [UNK] [PAD] [cls] [unk] [É] [é] [E] [E\u0301] <mask> <right> <both> <left> <s> </s> <unk>'.split(
    ' ',
  ),
  ...['[CL', '<mas', 'ask>', '[SEP', '[[CLS]]', '<0x41>'],
]
const SPACES = [' ', '  ', '\n', '\t', '\r\n', '\u0085', '\u00a0', '\u3000', '\u000b', '\u2028', '\u200b']
const MARKS = [
  ...'\u0301\u0327\u0323\u0345\u0334\u302a\u302e\u05b0\u064b\u094d\u3099\u20dd\u0f71\u0f72\u0f73\u0344',
]
const ODD = [
  '\0',
  '\ufffd',
  '\ufeff',
  '\u00ad',
  '\u200d',
  '\ue000',
  '\u{e0001}',
  '\u{10ffff}',
  '\u0378',
  '▁',
  '##',
  '@',
]

const codePoint = fc.oneof(
  fc.integer({ min: 0, max: 0x10ffff }),
  fc.integer({ min: 0, max: 0x3000 }),
  fc.integer({ min: 0x300, max: 0x36f }),
  fc.integer({ min: 0x1100, max: 0x11ff }),
  fc.integer({ min: 0xf900, max: 0xffff }),
  fc.integer({ min: 0x1d100, max: 0x1d200 }),
)
const anyCharacter = codePoint
  .filter((value) => value < 0xd800 || value > 0xdfff)
  .map((value) => String.fromCodePoint(value))

const part = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 5, arbitrary: fc.constantFrom(...SPACES) },
  { weight: 3, arbitrary: fc.constantFrom(...SPECIAL) },
  { weight: 3, arbitrary: fc.constantFrom(...MARKS) },
  { weight: 2, arbitrary: fc.constantFrom(...ODD) },
  { weight: 4, arbitrary: anyCharacter },
)

/** Random texts: words of many scripts, special tokens whole and broken, marks, blanks, and any code point at all. */
export const tokenizerTexts = fc.array(part, { minLength: 1, maxLength: 40 }).map((parts) => parts.join(''))
