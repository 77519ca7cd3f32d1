import type { PcaAnswer, PcaQuestion } from './pca-worker.js'

let worker: Worker | undefined
let asked = 0
const waiting = new Map<number, (answer: PcaAnswer) => void>()

/** Lays rows flat on their two principal components, on a thread of its own. */
export function layFlat(rows: PcaQuestion['rows'], before: PcaQuestion['before'] = []): Promise<PcaAnswer> {
  worker ??= startWorker()
  const id = ++asked
  worker.postMessage({ id, rows, before } satisfies PcaQuestion)
  return new Promise((resolve) => waiting.set(id, resolve))
}

function startWorker(): Worker {
  const name = document.querySelector<HTMLMetaElement>('meta[name=pca-worker]')?.content ?? ''
  const started = new Worker(new URL(name, document.baseURI), { type: 'module' })
  started.addEventListener('message', ({ data }: MessageEvent<PcaAnswer>) => {
    waiting.get(data.id)?.(data)
    waiting.delete(data.id)
  })
  return started
}
