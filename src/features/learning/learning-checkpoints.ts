import { checkLearnable } from '../../first-layer/learning/gradient-call.js'
import { InletError, overloaded } from '../../service/answer/error-table.js'
import { noCard, uploadGone } from '../../service/models/errors.js'
import type { OwnedTables } from '../../service/models/keeper/owned-tables.js'
import type { RegisteredModel } from '../../service/models/keeper/registered-models.js'
import type { Remote } from '../../service/threads/channel.js'
import type { CheckpointFolders } from './checkpoint-folders.js'
import { noDataDir } from './errors.js'
import type { TrainerPool } from './trainer-pool.js'
import type { Training } from './training.js'
import type { TrainingRegistry } from './training-registry.js'

/** Most checkpoints on their way at once: each holds its memory. */
const MAX_FILES = 8
/** Bytes of a checkpoint that the trainers give at once: some milliseconds. */
const PART_BYTES = 1 << 24

/** Memory for a file on its way, shared by all threads, until `letGo`. */
export interface HeldFile {
  readonly held: number
  readonly bytes: Uint8Array<SharedArrayBuffer>
  /** The version of the tables in a checkpoint. */
  readonly version: number
}

/** Checkpoints that callers get and put. All methods except `bytes` and `letGo` are called in the model's turn. */
export class LearningCheckpoints {
  readonly #files = new Map<number, HeldFile>()
  #next = 1

  constructor(
    private readonly tables: OwnedTables,
    private readonly trainers: Remote<TrainerPool>,
    private readonly registry: TrainingRegistry,
    private readonly folders: CheckpointFolders | undefined,
  ) {}

  /** Bytes of all files on their way. */
  get bytes(): number {
    return [...this.#files.values()].reduce((sum, { bytes }) => sum + bytes.length, 0)
  }

  letGo(held: number): void {
    this.#files.delete(held)
  }

  /** A checkpoint of this moment. */
  async open(model: RegisteredModel): Promise<HeldFile> {
    const { state } = await this.registry.get(model)
    this.#checkCount()
    const { tables } = await this.tables.present(model)
    const bytes = await this.trainers.openCheckpoint(model.id, tables, false)
    const file = this.#add(model, bytes, state.version)
    try {
      for (let at = 0; at < bytes; ) {
        at += await this.trainers.readCheckpoint(model.id, file.bytes.subarray(at, at + PART_BYTES))
      }
      return file
    } catch (error) {
      this.letGo(file.held)
      throw error
    }
  }

  /** Writes one below DATA_DIR, part by part. */
  async save(training: Training): Promise<void> {
    const { folders } = this
    if (folders === undefined) throw noDataDir()
    const { id } = training.model
    const { tables } = await this.tables.present(training.model)
    await folders.save(id, await this.trainers.openCheckpoint(id, tables, true), this.#parts(id))
    this.registry.noteCheckpoint(training)
  }

  /** Memory for one that comes. */
  async openRestore(model: RegisteredModel, bytes: number): Promise<HeldFile> {
    checkCard(model)
    this.#checkCount()
    const { number } = await this.tables.present(model)
    return this.#add(model, bytes, number)
  }

  /** The model continues from the received one. */
  async restore(
    model: RegisteredModel,
    held: number,
  ): Promise<{ readonly training: Training; readonly made: boolean }> {
    checkCard(model)
    const file = this.#files.get(held)
    if (file === undefined) throw uploadGone()
    const present = await this.tables.present(model)
    const job = { card: model.entry.card, present: present.tables, version: model.entry.lastVersion + 1 }
    const bytes = { tables: file.bytes.length + (model.owned ?? 0), states: 0, gradients: 0 }
    const { training, copy, made } = await this.registry.begin(model, bytes, (copy) =>
      this.trainers.restore({ ...job, copy }, file.bytes),
    )
    await training.publish(copy)
    return { training, made }
  }

  async *#parts(id: string): AsyncGenerator<Uint8Array, void, void> {
    const part = new Uint8Array(new SharedArrayBuffer(PART_BYTES))
    for (;;) {
      const bytes = await this.trainers.readCheckpoint(id, part)
      if (bytes === 0) return
      yield part.subarray(0, bytes)
    }
  }

  #checkCount(): void {
    if (this.#files.size < MAX_FILES) return
    throw overloaded(`At most ${MAX_FILES} checkpoints can be on their way at once.`)
  }

  #add(model: RegisteredModel, bytes: number, version: number): HeldFile {
    this.tables.checkRoom(model, bytes)
    const held = this.#next++
    const file = { held, bytes: new Uint8Array(sharedMemory(bytes)), version }
    this.#files.set(held, file)
    return file
  }
}

/** Checks that a model's tables can learn. @throws InletError `unsupported_combination`, `model_loading`, `model_failed` */
export function checkCard({ entry }: RegisteredModel): void {
  if (entry.hasNoCard) throw noCard(entry)
  checkLearnable(entry.card)
}

/** @throws InletError `insufficient_memory` where the system has not as much */
function sharedMemory(bytes: number): SharedArrayBuffer {
  try {
    return new SharedArrayBuffer(bytes)
  } catch {
    const message = `The system has no ${bytes} bytes of memory for a checkpoint.`
    throw new InletError('insufficient_memory', message)
  }
}
