import {
  enableProdMode,
  engine,
  memory,
  setBackend,
  type Tensor2D,
  version_core,
} from '@tensorflow/tfjs-core'
import './backends/cpu.js'
import type { Encoding } from '../tokens/encoding.js'
import { BlockPool } from './block-pool.js'
import type { PositionEmbedding } from './positions/position-embedding.js'
import type { PositionRequest } from './positions/scheme.js'
import { drawTables, type TableKey, type TableSpec, type Tables, tableBytes, tableRows } from './tables.js'

/** Blocks that a thread keeps for its streams. */
const POOLED_BLOCKS = 16

/** What a model is, apart from its numbers. */
export interface ModelSpec extends TableSpec {
  readonly id: string
  readonly architecture: string
  readonly position: PositionEmbedding
  readonly encoding: Encoding
}

/** The TensorFlow.js backend that runs the op. */
export interface Backend {
  readonly name: string
  readonly version: string
}

/**
 * A model: its tables as TensorFlow.js tensors, held once, and what belongs to them. `wte.weight` [V, C],
 * `wpe.weight` [P, C], `wtt.weight` [types, C], float32.
 */
export class Model {
  readonly created = Math.floor(Date.now() / 1000)
  readonly pool = new BlockPool(POOLED_BLOCKS)
  readonly tableBytes: number
  private readonly tensors: Readonly<Record<TableKey, Tensor2D>>

  private constructor(
    readonly spec: ModelSpec,
    readonly backend: Backend,
    tables: Tables,
  ) {
    const rows = tableRows(spec)
    const tensorOf = (key: TableKey) =>
      engine().makeTensor(tables[key], [rows[key], spec.embeddingDim], 'float32') as Tensor2D
    this.tableBytes = tableBytes(spec)
    this.tensors = {
      'wte.weight': tensorOf('wte.weight'),
      'wpe.weight': tensorOf('wpe.weight'),
      'wtt.weight': tensorOf('wtt.weight'),
    }
  }

  /**
   * Draws the tables and makes the model.
   * @param progress called now and then with the share that is done, 0 … 1
   */
  static async create(spec: ModelSpec, progress: (share: number) => void = () => {}): Promise<Model> {
    enableProdMode() // without it TensorFlow.js advises on the console
    await setBackend('cpu')
    const rows = tableRows(spec)
    const allocate = (key: TableKey) =>
      new Float32Array(new SharedArrayBuffer(rows[key] * spec.embeddingDim * Float32Array.BYTES_PER_ELEMENT))
    const tables: Tables = {
      'wte.weight': allocate('wte.weight'),
      'wpe.weight': allocate('wpe.weight'),
      'wtt.weight': allocate('wtt.weight'),
    }
    for await (const share of drawTables(tables, spec)) progress(share)
    return new Model(spec, { name: 'cpu', version: version_core }, tables)
  }

  /** What a position scheme is told of a request: T positions from `offset` on. */
  positionRequest(length: number, offset: number): PositionRequest {
    const { embeddingDim, maxPositionEmbeddings } = this.spec
    return { length, offset, embeddingDim, maxPositionEmbeddings }
  }

  table(key: TableKey): Tensor2D {
    return this.tensors[key]
  }

  /** Lets the tables go. */
  dispose(): void {
    for (const tensor of Object.values(this.tensors)) tensor.dispose()
  }
}

/** TensorFlow.js tensors that live in this thread. */
export function tensorCount(): number {
  return memory().numTensors
}
