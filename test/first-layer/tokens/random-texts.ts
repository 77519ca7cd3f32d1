/** mulberry32: numbers in [0, 1), the same for the same seed. */
export function randomNumbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** A seed for this run, printed so that a failure can be repeated: `SEED=1234 npx vitest run …`. */
export function seedOfThisRun(): number {
  const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)
  console.log(`SEED=${seed}`)
  return seed
}

const ASCII = Array.from({ length: 128 }, (_, i) => String.fromCharCode(i))
const QUOTED = "'s 't 're 've 'm 'll 'd 'S 'LL 'Re ' '' 'r 'l 'v 'x 'ſ 'lL".split(' ')
const SPACES = [
  ...[' ', '  ', '   ', '\n', '\r\n', '\n\n', '\t', ' \n', '\n '],
  ...['\u00a0', '\u0085', '\u2003', '\u3000', '\u2028', '\u000b'],
]
const LATIN = [...'eéÉßſıİĿǅʰªßñÜ', 'the', 'The', 'THE', 'ing', 'Über', 'naïve', 'straße']
const SCRIPTS = [
  ...'中文字日本語かなカナ한국어абвгАБВГгאבעربيةकखगกขαβΑΒ',
  ...['слово', 'Привет', 'สวัสดี', 'नमस्ते', 'שלום', 'مرحبا', '你好'],
]
const MARKS = ['\u0301', '\u0308', '\u064b', '\u093f', '\u20dd', '\ufe0f', '\u200d', '\u0e31']
const NUMBERS = [...'0123456789', '12', '345', '1234567', '²', '½', 'Ⅷ', '٣', '०', '𝟘']
const SYMBOLS = '. , ! ? ... / // /\n !\n - — … € _ __ ( ); {} <| |> # @'.split(' ')
const EMOJI = ['😀', '👩‍👩‍👧', '👍🏽', '🇫🇷', '❤️', '🏳️‍🌈', '☃', '🧑🏿‍🚀', '\u{1f9ff}']
const KINDS = [ASCII, QUOTED, SPACES, LATIN, SCRIPTS, MARKS, NUMBERS, SYMBOLS, EMOJI]

/** A short text of all planes, in which characters that the patterns treat specially are more frequent than by chance. */
export function randomText(random: () => number, maxParts: number): string {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  let text = ''
  for (let parts = 1 + Math.floor(random() * maxParts); parts > 0; parts--) {
    const chance = random()
    if (chance < 0.75) text += pick(pick(KINDS))
    else if (chance < 0.85) text += codePoint(random() < 0.7 ? random() * 0x3000 : random() * 0x110000)
    else if (chance < 0.93) text += ` ${pick(LATIN)}${pick(SPACES)}`
    else text += pick(pick(KINDS)).repeat(1 + Math.floor(random() * 9))
  }
  return text
}

function codePoint(value: number): string {
  const whole = Math.floor(value)
  return String.fromCodePoint(whole >= 0xd800 && whole <= 0xdfff ? whole - 0x800 : whole)
}

/** Runs and mixtures of one or two kinds, up to `maxUnits` units: where pieces become long. */
export function randomLongText(random: () => number, maxUnits: number): string {
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  let text = ''
  for (let runs = 1 + Math.floor(random() * 4); runs > 0; runs--) {
    const units =
      random() < 0.3
        ? pick(KINDS)
        : Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(pick(KINDS)))
    for (let count = Math.floor((random() * maxUnits) / 2); count > 0; count--) text += pick(units)
  }
  return text
}
