import { mkdir } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { ModelCard } from '../../first-layer/cards/model-card.js'
import { TOKENIZER_FILES } from '../../first-layer/tokens/tokenizer-file/choose-tokenizer.js'
import { checkpointCard } from '../checkpoint-card.js'
import { checkpointModel } from '../checkpoint-model.js'
import { readConfig } from '../config-json.js'
import { CHAT_TEMPLATE_FILE } from '../folder-chat.js'
import type { Repository } from '../hub-cache.js'
import { ADDED_TOKENS_FILE, CONFIG_FILE, MAX_CONFIG_BYTES, MAX_TOKENIZER_BYTES } from '../model-files.js'
import { staticFiles, staticLayout } from '../static/layout.js'
import { HubError } from './errors.js'
import type { Hub } from './hub.js'
import { PullFolder } from './pull-folder.js'
import { RemoteFiles } from './remote-files.js'
import { resolveRevision } from './revision.js'
import { originOf, type PulledFile, SOURCE_FILE, sourceText } from './source-file.js'
import { fetchWeights, firstLayerWeights, type Weights, wholeWeights } from './weights.js'

/** Fetched from a repository without tokenizer.json: transformers can make one of these. */
const OLDER_TOKENIZERS = [
  ...['vocab.json', 'merges.txt', 'vocab.txt', 'added_tokens.json'],
  ...['tokenizer.model', 'spiece.model', 'sentencepiece.bpe.model'],
]

export interface PullCall {
  readonly repository: Repository
  /** The folder that the model gets. */
  readonly target: string
  /** Whether to replace a pulled folder of another commit. */
  readonly force: boolean
  readonly hub: Hub
  /** Called before the weights are fetched. */
  planned(weights: Pick<Weights, 'bytes' | 'totalBytes'>, commit: string): void
  /** Called once, before bytes of the weights come, with the bytes of an earlier pull. */
  began(bytes: number): void
  received(bytes: number): void
}

export interface Pulled {
  readonly commit: string
  /** Undefined if the folder was there already. */
  readonly weights?: Pick<Weights, 'bytes' | 'totalBytes'>
}

/**
 * Pulls the files that a model's first layer needs: config, tokenizer, and one safetensors file with the tensors that the
 * first layer reads. Pulls a static embedding model whole.
 *
 * @throws HubError, and InletError `model_failed` for a model that is not served
 */
export async function pull(call: PullCall): Promise<Pulled> {
  const { repository, hub, force } = call
  const target = resolve(call.target)
  const there = await originOf(target)
  const revision = await resolveRevision(hub, repository)
  const { commit } = revision
  if (there?.repository === repository.name && there.commit === commit) return { commit }
  if (there !== undefined && !force) {
    const found = `${there.repository} at ${there.commit}`
    throw new HubError(`${target} holds ${found}, not ${repository.name} at ${commit}: --force replaces it.`)
  }
  await mkdir(dirname(target), { recursive: true })
  const folder = await PullFolder.of(target, { repository: repository.name, commit })
  try {
    const files = new RemoteFiles(hub, repository.name, revision, folder, call.received)
    const weights = await fill(call, files, folder, commit)
    await folder.finish(target)
    return { commit, weights }
  } finally {
    await folder.release()
  }
}

async function fill(
  { repository, hub, target, ...call }: PullCall,
  files: RemoteFiles,
  folder: PullFolder,
  commit: string,
): Promise<Weights> {
  const id = basename(target)
  const config = await readConfig(files)
  const layout = await staticLayout(files, config)
  const whole = layout && (await staticFiles(files, layout))
  const found = whole === undefined ? await checkpointCard(id, folder.files, files, config) : undefined
  const weights =
    found === undefined ? await wholeWeights(whole!.weights, files) : await firstLayerWeights(found, files)
  call.planned(weights, commit)
  const wanted = whole?.others ?? [
    ...[CONFIG_FILE, ...Object.values(TOKENIZER_FILES)],
    ...[ADDED_TOKENS_FILE, CHAT_TEMPLATE_FILE],
  ]
  const pulled = await keepAll(wanted, files, folder)
  if (whole === undefined && !pulled.some(({ name }) => name === TOKENIZER_FILES.tokenizer)) {
    pulled.push(...(await keepAll(OLDER_TOKENIZERS, files, folder)))
  }
  await fetchWeights(weights, files, folder, call.began)
  const { name, revision } = repository
  const source = { repository: name, revision, commit, endpoint: hub.endpoint }
  await folder.keep(SOURCE_FILE, Buffer.from(sourceText(source, pulled, weights)), undefined)
  await folder.keepOnly([SOURCE_FILE, weights.name, ...pulled.map((file) => file.name)])
  await checkPulled(id, folder.files, found?.card)
  return weights
}

async function keepAll(
  names: readonly string[],
  files: RemoteFiles,
  folder: PullFolder,
): Promise<PulledFile[]> {
  const kept: PulledFile[] = []
  for (const name of new Set(names)) {
    const bytes = await files.keep(name, name === CONFIG_FILE ? MAX_CONFIG_BYTES : MAX_TOKENIZER_BYTES)
    if (bytes !== undefined) kept.push({ name, bytes: bytes.length, etag: await folder.etag(name) })
  }
  return kept
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
  if (expected !== undefined && !isDeepStrictEqual(withoutFiles(found), withoutFiles(expected))) {
    throw new HubError(`${path} does not give the model that the repository has.`)
  }
}

/** A card without the names and sizes of its files, since shards have become one file. */
function withoutFiles({ source, ...card }: ModelCard) {
  if (source.type !== 'folder') return card
  return { ...card, tensors: source.tensors.map(({ file: _, ...tensor }) => tensor) }
}
