import {
  closeSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { rm, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { isAside, makeFolder, namesIn } from '../../files/aside.js'
import { HEARTBEAT_MS, hasEnded, processName } from '../../files/process-name.js'
import { storageRefusal } from '../../files/quota.js'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { checkSameModel, modelCard } from '../../first-layer/cards/stored-card.js'
import { tablesIn } from '../../first-layer/learning/table-learner.js'
import type { TensorFile } from '../../first-layer/learning/tensor-file.js'
import { headerLength, LENGTH_BYTES, parseHeader } from '../../first-layer/tensors/safetensors/header.js'
import { type ModelEntry, unloaded, withoutCard } from '../../models/entry.js'
import { takenElsewhere } from './errors.js'

/** Beside the folder of datasets in DATA_DIR. */
const FOLDER = 'learning'
const CHECKPOINT = 'checkpoint.safetensors'
/** A file beside it: the name of the process in which the model learns. */
const OWNER = 'owner'

/** The checkpoints below DATA_DIR: a folder for each model, which one process has while the model learns there. */
export class CheckpointFolders {
  readonly #root: string
  readonly #taken = new Set<string>()
  /** The arguments of `checkQuota`. */
  readonly quota: [folder: string, most: number]

  constructor(dataDir: string, quota: number) {
    this.quota = [dataDir, quota]
    this.#root = join(dataDir, FOLDER)
    setInterval(() => {
      for (const id of this.#taken) void utimes(this.#owner(id), new Date(), new Date()).catch(() => {})
    }, HEARTBEAT_MS).unref()
  }

  /** The models that earlier processes have left. @param broken told of a checkpoint that cannot be read, and why */
  async models(broken: (id: string, reason: string) => void): Promise<readonly ModelEntry[]> {
    const models: ModelEntry[] = []
    const failed = (id: string, message: string) =>
      models.push(withoutCard(id, message, { origin: 'request' }))
    for (const id of (await namesIn(this.#root)).map((name) => name.replace('@', '/'))) {
      if (!this.has(id)) continue
      const path = this.path(id)
      try {
        const card = modelCard(
          withCheckpointFile(path, ({ header }) => JSON.parse(header.metadata.card ?? '')),
        )
        if (card !== undefined) models.push(unloaded(card, 'request'))
        else failed(id, 'it has learned, and the configuration that has its folder does not name it any more')
      } catch (error) {
        broken(id, `${path}: ${(error as Error).message}`)
        failed(id, 'its checkpoint in DATA_DIR cannot be read: the service’s log says why')
      }
    }
    return models
  }

  /** Whether a model has a checkpoint now, whichever process wrote it. */
  has(id: string): boolean {
    return existsSync(this.path(id))
  }

  path(id: string): string {
    return join(this.#folder(id), CHECKPOINT)
  }

  /** Version, layout and size of a model's checkpoint. @throws Error that names what cannot be read */
  read(card: ModelCard) {
    const path = this.path(card.id)
    return withCheckpointFile(path, ({ header }) => {
      const { card: stored, model_version } = header.metadata
      checkSameModel(path, JSON.parse(stored ?? 'null'), card)
      return { version: Number(model_version), layout: tablesIn(header), bytes: header.dataBytes }
    })
  }

  /** Takes a model's folder for this process. @throws InletError `model_in_use` where another one that lives has it */
  async take(id: string): Promise<void> {
    if (this.#taken.has(id)) return
    const [folder, owner] = [this.#folder(id), this.#owner(id)]
    try {
      await makeFolder(folder)
      if (existsSync(owner)) {
        if (!hasEnded(readFileSync(owner, 'utf8'), statSync(owner).mtimeMs)) throw takenElsewhere(id)
        rmSync(owner) // where two take over at once, one finds before it saves that it has not
      }
      writeFileSync(owner, processName(), { flag: 'wx' })
      this.#taken.add(id)
      for (const name of (await namesIn(folder)).filter(isAside))
        await rm(join(folder, name), { force: true })
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? takenElsewhere(id) : storageRefusal(error, 0)
    }
  }

  /** @throws InletError `model_in_use` where another process thought that this one had ended, and took the folder */
  checkTaken(id: string): void {
    if (!this.#has(id)) throw takenElsewhere(id)
  }

  /** Removes a model's checkpoint: it learns no more. @throws InletError `model_in_use` as {@link take} */
  async remove(id: string): Promise<void> {
    await this.take(id)
    this.#taken.delete(id)
    await rm(this.#folder(id), { recursive: true, force: true })
  }

  /** Lets another process have a model's folder. */
  release(id: string): void {
    if (!this.#taken.delete(id) || !this.#has(id)) return
    rmSync(this.has(id) ? this.#owner(id) : this.#folder(id), { recursive: true })
  }

  #has(id: string): boolean {
    const owner = this.#owner(id)
    return existsSync(owner) && readFileSync(owner, 'utf8') === processName()
  }

  #owner(id: string): string {
    return join(this.#folder(id), OWNER)
  }

  /** `openai-community/gpt2` → `openai-community@gpt2`. No id has an `@`. */
  #folder(id: string): string {
    return join(this.#root, id.replace('/', '@'))
  }
}

/** Gives a checkpoint of the disk to `use`, which reads what it needs of it. */
export function withCheckpointFile<Result>(path: string, use: (checkpoint: TensorFile) => Result): Result {
  const file = openSync(path, 'r')
  try {
    const read = (position: number, out: Uint8Array) => {
      for (let at = 0; at < out.length; ) {
        const bytes = readSync(file, out, at, out.length - at, position + at)
        if (bytes === 0) throw new Error(`${path} ends at byte ${position + at}, before its tensors do.`)
        at += bytes
      }
      return out
    }
    const start = LENGTH_BYTES + headerLength(read(0, new Uint8Array(LENGTH_BYTES)))
    const json = read(LENGTH_BYTES, new Uint8Array(start - LENGTH_BYTES))
    const header = parseHeader(json, fstatSync(file).size - start)
    return use({ header, read: (from, out) => void read(start + from, out) })
  } finally {
    closeSync(file)
  }
}
