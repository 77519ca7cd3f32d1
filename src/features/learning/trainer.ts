import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { namedArchitecture } from '../../first-layer/embeddings/architectures/registry.js'
import type { SharedTables } from '../../first-layer/embeddings/table-memory.js'
import { checkEmbeddingGradients } from '../../first-layer/learning/gradient-call.js'
import type { Learner } from '../../first-layer/learning/learner.js'
import { run } from '../../first-layer/steps.js'
import type { SafetensorsFile } from '../../first-layer/tensors/safetensors/safetensors-file.js'
import { InletError, shown } from '../../service/answer/error-table.js'
import { preconditionFailed } from '../../service/models/errors.js'
import { Changes } from './changes.js'
import { checkpointFile } from './checkpoint-file.js'
import { type GradientOptions, gradientCall } from './gradient-body.js'
import type { CallAnswer, CallJob, CallResult, LearningCall, ServingCopy, TrainingState } from './jobs.js'

/** Most writers of a model: the answers to the last calls of each are kept. */
const MAX_WRITERS = 128

/** One model that learns, in the thread that learns. */
export class Trainer {
  readonly #changes = new Changes()

  /** @param version of the tables that the learner has */
  constructor(
    readonly card: ModelCard,
    readonly learner: Learner,
    private version: number,
  ) {}

  /** Gradients or a step, once. @throws InletError; nothing has happened then */
  call(call: LearningCall, { ifVersions, gradientRoom, present, copy }: CallJob): CallResult {
    const { memory, writers } = this.learner
    const answered = writers.answered(call)
    if (answered !== undefined) {
      return { answer: answered.answer as CallAnswer, isNew: false, state: this.state() }
    }
    this.#checkWriter(call.writer)
    this.#checkVersion(ifVersions)
    memory.gradientLimit = memory.gradientBytes + gradientRoom
    const answer = call.kind === 'step' ? this.#step(call) : this.#gradients(call)
    writers.note(call, answer)
    if (copy !== undefined) this.bring(copy, present)
    return { answer, isNew: true, state: this.state() }
  }

  /** Brings unread tables up to date. */
  bring({ tables, since }: ServingCopy, present: SharedTables): void {
    this.#changes.bring(tables, since, this.learner.tables, present)
  }

  /** Steps since learning began here. */
  get now(): number {
    return this.#changes.now
  }

  /** @param isWhole whether it has all of the model */
  checkpoint(present: SharedTables, isWhole: boolean): SafetensorsFile {
    const { learner, version, card } = this
    return checkpointFile(learner, present, version, isWhole ? card : undefined)
  }

  state(): TrainingState {
    const { memory, tables, stateBytes } = this.learner
    return {
      progress: this.learner.describe(),
      version: this.version,
      now: this.now,
      bytes: {
        tables: tables.reduce((sum, { place }) => sum + 4 * place.rows * place.dim, 0),
        states: stateBytes,
        gradients: memory.gradientBytes,
      },
    }
  }

  #gradients({ body, options, part }: LearningCall): CallAnswer {
    const call = gradientCall(body, options as GradientOptions)
    if ('shape' in call)
      checkEmbeddingGradients({ id: this.card.id, architecture: architectureOf(this.card) })
    return this.#answer(run(this.learner.gradients(call, part)))
  }

  #step({ options }: LearningCall): CallAnswer {
    const { answer, changed } = run(this.learner.apply(options))
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
}

function architectureOf({ layer, architecture }: ModelCard) {
  return layer ?? namedArchitecture(architecture)
}
