/** A request for the worker, as HTTP has it. */
interface Asked {
  readonly method: string
  /** `v1/tokenize`, with its query. */
  readonly target: string
  /** Absent: the answer's tensors are typed arrays. */
  readonly accept?: string | undefined
  /** JSON. */
  readonly body?: string
}

/** Its answer: bytes of a media type, or a value. */
interface Answered {
  readonly status: number
  readonly type: string
  readonly bytes?: Uint8Array<ArrayBuffer>
  readonly value?: unknown
}

/** The worker's script beside the bundle: the build writes it here. */
declare const WORKER: string

/** Starts the worker that has the first layer. */
export function startWorker() {
  const address = new URL(WORKER, import.meta.url) // on this host or another
  // A page may not start a worker of another host, but one of its own that imports it.
  const script = `import ${JSON.stringify(address.href)}`
  const isOwn = address.origin === location.origin
  const own = isOwn ? address : URL.createObjectURL(new Blob([script], { type: 'text/javascript' }))
  const worker = new Worker(own, { type: 'module' })
  const waiting = new Map<number, { resolve(answer: Answered): void; reject(reason: unknown): void }>()
  worker.onmessage = ({ data }) => {
    waiting.get(data.id)?.resolve(data)
    waiting.delete(data.id)
  }
  worker.onerror = ({ message }) => {
    for (const { reject } of waiting.values()) reject(new TypeError(`The worker failed: ${message}`))
    waiting.clear()
  }
  let id = 0
  return (asked: Asked): Promise<Answered> =>
    new Promise((resolve, reject) => {
      waiting.set(++id, { resolve, reject })
      worker.postMessage({ body: '', ...asked, id })
    })
}
