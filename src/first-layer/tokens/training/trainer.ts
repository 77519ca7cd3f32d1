import { type InletError, invalidField } from '../../errors.js'
import type { TrainingOptions } from '../../options/training.js'
import { ALPHABET } from '../byte-pair/merge-order.js'
import { cuttingOf } from './cutting.js'
import { PairMerges } from './pair-merges.js'
import type { CountedPieces } from './piece-counter.js'

/** A trained vocabulary: tokens are written in {@link ALPHABET}. */
export interface TrainedTokens {
  readonly options: TrainingOptions
  /** Without doubles. */
  readonly specialTokens: readonly string[]
  /** Tokens by id, special ones among them. */
  readonly vocabulary: readonly string[]
  readonly merges: readonly (readonly [string, string])[]
  /** The greatest count of a pair. From 2^31 on other trainers lose it in silence. */
  readonly mostFrequent: number
}

/**
 * Makes one merge after the other from the counted pieces of a text, as `BpeTrainer` of tokenizers 0.23 does: the pair with
 * the greatest count, of equal ones that with the smallest ids.
 */
export class Trainer {
  readonly #vocabulary: string[]
  readonly #ids: Map<string, number>
  readonly #merges: [string, string][] = []
  readonly #special: readonly string[]
  readonly #size: number
  readonly #pairs: PairMerges
  #mostFrequent = 0

  /** @throws InletError `invalid_request` */
  constructor(
    private readonly options: TrainingOptions,
    pieces: CountedPieces,
  ) {
    this.#special = checkedSpecialTokens(options)
    const isLast = options.like === 'rustbpe'
    const bytes = isLast ? ALPHABET : ALPHABET.toSorted()
    this.#vocabulary = isLast ? [...bytes] : [...new Set([...this.#special, ...bytes])]
    this.#ids = new Map(this.#vocabulary.map((token, id) => [token, id]))
    this.#size = options.vocab_size - (isLast ? this.#special.length : 0)
    this.#pairs = new PairMerges(
      pieces,
      ALPHABET.map((character) => this.#ids.get(character)!),
      Math.max(1, options.min_frequency),
      options.max_token_length ?? Number.POSITIVE_INFINITY,
    )
  }

  get numMerges(): number {
    return this.#merges.length
  }

  /** Merges there will be at most. */
  get mostMerges(): number {
    return this.#merges.length + this.#size - this.#vocabulary.length
  }

  /** Makes the next merge; false: there is none. */
  step(): boolean {
    if (this.#vocabulary.length >= this.#size) return false
    const best = this.#pairs.best()
    if (best === undefined) return false
    this.#mostFrequent = Math.max(this.#mostFrequent, best.count)
    const [left, right] = [this.#vocabulary[best.left], this.#vocabulary[best.right]]
    const known = this.#ids.get(left + right) // a special token that is spelled so
    const id = known ?? this.#vocabulary.push(left + right) - 1
    if (known === undefined) this.#ids.set(left + right, id)
    this.#merges.push([left, right])
    this.#pairs.merge(id)
    return true
  }

  /** @throws InletError `invalid_request` for a special token that is spelled as a merge, where it may not be one */
  finish(): TrainedTokens {
    const vocabulary = [...this.#vocabulary]
    if (this.options.like === 'rustbpe') {
      for (const token of this.#special) if (this.#ids.has(token)) throw spelledAs(token)
      vocabulary.push(...this.#special)
    }
    return {
      ...{ options: this.options, specialTokens: this.#special, vocabulary },
      ...{ merges: this.#merges, mostFrequent: this.#mostFrequent },
    }
  }
}

function spelledAs(token: string): InletError {
  return invalidField('special_tokens', 'must have no token that is spelled as a byte or a merge', token)
}

/** Merges between two turns of the event loop. */
const MERGES = 64

/** Merges until there is no more to merge. @param pause awaited now and then */
export async function mergeAll(trainer: Trainer, pause: () => Promise<unknown>): Promise<TrainedTokens> {
  while (trainer.step()) if (trainer.numMerges % MERGES === 0) await pause()
  return trainer.finish()
}

/** Checks what can be checked before a text is read. @throws InletError `invalid_request` */
export function checkTraining(options: TrainingOptions): void {
  cuttingOf(options.pattern, options.like === 'rustbpe')
  checkedSpecialTokens(options)
}

function checkedSpecialTokens({ special_tokens, like, vocab_size }: TrainingOptions): readonly string[] {
  const special = [...new Set(special_tokens)].filter((token) => token !== '')
  const wrong = special.find((token) => !token.isWellFormed())
  if (wrong !== undefined) throw invalidField('special_tokens', 'must be Unicode', wrong)
  const bytes = special.filter((token) => ALPHABET.includes(token))
  if (like === 'rustbpe' && bytes.length > 0) throw spelledAs(bytes[0])
  const least = 256 + special.length - bytes.length
  if (vocab_size < least)
    throw invalidField(
      'vocab_size',
      `must be at least ${least}: 256 bytes and the special tokens`,
      vocab_size,
    )
  return special
}

/** How the options cut texts. */
export function cuttingFor({ pattern, like }: TrainingOptions) {
  return cuttingOf(pattern, like === 'rustbpe')
}
