import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isAside, namesIn } from '../../files/aside.js'
import { FolderLock, FolderTaken } from '../../files/folder-lock.js'
import { Quota, storageRefusal } from '../../files/quota.js'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { withCheckpointFile } from './checkpoint-file.js'
import { takenElsewhere } from './errors.js'
import { modelCard, type StoredCard } from './stored-card.js'

/** Beside the folder of datasets in DATA_DIR. */
const FOLDER = 'learning'
const CHECKPOINT = 'checkpoint.safetensors'

/** The variables that say where checkpoints are. */
export interface CheckpointVariables {
  readonly DATA_DIR?: string | undefined
  readonly DATA_QUOTA_BYTES: number
}

/** A model that has a checkpoint on the disk. */
export interface StoredModel {
  readonly id: string
  /** Absent where the configuration has it, or where it cannot be read. */
  readonly card?: ModelCard | undefined
  /** Why the card cannot be read, and where it is. */
  readonly problem?: string
}

/** The checkpoints below DATA_DIR: a folder for each model, which one process has while the model learns there. */
export class CheckpointFolders {
  readonly #root: string
  readonly #quota: Quota
  readonly #locks = new Map<string, FolderLock>()

  constructor(dataDir: string, quota: number) {
    this.#root = join(dataDir, FOLDER)
    this.#quota = new Quota(dataDir, quota)
  }

  /** Undefined without DATA_DIR. */
  static of({ DATA_DIR, DATA_QUOTA_BYTES }: CheckpointVariables): CheckpointFolders | undefined {
    return DATA_DIR === undefined ? undefined : new CheckpointFolders(DATA_DIR, DATA_QUOTA_BYTES)
  }

  /** The models that earlier processes have left. */
  async models(): Promise<readonly StoredModel[]> {
    const models: StoredModel[] = []
    for (const name of await namesIn(this.#root)) {
      const id = name.replace('@', '/')
      if (!(await namesIn(join(this.#root, name))).includes(CHECKPOINT)) continue
      try {
        const card = withCheckpointFile(this.path(id), ({ header }) => JSON.parse(header.metadata.card ?? ''))
        models.push({ id, card: modelCard(card as StoredCard) })
      } catch (error) {
        models.push({ id, problem: `${this.path(id)}: ${(error as Error).message}` })
      }
    }
    return models
  }

  path(id: string): string {
    return join(this.#folder(id), CHECKPOINT)
  }

  /** Takes a model's folder for this process. @throws InletError `model_failed` where another one that lives has it */
  async take(id: string): Promise<void> {
    if (this.#locks.has(id)) return
    const folder = this.#folder(id)
    try {
      await mkdir(folder, { recursive: true })
      this.#locks.set(id, FolderLock.take(folder))
      for (const name of (await namesIn(folder)).filter(isAside)) await rm(join(folder, name))
    } catch (error) {
      throw error instanceof FolderTaken ? takenElsewhere(id) : storageRefusal(error, 0)
    }
  }

  /** @throws InletError `insufficient_storage` where a checkpoint of so many bytes has no room beside the one before */
  checkRoom(bytes: number): Promise<void> {
    return this.#quota.check(bytes, 0)
  }

  /** Removes a model's checkpoint: it learns no more. @throws InletError `model_failed` as {@link take} */
  async remove(id: string): Promise<void> {
    await this.take(id)
    await rm(this.path(id), { force: true })
    this.#locks.get(id)?.end()
    this.#locks.delete(id)
    await rm(this.#folder(id), { recursive: true, force: true })
  }

  /** Lets another process have a model's folder. */
  release(id: string): void {
    this.#locks.get(id)?.release()
    this.#locks.delete(id)
  }

  releaseAll(): void {
    for (const id of this.#locks.keys()) this.release(id)
  }

  /** `openai-community/gpt2` → `openai-community@gpt2`. No id has an `@`. */
  #folder(id: string): string {
    return join(this.#root, id.replace('/', '@'))
  }
}
