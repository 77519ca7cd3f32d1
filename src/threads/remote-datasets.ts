import type { DatasetAdmin } from '../datasets/admin.js'
import type { RemoteCalls } from './remote-calls.js'

/** The `DatasetAdmin` of every thread but the first: each method calls the first thread's. */
export class RemoteDatasets implements DatasetAdmin {
  constructor(private readonly calls: RemoteCalls) {}

  readonly open: DatasetAdmin['open'] = (...args) => this.#call('open', args)
  readonly list: DatasetAdmin['list'] = (...args) => this.#call('list', args)
  readonly remove: DatasetAdmin['remove'] = (...args) => this.#call('remove', args)
  readonly putMixture: DatasetAdmin['putMixture'] = (...args) => this.#call('putMixture', args)
  readonly index: DatasetAdmin['index'] = (...args) => this.#call('index', args)
  readonly permutation: DatasetAdmin['permutation'] = (...args) => this.#call('permutation', args)

  #call<Result>(method: keyof DatasetAdmin, args: readonly unknown[]): Promise<Result> {
    return this.calls.call('datasets', method, args)
  }
}
