import { basename, resolve } from 'node:path'
import { addAbortSignal, type Readable } from 'node:stream'
import { folderCard } from '../checkpoints/folder-card.js'
import type { ModelCard } from '../first-layer/cards/model-card.js'
import { embed } from '../first-layer/embed.js'
import { queryReader } from '../first-layer/options/query.js'
import type { Tokenizer } from '../first-layer/tokens/tokenizer.js'
import { checkedText } from '../first-layer/tokens/unicode/utf8.js'
import type { SharedModel } from '../run/open-model.js'
import type { Format } from '../service/answer/formats/json.js'
import { bodyTooLarge, responseTooLarge } from '../service/answer/send-encoded.js'
import type { Models } from '../service/models/library/models.js'
import { environmentCard } from '../service/models/sources/environment.js'
import { folderEntries, readFolder } from '../service/models/sources/folders.js'
import { isFolder } from '../service/models/sources/model-folders.js'
import { UNBOUNDED } from '../service/process/claim.js'
import { type Config, readConfig } from '../service/process/config.js'
import { inTurns } from '../service/process/turn.js'
import { rawTextOptions } from '../service/request/fields/embedding-request.js'
import { makerThread } from '../service/threads/maker-thread.js'
import { ownTokenizers, singleThreadModels } from '../service/threads/single-thread.js'
import { CommandError } from './program.js'

/** The user of a command shares its process with no caller: limits apply only where the environment sets them. */
const NO_LIMITS = {
  MAX_BODY_BYTES: String(2 ** 40),
  MAX_RESPONSE_BYTES: String(2 ** 40),
  MAX_JSON_RESPONSE_BYTES: String(2 ** 40),
}

const readQuery = queryReader(rawTextOptions)

/** The service's configuration without its address, its keys and its threads. */
export function localConfig(env: NodeJS.ProcessEnv): Config {
  const own = { HOST: '', PORT: '', API_KEYS: '', API_KEYS_FILE: '', REQUIRE_KEYS: '', THREADS: '1' }
  return readConfig({ ...NO_LIMITS, ...env, ...own })
}

/** A text, and the embeddings that are wanted of it. */
interface TextCall {
  readonly stream: Readable
  readonly bytes?: number | undefined
  /** Called with the bytes of each chunk that is read. */
  sent(bytes: number): void
  readonly signal: AbortSignal
  /** Query string of `POST /v1/input-embeddings`, without the question mark. */
  readonly query: string
  readonly format: Format
}

/** The embeddings of a text, as the service answers them. */
export interface Answer {
  readonly headers: Readonly<Record<string, string>>
  /** Bytes, if they are known before the answer is made. */
  readonly length: number | undefined
  chunks(): AsyncIterable<Uint8Array>
}

export class LocalModels {
  private constructor(
    private readonly config: Config,
    private readonly models: Models,
  ) {}

  /**
   * @param threadCount threads that compute with the tables
   * @param asked the model that is asked for: a name, or the path of a folder, which is added under it
   * @throws CommandError for a wrong value in the environment, or a model that this machine cannot hold
   */
  static async open(env = process.env, threadCount = 1, asked?: string): Promise<LocalModels> {
    try {
      const config = localConfig(env)
      const folders = await folderEntries(config, () => {})
      if (asked !== undefined && (await isFolder(asked)))
        folders.push(await readFolder({ name: asked, path: asked }, folderCard))
      const models = await singleThreadModels(config, { maker: makerThread().work, folders, threadCount })
      return new LocalModels(config, models)
    } catch (error) {
      throw new CommandError((error as Error).message, { cause: error }) // one line, as the service's own
    }
  }

  /** A model with its tables, to be posted to other threads. @throws InletError as the service answers it */
  async shared(id: string | undefined): Promise<Omit<SharedModel, 'options'>> {
    const { entry, version } = await this.models.lease(id, UNBOUNDED)
    const { tables, number } = version
    return { card: entry.card, tables, version: String(number), backend: this.config.TF_BACKEND }
  }

  /**
   * Text → embeddings, as `POST /v1/input-embeddings` makes them. The options are checked before the text is read.
   * @throws InletError as the service answers it
   */
  async embed({ query, format, stream, bytes = 0, sent, signal }: TextCall): Promise<Answer> {
    const { config } = this
    const claim = { ...UNBOUNDED, throwIfAborted: () => signal.throwIfAborted() }
    const options = readQuery(query)
    const { model } = await this.models.lease(options.model, claim)
    const given = checkedText(readText(addAbortSignal(signal, stream), config.MAX_BODY_BYTES, sent))
    if (bytes > config.MAX_BODY_BYTES) throw bodyTooLarge(config.MAX_BODY_BYTES, bytes)
    const edge = { between: () => void signal.throwIfAborted() }
    const answer = await embed(model, given, options, { format, edge })
    const encoded = format.encode(answer, { encodingFormat: options.encoding_format })
    const limit = config[format.limit]
    if (encoded.size > limit) throw responseTooLarge(format.mediaTypes[0], limit, `${encoded.size} bytes`)
    return {
      headers: encoded.headers,
      length: encoded.exact ? encoded.size : undefined,
      chunks: () => inTurns(encoded.body, claim),
    }
  }
}

/** The chunks of a text, counted. @throws InletError `body_too_large`, CommandError if it cannot be read */
async function* readText(
  text: Readable,
  limit: number,
  sent: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, void> {
  let bytes = 0
  try {
    for await (const chunk of text) {
      bytes += chunk.length
      if (bytes > limit) break
      sent(chunk.length)
      yield chunk
    }
  } catch (error) {
    throw new CommandError(`The text cannot be read: ${(error as Error).message}`, { cause: error })
  }
  if (bytes > limit) throw bodyTooLarge(limit)
}

/** The tokenizer of a model that {@link modelCard} finds. @throws CommandError also where it has none */
export async function modelTokenizer(name: string, env = process.env): Promise<Tokenizer> {
  const tokenizer = await ownTokenizers()(await modelCard(name, env))
  if (tokenizer.unavailable === undefined) return tokenizer
  throw new CommandError(`${name} has no tokenizer: ${tokenizer.unavailable}`)
}

/**
 * The card of a model, by the name that a service would give it, or by its folder. No table is read. @throws
 * CommandError for a model that is not there or is refused
 */
export async function modelCard(name: string, env = process.env): Promise<ModelCard> {
  try {
    if (await isFolder(name)) return await folderCard(basename(resolve(name)), name)
    const config = localConfig(env)
    const own = environmentCard(config)
    const folders = await folderEntries(config, () => {})
    const found = [{ card: own, error: undefined }, ...folders].find(({ card }) => card.id === name)
    if (found?.error !== undefined) throw new CommandError(`${name} cannot be used: ${found.error.message}`)
    if (found !== undefined) return found.card
    const known = [own.id, ...folders.map(({ card }) => card.id)].join(', ')
    throw new CommandError(`--model must be a folder of a model, or one of ${known}. Given: ${name}`)
  } catch (error) {
    throw error instanceof CommandError ? error : new CommandError((error as Error).message, { cause: error })
  }
}
