import type { Logger } from 'pino'
import type { Config } from '../../src/config.js'
import { dataFolder } from '../../src/datasets/data-folder.js'
import { Datasets } from '../../src/datasets/datasets.js'
import { openKeeper } from '../../src/datasets/open-keeper.js'
import { ledgerMemory } from '../../src/load/ledger.js'

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
