import { FILE } from './asking.js'
import { DatasetOperations } from './datasets.js'
import type { CallOptions } from './transport.js'
import type { Optimizer } from './types.js'

/** An optimizer by its `type`, with the options, defaults and meaning of `torch.optim`'s. */
export interface OptimizerFields {
  readonly type: 'sgd' | 'adagrad' | 'adam' | 'adamw' | 'sparse_adam'
  /** Default: those of `wte.weight` and `wpe.weight` that the model has. */
  readonly tables?: readonly string[]
  /** The only rows of `wte.weight` that move. Default: all. */
  readonly rows?: readonly number[]
  readonly [option: string]: unknown
}

/** What a model learns by, and its checkpoints, beside the functions made from openapi.yaml. */
export abstract class LearningOperations extends DatasetOperations {
  /** Let a model learn. The same optimizer again is the one that is there. */
  putOptimizer(model: string, optimizer: OptimizerFields, options: CallOptions = {}): Promise<Optimizer> {
    const path = `/v1/models/${encodeURIComponent(model)}/optimizer`
    return this.json({ method: 'PUT', path, body: optimizer }, options)
  }

  /** Tables, states and gradients as a safetensors file, which `putCheckpoint` takes. */
  async checkpoint(model: string, options: CallOptions = {}): Promise<Uint8Array<ArrayBuffer>> {
    const path = `/v1/models/${encodeURIComponent(model)}/checkpoint`
    const { bytes } = await this.bytes({ method: 'GET', path }, options, FILE)
    return bytes
  }
}
