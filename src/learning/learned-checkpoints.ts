import { uploadGone } from '../models/errors.js'
import type { LearningTables } from '../models/keeper/learning-tables.js'
import type { RegisteredModel } from '../models/keeper/registered-models.js'
import type { Begun, HeldFile } from './admin.js'
import { checkCard } from './check-card.js'
import type { HeldFiles } from './held-files.js'
import type { LearnedCopies } from './learned-copies.js'
import type { LearnedModels } from './learned-models.js'
import { optimizerAnswer } from './optimizer-answer.js'
import type { RemoteLearners } from './remote-learners.js'

/** Checkpoints that are asked for and that come, in memory that all threads share. Called in the model's turn. */
export class LearnedCheckpoints {
  constructor(
    private readonly tables: LearningTables,
    private readonly learners: RemoteLearners,
    private readonly models: LearnedModels,
    private readonly copies: LearnedCopies,
    private readonly files: HeldFiles,
  ) {}

  /** A checkpoint of this moment. @param thread of the request */
  async open(model: RegisteredModel, thread: number): Promise<HeldFile> {
    const { facts } = await this.models.get(model)
    this.files.checkRoom()
    const { tables } = await this.tables.present(model)
    const bytes = await this.learners.checkpointBytes(model.id, tables)
    this.tables.checkRoom(model, bytes)
    const file = this.files.add(bytes, facts.version, thread)
    try {
      await this.learners.openCheckpoint(model.id, tables, file.bytes)
      while (!(await this.learners.writeSome(model.id))) {
        // Other models’ calls have come in between.
      }
      return file
    } catch (error) {
      this.files.letGo(file.held)
      throw error
    }
  }

  /** Memory for one that comes. @param thread of the request */
  async openRestore(model: RegisteredModel, bytes: number, thread: number): Promise<HeldFile> {
    checkCard(model)
    this.files.checkRoom()
    const { number } = await this.tables.present(model)
    this.tables.checkRoom(model, bytes)
    return this.files.add(bytes, number, thread)
  }

  /** The model goes on from the one that came. */
  async restore(model: RegisteredModel, held: number): Promise<Begun> {
    checkCard(model)
    const file = this.files.get(held)
    if (file === undefined) throw uploadGone()
    const present = await this.tables.present(model)
    const made = this.models.find(model.id) === undefined
    const before = model.learning ?? 0
    const version = model.entry.lastVersion + 1
    const job = { card: model.entry.card, file: file.bytes, present: present.tables, version }
    const bytes = { tables: file.bytes.length + before, states: 0, gradients: 0 }
    const { learned, copy } = await this.models.begin(model, bytes, (copy) =>
      this.learners.restore({ ...job, copy }),
    )
    await this.copies.publish(learned, copy)
    return { optimizer: optimizerAnswer(model.id, learned.facts), made }
  }
}
