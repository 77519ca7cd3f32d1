import { readdir, readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { folderError } from './checkpoint-files.js'

/** `org/model` or `org/model@revision`, as the Hub names models; no revision leads out of a folder. */
const REPOSITORY = /^([A-Za-z0-9][\w.-]*)\/([A-Za-z0-9][\w.-]*)(?:@(?!.*\.\.)([\w./-]+))?$/

/** A model of the Hub at a revision. */
export interface Repository {
  /** `org/model`. */
  readonly name: string
  readonly org: string
  readonly model: string
  /** A branch, tag or commit. */
  readonly revision: string
}

/**
 * `org/model@v2` → its parts, with the revision `main` by default; undefined for any other text, as a path: paths begin with
 * `/` or `.`, or have more parts.
 */
export function parseRepository(source: string): Repository | undefined {
  const [, org, model, revision = 'main'] = REPOSITORY.exec(source) ?? []
  return org && model ? { name: `${org}/${model}`, org, model, revision } : undefined
}

/**
 * The download cache of the Hugging Face libraries: `HF_HUB_CACHE`, else `HF_HOME`/hub, else
 * `XDG_CACHE_HOME`/huggingface/hub, else ~/.cache/huggingface/hub.
 *
 * Source: huggingface_hub 2.4, `constants.py`.
 */
export function hubCache(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return env.HF_HUB_CACHE || join(hubHome(env), 'hub')
}

/** The folder of the Hugging Face libraries: `HF_HOME`, else `XDG_CACHE_HOME`/huggingface, else ~/.cache/huggingface. */
export function hubHome(env: Readonly<Record<string, string | undefined>> = process.env): string {
  return env.HF_HOME || join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'huggingface')
}

/**
 * Finds a downloaded model: `org/model@main` → `…/models--org--model/snapshots/COMMIT`. Downloads nothing.
 *
 * @throws InletError `model_failed` if the cache lacks the model or revision, with those it has
 */
export async function snapshotOf(source: string, cache = hubCache()): Promise<string> {
  const { org, model, revision } = parseRepository(source) ?? {}
  if (revision === undefined) throw folderError(source, 'must be org/model or org/model@revision')
  const repository = join(cache, `models--${org}--${model}`)
  const has = async (path: string) => (await stat(path).catch(() => undefined))?.isDirectory() ?? false
  if (!(await has(repository))) {
    const rule = 'is no folder, and not in the Hugging Face cache (HF_HUB_CACHE) either'
    throw folderError(source, `${rule}: inlet pull ${source} makes a folder`)
  }
  const commit = (await readFile(join(repository, 'refs', revision), 'utf8').catch(() => revision)).trim()
  const snapshot = join(repository, 'snapshots', commit)
  if (/^[0-9a-f]{7,64}$/.test(commit) && (await has(snapshot))) return snapshot
  const revisions = await readdir(join(repository, 'refs')).catch(() => [])
  const known = revisions.length > 0 ? `It has ${revisions.join(', ')}` : 'It has none'
  throw folderError(source, `has no revision ${revision} in the cache. ${known}`)
}
