const WORDS =
  "the cat sat on a mat and Hello world unbelievable tokenization don't I'll we've 3.14159 2026 १२३ über naïve Straße " +
  'привет мир 日本語 テスト 한국어 مرحبا שלום 👍🏽 👨‍👩‍👧‍👦 e\u0301 \u00a0 ﬁ Ａ zero\u200bwidth <|endoftext|> [CLS] [MASK] <s> </s> ' +
  'http://example.org/a?b=c function(x){return} ___ ---- \u0000 \ufeff'
const LIST = WORDS.split(' ')
const GAPS = [' ', ' ', ' ', ' ', '  ', '\n', '\n\n', '\t', '', '. ', ', ', '\r\n']

/** A text of so many words, with whitespace, numbers and scripts of all kinds between them. */
export function prose({ one }, words) {
  let text = ''
  for (let i = 0; i < words; i++) text += one(LIST) + one(GAPS)
  return text === '' ? 'a' : text
}

/** Texts at the edges of what tokenizers do. */
export const EDGES = [
  'a',
  ' ',
  '\n',
  '   leading and trailing   ',
  'a\u0000b',
  '\ufeffmark',
  '😀'.repeat(20),
  'x'.repeat(2000),
  ' '.repeat(500),
  '\n\r\n\n\t \n',
  '<|endoftext|>',
  '<|endoftext|><|endoftext|>a<|endoftext|>',
  '<|endof',
  '<|fim_prefix|>a<|im_start|>b<|endofprompt|>',
  '[CLS] hello [SEP] world [MASK] [PAD] [UNK]',
  '<s>hello</s><unk><pad>',
  "Don't you'll THEY'RE she'D",
  '1234567890 12 123 1234 ٣٤٥',
  'ÀÉÎÕÜ àéîõü ñ ç ß ŁłØø İıſ K',
  'e\u0301e\u0301 \u1e9b\u0323 \uac00 \u1100\u1161',
  '漢字かな交じり文。テスト、終わり！',
  'ไทยไม่มีเว้นวรรค',
  'العربية‏ مع محارف',
  '\u200d\u200c\u200b\u2028\u2029\u00ad',
  '🇩🇪🇫🇷 🏳️‍🌈 ☠️',
  'CamelCaseWordsHTTPServer snake_case_words kebab-case',
  'def f(x):\n    return x  # comment\n\n\nclass A:\n\tpass\n',
  '\u{10ffff}\u{e000}\ufffd\ufffe',
  'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab',
  'The quick brown fox jumps over the lazy dog.',
]
