import type { Model } from '../first-layer/embeddings/model.js'
import type { Pooling } from '../first-layer/pooling/pooling.js'
import type { IdSource } from '../first-layer/pooling/row-sum.js'
import type { Documents } from '../first-layer/windows/documents.js'
import type { Claim } from '../load/claim.js'
import { IdLists } from '../wire/id-lists.js'
import { LongText } from '../wire/json/long-text.js'
import { LongTexts } from '../wire/json/long-texts.js'
import type { EmbeddingInput } from '../wire/schemas/embeddings.js'
import { streamOptions } from './allowed-special.js'
import { preparedText } from './prepared-text.js'
import { documentOfText, documentsOfIds, documentsOfTexts } from './token-documents.js'

const FIELD = 'input'

/** The ids of what gets embeddings, each cut to the model's `maxLength`. */
export class EmbeddingIds {
  constructor(
    private readonly documents: Documents,
    private readonly pooling: Pick<Pooling, 'maxLength' | 'keepsLast'>,
  ) {}

  /** How many embeddings there will be. */
  get count(): number {
    return this.documents.count
  }

  /** Ids of all, without those beyond `maxLength`. */
  get total(): number {
    let total = 0
    for (let d = 0; d < this.count; d++) total += this.#length(d)
    return total
  }

  /** The ids of one embedding. */
  at(d: number): IdSource {
    const { documents, pooling } = this
    const length = this.#length(d)
    const first = pooling.keepsLast ? documents.length(d) - length : 0
    return { length, fill: (out, start) => documents.copyTo(out, 0, d, first + start, out.length) }
  }

  #length(d: number): number {
    return Math.min(this.documents.length(d), this.pooling.maxLength ?? Number.POSITIVE_INFINITY)
  }
}

/**
 * The ids of texts, without special tokens, or the ids that were given.
 *
 * @throws InletError `token_out_of_range`, `tokenizer_unavailable`
 */
export async function embeddingIds(
  model: Model,
  pooling: Pooling,
  input: EmbeddingInput,
  claim: Claim,
): Promise<EmbeddingIds> {
  const documents = await documentsOf(model, pooling, input, claim)
  return new EmbeddingIds(documents, pooling)
}

async function documentsOf(
  model: Model,
  pooling: Pooling,
  input: EmbeddingInput,
  claim: Claim,
): Promise<Documents> {
  if (input instanceof IdLists) return documentsOfIds(model, input, claim, FIELD)
  const how = streamOptions(model.spec.encoding, {})
  const isOne = typeof input === 'string' || input instanceof LongText
  const documents = isOne
    ? await documentOfText(model, preparedText(input, pooling), how, claim, FIELD)
    : await documentsOfTexts(model, allPrepared(input, pooling), how, claim, FIELD)
  if (input instanceof LongText || input instanceof LongTexts) claim.give(input.letGo())
  return documents
}

function* allPrepared(texts: Iterable<string | LongText>, pooling: Pooling) {
  for (const text of texts) yield preparedText(text, pooling)
}
