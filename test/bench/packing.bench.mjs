import { windowIndex } from '../../build/src/first-layer/datasets/window-index.js'
import { run } from '../../build/src/first-layer/steps.js'
import { StoredBounds } from '../../build/src/first-layer/windows/document-bounds.js'
import { atLeast, atMost } from './harness/floors.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { figure } from './harness/text.mjs'

const CONTEXT = 2048
const DOCUMENTS = SMOKE ? 10_000 : 10_000_000
const MOST_SECONDS = 30
const LEAST_FILL = 0.99

/** Packs documents whose lengths are spread as those of web text: log-normal, median 400 tokens, mean about 900. */
export async function bench({ quick, say }) {
  const documents = webLengths(quick ? DOCUMENTS / 10 : DOCUMENTS)
  const started = process.hrtime.bigint()
  const windows = run(windowIndex(documents, { contextLength: CONTEXT, packing: 'best_fit' }))
  const seconds = Number(process.hrtime.bigint() - started) / 1e9
  const fill = windows.filledSlots / (windows.count * CONTEXT)
  say(`${figure(documents.count)} documents in ${seconds.toFixed(1)} s`)
  return {
    title: `Best-fit packing at a context of ${CONTEXT}, one core`,
    notes: ['Lengths as in web text: log-normal, median 400, longest a million tokens.'],
    head: ['documents', 'tokens', 'windows', 'fill', 'seconds', 'documents/s'],
    rows: [
      [
        ...[documents.count, documents.totalTokens, windows.count].map(figure),
        `${(100 * fill).toFixed(3)} %`,
        seconds.toFixed(1),
        figure(documents.count / seconds),
      ],
    ],
    floors: quick
      ? []
      : [
          atMost('seconds for ten million documents', seconds, MOST_SECONDS, ' s'),
          atLeast('fill', fill, LEAST_FILL, ''),
        ],
  }
}

function webLengths(count) {
  const starts = new Float64Array(count + 1)
  let state = 1
  const uniform = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return (state + 0.5) / 2 ** 32
  }
  for (let d = 0; d < count; d++) {
    const normal = Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform())
    starts[d + 1] = starts[d] + Math.min(1e6, Math.ceil(400 * Math.exp(1.27 * normal)))
  }
  return new StoredBounds(starts)
}
