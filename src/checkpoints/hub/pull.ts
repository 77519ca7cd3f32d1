import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { AsideFolder, removeAbandoned, writeSynced } from '../../files/aside.js'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { TOKENIZER_FILES } from '../../first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { checkpointCard } from '../checkpoint-card.js'
import { ADDED_TOKENS_FILE, CONFIG_FILE, MAX_CONFIG_BYTES, MAX_TOKENIZER_BYTES } from '../checkpoint-files.js'
import { readConfig } from '../config-json.js'
import { checkpointModel, folderCard } from '../folder-card.js'
import { CHAT_TEMPLATE_FILE, CHAT_TEMPLATE_FOLDER } from '../folder-chat.js'
import type { Repository } from '../hub-cache.js'
import { staticFiles, staticLayout } from '../static/layout.js'
import { HubError } from './errors.js'
import type { Hub } from './hub.js'
import { RemoteFiles } from './remote-files.js'
import { resolveRevision } from './revision.js'
import { firstLayerWeights, type Weights, weightBlocks, wholeWeights } from './weights.js'

/** The file of a pulled folder that says where it comes from. */
const SOURCE_FILE = 'inlet-source.json'
/** Files of a tokenizer and its chats, except the folder of further templates. */
const TOKENIZER_PARTS = [
  CONFIG_FILE,
  ...Object.values(TOKENIZER_FILES),
  ADDED_TOKENS_FILE,
  CHAT_TEMPLATE_FILE,
]
/** Fetched from a repository without tokenizer.json: transformers can make one of these. */
const OLDER_TOKENIZERS = [
  ...['vocab.json', 'merges.txt', 'vocab.txt'],
  ...['tokenizer.model', 'spiece.model', 'sentencepiece.bpe.model'],
]

interface PullCall {
  readonly repository: Repository
  /** The folder that the model gets. */
  readonly target: string
  /** Whether to replace a pulled folder of another commit. */
  readonly force: boolean
  /** Whether no weights are wanted. */
  readonly tokenizerOnly: boolean
  readonly hub: Hub
  /** Called before the weights are fetched. */
  planned(weights: Pick<Weights, 'bytes' | 'totalBytes'>, commit: string): void
  received(bytes: number): void
}

export interface Pulled {
  readonly commit: string
  /** Undefined if the folder was there already, or has none. */
  readonly weights?: Pick<Weights, 'bytes' | 'totalBytes'> | undefined
  readonly isNew: boolean
}

/** The origin of a folder, read from its `inlet-source.json`. */
interface Origin {
  /** `org/model`. */
  readonly repository: string
  readonly commit: string
  readonly tokenizer_only?: boolean
}

/**
 * Pulls the files that a model's first layer needs: config, tokenizer, and one safetensors file with the tensors that the
 * first layer reads; or those of its tokenizer alone. Pulls a static embedding model whole. The folder is made aside, and
 * gets its name when it is whole.
 *
 * @throws HubError, and InletError `model_failed` for a model that is not served
 */
export async function pull(call: PullCall): Promise<Pulled> {
  const { repository, hub, force, tokenizerOnly } = call
  const target = resolve(call.target)
  const there = await originOf(target)
  const revision = await resolveRevision(hub, repository)
  const { commit } = revision
  const isSame = there?.repository === repository.name && there.commit === commit
  const hasAll = tokenizerOnly || there?.tokenizer_only !== true
  if (isSame && hasAll) return { commit, isNew: false }
  if (there !== undefined && !isSame && !force) {
    const found = `${there.repository} at ${there.commit}`
    throw new HubError(`${target} holds ${found}, not ${repository.name} at ${commit}: --force replaces it.`)
  }
  const root = dirname(target)
  await mkdir(root, { recursive: true })
  await removeAbandoned(root, () => {})
  const [aside, old] = [new AsideFolder(root), new AsideFolder(root)]
  try {
    await aside.make()
    const files = new RemoteFiles(hub, repository.name, revision)
    const weights = await fill(call, files, aside.path, commit)
    await rename(target, old.path).catch((error) => {
      if (error.code !== 'ENOENT') throw error
    })
    if (!(await aside.moveTo(basename(target)))) throw new HubError(`${target} was made meanwhile.`)
    return { commit, weights, isNew: true }
  } finally {
    await aside.remove()
    await old.remove()
  }
}

async function fill(
  call: PullCall,
  files: RemoteFiles,
  folder: string,
  commit: string,
): Promise<Weights | undefined> {
  const { repository, hub, tokenizerOnly } = call
  const plan = tokenizerOnly ? undefined : await planned(basename(call.target), folder, files)
  if (plan !== undefined) call.planned(plan.weights, commit)
  const templates = (await files.names(CHAT_TEMPLATE_FOLDER)).map((name) => `${CHAT_TEMPLATE_FOLDER}/${name}`)
  const kept = await keepAll(plan?.others ?? [...TOKENIZER_PARTS, ...templates], files, folder)
  const hasTokenizer = kept.some(({ name }) => name === TOKENIZER_FILES.tokenizer)
  if (tokenizerOnly && !hasTokenizer)
    throw new HubError(`${repository.name} must have ${TOKENIZER_FILES.tokenizer} at ${commit}.`)
  if (plan !== undefined && plan.others === undefined && !hasTokenizer)
    kept.push(...(await keepAll(OLDER_TOKENIZERS, files, folder)))
  if (plan !== undefined) {
    const path = join(folder, plan.weights.name)
    await mkdir(dirname(path), { recursive: true })
    await writeSynced(path, weightBlocks(plan.weights, files, call.received))
  }
  const source = {
    repository: repository.name,
    revision: repository.revision,
    commit,
    endpoint: hub.endpoint,
  }
  await writeFile(
    join(folder, SOURCE_FILE),
    sourceText({ ...source, tokenizer_only: tokenizerOnly }, kept, plan?.weights),
  )
  if (plan === undefined) await folderCard(basename(call.target), folder)
  else await checkPulled(basename(call.target), folder, plan.card)
  return plan?.weights
}

/** Plans the files of the whole first layer. @returns all other files, and no card, of a static embedding model */
async function planned(id: string, folder: string, files: RemoteFiles) {
  const config = await readConfig(files)
  const layout = await staticLayout(files, config)
  if (layout !== undefined) {
    const { weights, others } = await staticFiles(files, layout)
    return { weights: await wholeWeights(weights, files), others }
  }
  const found = await checkpointCard(id, folder, files, config)
  return { weights: await firstLayerWeights(found, files), card: found.card }
}

/** A file copied unchanged from the repository. */
interface KeptFile {
  readonly name: string
  readonly bytes: number
  readonly etag: string | undefined
}

async function keepAll(names: readonly string[], files: RemoteFiles, folder: string): Promise<KeptFile[]> {
  const kept: KeptFile[] = []
  for (const name of new Set(names)) {
    const file = await files.whole(name, name === CONFIG_FILE ? MAX_CONFIG_BYTES : MAX_TOKENIZER_BYTES)
    if (file === undefined) continue
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), file.bytes)
    kept.push({ name, bytes: file.bytes.length, etag: file.etag })
  }
  return kept
}

/** The text of `inlet-source.json`: repository, commit, files and tensors with their ETags, bytes in total. */
function sourceText(source: object, files: readonly KeptFile[], weights: Weights | undefined): string {
  const pieces = weights?.pieces ?? []
  const tensors = pieces.map(({ tensor, file, bytes, etag }) => ({ ...tensor, bytes, file, etag }))
  const total = {
    file_bytes: files.reduce((sum, file) => sum + file.bytes, 0),
    weight_bytes: weights?.bytes ?? 0,
    weight_bytes_of_the_whole: weights?.totalBytes ?? null,
  }
  return `${JSON.stringify({ ...source, files, tensors, total }, null, 2)}\n`
}

/**
 * The origin of a pulled folder; undefined if the folder is missing or empty.
 *
 * @throws HubError for a folder that was not pulled: it is never replaced
 */
async function originOf(target: string): Promise<Origin | undefined> {
  const names = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new HubError(`${target} must be a folder (${error.code}).`)
  })
  if (names.length === 0) return undefined
  try {
    const origin: Origin = JSON.parse(await readFile(join(target, SOURCE_FILE), 'utf8'))
    if (typeof origin.repository === 'string' && typeof origin.commit === 'string') return origin
  } catch {
    // not a folder that was pulled
  }
  throw new HubError(`${target} is there, and was not pulled: it has no ${SOURCE_FILE}. Name another folder.`)
}

/**
 * Checks that the service can read a pulled folder.
 *
 * @param id of the model
 * @param expected the whole repository's card; undefined for a static embedding model
 * @throws HubError, InletError `model_failed` if the folder gives another card
 */
async function checkPulled(id: string, path: string, expected?: ModelCard): Promise<void> {
  const { card: found } = await checkpointModel(id, path)
  if (expected !== undefined && !isDeepStrictEqual(withoutFiles(found), withoutFiles(expected)))
    throw new HubError(`${path} does not give the model that the repository has.`)
}

/** A card without the names and sizes of its files, since shards have become one file. */
function withoutFiles({ source, ...card }: ModelCard) {
  if (source.type !== 'folder') return card
  return { ...card, tensors: source.tensors.map(({ file: _, ...tensor }) => tensor) }
}
