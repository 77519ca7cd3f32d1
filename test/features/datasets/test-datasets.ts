import type { Logger } from 'pino'
import { dataFolder } from '../../../src/features/datasets/data-folder.js'
import { Datasets } from '../../../src/features/datasets/datasets.js'
import { openKeeper } from '../../../src/features/datasets/open-keeper.js'
import type { Config } from '../../../src/service/process/config.js'
import { ledgerMemory } from '../../../src/service/request/load/ledger.js'

const MAX_BYTES = 64 * 1024 * 1024

/** The datasets of a service of one thread, with a ledger of their own. */
export async function testDatasets(variables: Config, logger: Logger): Promise<Datasets> {
  const folder = dataFolder(variables)
  const keeper = await openKeeper({
    ...{ folder, logger, ledger: ledgerMemory(), maxBytes: MAX_BYTES },
    removed: async (dataset) => datasets.forget(dataset),
  })
  const datasets: Datasets = new Datasets(keeper, folder)
  return datasets
}
