import type { LearningAdmin } from '../learning/admin.js'
import type { RemoteCalls } from './remote-calls.js'

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
