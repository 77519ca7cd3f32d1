import type { Logger } from 'pino'
import type { Config } from '../../src/config.js'
import type { Datasets } from '../../src/datasets/datasets.js'
import { openDatasets } from '../../src/datasets/open-datasets.js'
import { openKeeper } from '../../src/datasets/open-keeper.js'
import { ledgerMemory } from '../../src/load/ledger.js'

const MAX_BYTES = 64 * 1024 * 1024

/** The datasets of a service of one thread, with a ledger of their own. */
export async function testDatasets(variables: Config, logger: Logger): Promise<Datasets> {
  const keeper = await openKeeper({
    ...{ variables, logger, ledger: ledgerMemory(1), account: 0, maxBytes: MAX_BYTES },
    removed: async (dataset) => datasets.forget(dataset),
  })
  const datasets: Datasets = await openDatasets(keeper, variables, logger)
  return datasets
}
