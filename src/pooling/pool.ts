import type { IdSource } from '../embeddings/mean-rows.js'
import type { Model } from '../embeddings/model.js'
import type { StopSignal } from '../turn.js'
import { type Arithmetic, arithmeticOf } from './arithmetic.js'
import { normalize } from './normalized.js'
import type { Pooling } from './pooling.js'
import { rowSum } from './row-sum.js'

/** Makes embeddings of lists of ids with one static model. */
export class Pool {
  readonly #arithmetic: Arithmetic

  /** @param dimensions how many of an embedding's first numbers are wanted, at most as many as the table is wide */
  constructor(
    private readonly model: Model,
    private readonly pooling: Pooling,
    readonly dimensions = model.spec.embeddingDim,
  ) {
    this.#arithmetic = arithmeticOf(model, pooling)
  }

  /**
   * One embedding, float32 [dimensions]: the mean of the ids' rows, normalized where the model normalizes. A shortened
   * one is normalized again. No ids → zeros.
   *
   * @param ids those of a text, `maxLength` at most
   */
  async embedding(ids: IdSource, signal?: StopSignal): Promise<Float32Array> {
    const { sum, count } = await rowSum(this.model, ids, this.#arithmetic, signal)
    const whole = new Float32Array(sum.length)
    if (count > 0) for (let c = 0; c < sum.length; c++) whole[c] = this.#arithmetic.mean(sum[c]!, count)
    if (this.pooling.normalize) normalize(whole, this.pooling)
    if (this.dimensions === whole.length) return whole
    const part = whole.slice(0, this.dimensions)
    if (this.pooling.normalize) normalize(part, this.pooling)
    return part
  }
}
