import type { Model } from '../embeddings/model.js'
import type { Steps } from '../steps.js'
import { type Arithmetic, arithmeticOf } from './arithmetic.js'
import { normalize } from './normalized.js'
import { embeddingWidth, type Pooling } from './pooling.js'
import { type IdSource, rowSum } from './row-sum.js'

/** Makes embeddings of lists of ids with one static model. */
export class Pool {
  readonly #arithmetic: Arithmetic
  readonly #sum: Float32Array | Float64Array
  readonly #row: Float32Array

  readonly #width: number

  /** @param dimensions how many of an embedding's first numbers are wanted, at most as many as it has */
  constructor(
    private readonly model: Model,
    private readonly pooling: Pooling,
    readonly dimensions = embeddingWidth(pooling, model.spec.embeddingDim),
  ) {
    const { embeddingDim } = model.spec
    this.#width = embeddingWidth(pooling, embeddingDim)
    this.#arithmetic = arithmeticOf(model, pooling)
    this.#sum = this.#arithmetic.isDouble ? new Float64Array(embeddingDim) : new Float32Array(embeddingDim)
    this.#row = new Float32Array(embeddingDim)
  }

  /**
   * One embedding, float32 [dimensions]: the mean of the ids' rows, normalized where the model normalizes, and cut
   * to what the model gives. One that the request shortens further is normalized again. No ids → zeros. It is good until the next one is asked for.
   *
   * @param ids those of a text, `maxLength` at most
   */
  *embedding(ids: IdSource): Steps<Float32Array> {
    const [sum, row] = [this.#sum, this.#row]
    const { tokenTable: table, workspace } = this.model
    const count = yield* rowSum(sum, { table, workspace }, ids, this.#arithmetic)
    for (let c = 0; c < row.length; c++) row[c] = count > 0 ? this.#arithmetic.mean(sum[c]!, count) : 0
    if (this.pooling.normalize) normalize(row, this.pooling)
    const part = row.subarray(0, this.dimensions)
    if (this.pooling.normalize && this.dimensions < this.#width) normalize(part, this.pooling)
    return part
  }
}
