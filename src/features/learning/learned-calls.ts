import type { OwnedTables } from '../../service/models/keeper/owned-tables.js'
import type { Remote } from '../../service/threads/channel.js'
import type { CallAnswer, LearningCall } from './admin.js'
import type { CallJob, CallResult } from './jobs.js'
import type { LearnedCopies } from './learned-copies.js'
import type { Learned } from './learned-models.js'
import { sum, withBytes } from './learner-bytes.js'
import type { Learners } from './learners.js'
import type { LearningEvents } from './learning-events.js'

/** Gradients and steps in the first thread: the learners carry them out, and all threads get the tables of a step. */
export class LearnedCalls {
  constructor(
    private readonly tables: OwnedTables,
    private readonly learners: Remote<Learners>,
    private readonly copies: LearnedCopies,
    private readonly events: Partial<LearningEvents>,
  ) {}

  /** Carries a call out, in the model's turn. @throws InletError as `LearningAdmin.call` */
  async call(
    learned: Learned,
    call: LearningCall,
    ifVersions: readonly string[] | null,
  ): Promise<CallAnswer> {
    const begun = performance.now()
    const { answer, isNew } = await (call.kind === 'step'
      ? this.#step(learned, call, ifVersions)
      : this.#run(learned, call, { ifVersions }))
    await this.copies.publishLate(learned)
    const { id } = learned.model
    if (isNew) {
      const seconds = (performance.now() - begun) / 1000
      this.events.done?.({ model: id, kind: call.kind, answer, seconds })
    }
    return answer
  }

  /** A step takes the tables that nobody reads, which readers get then. */
  async #step(
    learned: Learned,
    call: LearningCall,
    ifVersions: readonly string[] | null,
  ): Promise<CallResult> {
    const { model, since } = learned
    const tables = await this.tables.takeCopy(model)
    let result: CallResult
    try {
      result = await this.#run(learned, call, { ifVersions, copy: { tables, since: since.get(tables) } })
    } catch (error) {
      model.memories.give(tables)
      throw error
    }
    if (result.isNew) await this.copies.publish(learned, tables)
    else model.memories.give(tables)
    return result
  }

  async #run(
    learned: Learned,
    call: LearningCall,
    job: Pick<CallJob, 'ifVersions' | 'copy'>,
  ): Promise<CallResult> {
    const { model } = learned
    const gradientRoom = Math.max(0, this.tables.roomLeft(model))
    const { tables: present } = await this.tables.present(model)
    try {
      const result = await this.learners.call(model.id, call, { ...job, gradientRoom, present })
      learned.facts = result.facts
      this.tables.grow(model, sum(result.facts.bytes))
      return result
    } catch (error) {
      throw withBytes(error, model, learned.facts.bytes)
    }
  }
}
