import { checkHasTables } from '../../first-layer/embeddings/model.js'
import { jsonAnswer } from '../../first-layer/formats/json.js'
import { neighborQueries, rowText, searchedTable } from '../../first-layer/neighbor-queries.js'
import { FOUND_BYTES, nearestRows } from '../../first-layer/neighbors/search.js'
import { neighborsRequest } from '../../first-layer/neighbors-request.js'
import { sendEncoded } from '../../service/answer/send-encoded.js'
import type { Feature } from '../../service/feature.js'
import { turn } from '../../service/process/turn.js'
import { JSON_ONLY, JSON_UTF8 } from '../../service/request/checks/head-checks.js'
import { edgeOf, leased } from '../../service/request/claims.js'
import { modelPath } from '../../service/request/fields/model-path.js'

/** `/v1/models/{model}/neighbors`: the rows nearest to given ones. */
export const neighbors: Feature = {
  name: 'neighbors',
  routes(app, { models, config: limits }) {
    const schema = { operationId: 'findNeighbors', params: modelPath, body: neighborsRequest }
    app.post('/v1/models/:model/neighbors', { schema, config: JSON_ONLY }, async (request, reply) => {
      const { body, claim } = request
      const model = await leased(request, models, request.params.model)
      checkHasTables(model.spec)
      const searched = searchedTable(model, body.table)
      const queries = await neighborQueries(model, searched, body, edgeOf(claim), (numTokens) => {
        request.figures = { numTokens }
      })
      const { k, metric } = body
      const { name: table, firstRow, rows } = searched
      await claim.take(FOUND_BYTES * queries.length * Math.min(k, rows))
      const search = { table, firstRow, queries, k, metric }
      const lists: object[] = []
      for (const found of await nearestRows(model, search, () => turn(claim))) {
        await turn(claim)
        lists.push(found.map(({ id, score }) => ({ id, text: rowText(model, searched, id), score })))
      }
      const value = { model: model.spec.id, model_version: model.version, neighbors: lists }
      reply.header('x-model-version', model.version)
      return sendEncoded(request, reply, jsonAnswer(value, true), JSON_UTF8, limits.MAX_JSON_RESPONSE_BYTES)
    })
  },
}
