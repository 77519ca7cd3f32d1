import { expect, test } from 'vitest'
import {
  headerLength,
  LENGTH_BYTES,
  parseHeader,
  SafetensorsError,
} from '../../src/first-layer/tensors/safetensors/header.js'
import { randomNumbers, seedOfThisRun } from '../first-layer/tokens/random-texts.js'
import { tableFile } from '../http/models/table-files.js'

const TIMES = 100_000
const seed = seedOfThisRun()

/** Bytes that mean something in a header. */
const WORDS = [
  '{',
  '}',
  '[',
  ']',
  ':',
  ',',
  '"',
  '0',
  '-',
  '1e9',
  '9007199254740993',
  'null',
  '\\u0000',
  '__metadata__',
  'BF16',
  'data_offsets',
]

const WHOLE = tableFile(
  {
    'wte.weight': { shape: [4, 3], numbers: Array(12).fill(1) },
    'wpe.weight': { shape: [2, 3], numbers: Array(6).fill(2) },
    empty: { shape: [0, 3], numbers: [] },
  },
  { format: 'pt' },
)

test(`a hundred thousand mutated headers are read or refused, and nothing past the end (seed ${seed})`, () => {
  const random = randomNumbers(seed)
  const below = (n: number) => Math.floor(random() * n)
  let read = 0
  for (let i = 0; i < TIMES; i++) {
    let file: Buffer<ArrayBuffer> = Buffer.from(WHOLE)
    for (let changes = 1 + below(3); changes > 0; changes--) file = changed(file, below)
    try {
      const length = headerLength(file.subarray(0, LENGTH_BYTES))
      const rest = file.length - LENGTH_BYTES - length
      if (rest < 0) continue
      const { tensors, dataBytes } = parseHeader(file.subarray(LENGTH_BYTES, LENGTH_BYTES + length), rest)
      expect(dataBytes).toBe(rest)
      for (const { start, end } of tensors) expect(start >= 0 && start <= end && end <= rest).toBe(true)
      read++
    } catch (error) {
      if (!(error instanceof SafetensorsError)) throw error
      expect(error.message.length).toBeLessThan(500)
    }
  }
  expect(read).toBeGreaterThan(0)
}, 600_000)

function changed(file: Buffer<ArrayBuffer>, below: (n: number) => number): Buffer<ArrayBuffer> {
  const at = below(file.length)
  const word = Buffer.from(WORDS[below(WORDS.length)]!)
  switch (below(4)) {
    case 0:
      return Buffer.concat([file.subarray(0, at), word, file.subarray(at)])
    case 1:
      return Buffer.concat([file.subarray(0, at), file.subarray(at + 1 + below(8))])
    case 2:
      file[at] = below(256)
      return file
    default:
      return file.subarray(0, at)
  }
}
