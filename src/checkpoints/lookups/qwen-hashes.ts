const WORD = 2n ** 64n - 1n
const GOLDEN = 0x9e3779b97f4a7c15n

/** The numbers of config.json that Qwen4-Exp's hashes follow from. */
export interface QwenSizes {
  readonly vocabSize: number
  readonly ngramSize: number
  readonly headsPerNgram: number
  readonly vocabSizeBase: number
  readonly seed: number
}

/**
 * The buffers that `Qwen4ExpNgramEmbedding` of transformers 5.24 makes for the nth of its layers: the heads' sizes, primes that
 * are counted on over the layers; their offsets; odd multipliers.
 */
export function qwenBuffers(config: QwenSizes, nth: number) {
  const { vocabSize, ngramSize, headsPerNgram, vocabSizeBase, seed } = config
  const count = (ngramSize - 1) * headsPerNgram
  const primes: number[] = []
  for (let n = vocabSizeBase; primes.length < (nth + 1) * count; n++) if (isPrime(n)) primes.push(n)
  const sizes = primes.slice(nth * count)
  let end = 0
  const offsets = sizes.map((size) => {
    end += size
    return end - size
  })
  const limit = (2n ** 63n - 1n) / BigInt(Math.max(vocabSize, 1)) / 2n
  const half = limit < 1n ? 1n : limit
  const multipliers = Array.from({ length: ngramSize }, (_, k) => {
    const state = (BigInt(seed) + 10007n * BigInt(nth) + GOLDEN * BigInt(k + 1)) & WORD
    return String(2n * (splitmix(state) % half) + 1n)
  })
  return { sizes, offsets, multipliers }
}

function splitmix(state: bigint): bigint {
  let x = (state + GOLDEN) & WORD
  x = ((x ^ (x >> 30n)) * 0xbf58476d1ce4e5b9n) & WORD
  x = ((x ^ (x >> 27n)) * 0x94d049bb133111ebn) & WORD
  return x ^ (x >> 31n)
}

function isPrime(n: number): boolean {
  if (n < 2) return false
  for (let d = 2; d * d <= n; d++) if (n % d === 0) return false
  return true
}
