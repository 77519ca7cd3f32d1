import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { TOKENIZER_FILE } from '../../../checkpoints/checkpoint-files.js'
import { parametersOf } from '../../../first-layer/cards/seed-card.js'
import { bytesOfAll } from '../../../first-layer/embeddings/table-memory.js'
import type { ModelEntry } from '../../../models/entry.js'
import { unloaded } from '../../../models/entry.js'
import { ENVIRONMENT_ID, environmentCard, maxTableBytes } from '../../../models/environment.js'
import { configuredFolders, placeOf, readFolder, unreadEntry } from '../../../models/folders.js'
import type { ModelFolder } from '../../../models/model-folders.js'
import { ConfigError } from '../../../models/variables.js'
import type { Config } from '../../process/config.js'
import type { Keeper } from '../keeper/keeper.js'
import type { Maker } from '../keeper/maker.js'

export interface StartLog {
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

export interface FolderReader {
  readonly inspect: Maker['inspect']
  end(): void
}

export interface FolderReaders {
  readonly maker: Pick<Maker, 'inspect'>
  /** Starts a reader for the heavy ones, for which neither other folders nor loads should wait. */
  startReader(): FolderReader
}

/**
 * Adds all models of the configuration, and loads them under `MODELS_LOAD=start`. Logs a model that cannot be loaded. Folders with a very large tokenizer.json are read by a separate reader, after the
 * others; under `MODELS_LOAD=request` the returned promise waits for those alone that must load.
 * @throws ConfigError if the default model is missing, one that must load cannot be loaded, or the models do not fit together
 */
export async function startModels(
  config: Config,
  keeper: Pick<Keeper, 'add' | 'addUnread' | 'loadAtStart'>,
  { maker, startReader }: FolderReaders,
  log: StartLog,
): Promise<void> {
  const own = unloaded(environmentCard(config), 'environment')
  const adding = keeper.add(own)
  const making = config.MODELS_LOAD === 'start' ? keeper.loadAtStart(own.card.id) : adding
  making.catch(() => {}) // it may fail while the folders are read, and is awaited after that
  const ignored = (folder: string, reason: string) => log.warn({ folder, reason }, 'a model is ignored')
  const folders = await configuredFolders(config, ignored)
  checkDefaultName(config, folders)
  const { light, heavy } = await foldersByWeight(folders)
  const entries: ModelEntry[] = []
  for (const folder of light) entries.push(await readFolder(folder, (id, path) => maker.inspect(id, path)))
  for (const entry of entries) checkRead(config, entry, log)
  const last = ({ name }: ModelFolder) => Number(name !== config.DEFAULT_MODEL)
  const defaultFirst = heavy.toSorted((a, b) => last(a) - last(b))
  const reads = heavyReads(defaultFirst, startReader)
  for (const folder of folders) {
    const read = reads.get(folder)
    const known = entries.find(({ card }) => card.id === folder.name)
    if (known !== undefined) await keeper.add(known)
    else if (read !== undefined) await keeper.addUnread(unreadEntry(folder), read)
  }
  await making
  if (config.MODELS_LOAD === 'start')
    return loadAll(config, { keeper, light: entries, reads: [...reads.values()], log })
  for (const [{ name }, read] of reads) {
    const checked = read.then((entry) => checkRead(config, entry, log))
    if (mustLoad(config, name)) await checked
  }
}

function heavyReads(
  folders: readonly ModelFolder[],
  startReader: () => FolderReader,
): ReadonlyMap<ModelFolder, Promise<ModelEntry>> {
  const reads = new Map<ModelFolder, Promise<ModelEntry>>()
  if (folders.length === 0) return reads
  const reader = startReader()
  let before: Promise<unknown> = Promise.resolve()
  for (const folder of folders) {
    const read = before.then(() => readFolder(folder, reader.inspect))
    reads.set(folder, read)
    before = read
  }
  void before.then(() => reader.end())
  return reads
}

interface ToLoad {
  readonly keeper: Pick<Keeper, 'loadAtStart'>
  readonly light: readonly ModelEntry[]
  readonly reads: readonly Promise<ModelEntry>[]
  readonly log: StartLog
}

async function loadAll(config: Config, { keeper, light, reads, log }: ToLoad): Promise<void> {
  const most = maxTableBytes(config)
  const known = [...light]
  const load = async ({ card, state }: ModelEntry) => {
    if (state === 'failed') return
    try {
      await keeper.loadAtStart(card.id)
    } catch (error) {
      const { message } = error as Error
      log.error({ model: card.id, reason: message }, 'a model cannot be loaded')
      if (mustLoad(config, card.id)) throw notLoadable(config, card.id, message)
    }
  }
  if (bytesOfModels(config, known) <= most) for (const entry of light) await load(entry)
  for (const read of reads) {
    const entry = await read
    checkRead(config, entry, log)
    known.push(entry)
    if (bytesOfModels(config, known) <= most) await load(entry)
  }
  // Otherwise the start would evict one of them.
  const bytes = bytesOfModels(config, known)
  if (bytes <= most) return
  throw new ConfigError(`MAX_TABLE_BYTES must be at least ${bytes}, the sum of all models. It is ${most}.`)
}

function bytesOfModels(config: Config, folders: readonly ModelEntry[]): number {
  const cards = [environmentCard(config), ...folders.filter(({ error }) => !error).map(({ card }) => card)]
  return cards.reduce((sum, card) => sum + bytesOfAll(parametersOf(card)), 0)
}

function checkRead(config: Config, { card, error, folder }: ModelEntry, log: StartLog): void {
  if (error === undefined) return
  log.warn({ model: card.id, folder, reason: error.message }, 'a model is refused')
  if (mustLoad(config, card.id)) throw notLoadable(config, card.id, error.message)
}

/** Whether the service does not start without this model. */
function mustLoad({ DEFAULT_MODEL, MODELS = [], MODELS_STRICT }: Config, model: string): boolean {
  return model === DEFAULT_MODEL || (MODELS_STRICT ?? MODELS.some(({ id }) => id === model))
}

function notLoadable({ DEFAULT_MODEL }: Config, model: string, reason: string): ConfigError {
  if (model === DEFAULT_MODEL) return new ConfigError(`DEFAULT_MODEL cannot be loaded. ${reason}`)
  return new ConfigError(
    `The model ${model} cannot be loaded. ${reason} With MODELS_STRICT=0 the service starts without it.`,
  )
}

function checkDefaultName({ DEFAULT_MODEL }: Config, folders: readonly ModelFolder[]): void {
  const ids = [ENVIRONMENT_ID, ...folders.map(({ name }) => name)]
  if (ids.includes(DEFAULT_MODEL)) return
  throw new ConfigError(`DEFAULT_MODEL must be one of ${ids.join(', ')}. Given: "${DEFAULT_MODEL}"`)
}

/** Bytes of tokenizer.json from which reading it takes half a second and more. */
export const HEAVY_BYTES = 1 << 22

/**
 * Separates the folders whose tokenizer.json is so large that others should not wait for it: light ones in
 * the order of their names, heavy ones with the smallest first.
 */
export async function foldersByWeight(folders: readonly ModelFolder[]) {
  const light: ModelFolder[] = []
  const heavy: { readonly folder: ModelFolder; readonly bytes: number }[] = []
  for (const folder of folders) {
    const bytes = await tokenizerBytes(folder).catch(() => 0) // reading it gives the reason
    if (bytes < HEAVY_BYTES) light.push(folder)
    else heavy.push({ folder, bytes })
  }
  heavy.sort((a, b) => a.bytes - b.bytes)
  return { light, heavy: heavy.map(({ folder }) => folder) }
}

/** Bytes of a folder's largest tokenizer.json: that of a module of sentence-transformers lies one folder deeper. */
async function tokenizerBytes({ path }: ModelFolder): Promise<number> {
  const place = await placeOf(path)
  const inside = (await readdir(place, { withFileTypes: true })).filter((each) => each.isDirectory())
  const files = [place, ...inside.map(({ name }) => join(place, name))].map((each) =>
    join(each, TOKENIZER_FILE),
  )
  const sizes = files.map(async (file) => (await stat(file).catch(() => ({ size: 0 }))).size)
  return Math.max(...(await Promise.all(sizes)))
}
