import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type DatasetCard, describeDataset } from '../../../datasets/dataset-card.js'
import { datasetNotFound } from '../../../datasets/errors.js'
import { InletError } from '../../../errors.js'
import { waitWithin } from '../../../load/wait-within.js'
import { queryReader } from '../../../wire/query.js'
import { datasetList } from '../../../wire/schemas/dataset-mixture.js'
import { queryOf } from '../../body/embedding-source.js'
import { type DatasetContext, type DatasetPath, JSON_TYPE } from './context.js'

const readList = queryReader(datasetList)

/** `GET /v1/datasets`, `GET` and `DELETE /v1/datasets/{dataset}`. */
export function addObjectRoutes(app: FastifyInstance, { datasets }: DatasetContext): void {
  const options = { config: { media: { produces: [JSON_TYPE] } } }
  const described = (card: DatasetCard) => describeDataset(card, datasets.stored)

  app.get('/v1/datasets', options, async (request) => {
    const { limit, after } = readList(queryOf(request))
    const cards = await waitWithin(datasets.list(), request)
    const from = after === undefined ? 0 : cards.findIndex(({ id }) => id === after) + 1
    if (after !== undefined && from === 0) throw datasetNotFound(after, '', 'after')
    const page = cards.slice(from, from + limit)
    return { object: 'list', data: page.map(described), has_more: from + limit < cards.length }
  })

  app.get<DatasetPath>('/v1/datasets/:dataset', options, async ({ params, claim }) =>
    described((await datasets.find(params.dataset, claim)).card),
  )

  app.delete<DatasetPath>('/v1/datasets/:dataset', async (request, reply) => {
    const { dataset: id } = request.params
    const { card } = await datasets.find(id, request.claim)
    checkMayDelete(request, card)
    await waitWithin(datasets.admin.remove(id), request)
    return reply.code(204).send()
  })
}

/** @throws InletError `forbidden` for a dataset that another caller has uploaded */
function checkMayDelete({ caller }: FastifyRequest, { owner }: DatasetCard): void {
  if (caller === undefined || caller.isAdmin || caller.name === owner) return
  const message = '`Authorization` must bring an admin key, or the key that uploaded the dataset.'
  throw new InletError('forbidden', message, 'authorization')
}
