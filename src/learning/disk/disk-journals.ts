import { InletError } from '../../errors.js'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { optimizerExists } from '../../models/errors.js'
import type { Journal } from '../journal.js'
import type { Journals, Reopened, Replay } from '../journals.js'
import type { DiskJournal } from './disk-journal.js'
import { FolderTaken } from './folder-owner.js'
import type { LearningDisk } from './learning-disk.js'
import { checkSameModel, storedCard } from './model-in-folder.js'

/** The journals of all models that learn, below DATA_DIR. */
export class DiskJournals implements Journals {
  readonly #open = new Map<string, DiskJournal>()

  constructor(private readonly disk: LearningDisk) {}

  begin(card: ModelCard, checkpoint: Iterable<Uint8Array>): Journal {
    const { id } = card
    try {
      const journal = this.disk.create(id, storedCard(card), checkpoint)
      this.#open.set(id, journal)
      return journal
    } catch (error) {
      if (error instanceof FolderTaken) throw optimizerExists(id, ' in another process on the same DATA_DIR')
      throw error
    }
  }

  reopen<State>(card: ModelCard, replay: Replay<State>): Reopened<State> {
    const { id } = card
    checkSameModel(this.disk.folder(id), this.disk.card(id), card)
    try {
      const opened = this.disk.open(id, replay)
      this.#open.set(id, opened.journal)
      return opened
    } catch (error) {
      throw error instanceof FolderTaken ? takenElsewhere(id) : error
    }
  }

  close(id: string): void {
    this.#open.get(id)?.close()
    this.#open.delete(id)
  }

  remove(id: string): void {
    if (!this.disk.models().includes(id)) return
    try {
      this.disk.remove(id, this.#open.get(id))
      this.#open.delete(id)
    } catch (error) {
      throw error instanceof FolderTaken ? takenElsewhere(id) : error
    }
  }
}

function takenElsewhere(id: string): InletError {
  const message = `\`model\` ${id} learns in another process on the same DATA_DIR: call that one, or stop it first.`
  return new InletError('model_failed', message, 'model')
}
