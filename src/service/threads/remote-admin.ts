import type { DatasetAdmin } from '../../features/datasets/admin.js'
import type { LearningAdmin } from '../../features/learning/admin.js'
import type { ModelAdmin } from '../models/admin.js'
import type { RemoteCalls } from './remote-calls.js'

/** The `ModelAdmin` of every thread but the first: each method calls the first thread's. */
export class RemoteAdmin implements ModelAdmin {
  constructor(private readonly calls: RemoteCalls) {}

  readonly make: ModelAdmin['make'] = (...args) => this.calls.call('models', 'make', args)
  readonly load: ModelAdmin['load'] = (...args) => this.calls.call('models', 'load', args)
  readonly unload: ModelAdmin['unload'] = (...args) => this.calls.call('models', 'unload', args)
  readonly remove: ModelAdmin['remove'] = (...args) => this.calls.call('models', 'remove', args)
  readonly openUpload: ModelAdmin['openUpload'] = (...args) => this.calls.call('models', 'openUpload', args)
  readonly commitUpload: ModelAdmin['commitUpload'] = (...args) =>
    this.calls.call('models', 'commitUpload', args)
  readonly abandonUpload: ModelAdmin['abandonUpload'] = (...args) =>
    this.calls.call('models', 'abandonUpload', args)
  readonly digest: ModelAdmin['digest'] = (...args) => this.calls.call('models', 'digest', args)
}

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

/** The `LearningAdmin` of every thread but the first: each method calls the first thread's. */
export class RemoteLearning implements LearningAdmin {
  constructor(private readonly calls: RemoteCalls) {}

  readonly begin: LearningAdmin['begin'] = (...args) => this.#call('begin', args)
  readonly describe: LearningAdmin['describe'] = (...args) => this.#call('describe', args)
  readonly state: LearningAdmin['state'] = (...args) => this.#call('state', args)
  readonly end: LearningAdmin['end'] = (...args) => this.#call('end', args)
  readonly call: LearningAdmin['call'] = (...args) => this.#call('call', args)
  readonly save: LearningAdmin['save'] = (...args) => this.#call('save', args)
  readonly openCheckpoint: LearningAdmin['openCheckpoint'] = (...args) => this.#call('openCheckpoint', args)
  readonly openRestore: LearningAdmin['openRestore'] = (...args) => this.#call('openRestore', args)
  readonly restore: LearningAdmin['restore'] = (...args) => this.#call('restore', args)
  readonly letGo: LearningAdmin['letGo'] = (...args) => this.#call('letGo', args)

  #call<Result>(method: keyof LearningAdmin, args: readonly unknown[]): Promise<Result> {
    return this.calls.call('learning', method, args)
  }
}
