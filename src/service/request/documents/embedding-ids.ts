import { documentsOf, textOptions } from '../../../first-layer/documents.js'
import type { Model, ModelSpec } from '../../../first-layer/embeddings/model.js'
import { invalidField } from '../../../first-layer/errors.js'
import { type GivenTexts, isList, type Text } from '../../../first-layer/given.js'
import type { Pool } from '../../../first-layer/pooling/pool.js'
import { embeddingWidth, type Pooling } from '../../../first-layer/pooling/pooling.js'
import type { IdSource } from '../../../first-layer/pooling/row-sum.js'
import type { Documents } from '../../../first-layer/windows/documents.js'
import { IdLists } from '../../../first-layer/windows/id-lists.js'
import type { Claim } from '../../process/turn.js'
import { turn } from '../../process/turn.js'
import { edgeOf } from '../claims.js'

/** The ids of what gets embeddings, each cut to the model's `maxLength`. */
export class EmbeddingIds {
  constructor(
    private readonly documents: Documents,
    private readonly pooling: Pick<Pooling, 'maxLength' | 'keepsLast'>,
  ) {}

  get count(): number {
    return this.documents.count
  }

  get total(): number {
    let total = 0
    for (let d = 0; d < this.count; d++) total += this.length(d)
    return total
  }

  at(d: number): IdSource {
    const { documents, pooling } = this
    const length = this.length(d)
    const first = pooling.keepsLast ? documents.length(d) - length : 0
    return { length, fill: (out, start) => documents.copyTo(out, 0, d, first + start, out.length) }
  }

  length(d: number): number {
    return Math.min(this.documents.length(d), this.pooling.maxLength ?? Number.POSITIVE_INFINITY)
  }
}

/**
 * The ids of texts, without special tokens, or the ids that were given.
 * @param field of the request, for messages
 * @throws InletError `token_out_of_range`, `tokenizer_unavailable`
 */
export function pooledDocuments(
  model: Model,
  pooling: Pooling,
  given: GivenTexts | IdLists,
  field: string | undefined,
  claim: Claim,
): Promise<Documents> {
  const prepared = (text: Text) => preparedText(text, pooling)
  const own = given instanceof IdLists ? given : isList(given) ? given.map(prepared) : prepared(given)
  return documentsOf(model, own, textOptions(model, own, {}), edgeOf(claim), field)
}

/** One embedding, made in turns. */
export async function pooledEmbedding(pool: Pool, ids: IdSource, claim: Claim): Promise<Float32Array> {
  const rows = pool.begin()
  for (let at = 0; at < ids.length; at = rows.add(ids, at)) await turn(claim)
  return pool.embedding(rows)
}

/**
 * Numbers of each embedding of a request.
 * @param asked how many the request wants; undefined: all
 * @throws InletError `invalid_request` for more than the model gives
 */
export function askedDimensions(
  { id, embeddingDim }: Pick<ModelSpec, 'id' | 'embeddingDim'>,
  pooling: Pooling,
  asked: number | undefined,
  field: string,
): number {
  const width = embeddingWidth(pooling, embeddingDim)
  if (asked === undefined || asked <= width) return asked ?? width
  throw invalidField(field, `must be at most ${width}, the width of an embedding of ${id}`, asked)
}

const CODE_POINT_BYTES = 4
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * A text as a static model tokenizes it: its prompt, then its first code points, `maxLength` ×
 * `medianTokenLength` of them where the model has a limit.
 */
function preparedText(text: Text, { prompt = '', maxLength, medianTokenLength }: Pooling): Text {
  if (maxLength === null || medianTokenLength === undefined) return prompt === '' ? text : `${prompt}${text}`
  const most = maxLength * medianTokenLength
  const whole = typeof text === 'string' ? text : decoder.decode(text.subarray(0, most * CODE_POINT_BYTES))
  return prompt + firstCodePoints(whole, most)
}

function firstCodePoints(text: string, most: number): string {
  if (text.length <= most) return text
  let end = 0
  for (let left = most; left > 0 && end < text.length; left--) end += text.codePointAt(end)! > 0xffff ? 2 : 1
  return text.slice(0, end)
}
