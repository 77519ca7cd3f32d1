import { Refused } from './errors.js'
import { Operations } from './operations.js'
import { LONGEST_WAIT, sleep } from './retries.js'
import type { Tensors } from './tensors.js'
import type { CallOptions } from './transport.js'
import type { Dataset, DatasetBatchFields } from './types.js'

const RETRIES = 30

/** What of a corpus is uploaded: a file as a Blob, which `openAsBlob` of `node:fs` gives; a stream is sent as it comes, by Node alone, and never tried again. */
export type Corpus = string | Blob | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

export interface UploadFields {
  readonly type: 'text/plain' | 'application/x-ndjson' | 'application/octet-stream'
  /** How the bytes are packed, where they are. */
  readonly coding?: 'gzip' | 'br' | 'deflate'
  /** Name of the encoding that makes ids of text. */
  readonly encoding?: string
  /** Id of the model whose tokenizer makes ids of text, instead of `encoding`. */
  readonly model?: string
  readonly allowed_special?: 'all' | readonly string[]
  /** An id put before each document, or the tokenizer’s own. Default: none. */
  readonly document_start?: number | 'endoftext' | 'eos' | 'bos'
  /** An id appended to each document, or the tokenizer’s own. Default: none. */
  readonly document_end?: number | 'endoftext' | 'eos' | 'bos'
  /** Of text: one document (default), or one a line. */
  readonly documents?: 'one' | 'lines'
  /** Of newline-delimited JSON: the member that has a line’s text. Default: `text`. */
  readonly text_field?: string
  /** Of ids: their type, little-endian. */
  readonly dtype?: 'uint16' | 'uint32' | 'int32'
  /** Of ids: a document ends after each of these. */
  readonly separator_id?: number
  /** Of chats: which tokens are trained. Default: `sampled`, those that the model itself would have sampled. */
  readonly mask?: 'sampled' | 'tags' | 'all'
  /** Of chats: what becomes a document. Default: `auto`, the whole chat where its mask is exact. */
  readonly turns?: 'auto' | 'whole' | 'each' | 'last'
  /** Of chats: what the template writes after the end of a turn. Default: `mask`. */
  readonly trailing?: 'mask' | 'train'
  /** Of chats: `skip` leaves out those without an exact mask. Default: `error`. */
  readonly refused?: 'error' | 'skip'
  /** Of chats: the name of one of the model’s templates. */
  readonly chat_template?: string
  /** A name for people. */
  readonly name?: string
}

/** A part of a mixture: a dataset, and its share beside those of the others. */
export interface Mixed {
  readonly dataset: string
  readonly weight?: number
}

export interface DatasetBatchesOptions extends CallOptions {
  /** The first batch. Default: 0. */
  readonly from?: number
  /** How many answers are asked for ahead. Default: 2. */
  readonly prefetch?: number
  /** How often a call is tried again. Default: 30, which outlasts a restart of the service of a minute. */
  readonly retries?: number
}

/** Uploads and batches of datasets, beside the functions made from openapi.yaml. */
export abstract class DatasetOperations extends Operations {
  /** Upload a corpus: once, whatever is read of it. The same content again is the same dataset. */
  uploadDataset(corpus: Corpus, fields: UploadFields, options: CallOptions = {}): Promise<Dataset> {
    const { type, coding, ...query } = fields
    const headers = { 'content-encoding': coding }
    const upload = { type, body: corpus }
    return this.json({ method: 'POST', path: '/v1/datasets', query, headers, upload }, options)
  }

  /** Make a dataset of datasets, `{ id: weight }` or a list. `stages`: weights from a window of the stream on. */
  mixDatasets(
    mixture: readonly Mixed[] | Readonly<Record<string, number>>,
    fields: { name?: string; stages?: readonly { from_window: number; weights: readonly number[] }[] } = {},
    options: CallOptions = {},
  ): Promise<Dataset> {
    const members = Array.isArray(mixture)
      ? mixture
      : Object.entries(mixture).map(([dataset, weight]) => ({ dataset, weight }))
    return this.json({ method: 'POST', path: '/v1/datasets', body: { mixture: members, ...fields } }, options)
  }

  /** The ids of all documents, one after the other, in the type in which the dataset stores them. */
  async datasetTokens(dataset: string, options: CallOptions = {}): Promise<Uint16Array | Uint32Array> {
    const path = `/v1/datasets/${encodeURIComponent(dataset)}/tokens`
    const { headers, bytes } = await this.bytes({ method: 'GET', path }, options)
    const { buffer, byteOffset, byteLength } = bytes
    return headers.get('x-tensor-dtype') === 'uint16'
      ? new Uint16Array(buffer, byteOffset, byteLength / 2)
      : new Uint32Array(buffer, byteOffset, byteLength / 4)
  }

  /**
   * The batches of an epoch, those ahead asked for before they are needed; those of a mixture do not end. A recipe
   * whose windows the service still computes is waited for. A loop that stopped goes on by `from`. `num_batches` is how
   * many batches come in one answer: each item is one batch. Of chats `counts.num_target_tokens` has the trained targets of
   * all ranks' windows, and they come one batch an answer.
   */
  async *datasetBatches(
    dataset: string,
    fields: DatasetBatchFields,
    { from = 0, prefetch = 2, ...given }: DatasetBatchesOptions = {},
  ): AsyncGenerator<Tensors, void, void> {
    const options = { retries: RETRIES, ...given }
    const plan = await patient(() => this.datasetPlan(dataset, fields, options), options.signal)
    if (plan.note !== undefined) console.warn(plan.note)
    const batches = plan.num_batches ?? Number.POSITIVE_INFINITY
    const { num_batches: asked = 1, ...recipe } = fields
    const many = plan.num_target_tokens === undefined ? asked : 1 // several would share one number of targets
    const isOfOneRank = fields.sharding === 'distributed_sampler'
    const rows = isOfOneRank ? fields.batch_size : fields.batch_size / (fields.world_size ?? 1)
    const end = new AbortController()
    const onAbort = () => end.abort(options.signal?.reason)
    options.signal?.addEventListener('abort', onAbort, { once: true })
    const call = { ...options, signal: end.signal }
    const ask = async (index: number) => {
      const count = Math.min(many, batches - index)
      const asked = { ...recipe, recipe_id: plan.recipe_id, ...(count > 1 && { num_batches: count }) }
      const answer = await patient(
        () => this.datasetBatch(dataset, String(index), asked, {}, call),
        end.signal,
      )
      return count === 1 ? [answer] : [...answer.parts(count, rows, fields.context_length)]
    }
    const ahead: Promise<Tensors[]>[] = []
    try {
      for (let next = from; ; ) {
        for (; ahead.length <= prefetch && next < batches; next += many) {
          const answer = ask(next)
          answer.catch(() => {}) // thrown where its turn has come
          ahead.push(answer)
        }
        const answer = ahead.shift()
        if (answer === undefined) return
        yield* await answer
      }
    } finally {
      options.signal?.removeEventListener('abort', onAbort)
      end.abort()
    }
  }
}

/** Waits while the service computes the windows of a recipe that nobody has asked for before. */
async function patient<T>(ask: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  for (;;) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof Refused) || error.code !== 'dataset_indexing') throw error
      await sleep(Math.min(error.retryAfter ?? 1, LONGEST_WAIT), signal)
    }
  }
}
