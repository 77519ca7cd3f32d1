import { type CallBody, callService, type Service } from '../service-call.js'
import type { DatasetObject } from './dataset-object.js'

const JSON_TYPE = 'application/json'

/** A dataset after an upload. */
export interface Pushed {
  readonly dataset: DatasetObject
  /** Whether the service has it since this upload. */
  readonly isNew: boolean
}

/** The routes of datasets that commands call. */
export class DatasetService {
  constructor(
    private readonly service: Service,
    private readonly signal: AbortSignal,
  ) {}

  /** Sends a corpus. @throws CommandError */
  async push(query: string, body: CallBody): Promise<Pushed> {
    const { status, text } = await this.#ask('POST', withQuery('', query), body)
    return { dataset: JSON.parse(text), isNew: status === 201 }
  }

  /** All datasets, the newest first. @throws CommandError */
  async list(): Promise<DatasetObject[]> {
    const all: DatasetObject[] = []
    for (let after = ''; ; after = `&after=${encodeURIComponent(all.at(-1)!.id)}`) {
      const { text } = await this.#ask('GET', `?limit=1000${after}`)
      const { data, has_more: hasMore } = JSON.parse(text)
      all.push(...data)
      if (!hasMore || data.length === 0) return all
    }
  }

  /** @throws CommandError */
  async show(id: string): Promise<DatasetObject> {
    return JSON.parse((await this.#ask('GET', `/${encodeURIComponent(id)}`)).text)
  }

  /** @throws CommandError */
  async remove(id: string): Promise<void> {
    await this.#ask('DELETE', `/${encodeURIComponent(id)}`)
  }

  /** What a recipe will give of a dataset. @throws ServiceRefusal `dataset_indexing` while its windows are computed */
  async plan(id: string, query: string): Promise<Plan> {
    return JSON.parse((await this.#ask('GET', withQuery(`/${encodeURIComponent(id)}/batches`, query))).text)
  }

  async #ask(method: 'GET' | 'POST' | 'DELETE', path: string, body?: CallBody) {
    const answer = await callService(this.service, {
      ...{ method, path: `v1/datasets${path}`, body, signal: this.signal },
      ...{ accepted: [JSON_TYPE], expected: [200, 201, 204] },
    })
    const chunks: Uint8Array[] = []
    for await (const chunk of answer.chunks()) chunks.push(chunk)
    return { status: answer.status, text: Buffer.concat(chunks).toString() }
  }
}

/** What a recipe will give, as the service answers it. */
export interface Plan {
  readonly dataset: string
  readonly recipe_id: string
  readonly recipe: Readonly<Record<string, unknown>>
  readonly num_windows: number
  /** Absent of a mixture, which does not end. */
  readonly num_batches?: number
  readonly num_dropped_windows?: number
  readonly fill: number
  readonly num_padding: number
  readonly num_dropped_tokens: number
  readonly num_split_documents: number
  readonly longest_document: number
  readonly shares?: readonly Share[]
}

/** A member of a mixture. */
export interface Share {
  readonly dataset: string
  readonly num_windows: number
  /** Of 1,024 windows of the stream; one number for each stage. */
  readonly windows_per_block: readonly number[]
  readonly first_epoch_ends_at: number | null
}

function withQuery(path: string, query: string): string {
  return query === '' ? path : `${path}?${query}`
}
