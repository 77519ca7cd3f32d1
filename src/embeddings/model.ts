import { memory } from '@tensorflow/tfjs-core'
import { ModelMemory } from '../kernels/model-memory.js'
import type { Encoding } from '../tokens/encoding.js'
import type { Architecture } from './architectures/architecture.js'
import { useWorkspace } from './backends/cpu.js'
import { type BackendChoice, type SelectedBackend, selectBackend } from './backends/select.js'
import type { PositionEmbedding } from './positions/position-embedding.js'
import type { PositionRequest } from './positions/scheme.js'
import { type Table, tableOver } from './table.js'
import {
  drawnTables,
  type SharedTables,
  type TableKey,
  type TableSpec,
  tableBytes,
  tablesIn,
} from './tables.js'
import { Workspace } from './workspace.js'

/** What a model is, apart from its numbers. */
export interface ModelSpec extends TableSpec {
  readonly id: string
  readonly architecture: Architecture
  readonly position: PositionEmbedding
  readonly encoding: Encoding
}

/** How a model is made. */
export interface ModelOptions {
  /** Threads that get scratch space. */
  readonly threads?: number
  readonly backend?: BackendChoice
  /** Tables that are drawn already, with scratch space for the threads. Default: drawn here. */
  readonly tables?: SharedTables
}

/** What another thread needs to serve the same model. Can be posted. */
export interface SharedModel {
  readonly tables: SharedTables
  readonly backend: SelectedBackend
  readonly created: number
}

/**
 * A model in one thread: its tables as TensorFlow.js tensors over the one shared memory, and what belongs to
 * them. `wte.weight` [V, C], `wpe.weight` [P, C], `wtt.weight` [types, C], float32.
 */
export class Model {
  readonly tableBytes: number
  /** This thread's scratch space. */
  readonly workspace: Workspace
  private readonly tables: Readonly<Record<TableKey, Table>>

  private constructor(
    readonly spec: ModelSpec,
    readonly shared: SharedModel,
    thread: number,
  ) {
    const { memory, workspaces } = shared.tables
    this.tableBytes = tableBytes(spec)
    this.workspace = new Workspace(new ModelMemory(memory), workspaces[thread])
    useWorkspace(this.workspace)
    const drawn = tablesIn(shared.tables, spec)
    const bind = (key: TableKey) => tableOver(drawn[key], 'float32', spec.embeddingDim)
    this.tables = {
      'wte.weight': bind('wte.weight'),
      'wpe.weight': bind('wpe.weight'),
      'wtt.weight': bind('wtt.weight'),
    }
  }

  /**
   * Makes the model, and draws its tables unless they are given, with scratch space for `threads` threads, of which
   * this is the first.
   *
   * @throws RangeError where tables and scratch space exceed 4 GiB
   * @throws Error where the backend cannot be had
   */
  static async create(
    spec: ModelSpec,
    { threads = 1, backend = 'cpu', tables: given }: ModelOptions = {},
  ): Promise<Model> {
    const selected = await selectBackend(backend)
    const tables = given ?? (await drawnTables(spec, threads))
    return new Model(spec, { tables, backend: selected, created: secondsNow() }, 0)
  }

  /** The same model in another thread, on `cpu`; `thread` counts from 1. It says of itself what the first one says. */
  static async join(spec: ModelSpec, shared: SharedModel, thread: number): Promise<Model> {
    await selectBackend('cpu')
    return new Model(spec, shared, thread)
  }

  /** The backend that runs, and why. */
  get backend(): SelectedBackend {
    return this.shared.backend
  }

  /** Unix time in seconds. */
  get created(): number {
    return this.shared.created
  }

  /** What a position scheme is told of a request: T positions from `offset` on. */
  positionRequest(length: number, offset: number): PositionRequest {
    const { embeddingDim, maxPositionEmbeddings } = this.spec
    return { length, offset, embeddingDim, maxPositionEmbeddings }
  }

  table(key: TableKey): Table {
    return this.tables[key]
  }

  /** Lets this thread's tensors go, and with the last thread's the memory. */
  dispose(): void {
    for (const { tensor } of Object.values(this.tables)) tensor.dispose()
  }
}

function secondsNow(): number {
  return Math.floor(Date.now() / 1000)
}

/** TensorFlow.js tensors that live in this thread. */
export function tensorCount(): number {
  return memory().numTensors
}
