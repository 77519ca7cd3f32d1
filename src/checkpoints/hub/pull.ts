import { createHash } from 'node:crypto'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { AsideFolder, makeFolder, removeAbandoned, writeSynced } from '../../files/aside.js'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { elementCount } from '../../first-layer/tensors/named-tensor.js'
import { FLOAT_DTYPES } from '../../first-layer/tensors/safetensors/header.js'
import { writtenHeader } from '../../first-layer/tensors/safetensors/safetensors-file.js'
import { TOKENIZER_FILES } from '../../first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { type CheckpointTensor, SINGLE } from '../checkpoint.js'
import { type CheckpointCard, checkpointCard } from '../checkpoint-card.js'
import { ADDED_TOKENS_FILE, CONFIG_FILE, SOURCE_FILE } from '../checkpoint-files.js'
import { readConfig } from '../config-json.js'
import { folderCard, modelCard } from '../folder-card.js'
import { CHAT_TEMPLATE_FILE, CHAT_TEMPLATE_FOLDER } from '../folder-chat.js'
import type { Repository } from '../hub-cache.js'
import { staticFiles, staticLayout } from '../static/layout.js'
import { type Hub, HubError } from './hub.js'
import { checkDigest, RemoteFiles } from './remote-files.js'

/** Files of a tokenizer and its chats, except the folder of further templates. */
const TOKENIZER_PARTS = [
  CONFIG_FILE,
  ...Object.values(TOKENIZER_FILES),
  ADDED_TOKENS_FILE,
  CHAT_TEMPLATE_FILE,
]
/** Fetched from a repository without tokenizer.json: it can be made of these. */
const OLDER_TOKENIZERS = [
  ...['vocab.json', 'merges.txt', 'vocab.txt', 'tiktoken.model'],
  ...['tokenizer.model', 'spiece.model', 'sentencepiece.bpe.model'],
]

interface PullCall {
  readonly repository: Repository
  readonly target: string
  readonly force: boolean
  readonly tokenizerOnly: boolean
  readonly hub: Hub
  planned(weights: WeightSizes, commit: string): void
  received(bytes: number): void
}

export interface WeightSizes {
  readonly bytes: number
  /** Bytes of all weights of the repository, if it gives them. */
  readonly totalBytes: number | undefined
}

export interface Pulled {
  readonly commit: string
  /** Undefined if the folder was there already, or has none. */
  readonly weights?: WeightSizes | undefined
  readonly isNew: boolean
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
  const files = await RemoteFiles.of(hub, repository)
  const { commit } = files
  const isSame = there?.repository === repository.name && there.commit === commit
  if (isSame && (tokenizerOnly || there.tokenizer_only !== true)) return { commit, isNew: false }
  if (there !== undefined && !isSame && !force) {
    const found = `${there.repository} at ${there.commit}`
    throw new HubError(`${target} holds ${found}, not ${repository.name} at ${commit}: --force replaces it.`)
  }
  const root = dirname(target)
  await makeFolder(root)
  await removeAbandoned(root, () => {})
  const aside = new AsideFolder(root)
  try {
    await aside.make()
    const weights = await fill(call, files, aside.path)
    if (there !== undefined) await rm(target, { recursive: true })
    if (!(await aside.moveTo(basename(target)))) throw new HubError(`${target} was made meanwhile.`)
    return { commit, weights, isNew: true }
  } finally {
    await aside.remove()
  }
}

/**
 * The origin of a pulled folder, by its `inlet-source.json`; undefined if the folder is missing or empty.
 *
 * @throws HubError for a folder that was not pulled: it is never replaced
 */
async function originOf(target: string) {
  const names = await readdir(target).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw new HubError(`${target} must be a folder (${error.code}).`)
  })
  if (names.length === 0) return undefined
  try {
    const origin = JSON.parse(await readFile(join(target, SOURCE_FILE), 'utf8'))
    if (typeof origin.repository === 'string' && typeof origin.commit === 'string')
      return origin as { repository: string; commit: string; tokenizer_only?: boolean }
  } catch {
    // not a folder that was pulled
  }
  throw new HubError(`${target} is there, and was not pulled: it has no ${SOURCE_FILE}. Name another folder.`)
}

async function fill(call: PullCall, files: RemoteFiles, folder: string): Promise<Weights | undefined> {
  const { repository, hub, tokenizerOnly, received } = call
  const { commit } = files
  const id = basename(call.target)
  const plan = tokenizerOnly ? undefined : await planned(id, folder, files)
  if (plan !== undefined) call.planned(plan.weights, commit)
  const templates = (await files.names(CHAT_TEMPLATE_FOLDER)).map((name) => `${CHAT_TEMPLATE_FOLDER}/${name}`)
  await keepAll(plan?.others ?? [...TOKENIZER_PARTS, ...templates], files, folder)
  const hasTokenizer = (await files.names()).includes(TOKENIZER_FILES.tokenizer)
  if (tokenizerOnly && !hasTokenizer)
    throw new HubError(`${repository.name} must have ${TOKENIZER_FILES.tokenizer} at ${commit}.`)
  if (plan?.card !== undefined && !hasTokenizer) await keepAll(OLDER_TOKENIZERS, files, folder)
  if (plan !== undefined) {
    const path = join(folder, plan.weights.name)
    await makeFolder(dirname(path))
    await writeSynced(path, weightBlocks(plan.weights, files, received))
  }
  const { name, revision } = repository
  const { endpoint } = hub.settings
  const source = { repository: name, revision, commit, endpoint, tokenizer_only: tokenizerOnly }
  await writeFile(join(folder, SOURCE_FILE), `${JSON.stringify(source, null, 2)}\n`)
  // The service must be able to read the folder, and find the model that the repository has.
  if (plan === undefined) await folderCard(id, folder)
  else {
    const card = await modelCard(id, folder)
    if (plan.card !== undefined && !isDeepStrictEqual(withoutFiles(card), withoutFiles(plan.card)))
      throw new HubError(`${folder} does not give the model that the repository has.`)
  }
  return plan?.weights
}

/** A card without the names and sizes of its files, since shards have become one file. */
function withoutFiles({ source, ...card }: ModelCard) {
  if (source.type !== 'folder') return card
  return { ...card, tensors: source.tensors.map(({ file: _, ...tensor }) => tensor) }
}

/** Copies files unchanged from the repository. */
async function keepAll(names: readonly string[], files: RemoteFiles, folder: string): Promise<void> {
  for (const name of new Set(names)) {
    const file = await files.whole(name)
    if (file === undefined) continue
    await makeFolder(dirname(join(folder, name)))
    await writeFile(join(folder, name), file)
  }
}

interface Piece {
  readonly file: string
  readonly at: number
  readonly bytes: number
  /** Of a whole file: what its bytes are checked by. */
  readonly etag?: string | undefined
}

interface Weights extends WeightSizes {
  readonly name: string
  /** The bytes before the pieces, length and header; empty for a whole file. */
  readonly head: Buffer
  readonly pieces: readonly Piece[]
}

/** Plans the files of the whole first layer: all other files for a static embedding model, else the model's card. */
async function planned(
  id: string,
  folder: string,
  files: RemoteFiles,
): Promise<{ weights: Weights; others?: readonly string[]; card?: ModelCard }> {
  const config = await readConfig(files)
  const layout = await staticLayout(files, config)
  if (layout === undefined) {
    const found = await checkpointCard(id, folder, files, config)
    return { weights: firstLayerWeights(found), card: found.card }
  }
  const { weights: name, others } = await staticFiles(files, layout)
  const { size, etag } = await (await files.open(name)).stat()
  const pieces = [{ file: name, at: 0, bytes: size, etag }]
  return { weights: { name, head: Buffer.alloc(0), pieces, bytes: size, totalBytes: size }, others }
}

/** Plans one file with the tensors of a checkpoint's first layer. */
function firstLayerWeights(found: CheckpointCard): Weights {
  const tensors = [...found.tensors, ...decidingTensor(found)]
  const itemBytes = ({ shape, bytes }: Piece & CheckpointTensor) => bytes / Math.max(1, elementCount(shape))
  const byName = new Map(tensors.map((each) => [each.name, { ...each, bytes: each.end - each.start }]))
  const pieces = [...byName.values()].sort(
    (a, b) => itemBytes(b) - itemBytes(a) || (a.name < b.name ? -1 : 1),
  )
  const head = writtenHeader({ format: 'pt' }, pieces)
  const bytes = pieces.reduce((sum, piece) => sum + piece.bytes, head.length)
  return { name: SINGLE, head, pieces, bytes, totalBytes: found.checkpoint.totalBytes }
}

/**
 * If config.json states no dtype, the checkpoint's first tensor of floats decides it. Gives that tensor if, without it,
 * another tensor would come first and decide another dtype.
 */
function decidingTensor({ card, tensors, dtypeFrom }: CheckpointCard): readonly CheckpointTensor[] {
  const [first] = [...tensors].sort((a, b) => (a.name < b.name ? -1 : 1))
  const isDecided = dtypeFrom === undefined || FLOAT_DTYPES[first?.dtype ?? ''] === card.dtype
  return isDecided ? [] : [dtypeFrom]
}

/** The bytes of the planned file. @param received called with the bytes of each block */
async function* weightBlocks(
  { name, head, pieces }: Weights,
  files: RemoteFiles,
  received: (bytes: number) => void,
): AsyncGenerator<Uint8Array, void, void> {
  yield head
  for (const { file, at, bytes, etag } of pieces) {
    const hash = createHash('sha256')
    for await (const chunk of (await files.open(file)).part(at, at + bytes)) {
      hash.update(chunk)
      received(chunk.length)
      yield chunk
    }
    checkDigest(hash.digest('hex'), etag, name)
  }
}
