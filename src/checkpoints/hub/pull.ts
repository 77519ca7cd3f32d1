import { mkdir } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { TOKENIZER_FILES } from '../../first-layer/tokens/tokenizer-file/read.js'
import { checkpointCard } from '../checkpoint-card.js'
import { readConfig } from '../config-json.js'
import type { Repository } from '../hub-cache.js'
import { CONFIG_FILE, MAX_CONFIG_BYTES, MAX_TOKENIZER_BYTES } from '../model-files.js'
import { staticFiles } from '../static/files.js'
import { staticLayout } from '../static/layout.js'
import { checkPulled } from './check-pulled.js'
import type { Hub } from './hub.js'
import { HubError } from './hub-error.js'
import { PullFolder } from './pull-folder.js'
import { RemoteFiles } from './remote-files.js'
import { resolveRevision } from './revision.js'
import { originOf, type PulledFile, SOURCE_FILE, sourceText } from './source-file.js'
import { fetchWeights, firstLayerWeights, type Weights, wholeWeights } from './weights.js'

/** Of a repository without tokenizer.json: transformers makes one of these. */
const OLDER_TOKENIZERS = [
  ...['vocab.json', 'merges.txt', 'vocab.txt', 'added_tokens.json'],
  ...['tokenizer.model', 'spiece.model', 'sentencepiece.bpe.model'],
]

export interface PullCall {
  readonly repository: Repository
  /** The folder that the model gets. */
  readonly target: string
  /** Whether another commit that is there is replaced. */
  readonly force: boolean
  readonly hub: Hub
  /** Told before the weights are fetched: how many bytes they will have, of how many. */
  planned(weights: Pick<Weights, 'bytes' | 'totalBytes'>, commit: string): void
  /** Told once, when bytes of the weights begin to come: how many are there from an earlier pull. */
  began(bytes: number): void
  received(bytes: number): void
}

export interface Pulled {
  readonly commit: string
  /** Undefined where the folder was there already. */
  readonly weights?: Pick<Weights, 'bytes' | 'totalBytes'>
}

/**
 * Makes a folder of what a model's first layer needs of a repository: config, tokenizer, and, in one safetensors file, the
 * tensors that the first layer reads. A static embedding model is taken whole.
 *
 * @throws HubError, and InletError `model_failed` where the model is none that is served
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
  const wanted = whole?.others ?? [CONFIG_FILE, ...Object.values(TOKENIZER_FILES)]
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
