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
