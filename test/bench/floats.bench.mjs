import {
  instantiateTextKernels,
  MAX_FLOAT_TEXT_BYTES,
} from '../../build/src/first-layer/kernels/text-kernels.js'
import { TorchGenerator } from '../../build/src/first-layer/random/generator.js'
import { atLeast, atMost } from './harness/floors.mjs'
import { median, ratio, takeTurns } from './harness/rounds.mjs'
import { figure, times } from './harness/text.mjs'

const COUNT = 1 << 16
const RUNS = 15

/** Sums of two normal numbers, as the default tables give them, to JSON's decimals. */
export async function bench({ rounds }) {
  const kernels = instantiateTextKernels()
  const input = kernels.reserve(4 * COUNT)
  const out = kernels.reserve(MAX_FLOAT_TEXT_BYTES * COUNT)
  const generator = new TorchGenerator(123n)
  const [tokens, positions] = [new Float32Array(COUNT), new Float32Array(COUNT)]
  generator.normal(tokens)
  generator.normal(positions)
  const sums = tokens.map((token, i) => token + positions[i])
  new Float32Array(kernels.memory.buffer, input, COUNT).set(sums)

  const bytes = kernels.floatRowsToText(out, input, 1, COUNT)
  const jsonBytes = JSON.stringify(Array.from(sums)).length
  const figures = await takeTurns(rounds, {
    Inlet: () => millionsASecond(() => kernels.floatRowsToText(out, input, 1, COUNT)),
    JSON: () => millionsASecond(() => Buffer.from(JSON.stringify(Array.from(sums)))),
  })
  const faster = ratio(figures.Inlet, figures.JSON)
  const cells = (name, length) => [figure(median(figures[name])), figure(length / COUNT)]
  return {
    title: 'Float32 to decimals',
    notes: ['`JSON.stringify(Array.from(values))`, to bytes.'],
    head: ['', 'million floats/s', 'bytes a float', 'ratio'],
    rows: [
      ['Inlet', ...cells('Inlet', bytes), times(faster)],
      ['JSON.stringify', ...cells('JSON', jsonBytes), ''],
    ],
    floors: [
      atLeast('floats to JSON, beside JSON.stringify', faster.middle, 8),
      atMost('floats to JSON', bytes / COUNT, 11.5, 'bytes a float'),
    ],
  }
}

function millionsASecond(work) {
  const milliseconds = Array.from({ length: RUNS }, () => {
    const start = performance.now()
    work()
    return performance.now() - start
  })
  return COUNT / median(milliseconds) / 1e3
}
