import { writeWhole } from '../../files/aside.js'
import { checkQuota, storageRefusal } from '../../files/quota.js'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { storedCard } from '../../first-layer/cards/stored-card.js'
import type { ModelSpec } from '../../first-layer/embeddings/model.js'
import type { SharedTables } from '../../first-layer/embeddings/table-memory.js'
import { checkEmbeddingGradients } from '../../first-layer/learning/gradient-call.js'
import { type GradientOptions, gradientCall } from '../../first-layer/learning/gradient-file.js'
import type { Learner } from '../../first-layer/learning/learner.js'
import {
  beginLearner,
  checkpointOf,
  type LearnerState,
  restoreInto,
  stateOf,
  stepInto,
} from '../../first-layer/learning/table-learner.js'
import { receivedTensors } from '../../first-layer/learning/tensor-file.js'
import { gathered } from '../../first-layer/tensors/blocks.js'
import { withRoom } from '../../service/models/errors.js'
import { type CheckpointFolders, withCheckpointFile } from './checkpoint-folders.js'

/**
 * The learners of all models, in a separate thread (`learn.ts`). The first thread calls the methods, never twice at a time for
 * one model (`learning.ts`).
 */
export class TrainerPool {
  readonly #learners = new Map<string, Learner>()

  begin(id: string, present: SharedTables, optimizer: Readonly<Record<string, unknown>>): LearnerState {
    return this.#keep(id, () => beginLearner(optimizer, present))
  }

  /**
   * Lets a model continue from a checkpoint, in place of where it is. Where this fails it is where it was.
   *
   * @param file what a caller has put, or a path
   * @param copy gets the tables
   */
  restore(id: string, file: Uint8Array | string, copy: SharedTables, present?: SharedTables): LearnerState {
    return this.#keep(id, () =>
      typeof file === 'string'
        ? withCheckpointFile(file, (checkpoint) => restoreInto(checkpoint, copy))
        : restoreInto(receivedTensors(file), copy, present),
    )
  }

  /** @param body safetensors as it came @param room bytes that gradients may take more */
  gradients(
    model: Pick<ModelSpec, 'id' | 'architecture'>,
    body: Uint8Array,
    options: GradientOptions,
    room: number,
  ) {
    const learner = this.#learners.get(model.id)!
    const call = gradientCall(body, options)
    if ('gradients' in call) checkEmbeddingGradients(model)
    return { answer: withRoom(() => learner.gradients(call, room)), state: stateOf(learner) }
  }

  step(
    id: string,
    options: Readonly<Record<string, unknown>>,
    present: SharedTables,
    copy: SharedTables,
    since: number | undefined,
  ) {
    const learner = this.#learners.get(id)!
    return { answer: stepInto(learner, options, present, copy, since), state: stateOf(learner) }
  }

  /** A checkpoint in shared memory. */
  checkpoint(id: string, present: SharedTables, version: number): Uint8Array {
    const learner = this.#learners.get(id)!
    const file = checkpointOf(learner, present, { model_version: String(version) }, false)
    return withRoom(() => gathered(file, new Uint8Array(new SharedArrayBuffer(file.bytes))))
  }

  /** Writes a whole checkpoint in the place of the one before. @throws InletError `insufficient_storage`: that one stays then */
  async save(
    card: ModelCard,
    present: SharedTables,
    version: number,
    path: string,
    quota: CheckpointFolders['quota'],
  ): Promise<void> {
    const metadata = { model_version: String(version), card: JSON.stringify(storedCard(card)) }
    const { bytes, blocks } = checkpointOf(this.#learners.get(card.id)!, present, metadata, true)
    await checkQuota(...quota, bytes) // beside the one before
    try {
      await writeWhole(path, blocks())
    } catch (error) {
      throw storageRefusal(error, bytes)
    }
  }

  /** Lets a model go. */
  end(id: string): void {
    this.#learners.delete(id)
  }

  #keep(id: string, make: () => Learner): LearnerState {
    const learner = withRoom(make)
    this.#learners.set(id, learner)
    return stateOf(learner)
  }
}
