import type { Logger } from 'pino'
import type { FirstThread } from '../src/service/feature.js'
import type { Keeper } from '../src/service/models/keeper/keeper.js'
import type { Config } from '../src/service/process/config.js'
import { Metrics } from '../src/service/process/metrics/metrics.js'
import { ledgerMemory } from '../src/service/request/load/load.js'
import { Topics } from '../src/service/threads/channel.js'

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
