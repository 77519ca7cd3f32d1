import type { SharedTables } from '../../first-layer/embeddings/table-memory.js'
import type { OwnedTables } from '../../service/models/keeper/owned-tables.js'
import type { Remote } from '../../service/threads/channel.js'
import type { Learned } from './learned-models.js'
import type { Learners } from './learners.js'

/** The copies of a model's tables that readers get in turn. Called in the model's turn. */
export class LearnedCopies {
  constructor(
    private readonly tables: OwnedTables,
    private readonly learners: Remote<Learners>,
  ) {}

  /** Every request that begins from now on reads these tables, which are up to date. */
  async publish(learned: Learned, copy: SharedTables): Promise<void> {
    const { model, facts, since } = learned
    since.set(copy, facts.now)
    await this.tables.publish(model, copy, facts.version, 'learned')
    learned.published = facts.version
    this.#catchUp(learned)
  }

  /** Publishes a step that was made and not published: what failed then is tried again. */
  async publishLate(learned: Learned): Promise<void> {
    const { model, facts, published } = learned
    if (published === facts.version) return
    if (model.entry.version?.number === facts.version) {
      await this.tables.publishAgain(model) // some threads may have it
      learned.published = facts.version
      return
    }
    const copy = await this.tables.takeCopy(model)
    try {
      await this.#bring(learned, copy)
    } catch (error) {
      model.memories.give(copy)
      throw error
    }
    await this.publish(learned, copy)
  }

  /** When nobody reads the superseded tables any more, they get what the last step changed: the next step need not. */
  #catchUp(learned: Learned): void {
    const { model, since, published } = learned
    const { memories } = model
    void memories.spareWithin().then(() => {
      const { spare } = memories
      // Told to the learners before any later step: that one waits in their queue.
      if (spare === undefined || learned.published !== published || !since.has(spare)) return
      this.#bring(learned, spare).catch(() => {}) // the next step brings it up to date, or says why not
    })
  }

  async #bring({ model, since }: Learned, tables: SharedTables): Promise<void> {
    const present = model.entry.version!.tables
    since.set(tables, await this.learners.bring(model.id, { tables, since: since.get(tables) }, present))
  }
}
