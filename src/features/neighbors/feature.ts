import { checkHasTables } from '../../first-layer/embeddings/model.js'
import type { Encoded } from '../../first-layer/formats/formats.js'
import { neighborQueries, rowText, searchedTable } from '../../first-layer/neighbor-queries.js'
import { FOUND_BYTES, type Neighbor, NeighborSearch } from '../../first-layer/neighbors/search.js'
import { neighborsRequest } from '../../first-layer/neighbors-request.js'
import { sendEncoded } from '../../service/answer/send-encoded.js'
import type { Feature, FeatureApp, Service } from '../../service/feature.js'
import type { Claim } from '../../service/process/turn.js'
import { turn } from '../../service/process/turn.js'
import { JSON_ONLY, JSON_UTF8 } from '../../service/request/checks/head-checks.js'
import { leased } from '../../service/request/claims.js'
import { modelPath } from '../../service/request/fields/model-path.js'
import { edgeOf } from '../../service/request/load/request-claim.js'

/** `/v1/models/{model}/neighbors`: the rows nearest to given ones. */
export const neighbors: Feature = { name: 'neighbors', routes: addNeighborsRoute }

function addNeighborsRoute(app: FeatureApp, { models, config: limits }: Service): void {
  const schema = { operationId: 'findNeighbors', params: modelPath, body: neighborsRequest }
  app.post('/v1/models/:model/neighbors', { schema, config: JSON_ONLY }, async (request, reply) => {
    const { body } = request
    const model = await leased(request, models, request.params.model)
    const { claim } = request
    checkHasTables(model.spec)
    const searched = searchedTable(model, body.table)
    const queries = await neighborQueries(model, searched, body, edgeOf(claim), (numTokens) => {
      request.figures = { numTokens }
    })
    const { k, metric } = body
    const { name: table, firstRow, rows } = searched
    await claim.take(FOUND_BYTES * queries.length * Math.min(k, rows))
    const search = new NeighborSearch(model, { table, firstRow, queries, k, metric })
    while (search.advance()) await turn(claim)
    const textOf = (row: number) => rowText(model, searched, row)
    const frame = { model: model.spec.id, modelVersion: model.version, textOf }
    const answer = await neighborsJson(search.found(), frame, claim)
    reply.header('x-model-version', model.version)
    return sendEncoded(request, reply, answer, JSON_UTF8, limits.MAX_JSON_RESPONSE_BYTES)
  })
}

/** The text around the lists of neighbours. */
interface NeighborsFrame {
  readonly model: string
  readonly modelVersion: string
  /** A token's text; null where it has none. */
  textOf(id: number): string | null
}

/**
 * The answer of `/neighbors`, a list for each query:
 * `{"model":"tiny","model_version":"1","neighbors":[[{"id":2,"text":"#","score":1}]]}`.
 */
export async function neighborsJson(
  found: readonly (readonly Neighbor[])[],
  { model, modelVersion, textOf }: NeighborsFrame,
  claim: Claim,
): Promise<Encoded> {
  const head = JSON.stringify({ model, model_version: modelVersion }).slice(0, -1)
  const parts = [Buffer.from(`${head},"neighbors":[`)]
  for (const [i, list] of found.entries()) {
    await turn(claim)
    const texts = list.map(({ id, score }) => ({ id, text: textOf(id), score }))
    parts.push(Buffer.from(`${i === 0 ? '' : ','}${JSON.stringify(texts)}`))
  }
  parts.push(Buffer.from(']}'))
  const size = parts.reduce((sum, part) => sum + part.length, 0)
  return { size, exact: true, body: parts }
}
