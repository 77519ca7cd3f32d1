import type { Logger } from 'pino'
import type { FirstThread } from '../src/service/feature.js'
import { Metrics } from '../src/service/metrics/metrics.js'
import type { Keeper } from '../src/service/models/keeper/keeper.js'
import { Topics } from '../src/service/process/channel.js'
import type { Config } from '../src/service/process/config.js'
import { ledgerMemory } from '../src/service/request/load.js'

/** The first thread of a process with one thread: published values go to the handlers of `topics`. */
export function firstThread(
  config: Config,
  logger: Logger,
  keeper = undefined as unknown as Keeper,
): FirstThread & { readonly topics: Topics } {
  const topics = new Topics()
  return {
    ...{ config, logger, keeper, topics, metrics: new Metrics(), ledger: ledgerMemory() },
    publish(topic, value) {
      const drained = topics.take(topic, value)
      return { received: Promise.resolve(), drained }
    },
    afterModels() {},
    onEnd() {},
    died() {},
  }
}
