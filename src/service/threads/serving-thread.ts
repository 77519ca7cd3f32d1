import { type TokenizerOf, Tokenizers } from '../../first-layer/cards/tokenizers.js'
import type { TokenizerLibrary } from '../../first-layer/tokens/rust/rust-library.js'
import type { ModelEntry } from '../../models/entry.js'
import { buildApp, type Dependencies } from '../app.js'
import type { Service } from '../feature.js'
import { watchNode } from '../metrics/watched.js'
import { bindIn, Models, type ModelsOptions } from '../models/library/models.js'
import type { Config } from '../process/config.js'
import type { ApiKey } from '../process/keys/api-keys.js'
import { turn } from '../process/turn.js'
import { type Scrape, scrapeText } from './scrapes.js'

export interface ServingOptions
  extends Pick<Service, 'liveness' | 'logger' | 'metrics' | 'topics'>,
    Required<Pick<Dependencies, 'ledger' | 'kept'>>,
    Pick<Dependencies, 'certificate'>,
    Pick<ModelsOptions, 'admin' | 'backend'> {
  /** Called one after the other when the thread's last request has ended. */
  readonly ends: (() => Promise<void>)[]
  /** The users' keys until others are published. */
  readonly keys: readonly ApiKey[]
  readonly rust: TokenizerLibrary
  /** The metrics of all threads; undefined while there is one. */
  scrape(): Promise<Scrape | undefined>
}

export async function servingThread(config: Config, options: ServingOptions) {
  const { liveness, logger, metrics, admin, kept, topics, ends, certificate, backend } = options
  let { keys } = options
  const tokenizers = new Tokenizers(options.rust, turn)
  const tokenizerOf: TokenizerOf = (card) => tokenizers.of(card)
  const models: Models = new Models({
    bind: bindIn(liveness.thread, tokenizerOf, (id, message) => {
      logger.error({ model: id, reason: message }, 'a model has failed')
      void admin.fail(id, message).catch(() => {}) // it may have been removed by then
    }),
    letCardGo: () => tokenizers.keepOnly(models.entries().map(({ card }) => card)),
    isStarting: () => liveness.isStarting,
    ...{ admin, tokenizerOf, backend, defaultModel: config.DEFAULT_MODEL },
  })
  watchNode(metrics.registry)
  const app = await buildApp(config, {
    ...{ logger, metrics, liveness, models, certificate, kept, topics, ledger: options.ledger },
    onEnd: (finish) => void ends.push(finish),
    keys: () => keys,
    async metricsText() {
      const scrape = await options.scrape()
      return scrape === undefined ? metrics.text() : scrapeText(scrape)
    },
  })
  topics.on('model', (entry: ModelEntry) => models.put(entry))
  topics.on('model gone', (id: string) => models.drop(id))
  topics.on('keys', (known: readonly ApiKey[]) => {
    keys = known
  })
  return {
    ...{ app, models },
    /** Reads the default model's tokenizer, which the model may not have got yet: it is loaded by a request. */
    async readTokenizer() {
      const entry = models.entry(models.defaultModel)
      if (entry && !entry.hasNoCard) await tokenizerOf(entry.card).catch(() => {})
    },
    /** Ends the connections when their requests have finished, then what features have to end. */
    async finish() {
      await Promise.all([
        app.connections.end((open) => liveness.tellOpenRequests(open)),
        app.operators?.connections.end(),
      ])
      for (const end of ends) await end()
    },
  }
}
