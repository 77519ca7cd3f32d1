import type { FastifyRequest } from 'fastify'
import { mixtureContentId, mixtureStages } from '../../../first-layer/datasets/mixture-batch.js'
import { waitWithin } from '../../../first-layer/running/wait.js'
import { InletError, shown } from '../../../service/answer/error-table.js'
import { LAYOUT, type MixtureCard } from '../../../service/corpus/dataset-card.js'
import type { OpenCorpus } from '../datasets.js'
import { datasetNotFound } from '../errors.js'
import type { MixtureBody } from '../schemas/mixture.js'
import type { DatasetContext } from './context.js'

/** Makes a mixture of the datasets that the body names. @throws InletError `dataset_not_found`, `encoding_mismatch` */
export async function makeMixture(
  { mixture, stages, name }: MixtureBody,
  request: FastifyRequest,
  { datasets }: DatasetContext,
): Promise<{ readonly card: MixtureCard; readonly isNew: boolean }> {
  const checked = mixtureStages(mixture, stages)
  const member = ({ dataset }: { readonly dataset: string }, at: number) =>
    datasets.findCorpus(dataset, request.claim).catch((error) => {
      if (error?.code !== 'dataset_not_found') throw error
      throw datasetNotFound(dataset, ' of ids, not of a mixture', `mixture.${at}.dataset`)
    })
  const members = await Promise.all(mixture.map(member))
  checkEncodings(members)
  const ids = mixture.map(({ dataset }) => dataset)
  const [{ weights }] = checked as [(typeof checked)[number]]
  const made = datasets.admin.putMixture({
    id: `mx_${mixtureContentId(ids, checked)}`,
    name: name ?? null,
    encoding: members[0]!.card.encoding,
    mixture: ids.map((dataset, j) => ({ dataset, weight: weights[j]! })),
    stages: stages ?? null,
    created: Math.floor(Date.now() / 1000),
    ...{ layout: LAYOUT, owner: request.caller?.name ?? null },
  })
  return waitWithin(made, request)
}

function checkEncodings(members: readonly OpenCorpus[]): void {
  const [{ card: first }] = members as [OpenCorpus]
  const other = members.findIndex(({ card }) => card.encoding !== first.encoding)
  if (other < 0) return
  const param = `mixture.${other}.dataset`
  const message = `\`${param}\` must have the encoding of the first dataset, ${first.encoding}. Given: ${shown(members[other]!.card.encoding)}`
  throw new InletError('encoding_mismatch', message, param)
}
