import type { Answer } from '../../first-layer/answer.js'
import type { Model } from '../../first-layer/embeddings/model.js'
import { type EmbeddingRequest, epochEmbeddings, planEpoch } from '../../first-layer/input-embedding.js'
import { type LoaderRule, loaderOrder } from '../../first-layer/windows/batch.js'
import type { Documents } from '../../first-layer/windows/documents.js'
import { calculate, FEW } from '../process/calculator.js'
import type { Claim } from '../process/claim.js'

/** Documents whose running count of windows is reserved. */
const MANY_DOCUMENTS = 4096

/** The recipe for a request: a long shuffle is drawn in another thread. @throws InletError as the recipe */
export async function inputEmbeddings(
  model: Model,
  documents: Documents,
  plan: EmbeddingRequest,
  claim: Claim,
): Promise<Answer> {
  if (documents.count > MANY_DOCUMENTS) await claim.take(Float64Array.BYTES_PER_ELEMENT * documents.count)
  const epoch = planEpoch(model, documents, plan)
  return epochEmbeddings(model, epoch, await loaderOrderOf(epoch.windows.count, plan, claim), plan)
}

/** The order of windows under a rule, whose memory is reserved. @see loaderOrder */
export async function loaderOrderOf(
  count: number,
  rule: LoaderRule,
  claim: Claim,
): Promise<Int32Array | undefined> {
  const { shuffle, seed, epoch } = rule
  if (!shuffle || seed === undefined) return undefined
  await claim.take(Int32Array.BYTES_PER_ELEMENT * count)
  if (count <= FEW) return loaderOrder(count, rule)
  return calculate(claim, (work) => work.drawPermutation({ law: 'loader', count, seed, epoch }))
}
