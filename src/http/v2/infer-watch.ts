import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Blocks, Steps } from '../../first-layer/steps.js'
import type { NamedTensor } from '../../first-layer/tensors/named-tensor.js'
import type { Metrics } from '../../metrics/metrics.js'
import { whenEnded } from '../lifetime/request-end.js'

const NS_PER_MS = 1e6

/**
 * Measures one inference, and counts it when it has ended: as a success where its whole answer was written. Queue: waiting
 * for room. Input: from the head to the ids, the body's arrival included. Infer: making the blocks of tensors. Output: the rest, up to the
 * last byte.
 */
export class InferWatch {
  readonly #started = performance.now()
  #inputMs = 0
  #inferMs = 0
  #items = 0

  constructor(
    private readonly request: FastifyRequest,
    private readonly reply: FastifyReply,
    private readonly metrics: Pick<Metrics, 'countModel'>,
    private readonly id: string,
  ) {
    whenEnded(request, () => this.#end())
  }

  /** Called when the ids are there. @param items documents */
  hasInput(items: number): void {
    this.#items = items
    this.#inputMs = performance.now() - this.#started - this.#waitedMs
  }

  /** Milliseconds up to the ids. */
  get inputMs(): number {
    return this.#inputMs
  }

  /** The tensor, whose making is measured. */
  measured(tensor: NamedTensor): NamedTensor {
    const { name, dtype, shape, prepare } = tensor
    const blocks = () => this.#timed(tensor.blocks())
    return { name, dtype, shape, prepare: prepare && (() => this.#timed(prepare()) as Steps<void>), blocks }
  }

  get #waitedMs(): number {
    return this.request.claim.waitedMs ?? 0
  }

  /** Measures what passes between two blocks, without the time in which a block is sent. */
  *#timed(work: Blocks): Blocks {
    let started = performance.now()
    try {
      for (const step of work) {
        if (!(step instanceof Uint8Array)) {
          yield step
          continue
        }
        this.#inferMs += performance.now() - started
        yield step
        started = performance.now()
      }
    } finally {
      this.#inferMs += performance.now() - started
    }
  }

  #end(): void {
    const { statusCode, writableFinished } = this.reply.raw
    const totalNs = nanoseconds(performance.now() - this.#started)
    const isSuccess = statusCode === 200 && writableFinished
    if (!isSuccess) {
      this.metrics.countModel(this.id, { failures: 1, failureNs: totalNs })
      return
    }
    const [queueNs, inputNs, inferNs] = [this.#waitedMs, this.#inputMs, this.#inferMs].map(nanoseconds) as [
      number,
      number,
      number,
    ]
    const outputNs = Math.max(0, totalNs - queueNs - inputNs - inferNs)
    this.metrics.countModel(this.id, {
      ...{ items: this.#items, last: Date.now(), successes: 1, successNs: totalNs },
      ...{ queueNs, inputNs, inferNs, outputNs },
    })
  }
}

function nanoseconds(milliseconds: number): number {
  return Math.round(milliseconds * NS_PER_MS)
}
