import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { Config } from '../config.js'
import { dataFolder } from '../datasets/data-folder.js'
import { Datasets } from '../datasets/datasets.js'
import { openKeeper } from '../datasets/open-keeper.js'
import { ledgerMemory } from '../load/ledger.js'
import { maxBytesInFlight } from '../load/load.js'

/** The ids of the datasets of the examples, which are of their content. */
export const OF_CITY = 'ds_7uykagamev6hozbu43r2dpbloh'
export const OF_NUMBERS = 'ds_tleih6uvcdoyn2b2xbg7sljilj'
export const OF_OTHERS = 'ds_ueo23gnmzw7manxa3aswjhr6z6'

const CITY = 'In the heart of the city stood the old library\nGood morning to you\nHello, world!\n'
const NUMBERS = 'One, two, three, four, five, six, seven\n'

/** Datasets in a temporary folder. */
export async function exampleDatasets(config: Config, logger: Logger): Promise<Datasets> {
  const folder = dataFolder({ ...config, DATA_DIR: undefined })
  const keeper = await openKeeper({
    ...{ folder, logger },
    ...{ ledger: ledgerMemory(), maxBytes: maxBytesInFlight(config) },
    async removed() {},
  })
  return new Datasets(keeper, folder)
}

/** Uploads what the examples ask for. */
export async function uploadExamples(app: FastifyInstance): Promise<void> {
  const upload = async (query: string, payload: string) => {
    const headers = { 'content-type': 'text/plain' }
    await app.inject({ method: 'POST', url: `/v1/datasets?${query}`, headers, payload })
  }
  await upload('encoding=gpt2&documents=lines&document_end=endoftext&name=city', CITY)
  await upload('encoding=gpt2&documents=lines&document_end=endoftext&name=numbers', NUMBERS)
  await upload('encoding=cl100k_base&name=others', NUMBERS)
}
