import type { CorpusCard } from '../dataset-card.js'
import { isMissing } from '../disk/folders.js'
import { HeldFile } from '../disk/held-file.js'
import { datasetNotFound, isOutOfDescriptors, noDescriptor } from '../errors.js'
import type { CorpusTokens } from './corpus-tokens.js'
import { readIds } from './read-ids.js'

/** A corpus's ids in their file, which is open while it is used. */
export class DiskTokens implements CorpusTokens {
  readonly #file: HeldFile

  constructor(
    path: string,
    private readonly card: CorpusCard,
  ) {
    this.#file = new HeldFile(path)
  }

  /** @throws InletError `dataset_not_found` where the dataset has been deleted, and no read had opened the file before */
  read(place: number, out: Int32Array): Promise<void> {
    return readIds(this.card, place, out, (position, bytes) => this.readBytes(position, bytes))
  }

  async readBytes(position: number, out: Uint8Array): Promise<void> {
    try {
      await this.#file.read(position, out)
    } catch (error) {
      if (isMissing(error)) throw datasetNotFound(this.card.id)
      throw isOutOfDescriptors(error) ? noDescriptor() : error
    }
  }

  hold(): () => void {
    return this.#file.hold()
  }

  rest(): void {
    this.#file.rest()
  }
}
