import { InletError, shown } from '../errors.js'
import type { ModelCard } from '../first-layer/cards/model-card.js'
import { namedArchitecture } from '../first-layer/embeddings/architectures/registry.js'
import type { SharedTables } from '../first-layer/embeddings/table-memory.js'
import type { Learner } from '../first-layer/learning/learner.js'
import { checkEmbeddingGradients } from '../first-layer/learning/whole-layer.js'
import { run, runBlocks } from '../first-layer/steps.js'
import type { SafetensorsFile } from '../first-layer/tensors/safetensors/safetensors-file.js'
import { preconditionFailed } from '../models/errors.js'
import type { CallAnswer } from './admin.js'
import { Changes } from './changes.js'
import { type GradientOptions, gradientCall } from './gradient-body.js'
import type { CallJob, CallResult, LearnerFacts, ServingCopy } from './jobs.js'
import type { Journal, JournalCall } from './journal.js'
import { checkpointFile, wholeFile } from './snapshot.js'

/** Most writers of a model: the answers to the last calls of each are kept. */
const MAX_WRITERS = 128
/** A log of so many bytes is folded into a checkpoint, unless that is longer. */
const FOLD_BYTES = 1 << 24
/** After a fold that failed, the log grows by this factor before the next one. */
const FOLD_LATER = 1.5

/** One model that learns, in the thread that learns. */
export class LearningModel {
  /** Absent: what is learned is in memory alone. */
  journal: Journal | undefined
  readonly #changes = new Changes()
  /** Bytes of the log at which it is folded next. */
  #foldBytes = FOLD_BYTES
  /** A checkpoint on its way to the disk. */
  #folding: Generator<void, void, void> | undefined

  /** @param version of the tables that the learner has */
  constructor(
    readonly card: ModelCard,
    readonly learner: Learner,
    private version: number,
  ) {}

  /**
   * Gradients or a step, once: looked up, checked, written to the journal, done, noted, in this order.
   *
   * @throws InletError; nothing has happened then
   */
  call(call: JournalCall, { ifVersions, gradientRoom, present, copy }: CallJob): CallResult {
    const { memory, writers } = this.learner
    const answered = writers.answered(call)
    if (answered !== undefined) {
      return { answer: answered.answer as CallAnswer, isNew: false, facts: this.facts() }
    }
    this.#checkWriter(call.writer)
    this.#checkVersion(ifVersions)
    memory.gradientLimit = memory.gradientBytes + gradientRoom
    const answer = this.replay(call, () => this.journal?.append(call))
    if (copy !== undefined) this.bring(copy, present)
    return { answer, isNew: true, facts: this.facts(), isFoldDue: this.#isFoldDue(present) }
  }

  /** The effect of a call and its answer, noted: the same again for calls of a log. */
  replay(call: JournalCall, beforeEffect: () => void = () => {}): CallAnswer {
    const answer = call.kind === 'step' ? this.#step(call, beforeEffect) : this.#gradients(call, beforeEffect)
    this.learner.writers.note(call, answer)
    return answer
  }

  /** Brings tables up to date that nobody reads. */
  bring({ tables, since }: ServingCopy, present: SharedTables): void {
    this.#changes.bring(tables, since, this.learner.tables, present)
  }

  /**
   * Writes some of the checkpoint that takes the place of a log that is long. The model gets no call before all is done.
   *
   * @returns whether it is, or was not due
   * @throws what the journal throws: the log goes on
   */
  foldSome(present: SharedTables): boolean {
    if (this.#folding === undefined && !this.#isFoldDue(present)) return true
    this.#folding ??= this.journal!.folding(runBlocks(this.whole(present).blocks()))
    let isDone: boolean | undefined = true
    try {
      isDone = this.#folding.next().done
    } catch (error) {
      this.#foldBytes = FOLD_LATER * this.journal!.bytes
      throw error
    } finally {
      if (isDone) this.#folding = undefined
    }
    return isDone === true
  }

  /** Steps since learning began here. */
  get now(): number {
    return this.#changes.now
  }

  checkpoint(present: SharedTables): SafetensorsFile {
    return checkpointFile(this.learner, present, this.version)
  }

  /** A checkpoint with all tables, as a journal has it. */
  whole(present: SharedTables): SafetensorsFile {
    return wholeFile(this.learner, present, this.version)
  }

  facts(): LearnerFacts {
    const { memory, tables, stateBytes } = this.learner
    return {
      state: this.learner.describe(),
      version: this.version,
      now: this.now,
      stored: this.journal === undefined ? 'memory' : 'disk',
      bytes: {
        tables: tables.reduce((sum, { place }) => sum + 4 * place.rows * place.dim, 0),
        states: stateBytes,
        gradients: memory.gradientBytes,
      },
    }
  }

  #gradients({ body, options, part }: JournalCall, beforeEffect: () => void): CallAnswer {
    const call = gradientCall(body, options as GradientOptions)
    if ('shape' in call)
      checkEmbeddingGradients({ id: this.card.id, architecture: architectureOf(this.card) })
    return this.#answer(run(this.learner.gradients(call, part, beforeEffect)))
  }

  #step({ options }: JournalCall, beforeEffect: () => void): CallAnswer {
    const { answer, changed } = run(this.learner.apply(options, beforeEffect))
    this.#changes.add(changed)
    this.version++
    return this.#answer(answer)
  }

  #answer(fields: object): CallAnswer {
    return { model: this.card.id, model_version: String(this.version), ...fields }
  }

  #checkVersion(ifVersions: readonly string[] | null): void {
    if (ifVersions === null || ifVersions.includes(String(this.version))) return
    throw preconditionFailed(this.card.id, ifVersions.map((each) => `"${each}"`).join(', '), this.version)
  }

  #checkWriter(writer: string): void {
    const known = this.learner.writers.sequences()
    if (Object.hasOwn(known, writer) || Object.keys(known).length < MAX_WRITERS) return
    const rule = `must be one of the ${MAX_WRITERS} names that have come: there may be no more`
    throw new InletError('invalid_request', `\`X-Writer\` ${rule}. Given: ${shown(writer)}`, 'X-Writer')
  }

  /** Whether the log is as long as the checkpoint that can take its place. */
  #isFoldDue(present: SharedTables): boolean {
    if (this.journal === undefined || this.journal.bytes < this.#foldBytes) return false
    this.#foldBytes = Math.max(FOLD_BYTES, this.whole(present).bytes)
    return this.journal.bytes >= this.#foldBytes
  }
}

function architectureOf({ layer, architecture }: ModelCard) {
  return layer ?? namedArchitecture(architecture)
}
