import { uploadGone } from '../../service/models/errors.js'
import type { OwnedTables } from '../../service/models/keeper/owned-tables.js'
import type { RegisteredModel } from '../../service/models/keeper/registered-models.js'
import type { Remote } from '../../service/threads/channel.js'
import type { Begun, CheckpointMark, HeldFile } from './admin.js'
import { checkCard } from './check-card.js'
import type { CheckpointFolders } from './checkpoint-folders.js'
import { noDataDir } from './errors.js'
import type { HeldFiles } from './held-files.js'
import type { LearnedCopies } from './learned-copies.js'
import type { Learned, LearnedModels } from './learned-models.js'
import type { Learners } from './learners.js'
import { optimizerAnswer } from './optimizer-answer.js'

/** Bytes of a checkpoint that the learners give at once: some milliseconds. */
const PART_BYTES = 1 << 24

/** Checkpoints that are asked for and that come, in memory that all threads share. Called in the model's turn. */
export class LearnedCheckpoints {
  constructor(
    private readonly tables: OwnedTables,
    private readonly learners: Remote<Learners>,
    private readonly models: LearnedModels,
    private readonly copies: LearnedCopies,
    private readonly files: HeldFiles,
    private readonly folders: CheckpointFolders | undefined,
  ) {}

  /** A checkpoint of this moment. */
  async open(model: RegisteredModel): Promise<HeldFile> {
    const { facts } = await this.models.get(model)
    this.files.checkRoom()
    const { tables } = await this.tables.present(model)
    const bytes = await this.learners.openCheckpoint(model.id, tables, false)
    this.tables.checkRoom(model, bytes)
    const file = this.files.add(bytes, facts.version)
    try {
      for (let at = 0; at < bytes; ) {
        at += await this.learners.readCheckpoint(model.id, file.bytes.subarray(at, at + PART_BYTES))
      }
      return file
    } catch (error) {
      this.files.letGo(file.held)
      throw error
    }
  }

  /** Writes one below DATA_DIR, part by part. */
  async save(learned: Learned): Promise<CheckpointMark> {
    const { folders } = this
    if (folders === undefined) throw noDataDir()
    const { id } = learned.model
    const { tables } = await this.tables.present(learned.model)
    await folders.save(id, await this.learners.openCheckpoint(id, tables, true), this.#parts(id))
    return this.models.noteCheckpoint(learned)
  }

  async *#parts(id: string): AsyncGenerator<Uint8Array, void, void> {
    const part = new Uint8Array(new SharedArrayBuffer(PART_BYTES))
    for (;;) {
      const bytes = await this.learners.readCheckpoint(id, part)
      if (bytes === 0) return
      yield part.subarray(0, bytes)
    }
  }

  /** Memory for one that comes. */
  async openRestore(model: RegisteredModel, bytes: number): Promise<HeldFile> {
    checkCard(model)
    this.files.checkRoom()
    const { number } = await this.tables.present(model)
    this.tables.checkRoom(model, bytes)
    return this.files.add(bytes, number)
  }

  /** The model goes on from the one that came. */
  async restore(model: RegisteredModel, held: number): Promise<Begun> {
    checkCard(model)
    const file = this.files.get(held)
    if (file === undefined) throw uploadGone()
    const present = await this.tables.present(model)
    const made = this.models.find(model.id) === undefined
    if (made) await this.folders?.take(model.id)
    const before = model.owned ?? 0
    const version = model.entry.lastVersion + 1
    const job = { card: model.entry.card, file: file.bytes, present: present.tables, version }
    const bytes = { tables: file.bytes.length + before, states: 0, gradients: 0 }
    const begun = this.models.begin(model, bytes, (copy) => this.learners.restore({ ...job, copy }))
    const { learned, copy } = await begun.catch(async (error) => {
      if (made) await this.folders?.remove(model.id)
      throw error
    })
    await this.copies.publish(learned, copy)
    return { optimizer: optimizerAnswer(model.id, learned.facts), made }
  }
}
