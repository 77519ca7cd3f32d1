/**
 * The first layer of a language model, from top to bottom, in plain JavaScript.
 *
 *     npm ci                                           (once)
 *     node examples/first-layer.mjs "In the heart of the city"
 *
 * A text becomes token ids, ids become windows, each id becomes a row of a table, and the row of its position is added:
 *
 *     text → ids → [B, T] windows → [B, T, C] token rows + [T, C] position rows = [B, T, C] input embeddings
 *
 * B is the number of windows (the batch), T the tokens of a window (the context length), C the numbers of a row. The
 * lectures use B 8, T 4, C 256, and a vocabulary of 50,257: an 8 × 4 × 256 tensor. Figures are those
 * of Raschka's "Build a Large Language Model (From Scratch)".
 *
 * Every number here equals the service's to the bit. Ids are tiktoken's (but this file knows no `<|endoftext|>`), tables
 * are those of PyTorch for Linux on x86-64 under the same seed. Parts 1, 2, 4 and 5 are the idea; part 3 is only how torch
 * draws its random numbers, to their last bit: skip it when you read this for the first time.
 */
import { pathToFileURL } from 'node:url'
import gpt2 from 'js-tiktoken/ranks/gpt2'

// ---------------------------------------------------------------------------------------------------------------------
// 1. Text → ids: byte-pair encoding
// ---------------------------------------------------------------------------------------------------------------------

/** GPT-2's pattern cuts a text into pieces: words with the blank before them, numbers, signs, blanks. */
const PIECES = /'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu

/**
 * Reads GPT-2's merge ranks: token (its bytes, one character each) → its id. The lower the id, the earlier the pair was
 * merged when the vocabulary was made. A line `! 0 IQ== Ig==` begins with a mark and the first id; then come the tokens in
 * base64: id 0 is the byte 0x21, an exclamation mark, id 1 the byte 0x22, a quotation mark.
 */
export function readRanks() {
  const ranks = new Map()
  for (const line of gpt2.bpe_ranks.split('\n')) {
    const [, first, ...tokens] = line.split(' ')
    for (const [i, base64] of tokens.entries())
      ranks.set(Buffer.from(base64, 'base64').toString('latin1'), Number(first) + i)
  }
  return ranks
}

/**
 * Encodes a text. `Hello, world!` → [15496, 11, 995, 0]. An unknown word falls into known parts, in the worst case into
 * its bytes, so nothing is ever unknown: `Akwirw ier` → `Ak`, `w`, `ir`, `w`, ` `, `ier`.
 */
export function encode(text, ranks) {
  return text.match(PIECES)?.flatMap((piece) => mergePairs(piece, ranks)) ?? []
}

/** Begins with the bytes of a piece, and merges the neighbours of the lowest rank until no neighbours make a token. */
function mergePairs(piece, ranks) {
  const parts = [...Buffer.from(piece, 'utf8').toString('latin1')]
  for (;;) {
    let lowest = Infinity
    let at = -1
    for (let i = 0; i + 1 < parts.length; i++) {
      const rank = ranks.get(parts[i] + parts[i + 1]) ?? Infinity
      if (rank < lowest) [lowest, at] = [rank, i]
    }
    if (at < 0) return parts.map((part) => ranks.get(part))
    parts.splice(at, 2, parts[at] + parts[at + 1])
  }
}

// ---------------------------------------------------------------------------------------------------------------------
// 2. Ids → windows
// ---------------------------------------------------------------------------------------------------------------------

/**
 * Cuts ids into windows of T tokens, each `stride` after the one before. The target of a token is the token after it, so
 * a window needs T + 1 tokens, and the last tokens of a text may be in no window.
 *
 * Ids 0 … 9, T 4, stride 4 → inputs [[0, 1, 2, 3], [4, 5, 6, 7]], targets [[1, 2, 3, 4], [5, 6, 7, 8]].
 */
export function windows(ids, contextLength, stride = contextLength) {
  const inputs = []
  const targets = []
  for (let start = 0; start + contextLength < ids.length; start += stride) {
    inputs.push(ids.slice(start, start + contextLength))
    targets.push(ids.slice(start + 1, start + contextLength + 1))
  }
  return { inputs, targets } // [B, T] each
}

// ---------------------------------------------------------------------------------------------------------------------
// 3. The tables: torch.manual_seed(123); nn.Embedding(50257, 256); nn.Embedding(T, 256)
// ---------------------------------------------------------------------------------------------------------------------

const { fround } = Math
const bits = new DataView(new ArrayBuffer(8))

/** The Mersenne Twister (Matsumoto and Nishimura, 1998): words of 32 random bits, PyTorch's generator on a CPU. */
export function* mersenneTwister(seed) {
  const state = new Uint32Array(624)
  state[0] = seed
  for (let i = 1; i < 624; i++) state[i] = Math.imul(1812433253, state[i - 1] ^ (state[i - 1] >>> 30)) + i
  for (;;) {
    for (let i = 0; i < 624; i++) {
      const both = (state[i] & 0x80000000) | (state[(i + 1) % 624] & 0x7fffffff)
      state[i] = state[(i + 397) % 624] ^ (both >>> 1) ^ (both & 1 ? 0x9908b0df : 0)
    }
    for (let word of state) {
      word ^= word >>> 11
      word ^= (word << 7) & 0x9d2c5680
      word ^= (word << 15) & 0xefc60000
      yield (word ^ (word >>> 18)) >>> 0
    }
  }
}

/**
 * A table of normally distributed numbers, as `nn.Embedding(rows, width)` makes it (`normal_`, for widths that 16 divides).
 *
 * PyTorch draws a uniform number for every element, 24 bits of a word each, and turns each block of 16 into normal numbers:
 * the first eight give the radii and the last eight the angles of Box and Muller's method. Only rows that are looked up are
 * turned here, so the table of 50,257 × 256 takes a moment, not seconds.
 */
export function embedding(random, rows, width) {
  const uniform = new Float32Array(rows * width)
  for (let i = 0; i < uniform.length; i++) uniform[i] = (random.next().value & 0xffffff) * 2 ** -24
  return function row(id) {
    const out = uniform.slice(id * width, (id + 1) * width)
    for (let block = 0; block < width; block += 16)
      for (let i = block; i < block + 8; i++) [out[i], out[i + 8]] = normalPair(out[i], out[i + 8])
    return out // [C]
  }
}

/** Two uniform numbers → two normal ones: radius √(−2 ln(1 − u)), angle 2π v. Every operation rounds to float32. */
function normalPair(u, v) {
  const radius = fround(Math.sqrt(fround(-2 * log(fround(1 - u)))))
  const { sin, cos } = sinCos(fround(fround(2 * Math.PI) * v))
  return [fround(radius * cos) + 0, fround(radius * sin) + 0] // + 0: −0 becomes 0, as by × std + mean
}

/** a · b + c, rounded once to float32, as a processor's fused multiply-add does it. */
function fma(a, b, c) {
  const product = a * b // exact: 24 + 24 bits fit into a double's 53
  let sum = product + c
  bits.setFloat64(0, sum)
  // A sum in the middle between two floats may have been rounded to it: then what was lost decides.
  if ((bits.getUint32(4) & 0x1fffffff) === 0x10000000) {
    const other = sum - product
    const lost = product - (sum - other) + (c - other)
    if (lost !== 0) {
      bits.setBigInt64(0, bits.getBigInt64(0) + (lost > 0 === sum > 0 ? 1n : -1n))
      sum = bits.getFloat64(0)
    }
  }
  return fround(sum)
}

/** A polynomial by Horner's rule: the first coefficient belongs to the highest power. */
const polynomial = (x, [highest, ...rest]) => rest.reduce((sum, next) => fma(sum, x, next), highest)
const floats = (...numbers) => numbers.map(fround)

// PyTorch does not call the C library for these three: its vector code uses the polynomials of Cephes (Moshier), which
// differ from correctly rounded functions in the last bits. So the exact bits need the same polynomials.
// biome-ignore format: a polynomial is read in one go
const LOG = floats(7.0376836292e-2, -1.151461031e-1, 1.167699874e-1, -1.2420140846e-1, 1.4249322787e-1,
  -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)
const SIN = floats(-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
const COS = floats(2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
/** π/4 in three parts, so that subtracting a multiple of it loses nothing. */
const QUARTER = floats(-0.78515625, -2.4187564849853516e-4, -3.774894977445941e-8)

function log(x) {
  // x = m · 2^e with m in [√½, √2): ln x = ln m + e ln 2
  bits.setFloat32(0, x)
  let exponent = (bits.getUint32(0) >>> 23) - 126
  bits.setUint32(0, (bits.getUint32(0) & 0x807fffff) | 0x3f000000)
  let m = bits.getFloat32(0)
  if (m < fround(Math.SQRT1_2)) {
    exponent -= 1
    m = fround(m + m)
  }
  m = fround(m - 1)
  const square = fround(m * m)
  let y = fround(fround(polynomial(m, LOG) * m))
  y = fma(y, square, fround(exponent * fround(-2.1219444e-4)))
  y = fma(-0.5, square, y)
  return fma(exponent, fround(0.693359375), fround(m + y))
}

function sinCos(angle) {
  const octant = (Math.trunc(fround(angle * fround(1.27323954473516))) + 1) & ~1
  const x = QUARTER.reduce((rest, part) => fma(octant, part, rest), angle) // −π/4 … π/4
  const z = fround(x * x)
  const even = fround(fma(fround(polynomial(z, COS) * z), z, -fround(z * 0.5)) + 1)
  const odd = fma(fround(polynomial(z, SIN) * z), x, x)
  const [sin, cos] = (octant & 2) === 0 ? [odd, even] : [even, odd]
  return { sin: octant & 4 ? -sin : sin, cos: (octant - 2) & 4 ? cos : -cos }
}

// ---------------------------------------------------------------------------------------------------------------------
// 4. The two lookups and the sum
// ---------------------------------------------------------------------------------------------------------------------

/**
 * Makes [B, T, C]: for each token its row (figure 2.16: a lookup, id 5 is the sixth row), plus the row of its position
 * (figure 2.18). The token's row does not depend on where the token stands (figure 2.17); the sum does.
 */
export function inputEmbeddings(inputs, tokenRow, positionRow) {
  return inputs.map((window) =>
    window.map((id, position) => {
      const [token, place] = [tokenRow(id), positionRow(position)] // [C] each
      return token.map((value, channel) => fround(value + place[channel]))
    }),
  )
}

// ---------------------------------------------------------------------------------------------------------------------
// 5. Positions without a learned table
// ---------------------------------------------------------------------------------------------------------------------

/**
 * Sines and cosines of geometric wavelengths ("Attention Is All You Need", 2017, §3.5): channel 2i of position p is
 * sin(p / 10000^(2i/C)), channel 2i + 1 the cosine. Any position has a row, and it is added like a learned one.
 */
export function sinusoid(position, width) {
  return Float32Array.from({ length: width }, (_, channel) => {
    const angle = position / 10_000 ** ((2 * (channel >> 1)) / width)
    return channel % 2 === 0 ? Math.sin(angle) : Math.cos(angle)
  }) // [C]
}

/**
 * RoPE (Su et al., 2021; LLaMA): nothing is added to the rows. Attention turns each pair of channels of its queries and
 * keys by position · frequency, so that a score depends on how far apart two tokens are. These are the cosines and sines of
 * one position, headDim / 2 of each, rounded where PyTorch's float32 rounds.
 */
export function rope(position, headDim, theta = 10_000) {
  const angles = Array.from({ length: headDim / 2 }, (_, i) => {
    const frequency = fround(1 / fround(theta ** fround((2 * i) / headDim)))
    return fround(position * frequency)
  })
  return { cos: Float32Array.from(angles, Math.cos), sin: Float32Array.from(angles, Math.sin) }
}

// ---------------------------------------------------------------------------------------------------------------------
// All of it
// ---------------------------------------------------------------------------------------------------------------------

/** Draws the tables of a new model, with the lectures' sizes and seed: one stream of random numbers for both. */
export function newTables({ contextLength = 4, seed = 123, vocabulary = 50_257, width = 256 } = {}) {
  const random = mersenneTwister(seed)
  const tokenRow = embedding(random, vocabulary, width) // wte [50257, 256]
  const positionRow = embedding(random, contextLength, width) // wpe [4, 256], drawn after it
  return { tokenRow, positionRow }
}

/** Text → ids → windows → embeddings. */
export function firstLayer(text, { tokenRow, positionRow }, { contextLength = 4, stride = 4 } = {}) {
  const ids = encode(text, readRanks())
  const { inputs, targets } = windows(ids, contextLength, stride)
  return { ids, inputs, targets, embeddings: inputEmbeddings(inputs, tokenRow, positionRow) }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const text = process.argv[2] ?? 'In the heart of the city stood the old library, a relic from a bygone era.'
  const { ids, inputs, targets, embeddings } = firstLayer(text, newTables())
  console.log(`text        ${text}`)
  console.log(`ids         ${ids.join(' ')}`)
  for (const [b, window] of inputs.entries())
    console.log(`window ${b}    ${window.join(' ')}  →  ${targets[b].join(' ')}`)
  if (inputs.length === 0) console.log('no window: 4 tokens and the target of the last one need 5 tokens')
  console.log(`embeddings  [${inputs.length}, 4, 256]`)
  for (const [b, [first]] of embeddings.entries())
    console.log(`  [${b}, 0]    ${first.slice(0, 4).join(', ')}, …`)
}
